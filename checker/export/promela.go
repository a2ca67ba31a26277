package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// promelaWords are names that a variable must not have: Promela's words, those of
// C, and macros of the headers that SPIN's verifiers include, since variables become fields
// of a C structure; "si.value" would be one of them.
const promelaWords = `active assert atomic bit bool break byte chan d_step d_proctype do else empty enabled
eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype nempty never nfull
notrace np_ od of pc_value pid print printf printm priority proctype provided return run select set_priority
short show skip switch timeout trace true typedef unless unsigned xr xs c_code c_decl c_expr c_state c_track
asm auto case char const continue default double enum extern float inline long register restrict signed sizeof
static struct typeof union void volatile while unix linux i386 errno stdin stdout stderr major minor machine
uchar uint ushort ulong now sv air0 air1 claim g_int g_long ifnotblocked maxseq0 minseq0 pansource pclaim
pmachine spinversion stacksize unblock wasnew rand l_ctermid l_tmpnam p_tmpdir sa_handler sa_sigaction
si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int si_lower si_overrun si_pid si_pkey si_ptr si_status
si_stime si_syscall si_timerid si_uid si_upper si_utime si_value sigev_notify_attributes sigev_notify_function
st_atime st_birthtime st_ctime st_mtime`

// Promela writes the program in Promela, the language of SPIN (Holzmann 1991): one process
// that takes one rule after another, each in a d_step, so the states stored are exactly
// the reachable ones and there is one transition for each step. Several initial states are chosen by
// a first step, which adds a state. Compile the verifier with
// NOREDUCE, and run it with -E if a state without steps is not an error.
//
// An invariant is an assertion guarded by its own negation; it adds no state, and a
// transition only where it is violated. An assignment that may leave its range is preceded
// by an assertion. More than 300 nested ifs are refused. Responses and fairness are not written: SPIN is fair to
// processes (-f), and this is a single one, whose rules it may ignore forever.
//
// Formulas are written as ltl, which SPIN decides of all runs, fair or not. If there are any, invariants are
// ltl, too, as SPIN would take the option of an assertion that is violated for a step. Compile without SAFETY, and run
// the verifier with -a -N and the name of one; with NOCLAIM it decides none, and counts states.
func Promela(out io.Writer, p *program.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	several := p
	p = chosenFirst(p)
	ids := newIdentifiers(promelaWords)
	w := &page{notation: notation{
		variables: ids.variables(p),
		signs:     signs("==", "!="),
		and:       "&&", or: "||", not: "!", yes: "true", no: "false",
		choice: [4]string{"(", " -> ", " : ", ")"},
	}}
	w.lines("/* "+written+" */", "/* "+oneLine(p.Name)+" */")
	w.notes(p, "/* ", " */", expressed{formulas: true})
	w.noteChosenFirst(several, "/* ", " */")
	for i := range p.Variables {
		v := &p.Variables[i]
		w.lines(fmt.Sprintf("%s %s = %d; /* 0..%d, %s */",
			promelaType(v.Values), w.variables[i], v.Initial, v.Values-1, described(v)))
	}
	w.lines("", "active proctype machine() {", "  do")
	for i := range p.Rules {
		r := &p.Rules[i]
		if nested(r.Effect) > mostNested {
			return fmt.Errorf("program %q: rule %q: more than %d ifs inside one another, on which SPIN crashes",
				p.Name, r.Name, mostNested)
		}
		w.lines("  /* " + oneLine(r.Name) + " */")
		w.option(&r.Guard, func() { w.promela(p, r.Effect, 3) })
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		if len(p.Formulas) > 0 {
			break
		}
		w.lines("  /* invariant: " + oneLine(v.Name) + " */")
		broken := program.Not(v.Holds)
		w.option(&broken, func() { w.lines(indent(3) + "assert(false);") })
	}
	w.readAll(p)
	w.lines("  od", "}")
	if err := w.claims(p, ids); err != nil {
		return err
	}
	_, err := out.Write(w.Bytes())
	return err
}

// claims writes formulas, and invariants beside them.
func (w *page) claims(p *program.Program, ids *identifiers) error {
	if len(p.Formulas) == 0 {
		return nil
	}
	claim := func(kind, name, runs string, e program.Expr) error {
		e, ok := withoutChoice(e)
		if !ok {
			return fmt.Errorf("program %q: %s %q: more than %d cases of conditional numbers, which ltl does not have",
				p.Name, kind, name, mostCases)
		}
		w.lines("", "/* "+kind+": "+oneLine(name)+runs+" */")
		w.put("ltl ", ids.identifier(kind, name), " { ")
		w.temporal(&e)
		w.lines(" }")
		return nil
	}
	for i := range p.Formulas {
		f := &p.Formulas[i]
		if f.Possible {
			continue
		}
		runs := ", here of all runs; in unknot, of fair runs"
		if f.Unfair {
			runs = ""
		}
		if err := claim("formula", f.Name, runs, f.Holds); err != nil {
			return err
		}
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		if err := claim("invariant", v.Name, "", program.Expr{Op: program.Always, Args: []program.Expr{v.Holds}}); err != nil {
			return err
		}
	}
	return nil
}

// temporal writes a formula, each part in parentheses, since languages differ in what binds more.
func (w *page) temporal(e *program.Expr) {
	sign, joins := map[program.Op]string{program.Always: "[] ", program.Eventually: "<> ", program.Negation: w.not},
		map[program.Op]string{program.Conjunction: w.and, program.Disjunction: w.or, program.Until: "U"}
	if sign[e.Op] == "" && joins[e.Op] == "" || len(e.Args) == 0 {
		w.expr(e, 1)
		return
	}
	w.put(sign[e.Op])
	for i := range e.Args {
		if i > 0 {
			w.put(" ", joins[e.Op], " ")
		}
		w.put("(")
		w.temporal(&e.Args[i])
		w.put(")")
	}
}

// mostCases bounds the cases of conditional numbers in a formula.
const mostCases = 1 << 10

// withoutChoice returns a formula without conditional numbers: a comparison of one is written case by case. It is not ok if
// there are too many cases.
func withoutChoice(e program.Expr) (_ program.Expr, ok bool) {
	cases := 0
	var of func(e program.Expr) program.Expr
	of = func(e program.Expr) program.Expr {
		if e.Op == program.Equal || e.Op == program.NotEqual || e.Op == program.Less || e.Op == program.LessEqual {
			if cond, yes, no := split(e); cond != nil && cases < mostCases {
				cases++
				c := of(*cond)
				return program.Or(program.And(c, of(yes)), program.And(program.Not(c), of(no)))
			}
			return e
		}
		args := e.Args
		e.Args = nil
		for _, a := range args {
			e.Args = append(e.Args, of(a))
		}
		return e
	}
	e = of(e)
	return e, cases < mostCases
}

// split replaces the first conditional number in an expression by each of its branches.
func split(e program.Expr) (cond *program.Expr, yes, no program.Expr) {
	if e.Op == program.Choice {
		return &e.Args[0], e.Args[1], e.Args[2]
	}
	for i := range e.Args {
		if c, y, n := split(e.Args[i]); c != nil {
			yes, no = e, e
			yes.Args, no.Args = slices.Clone(e.Args), slices.Clone(e.Args)
			yes.Args[i], no.Args[i] = y, n
			return c, yes, no
		}
	}
	return nil, e, e
}

// mostNested is fewer than the ifs inside one another on which SPIN 6.5.2 crashes, 316.
const mostNested = 300

// nested returns how many ifs of the list are inside one another, at most.
func nested(list []program.Stmt) int {
	most := 0
	for i := range list {
		if s := &list[i]; !s.Assigns() {
			most = max(most, 1+nested(s.Then), 1+nested(s.Else))
		}
	}
	return most
}

// promelaType returns the smallest type with room for that number of values.
func promelaType(values int) string {
	switch {
	case values <= 2:
		return "bit"
	case values <= 1<<8:
		return "byte"
	case values <= 1<<15:
		return "short"
	}
	return "int"
}

// option writes one option of the loop.
func (w *page) option(guard *program.Expr, effect func()) {
	w.put("  :: d_step { ")
	w.expr(guard, 3)
	w.lines(" ->")
	effect()
	w.lines("  }")
}

// promela writes statements; an empty list is "skip", since a sequence cannot be empty.
func (w *page) promela(p *program.Program, list []program.Stmt, depth int) {
	if len(list) == 0 {
		w.lines(indent(depth) + "skip;")
	}
	for i := range list {
		s := &list[i]
		w.put(indent(depth))
		if !s.Assigns() {
			w.put("if :: ")
			w.expr(&s.Cond, depth)
			w.lines(" ->")
			w.promela(p, s.Then, depth+1)
			w.lines(indent(depth) + ":: else ->")
			w.promela(p, s.Else, depth+1)
			w.lines(indent(depth) + "fi;")
			continue
		}
		most := p.Variables[s.Var].Values - 1
		if bottom, top, err := p.Bounds(&s.Value); err != nil || bottom < 0 || top > most {
			inside := program.And(program.Le(0, s.Value), program.Le(s.Value, most))
			w.put("assert")
			w.expr(&inside, depth)
			w.lines(";")
			w.put(indent(depth))
		}
		w.put(w.variables[s.Var], " = ")
		w.expr(&s.Value, depth)
		w.lines(";")
	}
}

// readAll writes an option that is never possible and reads the variables that nothing else
// reads: SPIN leaves variables that are only written out of the state. It is written even
// if there is no other option, as Promela requires one.
func (w *page) readAll(p *program.Program) {
	all := newDependencies(len(p.Variables))
	for i := range p.Rules {
		reads(&p.Rules[i].Guard, all.see)
		all.statements(p.Rules[i].Effect, true)
	}
	for i := range p.Invariants {
		if len(p.Formulas) > 0 {
			break // they are claims
		}
		reads(&p.Invariants[i].Holds, all.see)
	}
	var unread []string
	for i, name := range w.variables {
		if !all.reads[i] {
			unread = append(unread, name+" < 0")
		}
	}
	if len(unread) > 0 || len(p.Rules)+len(p.Invariants) == 0 {
		w.lines("  /* never; keeps SPIN from leaving out what is only written */",
			"  :: d_step { ("+strings.Join(append(unread, "false"), " || ")+") -> skip; }")
	}
}
