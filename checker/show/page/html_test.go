package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/seed-105a2da2/unknot/checker/show/page"
)

// element is what the checks need of an element.
type element struct {
	name string
	attr map[string]string
	text string // of itself and its children
}

// voids are the elements of HTML that have no end tag.
var voids = []string{"meta", "link", "input", "br"}

// elements reads a page tag by tag, as strictly as XML: every tag that is not void must be closed
// by the tag of its name, in order. (Browsers and html.Parse repair errors, so parsing alone shows
// nothing.)
func elements(page []byte) ([]*element, error) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var all, open []*element
	for {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				return nil, fmt.Errorf("<%s> is not closed", open[len(open)-1].name)
			}
			return all, nil
		case html.TextToken:
			for _, e := range open {
				e.text += token.Data
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			e := &element{name: token.Data, attr: map[string]string{}}
			for _, a := range token.Attr {
				if _, twice := e.attr[a.Key]; twice {
					return nil, fmt.Errorf("<%s> has %s twice", e.name, a.Key)
				}
				e.attr[a.Key] = a.Val
			}
			all = append(all, e)
			if kind == html.StartTagToken && !slices.Contains(voids, e.name) {
				open = append(open, e)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1].name != token.Data {
				return nil, fmt.Errorf("</%s> closes nothing", token.Data)
			}
			open = open[:len(open)-1]
		}
	}
}

// faults lists what is wrong with a page.
func faults(text []byte) []string {
	var out []string
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	all, err := elements(text)
	if err != nil {
		return []string{err.Error()}
	}
	if len(text) > page.MostBytes {
		wrong("%d bytes", len(text))
	}
	ids := map[string]bool{}
	for _, e := range all {
		if id, ok := e.attr["id"]; ok {
			if ids[id] || id == "" {
				wrong("id %q is there twice", id)
			}
			ids[id] = true
		}
	}
	for _, e := range all {
		for key, value := range e.attr {
			switch {
			case key == "href" && e.name == "link" && value == "data:,":
			case key == "href" && !(strings.HasPrefix(value, "#") && ids[value[1:]]):
				wrong("<%s href=%q> leads out of the page", e.name, value)
			case key == "src", key == "srcset", key == "action", key == "data", key == "poster", key == "xlink:href", strings.HasPrefix(key, "on"):
				wrong("<%s %s=%q>", e.name, key, value)
			case key == "aria-labelledby" && !ids[value]:
				wrong("<%s> is labelled by %q, which does not exist", e.name, value)
			case strings.Contains(value, "ZgotmplZ"), strings.Contains(value, "NaN"), strings.Contains(value, "Inf"):
				wrong("<%s %s=%q>", e.name, key, value)
			}
		}
		labelled := strings.TrimSpace(e.text) != "" || e.attr["aria-label"] != ""
		switch {
		case e.name == "button" && (!labelled || e.attr["type"] != "button"):
			wrong("a button without a label or type")
		case e.name == "input" && e.attr["aria-label"] == "":
			wrong("an input without a label")
		case e.name == "svg" && e.attr["aria-hidden"] != "true" && (e.attr["role"] != "img" || e.attr["aria-label"] == ""):
			wrong("a picture without a label")
		case e.name == "th" && e.attr["scope"] == "":
			wrong("a heading of a table that heads nothing")
		case slices.Contains([]string{"img", "iframe", "object", "embed", "audio", "video", "form", "base"}, e.name):
			wrong("<%s>", e.name)
		case e.name == "script" && e.attr["type"] == "application/json" && !json.Valid([]byte(e.text)):
			wrong("data that is not JSON")
		case e.name == "style" && (strings.Contains(e.text, "@import") || strings.Contains(strings.ReplaceAll(e.text, "url(#", ""), "url(")):
			wrong("a style sheet that loads something")
		}
	}
	for _, scheme := range []string{"http://", "https://", "ws://"} {
		if bytes.Contains(text, []byte(scheme)) {
			wrong("it mentions %s", scheme)
		}
	}
	return out
}

func TestPages(t *testing.T) {
	t.Parallel()
	for name, s := range subjects(t) {
		t.Run(name, func(t *testing.T) {
			text := written(t, s, page.Options{Command: "unknot check 'it'"})
			for _, fault := range faults(text) {
				t.Error(fault)
			}
			if !bytes.Equal(text, written(t, s, page.Options{Command: "unknot check 'it'"})) {
				t.Error("it is not the same when written again")
			}
		})
	}
}

// The check itself must find faults.
func TestFaultsAreFound(t *testing.T) {
	for text, want := range map[string]string{
		`<p>`:                                        "not closed",
		`<p></b></p>`:                                "closes nothing",
		`<p id="a"></p><p id="a"></p>`:               "twice",
		`<a href="#b">b</a>`:                         "leads out",
		`<script src="x.js"></script>`:               "src",
		`<button type="button"></button>`:            "without a label",
		`<style>p { background: url(x) }</style>`:    "loads something",
		`<p>https://example.com</p>`:                 "mentions",
		`<script type="application/json">{</script>`: "not JSON",
		`<svg></svg>`:                                "picture",
		`<p onclick="x()"></p>`:                      "onclick",
	} {
		if got := strings.Join(faults([]byte(text)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Names cannot become markup or script.
func TestNamesAreText(t *testing.T) {
	hostile := []string{`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, "<!--", "{{.}}", "\u2028</title>"}
	plainPage, err := elements(written(t, decided(t, ring(t, len(hostile), plain)), page.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s := decided(t, ring(t, len(hostile), func(i int) string { return hostile[i] }))
	text := written(t, s, page.Options{Command: hostile[0], About: hostile[0]})
	for _, fault := range faults(text) {
		t.Error(fault)
	}
	all, err := elements(text)
	if err != nil {
		t.Fatal(err)
	}
	scripts := func(es []*element) (n int) {
		for _, e := range es {
			if e.name == "script" {
				n++
			}
		}
		return n
	}
	if scripts(all) != scripts(plainPage) {
		t.Errorf("%d scripts, want %d", scripts(all), scripts(plainPage))
	}
	if !bytes.Contains(text, []byte("&lt;/script&gt;")) {
		t.Error("the name is not shown as it is")
	}
}
