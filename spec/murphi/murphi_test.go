package murphi_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// german is the protocol of the examples.
var german = filepath.Join("..", "..", "models", "examples", "protocols", "19_german.m")

// initialStates is the example 20_initial_states.star in Murphi, by hand.
var initialStates = filepath.Join("testdata", "initial_states.m")

// flash is the protocol of FLASH for a home and 2 nodes.
var flash = filepath.Join("testdata", "flash.m")

func load(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := murphi.Load(context.Background(), "a.m", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explored counts states and steps by the plain meaning, and returns the first fault and the invariants that do not hold in
// some state.
func explored(t *testing.T, p *program.Program) (n, steps int, fault string, broken []string) {
	t.Helper()
	return exploredUpTo(t, p, math.MaxInt)
}

// exploredUpTo stops when it has found most states.
func exploredUpTo(t *testing.T, p *program.Program, most int) (n, steps int, fault string, broken []string) {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	words, queue := m.Layout().Words(), m.Start(nil)
	key := func(s []uint64) string {
		var b strings.Builder
		for _, w := range s {
			for range 8 {
				b.WriteByte(byte(w))
				w >>= 8
			}
		}
		return b.String()
	}
	seen, bad := map[string]bool{}, map[string]bool{}
	states := queue
	queue = nil
	for i := 0; i < len(states); i += words {
		if k := key(states[i : i+words]); !seen[k] {
			seen[k] = true
			queue = append(queue, states[i:i+words]...)
		}
	}
	for i := 0; i < len(queue) && len(seen) < most; i += words {
		s := queue[i : i+words]
		for _, v := range m.Claims().Invariants {
			if !v.Holds(s) && !bad[v.Name] {
				bad[v.Name] = true
				broken = append(broken, v.Name)
			}
		}
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			return len(seen), steps, err.Error(), broken
		}
		for k := 0; k < len(next); k += words {
			steps++
			if k := key(next[k : k+words]); !seen[k] {
				seen[k] = true
			} else {
				continue
			}
			queue = append(queue, next[k:k+words]...)
		}
	}
	return len(seen), steps, "", broken
}

// TestGerman: Rumur 2022.08.20 counts 3381 states and 9888 rules fired without symmetry reduction. Before the
// invalidation of an exclusive copy brings its data, a read sees another value.
func TestGerman(t *testing.T) {
	text, err := os.ReadFile(german)
	if err != nil {
		t.Fatal(err)
	}
	states, steps, fault, broken := explored(t, load(t, string(text)))
	want := []string{"somebody owns: never reached"}
	if states != 3381 || steps != 9888 || fault != "" || !cmp.Equal(broken, want) {
		t.Errorf("%d states, %d steps, fault %q, broken %q: want 3381, 9888, none, %q", states, steps, fault, broken, want)
	}
	stale := strings.Replace(string(text), "memory := acks[i].value;", "", 1)
	if _, _, _, broken := explored(t, load(t, stale)); !strings.Contains(strings.Join(broken, ", "), "last write") {
		t.Errorf("without the data of the owner %q do not hold: want that reads see the last write", broken)
	}
}

// TestFlash: Rumur 2022.08.20 counts 905 states and 2760 rules fired with one node besides the home. If an owner
// that is asked to give the block away keeps its copy, there are two writers.
func TestFlash(t *testing.T) {
	text, err := os.ReadFile(flash)
	if err != nil {
		t.Fatal(err)
	}
	one := strings.Replace(string(text), "const n: 2;", "const n: 1;", 1)
	states, steps, fault, broken := explored(t, load(t, one))
	if states != 905 || steps != 2760 || fault != "" || len(broken) > 0 {
		t.Errorf("%d states, %d steps, fault %q, broken %q: want 905, 2760", states, steps, fault, broken)
	}
	kept := strings.Replace(one, "cache[q] := I; uni[p].kind := givesx;", "uni[p].kind := givesx;", 1)
	if _, _, _, broken := explored(t, load(t, kept)); !slices.Contains(broken, "one writer") {
		t.Errorf("an owner that keeps its copy: broken %q, want one writer", broken)
	}
}

// TestStartstates: a startstate in a ruleset and one outside of it are 4 initial states. From 3 of them y changes for
// ever.
func TestStartstates(t *testing.T) {
	p := load(t, `const n: 3; type s: scalarset(n); var x: s; y: boolean;
		ruleset i: s do startstate x := i; y := false; end; end;
		startstate undefine x; y := true; end;
		rule !isundefined(x) ==> y := !y; end;`)
	if states, steps, fault, _ := explored(t, p); states != 7 || steps != 6 || fault != "" || len(p.Initials()) != 4 {
		t.Errorf("%d states, %d steps, fault %q, %d initial states: want 7, 6, none, 4", states, steps, fault, len(p.Initials()))
	}
}

// asserted is a model of one step, which checks what its statements did.
func asserted(declarations, body string) string {
	return declarations + "\nvar finished: boolean;\nstartstate finished := false; end;\nrule \"one\" !finished ==>\n" + body +
		";\nfinished := true;\nend;\n"
}

// TestMeaning: what the statements of one step do, asserted in the step itself. What is expected is what
// the language says; TestRumurAgrees has Rumur execute the same.
func TestMeaning(t *testing.T) {
	for name, text := range meanings() {
		t.Run(name, func(t *testing.T) {
			if states, steps, fault, _ := explored(t, load(t, text)); states != 2 || steps != 1 || fault != "" {
				t.Errorf("%d states, %d steps, fault %q: want 2, 1, none", states, steps, fault)
			}
		})
	}
}

func meanings() map[string]string {
	return map[string]string{
		"arithmetic": asserted("const n: 7; type small: -9..9; var a, b: small;", `a := -7; b := 2;
			assert a / b = -3; assert a % b = -1; assert n / b * b + n % b = n; assert a * b = -14; assert -a - b = 5;
			assert (a < b ? a : b) = a; assert a + 1 <= b -> b != a; assert !(a >= b)`),
		"precedence": asserted("var a, b: boolean;", `a := true; b := false;
			assert !a = b; assert a | b & b; assert b & b | a; assert b -> b | b; assert 2 + 3 * 4 = 14; assert 7 - 3 - 2 = 2`),
		"loops": asserted("var n: 0..20; type e: enum {x, y, z}; var m: array [e] of 0..3;", `n := 0;
			for i := 3 to 1 by -1 do n := n * 2 + i; end; assert n = 17;
			for v: e do m[v] := 0; end; for v: e do if v = z then m[v] := 3; elsif v = y then m[v] := 1; end; end;
			assert m[x] = 0 & m[y] = 1 & m[z] = 3;
			for i := 0 to 2 do for j := i to 2 do n := n - 2; end end; assert n = 5`),
		"empty loop": asserted("var n: 0..20;", `n := 2; for i := 0 to 3 do for j := i to 2 do n := n + 1; end end; assert n = 8`),
		"while": "var n: 0..20; finished: boolean; startstate finished := false; n := 0 end;" +
			`rule "one" !finished ==> var i: 0..20; begin i := 0; while i < 4 do i := i + 1; n := n + i; end; assert n = 10; finished := true end;`,
		"locals": "type s: 0..5; var a: array [s] of s; finished: boolean; startstate finished := false; for i: s do a[i] := 5 - i end end;" +
			`rule "one" !finished ==> var i, j: s; begin
			i := a[0]; j := i; i := a[1]; assert i = 4 & j = 5; a[i] := j; assert a[4] = 5;
			if a[2] = 3 then i := a[3]; else i := 0; end; assert i = 2; a[3] := 0; assert i = 2;
			i := i + 1; j := a[i]; a[i] := 1; assert i = 3 & j = 0 & a[3] = 1;
			finished := true; end;`,
		"swap": "type s: 0..5; var a: array [s] of s; b: s; finished: boolean; startstate finished := false; b := 4; for i: s do a[i] := i end end;" +
			`procedure swap(var x: s; var y: s); var z: s; begin z := x; x := y; y := z; end;
			function next(x: s): s; begin if x = 5 then return 0; end; return x + 1; end;
			rule "one" !finished ==> begin swap(a[1], a[b]); assert a[1] = 4 & a[4] = 1;
			swap(a[b], b); assert b = 1 & a[4] = 4; a[next(next(b))] := next(5); assert a[3] = 0 & next(a[3]) = 1;
			alias here: a[b] do b := 2; here := 5; assert a[1] = 5 & a[2] = 2; end;
			finished := true; end;`,
		"records": asserted("type r: record x: 0..3; y: boolean; end; var a, b: array [boolean] of r;", `undefine a; clear b;
			assert isundefined(a[true].x) & !isundefined(b[true].x); b[true].x := 2; a[false] := b[true];
			assert a[false].x = 2 & !a[false].y & isundefined(a[true].y); b := a; assert isundefined(b[true].x) & b[false].x = 2;
			undefine a[false].x; assert isundefined(a[false].x) & !a[false].y`),
		"returns": "var n: 0..9; finished: boolean; startstate finished := false; n := 3 end;" +
			`procedure f(); begin for i := 1 to 5 do if i = n then return; end; n := n + 1; end; end;
			procedure g(); begin while true do if n = 7 then return end; n := n + 1; if n = 9 then return end; end end;
			rule "one" !finished ==> begin f(); assert n = 8; finished := true; if n = 8 then return; end; n := 0; end;`,
		"switch": asserted("type e: enum {x, y, z}; var v, w: e;", `v := y; switch v case x, z: w := x; case y: w := z; else w := y; end;
			assert w = z; switch w case x: v := x; end; assert v = y`),
		"unions": asserted("type e: enum {x, y}; p: scalarset(2); u: union {p, e}; var v, w: u; z: e; a: array [u] of 0..3; q: p;",
			`v := y; assert v = y & !ismember(v, p) & ismember(v, e); z := v; assert z = y; clear a; a[v] := 2; w := v; assert v = w & a[y] = 2 & a[x] = 0;
			for i: p do q := i; v := i; assert v = q & v != w & ismember(v, p); a[v] := 1; assert a[q] = 1; end`),
		"recursion": `type s: 0..10; var n: s; finished: boolean; startstate finished := false; n := 4; end;
			function sum(k: s): s; begin if k = 0 then return 0; end; return k + sum(k - 1); end;
			procedure down(var k: s; times: s); begin if times > 0 then k := k - 1; down(k, times - 1); end; end;
			rule "one" !finished ==> begin assert sum(4) = 10; down(n, 3); assert n = 1; finished := true; end;`,
		"multisets": asserted("type r: record x: 0..3; y: boolean; end; var m, other: multiset [4] of r; n: multiset [3] of 0..5; a: r;", `clear m; clear n;
			assert multisetcount(i: m, true) = 0; multisetadd(4, n); multisetadd(1, n); multisetadd(4, n);
			assert multisetcount(i: n, n[i] = 4) = 2 & multisetcount(i: n, true) = 3 & multisetcount(i: n, n[i] < 2) = 1;
			multisetremovepred(i: n, n[i] = 4); assert multisetcount(i: n, true) = 1 & multisetcount(i: n, n[i] = 1) = 1;
			for k: 0..3 do a.x := 3 - k; a.y := k = 2; multisetadd(a, m); end;
			assert multisetcount(i: m, m[i].x > 0) = 3 & multisetcount(i: m, m[i].y & m[i].x = 1) = 1;
			other := m; multisetremovepred(i: m, m[i].x != 2); assert multisetcount(i: m, true) = 1 & multisetcount(i: other, true) = 4;
			multisetremovepred(i: m, true); multisetremovepred(i: other, true); multisetremovepred(i: n, true)`),
	}
}

// multisets are models with multisets, and what is to be found in them.
var multisets = []struct {
	name, text    string
	states, steps int
}{
	// Multisets of 0 to 3 elements of three values: 1, 3, 6 and 10. Each of 0 to 2 can be added to in three ways, and each element
	// can be taken out.
	{"bag", `var m: multiset [3] of 0..2; startstate clear m; end;
		ruleset v: 0..2 do rule "put" multisetcount(i: m, true) < 3 ==> multisetadd(v, m); end; end;
		choose i: m do rule "take" multisetremove(i, m); end; end;`, 20, (1+3+6)*3 + 3 + 2*6 + 3*10},
	// The same with another order of values, in a record in an array, whose elements have a number each.
	{"bags in an array", `type e: enum {c, b, a}; var m: array [0..1] of record n: multiset [1] of record x: e; end; end; startstate undefine m; end;
		ruleset v: e; k: 0..1 do rule "put" multisetcount(i: m[k].n, true) = 0 ==> var r: record x: e; end; begin r.x := v; multisetadd(r, m[k].n); end; end;
		ruleset k: 0..1 do choose i: m[k].n do rule "take" m[k].n[i].x != a ==> multisetremove(i, m[k].n); end; end; end;`, 16, 2*3*4 + 2*2*4},
	// A message is sent to one of two, and delivered: none or one or two of two kinds.
	{"network", `type node: scalarset(2); var net: multiset [2] of record dest: node; k: boolean; end; busy: array [node] of boolean;
		startstate for i: node do busy[i] := false; end; undefine net; end;
		ruleset i: node do rule "send" !busy[i] ==> var m: record dest: node; k: boolean; end; begin busy[i] := true; m.dest := i; m.k := true; multisetadd(m, net); end; end;
		choose j: net do alias m: net[j] do rule "deliver" m.k ==> var d: node; begin d := m.dest; busy[d] := false; multisetremove(j, net); end; end; end;`,
		4, 4 + 4},
}

// TestMultisets: states and steps of models with multisets, counted by hand. Rumur 2022.08.20 has none.
func TestMultisets(t *testing.T) {
	for _, c := range multisets {
		states, steps, fault, _ := explored(t, load(t, c.text))
		if states != c.states || steps != c.steps || fault != "" {
			t.Errorf("%s: %d states, %d steps, fault %q: want %d, %d, none", c.name, states, steps, fault, c.states, c.steps)
		}
	}
	_, _, fault, _ := explored(t, load(t, "var m: multiset [2] of 0..1; startstate clear m; end; rule true ==> multisetadd(1, m); end;"))
	if !strings.Contains(fault, "a.m:1:69: the multiset is full: it has room for 2") {
		t.Errorf("fault %q: want that the multiset is full", fault)
	}
}

// TestAssume: steps in which assume fails, and those into states in which it fails, are none; nor are such initial states.
// From 0 to 6 by one, and by two but to 4 or beyond 6.
func TestAssume(t *testing.T) {
	p := load(t, `var x: 0..10; startstate x := 9; end; startstate x := 0; end; startstate x := 0; assume x > 0; end;
		procedure small(n: 0..10); begin if n = 4 then assume false; end; end;
		rule x < 10 ==> x := x + 1; end; rule x < 9 ==> x := x + 2; small(x); end; assume x < 7;`)
	states, steps, fault, _ := explored(t, p)
	if states != 7 || steps != 6+4 || fault != "" || len(p.Initials()) != 1 {
		t.Errorf("%d states, %d steps, fault %q, %d initial states: want 7, 10, none, 1", states, steps, fault, len(p.Initials()))
	}
	// What is wrong before the assumption is wrong still.
	if _, _, fault, _ := explored(t,
		load(t, "var x: 0..1; startstate x := 0; end; rule true ==> x := x + 2; assume false; end;")); !strings.Contains(fault, "a value that is not in") {
		t.Errorf("fault %q: want that a value is out of range", fault)
	}
}

// TestCover: a cover in a rule is reached in the rule, one in a ruleset by one of its values.
func TestCover(t *testing.T) {
	_, _, _, broken := explored(t, load(t, `var x: 0..3; startstate x := 0; end;
		rule x < 2 ==> begin x := x + 1; cover "two" x = 2; cover "three" x = 3; if x = 1 then cover "one" true; x := 2; cover x = 2; end; end;
		ruleset y: 0..3 do cover "some" x = y; cover "much" x = y & y > 2; end;`))
	want := []string{"one: never reached", "cover at line 2: never reached", "some: never reached"}
	slices.Sort(broken)
	slices.Sort(want)
	if diff := cmp.Diff(want, broken); diff != "" {
		t.Errorf("(-reached +got)\n%s", diff)
	}
}

var wrongSteps = []struct{ body, fault string }{
	{"n := m", `a.m:4:6: m is undefined`},
	{"m := 3; n := m + 1", `a.m:4:16: a value that is not in s`},
	{"m := 3; n := a[m]", `a.m:4:16: the index m is out of range: want 0 to 2`},
	{"n := a[1]", `a.m:4:7: a[1] is undefined`},
	{`error "bad"`, `a.m:4:1: error: bad`},
	{`assert n = 1 "one"`, `a.m:4:1: assertion fails: one`},
	{"if n = 0 & m = 0 then n := 1 end", `a.m:4:12: m is undefined`},
	{"n := 3 / n", `a.m:4:8: division by 0`},
}

func wrongStep(body string) string {
	return "type s: 0..3; var n, m: s; a: array [0..2] of s;\nstartstate n := 0; end;\nrule true ==>\n" + body + "; end;"
}

// TestWrongSteps: steps that are wrong, and where.
func TestWrongSteps(t *testing.T) {
	for _, test := range wrongSteps {
		if _, _, fault, _ := explored(t, load(t, wrongStep(test.body))); !strings.Contains(fault, test.fault) {
			t.Errorf("%s: fault %q: want %q", test.body, fault, test.fault)
		}
	}
	// Where the first operand decides, the second is not read.
	if _, _, fault, _ := explored(t, load(t, asserted("var m: 0..1;",
		"assert finished -> m = 0; assert !finished | m = 0; assert !(finished & m = 0)"))); fault != "" {
		t.Errorf("fault %q: want none", fault)
	}
	// A guard that reads an undefined value is a wrong step, too.
	if _, _, fault, _ := explored(t,
		load(t, "var m: 0..1; n: 0..1; startstate n := 0; end; rule m = 0 ==> n := 1; end;")); !strings.Contains(fault, "m is undefined") {
		t.Errorf("fault %q: want that m is undefined", fault)
	}
}

// TestLiveness: each instance of liveness is a property, that from every state one that satisfies it can be reached. A condition
// that cannot be evaluated is not reached.
func TestLiveness(t *testing.T) {
	p := load(t, `var x: 0..2; startstate x := 1; end; rule x = 1 ==> x := 0; end; rule x = 0 ==> undefine x; end;
		liveness "back" isundefined(x) | x < 1;
		ruleset i: 0..1 do liveness "is" i = 1 | x = 3; end;
		liveness "back" true;`)
	got := map[string]string{}
	for _, f := range p.Formulas {
		for value := range p.Variables[0].Values {
			if state := make([]int, len(p.Variables)); f.Possible {
				state[0] = value
				got[f.Name] += map[bool]string{true: "1", false: "0"}[f.Holds.Holds(state)]
			}
		}
	}
	// x is undefined, 0, 1 and 2.
	want := map[string]string{"back": "1100", "is, i: 0": "0000", "is, i: 1": "1111", "back (line 4)": "1111"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions, by value of x (-want +got):\n%s", diff)
	}
}

// TestManyStartstates: a coffee can holds 1 to n beans, black or white, so there are n(n+3)/2 initial states: 501,500 for 1,000
// (in full), as Rumur counts. Their translation does not count against the rules.
func TestManyStartstates(t *testing.T) {
	n := 100
	if seedtest.Sampled(1, 2) { // only in full
		n = 1000
	}
	p := load(t, fmt.Sprintf(`const n: %d; var black, white: 0..n;
		ruleset b: 0..n; w: 0..n do startstate assume b + w > 0 & b + w <= n; black := b; white := w; end; end;
		rule black >= 2 ==> black := black - 1; end;`, n))
	if got, want := len(p.Starts)+1, n*(n+3)/2; got != want {
		t.Errorf("%d initial states, want %d", got, want)
	}
}

// TestExpect: comments say which verdicts are expected.
func TestExpect(t *testing.T) {
	const machine = "var x: 0..1; startstate x := 1; end; rule x := 1 - x; end; invariant \"small\" x < 1;\n" +
		"cover \"one\" x = 1; ruleset i: 0..1 do liveness \"is\" x = i; end;\n"
	p := load(t, machine+"  --expect \"small\" violated\n-- expect \"is\" holds\n-- expect what you like\n-- expect \"one\" holds")
	want := []program.Expectation{{Property: "small", Verdict: spec.Violated}, {Property: "is, i: 0", Verdict: spec.Holds},
		{Property: "is, i: 1", Verdict: spec.Holds}, {Property: "one", Verdict: spec.Holds}}
	if diff := cmp.Diff(want, p.Expect); diff != "" {
		t.Errorf("expectations (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"-- expect \"small\" broken":                           `a.m:3:1: want -- expect "PROPERTY", and holds, violated or unknown`,
		"-- expect \"small holds":                              `a.m:3:1: want -- expect "PROPERTY", and holds, violated or unknown`,
		"-- expect \"smal\" holds":                             `a.m:3:1: expect: there is no property "smal"; did you mean small?`,
		"-- expect \"small\" holds\n-- expect \"small\" holds": "a.m:4:1: expect: ",
	} {
		if _, err := murphi.Load(t.Context(), "a.m", []byte(machine+text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestRefusals: what is wrong in a file, or not read, with its place.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"var x: 0..1":                             "a.m:1:1: a protocol without a startstate",
		"var x: 0..y;":                            `a.m:1:11: unknown name "y"`,
		"var x: real(4, 4);":                      "a.m:1:8: real is not read",
		"process x begin end;":                    "a.m:1:1: process is not read",
		"startstate x := 1 end;":                  `a.m:1:12: unknown name "x"`,
		"var x: 0..1; startstate\n x = 1; end;":   `a.m:2:4: "=" is unexpected here: want :=`,
		"var x: boolean; startstate x := 1; end;": "a.m:1:33: this is of type integer: want boolean",
		"var x: 0..1; startstate x := 0; end; rule x ==> x := 1; end;":                                                        "a.m:1:43: this is of type 0..1: want boolean",
		"var x: 0..1; startstate x := 0; end; rule x = 0 ==> end; assume x = 1;":                                              "a.m:1:58: this assumption, with the others, fails in every startstate",
		"var x, y: 0..1; startstate x := 0; end; rule x = 0 ==> end; assume y = 1;":                                           "a.m:1:61: this assumption reads what can be undefined or out of range",
		"function f(): boolean; begin assume false; return true; end; var x: 0..1; startstate x := 0; end; rule f() ==> end;": "a.m:1:30: assume within a condition is not read",
		"var x: multiset [0] of 0..1;":                                                                           "a.m:1:8: a multiset of 0 elements: want 1 to 64",
		"type m: multiset [2] of 0..1; var x: array [0..1] of multiset [2] of m;":                                "a.m:1:70: a multiset of multisets is not read",
		"var m: multiset [2] of 0..1; startstate multisetadd(2, m); end; rule true ==> end;":                     "a.m:1:53: a value that is not in 0..1, in a startstate",
		"var m: multiset [1] of 0..1; startstate multisetadd(1, m); multisetadd(1, m); end; rule true ==> end;":  "a.m:1:60: the multiset is full: it has room for 1, in a startstate",
		"var m: multiset [1] of 0..1; x: 0..1; startstate x := 0; end; rule m[x] = 0 ==> end;":                   "a.m:1:70: this is of type 0..1: want an index of the multiset",
		"var m: multiset [1] of 0..1; x: 0..1; startstate x := 0; end; rule true ==> multisetremove(x, m); end;": "a.m:1:92: this is of type 0..1: want an index of the multiset",
		"var m: multiset [1] of 0..1; choose i: m do startstate clear m; end; end; rule true ==> end;":           "a.m:1:45: a startstate within choose is not read",
		"var x: 0..1; startstate x := 0; end; rule x = 0 ==> liveness x = 0; end;":                               "a.m:1:53: liveness within a rule is not read: write it as a property, outside of rules",
		"var x: 0..1; startstate x := 0; end; choose i: x do rule x := 0; end; end;":                             "a.m:1:48: this is of type 0..1: want a multiset",
		"var x: 0..1; startstate x := 0; end; rule x = 0 ==> multisetadd(x, x); end;":                            "a.m:1:68: this is of type 0..1: want a multiset",
		"var x: 0..1; startstate x := 0; end; rule multisetcount(i: x, true) = 0 ==> x := 0; end;":               "a.m:1:60: this is of type 0..1: want a multiset",
		"var x: 0..1; startstate x := 2; end; rule x = 1 ==> end;":                                               "a.m:1:30: a value that is not in 0..1, in a startstate",
		"type s: scalarset(2); var x: s; startstate for i: s do i := x; end; end;":                               "a.m:1:56: i cannot be assigned",
		"function f(): 0..1; begin return f(); end; var x: 0..1; startstate x := f(); end;":                      "a.m:1:34: f calls itself more than 40 times within each other",
		"var x: 0..1; startstate x := 0; end; rule true ==> x := 0;":                                             "a.m:1:59: the file ends here",
		"/* no end":             "a.m:1:1: the comment has no end",
		"rule \"x":              "a.m:1:6: the string has no end",
		"§":                     "a.m:1:1: unexpected character '§'",
		"var a: 0..9; a: 0..1;": "a.m:1:14: a is already declared here",
	} {
		if _, err := murphi.Load(context.Background(), "a.m", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

var placed = regexp.MustCompile(`^a\.m:\d+:\d+: `)

// FuzzLoad: every text is a program or refused at a place of it.
func FuzzLoad(f *testing.F) {
	if text, err := os.ReadFile(german); err == nil {
		f.Add(string(text))
	}
	for _, text := range meanings() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := murphi.Load(context.Background(), "a.m", []byte(text))
		if err == nil {
			err = p.Check()
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if !placed.MatchString(err.Error()) {
			t.Fatalf("no place: %v", err)
		}
	})
}

// TestMutated: the German protocol with one token left out, doubled or exchanged is read, or refused at a line that is not
// before the token: what is before it is right. A character that is in no token, a second := and an unknown name are
// refused where they stand.
func TestMutated(t *testing.T) {
	b, err := os.ReadFile(german)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	line := regexp.MustCompile(`^a\.m:(\d+):`)
	lineOf := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	refused := 0
	words := slices.DeleteFunc(regexp.MustCompile(`--.*|\w+|:=|==>|!=|[^\s\w]`).FindAllStringIndex(text, -1),
		func(at []int) bool { return strings.HasPrefix(text[at[0]:], "--") })
	for k := 0; k < len(words)-1; k += 9 {
		if !seedtest.Sampled(k/9, 8) {
			continue
		}
		at, next := words[k], words[k+1]
		this := text[at[0]:at[1]]
		for _, with := range []string{"", this + " " + this, text[next[0]:next[1]], "end", ";", "17"} {
			_, err := murphi.Load(t.Context(), "a.m", []byte(text[:at[0]]+with+text[at[1]:]))
			if err == nil {
				continue
			}
			refused++
			if found := line.FindStringSubmatch(err.Error()); found == nil {
				t.Errorf("%q for %q at offset %d: no place: %v", with, this, at[0], err)
			} else if n, _ := strconv.Atoi(found[1]); n < lineOf(at[0]) {
				t.Errorf("%q for %q at line %d: refused before it: %v", with, this, lineOf(at[0]), err)
			}
		}
	}
	if refused < 40 { // of at least 60
		t.Errorf("%d refused: want most", refused)
	}
	for i, at := range regexp.MustCompile(`:= *(\w+)`).FindAllStringSubmatchIndex(text, -1) {
		if !seedtest.Sampled(i, 8) {
			continue
		}
		for with, says := range map[string]string{"§": "unexpected character", ":= 0": `":=" is unexpected`, "nowhere": `unknown name "nowhere"`} {
			_, err := murphi.Load(t.Context(), "a.m", []byte(text[:at[2]]+with+text[at[3]:]))
			want := fmt.Sprintf("a.m:%d:%d: %s", lineOf(at[2]), at[2]-strings.LastIndex(text[:at[2]], "\n"), says)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: %v, want %s", with, err, want)
			}
		}
	}
}

// TestGenerators: permutations of scalarsets are listed, at most 720 and of at most six values. If there are more, so
// are exchanges of neighbours that generate all.
func TestGenerators(t *testing.T) {
	for sets, want := range map[string][2]int{"2": {1, 0}, "6": {719, 0}, "7": {0, 6}, "6 2": {719, 6}, "5 3": {719, 0}, "17": {0, 0}} {
		var types, vars, starts string
		for i, n := range strings.Fields(sets) {
			types += fmt.Sprintf("s%d: scalarset(%s); ", i, n)
			vars += fmt.Sprintf("x%d: array [s%d] of boolean; y%d: s%d; ", i, i, i, i)
			starts += fmt.Sprintf("for i: s%d do x%d[i] := false; end; undefine y%d; ", i, i, i)
		}
		p := load(t, "type "+types+"var "+vars+"startstate "+starts+"end; rule !isundefined(y0) ==> undefine y0; end;")
		if got := [2]int{len(p.Renamings), len(p.Generators)}; got != want {
			t.Errorf("scalarsets of %s: %d renamings, %d generators, want %v", sets, got[0], got[1], want)
		}
		for _, r := range p.Generators {
			moved := 0
			for x, y := range r.Vars {
				if int(y) != x {
					moved++
				}
			}
			if moved != 2 || len(r.Values) != 1 {
				t.Errorf("scalarsets of %s: %v moves %d variables, and values of %d", sets, r, moved, len(r.Values))
			}
		}
	}
}
