package decision

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// together puts effects that happen at once one after the other: what assigns a variable
// comes after all others that read it. No two may assign the same variable, but for one
// of a single value, which says that the step is wrong.
func (e *emitter) together(parts [][]program.Stmt) []program.Stmt {
	if len(parts) == 1 {
		return parts[0]
	}
	var all []*use
	for _, list := range parts {
		u := &use{list: list, reads: map[program.Var]bool{}, sets: map[program.Var]bool{}}
		u.statements(list)
		all = append(all, u)
	}
	var out []program.Stmt
	for len(all) > 0 {
		i := slices.IndexFunc(all, func(u *use) bool {
			return !slices.ContainsFunc(all, func(o *use) bool { return o != u && meet(u.sets, o.reads) != None })
		})
		if i < 0 {
			e.clash = errors.New("what also does and the rest each look at what the other assigns: do both in one function")
			return nil
		}
		u := all[i]
		all = slices.Delete(all, i, i+1)
		for _, o := range all {
			if x := meet(u.sets, o.sets); x != None && e.p.Variables[x].Values > 1 {
				e.clash = fmt.Errorf("%s is assigned twice in one step, by what also does and by the rest", e.p.Variables[x].Name)
			}
		}
		out = append(out, u.list...)
	}
	return out
}

// use is what an effect reads and assigns.
type use struct {
	list        []program.Stmt
	reads, sets map[program.Var]bool
}

// meet returns the first variable that is in both sets.
func meet(a, b map[program.Var]bool) program.Var {
	for _, x := range slices.Sorted(maps.Keys(a)) {
		if b[x] {
			return x
		}
	}
	return None
}

func (u *use) statements(list []program.Stmt) {
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			u.sets[s.Var] = true
			u.expr(&s.Value)
			continue
		}
		u.expr(&s.Cond)
		u.statements(s.Then)
		u.statements(s.Else)
	}
}

func (u *use) expr(e *program.Expr) {
	if e.Op == program.Read {
		u.reads[program.Var(e.Value)] = true
	}
	for i := range e.Args {
		u.expr(&e.Args[i])
	}
}
