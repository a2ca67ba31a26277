package selection

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Conditions of choice, as expressions over the variables that hold what a router sees.
// A test compares them with a plain implementation of the functions in all cases.

// status is what a router sees when it chooses.
type status struct {
	// free holds if an output VC of this router is free, now.
	free func(c spec.ChannelID) program.Expr
}

// strictest holds if the VC of a class is the strictest free one of a direction that the
// packet may use.
func (s status) strictest(w direction, class int) program.Expr {
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

// open holds if the packet may use a free VC of a direction.
func (s status) open(w direction) program.Expr {
	var any []program.Expr
	for class, usable := range w.usable {
		if usable {
			any = append(any, s.free(w.first+spec.ChannelID(class)))
		}
	}
	return program.Or(any...)
}

// none holds if no wanted direction is open.
func (s status) none(all []direction, wanted func(direction) bool) program.Expr {
	var each []program.Expr
	for _, w := range all {
		if wanted(w) {
			each = append(each, program.Not(s.open(w)))
		}
	}
	return program.And(each...)
}

// vcs returns the link's VCs, whether the packet may use them or not.
func (s status) vcs(w direction) []program.Expr {
	all := make([]program.Expr, len(w.usable))
	for class := range w.usable {
		all[class] = s.free(w.first + spec.ChannelID(class))
	}
	return all
}

// condition holds if the function may choose the VC of a class of direction w, one of all.
func (f Function) condition(all []direction, w direction, class int, s status) program.Expr {
	return program.And(s.strictest(w, class), f.mayTake(all, w, s))
}

// mayTake holds if the function may choose direction w, if that has a free VC, for some status of
// the neighbours and some history.
func (f Function) mayTake(all []direction, w direction, s status) program.Expr {
	lowest, noHigher := all[0], s.none(all, func(other direction) bool { return other.dim > w.dim })
	switch {
	case f == DimensionOrder:
		return s.none(all, func(other direction) bool { return other.dim < w.dim })
	case f == Zigzag:
		return s.none(all, func(other direction) bool { return other.far > w.far })
	case f == SCCB && len(all) > 1:
		free := program.And(s.vcs(lowest)...)
		if w.dim == lowest.dim {
			return program.Or(free, noHigher)
		}
		return program.And(program.Not(free), noHigher)
	case f == CCB && len(all) > 1:
		number := program.Const(0)
		for _, free := range s.vcs(lowest) {
			number = program.Add(number, program.IfElse(free, 1, 0))
		}
		return program.Or(program.Lt(1, number), noHigher)
	}
	return program.And()
}
