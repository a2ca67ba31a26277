package topology

import (
	"github.com/seed-105a2da2/unknot/spec"
)

// Twice is a cable that an edge list lists from both of its ends. With a cable for each row it is two cables, and such
// a network has twice the links: a cycle of the one may be none of the other.
type Twice struct {
	From, To string // the ends, in the order of the second row
	Line     int    // of the second row
	First    int    // of the first
}

// twice finds the cables that rows list from both ends, where the option made cables of rows. It refuses a list
// that has all of them so; of another it returns the first.
func (d *draft) twice() (*Twice, error) {
	if !d.opt.BothWays {
		return nil, nil
	}
	type rows struct{ first, n int }
	waiting := map[spec.Link]rows{} // those without one back
	var first, second *draftLink
	alone := 0
	for i := range d.links {
		l := &d.links[i]
		if !l.both || !l.byOption {
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
	switch {
	case second == nil:
		return nil, nil
	case alone == 0:
		return nil, d.wrong(second.at, "each cable is listed from both ends, this one first at line %d; "+
			"leave out --both-ways (in a .star file, both_ways = True)", first.at.line)
	}
	return &Twice{d.nodes[second.from].name, d.nodes[second.to].name, second.at.line, first.at.line}, nil
}

// endsOf returns the ends of a link, with its ports if both are known: those tell parallel cables apart.
func endsOf(k spec.Link) spec.Link {
	ends := spec.Link{From: k.From, To: k.To}
	if k.Out != "" && k.In != "" {
		ends.Out, ends.In = k.Out, k.In
	}
	return ends
}
