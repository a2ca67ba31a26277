package diff

import "slices"

// List is what differs in one kind of thing.
type List struct {
	What    string `json:"what"`    // nodes, links, flows, ...
	Gone    int    `json:"gone"`    // how many there are only in the first
	New     int    `json:"new"`     // only in the second
	Changed int    `json:"changed"` // in both, but different
	Same    int    `json:"same"`
	Note    string `json:"note,omitempty"` // more in words
	// of what differs, the first few of each: "- " gone, "+ " new, "~ " changed
	Rows []string `json:"rows,omitempty"`
}

// Equal reports whether nothing differs.
func (l *List) Equal() bool { return l.Gone+l.New+l.Changed == 0 }

// Options bounds what is listed.
type Options struct {
	Rows int // most items listed of those gone, new or changed, per list; 0 means all
}

// list collects the differences.
type list struct {
	List
	opt         Options
	gone, fresh []string
	changed     []string
}

func (l *list) add(count *int, rows *[]string, sign string, row func() string) {
	if *count++; l.opt.Rows == 0 || *count <= l.opt.Rows {
		*rows = append(*rows, sign+" "+row())
	}
}
func (l *list) lose(row func() string)   { l.add(&l.Gone, &l.gone, "-", row) }
func (l *list) gain(row func() string)   { l.add(&l.New, &l.fresh, "+", row) }
func (l *list) change(row func() string) { l.add(&l.Changed, &l.changed, "~", row) }

func (l *list) done() List {
	l.Rows = slices.Concat(l.gone, l.fresh, l.changed)
	return l.List
}
