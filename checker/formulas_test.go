package checker_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawnFormula draws a formula over conditions on x.
func drawnFormula(t *rapid.T, values, depth int) program.Expr {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		var among []program.Expr
		for v := range values {
			if rapid.Bool().Draw(t, "among") {
				among = append(among, program.Eq(program.Var(0), v))
			}
		}
		return program.Or(among...)
	}
	of := func(op program.Op, n int) program.Expr {
		e := program.Expr{Op: op}
		for range n {
			e.Args = append(e.Args, drawnFormula(t, values, depth-1))
		}
		return e
	}
	switch rapid.IntRange(0, 8).Draw(t, "operator") {
	case 0:
		return of(program.Conjunction, 2)
	case 1:
		return of(program.Disjunction, 2)
	case 2:
		return of(program.Negation, 1)
	case 3, 4:
		return of(program.Always, 1)
	case 5, 6:
		return of(program.Eventually, 1)
	}
	return of(program.Until, 2)
}

// drawnGraph draws a program of one variable, whose steps are arrows, with one formula.
func drawnGraph(t *rapid.T) *program.Program {
	n := rapid.IntRange(1, 5).Draw(t, "states")
	p := program.New("drawn")
	x := p.Var("x", n)
	kinds := map[string]int{}
	for range rapid.IntRange(0, 9).Draw(t, "arrows") {
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "action")
		if _, known := kinds[name]; !known {
			kinds[name] = rapid.IntRange(0, 2).Draw(t, "fairness")
		}
		r := p.Rule(name, program.Eq(x, rapid.IntRange(0, n-1).Draw(t, "from")), program.Set(x, rapid.IntRange(0, n-1).Draw(t, "to")))
		r.Unfair, r.Strong = kinds[name] == 1, kinds[name] == 2
	}
	p.Formulas = []program.Formula{{Name: "formula", Holds: drawnFormula(t, n, 3), Unfair: rapid.IntRange(0, 2).Draw(t, "unfair") == 0}}
	if rapid.Bool().Draw(t, "of a common form") {
		f := &p.Formulas[0].Holds
		*f = program.Expr{Op: program.Eventually, Args: []program.Expr{drawnFormula(t, n, 0)}}
		*f = program.Expr{Op: program.Always, Args: []program.Expr{program.Or(program.Not(drawnFormula(t, n, 0)), *f)}}
	}
	return p
}

// satisfies decides a formula in another way: pairs of a state and what it says of each part of the formula (Clarke,
// Grumberg and Hamaguchi 1994), and of these the sets in which each can reach each, from which what is not fair is
// taken out until nothing changes (Emerson and Lei 1987). It shares no code with the engine.
type satisfies struct {
	p     *program.Program
	parts []*program.Expr // of the formula, the inner ones first
	nodes []tableauNode
	steps []tableauStep
}

type tableauNode struct {
	x     int
	holds []bool // by part
}

type tableauStep struct {
	from, to int
	action   string // "": it stays
}

func (s *satisfies) collect(e *program.Expr) {
	for i := range e.Args {
		s.collect(&e.Args[i])
	}
	s.parts = append(s.parts, e)
}

func (s *satisfies) number(e *program.Expr) int { return slices.Index(s.parts, e) }

// values lists what can be said of the parts in a state: the temporal ones are guessed, and the others follow.
func (s *satisfies) values(x, k int, before []bool) (all [][]bool) {
	if k == len(s.parts) {
		return [][]bool{slices.Clone(before)}
	}
	e := s.parts[k]
	arg := func(i int) bool { return before[s.number(&e.Args[i])] }
	switch e.Op {
	case program.Always, program.Eventually, program.Until:
		return append(s.values(x, k+1, append(before, false)), s.values(x, k+1, append(slices.Clone(before), true))...)
	case program.Conjunction, program.Disjunction:
		is := e.Op == program.Conjunction
		for i := range e.Args {
			if e.Op == program.Conjunction {
				is = is && arg(i)
			} else {
				is = is || arg(i)
			}
		}
		return s.values(x, k+1, append(before, is))
	case program.Negation:
		return s.values(x, k+1, append(before, !arg(0)))
	case program.Equal:
		return s.values(x, k+1, append(before, x == e.Args[1].Value))
	}
	return s.values(x, k+1, append(before, false)) // a number
}

// agrees reports whether what is said now fits what is said next.
func (s *satisfies) agrees(now, next []bool) bool {
	for k, e := range s.parts {
		arg := func(i int) bool { return now[s.number(&e.Args[i])] }
		switch e.Op {
		case program.Always:
			if now[k] != (arg(0) && next[k]) {
				return false
			}
		case program.Eventually:
			if now[k] != (arg(0) || next[k]) {
				return false
			}
		case program.Until:
			if now[k] != (arg(1) || arg(0) && next[k]) {
				return false
			}
		}
	}
	return true
}

// holds reports whether all runs satisfy the formula.
func (s *satisfies) holds(t *rapid.T, f *program.Formula) bool {
	s.collect(&f.Holds)
	possible := map[int]map[string]bool{}
	type arrow struct {
		from, to int
		action   string
	}
	var arrows []arrow
	fair := map[string]bool{}
	for x := range s.p.Variables[0].Values {
		possible[x] = map[string]bool{}
		steps, err := programtest.Steps(s.p, []int{x})
		if err != nil {
			t.Fatal(err)
		}
		rests := true
		for _, step := range steps {
			r := s.p.Rules[step.Rule]
			possible[x][r.Name], fair[r.Name] = true, !r.Unfair && !f.Unfair
			rests = rests && r.Unfair && !f.Unfair
			arrows = append(arrows, arrow{x, step.After[0], r.Name})
		}
		if rests {
			arrows = append(arrows, arrow{x, x, ""})
		}
	}
	var initial []int
	for x := range s.p.Variables[0].Values {
		for _, holds := range s.values(x, 0, nil) {
			if x == 0 && !holds[len(holds)-1] {
				initial = append(initial, len(s.nodes))
			}
			s.nodes = append(s.nodes, tableauNode{x, holds})
		}
	}
	for i, from := range s.nodes {
		for k, to := range s.nodes {
			for _, a := range arrows {
				if a.from == from.x && a.to == to.x && s.agrees(from.holds, to.holds) {
					s.steps = append(s.steps, tableauStep{i, k, a.action})
				}
			}
		}
	}
	all := map[int]bool{}
	for i := range s.nodes {
		all[i] = true
	}
	from := map[int]bool{}
	for _, i := range initial {
		from[i] = true
		for k := range s.reach(all, i) {
			from[k] = true
		}
	}
	return !s.fairWithin(from, fair, possible)
}

// reach returns the nodes that steps within a set lead to.
func (s *satisfies) reach(within map[int]bool, i int) map[int]bool {
	met, work := map[int]bool{}, []int{i}
	for ; len(work) > 0; work = work[1:] {
		for _, step := range s.steps {
			if step.from == work[0] && within[step.to] && !met[step.to] {
				met[step.to] = true
				work = append(work, step.to)
			}
		}
	}
	return met
}

// fairWithin reports whether a fair run goes on forever within a set.
func (s *satisfies) fairWithin(set map[int]bool, fair map[string]bool, possible map[int]map[string]bool) bool {
	reach := map[int]map[int]bool{}
	for i := range set {
		reach[i] = s.reach(set, i)
	}
	for i := range set {
		if !reach[i][i] {
			continue
		}
		part := map[int]bool{}
		for k := range set {
			if reach[i][k] && reach[k][i] {
				part[k] = true
			}
		}
		if s.fairPart(part, fair, possible) {
			return true
		}
	}
	return false
}

func (s *satisfies) fairPart(part map[int]bool, fair map[string]bool, possible map[int]map[string]bool) bool {
	for k, e := range s.parts { // what is said to come comes
		comes := false
		for i := range part {
			now := s.nodes[i].holds
			switch e.Op {
			case program.Until:
				comes = comes || !now[k] || now[s.number(&e.Args[1])]
			case program.Eventually:
				comes = comes || !now[k] || now[s.number(&e.Args[0])]
			case program.Always: // what is denied to stay ends
				comes = comes || now[k] || !now[s.number(&e.Args[0])]
			default:
				comes = true
			}
		}
		if !comes {
			return false
		}
	}
	taken := map[string]bool{}
	for _, step := range s.steps {
		if part[step.from] && part[step.to] {
			taken[step.action] = true
		}
	}
	for _, r := range s.p.Rules {
		if taken[r.Name] || !fair[r.Name] {
			continue
		}
		smaller := map[int]bool{}
		for i := range part {
			if !possible[s.nodes[i].x][r.Name] {
				smaller[i] = true
			}
		}
		switch {
		case len(smaller) == 0:
			return false
		case r.Strong && len(smaller) < len(part):
			return s.fairWithin(smaller, fair, possible)
		}
	}
	return true
}

// TestFormulasAgainstTableaux compares verdicts with those of another method, on drawn graphs and formulas, with every
// kind of fairness. Explore has replayed the runs and verified the rankings, which later edits must not
// survive.
func TestFormulasAgainstTableaux(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			formulaAgainstTableau(t, count)
		}
	})
	t.Log(count)
	for _, what := range []string{"holds", "two levels", "until", "action", "loop", "rest"} {
		if seedtest.Usual() && count[what] == 0 {
			t.Errorf("no case of %q was drawn", what)
		}
	}
}

func formulaAgainstTableau(t *rapid.T, count map[string]int) {
	p := drawnGraph(t)
	m, err := p.Machine()
	if err != nil {
		return // a formula may have too many operators
	}
	s := &satisfies{p: p}
	want := s.holds(t, &p.Formulas[0])
	f := finding(t, explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1}), "formula")
	if f.Verdict != map[bool]spec.Verdict{true: spec.Holds, false: spec.Violated}[want] {
		t.Fatalf("%s: %s; by tableau %v", f.Verdict, f.Because, want)
	}
	switch e := f.Evidence.(type) {
	case evidence.FormulaRanking:
		count["holds"]++
		for _, pair := range e.Pairs {
			if len(pair.Levels) > 1 {
				count["two levels"]++
			}
			for _, l := range pair.Levels {
				if l.Until() >= 0 {
					count["until"]++
				} else if l.Helpful >= 0 {
					count["action"]++
				}
			}
		}
		if len(e.Pairs) > 0 {
			forge(t, e, want)
		}
	case evidence.Run:
		if e.Back < len(e.Steps) {
			count["loop"]++
		} else {
			count["rest"]++
		}
		r := *e.Run
		r.Back = rapid.IntRange(0, len(r.Steps)).Draw(t, "back")
		if forged := (evidence.Run{Machine: m, Run: &r}); want && forged.Verify(context.Background(), evidence.Options{}) == nil {
			t.Fatal("a forged run is accepted")
		}
	default:
		t.Fatalf("%s without evidence", f.Verdict)
	}
}

// forge edits a ranking and gives it to another formula; what is accepted of that is true of it.
func forge(t *rapid.T, e evidence.FormulaRanking, holds bool) {
	p := *e.Machine.(*program.Machine).Program()
	other := p.Formulas[0]
	if rapid.Bool().Draw(t, "another formula") {
		other.Holds = drawnFormula(t, p.Variables[0].Values, 2)
		p.Formulas = []program.Formula{other}
		holds = (&satisfies{p: &p}).holds(t, &other)
	}
	m, err := p.Machine()
	if err != nil {
		return
	}
	r := *e.FormulaRanking
	r.Pairs = slices.Clone(r.Pairs)
	i := rapid.IntRange(0, len(r.Pairs)-1).Draw(t, "pair")
	pair := &r.Pairs[i]
	pair.Levels = slices.Clone(pair.Levels)
	l := &pair.Levels[rapid.IntRange(0, len(pair.Levels)-1).Draw(t, "level")]
	switch rapid.IntRange(0, 4).Draw(t, "edit") {
	case 0:
		l.Rank += rapid.IntRange(-1, 1).Draw(t, "rank")
	case 1:
		l.Helpful = rapid.IntRange(-5, 4).Draw(t, "helpful")
	case 2:
		pair.Left = ltl.Obligations(rapid.IntRange(0, 15).Draw(t, "left"))
	case 3:
		r.Pairs = slices.Delete(r.Pairs, i, i+1)
	}
	forged := evidence.FormulaRanking{Machine: m, FormulaRanking: &r}
	if forged.Verify(context.Background(), evidence.Options{}) == nil && !holds {
		t.Fatalf("a forged ranking of %v is accepted, and the formula does not hold", other.Holds)
	}
}

// TestFormulasOfAToken: what is known of a token that goes round. Without fairness nobody has to pass it on only where
// rules need never be taken.
func TestFormulasOfAToken(t *testing.T) {
	has := func(i int) program.Expr { return program.Eq(program.Var(i), 1) }
	always := func(e program.Expr) program.Expr { return program.Expr{Op: program.Always, Args: []program.Expr{e}} }
	eventually := func(e program.Expr) program.Expr {
		return program.Expr{Op: program.Eventually, Args: []program.Expr{e}}
	}
	until := func(a, b program.Expr) program.Expr {
		return program.Expr{Op: program.Until, Args: []program.Expr{a, b}}
	}
	p := programtest.TokenRing(3)
	for _, tt := range []struct {
		name    string
		formula program.Expr
		verdict spec.Verdict
	}{
		{"again and again", always(eventually(has(2))), spec.Holds},
		{"0 keeps it until 1 has it", until(has(0), has(1)), spec.Holds},
		{"0 keeps it until 2 has it", until(has(0), has(2)), spec.Violated},
		{"2 keeps it at last", eventually(always(has(2))), spec.Violated},
		{"0 keeps it", always(has(0)), spec.Violated},
	} {
		for _, unfair := range []bool{false, true} {
			p.Formulas = append(p.Formulas, program.Formula{Name: fmt.Sprintf("%s, %v", tt.name, unfair), Holds: tt.formula, Unfair: unfair})
		}
		for i := range p.Rules { // and once with rules that need never be taken, and one that is
			p.Rules[i].Unfair = false
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x := explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true})
		for _, f := range p.Formulas[len(p.Formulas)-2:] {
			if got := finding(t, x, f.Name); got.Verdict != tt.verdict {
				t.Errorf("%s: %s: %s", f.Name, got.Verdict, got.Because)
			}
		}
	}
	for i := range p.Rules {
		p.Rules[i].Unfair = true
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x := explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true})
	for name, want := range map[string]spec.Verdict{"again and again, false": spec.Violated, "again and again, true": spec.Holds} {
		if got := finding(t, x, name); got.Verdict != want {
			t.Errorf("nobody has to pass it on: %s: %s", name, got.Verdict)
		}
	}
	if _, ok := finding(t, x, "again and again, true").Evidence.(evidence.FormulaRanking); !ok {
		t.Error("no ranking")
	}
	if machines.HelpfulUntil(0) == machines.NoAction {
		t.Error("an until is no action")
	}
}

// TestFormulaRankingText: a ranking that is written and read again is the same, and so is what its text says; without one of
// its lines it is no ranking of the formula.
func TestFormulaRankingText(t *testing.T) {
	p := programtest.TokenRing(3)
	p.Formulas = []program.Formula{{Name: "again", Holds: program.Expr{Op: program.Always, Args: []program.Expr{
		{Op: program.Eventually, Args: []program.Expr{program.Eq(program.Var(2), 1)}}}}}}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	e := finding(t, explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true}), "again").Evidence.(evidence.FormulaRanking)
	var first, second bytes.Buffer
	if err := write.Evidence(&first, e); err != nil {
		t.Fatal(err)
	}
	text := first.String()
	r, err := machines.ReadFormulaRanking("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := write.FormulaRanking(&second, r); err != nil || second.String() != text {
		t.Errorf("written again: %v\n%s\nwant\n%s", err, second.String(), text)
	}
	if err := (evidence.FormulaRanking{Machine: m, FormulaRanking: r}).Verify(t.Context(), evidence.Options{}); err != nil {
		t.Error(err)
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range len(lines) - 1 {
		fewer := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		fewer = strings.Replace(fewer, fmt.Sprintf("pairs %d ", len(r.Pairs)), fmt.Sprintf("pairs %d ", len(r.Pairs)-1), 1)
		if f, err := machines.ReadFormulaRanking("f", strings.NewReader(fewer)); err == nil &&
			(evidence.FormulaRanking{Machine: m, FormulaRanking: f}).Verify(t.Context(), evidence.Options{}) == nil {
			t.Errorf("accepted without line %d: %s", i+1, lines[i])
		}
	}
}
