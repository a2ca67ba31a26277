// Package browsertest, internal to unknot, drives Chromium in tests of pages. Only tests import it,
// so that unknot itself is built without a browser's protocol.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser drives Chromium, and records what a page must not do.
type Browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	own      []string // prefixes of the addresses that the pages may request
	requests []string
	faults   []string
}

// New starts Chromium. If there is none, the test is skipped, except in CI.
func New(t *testing.T) *Browser {
	t.Helper()
	const program = "chromium"
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing: %v (Debian: apt install chromium)", program, err)
		}
		t.Skipf("%s is missing, so nothing is tried in a browser: %v (Debian: apt install chromium)", program, err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	b := &Browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	Call(b, network.Enable, network.EnableParams{})
	Call(b, log.Enable, cdp.Empty{})
	Call(b, runtime.Enable, cdp.Empty{})
	b.Do(chromedp.EmulateViewport(1200, 900))
	return b
}

func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			b.requests = append(b.requests, e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		what := d.Text
		if d.Exception != nil {
			what += " " + d.Exception.Description
		}
		b.faults = append(b.faults, fmt.Sprintf("exception: %s in %s line %d", what, d.URL, d.LineNumber))
	case *runtime.EventConsoleAPICalled:
		b.faults = append(b.faults, fmt.Sprintf("console: %s %v", e.Type, e.Args))
	case *log.EventEntryAdded:
		b.faults = append(b.faults, fmt.Sprintf("log: %s %s", e.Entry.Level, e.Entry.Text))
	}
}

// patience is how long one action may take on a busy machine.
const patience = time.Minute

// Do takes actions that return nothing.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Call sends a command of the protocol.
func Call[P, R any](b *Browser, command cdp.Command[P, R], p P) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, p); err != nil {
		b.t.Fatal(err)
	}
}

// Open loads an address; own is the prefix of the addresses that the page may request.
func (b *Browser) Open(address, own string) {
	b.t.Helper()
	b.mu.Lock()
	b.own = append(b.own, own)
	b.mu.Unlock()
	b.Do(chromedp.Navigate(address), chromedp.WaitReady("body"))
}

// Follow takes an action that leads to another page, and waits for the page.
func (b *Browser) Follow(a chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	Run(b, chromedp.WaitEvent(page.LoadEventFired, nil, a))
}

// Value evaluates an expression in the page.
func Value[T any](b *Browser, expression string) T {
	b.t.Helper()
	return Run(b, chromedp.Evaluate[T](expression))
}

// Run takes an action and returns its value.
func Run[T any](b *Browser, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Want compares the value of an expression.
func Want[T comparable](b *Browser, expression string, wanted T) {
	b.t.Helper()
	if got := Value[T](b, expression); got != wanted {
		b.t.Errorf("%s: got %v, want %v", expression, got, wanted)
	}
}

// Quiet checks that the page requested only its own addresses and had no complaints.
func (b *Browser) Quiet() {
	b.t.Helper()
	for _, c := range b.Complaints() {
		b.t.Error(c)
	}
}

// Complaints lists what the page must not have done: requests to other addresses,
// exceptions, messages on the console. If no request was seen at all, that is one, too:
// then nothing was watched.
func (b *Browser) Complaints() []string {
	// Once this is answered, everything that the page did before has been reported.
	Value[bool](b, "true")
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	if len(b.requests) == 0 {
		out = append(out, "no request was seen, not even for the page")
	}
	for _, r := range b.requests {
		if !slices.ContainsFunc(b.own, func(own string) bool { return strings.HasPrefix(r, own) }) {
			out = append(out, "the page asked for "+r)
		}
	}
	return append(out, b.faults...)
}

// Keep writes a screenshot into the folder that UNKNOT_ARTIFACTS names, or the
// test's own (go test -artifacts).
func (b *Browser) Keep(name string) {
	b.t.Helper()
	shot := Run(b, chromedp.FullScreenshot(100))
	dir := os.Getenv("UNKNOT_ARTIFACTS")
	if dir == "" {
		dir = b.t.ArtifactDir()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), shot, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// Shown is an expression for whether an element takes room on the page.
func Shown(selector string) string {
	return fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return r.width > 0 && r.height > 0 })()`, selector)
}
