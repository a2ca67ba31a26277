package program_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

func closedText(t testing.TB, p *program.Program) string {
	t.Helper()
	var b bytes.Buffer
	if err := program.WriteClosed(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lamp is written by hand from the documentation.
const lamp = `{"format":"unknot-program-1",
"name":"lamp <1>",
"expect":[{"property":"deadlock-freedom","verdict":"violated"},{"property":"no fire","verdict":"holds"}],
"variables":[
{"name":"light","values":["off","on"],"initial":0},
{"name":"count","values":4,"initial":1}],
"rules":[
{"name":"press","unfair":true,"guard":["and",["<","count",3],["or"]],"do":[["set","light",["-",1,"light"]],["if",["=","light",0],[["set","count",["+","count",1]]],[]]]},
{"name":"idle","strong":true,"guard":["not",["<=","count",-1]],"do":[]}],
"invariants":[
{"name":"no fire","holds":["!=",["*","count",["if",["=","light",1],2,"count"]],9]},
{"name":"never three","cover":"three","holds":["!=","count",3]}],
"responses":[
{"name":"light goes out","pending":["=","light",1]}],
"final":["=","count",3]}
`

// lampProgram is the same, built.
func lampProgram() *program.Program {
	p := program.New("lamp <1>")
	light, count := p.Var("light", 2, "off", "on"), p.Var("count", 4)
	p.Init(count, 1)
	p.Rule("press", program.And(program.Lt(count, 3), program.Or()), program.Set(light, program.Sub(1, light)),
		program.If(program.Eq(light, 0), program.Set(count, program.Add(count, 1)))).Unfair = true
	p.Rule("idle", program.Not(program.Le(count, -1))).Strong = true
	p.Invariant("no fire", program.Ne(program.Mul(count, program.IfElse(program.Eq(light, 1), program.Const(2), program.Value(count))), 9))
	p.Invariants = append(p.Invariants, program.Invariant{Name: "never three", Holds: program.Ne(count, 3), Cover: "three"})
	p.Response("light goes out", program.Eq(light, 1))
	p.Final = program.Eq(count, 3)
	p.Expect = []program.Expectation{{Property: "deadlock-freedom", Verdict: spec.Violated}, {Property: "no fire", Verdict: spec.Holds}}
	return p
}

func TestClosedForm(t *testing.T) {
	if diff := cmp.Diff(lamp, closedText(t, lampProgram())); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	// Files of before the first release name deadlock freedom by its fault.
	for _, text := range []string{lamp, strings.Replace(lamp, "deadlock-freedom", "deadlock", 1)} {
		read, err := program.ReadClosed("lamp.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lampProgram(), read, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
	// The digest is that of the text without the line of expectations.
	lines := strings.SplitAfter(lamp, "\n")
	want := spec.Digest(sha256.Sum256([]byte(strings.Join(append(lines[:2:2], lines[3:]...), ""))))
	if got, err := lampProgram().Digest(); err != nil || got != want {
		t.Errorf("digest %v, %v: want %v", got, err, want)
	}
	// Keys in another order, white space, and defaults left out.
	short := `{ "rules": [{"do": [["set", "a", 1]], "guard": ["and"], "name": "r"}], "name": "x", "format": "unknot-program-1", "variables": [{"values": 2, "name": "a"}] }`
	p, err := program.ReadClosed("x.json", []byte(short))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"format":"unknot-program-1",
"name":"x",
"variables":[
{"name":"a","values":2,"initial":0}],
"rules":[
{"name":"r","guard":["and"],"do":[["set","a",1]]}],
"invariants":[],
"responses":[]}
`; closedText(t, p) != want {
		t.Errorf("got %s, want %s", closedText(t, p), want)
	}
}

// TestNamesOfValues: the name of a value stands for its number where it is compared with
// a variable that has it, on either side, or assigned to it, also in the branches of an
// "if", and as an initial value. One name may be two numbers, for two variables; the name
// of a variable means the variable wherever one may occur.
func TestNamesOfValues(t *testing.T) {
	const names = `{"format":"unknot-program-1","name":"names","variables":[
{"name":"light","values":["off","on"],"initial":"on"},{"initial":"light","name":"road","values":["on","off","light"]}],"rules":[
{"name":"r","guard":["and",["=","light","on"],["!=","road","on"],["<","road","off"],["=","road","light"],["<=","road","off"],["=","light",["if",["=","road","off"],"off",1]],
["<","on","road"],["=",["if",["!=","off","light"],"off",["if",["and"],"on","light"]],"road"]],
"do":[["set","light","off"],["set","road","off"],["set","light",["if",["=","light","on"],["if",["and"],"on","light"],"off"]]]}]}`
	numbers := strings.NewReplacer(
		`["=","light","on"]`, `["=","light",1]`, `["!=","road","on"]`, `["!=","road",0]`, `["<","road","off"]`,
		`["<","road",1]`, `["<=","road","off"]`, `["<=","road",1]`,
		`["=","road","off"]`, `["=","road",1]`, `"off",1]`, `0,1]`,
		`"initial":"on"`, `"initial":1`, `"initial":"light"`, `"initial":2`, // the second is a value of road
		`["<","on","road"]`, `["<",0,"road"]`, `["!=","off","light"],"off"`, `["!=",0,"light"],1`,
		`["and"],"on","light"]],"road"`, `["and"],0,"light"]],"road"`,
		`["set","light","off"]`, `["set","light",0]`, `["set","road","off"]`, `["set","road",1]`, `["and"],"on"`, `["and"],1`, `"light"],"off"]`, `"light"],0]`,
	).Replace(names)
	named, err := program.ReadClosed("m.json", []byte(names))
	if err != nil {
		t.Fatal(err)
	}
	numbered, err := program.ReadClosed("m.json", []byte(numbers))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(numbered, named); diff != "" || strings.Count(numbers, `"on"`) != 2 {
		t.Errorf("%s\n(-numbers +names):\n%s", numbers, diff)
	}
}

// TestNamesOfNothing: a name in a sum is not the name of a value; and while a name waits for
// its variable, a number is a number, even if it equals the position of that name in the text.
func TestNamesOfNothing(t *testing.T) {
	const text = `{"format":"unknot-program-1","name":"places","variables":[{"name":"x","values":["a","b"]}],"rules":[
{"name":"r","guard":["and"],"do":[["set","x",["if",["and"],"b",["if",["=","x",100],"a","b"]]]]}]}`
	at := strings.Index(text, `"b",["if"`)
	p, err := program.ReadClosed("m.json", []byte(strings.Replace(text, "100", fmt.Sprint(at), 1)))
	if err != nil || at < 100 || at > 999 {
		t.Fatal(at, err)
	}
	x := program.Var(0)
	want := program.IfElse(program.And(), program.Const(1), program.IfElse(program.Eq(x, at), program.Const(0), program.Const(1)))
	if diff := cmp.Diff(want, p.Rules[0].Effect[0].Value, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sum := strings.Replace(text, `["=","x",100]`, `["=",["+","x","a"],0]`, 1)
	if _, err := program.ReadClosed("m.json", []byte(sum)); err == nil || !strings.Contains(err.Error(), `unknown name "a"`) {
		t.Errorf("a name in a sum: %v", err)
	}
}

// TestCutOff: no proper beginning of a text is a text.
func TestCutOff(t *testing.T) {
	whole := strings.TrimSpace(lamp)
	for i := range whole {
		if _, err := program.ReadClosed("m.json", []byte(whole[:i])); err == nil {
			t.Errorf("the first %d bytes are read as a machine", i)
		}
	}
}

// TestClosedRoundTrip: random programs are read back as they were written.
func TestClosedRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := netgen.Program(rt, false)
		if p.Check() != nil {
			rt.Skip("numbers that grow too large")
		}
		text := closedText(t, p)
		again, err := program.ReadClosed("p.json", []byte(text))
		if err != nil {
			rt.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("read (-written +read):\n%s", diff)
		}
		if second := closedText(t, again); second != text {
			rt.Fatalf("written again it differs (-first +second):\n%s", cmp.Diff(text, second))
		}
	})
}

// TestReadClosedRefuses: each text has one fault, whose place is named.
func TestReadClosedRefuses(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`["not",`, n) + `["and"]` + strings.Repeat("]", n) }
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", lamp, "", "m.json:1:1: unexpected end of file"},
		{"cut off", `"final":["=","count",3]}` + "\n", "", "m.json:15:1: unexpected end of file"},
		{"no JSON", `"rules":[`, `"rules":[;`, "m.json:7:10: invalid character ';'"},
		{"format", "program-1", "program-2", `m.json:1:11: invalid value "unknot-program-2": want one of ["unknot-program-1"]`},
		{"a network", "unknot-program-1", "unknot-network-1", `m.json:1:11: invalid value "unknot-network-1"`},
		{"unknown key", `"responses"`, `"answers"`, `m.json:13:1: unknown key "answers"`},
		{"key twice", `"responses"`, `"invariants"`, `m.json:13:1: key "invariants" stands here twice`},
		{"key missing", "\"name\":\"lamp <1>\",\n", "", `m.json:1:1: the key "name" is missing`},
		{"nameless", `"name":"lamp <1>"`, `"name":""`, "m.json:2:8: a name must be non-empty UTF-8"},
		{"verdict", `"verdict":"holds"`, `"verdict":"maybe"`, `m.json:3:96: invalid value "maybe": want one of ["unknown" "holds" "violated"]`},
		{"expectation of nothing", `"property":"no fire"`, `"property":"no water"`, `m.json:3:`},
		{"expectation twice", `"property":"no fire"`, `"property":"deadlock-freedom"`, `m.json:3:64: expectation: duplicate name "deadlock-freedom"`},
		{"value twice", `["off","on"]`, `["on","on"]`, `m.json:5:1: variable "light": the names of its values must be UTF-8, and differ`},
		{"variable twice", `"initial":1}]`, `"initial":1},{"name":"light","values":2}]`, `m.json:6:41: variable 2: duplicate name "light"`},
		{"no values", `"values":4`, `"values":0`, `m.json:6:1: variable "count" has 0 values`},
		{"too many values", `"values":4`, `"values":1073741825`, `m.json:6:1: variable "count" has 1073741825 values`},
		{"no names of values", `["off","on"]`, `[]`, `m.json:5:1: variable "light" has 0 values`},
		{"fraction", `"values":4`, `"values":4.0`, "m.json:6:26: 4.0 is not an integer"},
		{"initial too large", `"initial":1`, `"initial":4`, `m.json:6:1: variable "count" starts with 4: want 0 to 3`},
		{"initial negative", `"initial":1`, `"initial":-1`, `m.json:6:1: variable "count" starts with -1`},
		{"unfair", `true`, `"yes"`, "m.json:8:26: want true or false"},
		{"no such variable", `["<","count",3]`, `["<","counter",3]`, `m.json:8:51: unknown name "counter"`},
		{"no such operator", `["<","count",3]`, `["<>","count",3]`, `m.json:8:47: invalid operator "<>"`},
		{"one argument", `["<","count",3]`, `["<","count"]`, `m.json:8:1: rule "press": guard: operator "<" has 1 arguments: want 2`},
		{"three arguments", `["<","count",3]`, `["<","count",3,3]`, `m.json:8:1: rule "press": guard: operator "<" has 3 arguments: want 2`},
		{"a number for a condition", `["<","count",3]`, `["+","count",3]`, `m.json:8:1: rule "press": guard: want a condition, not a number`},
		{"a condition for a number", `["+","count",1]`, `["=","count",1]`, "m.json:8:"},
		{"truth", `["<","count",3]`, `true`, "m.json:8:46: want a number, the name of a variable, or an operator"},
		{"a number too large", `["<","count",3]`, `["<","count",2147483648]`, "m.json:8:59: 2147483648 is out of range"},
		{"no statement", `["set","light"`, `["let","light"`, `m.json:8:77: invalid statement "let"`},
		{"set an unknown variable", `["set","light"`, `["set","lamp"`, `m.json:8:83: unknown name "lamp"`},
		{"always out of range", `["-",1,"light"]`, `7`, `m.json:8:1: rule "press": assignment to "light"`},
		{"set to an unknown variable", `["set","count",["+","count",1]]`, `["set","count","lamp"]`, `m.json:8:146: unknown name "lamp"`},
		{"test an unknown variable", `["if",["=","light",0]`, `["if",["=","lamp",0]`, `m.json:8:119: unknown name "lamp"`},
		{"then set an unknown variable", `["set","count",["+"`, `["set","lamp",["+"`, `m.json:8:138: unknown name "lamp"`},
		{"else set an unknown variable", `,[]]]}`, `,[["set","lamp",1]]]]}`, `m.json:8:172: unknown name "lamp"`},
		{"a name that is a number", `"name":"count"`, `"name":5`, "m.json:6:9: want a string here"},
		{"a variable that is a number", `["set","light"`, `["set",1`, "m.json:8:83: want a string here"},
		{"an operator that is a number", `["<","count",3]`, `[1,"count",3]`, "m.json:8:47: want a string here"},
		{"a statement that is a number", `["set","light",["-",1,"light"]]`, "1", `m.json:8:76: want "[" here`},
		{"a statement by number", `["set","light"`, `[1,"light"`, "m.json:8:77: want a string here"},
		{"a property and a verdict that do not exist", `"no fire","verdict":"holds"`, `"no water","verdict":"maybe"`, `m.json:3:97: invalid value "maybe"`},
		{"a fair rule of an unfair action", `"name":"idle"`, `"name":"press"`, `m.json:9:1: rules "press": they are one action: declare all`},
		{"unfair and strongly fair", `"unfair":true`, `"unfair":true,"strong":true`, `m.json:8:1: rules "press": they are one action: declare all`},
		{"strong", `"strong":true`, `"strong":"yes"`, "m.json:9:25: want true or false"},
		{"the name of a value in a sum", `["+","count",1]`, `["+","count","on"]`, `m.json:8:159: unknown name "on"`},
		{"the name of a value of another variable", `["=","light",0]`, `["=","count","on"]`, `m.json:8:127: unknown name "on"`},
		{"the name of a value of what is set by the condition", `["-",1,"light"]`, `["if",["=","on",1],0,1]`, `m.json:8:102: unknown name "on"`},
		{"two names of values", `["=","light",0]`, `["=","on","off"]`, `m.json:8:119: unknown name "on"`},
		{"no value to begin with", `"initial":1`, `"initial":"on"`, `m.json:6:38: unknown value "on": want one of the names in "values"`},
		{"a number is set", `["set","light"`, `["set",0`, `m.json:8:83: want a string here`},
		{"a value without a name", `["=","light",0]`, `["=","light","dim"]`, `m.json:8:127: unknown name "dim"`},
		{"invariant twice", `{"name":"no fire","holds"`, `{"name":"no fire","holds":["and"]},{"name":"no fire","holds"`,
			`m.json:11:36: invariant "no fire": duplicate name "no fire"`},
		{"text after the end", "3]}\n", "3]}\n{}", "m.json:16:1: text after the end"},
		{"nested", `["<","count",3]`, nested(999), "more than 1000 operators or statements within each other"},
	} {
		if strings.Count(lamp, tt.old) == 0 {
			t.Fatalf("%s: the text has no %q", tt.name, tt.old)
		}
		_, err := program.ReadClosed("m.json", []byte(strings.Replace(lamp, tt.old, tt.new, 1)))
		var pos *spec.PosError
		switch {
		case err == nil:
			t.Errorf("%s: accepted", tt.name)
		case !errors.As(err, &pos):
			t.Errorf("%s: %v has no place", tt.name, err)
		case !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s: %q: want %q", tt.name, err, tt.want)
		}
	}
	if _, err := program.ReadClosed("m.json", []byte(strings.Replace(lamp, `["<","count",3]`, nested(998), 1))); err != nil {
		t.Errorf("1000 operators within each other, \"and\" on either side of 998: %v", err)
	}
}

// TestWriteClosedRefuses: programs that would not be read back as written.
func TestWriteClosedRefuses(t *testing.T) {
	p := lampProgram()
	p.Name = "\xff"
	if err := program.WriteClosed(io.Discard, p); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	p = lampProgram()
	p.Variables[0].Names[1] = "\xff"
	if err := program.WriteClosed(io.Discard, p); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a value's name that is not UTF-8: %v", err)
	}
	p = lampProgram()
	p.Expect[1].Property = "no water"
	if err := program.WriteClosed(io.Discard, p); err == nil || !strings.Contains(err.Error(), `"no water" is not "deadlock-freedom"`) {
		t.Errorf("an expectation of nothing: %v", err)
	}
	p = lampProgram()
	p.Init(0, 2)
	if err := program.WriteClosed(io.Discard, p); err == nil {
		t.Error("a program that Check refuses was written")
	}
	if d, err := p.Digest(); err == nil {
		t.Errorf("a program that Check refuses has the digest %v", d)
	}
	if err := program.WriteClosed(failing{}, lampProgram()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

// failing is a writer that writes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestClosedSchema(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("program.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		valid      bool
	}{
		{"lamp", lamp, true},
		{"drawn", closedText(t, rapid.Custom(func(rt *rapid.T) *program.Program { return netgen.Program(rt, true) }).Example(1)), true},
		{"a string as guard", strings.Replace(lamp, `["not",["<=","count",-1]]`, `"count"`, 1), false},
		{"an operator with one argument", strings.Replace(lamp, `["<","count",3]`, `["<","count"]`, 1), false},
		{"a number among conditions", strings.Replace(lamp, `["or"]`, `["or",1]`, 1), false},
		{"no values", strings.Replace(lamp, `"values":4`, `"values":0`, 1), false},
		{"unknown key", strings.Replace(lamp, `"final"`, `"end"`, 1), false},
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != tt.valid {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzReadClosed(f *testing.F) {
	f.Add(lamp)
	f.Add(strings.Replace(lamp, `["or"]`, `["or",["and"],["not",["=",1,2]]]`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		var p *program.Program
		var err error
		costtest.Within(t, len(text), func() { p, err = program.ReadClosed("m.json", []byte(text)) })
		if err != nil {
			return
		}
		first := closedText(t, p)
		again, err := program.ReadClosed("m.json", []byte(first))
		if err != nil || closedText(t, again) != first {
			t.Fatalf("what was read is not read again as it is written: %v", err)
		}
	})
}
