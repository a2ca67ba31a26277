package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// likelyFlag adds to the error about an unknown flag the one that was probably meant,
// and to that about a wrong value what is expected.
func likelyFlag(c *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		f := wrong.GetFlag()
		want := map[string]string{
			"duration": durations, "bool": "true or false", "float64": "a number", "uint64": "a whole number from 0",
		}[f.Value.Type()]
		if errors.Is(err, strconv.ErrRange) {
			want = "a number that 64 bits hold"
		}
		if w, one := f.Value.(oneWord); one {
			want = words.OneOf(w.among) + words.NowCalled(wrong.GetValue(), w.among)
		}
		return invalid(f.Name, wrong.GetValue(), "%s", cmp.Or(want, "a whole number"))
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
		if w, one := bare.GetFlag().Value.(oneWord); one {
			return fmt.Errorf("%w: want %s", err, words.OneOf(w.among))
		}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	meant := strings.Replace(words.Suggestion(name, names), "mean ", "mean --", 1)
	if now := words.Renamed("--" + name); now != "" {
		if flag, _, _ := strings.Cut(now[2:], "="); c.Flags().Lookup(flag) != nil {
			meant = "; it is now called " + now
		}
	}
	for flag, elsewhere := range map[string][]string{ // as other programs call it
		"traffic": {"pattern"}, "length": {"flits", "packet-length", "packet-size", "packet_size"},
		"load": {"rate", "injection-rate", "injection_rate"}, "json": {"format"}, "out": {"output"},
	} {
		if slices.Contains(elsewhere, name) && c.Flags().Lookup(flag) != nil {
			meant = fmt.Sprintf("; did you mean --%s?", flag)
		}
	}
	if others := withFlag(c, name); meant == "" && len(others) > 0 {
		meant = fmt.Sprintf("; it is a flag of unknot %s", words.OneOf(others))
	}
	if c.Flags().Lookup("set") != nil && (meant == "" || len(name) == 1) { // as parameters are called
		meant = fmt.Sprintf("; parameters are set with --set, as in --set %s=VALUE", name)
	}
	return fmt.Errorf("%w%s", err, meant)
}

// withFlag lists the other commands that have a flag.
func withFlag(c *cobra.Command, flag string) (names []string) {
	for name, made := range commands() {
		if name != c.Name() && made(streams{out: io.Discard, err: io.Discard}).Flags().Lookup(flag) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// likelyCommand adds to the error about an unknown command the one that was probably
// meant.
func likelyCommand(root *cobra.Command, args []string, err error) error {
	_, rest, unknown := root.Find(args)
	if unknown == nil {
		return err
	}
	name := rest[0]
	_, model := models.Find(name)
	_, file := os.Stat(name)
	now, former := formerTopics[strings.ToLower(name)]
	switch _, err := guide.Page(strings.ToLower(name)); {
	case err == nil:
		return fmt.Errorf("invalid command %q: want unknot help %s", name, strings.ToLower(name))
	case former:
		return fmt.Errorf("invalid command %q: want unknot help %s", name, words.OneOf(now))
	case name == "example" || name == "examples":
		return fmt.Errorf("invalid command %q: want unknot models --examples DIR, which writes them", name)
	case name == "version":
		return fmt.Errorf("invalid command %q: want unknot --version", name)
	case model || file == nil:
		return fmt.Errorf("invalid command %.40q: want unknot check %[1]s", name)
	}
	return fmt.Errorf("invalid command %.40q: want one that unknot help lists%s",
		name, words.Suggestion(name, namesOf(root.Commands(), (*cobra.Command).Name)))
}
