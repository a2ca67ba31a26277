package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/cmd/unknot-page/exercises"
	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// view is what the layout of every page shows.
type view struct {
	Title  string
	Part   string // of the site, which its navigation marks
	Root   string // the way from the page to the root, "" or "../"
	Policy string
	Groups []group
	Here   string // topic of the page
	Body   template.HTML
	Data   any
	Script []string // files
}

// group is a part of a list of pages.
type group struct {
	Title string
	Pages []link
}

type link struct{ Href, Title, About string }

// page writes a page: body is the name of a template, or "" if v has the body.
func (s *site) page(file, body string, v view) error {
	v.Root, v.Policy = strings.Repeat("../", strings.Count(file, "/")), s.policy
	t, err := template.New("").Funcs(template.FuncMap{"freedom": evidence.Freedom}).ParseFS(assets, "assets/*.html")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if body != "" {
		if err := t.ExecuteTemplate(&b, body, v); err != nil {
			return err
		}
		v.Body = template.HTML(b.String())
		b.Reset()
	}
	if err := t.ExecuteTemplate(&b, "layout.html", v); err != nil {
		return err
	}
	s.files[file] = b.Bytes()
	return nil
}

// guide renders the pages of the guide.
func (s *site) guide(ctx context.Context) error {
	if err := s.reportPolicy(ctx); err != nil {
		return err
	}
	var groups []group
	for _, g := range guide.Groups() {
		list := group{Title: g.Title}
		for _, topic := range g.Topics {
			title, about, _ := strings.Cut(guide.Title(topic), ": ")
			list.Pages = append(list.Pages, link{topic + ".html", title, about})
		}
		groups = append(groups, list)
	}
	for _, topic := range guide.Topics() {
		text, err := guide.Page(topic)
		if err != nil {
			return err
		}
		if err := s.rendered("guide/"+topic+".html", text, view{Part: "guide", Groups: groups}); err != nil {
			return fmt.Errorf("guide/%s.md: %w", topic, err)
		}
	}
	return s.page("guide/index.html", "list.html", view{Title: "Guide", Part: "guide", Data: groups})
}

// papers renders the pages of models.
func (s *site) papers(context.Context) error {
	const folder = "models/pages"
	names, err := fs.Glob(dirFS("."), folder+"/*.md")
	if err != nil || len(names) == 0 {
		return cmp.Or(err, fmt.Errorf("%s is empty: want a clone of unknot as the working directory", folder))
	}
	for _, name := range names {
		text, err := limited.ReadFile(name, most)
		if err != nil {
			return err
		}
		file := strings.TrimSuffix(path.Base(name), ".md") + ".html"
		if file == "README.html" {
			file = "index.html"
		}
		if err := s.rendered("papers/"+file, string(text), view{Part: "papers"}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// rendered renders a page of Markdown, and lists its sections for the search.
func (s *site) rendered(file, text string, v view) error {
	body, sections, err := render(file, text)
	if err != nil {
		return err
	}
	v.Title, v.Here, v.Body = sections[0].Page, path.Base(file), template.HTML(body)
	s.search = append(s.search, sections...)
	return s.page(file, "", v)
}

// example is a file of the playground's menu.
type example struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// exampleGroups are the parts of the menu: the examples of a folder, or of those the lessons, whose headings are numbered.
var exampleGroups = [...]struct {
	pattern, title string
	lessons        bool
}{
	{"*.star", "Networks", false},
	{"field/*.star", "Questions from the field", false},
	{"protocols/*", "Protocols, lesson by lesson", true},
	{"protocols/*", "Protocols", false},
}

var (
	lesson  = regexp.MustCompile(`^\d+\. `)
	clause  = regexp.MustCompile(`^(?:\d+\. )?.*?(?:[?]|: |\. | \(|; |$)`)
	ordinal = regexp.MustCompile(`^\d+_`)
)

// inMenu returns what the menu calls an example: its name and the first clause of its heading.
func inMenu(e example) string {
	const most = 80
	about, _ := heading(e.Text)
	title := strings.TrimRight(clause.FindString(about), " .,:;(")
	if !lesson.MatchString(about) {
		title = ordinal.ReplaceAllString(e.base(), "") + ": " + title
	}
	if len(title) > most {
		title = title[:strings.LastIndexByte(title[:most], ' ')] + " …"
	}
	return title
}

// base is the name of an example without folder and ending.
func (e example) base() string { return strings.TrimSuffix(path.Base(e.Name), path.Ext(e.Name)) }

func exampleFiles(pattern string) ([]example, error) {
	names, err := fs.Glob(examples.Files(), pattern)
	if err != nil {
		return nil, err
	}
	var all []example
	for _, name := range names {
		text, err := fs.ReadFile(examples.Files(), name)
		if err != nil {
			return nil, err
		}
		e := example{Name: name, Text: string(text)}
		e.Title = inMenu(e)
		all = append(all, e)
	}
	return all, nil
}

// fieldCases renders the reports of practice: a report of its own for each file, with pictures and players.
func (s *site) fieldCases(ctx context.Context) error {
	all, err := exampleFiles("field/*.star")
	if err != nil {
		return err
	}
	type fieldCase struct {
		Name, Report, Source string
		Asks, About          template.HTML // the question of the heading, and the rest
		Verdicts             []checker.Finding
	}
	var cases []fieldCase
	for _, e := range all {
		r, err := decided(ctx, e)
		if err != nil {
			return err
		}
		about, source := heading(e.Text)
		links := []page.Link{{To: "../field.html", Text: "Field cases"},
			{To: "../playground.html#example=" + e.Name, Text: "In the playground"}}
		if source != "" {
			links = append(links, page.Link{To: source, Text: "Source"})
		}
		var b bytes.Buffer
		if err := page.Write(ctx, &b, r, page.Options{Command: "unknot check " + e.Name, Links: links}); err != nil {
			return err
		}
		c := fieldCase{Name: e.Name, Report: "reports/" + e.base() + ".html", Verdicts: r.Findings}
		s.files[c.Report] = b.Bytes()
		ask := asked.FindStringIndex(about)
		if ask == nil {
			ask = []int{0, len(about)}
		}
		c.Asks, c.Source = quoted(strings.TrimSpace(about[ask[0]:ask[1]])), source
		c.About = quoted(strings.TrimSpace(about[:ask[0]] + about[ask[1]:]))
		cases = append(cases, c)
	}
	return s.page("field.html", "field.html", view{Title: "Field cases", Part: "field", Data: cases})
}

var (
	asked  = regexp.MustCompile(`[^.?]*[?]`)
	quotes = regexp.MustCompile("`([^`]+)`")
)

// quoted makes code of what stands in back quotes; other marks of Markdown, as in up*/down*, are letters in a comment.
func quoted(text string) template.HTML {
	return template.HTML(quotes.ReplaceAllString(template.HTMLEscapeString(text), "<code>$1</code>"))
}

// heading returns the comment on top of a file, and the address in it.
func heading(text string) (about, source string) {
	var words []string
	for line := range strings.Lines(text) {
		mark, line, _ := strings.Cut(strings.TrimSpace(line), " ")
		if mark != "#" && mark != "--" || line == "" {
			break
		}
		if strings.HasPrefix(line, "https://") {
			source = line
			continue
		}
		words = append(words, line)
	}
	return strings.Join(words, " "), source
}

// decided checks a file as the playground does.
func decided(ctx context.Context, e example) (*checker.Result, error) {
	folder, err := fs.Sub(examples.Files(), path.Dir(e.Name))
	if err != nil {
		return nil, err
	}
	file, err := star.Load(ctx, e.Name, []byte(e.Text), star.Options{
		Open: func(name string) ([]byte, error) { return fs.ReadFile(folder, name) }, List: star.ListOf(folder),
	})
	if err != nil {
		return nil, err
	}
	if file.Program != nil {
		m, err := file.Program.Machine()
		if err != nil {
			return nil, err
		}
		return checker.Explore(ctx, m, checker.Question{})
	}
	n, err := routing.Compile(ctx, file.Definition, routing.CompileOptions{})
	if err != nil {
		return nil, err
	}
	return checker.Check(ctx, n, checker.Question{})
}

var reportScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// reportPolicy makes the policy of all pages, which permits the script of reports.
func (s *site) reportPolicy(ctx context.Context) error {
	all, err := exampleFiles("ring.star")
	if err != nil {
		return err
	}
	r, err := decided(ctx, all[0])
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Write(ctx, &b, r, page.Options{}); err != nil {
		return err
	}
	script := reportScript.FindSubmatch(b.Bytes())
	if script == nil {
		return fmt.Errorf("a report has no script")
	}
	digest := sha256.Sum256(script[1])
	s.policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-" +
		base64.StdEncoding.EncodeToString(digest[:]) + "'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
		"worker-src 'self'; frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'"
	return nil
}

// playground writes the playground, the exercises and the data of both.
func (s *site) playground(context.Context) error {
	type menuGroup struct {
		Title string    `json:"title"`
		Files []example `json:"files"`
	}
	type exercise struct {
		Name   string        `json:"name"`
		Title  string        `json:"title"`
		Task   template.HTML `json:"task"`
		Hint   template.HTML `json:"hint"`
		Theory string        `json:"theory"`
		About  string        `json:"-"` // the title of that page
		Text   string        `json:"text"`
	}
	var data struct {
		Examples  []menuGroup `json:"examples"`
		Exercises []exercise  `json:"exercises"`
	}
	for _, g := range exampleGroups {
		files, err := exampleFiles(g.pattern)
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(e example) bool { return g.lessons != lesson.MatchString(e.Title) })
		data.Examples = append(data.Examples, menuGroup{g.title, files})
	}
	for _, e := range exercises.All() {
		title, task, hint, err := e.Task()
		if err != nil {
			return err
		}
		text, err := e.Text()
		if err != nil {
			return err
		}
		x := exercise{Name: e.Name, Title: title, Theory: e.Theory, About: guide.Title(e.Theory), Text: text}
		if x.Task, err = paragraph(task); err != nil {
			return err
		}
		if x.Hint, err = paragraph(hint); err != nil {
			return err
		}
		data.Exercises = append(data.Exercises, x)
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	s.files["data.js"] = slices.Concat([]byte("const data = "), text, []byte(";\n"))
	if err := s.page("exercises.html", "exercises.html", view{
		Title: "Exercises", Part: "exercises", Data: data.Exercises, Script: []string{"exercises.js"},
	}); err != nil {
		return err
	}
	return s.page("playground.html", "playground.html", view{
		Title: "Playground", Part: "playground", Script: []string{"data.js", "playground.js"},
	})
}

// index writes the first page, and the index of the search.
func (s *site) index(context.Context) error {
	text, err := json.Marshal(s.search)
	if err != nil {
		return err
	}
	s.files["search-index.js"] = slices.Concat([]byte("const searchIndex = "), text, []byte(";\n"))
	return s.page("index.html", "index.html", view{Title: "unknot"})
}
