package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// Completions that shells offer. A tab separates a word from its description.

const offered = "offered" // annotation of a flag: the words that shells offer for it

// offers makes shells offer words for a flag, and files if it may name one that is read.
func offers(fs *pflag.FlagSet, flag string, words []string) {
	_ = fs.SetAnnotation(flag, offered, words) // the flag exists
}

// completeFlags tells cobra how to complete the flags of c and its subcommands. As cobra
// never forgets a flag that it was told of, nor the command of it, a run that completes nothing leaves this out.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		words, fixed := f.Annotations[offered]
		_, read := f.Annotations[isRead]
		complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
		switch {
		case fixed && read:
			complete = cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)
		case fixed:
		case f.Name == "set", f.Name == "to": // of --to, where it takes no words
			complete = completeSetting
		case f.Name == "range":
			complete = completeRange
		case f.Name == "property":
			complete = completeProperty
		default:
			return
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, complete)
	})
	for _, sub := range c.Commands() {
		completeFlags(sub)
	}
}

// completeFish writes the completion for fish. Cobra 1.10 has fish evaluate the words before the cursor as they are
// without their quotation marks, so that a name with blanks is several.
func completeFish(root, c *cobra.Command, w io.Writer) error {
	bare, err := c.Flags().GetBool("no-descriptions")
	if err != nil {
		return err
	}
	var script bytes.Buffer
	if err := root.GenFishCompletion(&script, !bare); err != nil {
		return err
	}
	const given = "set -l args (commandline -opc)\n"
	const quoted = "set -l args (string escape -- (commandline -xpc 2>/dev/null; or commandline -opc))\n"
	_, err = io.WriteString(w, strings.Replace(script.String(), given, quoted, 1))
	return err
}

// completeNetwork offers the names of models, then files.
func completeNetwork(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, e := range models.Catalogue() {
		names = append(names, e.Name+"\t"+e.Described().Summary)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeQuestion offers the models that have questions, then the questions.
func completeQuestion(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, e := range models.Catalogue() {
		switch {
		case len(args) == 0 && len(all.Questions(e.Name)) > 0:
			words = append(words, e.Name+"\t"+e.Described().Summary)
		case len(args) == 1 && args[0] == e.Name:
			for _, q := range all.Questions(e.Name) {
				words = append(words, q.Name+"\t"+q.Asks)
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// parameter is what a shell offers of a parameter.
type parameter struct {
	name, doc string
	choices   []string
}

// parametersOf returns the parameters of a model, or those that a file declares; none if it cannot be read.
func parametersOf(ctx context.Context, name string) (all []parameter) {
	if e, model := models.Find(name); model {
		for _, p := range e.Parameters() {
			all = append(all, parameter{p.Name, p.Doc, p.Choices})
		}
		return all
	}
	if !strings.HasSuffix(name, ".star") {
		return nil
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil {
		return nil
	}
	params, err := star.Params(name, text, star.Options{List: filesBeside(name), Open: beside(ctx, name)})
	if err != nil {
		return nil
	}
	for _, p := range params {
		choices := p.Choices
		if p.Kind == "bool" {
			choices = []string{"true", "false"}
		}
		all = append(all, parameter{p.Name, p.Doc, choices})
	}
	return all
}

// completeSetting offers the parameters of the model or file that is named already, and
// the values of one that has few.
func completeSetting(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	const more = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace |
		cobra.ShellCompDirectiveKeepOrder
	key, _, chosen := strings.Cut(word, "=")
	var all []parameter
	if len(args) > 0 {
		all = parametersOf(c.Context(), args[0])
	}
	var words []string
	for _, p := range all {
		if !chosen {
			words = append(words, p.name+"=\t"+p.doc)
			continue
		}
		if p.name == key {
			for _, value := range p.choices {
				words = append(words, key+"="+value)
			}
		}
	}
	if chosen {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	return words, more
}

// completeRange offers the parameters of the model or the file that is named already: a name alone takes the values that
// it declares.
func completeRange(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	all, directive := completeSetting(c, args, word)
	for i, w := range all {
		all[i] = strings.Replace(w, "=\t", "\t", 1)
	}
	return all, directive
}

// completeProperty offers the properties of networks, or of the model that is
// named already, as it is without parameters, if that is a machine.
func completeProperty(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := spec.PropertyNames()
	if len(args) == 0 {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	if e, ok := models.Find(args[0]); ok && e.IsMachine() {
		words = words[:1]
		if m, err := e.Machine(nil); err == nil {
			words = checker.Properties(m)
		}
	}
	return slices.Compact(words), cobra.ShellCompDirectiveNoFileComp
}
