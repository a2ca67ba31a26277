package page_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec/support/browsertest"
)

func TestReportInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	stepsToTheEnd(t, b)
	standsOut(t, b)
	zooms(t, b)
	b.Quiet()
}

// zooms: for a large network the page shows the part that deadlocks, on request all of it, and
// the player's buttons stay in sight next to the drawing.
func zooms(t *testing.T, b *browsertest.Browser) {
	opened(t, b, decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor", "k": "10"})))
	const (
		drawing = `document.querySelector(".player figure svg").viewBox.baseVal`
		button  = `document.querySelector(".player .zoom")`
		inSight = `(() => { const b = document.querySelector(".player [data-do=step]").getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })()`
	)
	area := drawing + ".width * " + drawing + ".height"
	part := browsertest.Value[float64](b, area)
	b.Do(chromedp.Click(".player .zoom"))
	browsertest.Want(b, button+`.getAttribute("aria-pressed")`, "true")
	if whole := browsertest.Value[float64](b, area); part*2 > whole {
		t.Errorf("the part that is shown takes %.0f of %.0f", part, whole)
	}
	browsertest.Want(b, `(document.querySelector(".player").scrollIntoView(), true)`, true)
	browsertest.Want(b, inSight, true)
	b.Do(chromedp.Click(".player .zoom"))
	browsertest.Want(b, area, part)
	b.Keep("report-large.png")
}

// opened writes a page to disk and opens it from there.
func opened(t *testing.T, b *browsertest.Browser, s *checker.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, written(t, s, page.Options{Command: "unknot check"}), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	b.Open(address, address)
}

func stepsToTheEnd(t *testing.T, b *browsertest.Browser) {
	opened(t, b, decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor"})))
	browsertest.Want(b, `document.querySelector(".verdicts a").textContent.trim()`, "✗ deadlock freedom violated")
	browsertest.Want(b, browsertest.Shown(".player .badge"), false)

	// With the keyboard alone: four packets form the cycle around a row of the 4x4 torus.
	b.Do(chromedp.Focus(`.player [data-do="step"]`))
	for i := range 4 {
		browsertest.Want(b, `document.querySelector(".player output").textContent`, fmt.Sprintf("%d of 4", i))
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
		browsertest.Want(b, `document.querySelectorAll(".player .slot.full").length`, i+1)
		browsertest.Want(b, `document.querySelectorAll(".player .slot.changed").length`, 1)
		browsertest.Want(b, `document.querySelectorAll(".player tr.changed").length`, 1)
	}
	browsertest.Want(b, `document.querySelector(".player").dataset.at`, "end")
	browsertest.Want(b, browsertest.Shown(".player .badge"), true)
	browsertest.Want(b, browsertest.Shown(".player .cycle path.strong"), true)
	browsertest.Want(b, `document.querySelectorAll(".player .badge").length`, 4)
	browsertest.Want(b, `document.activeElement.dataset.do`, "step")
	b.Keep("report-end.png")

	b.Do(chromedp.KeyEvent(kb.Home))
	browsertest.Want(b, `document.querySelector(".player output").textContent`, "0 of 4")
	browsertest.Want(b, `document.querySelectorAll(".player .slot.full").length`, 0)
	b.Do(chromedp.Click(`.player [data-jump="2"]`))
	browsertest.Want(b, `document.querySelector(".player output").textContent`, "3 of 4")
	b.Do(chromedp.Click(`.player [data-do="back"]`))
	browsertest.Want(b, `document.querySelector(".player output").textContent`, "2 of 4")
	b.Do(chromedp.Focus(`.player input`), chromedp.KeyEvent(kb.End)) // the slider's own keys
	browsertest.Want(b, `document.querySelector(".player output").textContent`, "4 of 4")
	b.Do(chromedp.Click(`.player [data-do="play"]`), chromedp.Poll[chromedp.Void](`document.querySelector(".player").dataset.at === "2"`),
		chromedp.Click(`.player [data-do="play"]`))

	// From all channels to the strongly connected part to the cycle: 64 channels,
	// 8 rings of 4 that no packet leaves backwards, one of which is drawn.
	for view, vertices := range map[string]int{"all": 64, "part": 4, "cycle": 4} {
		b.Do(chromedp.Click(fmt.Sprintf(`[data-show=%q]`, view)))
		if view == "part" && browsertest.Value[bool](b, `document.querySelector('[data-show="part"]') === null`) {
			continue
		}
		browsertest.Want(b, `[...document.querySelectorAll("#dependency-graph .vertex")].filter(v => getComputedStyle(v).display !== "none").length`, vertices)
		if view == "cycle" {
			browsertest.Want(b, `[...document.querySelectorAll("#dependency-graph path")].filter(p => getComputedStyle(p).display !== "none").length`, 4)
		}
		browsertest.Want(b, fmt.Sprintf(`document.querySelector('[data-show=%q]').getAttribute("aria-pressed")`, view), "true")
	}
}

// Letters must have a contrast of at least 4.5 to 1 (WCAG 2, AA), by day and by
// night.
func standsOut(t *testing.T, b *browsertest.Browser) {
	s := decided(t, ring(t, 4, plain))
	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		browsertest.Call(b, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		opened(t, b, s)
		grounds[scheme] = browsertest.Value[string](b, `getComputedStyle(document.body).backgroundColor`)
		for _, pair := range [][2]string{
			{"--ink", "--ground"}, {"--faint", "--ground"}, {"--ink", "--raised"}, {"--holds", "--ground"}, {"--violated", "--ground"},
			{"--unknown", "--ground"}, {"--focus", "--ground"}, {"--ground", "--strong"}, {"--ink", "--full-ground"}, {"--ink", "--strong-ground"},
		} {
			ink := browsertest.Value[string](b, fmt.Sprintf(`getComputedStyle(document.body).getPropertyValue(%q)`, pair[0]))
			ground := browsertest.Value[string](b, fmt.Sprintf(`getComputedStyle(document.body).getPropertyValue(%q)`, pair[1]))
			if c := contrast(t, ink, ground); c < 4.5 {
				t.Errorf("%s: %s on %s is %.2f to 1", scheme, pair[0], pair[1], c)
			}
		}
	}
	b.Do(chromedp.Focus(`.player [data-do="last"]`), chromedp.KeyEvent(kb.End))
	b.Keep("report-dark.png")
	if grounds["light"] == grounds["dark"] {
		t.Errorf("the ground is %s by day and by night", grounds["light"])
	}
}
