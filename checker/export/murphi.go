package export

import (
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// murphiWords are the reserved words of Murphi, in CMurphi and Rumur.
const murphiWords = `alias array assert assume begin bool boolean by case clear const constants cover do else elsif end
endalias endassert endcover endexists endfor endforall endfunction endif endinvariant endliveness endprocedure
endrecord endrule endruleset endstartstate endswitch endwhile enum error exists false for forall from function if
import in interleaved invariant ismember isundefined liveness multiset multisetadd multisetcount multisetremove
multisetremovepred of ordinal print procedure process program property put real record return rule ruleset scalarset
startstate stringify switch symmetry then to traceuntil true type undefine undefined union var void while with`

// Murphi writes the program in Murphi (Dill et al. 1992), for Rumur and CMurphi: the same
// states, and a rule fires once for each step. Choose the engine's deadlock detection when
// running it. Rumur alone knows what is always possible, as liveness, and what some state is to
// reach, as cover. It picks the type of its numbers by the declared ranges; --value-type int32_t
// suits every program. Responses, other formulas and fairness are not written: Murphi has no
// fairness.
func Murphi(out io.Writer, p *program.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	ids := newIdentifiers(murphiWords)
	w := &page{notation: notation{
		variables: ids.variables(p),
		signs:     signs("=", "!="),
		and:       "&", or: "|", not: "!", yes: "true", no: "false",
		choice: [4]string{"(", " ? ", " : ", ")"},
	}}
	w.lines("-- "+written, "-- "+oneLine(p.Name))
	w.notes(p, "-- ", "", expressed{possible: true, covers: true})
	if len(p.Variables) > 0 {
		w.lines("var")
	}
	for i := range p.Variables {
		v := &p.Variables[i]
		w.lines(fmt.Sprintf("  %s: 0..%d; -- %s", w.variables[i], v.Values-1, described(v)))
	}
	for k, start := range p.Initials() {
		w.lines("", `startstate "start`+[]string{"", fmt.Sprint(" ", k)}[min(k, 1)]+`"`, "begin")
		for i, value := range start {
			w.lines(fmt.Sprintf("  %s := %d;", w.variables[i], value))
		}
		w.lines("end;")
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		w.put("\nrule \"", oneLine(r.Name), "\"\n  ")
		w.expr(&r.Guard, 1)
		w.lines("", "==>", "begin")
		w.murphi(r.Effect, 1)
		w.lines("end;")
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		if v.Cover != "" { // in Rumur; CMurphi reads no cover
			reached := program.Not(v.Holds)
			if v.Holds.Op == program.Negation {
				reached = v.Holds.Args[0]
			}
			w.put("\ncover \"", oneLine(v.Cover), "\"\n  ")
			w.expr(&reached, 1)
			w.lines(";")
			continue
		}
		w.put("\ninvariant \"", oneLine(v.Name), "\"\n  ")
		w.expr(&v.Holds, 1)
		w.lines(";")
	}
	for i := range p.Formulas {
		if f := &p.Formulas[i]; f.Possible { // in Rumur; CMurphi reads no liveness
			w.put("\nliveness \"", oneLine(f.Name), "\"\n  ")
			w.expr(&f.Holds, 1)
			w.lines(";")
		}
	}
	_, err := out.Write(w.Bytes())
	return err
}

func (w *page) murphi(list []program.Stmt, depth int) {
	for i := range list {
		s := &list[i]
		w.put(indent(depth))
		if s.Assigns() {
			w.put(w.variables[s.Var], " := ")
			w.expr(&s.Value, depth)
			w.lines(";")
			continue
		}
		w.put("if ")
		w.expr(&s.Cond, depth)
		w.lines(" then")
		w.murphi(s.Then, depth+1)
		if len(s.Else) > 0 {
			w.lines(indent(depth) + "else")
			w.murphi(s.Else, depth+1)
		}
		w.lines(indent(depth) + "end;")
	}
}
