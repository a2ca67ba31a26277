package main

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

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

// topicList lists the topics with one line each, by group.
func topicList() string {
	var b strings.Builder
	for i, g := range guide.Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:\n", g.Title)
		for _, t := range g.Topics {
			fmt.Fprintf(&b, "  %-14s  %s\n", t, guide.Title(t))
		}
	}
	return b.String()
}

// helpCommand replaces cobra's: it knows the topics of the guide, too.
func helpCommand(root *cobra.Command, out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC [SECTION]]",
		Short: "Help on a command, a topic of the guide or a section of it",
		Args:  wants(0, 16), // a section is some words, and a topic of several words is searched for
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []string
			for _, t := range guide.Topics() {
				words = append(words, t+"\t"+guide.Title(t))
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
			asked, topic := strings.Join(args, " "), strings.ToLower(args[0])
			page, err := guide.Page(topic)
			text := helpPage(page)
			if err == nil && len(args) > 1 {
				text, err = sectionOf(topic, text, strings.Join(args[1:], " "))
				if err != nil && pagesOfField(asked) == nil && words.Suggestion(asked, guide.Topics()) == "" {
					return err // otherwise the words together are a topic, as in "model checkers"
				}
			}
			if err == nil {
				if columns := columnsOf(out); columns > 0 {
					text = fitted(text, columns)
				}
				_, err := io.WriteString(out, text)
				return err
			}
			c, rest, err := root.Find(args)
			if err != nil || c == root || len(rest) > 0 {
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

// sectionOf returns the section of a page whose heading is the given one, or alone begins with it, or alone contains
// it, in any case of letters.
func sectionOf(topic, page, named string) (string, error) {
	named = strings.ToLower(named)
	var headings []string
	found := make([][]guide.Section, 3)
	for _, s := range guide.Sections(page) {
		heading := strings.ToLower(s.Heading)
		headings = append(headings, heading)
		switch {
		case heading == named:
			found[0] = append(found[0], s)
		case strings.HasPrefix(heading, named):
			found[1] = append(found[1], s)
		case strings.Contains(heading, named):
			found[2] = append(found[2], s)
		}
	}
	for _, sections := range found {
		if len(sections) == 1 {
			return sections[0].Text, nil
		}
		if len(sections) > 1 {
			var several []string
			for _, s := range sections {
				several = append(several, strconv.Quote(s.Heading))
			}
			return "", fmt.Errorf("invalid section %.60q of %s: want %s", named, topic, words.OneOf(several))
		}
	}
	return "", fmt.Errorf("invalid section %.60q of %s: want one that unknot help %[2]s prints%s",
		named, topic, words.Suggestion(named, headings))
}
