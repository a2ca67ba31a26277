package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/spec"
)

func modelsCommand(std streams) *cobra.Command {
	claims, source, paper := false, false, false
	var folder string // of the examples
	var b budget
	c := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the models, describe one, print its file, or run the claims of its source",
		Long: `Models lists the networks and protocols of published papers, and common ones to
start from. With a NAME it describes the parameters of one model, the questions for
"unknot ask", the claims of its paper and the verdicts that are expected.

With --claims it runs the command behind each claim. Without a NAME that is the whole
catalogue, which needs minutes.

NAME may also be one of the example files of the guide, such as 14_msi. With --examples
all of them are written into a folder, to be changed and checked: models/examples is the
folder that the pages of the guide name.

Exit codes: 0 as expected, 1 a verdict differs from the one expected, 2 usage, 3 a limit
was reached, 130 interrupted.`,
		Example: `  unknot models
  unknot models star-channel
  unknot models peterson --print > mine.star
  unknot models peach2 --claims
  unknot models nine-steps --paper
  unknot models 14_msi --print
  unknot models --examples models/examples`,
		Args:              wants(0, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && folder != "" {
				return fmt.Errorf("--examples writes all examples: want no name beside it; unknot models %s --print prints one",
					args[0])
			}
			if folder != "" {
				return writeExamples(c.Context(), std.out, folder)
			}
			if len(args) == 0 && source {
				return errors.New("--print prints the file of one model: name it")
			}
			if len(args) == 0 && paper {
				return errors.New("--paper prints the source of one model beside its files: name it")
			}
			if len(args) == 0 && claims {
				return allClaims(c.Context(), std.out)
			}
			if len(args) == 0 {
				return listModels(std.out)
			}
			e, ok := models.Find(args[0])
			if file, text, found := exampleNamed(args[0]); found && !ok {
				if claims || paper {
					return fmt.Errorf("%s is an example, and of no source: want a model with --claims and --paper", file)
				}
				return showExample(std.out, file, text, source)
			}
			if !ok {
				return noModel(args[0])
			}
			if source && e.Text() == "" {
				return fmt.Errorf("%s is written in Go: it has no file; unknot show %s --closed writes its closed form",
					e.Name, e.Name)
			}
			if source {
				_, err := io.WriteString(std.out, e.Text())
				return err
			}
			if paper {
				return writePaper(std.out, e)
			}
			if claims {
				return claimsTable(c.Context(), std.out, e)
			}
			return describeModel(std.out, e)
		},
	}
	c.Flags().BoolVar(&claims, "claims", false,
		"run the command behind each claim of the model's source (or of all sources) and print a Markdown table")
	c.Flags().BoolVar(&source, "print", false, "print the file that describes a model, for unknot check FILE")
	c.Flags().BoolVar(&paper, "paper", false,
		"print the sentences of a model's source by section, each with the place in a file that models it, or the command "+
			"that asks whether it is true")
	writesFolder(c.Flags(), &folder, "examples", "folder for the example files of the guide, to be changed and checked")
	c.MarkFlagsMutuallyExclusive("claims", "print", "paper", "examples")
	b.register(c, std)
	return c
}

func listModels(w io.Writer) error {
	for i, g := range models.Groups() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.Title)
		var items []item
		for _, e := range g.Entries {
			items = append(items, item{e.Name, e.Described().Summary})
		}
		if err := writeItems(w, items); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nunknot models MODEL describes one, with its parameters, questions and claims.\n"+
		"unknot models --examples DIR writes %d examples of the guide; unknot models 14_msi describes one.\n",
		len(exampleFiles()))
	return err
}

// describeModel writes what a model is, and what is known about it.
func describeModel(w io.Writer, e catalogue.Entry) error {
	lines := append(fold(e.Name+": "+e.Described().Summary, width), fold("source: "+e.Described().Source, width)...)
	if len(e.Described().Fixed) > 0 {
		lines = append(lines, "file, see --print, with "+settings(e.Described().Fixed))
	}
	if e.IsBeside() {
		lines = append(lines, "file beside the source, see --print and --paper; the model is Go, a test compares the two")
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	var params, questions, claims, expected, proved, arrives []item
	prove := func(items []item, theorem, sizes string, members []families.Network) []item {
		for _, m := range members {
			one := item{"unknot prove " + theorem, cmp.Or(strings.Join(m.Set, " "), "every parameter") + "; " + sizes}
			if m.Model == e.Name && !slices.Contains(items, one) {
				items = append(items, one)
			}
		}
		return items
	}
	for _, f := range families.All() {
		proved = prove(proved, f.Name, f.Sizes, f.Members)
	}
	for _, g := range families.Generals() {
		arrives = prove(arrives, g.Name, g.Sizes, g.Members)
	}
	for _, p := range e.Parameters() {
		params = append(params, item{p.Name + "=" + p.Default, p.Range() + "  " + p.Doc})
	}
	for _, q := range all.Questions(e.Name) {
		questions = append(questions, item{q.Name, q.Asks})
	}
	for _, c := range e.Claims() {
		claims = append(claims, item{"-", c.Says + ": " + c.Finding})
	}
	for _, x := range e.Described().Machines {
		text := cmp.Or(strings.Join(x.Violated, ", "), "nothing") + " violated"
		if x.States > 0 {
			text += fmt.Sprintf("; %d states", x.States)
		}
		expected = append(expected, item{settings(x.Set), text + "; " + x.Because})
	}
	for _, x := range e.Described().Expect {
		expected = append(expected, item{settings(x.Set), verdicts(x) + "; " + x.Because})
	}
	for _, part := range []struct {
		head  string
		items []item
	}{
		{"parameters, set with --set NAME=VALUE", params},
		{"questions, for unknot ask " + e.Name + " QUESTION", questions},
		{"claims; unknot models " + e.Name + " --claims runs them", claims},
		{"expected", expected},
		{"deadlock freedom proved for every size", proved},
		{"livelock freedom and delivery proved for every size", arrives},
	} {
		if len(part.items) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", part.head)
		if err := writeItems(w, part.items); err != nil {
			return err
		}
	}
	return nil
}

// verdicts lists the verdicts that are not "holds".
func verdicts(x catalogue.Expectation) string {
	var told []string
	switch {
	case x.Packets != x.Worms:
		told = append(told, fmt.Sprintf("deadlock freedom %s of whole packets, %s with wormhole switching",
			x.Packets, x.Worms))
	case x.Packets != spec.Holds:
		told = append(told, "deadlock freedom "+x.Packets.String())
	}
	if x.Livelock != spec.Holds {
		told = append(told, "livelock freedom "+x.Livelock.String())
	}
	if x.Delivery != spec.Holds {
		told = append(told, "delivery "+x.Delivery.String())
	}
	return cmp.Or(strings.Join(told, "; "), "all hold")
}

func settings(set map[string]string) string {
	if len(set) == 0 {
		return "defaults"
	}
	var parts []string
	for k, v := range set {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
