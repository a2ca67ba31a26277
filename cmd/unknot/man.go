package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// manCommand writes manual pages.
func manCommand(root *cobra.Command, out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Write the manual page of unknot, or of a command",
		Example: `  unknot man > unknot.1
  unknot man check > unknot-check.1`,
		Args: wants(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, err := root.Find(args)
			if err != nil || len(args) > 0 && c == root {
				return fmt.Errorf("invalid command %.40q: want one that unknot help lists", strings.Join(args, " "))
			}
			_, err = io.WriteString(out, manPage(c, root.Version, committed()))
			return err
		},
	}
}

// manPage returns the help of a command as a manual page: its headings become those of
// sections, and the lines of its lists stay as they are.
func manPage(c *cobra.Command, version string, day time.Time) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".nh\n.ad l\n.TH %q 1 %q %q\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(name), day.Format(time.DateOnly), version, roff(name), roff(c.Short))
	if c.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roff(c.Long))
	}
	for line := range strings.Lines(c.UsageString()) {
		line = strings.TrimSuffix(line, "\n")
		title, heads := strings.CutSuffix(line, ":")
		item := strings.TrimLeft(line, " ")
		flag, text, _ := strings.Cut(item, "  ")
		switch {
		case heads && !strings.HasPrefix(title, " "):
			fmt.Fprintf(&b, "\n.SH %q\n.nf", strings.ToUpper(title))
		case strings.HasPrefix(flag, "-"):
			fmt.Fprintf(&b, "\n\\fB%s\\fP", roff(flag))
			if text = strings.TrimLeft(text, " "); text != "" {
				fmt.Fprintf(&b, "\n    %s", roff(text))
			}
		case len(line) > len(item)+8: // more about the flag
			fmt.Fprintf(&b, "\n    %s", roff(item))
		default:
			fmt.Fprintf(&b, "\n%s", roff(line))
		}
	}
	b.WriteString("\n.SH SEE ALSO\n")
	if c.HasParent() {
		fmt.Fprintf(&b, "%s(1)\n", roff(c.Parent().CommandPath()))
	}
	for _, s := range c.Commands() {
		fmt.Fprintf(&b, "%s(1)\n", roff(name+"-"+s.Name()))
	}
	return b.String()
}

// roff escapes what troff would read as its own.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)
	return text[1:]
}

// committed returns the time of the commit that the program was built from, so that
// its manual is the same every day; the epoch if the build does not say.
func committed() time.Time {
	day := time.Unix(0, 0).UTC()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				day = t
			}
		}
	}
	return day
}
