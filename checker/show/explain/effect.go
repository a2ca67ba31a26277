package explain

import (
	"strconv"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Effect writes what statements of a program assign, in order, as in
// "x := busy, if y = 2 then (y := 0) else (y := y + 1)", with names of values where a
// variable has them. A long text ends in "...".
func Effect(p *program.Program, list []program.Stmt) string {
	w := conditionText{p: p}
	w.statements(list)
	return w.bounded()
}

func (w *conditionText) statements(list []program.Stmt) {
	if len(list) == 0 {
		w.WriteString("nothing")
	}
	for i := range list {
		if w.Len() > mostOfCondition {
			return
		}
		if i > 0 {
			w.WriteString(", ")
		}
		s := &list[i]
		if s.Assigns() {
			v := &w.p.Variables[s.Var]
			// it stands for an error in the file
			if v.Values == 1 && (s.Value.Op != program.Constant || s.Value.Value != 0) {
				w.WriteString("fault " + strconv.Quote(v.Name))
				continue
			}
			w.WriteString(v.Name + " := ")
			if s.Value.Op == program.Constant {
				w.WriteString(valueName(v, s.Value.Value))
			} else {
				w.expr(&s.Value, false)
			}
			continue
		}
		w.WriteString("if ")
		w.expr(&s.Cond, false)
		w.WriteString(" then (")
		w.statements(s.Then)
		if len(s.Else) > 0 {
			w.WriteString(") else (")
			w.statements(s.Else)
		}
		w.WriteString(")")
	}
}
