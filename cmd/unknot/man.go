package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
			day := committed()
			return doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: root.Version, Date: &day}, out)
		},
	}
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
