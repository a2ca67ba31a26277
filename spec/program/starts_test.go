package program_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// startsText is a program of two bits and three initial states: all but the one with both.
const startsText = `{"format":"unknot-program-1",
"name":"starts",
"variables":[
{"name":"x","values":2,"initial":0},
{"name":"y","values":["low","high"],"initial":1}],
"starts":[
[["x",1],["y",0]],
[["y",0]]],
"rules":[
{"name":"up","guard":["=","x",0],"do":[["set","x",1]]}],
"invariants":[],
"responses":[]}
`

// TestStarts: a program with several initial states is read and written as it is, and all of them are
// initial states of its machine. Its digest is another than that of the program with the first alone.
func TestStarts(t *testing.T) {
	p, err := program.ReadClosed("a.json", []byte(startsText))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := program.WriteClosed(&out, p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(startsText, out.String()); diff != "" {
		t.Error(diff)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	var states [][]int
	for s := range slices.Chunk(m.Start(nil), m.Layout().Words()) {
		states = append(states, m.Values(s))
	}
	if want := [][]int{{0, 1}, {1, 0}, {0, 0}}; !cmp.Equal(states, want) {
		t.Errorf("initial states %v: want %v", states, want)
	}
	first := *p
	first.Starts = nil
	one, err := first.Digest()
	if all, wrong := p.Digest(); err != nil || wrong != nil || one == all {
		t.Errorf("the digests %v and %v (%v, %v): want different ones", one, all, err, wrong)
	}
}

// TestWrongStarts: initial states that are none.
func TestWrongStarts(t *testing.T) {
	for with, want := range map[string]string{
		`[["z",1]]`:     `a.json:7:3: unknown name "z"`,
		`[["x",2]]`:     `a.json:7:1: start 1: variable "x" starts with 2: want 0 to 1`,
		`[["x",-1]]`:    `a.json:7:1: start 1: variable "x" starts with -1`,
		`[["x"]]`:       "a.json:7:",
		`[["x",1,2]]`:   "a.json:7:",
		`["x",1]`:       "a.json:7:",
		`[["x","one"]]`: "a.json:7:",
	} {
		text := strings.Replace(startsText, `[["x",1],["y",0]]`, with, 1)
		if _, err := program.ReadClosed("a.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", with, err, want)
		}
	}
	p := program.New("p")
	p.Var("x", 2)
	p.Starts = [][]int{{1, 1}}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "want one for each variable") {
		t.Errorf("two values for one variable: %v", err)
	}
}
