package bruteforcetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNetworks: what is decided of a network is what the definitions say.
func TestNetworks(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(75, func() {
		rapid.Check(t, func(t *rapid.T) { compare(t, packetsOnly, seen) })
	})
	demand(t, seen, "delivery violated", "livelock-freedom violated", "deadlock violated", "deadlock violated, worms", "deadlock holds, worms",
		"a packet never moves again", "by source", "several classes", "in a file", "misled", "discards")
}

// compare decides a random network twice.
func compare(t *rapid.T, sent traffic, seen map[string]int) {
	d := draw(t, sent)
	x := d.packets()
	d.asked = true
	text, n := d.compiled(t)
	diff := x.refused(n)
	if n != nil {
		if sent == committedReplies && rapid.Bool().Draw(t, "in the closed form") {
			n = closed(t, n, seen)
		}
		diff = x.decided(t, n, seen)
	}
	if diff != "" {
		t.Fatalf("%s\nunknot check n.star, where n.star is\n%s", diff, text)
	}
	count(seen, n == nil, "refused")
	count(seen, d.sources, "by source")
	count(seen, d.classes > 1, "several classes")
	count(seen, d.inFile, "in a file")
	count(seen, x.misleads(), "misled")
	count(seen, x.drops(), "discards")
	count(seen, slices.ContainsFunc(x.plans, func(p plan) bool {
		last := p.messages[len(p.messages)-1].class
		return slices.ContainsFunc(x.n.replies, func(r reply) bool { return r.request == last })
	}), "a reply to nobody")
}

// demand fails if something never occurred.
func demand(t *testing.T, seen map[string]int, all ...string) {
	t.Log(seen)
	for _, what := range all {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the random networks test nothing: %s never occurs", what)
		}
	}
}

func count(seen map[string]int, is bool, what string) {
	if is {
		seen[what]++
	}
}

// written returns the network as a file, and its definition, from that or in Go.
func (d *drawn) written(t *rapid.T) (text string, def routing.Definition) {
	text = d.file(d.routes, d.uses, rapid.Bool().Draw(t, "in lists"), d.to)
	if !d.inFile {
		return text, d.definition()
	}
	f, err := star.Load(context.Background(), "n.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text, f.Definition
}

// compiled returns the network as a file and as a table; nil if it is refused.
func (d *drawn) compiled(t *rapid.T) (text string, n *spec.Network) {
	text, def := d.written(t)
	fragments := rapid.SampledFrom([]int64{0, 0, 1}).Draw(t, "in fragments")
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1, Fragments: fragments})
	if err != nil {
		text += "# " + err.Error()
	}
	return text, n
}

// refused says that a network should not have been refused. With replies, no packet may leave at a wrong node.
func (x *packets) refused(n *spec.Network) string {
	if n == nil && (len(x.n.replies) == 0 || !x.misleads()) {
		return "refused"
	}
	return ""
}

// decided says where the verdicts on a network differ from the definitions; "" if nowhere.
func (x *packets) decided(t *rapid.T, n *spec.Network, seen map[string]int) string {
	const mostDecided, mostStates = 2000, 3000
	r, err := checker.Check(context.Background(), n, checker.Question{Workers: 1, MaxStates: mostDecided})
	if err != nil {
		return err.Error()
	}
	if want := x.transactions(); r.Census.Flows != want && x.n.window(0) == 0 { // otherwise each packet of a transaction is a flow
		return fmt.Sprintf("%d flows, want %d", r.Census.Flows, want)
	}
	if len(x.n.replies) == 0 && r.Census.Sites != len(x.sites) {
		return fmt.Sprintf("%d sites, want %d", r.Census.Sites, len(x.sites))
	}
	if diff := exactly(r, spec.Delivery, !x.delivered(), seen); diff != "" {
		return diff
	}
	if len(x.sites) == 0 {
		seen["no packet enters"]++
		return ""
	}
	if diff := exactly(r, spec.LivelockFreedom, x.loops(), seen); diff != "" {
		return diff
	}
	blocks := x.packetsCanBlock
	if x.n.switching == spec.Wormhole {
		blocks = x.wormsCanBlock
	}
	can, found, known := blocks(), false, false
	if x.n.switching != spec.Wormhole || x.n.buffer == 1 { // the states of worms are those that shift as a whole
		found, known = x.deadlocks(mostStates)
	}
	f := finding(r, spec.DeadlockFreedom)
	switch {
	case found && !can:
		return "a packet never moves again in some state, but nothing can block: one of the two searches is wrong"
	case f.Verdict == spec.Violated && (!can || known && !found), f.Verdict == spec.Holds && (found || can && f.Method == checker.Static):
		return fmt.Sprintf("deadlock %s (%s, %s), but some packets can block: %t; all states are known: %t, a packet never moves again in one: %t",
			f.Verdict, f.Because, f.Method, can, known, found)
	}
	verdict := fmt.Sprint("deadlock ", f.Verdict)
	seen[verdict]++
	count(seen, x.n.switching == spec.Wormhole, verdict+", worms")
	count(seen, f.Method == checker.Explored, verdict+" by exploring")
	if f.Verdict == spec.Unknown {
		count(seen, !can, "unknown, though nothing can block")
		count(seen, found, "unknown, though a packet never moves again")
		count(seen, known && !found, "unknown, though every packet moves again")
	}
	count(seen, found, "a packet never moves again")
	count(seen, !known, "states not all visited")
	if known && rapid.IntRange(0, 3).Draw(t, "explored") == 3 {
		return x.explored(n, found, seen)
	}
	return ""
}

// explored says where exploring all states differs.
func (x *packets) explored(n *spec.Network, found bool, seen map[string]int) string {
	sc := spec.Scenario{}
	if x.n.switching == spec.Wormhole {
		sc.Length = spec.AnyLength
	}
	m, err := states.NewTraffic(routing.Whole(context.Background(), n), sc)
	if err != nil {
		return err.Error()
	}
	const mostStates = 50_000
	r, err := checker.Explore(context.Background(), m, checker.Question{Workers: 1, MaxStates: mostStates})
	if err != nil {
		return err.Error()
	}
	if r.Expanded < r.States && finding(r, spec.DeadlockFreedom).Verdict == spec.Unknown {
		seen["too many states to explore"]++
		return ""
	}
	if x.n.window(0) > 0 && finding(r, spec.DeadlockFreedom).Verdict == spec.Unknown { // exploration does not bound requests
		seen["explored, only with more requests outstanding"]++
		return ""
	}
	seen["explored"]++
	if diff := exactly(r, spec.DeadlockFreedom, found, map[string]int{}); diff != "" {
		return "explored: " + diff
	}
	return ""
}

func finding(r *checker.Result, p spec.Property) checker.Finding {
	return r.Findings[slices.IndexFunc(r.Findings, func(f checker.Finding) bool { return f.Property == p.String() })]
}

// exactly says that a verdict is not what it has to be.
func exactly(r *checker.Result, p spec.Property, violated bool, seen map[string]int) string {
	want := spec.Holds
	if violated {
		want = spec.Violated
	}
	seen[fmt.Sprint(p, " ", want)]++
	if f := finding(r, p); f.Verdict != want {
		return fmt.Sprintf("%s %s (%s), want %s", p, f.Verdict, f.Because, want)
	}
	return ""
}
