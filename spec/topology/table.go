package topology

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The names of the columns for the ends of a link, and the columns of a file without a heading.
var (
	fromNames = []string{"from", "source", "src", "from_node", "source_node", "src_node"}
	toNames   = []string{"to", "target", "dst", "dest", "destination", "to_node", "target_node", "dst_node"}
	unheaded  = []string{"from", "to", "vcs", "weight"}
)

// Rows calls f for each row of fields separated by commas, semicolons or tabs, whichever the
// first line has most of, spaces around them removed; at tells the line and column of a
// field. Blank lines and those that begin with # are left out. f must not keep the slice.
// Errors are *spec.PosError, or those of f.
func Rows(file string, text []byte, f func(row []string, at func(field int) (line, col int)) error) error {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.Comma, r.Comment, r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = separator(text), '#', -1, true, true
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if p := new(csv.ParseError); errors.As(err, &p) {
			return &spec.PosError{File: file, Line: p.Line, Col: max(1, p.Column), Msg: p.Err.Error()}
		}
		if err != nil {
			return err // never, as bytes are read
		}
		for i, field := range row {
			row[i] = strings.TrimSpace(field)
		}
		if err := f(row, r.FieldPos); err != nil {
			return err
		}
	}
}

// Repeated returns the first name that was there before, or -1. Columns without a name do not count.
func Repeated(names []string) int {
	met := make(map[string]bool, len(names))
	for i, name := range names {
		if name != "" && met[name] {
			return i
		}
		met[name] = true
	}
	return -1
}

// readTable reads an edge list, a row a link. The first row is a heading if two of its fields name
// the ends (from and to, source and target, src and dst, or u and v if no node has these names); the others name
// attributes. Without a heading the columns are from, to, vcs, weight, column5, column6, ... A row is a link one way,
// unless [Options.BothWays], or a column directed or type says otherwise.
func (d *draft) readTable(text []byte) error {
	var columns []string
	from, to, first := 0, 1, true
	err := Rows(d.file, text, func(row []string, at func(int) (int, int)) error {
		a, b := column(row, fromNames), column(row, toNames)
		u, v := column(row, []string{"u"}), column(row, []string{"v"})
		if first && u >= 0 && v >= 0 && d.onlyHeads(text, row[u], row[v]) {
			a, b = u, v
		}
		if first && a >= 0 && b >= 0 {
			if i := Repeated(row); i >= 0 {
				line, col := at(i)
				return d.wrong(place{line, col}, "the heading names column %d %.40q: names must differ", i+1, row[i])
			}
			from, to, columns, first = a, b, append(columns, row...), false
			return nil
		}
		first = false
		return d.row(row, func(i int) place {
			line, col := at(i)
			return place{line, col}
		}, from, to, columns)
	})
	if err == nil {
		d.byNumber()
	}
	return err
}

// isRow reports whether a line is the heading of a list of links, or a row of one without a heading.
func isRow(line []byte) (is bool) {
	if !bytes.ContainsAny(line, ",;\t") {
		return false
	}
	_ = Rows("", line, func(row []string, _ func(int) (int, int)) error {
		heads := column(row, fromNames) >= 0 && column(row, toNames) >= 0 &&
			!slices.ContainsFunc(row, func(f string) bool { return strings.ContainsAny(f, "{}()[]=\"`") })
		is = len(row) > 1 && (heads || isName(row[0]) && isName(row[1]) && isCount(row[2:]))
		return nil
	})
	return is
}

// isCount reports whether the third field of a row is, as without a heading, a number of VCs, or missing.
func isCount(rest []string) bool {
	if len(rest) == 0 || rest[0] == "" {
		return true
	}
	_, ok := whole(ValueOf(rest[0]))
	return ok
}

// isName reports whether a field names a node where no heading says that it does: a word, or coordinates, and not
// a piece of a sentence or of a program.
func isName(field string) bool {
	switch {
	case field == "" || strings.ContainsAny(field[len(field)-1:], ".:!?"):
		return false
	case tuple().MatchString(field):
		return true
	}
	return !strings.ContainsAny(field, " \t\r\n{}<>=`\"'&|!?*\\^") &&
		strings.Count(field, "(") == strings.Count(field, ")") && !strings.Contains(field, "--")
}

// onlyHeads reports whether no row but the first has a field with one of two names.
func (d *draft) onlyHeads(text []byte, u, v string) bool {
	u, v = strings.Clone(u), strings.Clone(v)
	others := 0
	_ = Rows(d.file, text, func(row []string, _ func(int) (int, int)) error {
		if slices.Contains(row, u) || slices.Contains(row, v) {
			others++
		}
		return nil
	})
	return others == 1
}

// separator returns the most frequent of comma, semicolon and tab in the first line.
func separator(text []byte) rune {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		best, most := ',', 0
		for _, c := range ",;\t" {
			if n := bytes.Count(line, []byte(string(c))); n > most {
				best, most = c, n
			}
		}
		return best
	}
	return ','
}

// column returns the first column of one of the names, or -1.
func column(heading []string, names []string) int {
	for i, h := range heading {
		for _, name := range names {
			if strings.EqualFold(h, name) {
				return i
			}
		}
	}
	return -1
}

// row reads a link.
func (d *draft) row(record []string, at func(int) place, from, to int, columns []string) error {
	if len(record) <= max(from, to) {
		return d.wrong(at(0), "invalid number of fields %d: want at least %d, for both ends of a link",
			len(record), max(from, to)+1)
	}
	if columns != nil && len(record) > len(columns) {
		return d.wrong(at(len(columns)), "%d fields, but the heading has %d", len(record), len(columns))
	}
	if columns == nil && len(record) > 2 && isNumbers(record[:1]) && isNumbers(strings.Fields(record[1])) &&
		strings.Contains(record[1], " ") { // 0, 0 1, 1: a pair of pairs
		return d.wrong(at(1), "%.40q is no name of a node in a list without a heading, next to %.40q: want the heading "+
			"from,to if it is; names with commas want quotation marks", record[1], record[0])
	}
	l := draftLink{at: at(0), both: d.opt.BothWays, byOption: true}
	var err error
	for i, text := range record {
		switch name := columnName(columns, i); {
		case i == from || i == to:
			if text == "" {
				return d.wrong(at(i), "no node here: want its name")
			}
			if columns == nil && d.opt.Format == "" && !isName(text) {
				return d.wrong(at(i),
					"%.40q is no name of a node in a list without a heading: want one word, or the heading from,to",
					text)
			}
			v, e := d.node(text, text, at(i))
			if e != nil {
				err = e
			}
			if i == from {
				l.from = v
			} else {
				l.to = v
			}
		case text == "":
		default:
			v := ValueOf(text)
			l.attributes = append(l.attributes, Attribute{name, v})
			if _, _, err := d.specLink(&draftLink{
				at:         at(i),
				attributes: l.attributes[len(l.attributes)-1:],
			}); err != nil {
				if p := new(spec.PosError); columns == nil && errors.As(err, &p) {
					p.Msg += "; no first row names columns from and to, so the third is vcs and the fourth weight"
					return p
				}
				return err
			}
			if err := d.ways(&l, name, text, at(i)); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	return d.link(l)
}

// ways reads whether a row is a link one way or a cable.
func (d *draft) ways(l *draftLink, name, text string, at place) error {
	name, text = strings.ToLower(name), strings.ToLower(text)
	switch {
	case name == "type" && (text == "directed" || text == "undirected"): // as Gephi writes it
		l.both, l.byOption = text == "undirected", false
	case name == "directed":
		directed, err := strconv.ParseBool(text)
		if err != nil {
			return d.wrong(at, "invalid directed %.40q: want true or false", text)
		}
		l.both, l.byOption = !directed, false
	}
	return nil
}

func columnName(columns []string, i int) string {
	switch {
	case i < len(columns):
		return columns[i]
	case i < len(unheaded):
		return unheaded[i]
	}
	return "column" + strconv.Itoa(i+1)
}

// ValueOf returns the integer, number or truth value that a text stands for, or else the text. Digits that are
// not the usual form of a number, such as 007, or more than an int holds, may be a name: they stay a text.
func ValueOf(text string) any {
	digits := strings.TrimLeft(text, "+-")
	switch x, err := strconv.Atoi(text); {
	case digits != "" && strings.Trim(digits, "0123456789") == "" &&
		(err != nil || len(digits) > 1 && digits[0] == '0'):
		return strings.Clone(text)
	case err == nil:
		return x
	}
	hasDigits := strings.ContainsAny(text, "0123456789")
	if x, err := strconv.ParseFloat(text, 64); err == nil && hasDigits && !strings.ContainsAny(text, "xX_") {
		return x
	}
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	return strings.Clone(text)
}
