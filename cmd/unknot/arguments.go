package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

const unlimited = math.MaxInt

// invalid refuses the value of a flag, and says what is expected.
func invalid(flag string, value any, want string, args ...any) error {
	return fmt.Errorf("invalid --%s %.60q: want %s", flag, fmt.Sprint(value), fmt.Sprintf(want, args...))
}

// refused is the error of a flag's value of which the library says what it wants.
func refused(flag, value string, by error) error {
	return fmt.Errorf("invalid --%s %.60q: %w", flag, value, by)
}

// oneWord is the value of a flag that takes one of some words.
type oneWord struct {
	value *string
	among []string
}

func (w oneWord) String() string { return *w.value }
func (w oneWord) Type() string   { return "string" }

func (w oneWord) Set(text string) error {
	if !slices.Contains(w.among, text) {
		return errors.New("want " + words.OneOf(w.among))
	}
	*w.value = text
	return nil
}

// wordFlag adds a flag that takes one of some words, which shells complete. Another word,
// such as the flag that follows one without its value, is refused before anything else is looked at.
func wordFlag(c *cobra.Command, value *string, name, preset string, among []string, usage string) {
	*value = preset
	c.Flags().Var(oneWord{value, among}, name, usage)
	offers(c.Flags(), name, among)
}

// namesOf lists the names of things.
func namesOf[T any](things []T, name func(T) string) (names []string) {
	for _, x := range things {
		names = append(names, name(x))
	}
	return names
}

// exclusive refuses two flags that exclude each other, before cobra does in its own words.
func exclusive(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			for _, other := range strings.Fields(group) {
				if other != f.Name && fs.Changed(other) && err == nil {
					err = fmt.Errorf("--%s and --%s exclude each other", f.Name, other)
				}
			}
		}
	})
	return err
}

// several adds to an error about the command line that a flag takes one value, if one
// of its values looks like a list.
func several(c *cobra.Command, err error) error {
	if err == nil || exitCode(context.Background(), err) != exitUsage {
		return err
	}
	for _, f := range []struct{ flag, list string }{{"set", `,\w+=`}, {"property", `,`}} {
		values, _ := c.Flags().GetStringArray(f.flag)
		if slices.ContainsFunc(values, regexp.MustCompile(f.list).MatchString) {
			return fmt.Errorf("%w; repeat --%s for several", err, f.flag)
		}
	}
	return err
}

// wants refuses too few or too many arguments and shows the usage of the command,
// for too few with an example.
func wants(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			// ask lists its questions, and every command describes its first argument by itself.
			if i := slices.Index(args, ""); i > 0 && c.Name() != "ask" {
				return fmt.Errorf("argument %d is empty: want %s", i+1, c.UseLine())
			}
			return nil
		}
		what := "arguments"
		if len(args) == 1 {
			what = "argument"
		}
		want := c.UseLine()
		if len(args) < least { // the first example of the command itself says what stands for NETWORK
			for example := range strings.Lines(c.Example) {
				if example = strings.TrimSpace(example); strings.HasPrefix(example, c.CommandPath()+" ") {
					want += ", as in " + example
					break
				}
			}
		}
		return fmt.Errorf("got %d %s: want %s", len(args), what, want)
	}
}

// unprintable reports whether a text must not be printed as it is, see [spec.Printable].
func unprintable(text string) bool { return spec.Printable(text) != text }

func escaped(text string) string { return spec.Printable(strconv.QuoteToASCII(text)) }

// noModel refuses the name of a model that does not exist.
func noModel(name string) error {
	return fmt.Errorf("invalid model %.40q: want one that \"unknot models\" lists%s", name, likelyModel(name))
}

// likelyNetwork suggests a file whose ending was left out, or a model.
func likelyNetwork(name string) string {
	for _, ending := range []string{".star", ".json", murphiFile} {
		if _, err := os.Stat(name + ending); err == nil {
			return fmt.Sprintf("; did you mean %s?", name+ending)
		}
	}
	if parameter, _, sets := strings.Cut(name, "="); sets && parameter != "" {
		return fmt.Sprintf("; parameters are set with --set, as in --set %s", name)
	}
	return likelyModel(name)
}

// likelyModel suggests an example, a model of a similar name, or those whose summaries have the name as a word.
func likelyModel(name string) string {
	if example := likelyExample(name); example != "" {
		return example
	}
	like := words.Suggestion(name, namesOf(models.Catalogue(), func(e catalogue.Entry) string { return e.Name }))
	if about := modelsAbout(name); like == "" && len(about) > 0 && len(about) <= most {
		return fmt.Sprintf("; about %q see %s", name, words.OneOf(about))
	}
	return like
}
