package star_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

const told = `machine(name = "told")
procs = processes("p", 3)
msg = record(kind = ["get", "put"], v = range(4))
fifo("q", msg, size = 2, over = [0, 1])
fifo("dup", ["m"], size = 9, duplicating = True)
var("has", bool, over = procs)
var("r", msg)
var("n", range(3))
def put(s):
    s.q[0].push(kind = "put", v = 3)
    s.has[2] = True
def twice(s):
    s.dup.push("m")
def take(s):
    when(s.n == 0)
    m = s.q[0].take(kind = "put")
    s.r.v = m.v
    s.q[1].push(m)
def clear(s):
    s.q[1].clear()
    s.n = 1
def seek(s):
    s.q[1].take(kind = "get")
def wrong(s):
    when(s.n == 1)
    if s.r.v == 3:
        fail("three")
    s.n += 2
def key(s):
    when(s.n == 2)
    s.has[s.r.v] = False
rule("put", put)
rule("twice", twice)
rule("take", take)
rule("clear", clear)
rule("seek", seek)
rule("wrong", wrong)
rule("key", key)
`

// TestTold: steps tell what they put and take, states tell FIFOs, records and sets as such, and a wrong step is of its kind.
func TestTold(t *testing.T) {
	f, err := star.Load(t.Context(), "told.star", []byte(told), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, p, at := star.SourceOf(f.Program), f.Program, f.Program.Start()
	set := func(name string, value int) {
		for x, v := range p.Variables {
			if v.Name == name {
				at[x] = value
			}
		}
	}
	var got []string
	rule := func(name string) (k int) {
		for i, r := range p.Rules {
			if r.Name == name {
				return i
			}
		}
		t.Fatal(name)
		return 0
	}
	for _, name := range []string{"put", "twice", "take", "clear"} {
		steps, err := programtest.Steps(p, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if p.Rules[step.Rule].Name == name {
				got = append(got, s.StepText(step.Rule, at, step.After))
			}
		}
		for _, step := range steps {
			if p.Rules[step.Rule].Name == name {
				at = step.After
			}
		}
		got = append(got, s.StateText(at))
	}
	refused := func(name string) string {
		place, why := s.Refusal(rule(name), at)
		return place + ": " + why
	}
	got = append(got, refused("seek"), refused("take"))
	at = p.Start()
	got = append(got, refused("seek"), s.FaultKind(at).String())
	set("n", 1)
	got = append(got, s.FaultKind(at).String())
	set("r.v", 3)
	got = append(got, s.FaultKind(at).String())
	set("n", 2)
	got = append(got, s.FaultKind(at).String())
	set("n", 0)
	for range 2 {
		steps, err := programtest.Steps(p, at)
		if err != nil {
			t.Fatal(err)
		}
		at = steps[0].After // put
	}
	got = append(got, s.FaultKind(at).String())
	want := []string{
		"q[0]: + put 3, has[2]: False -> True",
		"q[0]=[put 3], q[1]=[], dup=[], has={2}, r=(kind=get, v=0), n=0",
		"dup: + m", "dup: + m, 2 times",
		"q[0]=[put 3], q[1]=[], dup=[m, m], has={2}, r=(kind=get, v=0), n=0",
		"q[0]: - put 3, q[1]: + put 3, r.v: 0 -> 3",
		"q[0]=[], q[1]=[put 3], dup=[m, m], has={2}, r=(kind=get, v=3), n=0",
		"q[1]: - all, n: 0 -> 1",
		"q[0]=[], q[1]=[], dup=[m, m], has={2}, r=(kind=get, v=3), n=1",
		"told.star:23:11: q[1] has no such message to take: it is empty",
		"told.star:15:10: s.n == 0, where n=1",
		"told.star:23:11: q[1] has no such message to take: it is empty", "",
		"values stay in range", "no rule calls fail", "no rule ends with an error", "no FIFO overflows",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
