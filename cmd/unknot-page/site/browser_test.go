package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-105a2da2/unknot/cmd/unknot-page/exercises"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/spec/support/browsertest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// built builds the whole site by .ci/site, which bounds the size of the program, and unknot, which must say the same.
func built(t *testing.T) (site, unknot string) {
	t.Helper()
	room := t.TempDir()
	site, unknot = filepath.Join(room, "site"), filepath.Join(room, "unknot")
	t.Chdir("../../..")
	for _, c := range []*exec.Cmd{exec.Command(".ci/site", site), exec.Command("go", "build", "-o", unknot, "./cmd/unknot")} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	packed, err := os.Stat(filepath.Join(site, "unknot-page.bin"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the program has %d bytes, packed", packed.Size())
	return site, unknot
}

// TestSite opens the site in a browser: below a path of a server, without the server, and from files.
func TestSite(t *testing.T) {
	seedtest.InFull(t)
	b := browsertest.New(t)
	dir, unknot := built(t)
	server := httptest.NewServer(http.StripPrefix("/below", http.FileServer(http.Dir(dir))))
	defer server.Close()
	s := siteTest{t, b, server.URL + "/below/", dir}
	b.Open(s.at+"index.html", "blob:"+server.URL)
	b.Keep("site-index.png")
	for _, step := range []struct {
		name string
		take func()
	}{
		{"first verdict", s.firstVerdict},
		{"mistakes", func() { s.mistakes(unknot) }},
		{"exercises", s.exercises},
		{"share", s.shares},
		{"keyboard", s.keyboard},
		{"budget", s.budget},
		{"changes", s.changes},
		{"in sight", s.inSight},
		{"search", s.searches},
		{"phone and night", s.screens},
		{"every page", s.everyPage},
		{"offline", func() { s.offline(server.Close) }},
		{"from files", s.fromFiles},
	} {
		begun := time.Now()
		step.take()
		t.Logf("%s: %.1f s", step.name, time.Since(begun).Seconds())
		if t.Failed() {
			b.Keep("site-failed.png")
			t.Fatalf("in %s", step.name)
		}
	}
	b.Quiet()
}

type siteTest struct {
	t   *testing.T
	b   *browsertest.Browser
	at  string
	dir string
}

// open opens a page anew, whatever its fragment.
func (s siteTest) open(page string) {
	s.t.Helper()
	s.b.Do(chromedp.Navigate("about:blank"))
	s.b.Open(s.at+page, s.at)
}

// until waits for an expression to be true.
func (s siteTest) until(expression string) {
	s.t.Helper()
	s.b.Do(chromedp.Poll[chromedp.Void](expression))
}

const (
	answered = `!document.getElementById("answer").hidden`
	report   = `document.querySelector("iframe").contentDocument`
)

// textOf is an expression for the text of an element.
func textOf(id string) string { return fmt.Sprintf(`document.getElementById(%q).textContent`, id) }

// write puts a text into a field, and returns what the page makes of it once it is checked.
func (s siteTest) write(id, text string) {
	s.t.Helper()
	browsertest.Want(s.b, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = %q; f.dispatchEvent(new Event("input", { bubbles: true })); return true })()`,
		id, text), true)
}

func (s siteTest) check() {
	s.t.Helper()
	s.b.Do(chromedp.Click("#check"))
	s.until(answered)
}

// firstVerdict: five seconds are wanted on a machine that does nothing else.
func (s siteTest) firstVerdict() {
	begun := time.Now()
	s.open("playground.html")
	s.until(answered)
	took := time.Since(begun)
	s.t.Logf("first verdict after %.1f s, %d cores", took.Seconds(), runtime.NumCPU())
	if took > 20*time.Second {
		s.t.Errorf("the first verdict took %s", took)
	}
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .violated").length`, 1)
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .holds").length`, 2)
	browsertest.Want(s.b, `[...document.querySelectorAll("#verdicts small")].every(s => s.textContent.startsWith("verified: "))`, true)
	s.until(report + `?.querySelector(".player output") != null`)
	browsertest.Want(s.b, `(`+report+`.querySelector("[data-do=step]").click(), `+report+`.querySelector("output").textContent)`, "1 of 4")
	browsertest.Want(s.b, report+`.querySelectorAll(".player .slot.full").length`, 1)
	// What stands above the frame is not told again in it, and what is assumed comes below the packets that wait.
	browsertest.Want(s.b, report+`.querySelectorAll("h1, .verdicts").length`, 0)
	browsertest.Want(s.b, report+`.querySelector("#assumptions-0").compareDocumentPosition(`+report+
		`.querySelector(".player")) & Node.DOCUMENT_POSITION_PRECEDING`, 2)
	browsertest.Want(s.b, `getComputedStyle(`+report+`.querySelector("h2")).borderTopWidth`, "0px") // under the frame's own
	s.b.Keep("site-playground.png")
}

// changes: what is typed is there again when its example is, until it is given up.
func (s siteTest) changes() {
	choose := func(name string) {
		browsertest.Want(s.b, fmt.Sprintf(`(() => { const m = document.getElementById("example"); m.value = %q; `+
			`m.dispatchEvent(new Event("change")); return m.value })()`, name), name)
		s.until(fmt.Sprintf(`location.hash === "#example=" + %q && document.getElementById("name").value === %[1]q`, name))
	}
	const text, again, kept = `document.getElementById("text").value`, `document.getElementById("again").hidden`,
		`document.getElementById("kept").hidden`
	s.open("playground.html")
	browsertest.Want(s.b, `(sessionStorage.clear(), true)`, true) // of what other steps typed
	s.b.Do(chromedp.Reload())
	s.until(answered)
	given := browsertest.Value[string](s.b, text)
	browsertest.Want(s.b, again, true)
	s.b.Do(chromedp.Focus("#text"), chromedp.KeyEvent("# mine"))
	s.write("set", "n=5")
	mine := browsertest.Value[string](s.b, text)
	if !strings.Contains(mine, "# mine") {
		s.t.Errorf("typed: %q", mine)
	}
	browsertest.Want(s.b, again, false)
	choose("torus.star")
	browsertest.Want(s.b, again, true)
	browsertest.Want(s.b, kept, true)
	for _, back := range []func(){
		func() { choose("ring.star") },
		func() { s.open("playground.html#example=ring.star") },
		func() { s.b.Do(chromedp.Reload()) },
	} {
		back()
		s.until(answered)
		browsertest.Want(s.b, text, mine)
		browsertest.Want(s.b, `document.getElementById("set").value`, "n=5")
		browsertest.Want(s.b, kept, false)
	}
	s.b.Do(chromedp.Click("#again"))
	browsertest.Want(s.b, text, given)
	browsertest.Want(s.b, again, true)
	s.open("playground.html")
	s.until(answered)
	browsertest.Want(s.b, text, given)
	browsertest.Want(s.b, kept, true)
	// The menu has groups, and says what an example is about.
	browsertest.Want(s.b, `document.querySelectorAll("#example optgroup").length`, 4)
	browsertest.Want(s.b, `[...document.querySelectorAll("#example option")].find(o => o.value === "ring.star").text`,
		"ring: The smallest network that deadlocks")
	browsertest.Want(s.b, `document.querySelectorAll("#example option").length`, 1+examplesIn(s.t))
}

// examplesIn counts the examples that the menu must have, whatever its groups.
func examplesIn(t *testing.T) int {
	n := 0
	for _, pattern := range []string{"*.star", "protocols/*", "field/*.star"} {
		names, err := fs.Glob(examples.Files(), pattern)
		if err != nil {
			t.Fatal(err)
		}
		n += len(names)
	}
	return n
}

// inSight: the verdicts are in sight after Check without scrolling, on a laptop and on a phone.
func (s siteTest) inSight() {
	for _, size := range [][2]int64{{1280, 757}, {390, 844}} {
		s.b.Do(chromedp.EmulateViewport(size[0], size[1]))
		for _, page := range []string{"playground.html", "playground.html#exercise=dateline"} {
			s.open(page)
			if !strings.Contains(page, "#") {
				s.until(answered)
			}
			s.check()
			seen := []string{"#state", "#verdicts li:last-child"}
			if strings.Contains(page, "#") {
				seen = append(seen, "#marked")
			}
			for _, e := range seen {
				browsertest.Want(s.b, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); `+
					`return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight })()`, e), true)
			}
		}
		s.b.Keep(fmt.Sprintf("site-in-sight-%d.png", size[0]))
	}
	s.b.Do(chromedp.EmulateViewport(1200, 900))
}

// mistakes: what is wrong with a file is told as in the terminal, and the editor leads to the place.
func (s siteTest) mistakes(unknot string) {
	s.open("playground.html#example=ring.star")
	s.until(answered)
	ring := browsertest.Value[string](s.b, `document.getElementById("text").value`)
	folder := s.t.TempDir()
	for _, m := range []struct{ was, is, set string }{
		{was: "hop(at.node.out[0],", is: "hop(at.node.out[0]"},
		{was: "def route", is: "def rout"},
		{was: "out[0]", is: "outs[0]"},
		{was: "(i + 1) % n", is: "(i + 1)"},
		{was: "store-and-forward", is: "store-and-froward"},
		{was: "else 0)", is: "else 7)"},
		{was: "    past_dateline =", is: "  past_dateline ="},
		{was: "range(n)", is: "range(m)"},
		{was: "    return [hop", is: "    pass # [hop"},
		{was: "deadlock_freedom =", is: "deadlock ="},
		{set: "n=1"},
		{set: "k=4"},
	} {
		file := strings.ReplaceAll(ring, m.was, m.is)
		if file == ring && m.set == "" {
			s.t.Fatalf("the example has no %q", m.was)
		}
		if err := os.WriteFile(filepath.Join(folder, "ring.star"), []byte(file), 0o600); err != nil {
			s.t.Fatal(err)
		}
		c := exec.Command(unknot, "check", "ring.star")
		if m.set != "" {
			c.Args = append(c.Args, "--set", m.set)
		}
		c.Dir = folder
		said, _ := c.CombinedOutput()
		s.write("text", file)
		s.write("set", m.set)
		s.check()
		browsertest.Want(s.b, `"unknot: " + `+textOf("message"), strings.TrimSpace(string(said)))
	}
	s.write("text", ring)
	for set, nodes := range map[string]int{"n=5,vcs=2": 5, "n = 6, vcs = 1": 6, "--set n=7 --set vcs=2": 7, "n=8,": 8} {
		s.write("set", "five")
		s.b.Do(chromedp.Click("#check"))
		browsertest.Want(s.b, textOf("state"), "parameters: five: want name=value")
		browsertest.Want(s.b, `document.getElementById("answer").hidden`, true)
		s.write("set", set)
		s.check()
		browsertest.Want(s.b, textOf("printed")+fmt.Sprintf(`.includes("network: %d nodes")`, nodes), true)
	}
	s.open("playground.html#exercise=nonsense")
	s.until(`document.getElementById("state").textContent.startsWith("There is no exercise called nonsense")`)
	s.open("playground.html#example=ring.star")
	s.until(answered)
	s.write("text", strings.Replace(ring, "out[0]", "outs[0]", 1))
	s.write("set", "--set n=5")
	s.check()
	s.b.Do(chromedp.Click("#go"))
	browsertest.Want(s.b, `(() => { const t = document.getElementById("text"); return t === document.activeElement && `+
		`t.value.slice(0, t.selectionStart).split("\n").pop().trim() })()`, "return [hop(at.node")
	browsertest.Want(s.b, `document.querySelector("#numbers b").textContent.trim()`, "17")
	s.b.Keep("site-mistake.png")
}

// exercises: each is unsolved as it begins, and solved by its solution.
func (s siteTest) exercises() {
	s.open("exercises.html")
	s.b.Follow(chromedp.Click(".exercises a"))
	for _, e := range exercises.All() {
		title, _, _, err := e.Task()
		if err != nil {
			s.t.Fatal(err)
		}
		browsertest.Want(s.b, fmt.Sprintf(`(location.hash = "exercise=%s", true)`, e.Name), true)
		s.until(fmt.Sprintf(`%s === %q`, textOf("exercise-title"), title))
		s.check()
		browsertest.Want(s.b, textOf("marked")+`.startsWith("Not yet: ")`, true)
		solution, err := os.ReadFile("cmd/unknot-page/exercises/testdata/" + e.Name + ".star")
		if err != nil {
			s.t.Fatal(err)
		}
		s.write("text", string(solution))
		s.check()
		browsertest.Want(s.b, textOf("marked"), "✓ Solved: the verifier accepts the evidence.")
	}
	s.b.Keep("site-exercise.png")
	s.open("exercises.html")
	browsertest.Want(s.b, `[...document.querySelectorAll(".solved")].filter(e => !e.hidden).length`, len(exercises.All()))
	s.b.Keep("site-exercises.png")
}

// shares: an address has the whole file and the parameters, and so have those that the guide links to.
func (s siteTest) shares() {
	s.open("playground.html#example=torus.star")
	s.until(answered)
	s.write("text", browsertest.Value[string](s.b, `document.getElementById("text").value`)+"# größer\n")
	s.write("set", "k=3")
	s.b.Do(chromedp.Click("#share"))
	s.until(`location.hash.includes("text=")`)
	shared := browsertest.Value[string](s.b, `location.hash`)
	s.open("playground.html" + shared)
	s.until(answered)
	browsertest.Want(s.b, `document.getElementById("text").value.endsWith("# größer\n")`, true)
	browsertest.Want(s.b, `document.getElementById("set").value`, "k=3")
	browsertest.Want(s.b, textOf("printed")+`.includes("network: 9 nodes")`, true)
	s.open("playground.html#example=torus.star&set=k%3D4+datelines%3Dfalse") // as README asks of its torus
	s.until(answered)
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .violated").length`, 1)
	s.open("playground.html#text=damaged!")
	s.until(textOf("state") + `.startsWith("The address is damaged")`)
	s.open("guide/first-network.html")
	s.b.Keep("site-guide.png")
	s.b.Follow(chromedp.Click(".try a"))
	s.until(answered)
	browsertest.Want(s.b, `document.querySelector("#verdicts .violated").firstChild.textContent`, "✗ deadlock freedom violated")
}

// keyboard: from the first link to a verdict by keys alone, and out of the editor again.
func (s siteTest) keyboard() {
	s.open("playground.html#exercise=dateline")
	s.b.Do(chromedp.KeyEvent(kb.Tab))
	browsertest.Want(s.b, `document.activeElement.className`, "skip")
	s.b.Do(chromedp.KeyEvent(kb.Enter))
	for range 20 {
		if browsertest.Value[string](s.b, `document.activeElement.id`) == "text" {
			break
		}
		s.b.Do(chromedp.KeyEvent(kb.Tab))
	}
	browsertest.Want(s.b, `document.activeElement.id`, "text")
	s.b.Do(chromedp.KeyEvent("# x:\r"))
	browsertest.Want(s.b, `document.getElementById("text").value.includes("# x:\n    ")`, true)
	s.b.Do(chromedp.KeyEvent(kb.Tab))
	browsertest.Want(s.b, `document.activeElement.id`, "check")
	s.b.Do(chromedp.KeyEvent(kb.Enter))
	s.until(answered)
	browsertest.Want(s.b, `getComputedStyle(document.activeElement).outlineStyle`, "solid")
}

// budget: a limit ends what takes too long, with what is known; and so does the button.
func (s siteTest) budget() {
	s.open("playground.html#example=protocols/09_peterson.star")
	s.until(answered)
	s.write("set", "n=6")
	s.write("states", "5000")
	s.check()
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .unknown").length > 0`, true)
	s.write("states", "10000000")
	s.write("seconds", "1")
	s.b.Do(chromedp.Click("#check"))
	s.until(answered + ` || ` + textOf("state") + `.startsWith("Unknown: ")`)
	s.write("seconds", "100")
	s.b.Do(chromedp.Click("#check"), chromedp.Click("#stop"))
	browsertest.Want(s.b, textOf("state"), "Stopped.")
	// A worker that was ended while it loaded its script reports that as an error, and too late.
	browsertest.Want(s.b, `(() => { const ended = worker; stop("Stopped."); `+
		`ended.dispatchEvent(new ErrorEvent("error", { message: "cut off" })); return `+textOf("state")+` })()`, "Stopped.")
	s.write("set", "n=2")
	s.check()
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .unknown").length`, 0)
}

func (s siteTest) searches() {
	for page, wanted := range map[string]string{"index.html": "guide/", "guide/answers.html": "../guide/", "papers/torus.html": "../guide/"} {
		s.open(page)
		s.b.Do(chromedp.Focus("#search"), chromedp.KeyEvent("dateline ring"))
		s.until(`document.querySelectorAll("#found a").length > 2`)
		browsertest.Want(s.b, fmt.Sprintf(`document.querySelector("#found a").getAttribute("href").startsWith(%q)`, wanted), true)
	}
	s.b.Keep("site-search.png")
	s.b.Do(chromedp.KeyEvent(kb.Escape))
	browsertest.Want(s.b, `document.getElementById("found").hidden`, true)
}

// pages is one page of each kind.
var pages = []string{
	"index.html", "playground.html", "exercises.html", "field.html", "guide/index.html", "guide/network-files.html",
	"papers/index.html", "papers/torus.html",
}

// screens: on a phone no page is wider than the screen; letters have a contrast of 4.5 to 1 by day and by night.
func (s siteTest) screens() {
	for _, scheme := range []string{"light", "dark"} {
		browsertest.Call(s.b, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		for _, size := range [][2]int64{{360, 740}, {1200, 900}} {
			s.b.Do(chromedp.EmulateViewport(size[0], size[1]))
			for _, page := range pages {
				s.open(page)
				if page == "playground.html" {
					s.until(answered)
				}
				if faint := browsertest.Value[string](s.b, faintest); faint != "" {
					s.t.Errorf("%s, %s: %s", page, scheme, faint)
				}
				browsertest.Want(s.b, `document.documentElement.scrollWidth <= innerWidth`, true)
				s.b.Keep(fmt.Sprintf("site-%s-%d-%s.png", strings.ReplaceAll(strings.TrimSuffix(page, ".html"), "/", "-"), size[0], scheme))
			}
		}
	}
}

// everyPage: on a phone no page is wider than the screen, no cell of a table has a long text in a narrow column, and
// letters of pictures can be read and are within what they are in.
func (s siteTest) everyPage() {
	s.b.Do(chromedp.EmulateViewport(360, 740))
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) != ".html" {
			return err
		}
		s.b.Open(s.at+name, s.at)
		if bad := browsertest.Value[string](s.b, unfit); bad != "" {
			s.t.Errorf("%s: %s", name, bad)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
	s.b.Do(chromedp.EmulateViewport(1200, 900))
}

// unfit says what of a page does not fit; "" if all does.
const unfit = `(() => {
	if (document.documentElement.scrollWidth > innerWidth) return "wider than the screen";
	for (const e of document.querySelectorAll("td"))
		if (e.textContent.length > 100 && e.offsetWidth < 110) return "narrow: " + e.textContent.slice(0, 60);
	for (const e of document.querySelectorAll(".whole"))
		if (e.getClientRects().length > 1) return "in two lines: " + e.textContent;
	for (const e of document.querySelectorAll("caption"))
		if (e.getBoundingClientRect().right > innerWidth) return "beyond the screen: " + e.textContent;
	const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1;
	for (const e of document.querySelectorAll("figure svg text")) {
		const box = e.getBoundingClientRect(), size = parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a;
		if (box.width === 0) continue; // of a view that is not shown
		if (size < 8) return size + " pixels: " + e.textContent;
		const around = e.closest(".vertex")?.querySelector("rect") || e.ownerSVGElement;
		if (!e.matches(".number") && !within(box, around.getBoundingClientRect())) return "cut: " + e.textContent;
	}
	return "";
})()`

// faintest says which text has too little contrast with what is behind it; "" if none has.
const faintest = `(() => {
	const parts = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parts(c).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
	const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, p = parts(c); if (p.length < 4 || p[3] > 0) return c } return "rgb(255, 255, 255)" };
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest("svg, select, textarea, [hidden]") || e.tagName === "SCRIPT" || e.disabled) continue;
		const a = light(getComputedStyle(e).color), b = light(ground(e)), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (c < 4.5) return e.tagName + "." + e.className + " " + e.textContent.slice(0, 30) + ": " + c.toFixed(2);
	}
	return "";
})()`

// offline: once loaded, everything works without a server.
func (s siteTest) offline(unplug func()) {
	s.open("index.html")
	s.until(`navigator.serviceWorker.controller !== null`)
	unplug()
	s.open("playground.html#example=torus.star")
	s.until(answered)
	browsertest.Want(s.b, `document.querySelectorAll("#verdicts .holds").length`, 3)
	s.open("guide/methods.html")
	browsertest.Want(s.b, `document.querySelector("h1").textContent.length > 0`, true)
}

// fromFiles: the guide works, with its search, and the playground says why it does not.
func (s siteTest) fromFiles() {
	at := (&url.URL{Scheme: "file", Path: s.dir}).String() + "/"
	s.b.Open(at+"guide/answers.html", at)
	s.b.Do(chromedp.Focus("#search"), chromedp.KeyEvent("certificate"))
	s.until(`document.querySelectorAll("#found a").length > 2`)
	s.b.Open(at+"playground.html", at)
	browsertest.Want(s.b, textOf("unable")+`.startsWith("This page was opened from a file")`, true)
	browsertest.Want(s.b, `document.getElementById("check").disabled`, true)
	s.b.Keep("site-from-file.png")
	s.b.Open(at+"reports/rings_bubble.html", at)
	browsertest.Want(s.b, `document.querySelector(".player") !== null`, true)
}
