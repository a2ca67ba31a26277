package selection

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Conditions of choice, as expressions over the variables in which is kept what a
// router sees. A test compares them with a plain reading of the functions in all
// cases.

// status is what a router sees when it chooses.
type status struct {
	// free holds if an output VC of this router is free, now.
	free func(c spec.ChannelID) program.Expr
	// ahead is the number of free VCs that the packet could use at the next node of a
	// way, one clock ago; nil leaves open which way has most.
	ahead func(w way) program.Expr
	// later holds if the output VC a, or for LD its link, has been used later than b in
	// another dimension, or more; nil leaves the history open.
	later func(a, b spec.ChannelID) program.Expr
}

// strictest holds if the VC of a class is the strictest free one that the packet
// may use of a way.
func (s status) strictest(w way, class int) program.Expr {
	if !w.usable[class] {
		return program.Or()
	}
	all := []program.Expr{s.free(w.first + spec.ChannelID(class))}
	for stricter := range class {
		if w.usable[stricter] {
			all = append(all, program.Not(s.free(w.first+spec.ChannelID(stricter))))
		}
	}
	return program.And(all...)
}

// open holds if the packet may use a free VC of a way.
func (s status) open(w way) program.Expr {
	var any []program.Expr
	for class, usable := range w.usable {
		if usable {
			any = append(any, s.free(w.first+spec.ChannelID(class)))
		}
	}
	return program.Or(any...)
}

// none holds if no way is open that is wanted.
func (s status) none(all []way, wanted func(way) bool) program.Expr {
	var each []program.Expr
	for _, w := range all {
		if wanted(w) {
			each = append(each, program.Not(s.open(w)))
		}
	}
	return program.And(each...)
}

// vcs is the link's VCs, whether the packet may use them or not.
func (s status) vcs(w way) []program.Expr {
	all := make([]program.Expr, len(w.usable))
	for class := range w.usable {
		all[class] = s.free(w.first + spec.ChannelID(class))
	}
	return all
}

// condition holds if the function may choose the VC of a class of the way w, one
// of all.
func (f Function) condition(all []way, w way, class int, reading Reading, s status) program.Expr {
	return program.And(s.strictest(w, class), f.way(all, w, class, reading, s))
}

// way holds if the function may choose the way w, provided that the strictest
// free VC of it is that of the class.
func (f Function) way(all []way, w way, class int, reading Reading, s status) program.Expr {
	lowest, noHigher := all[0], s.none(all, func(other way) bool { return other.dim > w.dim })
	switch f {
	case DimensionOrder:
		return s.none(all, func(other way) bool { return other.dim < w.dim })
	case Zigzag:
		return s.none(all, func(other way) bool { return other.far > w.far })
	case LRU, LFU, LD:
		return s.leastUsed(all, w, class)
	case SCCB:
		if len(all) == 1 {
			break
		}
		free := program.And(s.vcs(lowest)...)
		if w.dim == lowest.dim {
			return program.Or(free, noHigher)
		}
		return program.And(program.Not(free), noHigher)
	case CCB:
		if len(all) == 1 {
			break
		}
		number := program.Const(0)
		for _, free := range s.vcs(lowest) {
			number = program.Add(number, program.IfElse(free, 1, 0))
		}
		few := program.Le(number, 1)
		return program.Or(program.And(few, noHigher), program.And(program.Not(few), s.bestAhead(all, w, reading)))
	}
	return program.And()
}

// leastUsed holds if no other way has a strictest free VC that was used less than
// the one of this class of w.
func (s status) leastUsed(all []way, w way, class int) program.Expr {
	if s.later == nil {
		return program.And()
	}
	var each []program.Expr
	for _, other := range all {
		if other.dim == w.dim {
			continue
		}
		for c, usable := range other.usable {
			if usable {
				each = append(each, program.Not(program.And(s.strictest(other, c),
					s.later(w.first+spec.ChannelID(class), other.first+spec.ChannelID(c)))))
			}
		}
	}
	return program.And(each...)
}

// bestAhead holds if the next node of the way w has most free VCs, and no higher
// way's has as many.
func (s status) bestAhead(all []way, w way, reading Reading) program.Expr {
	if s.ahead == nil {
		return program.And()
	}
	var each []program.Expr
	for _, other := range all {
		if other.dim == w.dim {
			continue
		}
		better := program.Lt(s.ahead(other), s.ahead(w))
		if other.dim < w.dim {
			better = program.Le(s.ahead(other), s.ahead(w))
		}
		if reading == FreeHere {
			better = program.Or(better, program.Not(s.open(other)))
		}
		each = append(each, better)
	}
	return program.And(each...)
}
