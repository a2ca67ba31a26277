package main

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The user guide: a page of Markdown a topic, which "unknot help TOPIC" prints.
// The first line of a page is "# topic: what it is about". Tests run the
// commands of every page and compare what they print with what the page shows.

//go:embed guide/*.md
var guide embed.FS

// topics in reading order.
var topics = [...]string{
	"tutorial", "verdicts", "recipes", "untie", "route", "simulate", "topologies", "fabrics", "clusters", "language",
	"machines", "protocols", "methods", "glossary", "speed", "claims", "layout",
}

func guidePage(topic string) (string, error) {
	text, err := guide.ReadFile("guide/" + topic + ".md")
	return string(text), err
}

// about returns the description in the first line of a page.
func about(topic string) string {
	page, err := guide.Open("guide/" + topic + ".md")
	if err != nil {
		return ""
	}
	defer page.Close()
	head := make([]byte, 256) // reading all would copy it
	n, _ := io.ReadFull(page, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	_, line, _ = strings.Cut(line, ": ")
	return line
}

// topicList lists the topics with one line each.
func topicList() string {
	var b strings.Builder
	for _, t := range topics {
		fmt.Fprintf(&b, "  %-10s  %s\n", t, about(t))
	}
	return b.String()
}

// helpCommand replaces cobra's: it knows the topics of the guide, too.
func helpCommand(root *cobra.Command, out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help on a command or a topic of the guide",
		Args:  wants(0, 2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []string
			for _, t := range topics {
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
				_, err := io.WriteString(out, text)
				return err
			}
			c, rest, err := root.Find(args)
			if err != nil || c == root || len(rest) > 0 {
				asked := strings.Join(args, " ")
				return fmt.Errorf("invalid help topic %.40q: want a command, or %s%s", asked, words.OneOf(topics[:]),
					words.Suggestion(asked, append(namesOf(root.Commands(), (*cobra.Command).Name), topics[:]...)))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
