package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/models"
)

// likely asks whether one of the names was meant, where a third of the letters
// or fewer differ, or which it begins. It returns "" otherwise.
func likely(name string, names []string) string {
	best, least := "", len(name)/3+1
	for _, n := range names {
		d := typos(strings.ToLower(name), n)
		if strings.HasPrefix(n, name) {
			d = min(d, 1)
		}
		if d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// typos is the least number of letters to insert, drop, replace or swap with
// their neighbour that makes a out of b (Damerau 1964; no letter moves twice).
func typos(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// noModel refuses the name of a model that there is not.
func noModel(name string) error {
	return fmt.Errorf("invalid model %.40q: want one that \"unknot models\" lists%s", name, likelyModel(name))
}

// likelyNetwork asks whether a file was meant that lacks its ending, or a model.
func likelyNetwork(name string) string {
	for _, ending := range []string{".star", ".json"} {
		if _, err := os.Stat(name + ending); err == nil {
			return fmt.Sprintf("; did you mean %s?", name+ending)
		}
	}
	return likelyModel(name)
}

func likelyModel(name string) string {
	var names []string
	for _, e := range models.Catalogue() {
		names = append(names, e.Name)
	}
	return likely(name[:min(len(name), 40)], names)
}

// likelyFlag adds the flag that was meant to the error about one that there is not,
// and says of a wrong value what is wanted.
func likelyFlag(c *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		f := wrong.GetFlag()
		want := map[string]string{"duration": durations, "bool": "true or false"}[f.Value.Type()]
		return invalid(f.Name, wrong.GetValue(), "%s", cmp.Or(want, "a whole number"))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, likely("--"+unknown.GetSpecifiedName(), names))
}

// likelyCommand adds the command that was meant to the error about one that there
// is not.
func likelyCommand(root *cobra.Command, args []string, err error) error {
	_, rest, unknown := root.Find(args)
	if unknown == nil {
		return err
	}
	name := rest[0]
	switch _, err := guidePage(strings.ToLower(name)); {
	case err == nil:
		return fmt.Errorf("invalid command %q: want unknot help %s", name, strings.ToLower(name))
	case name == "version":
		return fmt.Errorf("invalid command %q: want unknot --version", name)
	}
	return fmt.Errorf("invalid command %.40q: want one that unknot help lists%s", name, likely(name, commandNames(root)))
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}
