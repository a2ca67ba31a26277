// Package guide, internal to unknot, is the user guide: a page of Markdown per topic, which "unknot help TOPIC" prints and the
// site shows. The first line of a page is its title, the second paragraph says whom it is for. Tests of cmd/unknot run the
// commands of every page and compare what they print with what the page shows in a console block; a text block is not
// compared. commands.md is made from the help of the commands.
package guide

import (
	"embed"
	"io"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Group is a part of the guide.
type Group struct {
	Title  string
	Topics []string
}

// Groups are the pages of the guide in reading order, by what a reader wants.
func Groups() []Group {
	return []Group{
		{"Start", []string{"install", "first-network", "first-protocol", "answers", "model"}},
		{"How to", []string{
			"field", "fix", "patterns", "replies", "flow-control", "topologies", "fabrics", "routes",
			"vary", "rewrite", "clusters", "measure", "ci", "large", "unknown", "model-checkers",
		}},
		{"Reference", []string{"commands", "network-files", "protocol-files", "formats", "catalogue", "mission",
			"go-api", "glossary"}},
		{"How it works", []string{"believe", "methods", "trust", "theorem", "proofs", "compared"}},
		{"Project", []string{"layout"}},
	}
}

// Topics lists the topics of all groups.
func Topics() (all []string) {
	for _, g := range Groups() {
		all = append(all, g.Topics...)
	}
	return all
}

// Files lists the files of the pages, in alphabetical order.
func Files() ([]string, error) {
	files, err := pages.ReadDir(".")
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	slices.Sort(names)
	return names, err
}

// Page returns the text of a topic.
func Page(topic string) (string, error) {
	text, err := pages.ReadFile(topic + ".md")
	return string(text), err
}

// Title returns the title of a page; "" if there is no such page.
func Title(topic string) string {
	page, err := pages.Open(topic + ".md")
	if err != nil {
		return ""
	}
	defer page.Close()
	head := make([]byte, 256) // reading all would copy it
	n, _ := io.ReadFull(page, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return strings.TrimPrefix(line, "# ")
}

// Section is a part of a page: a heading below the title, and the text from there to the next one that is not below it.
type Section struct{ Heading, Text string }

// Sections lists the sections of a page, those within another one behind it.
func Sections(page string) []Section {
	type start struct{ at, level int }
	var all []Section
	var starts []start
	at, code := 0, false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		text := strings.TrimLeft(line, "#")
		if level := len(line) - len(text); !code && level > 1 && strings.HasPrefix(text, " ") {
			all = append(all, Section{Heading: strings.TrimSpace(text)})
			starts = append(starts, start{at, level})
		}
		at += len(line)
	}
	for i, from := range starts {
		end := len(page)
		if next := slices.IndexFunc(starts[i+1:], func(s start) bool { return s.level <= from.level }); next >= 0 {
			end = starts[i+1+next].at
		}
		all[i].Text = strings.TrimRight(page[from.at:end], "\n") + "\n"
	}
	return all
}
