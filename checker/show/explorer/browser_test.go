package explorer

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/browsertest"
)

// With the keyboard alone: along the trace to the four packets that wait for
// each other round a row of the torus, back, and off it by the first move.
func TestWalkInABrowser(t *testing.T) {
	b := browsertest.New(t)
	n := modeltest.Network(t, "torus", map[string]string{"routing": "dor"})
	trace := deadlock(t, n)
	o, err := Follow(evidence.Trace{Network: n, Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	urls := make(chan string, 1)
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, 0, o, func(u string) { urls <- u }) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	address := <-urls
	b.Open(address, address)
	key := func(key, path string) {
		t.Helper()
		b.Follow(chromedp.KeyEvent(key))
		browsertest.Want(b, `location.pathname.endsWith("`+path+`")`, true)
	}
	for i := range o.Trace.Choices {
		key(kb.ArrowRight, "walk/"+o.Trace.prefix(i+1).String())
		browsertest.Want(b, `document.querySelectorAll(".slot.full").length`, i+1)
		browsertest.Want(b, `document.querySelectorAll(".slot.changed").length`, 1)
	}
	browsertest.Want(b, browsertest.Shown(".cycle path.strong"), true)
	browsertest.Want(b, `document.querySelectorAll(".waits li").length`, 4)
	b.Keep("explore-end.png")
	key(kb.ArrowLeft, "walk/"+o.Trace.prefix(3).String())
	key(kb.Home, "walk/0")
	key(kb.End, "walk/"+o.Trace.String())
	key(kb.Home, "walk/0")
	b.Follow(chromedp.Click("a.door"))
	browsertest.Want(b, `document.querySelectorAll("[data-move]").length > 1`, true)
	first := 0 // the first injection at the first node
	m := o.Machine.(*states.Traffic)
	for m.Moves(m.Empty())[first].From != spec.Injection(0) {
		first++
	}
	key("1", fmt.Sprintf("walk/0.%d", first))
	browsertest.Want(b, `document.querySelectorAll(".history li").length`, 1)
	b.Follow(chromedp.Click("#back"))
	browsertest.Want(b, `location.pathname.endsWith("walk/0")`, true)
	b.Follow(chromedp.SendKeys("input[name=find]", "for (2,2)\r"))
	// 15 other nodes send to (2,2), each with one first hop.
	browsertest.Want(b, `document.querySelectorAll("[data-move]").length`, 15)
	b.Quiet()
}
