package selection

import (
	"cmp"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The history of LRU, LFU and LD.
//
// A function compares two outputs of a router in different dimensions: VCs, or
// links for LD. All that it needs of the past is a value for each pair of outputs
// that some packet can have to choose between:
//
//   - LRU: which of the two was used last. One bit, exact. At first the higher
//     dimensions are taken to have been used last.
//   - LFU: of which more packets were sent than of the other, and how many more, in
//     the present period. A period of a router ends at any time, whatever its
//     length, which the paper does not give.
//   - LD: likewise for links, since the beginning. Packets are counted, so flits
//     are if packets have as many each.
//
// The differences of LFU and LD are exact up to Options.Bound, and one that would
// pass it stays. So the machine is that of counters without a bound as long as no
// difference passes it, as with no more packets than the bound; with others it
// stands for hardware whose differences stop there. An output is used when a packet
// enters it, not when one commits to it.

type history struct {
	kind  Function // of LRU, LFU and LD
	bound int
	// output is what a use of a VC counts for: for LD its link, named by its CH.
	output func(c spec.ChannelID) spec.ChannelID
	pairs  []pair // ascending by a, b; none: the history is open, or nobody asks for it
}

// pair is two outputs of a router that are compared, the one in the lower dimension
// first.
type pair struct {
	node spec.NodeID
	a, b spec.ChannelID
	// since is LRU's 1 if a was used last, and 0 if b was. For LFU and LD it is the
	// bound, plus how much more a was used than b.
	since program.Var
}

// declareHistory adds a variable for each pair that is compared.
func (b *builder) declareHistory() {
	asked := b.o.Function == LRU || b.o.Function == LFU || b.o.Function == LD
	if b.o.History == Open || b.o.Form == Early || !asked {
		return
	}
	h := history{kind: b.o.Function, bound: b.o.Bound, output: func(c spec.ChannelID) spec.ChannelID { return c }}
	if b.o.Function == LD {
		h.output = func(c spec.ChannelID) spec.ChannelID { return c - spec.ChannelID(b.g.VC(c)) }
	}
	b.deciding(func(v, dest spec.NodeID) {
		all := b.ways(v, dest)
		for i, low := range all {
			for _, high := range all[i+1:] {
				low.each(func(x spec.ChannelID) {
					high.each(func(y spec.ChannelID) {
						h.pairs = append(h.pairs, pair{node: v, a: h.output(x), b: h.output(y)})
					})
				})
			}
		}
	})
	slices.SortFunc(h.pairs, func(x, y pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	h.pairs = slices.Compact(h.pairs)
	for i := range h.pairs {
		p := &h.pairs[i]
		name := b.g.ChannelName(p.a) + " against " + b.g.ChannelName(p.b)
		if h.kind == LRU {
			p.since = b.p.Enum(name, "used before", "used last")
			continue
		}
		if h.kind == LD {
			name = "link of " + b.g.ChannelName(p.a) + " against that of " + b.g.ChannelName(p.b)
		}
		p.since = b.p.Var(name, 2*h.bound+1)
		b.p.Init(p.since, h.bound)
	}
	b.past = h
}

// each calls f for the VCs of a way that the packet may use.
func (w way) each(f func(c spec.ChannelID)) {
	for class, usable := range w.usable {
		if usable {
			f(w.first + spec.ChannelID(class))
		}
	}
}

// later holds if the VC x has been used later than y, or more.
func (h *history) later(x, y spec.ChannelID) program.Expr {
	a, b := h.output(x), h.output(y)
	for _, p := range h.pairs {
		switch {
		case p.a == a && p.b == b && h.kind == LRU:
			return program.Eq(p.since, 1)
		case p.a == a && p.b == b:
			return program.Lt(h.bound, p.since)
		case p.a == b && p.b == a && h.kind == LRU:
			return program.Eq(p.since, 0)
		case p.a == b && p.b == a:
			return program.Lt(p.since, h.bound)
		}
	}
	return program.Or() // nobody has to choose between the two
}

// use notes that a packet enters a VC.
func (h *history) use(c spec.ChannelID) []program.Stmt {
	var effect []program.Stmt
	for _, p := range h.pairs {
		most := 2 * h.bound
		switch c := h.output(c); {
		case c == p.a && h.kind == LRU:
			effect = append(effect, program.Set(p.since, 1))
		case c == p.a:
			effect = append(effect, program.Set(p.since, program.IfElse(program.Lt(p.since, most), program.Add(p.since, 1), program.Const(most))))
		case c == p.b && h.kind == LRU:
			effect = append(effect, program.Set(p.since, 0))
		case c == p.b:
			effect = append(effect, program.Set(p.since, program.IfElse(program.Lt(0, p.since), program.Sub(p.since, 1), program.Const(0))))
		}
	}
	return effect
}

// periods adds the rules by which a period of LFU ends.
func (b *builder) periods() {
	if b.past.kind != LFU {
		return
	}
	for v := range spec.NodeID(b.g.Nodes()) {
		var counted []program.Expr
		var effect []program.Stmt
		for _, p := range b.past.pairs {
			if p.node == v {
				counted = append(counted, program.Ne(p.since, b.past.bound))
				effect = append(effect, program.Set(p.since, b.past.bound))
			}
		}
		if counted != nil {
			b.p.Unfair("a period ends at "+b.g.Node(v).Name, program.Or(counted...), effect...)
		}
	}
}
