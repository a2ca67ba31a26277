package reduction

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Around is what a response directly depends on: some variables, among them those that tell whether it is
// pending, the rules that set any of them, and all other rules of the same actions.
type Around struct {
	Program *program.Program // all variables, only these rules, and no properties
	Actions []int            // by rule: the number of its action in the whole program
	Fields  []states.Field   // of the variables
	Latches []Latch
}

// Latch is a value that only these rules give to a variable: once another rule has replaced it, it stays away
// until one of these rules brings it back.
type Latch struct {
	Field states.Field
	Value uint64
}

const mostLatches = 8

// AroundResponse returns what a response directly depends on, with as many variables set only by these rules as fit
// into most bits; nil if those that tell whether it is pending do not fit.
func AroundResponse(m *program.Machine, name string, most int) *Around {
	p, fields := m.Program(), m.Layout().Fields()
	var kept vars
	left := most
	keep := func(x program.Var) {
		_, _, mask := fields[x].Place()
		left -= bits.Len64(mask)
		kept = kept.and(vars{x})
	}
	for i := range p.Responses {
		if v := &p.Responses[i]; v.Name == name {
			for _, x := range set(readBy(nil, &v.Pending)) {
				keep(x)
			}
		}
	}
	if left < 0 {
		return nil
	}
	writes, taken := make([]vars, len(p.Rules)), map[string]bool{}
	for i := range p.Rules {
		if writes[i] = writtenBy(p.Rules[i].Effect); writes[i].meets(kept) {
			taken[p.Rules[i].Name] = true
		}
	}
	own, foreign := vars{}, vars{}
	for i := range p.Rules {
		if taken[p.Rules[i].Name] {
			own = own.and(writes[i])
		} else {
			foreign = foreign.and(writes[i])
		}
	}
	for _, x := range own {
		_, _, mask := fields[x].Place()
		if !kept.has(x) && !foreign.has(x) && bits.Len64(mask) <= left {
			keep(x)
		}
	}
	var latches []Latch
	for _, x := range own {
		if kept.has(x) || !foreign.has(x) {
			continue
		}
		for _, value := range setBy(p, x, func(r *program.Rule) bool { return taken[r.Name] }) {
			others := setBy(p, x, func(r *program.Rule) bool { return !taken[r.Name] })
			if value >= 0 && !slices.Contains(others, value) && !slices.Contains(others, -1) && left > 0 &&
				len(latches) < mostLatches {
				latches = append(latches, Latch{fields[x], uint64(value)})
				left--
			}
		}
	}
	a := &Around{Latches: latches, Program: &program.Program{Name: p.Name, Variables: p.Variables, Starts: p.Starts}}
	first := map[string]int{}
	for i, r := range p.Rules {
		if _, known := first[r.Name]; !known {
			first[r.Name] = i
		}
		if taken[r.Name] {
			a.Program.Rules, a.Actions = append(a.Program.Rules, r), append(a.Actions, first[r.Name])
		}
	}
	for _, x := range kept {
		a.Fields = append(a.Fields, fields[x])
	}
	return a
}

// setBy returns the values that some rules give to a variable, ascending; -1 stands for values that are not constants.
func setBy(p *program.Program, x program.Var, by func(r *program.Rule) bool) (values []int) {
	for i := range p.Rules {
		if !by(&p.Rules[i]) {
			continue
		}
		assignments(p.Rules[i].Effect, nil, func(s *program.Stmt, _ []*program.Expr) {
			if s.Var != x {
				return
			}
			if s.Value.Op == program.Constant {
				values = append(values, s.Value.Value)
			} else {
				values = append(values, -1)
			}
		})
	}
	slices.Sort(values)
	return slices.Compact(values)
}
