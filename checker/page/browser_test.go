package page_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-105a2da2/unknot/checker/page"
)

// browser drives Chromium, and remembers what a page must not do.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	own      string // prefix of the addresses that the page may ask for
	requests []string
	faults   []string
}

// newBrowser starts Chromium. Without one the test is skipped, but not in CI.
func newBrowser(t *testing.T) *browser {
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
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	b.do(chromedp.EmulateViewport(1200, 900))
	return b
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			b.requests = append(b.requests, e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprintf("exception: %s line %d", e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber))
	case *runtime.EventConsoleAPICalled:
		b.faults = append(b.faults, fmt.Sprintf("console: %s %v", e.Type, e.Args))
	case *log.EventEntryAdded:
		b.faults = append(b.faults, fmt.Sprintf("log: %s %s", e.Entry.Level, e.Entry.Text))
	}
}

// patience is how long one action may take on a busy machine.
const patience = time.Minute

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *browser, command cdp.Command[P, R], p P) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, p); err != nil {
		b.t.Fatal(err)
	}
}

// open loads an address; own is the prefix of those that the page may ask for.
func (b *browser) open(address, own string) {
	b.t.Helper()
	b.mu.Lock()
	b.own = own
	b.mu.Unlock()
	b.do(chromedp.Navigate(address), chromedp.WaitReady("body"))
}

// value evaluates an expression of the page.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression))
}

func run[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// want compares the value of an expression.
func want[T comparable](b *browser, expression string, wanted T) {
	b.t.Helper()
	if got := value[T](b, expression); got != wanted {
		b.t.Errorf("%s: got %v, want %v", expression, got, wanted)
	}
}

// quiet checks that the page asked for nothing but its own and complained of nothing.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) == 0 {
		b.t.Error("no request was seen, not even for the page: nothing was watched")
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, b.own) {
			b.t.Errorf("the page asked for %s", r)
		}
	}
	for _, f := range b.faults {
		b.t.Error(f)
	}
}

// keep writes a screenshot into the folder that UNKNOT_ARTIFACTS names, or the
// test's own (go test -artifacts).
func (b *browser) keep(name string) {
	b.t.Helper()
	shot := run(b, chromedp.FullScreenshot(100))
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

// shown is whether an element takes room on the page.
func shown(selector string) string {
	return fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return r.width > 0 && r.height > 0 })()`, selector)
}

func TestReportInABrowser(t *testing.T) {
	b := newBrowser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	text := written(t, decided(t, model(t, "torus", map[string]string{"routing": "dor"})), page.Options{Command: "unknot check torus"})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	b.open(address, address)
	want(b, `document.querySelector(".verdicts a").textContent.trim()`, "✗ deadlock violated")
	want(b, shown(".player .badge"), false)

	// With the keyboard alone: four packets make the cycle round a row of the 4x4 torus.
	b.do(chromedp.Focus(`.player [data-do="step"]`))
	for i := range 4 {
		want(b, `document.querySelector(".player output").textContent`, fmt.Sprintf("%d of 4", i))
		b.do(chromedp.KeyEvent(kb.ArrowRight))
		want(b, `document.querySelectorAll(".player .slot.full").length`, i+1)
		want(b, `document.querySelectorAll(".player .slot.changed").length`, 1)
		want(b, `document.querySelectorAll(".player tr.changed").length`, 1)
	}
	want(b, `document.querySelector(".player").dataset.at`, "end")
	want(b, shown(".player .badge"), true)
	want(b, shown(".player .cycle path.strong"), true)
	want(b, `document.querySelectorAll(".player .badge").length`, 4)
	want(b, `document.activeElement.dataset.do`, "step")
	b.keep("report-end.png")

	b.do(chromedp.KeyEvent(kb.Home))
	want(b, `document.querySelector(".player output").textContent`, "0 of 4")
	want(b, `document.querySelectorAll(".player .slot.full").length`, 0)
	b.do(chromedp.Click(`.player [data-jump="2"]`))
	want(b, `document.querySelector(".player output").textContent`, "3 of 4")
	b.do(chromedp.Click(`.player [data-do="back"]`))
	want(b, `document.querySelector(".player output").textContent`, "2 of 4")
	b.do(chromedp.Focus(`.player input`), chromedp.KeyEvent(kb.End)) // the slider's own keys
	want(b, `document.querySelector(".player output").textContent`, "4 of 4")
	b.do(chromedp.Click(`.player [data-do="play"]`), chromedp.Poll[chromedp.Void](`document.querySelector(".player").dataset.at === "2"`),
		chromedp.Click(`.player [data-do="play"]`))

	// From all channels to the strongly connected part to the cycle: 64 channels,
	// 8 rings of 4 that no packet leaves backwards, one of which is drawn.
	for view, vertices := range map[string]int{"all": 64, "part": 4, "cycle": 4} {
		b.do(chromedp.Click(fmt.Sprintf(`[data-show=%q]`, view)))
		if view == "part" && value[bool](b, `document.querySelector('[data-show="part"]') === null`) {
			continue
		}
		want(b, `[...document.querySelectorAll("#dependency-graph .vertex")].filter(v => getComputedStyle(v).display !== "none").length`, vertices)
		want(b, fmt.Sprintf(`document.querySelector('[data-show=%q]').getAttribute("aria-pressed")`, view), "true")
	}
	b.quiet()
}

// Letters must stand out from the ground, at least 4.5 to 1 (WCAG 2, AA), by day
// and by night.
func TestContrast(t *testing.T) {
	b := newBrowser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, written(t, decided(t, ring(t, 4, plain)), page.Options{}), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.open(address, address)
		grounds[scheme] = value[string](b, `getComputedStyle(document.body).backgroundColor`)
		for _, pair := range [][2]string{
			{"--ink", "--ground"}, {"--faint", "--ground"}, {"--ink", "--raised"}, {"--holds", "--ground"}, {"--violated", "--ground"},
			{"--unknown", "--ground"}, {"--focus", "--ground"}, {"--ground", "--strong"}, {"--ink", "--full-ground"}, {"--ink", "--strong-ground"},
		} {
			ink := value[string](b, fmt.Sprintf(`getComputedStyle(document.body).getPropertyValue(%q)`, pair[0]))
			ground := value[string](b, fmt.Sprintf(`getComputedStyle(document.body).getPropertyValue(%q)`, pair[1]))
			if c := contrast(t, ink, ground); c < 4.5 {
				t.Errorf("%s: %s on %s is %.2f to 1", scheme, pair[0], pair[1], c)
			}
		}
		b.do(chromedp.Focus(`.player [data-do="last"]`), chromedp.KeyEvent(kb.End))
		b.keep("report-" + scheme + ".png")
	}
	if grounds["light"] == grounds["dark"] {
		t.Errorf("the ground is %s by day and by night", grounds["light"])
	}
	b.quiet()
}
