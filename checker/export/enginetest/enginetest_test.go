package enginetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// corner counts x from 0 to 2 and y from 0 to 2 in any order: 9 states, and 12 steps, as in a mesh
// of 3x3 with links in one direction. In one of the states both are 2, and in three x
// is 2.
func corner() *program.Program {
	p := program.New("corner")
	x, y := p.Var("x", 3), p.Var("y", 3)
	p.Rule("x", program.Lt(x, 2), program.Set(x, program.Add(x, 1)))
	p.Rule("y", program.Lt(y, 2), program.Set(y, program.Add(y, 1)))
	return p
}

// logged is a test that does not end this one when it fails.
type logged struct {
	testing.TB
	errors, logs int
}

func (l *logged) Errorf(string, ...any) { l.errors++ }
func (l *logged) Logf(string, ...any)   { l.logs++ }

// TestInstalled: an engine is used only if all of its programs are there; a missing one is told, and is an error in CI.
func TestInstalled(t *testing.T) {
	const here, missing = "go", "no program has this name"
	for _, tt := range []struct {
		ci           string
		names        []string
		want         bool
		errors, logs int
	}{
		{"", []string{here}, true, 0, 0}, {"true", []string{here, here}, true, 0, 0},
		{"", []string{missing}, false, 0, 1}, {"false", []string{here, missing}, false, 0, 1},
		{"true", []string{missing, here}, false, 1, 0}, {"true", []string{here, missing}, false, 1, 0}, {"true", nil, true, 0, 0},
	} {
		t.Setenv("CI", tt.ci)
		l := &logged{TB: t}
		if got := Installed(l, tt.names...); got != tt.want || l.errors != tt.errors || l.logs != tt.logs {
			t.Errorf("CI=%s, %q: %t, %d errors, %d logged: want %t, %d, %d", tt.ci, tt.names, got, l.errors, l.logs, tt.want, tt.errors, tt.logs)
		}
	}
}

// TestHostRefuses: a matrix that says less or more than the rules do, a step that reports wrongly
// what it wrote, and a value out of its range.
func TestHostRefuses(t *testing.T) {
	if !Installed(t, "cc") {
		t.Skip("no C compiler is installed")
	}
	p := corner()
	p.Invariant("never in the middle", program.Ne(program.Var(0), 1))
	p.Rule("maybe", program.Eq(program.Var(0), 2), program.If(program.Eq(program.Var(1), 2), program.Set(0, 0)))
	var model bytes.Buffer
	if err := export.PINS(&model, p); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct{ old, new, want string }{
		{"", "", "9 states, 15 steps, 3 broken"}, // 12 as in corner, and maybe in the three states where x is 2
		{"reads[][2] = {{0,0}, ", "reads[][2] = {", "read, not in reads"},
		{"label_reads[][2] = {{0,0}, ", "label_reads[][2] = {", "label reads"},
		{"may_write[][2] = {{0,0}, ", "may_write[][2] = {", "written, not in may"},
		{"must_write[][2] = {{0,0}, {1,1}, ", "must_write[][2] = {{0,0}, {1,1}, {2,0}, ", "not written, but in must"},
		{"same[0] = 0;", "", "not written, but in must"},
		{"actions[] = {0, 1, 2, ", "actions[] = {0, 1, 3, ", "wrong label"},
		{`action_names[] = {"x", "y"`, `action_names[] = {"x", "x"`, "two actions of one name"},
		{"x < 2", "x < 3", "x leaves its range: 3"},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		text := strings.Replace(model.String(), tt.old, tt.new, 1)
		if tt.old != "" && text == model.String() {
			t.Errorf("%q is not in the model", tt.old)
		}
		if out, _ := hosted(t, []byte(text)); !strings.Contains(string(out), tt.want) {
			t.Errorf("%q for %q: %q is wanted\n%s", tt.new, tt.old, tt.want, out)
		}
	}
}

// TestCounts: what all engines find in a program that can be counted by hand,
// with invariants broken never, once and four times.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		invariants map[string]program.Expr
		broken     int
	}{
		{"none", nil, 0},
		{"kept", map[string]program.Expr{"in range": program.Lt(program.Var(0), 3)}, 0},
		{"broken in the corner", map[string]program.Expr{"not the corner": program.Lt(program.Add(program.Var(0), program.Var(1)), 4)}, 1},
		// The states beyond the first broken one are counted, too.
		{"broken at a side and in the corner", map[string]program.Expr{
			"not the side": program.Ne(program.Var(0), 2), "not the corner": program.Lt(program.Add(program.Var(0), program.Var(1)), 4)}, 3 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := corner()
			for name, holds := range tt.invariants {
				p.Invariant(name, holds)
			}
			Compare(t, p, Counts{States: 9, Transitions: 12, Broken: tt.broken})
		})
	}
}

// TestNames: a name may contain what begins or ends a comment in any of the languages, overlapping
// and also through what replaces a quote or a backslash; and words and macros of C. Rules may share
// a name.
func TestNames(t *testing.T) {
	p := corner()
	p.Name, p.Rules[0].Name, p.Rules[1].Name = "/*/ int", "both", "both"
	for _, name := range []string{"/*/ x", `*\ x`, `\* x`, "(*) x", "*/*/*(*)*", "*\x00/ x", `x\`, `"); x("`, "stdin",
		"EOF", "NULL", "value", "chunk", "model_t", "in", "actions"} {
		v := p.Var(name, 2)
		p.Rule(name, program.Eq(v, 1))
		p.Invariant(name, program.Eq(v, 0))
	}
	Compare(t, p, Counts{States: 9, Transitions: 12})
}

// TestAgrees: any difference is seen except that of a number from Some.
func TestAgrees(t *testing.T) {
	want := Counts{9, 12, 3}
	for _, tt := range []struct {
		got    Counts
		agrees bool
	}{
		{Counts{9, 12, 3}, true},
		{Counts{9, 12, Some}, true},
		{Counts{8, 12, 3}, false},
		{Counts{9, 13, 3}, false},
		{Counts{9, 12, 2}, false},
		{Counts{9, 12, 0}, false},
		{Counts{8, 12, Some}, false},
		{Counts{9, 11, Some}, false},
	} {
		if got := tt.got.agrees(want); got != tt.agrees {
			t.Errorf("%+v and %+v: %v", tt.got, want, got)
		}
	}
	if (Counts{9, 12, Some}).agrees(Counts{9, 12, 0}) || (Counts{9, 12, 0}).agrees(Counts{9, 12, Some}) {
		t.Error("some transitions agree with none")
	}
}
