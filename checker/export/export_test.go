package export_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/goldentest"
)

// writers are the languages by the ending of their files.
var writers = map[string]func(io.Writer, *program.Program) error{
	"pml": export.Promela,
	"m":   export.Murphi,
	"tla": export.TLA,
	"c":   export.PINS,
}

// everything has one of each kind of expression and statement, names that are not identifiers,
// words of the languages, a variable of one value, and one that nothing
// reads.
func everything() *program.Program {
	p := program.New(`"every*)*/thing"` + "\n\\* of 1")
	i, j := p.Var("int", 9), p.Var("int ", 9)
	one, seen := p.Var("", 1), p.Var("Seen", 4)
	p.Variables[one].Name = "0..0"
	color := p.Var("VARIABLE", 3, "red", "gre*/en", `"blue"`)
	p.Init(j, 8)
	p.Init(color, 2)
	p.Rule("up", program.Lt(i, 5), program.Set(i, program.Add(i, 1)), program.Set(j, program.Sub(j, i)),
		program.If(program.Ne(color, 0), program.Set(color, program.Sub(color, 1))).Otherwise(program.Set(color, 2), program.Set(seen, 3)))
	p.Rule("up", program.And(program.Le(j, i), program.Not(program.Eq(i, 8)),
		program.Or(program.Lt(i, j), program.Eq(color, program.IfElse(program.Lt(i, 4), 1, color)))),
		program.Set(j, program.IfElse(program.Lt(program.Mul(i, j), 9), program.Mul(i, j), program.Const(0))))
	p.Rule("nothing", program.And(), program.If(program.Or()), program.Set(one, 0))
	p.Rule(`*) (* "end"`, program.Or(program.Eq(program.Add(i, -8), 0), program.Lt(8, i), program.Lt(8, j), program.Or(), program.And(program.Lt(i, j))),
		program.Set(i, 0))
	p.Invariant("Next", program.Le(program.Add(i, j), 13))
	p.Invariant("true", program.And())
	p.Rule("stop", program.Or()).Unfair = true
	p.Rule("again", program.Eq(i, 0), program.Set(i, 1)).Strong = true
	p.Response("FairSpec", program.Ne(i, 0))
	p.Final = program.Eq(i, 8)
	p.Invariants[1].Cover = "*/ nothing"
	return p
}

// TestGolden shows what is written. TestEngines finds out whether that means the
// same.
func TestGolden(t *testing.T) {
	def, err := ring.New(ring.Options{Nodes: 3, Buffer: 2})
	for name, p := range map[string]*program.Program{
		"token":      programtest.TokenRing(3),
		"everything": everything(),
		"ring":       unrolled(t, def, err, spec.Scenario{Bubble: 2}),
	} {
		for ending, write := range writers {
			var got bytes.Buffer
			if err := write(&got, p); err != nil {
				t.Fatal(err)
			}
			goldentest.Compare(t, name+"."+ending, got.Bytes())
		}
	}
}

// TestWritersCheck: no writer accepts what Machine does not.
func TestWritersCheck(t *testing.T) {
	p := programtest.TokenRing(2)
	p.Init(0, 7)
	for ending, write := range writers {
		if err := write(io.Discard, p); err == nil || !strings.Contains(err.Error(), "starts with 7") {
			t.Errorf("%s: error %v", ending, err)
		}
	}
}

// failing writes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteErrors(t *testing.T) {
	for ending, write := range writers {
		if err := write(failing{}, programtest.TokenRing(2)); err == nil {
			t.Errorf("%s: no error", ending)
		}
	}
}

// TestNested: what is written, SPIN reads, with as many ifs inside one another as are written;
// it crashes on 316.
func TestNested(t *testing.T) {
	nest := func(n int) *program.Program {
		p := program.New("nested")
		x := p.Var("x", 2)
		effect := program.Set(x, 1)
		for i := range n {
			if effect = program.If(program.Eq(x, 0), effect); i%2 == 0 {
				effect = program.If(program.Eq(x, 1), program.Set(x, 0)).Otherwise(effect.Then...)
			}
		}
		p.Rule("go", program.Eq(x, 0), effect)
		return p
	}
	enginetest.Compare(t, nest(300), enginetest.Counts{States: 2, Transitions: 1})
	if err := export.Promela(io.Discard, nest(301)); err == nil || !strings.Contains(err.Error(), `rule "go": more than 300 ifs`) {
		t.Errorf("error %v", err)
	}
}

// TestTrigraphs: C compilers that know trigraphs, as with -std=c99, read none in a name:
// "??/" would be a backslash, which hides the quote after it.
func TestTrigraphs(t *testing.T) {
	p := program.New("m")
	const name = "what???/"
	x := p.Var(name, 2)
	p.Rule(name, program.And(), program.Set(x, program.Add(x, 1))) // may leave its range, which the program says by name
	var got bytes.Buffer
	if err := export.PINS(&got, p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got.String(), `"what\?\?\?/"`); n != 2 || strings.Contains(got.String(), `??/"`) {
		t.Errorf("%d times:\n%s", n, got.String())
	}
}

// TestTLAModule: TLC wants the module to have the name of the file, so a name that can be an
// identifier of TLA+ stays what it is.
func TestTLAModule(t *testing.T) {
	for name, want := range map[string]string{
		"msi": "msi", "M1": "M1", "2pc": "2pc", "_a": "_a", "two phases": "two_phases", "7": "M_7", "_": "M", "SF_a": "M_SF_a",
		"Next": "Next_2", "Integers": "Integers_2", "": "token_ring_of_2",
	} {
		p := programtest.TokenRing(2)
		p.Module = name
		var text bytes.Buffer
		if err := export.TLA(&text, p); err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(text.String(), "\n"); line != "---- MODULE "+want+" ----" {
			t.Errorf("module %q begins with %s", name, line)
		}
	}
}

// TestTLAWithoutVariables: TLC finds no state of a module without variables, so there is one.
func TestTLAWithoutVariables(t *testing.T) {
	p := program.New("none")
	p.Rule("stay", program.And())
	var text bytes.Buffer
	if err := export.TLA(&text, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"VARIABLES\n  nothing ", "/\\ nothing = 0\n", "UNCHANGED <<nothing>>\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if len(p.Variables) != 0 {
		t.Errorf("the program has %d variables now", len(p.Variables))
	}
}

// TestTLATooLarge: each of thirty statements doubles an expression.
func TestTLATooLarge(t *testing.T) {
	p := program.New("doubling")
	x, y := p.Var("x", 3), p.Var("y", 3)
	var effect []program.Stmt
	for range 15 {
		effect = append(effect, program.Set(x, program.IfElse(program.Eq(x, y), x, y)), program.Set(y, program.IfElse(program.Lt(y, x), y, x)))
	}
	p.Rule("double", program.And(), effect...)
	if err := export.TLA(io.Discard, p); err == nil || !strings.Contains(err.Error(), "more than 100000 operators") {
		t.Errorf("error %v", err)
	}
	wide := program.New("wide")
	for range 1 << 12 {
		wide.Rule("stay", program.And(), program.Set(wide.Var(fmt.Sprint("x", len(wide.Variables)), 2), 0))
	}
	wide.Rule("stay", program.And())
	if err := export.TLA(io.Discard, wide); err == nil || !strings.Contains(err.Error(), "more than 16777216 names of variables in rules") {
		t.Errorf("4097 rules that leave some 4096 variables unchanged: %v", err)
	}
	if err := export.Murphi(io.Discard, p); err != nil {
		t.Errorf("Murphi needs no such expressions, but: %v", err)
	}
}
