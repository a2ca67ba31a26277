package topology

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Twice is a cable that a file lists from both of its ends. With a cable for each row, or edge, it is two cables, and
// such a network has twice the links: a cycle of the one may be none of the other.
type Twice struct {
	File     string
	From, To string // the ends, in the order of the second row
	Line     int    // of the second row
	First    int    // of the first
	ByOption bool   // rows are cables as [Options.BothWays] says, not as the file does
}

// String is a warning.
func (t *Twice) String() string {
	are := "they are two cables"
	if t.ByOption {
		are = "--both-ways (in a .star file, both_ways = True) makes two cables of them"
	}
	return fmt.Sprintf("%s:%d: a cable from %s to %s, which line %d lists from its other end: %s",
		t.File, t.Line, t.From, t.To, t.First, are)
}

// twice finds the cables that a file lists from both ends. It refuses a file that has all of them so; of another it
// returns the first.
func (d *draft) twice() (*Twice, error) {
	type rows struct{ first, n int }
	waiting := map[spec.Link]rows{} // those without one back
	var first, second *draftLink
	alone := 0
	for i := range d.links {
		l := &d.links[i]
		if !l.both {
			continue
		}
		k, _, err := d.specLink(l)
		if err != nil {
			return nil, err
		}
		there := endsOf(k)
		k.From, k.To, k.Out, k.In = k.To, k.From, k.In, k.Out
		back := endsOf(k)
		if w := waiting[back]; w.n > 0 {
			if second == nil {
				first, second = &d.links[w.first], l
			}
			waiting[back] = rows{w.first, w.n - 1}
			alone--
			continue
		}
		w := waiting[there]
		if w.n == 0 {
			w.first = i
		}
		waiting[there] = rows{w.first, w.n + 1}
		alone++
	}
	if second == nil {
		return nil, nil
	}
	if alone == 0 {
		instead := "leave out --both-ways (in a .star file, both_ways = True)"
		if !second.byOption {
			instead = "keep one of each; if they are two cables, list both from the same end"
		}
		return nil, d.wrong(second.at, "each cable is listed from both ends, this one first at line %d; %s",
			first.at.line, instead)
	}
	from, to := d.nodes[second.from].name, d.nodes[second.to].name
	return &Twice{d.file, from, to, second.at.line, first.at.line, second.byOption}, nil
}

// IsList reports whether a format is one of rows that do not say whether they are cables.
func IsList(format string) bool {
	return format == "csv" || format == "edgelist" || format == "adjlist"
}

// endsOf returns the ends of a link, with its ports if both are known: those tell parallel cables apart.
func endsOf(k spec.Link) spec.Link {
	ends := spec.Link{From: k.From, To: k.To}
	if k.Out != "" && k.In != "" {
		ends.Out, ends.In = k.Out, k.In
	}
	return ends
}
