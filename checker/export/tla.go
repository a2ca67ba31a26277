package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// tlaWords are the words of TLA+, the definitions of module Integers, and those
// that TLA writes.
const tlaWords = `action assume assumption axiom by boolean case choose constant constants corollary def define defs
domain else enabled except extends false have hide if in instance lambda lemma let local module new obvious omitted
only other pick proof proposition prove qed recursive state string subset suffices take temporal then theorem true
unchanged union use variable variables witness with nat int integers naturals init next spec fairspec typeok vars`

// mostNames bounds the names of unchanged variables, which take some ten bytes each.
const mostNames = 1 << 24

// TLA writes the program as a TLA+ module (Lamport 2002), named Program.Module, for TLC:
// Spec is the specification, TypeOK says that no variable leaves its range, and each
// invariant is a definition. A rule is an action of simultaneous assignments; see
// simultaneous. If there are responses or formulas, FairSpec is the specification with fairness, WF or
// SF of each action, and each of them is a definition: a property of FairSpec.
func TLA(out io.Writer, p *program.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	if int64(len(p.Rules))*int64(len(p.Variables)) > mostNames {
		return fmt.Errorf("%s: %w; TLA+ lists for each rule the variables that it leaves unchanged: want a smaller model, or another format",
			cmp.Or(p.Module, p.Name), &spec.BoundError{What: "names of variables in rules", Limit: mostNames})
	}
	if len(p.Variables) == 0 { // TLC would find no state
		one := *p
		one.Variables = []program.Variable{{Name: "nothing", Values: 1}}
		p = &one
	}
	ids := newIdentifiers(tlaWords)
	w := &page{notation: notation{
		signs: signs("=", "#"),
		and:   "/\\", or: "\\/", not: "~", yes: "TRUE", no: "FALSE",
		choice: [4]string{"(IF ", " THEN ", " ELSE ", ")"},
	}}
	w.lines("---- MODULE "+ids.module(cmp.Or(p.Module, p.Name))+" ----", `\* `+written, `\* `+oneLine(p.Name))
	w.notes(p, `\* `, "", expressed{responses: true, formulas: true})
	w.lines("EXTENDS Integers", "")
	w.variables = ids.variables(p)
	if len(w.variables) > 0 {
		w.lines("VARIABLES")
	}
	for i := range p.Variables {
		comma := ","
		if i == len(p.Variables)-1 {
			comma = ""
		}
		w.lines(fmt.Sprintf(`  %s%s \* %s`, w.variables[i], comma, described(&p.Variables[i])))
	}
	w.lines("", "vars == <<"+strings.Join(w.variables, ", ")+">>", "", "TypeOK ==", `  /\ TRUE`)
	for i, v := range p.Variables {
		w.lines(fmt.Sprintf(`  /\ %s \in 0..%d`, w.variables[i], v.Values-1))
	}
	w.lines("", "Init ==", `  /\ TRUE`)
	for i, v := range p.Variables {
		if len(p.Starts) == 0 {
			w.lines(fmt.Sprintf(`  /\ %s = %d`, w.variables[i], v.Initial))
		}
	}
	if len(p.Starts) > 0 {
		w.lines(`  /\ \/ FALSE`)
		for _, start := range p.Initials() {
			w.lines(`     \/ /\ TRUE`)
			for i, value := range start {
				w.lines(fmt.Sprintf(`        /\ %s = %d`, w.variables[i], value))
			}
		}
	}
	var actions []string
	for i := range p.Rules {
		name := ids.identifier("Rule", p.Rules[i].Name)
		actions = append(actions, name)
		if err := w.action(p, i, name); err != nil {
			return err
		}
	}
	w.lines("", "Next ==", `  \/ FALSE`)
	for _, a := range actions {
		w.lines(`  \/ ` + a)
	}
	w.lines("", "Spec == Init /\\ [][Next]_vars")
	if len(p.Responses)+len(p.Formulas) > 0 {
		w.fairness(p, actions)
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		w.lines("", `\* invariant: `+oneLine(v.Name), ids.identifier("Invariant", v.Name)+" ==")
		w.put(indent(1))
		w.expr(&v.Holds, 1)
		w.lines("")
	}
	for i := range p.Responses {
		r := &p.Responses[i]
		w.lines("", `\* response: `+oneLine(r.Name), ids.identifier("Response", r.Name)+" ==")
		w.put(indent(1), "[]<>~(")
		w.expr(&r.Pending, 1)
		w.lines(")")
	}
	for i := range p.Formulas {
		if p.Formulas[i].Possible {
			continue
		}
		w.formula(&p.Formulas[i], ids)
	}
	w.lines("", "====")
	_, err := out.Write(w.Bytes())
	return err
}

// formula writes a temporal property of fair runs. TLA+ has no until, and of runs without fairness it does not ask that
// they go on.
func (w *page) formula(f *program.Formula, ids *identifiers) {
	var until func(e *program.Expr) bool
	until = func(e *program.Expr) bool {
		return e.Op == program.Until || slices.ContainsFunc(e.Args, func(a program.Expr) bool { return until(&a) })
	}
	switch {
	case until(&f.Holds):
		w.lines("", `\* not written, as TLA+ has no until: `+oneLine(f.Name))
	case f.Unfair:
		w.lines("", `\* not written, as it is about all runs, fair or not: `+oneLine(f.Name))
	default:
		w.lines("", `\* formula: `+oneLine(f.Name), ids.identifier("Formula", f.Name)+" ==")
		w.put(indent(1))
		w.temporal(&f.Holds)
		w.lines("")
	}
}

// module returns an identifier for the module: the name itself if it can be, since TLC wants
// that of the file.
func (ids *identifiers) module(name string) string {
	const digits, letters = "0123456789", "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word := strings.Trim(name, letters+digits) == "" && strings.Trim(name, digits+"_") != ""
	if !word || strings.HasPrefix(name, "WF_") || strings.HasPrefix(name, "SF_") || ids.taken[strings.ToLower(name)] {
		return ids.identifier("M", name)
	}
	ids.taken[strings.ToLower(name)] = true
	return name
}

// fairness writes the fairness of each action. Rules of one name are one action; unfair
// ones need never be taken.
//
// In TLA+ only a change counts as a step of an action. So if one rule of an action changes
// nothing and another something, fairness requires the latter in TLA+, but either of them in
// unknot: what is violated there is violated here, or holds only for that reason. Otherwise
// the two mean the same: a step that changes nothing cannot keep others from being taken.
func (w *page) fairness(p *program.Program, actions []string) {
	w.lines("", `\* Of an action whose rules may change nothing, or something, TLA+ asks for what changes something.`,
		"FairSpec ==", `  /\ Spec`)
	for i := range p.Rules {
		r := &p.Rules[i]
		same := func(o program.Rule) bool { return o.Name == r.Name }
		if r.Unfair || slices.IndexFunc(p.Rules, same) < i {
			continue
		}
		var rules []string
		for k, o := range p.Rules {
			if same(o) {
				rules = append(rules, actions[k])
			}
		}
		fair := "WF"
		if r.Strong {
			fair = "SF"
		}
		w.lines(`  /\ ` + fair + "_vars(" + strings.Join(rules, ` \/ `) + ")")
	}
}

// branches reports whether TLC would take each part of a disjunction in a guard for a step of
// its own, which it does in an action (Lamport 2002, 14.2.6): where two parts hold, it would count
// two. Compared with TRUE, the guard is one value.
func branches(guard *program.Expr) bool {
	return guard.Op == program.Disjunction && len(guard.Args) > 1 ||
		(guard.Op == program.Conjunction || guard.Op == program.Disjunction) &&
			slices.ContainsFunc(guard.Args, func(e program.Expr) bool { return branches(&e) })
}

// action writes a rule.
func (w *page) action(p *program.Program, rule int, name string) error {
	effect, err := simultaneous(p, rule)
	if err != nil {
		return err
	}
	r := &p.Rules[rule]
	w.lines("", `\* `+oneLine(r.Name), name+" ==")
	w.put(`  /\ `)
	w.expr(&r.Guard, 3)
	if branches(&r.Guard) {
		w.put(" = TRUE")
	}
	w.lines("")
	set := make([]bool, len(p.Variables))
	for i := range effect {
		set[effect[i].Var] = true
		w.put(`  /\ `, w.variables[effect[i].Var], "' = ")
		w.expr(&effect[i].Value, 3)
		w.lines("")
	}
	var same []string
	for x, name := range w.variables {
		if !set[x] {
			same = append(same, name)
		}
	}
	if len(same) > 0 {
		w.lines(`  /\ UNCHANGED <<` + strings.Join(same, ", ") + ">>")
	}
	return nil
}
