package combining

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// NoOrder is the invariant of the machine that [Histories.Order] returns.
const NoOrder = "not all operations are done with these replies and this end"

// Order returns the search for an order of the history of a violation as a
// machine: it does one operation after the other, none before those that had
// returned before it was called, each only if it is replied to as it was. If no
// reachable state has all of them done, and the cells as they were left, no order
// keeps to real time. It knows nothing of the machine that made the history.
func (h *Histories) Order() *program.Program {
	p := program.New("orders of a history")
	done := make([]program.Var, len(h.History))
	for i, op := range h.History {
		done[i] = p.Var(fmt.Sprintf("%d: %s of process %d is done", i, h.show(op.Input), op.Process), 2)
	}
	values := h.values()
	cells := make([]program.Var, len(h.End))
	var all []program.Expr
	for k := range cells {
		cells[k] = p.Var(fmt.Sprintf("cell %d", k), len(values))
		for _, v := range values {
			p.Variables[cells[k]].Names = append(p.Variables[cells[k]].Names, strconv.Itoa(v))
		}
		if slices.ContainsFunc(h.History, func(op Operation) bool { return op.Cell == k }) {
			all = append(all, program.Eq(cells[k], slices.Index(values, h.End[k]))) // never, if it is not among them
		}
	}
	for i, op := range h.History {
		all = append(all, program.Eq(done[i], 1))
		guard := []program.Expr{program.Eq(done[i], 0)}
		for j, before := range h.History {
			if RealTime(before, op) {
				guard = append(guard, program.Eq(done[j], 1))
			}
		}
		for n, state := range values {
			after, output := h.apply(state, op.Input)
			to := slices.Index(values, after)
			if output != op.Output && op.Return != Pending || to < 0 {
				continue
			}
			p.Rule(fmt.Sprintf("operation %d at %d", i, state), program.And(append(slices.Clone(guard), program.Eq(cells[op.Cell], n))...),
				program.Set(done[i], 1), program.Set(cells[op.Cell], to))
		}
	}
	p.Invariant(NoOrder, program.Not(program.And(all...)))
	return p
}

// values lists what cells can come to hold, the initial value first, by any
// operations of the history as often as there are.
func (h *Histories) values() []int {
	values := []int{0}
	from := 0
	for range h.History {
		until := len(values)
		for _, state := range values[from:until] {
			for _, op := range h.History {
				if after, _ := h.apply(state, op.Input); !slices.Contains(values, after) {
					values = append(values, after)
				}
			}
		}
		from = until
	}
	return values
}
