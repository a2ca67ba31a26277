package main

import (
	"embed"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The user guide: a page of Markdown per topic, which "unknot help TOPIC" prints.
// The first line of a page is its title, the second paragraph says whom it is for.
// Tests run the commands of every page and compare what they print with what the
// page shows in a console block; a text block is not compared. commands.md is made from the help of the commands.

//go:embed guide/*.md
var guide embed.FS

// topics are the pages of the guide in reading order, by what a reader wants.
var topics = [...]struct {
	title string
	pages []string
}{
	{"Start", []string{"install", "first-network", "first-protocol", "answers", "model"}},
	{"How to", []string{
		"field", "fix", "patterns", "replies", "flow-control", "topologies", "fabrics", "routes",
		"vary", "rewrite", "clusters", "measure", "ci", "large", "unknown", "model-checkers",
	}},
	{"Reference", []string{"commands", "network-files", "protocol-files", "formats", "catalogue", "mission",
		"go-api", "glossary"}},
	{"How it works", []string{"methods", "trust", "proofs", "compared"}},
	{"Project", []string{"layout"}},
}

// topicNames lists the topics of all groups.
func topicNames() (names []string) {
	for _, g := range topics {
		names = append(names, g.pages...)
	}
	return names
}

// formerTopics are topics that have other names now.
var formerTopics = map[string][]string{
	"tutorial":  {"first-network"},
	"verdicts":  {"answers", "trust", "unknown"},
	"recipes":   {"patterns", "replies", "flow-control", "vary"},
	"language":  {"network-files"},
	"protocols": {"protocol-files", "first-protocol"},
	"machines":  {"formats", "large"},
	"claims":    {"catalogue"},
	"speed":     {"large"},
}

func guidePage(topic string) (string, error) {
	text, err := guide.ReadFile("guide/" + topic + ".md")
	return string(text), err
}

var (
	pageLink  = regexp.MustCompile(`\[([^\]]*)\]\(([a-z-]+)\.md(#[a-z-]*)?\)`)
	innerLink = regexp.MustCompile(`\[([^\]]*)\]\(#[a-z-]*\)`)
	fileLink  = regexp.MustCompile(`\[([^\]]*)\]\((?:\.\./)+[^)]*\)`)
)

// helpPage returns a page as help prints it: a link to another page is the command that prints that page, and other
// links within the repository are their text.
func helpPage(text string) string {
	text = pageLink.ReplaceAllString(text, "$1 (`unknot help $2`)")
	return fileLink.ReplaceAllString(innerLink.ReplaceAllString(text, "$1"), "$1")
}

// about returns the title of a page.
func about(topic string) string {
	page, err := guide.Open("guide/" + topic + ".md")
	if err != nil {
		return ""
	}
	defer page.Close()
	head := make([]byte, 256) // reading all would copy it
	n, _ := io.ReadFull(page, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return strings.TrimPrefix(line, "# ")
}

// topicList lists the topics with one line each, by group.
func topicList() string {
	var b strings.Builder
	for i, g := range topics {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:\n", g.title)
		for _, t := range g.pages {
			fmt.Fprintf(&b, "  %-14s  %s\n", t, about(t))
		}
	}
	return b.String()
}

// helpCommand replaces cobra's: it knows the topics of the guide, too.
func helpCommand(root *cobra.Command, out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help on a command or a topic of the guide",
		Args:  wants(0, 5), // a topic of several words is searched for
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []string
			for _, t := range topicNames() {
				words = append(words, t+"\t"+about(t))
			}
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() {
					words = append(words, c.Name()+"\t"+c.Short)
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if text, err := guidePage(strings.ToLower(args[0])); err == nil && len(args) == 1 {
				_, err := io.WriteString(out, helpPage(text))
				return err
			}
			c, rest, err := root.Find(args)
			if err != nil || c == root || len(rest) > 0 {
				asked := strings.Join(args, " ")
				if now, former := formerTopics[strings.ToLower(asked)]; former {
					return fmt.Errorf("invalid help topic %q: want unknot help %s", asked, words.OneOf(now))
				}
				return unknownTopic(asked, namesOf(root.Commands(), (*cobra.Command).Name))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
