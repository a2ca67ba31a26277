package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// section is a part of a page that the search finds.
type section struct {
	Href    string `json:"href"`
	Page    string `json:"page"`
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
}

func dirFS(dir string) fs.FS { return os.DirFS(dir) }

func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(code{}, 1))),
	)
}

// paragraph renders a text that is part of a page.
func paragraph(source string) (template.HTML, error) {
	var b bytes.Buffer
	err := markdown().Convert([]byte(source), &b)
	return template.HTML(b.String()), err
}

// render renders a page and returns its sections. Links to other pages of Markdown become those to pages of the site,
// and other links within the repository are their text.
func render(file, source string) (html string, sections []section, err error) {
	m, src := markdown(), []byte(source)
	doc := m.Parser().Parse(text.NewReader(src))
	var links []*ast.Link
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, n)
		case *tables.TableCell:
			if utf8.RuneCountInString(plain(n, src)) > longCell {
				n.SetAttributeString("class", "text")
			}
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			title := plain(n, src)
			switch {
			case n.Level == 1:
				name, _, _ := strings.Cut(title, ": ")
				sections = append(sections, section{Href: file, Page: name, Text: title})
				return ast.WalkSkipChildren, nil
			case len(sections) == 0:
				return 0, fmt.Errorf("the page does not begin with its title")
			case n.Level == 2:
				sections = append(sections, section{
					Href: fmt.Sprintf("%s#%s", file, id), Page: sections[0].Page, Heading: title,
				})
				return ast.WalkSkipChildren, nil
			}
		case *ast.Text, *ast.FencedCodeBlock:
			if len(sections) > 0 {
				last := &sections[len(sections)-1]
				last.Text = strings.TrimSpace(last.Text + " " + plain(n, src))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || len(sections) == 0 {
		return "", nil, fmt.Errorf("a page without a title: %w", err)
	}
	for _, l := range links {
		to, is := linked(file, string(l.Destination))
		if is {
			l.Destination = []byte(to)
			continue
		}
		for c := l.FirstChild(); c != nil; c = l.FirstChild() {
			l.Parent().InsertBefore(l.Parent(), l, c)
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
	var b bytes.Buffer
	if err := m.Renderer().Render(&b, src, doc); err != nil {
		return "", nil, err
	}
	wide := strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>")
	return wide.Replace(b.String()), sections, nil
}

// longCell is the letters of a table's cell beyond which it is a text, whose column must not be narrow.
const longCell = 100

// plain returns the text below a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	switch n := n.(type) {
	case *ast.Text:
		b.Write(n.Segment.Value(source))
		if n.SoftLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.FencedCodeBlock:
		b.Write(n.Lines().Value(source))
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(plain(c, source))
	}
	return b.String()
}

// linked returns where a link of a page of Markdown leads in the site; false: nowhere.
func linked(file, to string) (string, bool) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to, true
	}
	name, fragment, _ := strings.Cut(to, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	switch {
	case strings.HasSuffix(name, "models/pages/README.md"), file != "papers/index.html" && name == "README.md":
		return "../papers/index.html", true
	case strings.Contains(name, "models/examples"):
		return "../playground.html", true
	case path.Ext(name) == ".md" && strings.Contains(name, "models/pages/"):
		return "../papers/" + strings.TrimSuffix(path.Base(name), ".md") + ".html" + fragment, true
	case path.Ext(name) == ".md" && strings.Contains(name, "guide/"):
		return "../guide/" + strings.TrimSuffix(path.Base(name), ".md") + ".html" + fragment, true
	case path.Ext(name) == ".md" && !strings.Contains(name, "/"):
		return strings.TrimSuffix(name, ".md") + ".html" + fragment, true
	}
	return "", false
}

// code renders code. A block that is a file has its name: a network or protocol file in a link that opens it in the
// playground.
type code struct{}

func (code) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeSpan, span)
	r.Register(ast.KindFencedCodeBlock, block)
}

// span keeps words with hyphens whole, as browsers break lines behind them: within --set, for example.
func span(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	const most = 24 // letters, which every screen has room for
	words := strings.Split(strings.ReplaceAll(plain(n, source), "\n", " "), " ")
	for i, word := range words {
		text := template.HTMLEscapeString(word)
		if strings.Contains(word, "-") && len(word) <= most {
			text = `<span class="whole">` + text + "</span>"
		}
		words[i] = text
	}
	fmt.Fprintf(w, "<code>%s</code>", strings.Join(words, " "))
	return ast.WalkSkipChildren, nil
}

func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	f := n.(*ast.FencedCodeBlock)
	var info string
	if f.Info != nil {
		info = string(f.Info.Segment.Value(source))
	}
	language, name, _ := strings.Cut(info, " ")
	text := string(f.Lines().Value(source))
	opens := path.Ext(name) == ".star" && !reads.MatchString(text)
	if name != "" && !opens {
		fmt.Fprintf(w, "<p class=\"file\"><code>%s</code></p>\n", template.HTMLEscapeString(name))
	}
	fmt.Fprintf(w, `<pre tabindex="0"><code class="language-%s">%s</code></pre>`, template.HTMLEscapeString(language),
		template.HTMLEscapeString(text))
	if opens {
		shared, err := packed(text)
		if err != nil {
			return 0, err
		}
		name = path.Base(name)
		fmt.Fprintf(w, `<p class="try"><a href="../playground.html#name=%s&amp;text=%s">Open %s in the playground</a></p>`,
			url.QueryEscape(name), shared, template.HTMLEscapeString(name))
	}
	fmt.Fprintln(w)
	return ast.WalkSkipChildren, nil
}

// reads matches what a file reads beside it, which the playground does not have.
var reads = regexp.MustCompile(`\b(load|topology|table|tables|json|paths|network_of)\(`)

// packed returns a text as addresses of the playground hold it: deflated, in the URL's base 64.
func packed(code string) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write([]byte(code)); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

var (
	href   = regexp.MustCompile(`<a [^>]*href="([^"]*)"`)
	anchor = regexp.MustCompile(` id="([^"]*)"`)
)

// links checks that every link of every page leads to a file of the site, and to a place that it has.
func (s *site) links(context.Context) error {
	for file, text := range s.files {
		if path.Ext(file) != ".html" {
			continue
		}
		for _, l := range href.FindAllSubmatch(text, -1) {
			to := string(l[1])
			if strings.Contains(to, "://") {
				continue
			}
			name, fragment, _ := strings.Cut(to, "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			page, is := s.files[target]
			if !is {
				return fmt.Errorf("%s has a link to %s, which is not there", file, to)
			}
			if fragment == "" || target == "playground.html" {
				continue
			}
			named := func(place [][]byte) bool { return string(place[1]) == fragment }
			if !slices.ContainsFunc(anchor.FindAllSubmatch(page, -1), named) {
				return fmt.Errorf("%s has a link to %s, where no place has that name", file, to)
			}
		}
	}
	return nil
}
