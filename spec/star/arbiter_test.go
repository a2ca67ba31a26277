package star_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// arbitrated is n processes that send through two links, one behind the other; the second may
// also be used by hand, which takes no turns. What a process waits for has a word of its own.
const arbitrated = `
arbiting = param("arbiter", "any", choices = ["any", "round-robin", "batch"])
n = param("n", 3)
machine(name = "m")
procs = processes("process", n)
var("wants", bool, over = procs)
FIFOS
def want(s, i):
    when(not s.wants[i])
    s.wants[i] = True
def send(s, i):
    when(s.wants[i])
    s.wants[i] = False
    SEND
def on(s):
    m = s.near.head
    when(m != None)
    also(s.near.pop)
    ON
rule("{} wants", want, over = procs, fair = False)
rule("{} sends", send, over = procs)
rule("on", on)
rule("by hand", lambda s: BYHAND)
rule("out", lambda s: also(s.far.pop))
eventually("{} is served", lambda s, i: s.wants[i], over = procs)
`

// byHand is an arbiter in the words of a file: who waits is written out.
const byHand = `
def near_turn(s, i):
    if arbiting == "batch":
        if s.near_marks[i]:
            s.near_marks[i] = False
            return
        for k in procs:
            if k != i and s.wants[k]:
                when(not s.near_marks[k])
                s.near_marks[k] = True
    elif arbiting == "round-robin":
        for step in range(1, n):
            k = (s.near_last + step) % n
            if k == i:
                break
            when(not s.wants[k])
        s.near_last = i
def far_turn(s, by):
    waits = s.near.head != None
    if arbiting == "batch":
        if by == "near":
            s.far_mark = False
        elif waits:
            when(not s.far_mark)
            s.far_mark = True
    elif arbiting == "round-robin" and by != "near":
        when(not waits)
`

func arbitratedBy(t *testing.T, builtin bool, arbiter string) string {
	t.Helper()
	text := strings.NewReplacer(
		"FIFOS", `fifo("near", procs, blocking = True, arbiter = arbiting, sources = procs)
fifo("far", procs, size = 2, blocking = True, arbiter = arbiting, sources = ["near"])`,
		"SEND", `s.near.push(i, by = i)`,
		"BYHAND", `s.far.push(0, by = "hand")`,
		"ON", `also(s.far.push, m, by = "near")`,
	).Replace(arbitrated)
	if !builtin {
		text = strings.NewReplacer(
			"FIFOS", `fifo("near", procs, blocking = True)
fifo("far", procs, size = 2, blocking = True)
var("near_marks", bool, over = procs)
var("near_last", range(n))
var("far_mark", bool)`+byHand,
			"SEND", "also(s.near.push, i)\n    also(near_turn, i)",
			"BYHAND", `[also(s.far.push, 0), also(far_turn, "hand")][0]`,
			"ON", "also(s.far.push, m)\n    also(far_turn, \"near\")",
		).Replace(arbitrated)
	}
	return text
}

// TestArbiters: FIFOs that arbitrate have the states and steps of the same file with the turns
// written out, even where one that pushes takes no turns, and where the last of them decides.
func TestArbiters(t *testing.T) {
	for i, arbiter := range []string{"any", "round-robin", "batch", "any", "round-robin", "batch", "round-robin", "batch"} {
		set := map[string]string{"arbiter": arbiter, "n": fmt.Sprint(2 + i/3)}
		p, q := machine(t, arbitratedBy(t, true, arbiter), set), machine(t, arbitratedBy(t, false, arbiter), set)
		got, want := walk(t, p), walk(t, q)
		if got.States != want.States || got.Steps != want.Steps || got.Deadlocks != want.Deadlocks || want.States < 50 {
			t.Errorf("%v: %d states, %d steps, %d deadlocks; written out: %d, %d, %d", set, got.States, got.Steps,
				got.Deadlocks, want.States, want.Steps, want.Deadlocks)
		}
	}
}

// TestTurnOfOthers: a source that may not push is told why.
func TestTurnOfOthers(t *testing.T) {
	p := machine(t, arbitratedBy(t, true, "round-robin"), map[string]string{"arbiter": "round-robin"})
	state := p.Start()
	for x, v := range p.Variables {
		if v.Name == "wants[1]" || v.Name == "wants[2]" {
			state[x] = 1
		}
	}
	from, told := star.SourceOf(p), ""
	for k, r := range p.Rules {
		if r.Name == "2 sends" {
			_, told = from.Refusal(k, state)
		}
	}
	if !strings.HasSuffix(told, "it is the turn of others to push into near") {
		t.Errorf("told %q", told)
	}
}

// TestPassedOn: a record, or its fields, is passed on as it was in the state: by a push, by what also
// calls, and by a push in turn where a source is alone and so never waits.
func TestPassedOn(t *testing.T) {
	const text = `
machine(name = "m")
msg = record(to = range(3), hops = range(3))
fifo("near", msg, size = 2)
fifo("far", msg, size = 2, blocking = True ARBITER)
var("who", [0, 1])
def send(s, i):
    when(not s.near.full)
    s.near.push(to = i)
def on(s):
    m = s.near.pop()
    PUSH
rule("send", send, over = range(3))
rule("on", on)
rule("who", lambda s: when(s.who == 0), fair = False)
rule("out", lambda s: also(s.far.pop))
`
	const turns = `, arbiter = "batch", sources = [0]`
	var want string
	for _, tt := range []struct{ arbiter, push string }{
		{"", "s.far.push(m)"},
		{"", "s.far.push(to = m.to, hops = m.hops)"},
		{"", "also(s.far.push, m)"},
		{"", "also(s.far.push, to = m.to, hops = m.hops)"},
		{turns, "s.far.push(m, by = s.who)"},
		{turns, "also(s.far.push, to = m.to, by = 0)"},
	} {
		space := walk(t, machine(t, strings.NewReplacer("ARBITER", tt.arbiter, "PUSH", tt.push).Replace(text), nil))
		got := fmt.Sprintf("%d states, %d steps", space.States, space.Steps)
		if want = cmp.Or(want, got); got != want {
			t.Errorf("%s: %s, want %s", tt.push, got, want)
		}
	}
}

// TestRefusedIsNotWrong: what also calls, or a turn, refuses a step that would be wrong after it; a
// step that is wrong before it looks for room is wrong.
func TestRefusedIsNotWrong(t *testing.T) {
	const text = `
machine(name = "m")
var("y", range(2))
fifo("bus", [0], blocking = True, init = [0], arbiter = "round-robin", sources = [0, 1])
fifo("full", [0], init = [0])
def late(s):
    when(s.y == 1)
def f(s):
    STEP
rule("f", f)
rule("stay", lambda s: when(s.y == 0))
rule("send", lambda s: s.bus.push(0, by = 1))
`
	for step, wrong := range map[string]bool{
		"also(late); s.full.push(0)":                       false,
		"also(late); fail(\"y\") if s.y == 0 else None":    false,
		"s.bus.push(0, by = 0); s.full.push(0)":            false,
		"also(s.bus.push, 0); s.full.push(0)":              false,
		"s.full.push(0); also(late)":                       true,
		"also(lambda s: when(s.y == 0)); s.full.push(0)":   true,
		"also(late) if s.y == 1 else None; s.full.push(0)": true,
		"also(s.bus.pop); s.full.push(0)":                  true,
		"also(late); s.y = s.y + 2":                        false,
		"also(lambda s: s.full.push(0)); also(late)":       false,
		"also(lambda s: s.full.push(0)); when(s.y == 1)":   false,
		"also(lambda s: s.full.push(0)); also(s.bus.pop)":  true,
	} {
		p := machine(t, strings.Replace(text, "STEP", strings.ReplaceAll(step, "; ", "\n    "), 1), nil)
		if got := walk(t, p); len(got.Broken) > 0 != wrong {
			t.Errorf("%s: %v, want wrong: %v", step, got.Broken, wrong)
		}
	}
}
