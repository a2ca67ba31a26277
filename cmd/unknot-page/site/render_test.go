package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRender: names of files and of flags stay whole, and what a browser could take for markup is text.
func TestRender(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"`unknot check --set n=4`", `<code>unknot check <span class="whole">--set</span> n=4</code>`},
		{"`a name-that-is-longer-than-a-column`", `<code>a name-that-is-longer-than-a-column</code>`},
		{"`a->b <c`", `<code><span class="whole">a-&gt;b</span> &lt;c</code>`},
		{"`two\nlines`", `<code>two lines</code>`},
		{"|a|b|\n|-|-|\n|`x\\|y`|z|", `<td><code>x|y</code></td>`},
		{"|a|b|\n|-|-|\n|" + strings.Repeat("m", 101) + "|z|", `<td class="text">m`},
		{"|a|b|\n|-|-|\n|" + strings.Repeat("m", 100) + "|z|", `<td>m`},
		{"```text fib/a.csv\nx<y\n```", `<p class="file"><code>fib/a.csv</code></p>` + "\n" +
			`<pre tabindex="0"><code class="language-text">x&lt;y` + "\n</code></pre>"},
		{"```text\nx\n```", "</h1>\n<pre"},
		// One with a link says its name there, and one that reads other files has no link.
		{"```python mine/ring.star\nx\n```", "</h1>\n<pre"},
		{"```python mine/ring.star\nx\n```", `">Open ring.star in the playground</a></p>`},
		{"```python leaves.star\ntopology(\"x\")\n```", `<code>leaves.star</code>`},
	} {
		html, _, err := render("guide/page.html", "# Title\n\n"+c.source)
		if err != nil || !strings.Contains(html, c.want) {
			t.Errorf("%s: %v\n%s\nwithout %s", c.source, err, html, c.want)
		}
	}
}

// TestEmphasis: an asterisk for "times" begins or ends what is emphasised, and then a letter stands next to it.
func TestEmphasis(t *testing.T) {
	joined := regexp.MustCompile(`.{0,40}(\w<(em|strong)>|</(em|strong)>\w).{0,40}`)
	if joined.FindString("VC <em>i</em>m + k*") == "" {
		t.Fatal("the expression finds nothing")
	}
	for _, pattern := range []string{"../../unknot/guide/*.md", "../../../models/pages/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(names))
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			html, _, err := render("guide/page.html", string(text))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, found := range joined.FindAllString(html, -1) {
				t.Errorf("%s: %s", filepath.Base(name), found)
			}
		}
	}
}
