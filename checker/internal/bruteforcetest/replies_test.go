package bruteforcetest

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestReplies: what is decided of a network with replies is what the definitions say.
func TestReplies(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(75, func() {
		rapid.Check(t, func(t *rapid.T) { compare(t, withReplies, seen) })
	})
	demand(t, seen, "delivery violated", "livelock-freedom violated", "deadlock violated", "deadlock violated, worms", "deadlock holds, worms",
		"a packet never moves again", "a reply to nobody", "misled")
}

// TestCommittedReplies: so it is where routes commit packets, the request and the reply each as it begins, and where
// they are discarded. The closed form is the same network, and says as much.
func TestCommittedReplies(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(75, func() {
		rapid.Check(t, func(t *rapid.T) { compare(t, committedReplies, seen) })
	})
	demand(t, seen, "delivery violated", "livelock-freedom violated", "deadlock violated", "deadlock violated, worms", "deadlock holds, worms",
		"a packet never moves again", "a node has several flows of several alternatives", "windows", "discards")
}

// closed returns the network that the closed form of one says, which has to be the same.
func closed(t *rapid.T, n *spec.Network, seen map[string]int) *spec.Network {
	count(seen, len(n.FlowsApart()) > 0, "a node has several flows of several alternatives")
	count(seen, len(n.Windows()) > 0, "windows")
	var text bytes.Buffer
	if err := spec.WriteClosed(&text, n); err != nil {
		t.Fatal(err)
	}
	again, err := routing.ReadClosed(context.Background(), "n.json", text.Bytes(), routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if again.Digest() != n.Digest() || again.FlowCount() != n.FlowCount() || again.SiteCount() != n.SiteCount() {
		t.Fatalf("read again it is another network: %d flows and %d sites, not %d and %d\n%s",
			again.FlowCount(), again.SiteCount(), n.FlowCount(), n.SiteCount(), text.String())
	}
	return again
}

// TestRepliesArriveAsMessages: delivery with replies is never better than that of the same messages, each sent by
// itself. A network that is refused is as bad as one that violates delivery.
func TestRepliesArriveAsMessages(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(75, func() {
		rapid.Check(t, func(t *rapid.T) {
			d := draw(t, rapid.SampledFrom([]traffic{withReplies, outstanding}).Draw(t, "traffic"))
			d.packets()
			d.asked = true
			text, def := d.written(t)
			messages, err := routing.Messages(context.Background(), def)
			if err != nil {
				count(seen, true, "refused")
				return
			}
			whole, alone := delivery(t, def), delivery(t, messages)
			if rank[whole] > rank[alone] {
				t.Fatalf("delivery %s with replies, %s of the same messages, where n.star is\n%s", whole, alone, text)
			}
			seen[whole.String()+" as a whole, "+alone.String()+" alone"]++
		})
	})
	demand(t, seen, "violated as a whole, violated alone", "holds as a whole, holds alone")
}

var rank = map[spec.Verdict]int{spec.Violated: 0, spec.Unknown: 1, spec.Holds: 2}

func delivery(t *rapid.T, def routing.Definition) spec.Verdict {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		return spec.Violated
	}
	r, err := checker.Check(context.Background(), n, checker.Question{Workers: 1, Properties: []string{"delivery"}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings[0].Verdict
}

// TestOutstanding: a node has no more requests outstanding than it may. At most one in ten networks that can deadlock is
// left undecided.
func TestOutstanding(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(75, func() {
		rapid.Check(t, func(t *rapid.T) { compare(t, outstanding, seen) })
	})
	demand(t, seen, "a packet never moves again")
	all, undecided := seen["a packet never moves again"], seen["unknown, though a packet never moves again"]
	if undecided > 1+all/10 {
		t.Errorf("%d of %d networks that deadlock are left undecided", undecided, all)
	}
}
