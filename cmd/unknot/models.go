package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/studies"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

func modelsCommand(std streams) *cobra.Command {
	claims := false
	c := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the models, describe one, or run the claims of its source",
		Example: `  unknot models
  unknot models star-channel
  unknot models star-channel --claims`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && claims {
				return allClaims(c.Context(), std.out)
			}
			if len(args) == 0 {
				return listModels(std.out)
			}
			e, ok := models.Find(args[0])
			if !ok {
				return fmt.Errorf("no model is called %q: \"unknot models\" lists them", args[0])
			}
			if claims {
				return claimsTable(c.Context(), std.out, e)
			}
			return describeModel(std.out, e)
		},
	}
	c.Flags().BoolVar(&claims, "claims", false, "run the command behind each claim of the model's source (or of all sources) and print a Markdown table")
	return c
}

func listModels(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range models.Catalogue() {
		fmt.Fprintf(t, "%s\t%s\n", e.Name, e.Summary)
	}
	return t.Flush()
}

func describeModel(w io.Writer, e catalogue.Entry) error {
	fmt.Fprintf(w, "%s: %s\nsource: %s\n\nparameters\n", e.Name, e.Summary, e.Source)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range e.Params {
		fmt.Fprintf(t, "  %s=%s\t%s\t%s\n", p.Name, p.Default, p.Range(), p.Doc)
	}
	if len(e.Params) == 0 {
		fmt.Fprintln(t, "  none")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if questions := studies.Of(e); len(questions) > 0 {
		fmt.Fprintf(w, "\nquestions, for unknot ask %s QUESTION\n", e.Name)
		t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, q := range questions {
			fmt.Fprintf(t, "  %s\t%s\n", q.Name, q.Asks)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(e.Claims) > 0 {
		fmt.Fprintf(w, "\nclaims; unknot models %s --claims runs them\n", e.Name)
		for _, c := range e.Claims {
			fmt.Fprintf(w, "  %s: %s\n", c.Says, c.Finding)
		}
	}
	if len(e.Expect)+len(e.Machines) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nexpected")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if e.IsMachine() {
		fmt.Fprintln(t, "  parameters\tviolated\tstates\tbecause")
		for _, x := range e.Machines {
			fmt.Fprintf(t, "  %s\t%s\t%d\t%s\n", settings(x.Set), cmp.Or(strings.Join(x.Violated, ", "), "nothing"), x.States, x.Because)
		}
		return t.Flush()
	}
	fmt.Fprintln(t, "  parameters\tdeadlock (packets)\tdeadlock (worms)\tlivelock\tdelivery\tbecause")
	for _, x := range e.Expect {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", settings(x.Set), x.Packets, x.Worms, orHolds(x.Livelock), orHolds(x.Delivery), x.Because)
	}
	return t.Flush()
}

func orHolds(v spec.Verdict) spec.Verdict {
	if v == spec.Unknown {
		return spec.Holds
	}
	return v
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
