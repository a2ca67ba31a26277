package checker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// sameResponses decides the responses of a program over all states, and over orbits: the verdicts
// are the same, each with verified evidence about all states.
func sameResponses(t rapid.TB, p *program.Program) (all, orbits *checker.Result) {
	t.Helper()
	m := compiled(t, p)
	all = explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true})
	orbits = explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true, Symmetry: true})
	for _, v := range p.Responses {
		want, got := finding(t, all, v.Name), finding(t, orbits, v.Name)
		if got.Verdict != want.Verdict || got.Vacuous != want.Vacuous {
			t.Fatalf("%s %s (%s), of all states %s (%s)", v.Name, got.Verdict, got.Because, want.Verdict, want.Because)
		}
		if got.Verdict == spec.Unknown {
			continue
		}
		if got.Evidence == nil {
			t.Fatalf("%s %s without evidence", v.Name, got.Verdict)
		}
		if r, holds := got.Evidence.(evidence.Ranking); holds && int64(len(r.Ranking.States)) != all.States {
			t.Fatalf("%s holds by ranks of %d states, not %d", v.Name, len(r.Ranking.States), all.States)
		}
		if run := got.Run(); run != nil && run.Back != want.Run().Back {
			t.Fatalf("%s is violated after %d steps, of all states after %d", v.Name, run.Back, want.Run().Back)
		}
	}
	return all, orbits
}

// likeParts is a program of like parts, each doing something and possibly having a turn.
type likeParts struct {
	*program.Program
	n    int
	does []program.Var
	turn program.Var
}

func newAlike(n, values int) *likeParts {
	a := &likeParts{Program: program.New("like parts"), n: n}
	a.turn = a.Var("turn", n+1)
	for i := range n {
		a.does = append(a.does, a.Var(fmt.Sprintf("does %d", i), values))
	}
	a.Init(a.turn, n)
	return a
}

// alikeIn declares the symmetries: all permutations of parts, or rotations.
func (a *likeParts) alikeIn(ring bool) *likeParts {
	for _, perm := range permutations(a.n)[1:] {
		if ring && slices.ContainsFunc(perm, func(x int) bool {
			return (perm[(slices.Index(perm, x)+1)%a.n]-x+a.n)%a.n != 1%a.n
		}) {
			continue
		}
		r := rewriting.Identity(a.Program)
		for i, x := range perm {
			r.Vars[a.does[i]] = a.does[x]
		}
		r.Values[a.turn] = append(slices.Clone(perm), a.n)
		a.Renamings = append(a.Renamings, r)
	}
	return a
}

// drawAlike draws the same rules for each part, some of them weakly or strongly fair, and some
// sharing one action: for all parts, or for two rules of a part. Responses are about all parts, or
// about each.
func drawAlike(t *rapid.T) *program.Program {
	draw := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	a, ring := newAlike(2+draw(1, "parts"), 3), rapid.Bool().Draw(t, "ring")
	// The state of a part and the turn are such that much stays possible for long.
	for k := range 2 + draw(4, "rules") {
		guards, becomes, how, fair, together := draw(5, "guard"), draw(2, "becomes"), draw(5, "effect"), draw(4, "fairness"), draw(9, "together")
		own, other := draw(2, "own"), draw(2, "other")
		for i := range a.n {
			next := (i + 1) % a.n
			guard := []program.Expr{program.Eq(a.does[i], own)}
			var others []program.Expr
			for j := range a.n {
				if j != i && (!ring || j == next) {
					others = append(others, program.Eq(a.does[j], other))
				}
			}
			switch guards {
			case 0:
				guard = append(guard, program.Or(others...))
			case 1:
				guard = append(guard, program.Not(program.Or(others...)))
			case 2:
				guard = append(guard, program.Eq(a.turn, i))
			case 3:
				guard = append(guard, program.Ne(a.turn, i))
			case 4:
				guard = []program.Expr{program.Ne(a.does[i], own)}
			}
			effect := []program.Stmt{program.Set(a.does[i], becomes)}
			switch how {
			case 0:
				effect = append(effect, program.Set(a.turn, i))
			case 1:
				effect = append(effect, program.If(program.Eq(a.turn, i), program.Set(a.turn, a.n)))
			case 2:
				if ring || a.n == 2 {
					effect = []program.Stmt{program.Set(a.turn, next)}
				}
			case 3:
				if ring || a.n == 2 { // two parts are exchanged
					effect = []program.Stmt{program.Set(a.turn, program.IfElse(program.Eq(a.turn, i),
						program.Const(next), program.Value(a.turn))), program.Set(a.does[i], becomes)}
				}
			}
			name := fmt.Sprintf("rule %d of %d", k, i)
			switch together {
			case 0:
				name = fmt.Sprintf("rule %d", k)
			case 1:
				name = fmt.Sprintf("first of %d", i)
			}
			r := a.Rule(name, program.And(guard...), effect...)
			r.Unfair, r.Strong = fair == 0, fair >= 3
			if at := slices.IndexFunc(a.Rules, func(o program.Rule) bool { return o.Name == name }); at < len(a.Rules)-1 {
				r.Unfair, r.Strong = a.Rules[at].Unfair, a.Rules[at].Strong
			}
		}
	}
	if rapid.Bool().Draw(t, "twice") { // fair actions that differ only in name
		for _, r := range a.Rules[:a.n] {
			r.Name += " again"
			a.Rules = append(a.Rules, r)
		}
	}
	what, of := draw(2, "pending"), draw(2, "of")
	var any []program.Expr
	for i := range a.n {
		pending := program.Ne(a.does[i], what)
		if of == 1 {
			pending = program.Or(pending, program.Eq(a.turn, i))
		}
		any = append(any, pending)
		a.Response(fmt.Sprintf("of %d", i), pending)
	}
	a.Response("of any", program.Or(any...))
	a.Response("of all", program.And(any...))
	a.Response("of the first two", program.Or(any[:2]...))
	return a.alikeIn(ring).Program
}

// TestResponsesOfOrbits: drawn programs of like parts.
func TestResponsesOfOrbits(t *testing.T) {
	met := map[spec.Verdict]int{}
	fewer, strong := 0, 0
	rapidChecks(t, 1000)
	seedtest.Sample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		p := drawAlike(t)
		all, orbits := sameResponses(t, p)
		for _, v := range p.Responses {
			f := finding(t, orbits, v.Name)
			if met[f.Verdict]++; f.Verdict == spec.Holds && orbits.States < all.States {
				fewer++
			}
			if r, is := f.Evidence.(evidence.Ranking); is && slices.ContainsFunc(r.Ranking.Levels, func(l []machines.Level) bool { return len(l) > 1 }) {
				strong++
			}
		}
	})
	if seedtest.Usual() && (met[spec.Holds] < 50 || met[spec.Violated] < 50 || fewer < 20 || strong < 5) {
		t.Errorf("%v were met, %d held of fewer states, %d by two levels", met, fewer, strong)
	}
}

// TestFairActionsAreFollowed: programs of two parts in which a cycle of orbits would be judged
// wrongly if fair actions kept their names when a step leads to the image of a representative.
func TestFairActionsAreFollowed(t *testing.T) {
	const nobody = 2
	other := func(i int) int { return 1 - i }
	for _, tt := range []struct {
		name  string
		rules func(a *likeParts)
		want  []spec.Verdict // of "any" and "1"
	}{
		// All states with a turn are one orbit, in which some part can leave and none does. But no part
		// can for long.
		{"turns", func(a *likeParts) {
			for i := range 2 {
				a.Rule(fmt.Sprint("begin ", i), program.Eq(a.turn, nobody), program.Set(a.turn, i))
				a.Rule(fmt.Sprint("pass ", i), program.Eq(a.turn, i), program.Set(a.turn, other(i)))
				a.Rule(fmt.Sprint("leave ", i), program.And(program.Eq(a.turn, i), program.Eq(a.does[i], 0)), program.Set(a.does[i], 1))
			}
			a.Response("any", program.And(program.Ne(a.turn, nobody), program.Eq(a.does[0], a.does[1])))
			a.Response("1", program.And(program.Eq(a.turn, 1), program.Eq(a.does[1], 0)))
		}, []spec.Verdict{spec.Violated, spec.Holds}},
		// One has the turn for good, and can leave. The least image of what both do puts the other in
		// front again and again, so the action changes its name back and forth.
		{"least images", func(a *likeParts) {
			for i := range 2 {
				a.Rule(fmt.Sprint("begin ", i), program.Eq(a.turn, nobody), program.Set(a.turn, i), program.Set(a.does[i], 1))
				a.Rule(fmt.Sprint("leave ", i), program.And(program.Eq(a.turn, i), program.Ne(a.does[0], a.does[1])),
					program.Set(a.does[0], 2), program.Set(a.does[1], 2))
			}
			a.Rule("exchange", program.Ne(a.does[0], a.does[1]), program.Set(a.does[0], program.Sub(1, a.does[0])),
				program.Set(a.does[1], program.Sub(1, a.does[1])))
			a.Response("any", program.Ne(a.does[0], a.does[1]))
			a.Response("1", program.And(program.Eq(a.turn, 1), program.Ne(a.does[0], a.does[1])))
		}, []spec.Verdict{spec.Holds, spec.Holds}},
		// Either waits for good. Of the two states in which one does, the representative is that in which 0 does.
		{"whose response", func(a *likeParts) {
			for i := range 2 {
				a.Rule(fmt.Sprint("wait ", i), program.Eq(a.turn, nobody), program.Set(a.does[i], 1), program.Set(a.turn, i))
			}
			a.Response("any", program.Or(program.Eq(a.does[0], 1), program.Eq(a.does[1], 1)))
			a.Response("1", program.Eq(a.does[1], 1))
			a.Response("0", program.Eq(a.does[0], 1))
		}, []spec.Verdict{spec.Violated, spec.Violated}},
		// The process that has the turn can give it back by two actions, which are alike: both have to be taken. A
		// tour that returns to its state with the parts exchanged is only half of one.
		{"like actions", func(a *likeParts) {
			for _, i := range []int{1, 0} {
				a.Rule(fmt.Sprint("take ", i), program.Eq(a.turn, nobody), program.Set(a.turn, i))
				for _, again := range []string{"", " again"} {
					a.Rule(fmt.Sprint("give ", i, again), program.Eq(a.turn, i), program.Set(a.turn, nobody)).Strong = true
				}
			}
			a.Response("any", program.Eq(a.does[0], a.does[1]))
			a.Response("1", program.Eq(a.does[1], 0))
		}, []spec.Verdict{spec.Violated, spec.Violated}},
		// A part comes and goes, and would finally leave only if that is strongly fair.
		{"strongly fair", func(a *likeParts) {
			for i := range 2 {
				a.Rule(fmt.Sprint("begin ", i), program.Eq(a.turn, nobody), program.Set(a.turn, i))
				a.Rule(fmt.Sprint("come ", i), program.And(program.Eq(a.turn, i), program.Eq(a.does[i], 0)), program.Set(a.does[i], 1))
				a.Rule(fmt.Sprint("go ", i), program.And(program.Eq(a.turn, i), program.Eq(a.does[i], 1)), program.Set(a.does[i], 0))
				a.Rule(fmt.Sprint("leave ", i), program.And(program.Eq(a.turn, i), program.Eq(a.does[i], 1)), program.Set(a.does[i], 2)).Strong = true
				a.Rule(fmt.Sprint("rest ", i), program.Eq(a.does[i], 2), program.Set(a.does[i], 2))
			}
			a.Response("any", program.And(program.Lt(a.turn, nobody), program.Ne(a.does[0], 2), program.Ne(a.does[1], 2)))
			a.Response("1", program.And(program.Eq(a.turn, 1), program.Ne(a.does[1], 2)))
		}, []spec.Verdict{spec.Holds, spec.Holds}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAlike(2, 3)
			tt.rules(a)
			_, orbits := sameResponses(t, a.alikeIn(false).Program)
			for i, name := range []string{"any", "1"} {
				if f := finding(t, orbits, name); f.Verdict != tt.want[i] {
					t.Errorf("%s %s: %s; want %s", name, f.Verdict, f.Because, tt.want[i])
				}
			}
		})
	}
}

// TestFairActionsAreNotFollowed: if it is not known what symmetries do to fair actions, responses are unknown with the
// reason, and all else is decided. In a network that is refused, as nothing else was asked.
func TestFairActionsAreNotFollowed(t *testing.T) {
	split := newAlike(2, 3)
	for i, name := range []string{"both of 0", "first of 1", "both of 0", "second of 1"} {
		split.Rule(name, program.Eq(split.does[i%2], i/2), program.Set(split.does[i%2], i/2+1))
	}
	split.Response("any", program.Ne(split.does[0], split.does[1]))
	rotations := newAlike(3, 2)
	for i := range 3 {
		rotations.Rule("on", program.Eq(rotations.does[i], 0), program.Set(rotations.does[i], 1))
	}
	rotations.Response("any", program.Eq(rotations.does[0], 0))
	rotations.alikeIn(true).Renamings = rotations.Renamings[:1]
	for _, tt := range []struct {
		m    states.Machine
		want string
	}{
		{compiled(t, split.alikeIn(false).Program), `maps the rules of "both of 0", which are fair together, to rules that are not`},
		{compiled(t, rotations.Program), "its symmetries are not a group"},
		{unnamed{compiled(t, split.Program)}, "verified in every state, not on its rules"},
		{trafficOf(t, ringOf(t, nil), spec.Scenario{}), "a network has a response and rules for each channel"},
	} {
		x, err := checker.Explore(t.Context(), tt.m, checker.Question{Liveness: true, Symmetry: true})
		if err != nil {
			if _, is := tt.m.(*states.Traffic); !is || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v; want %s", tt.m.Name(), err, tt.want)
			}
			continue
		}
		if f := finding(t, x, "any"); f.Verdict != spec.Unknown || !strings.Contains(f.Because.String(), tt.want) {
			t.Errorf("%s: any: %s, %s; want unknown, %s", tt.m.Name(), f.Verdict, f.Because, tt.want)
		}
		if f := finding(t, x, "deadlock-freedom"); f.Verdict == spec.Unknown {
			t.Errorf("%s: deadlock freedom is unknown: %s", tt.m.Name(), f.Because)
		}
	}
}
