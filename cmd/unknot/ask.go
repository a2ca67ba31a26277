package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type askFlags struct {
	set     []string
	json    bool
	picture string
	out     string
	budget  budget
}

func askCommand(std streams) *cobra.Command {
	var f askFlags
	c := &cobra.Command{
		Use:   "ask MODEL QUESTION",
		Short: "Answer a question about a family of networks",
		Long: `Ask answers a question about a model's design space, such as which tie-breaking
rules deadlock, or whether address ranges leave a gap. "unknot models MODEL"
lists the questions of a model.

The answer names the parameters on which it depends. To set any other is an error.

Most answers reduce to verdicts on networks, protocols or tables. --out decides
each of them again and writes it with its evidence into a folder, which
unknot-verify checks part by part. It also checks that the answer follows from
the parts. That the parts are about the networks in question, and leave no case
out, is printed as unchecked, like an answer without parts.

Exit codes: 0 the statement holds, 1 it does not, 2 usage, 3 unknown,
130 interrupted.`,
		Example: `  unknot ask p3-rebalance settles --set rows=2 --picture cycle.svg
  unknot ask peach2 addresses --set n=16
  unknot ask peach2 ties --out ties`,
		Args:              askArgs,
		ValidArgsFunction: completeQuestion,
		RunE: func(c *cobra.Command, args []string) error {
			return f.ask(c, args[0], args[1], std)
		},
	}
	c.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter, as in --set k=8 (repeatable)")
	c.Flags().BoolVar(&f.json, "json", false, "print the answer as JSON")
	f.budget.register(c, std)
	writesFolder(c.Flags(), &f.out, "out", "folder for the parts of the answer and their evidence")
	writes(c.Flags(), &f.picture, "picture", "SVG file that illustrates the answer", "svg")
	return c
}

// answerResult is the machine-readable form of an answer.
type answerResult struct {
	Version  int            `json:"version"`
	Model    string         `json:"model"`
	Question string         `json:"question"`
	Subject  []string       `json:"subject,omitempty"` // the parameters that the answer depends on
	Asks     string         `json:"asks"`
	Verdict  string         `json:"verdict"`
	Because  string         `json:"because"`
	Numbers  map[string]int `json:"numbers,omitempty"`
	Evidence []string       `json:"evidence,omitempty"`
	Parts    int            `json:"parts"` // that a second program can check
	Believe  []string       `json:"believe,omitempty"`
}

func (f *askFlags) ask(c *cobra.Command, model, question string, std streams) error {
	e, ok := models.Find(model)
	if !ok {
		return noModel(model)
	}
	set, err := settingsOf("set", f.set)
	if err != nil {
		return err
	}
	a, err := all.Ask(c.Context(), e, question, set)
	if err != nil {
		return err
	}
	asks := ""
	for _, q := range all.Questions(e.Name) {
		if q.Name == question {
			asks = q.Asks
		}
	}
	if f.picture != "" {
		if a.Picture == nil {
			return fmt.Errorf("the answer to %s has no picture", question)
		}
		if err := writeFile(c.Context(), f.picture, a.Picture); err != nil {
			return err
		}
	}
	if f.out != "" {
		asked := evidence.Asked(e.Name+" "+question, a.Subject)
		if err := writeAnswer(c.Context(), f.out, asked, asks, &a); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(std.out)
	if f.json {
		err = writeJSON(b, answerResult{
			resultVersion, e.Name, question, a.Subject, asks, a.Verdict.String(), a.Because, a.Numbers, a.Evidence,
			len(a.Parts), a.Believe,
		})
	} else {
		fmt.Fprintf(b, "%s: %s %s\n", e.Name, question, a.Verdict)
		if len(a.Subject) > 0 {
			fmt.Fprintf(b, "for %s\n", strings.Join(a.Subject, ", "))
		}
		fmt.Fprintf(b, "\n%s: %s\n", asks, a.Because)
		for _, line := range a.Evidence {
			fmt.Fprintf(b, "  %s\n", line)
		}
		switch {
		case f.out != "":
			fmt.Fprintf(b, "evidence: %s, each decided again, written to %s; check with: unknot-verify %s\n",
				words.Plural(len(a.Parts), "part"), f.out, f.out)
		case len(a.Parts) > 0:
			fmt.Fprintf(b, "evidence: %s; --out FOLDER writes evidence for unknot-verify\n",
				words.Plural(len(a.Parts), "part"))
		default:
			fmt.Fprintln(b, "unchecked: the answer has no parts for unknot-verify")
		}
		for _, line := range a.Believe {
			fmt.Fprintf(b, "unchecked: %s\n", line)
		}
		if f.picture != "" {
			fmt.Fprintf(b, "drawn in %s\n", f.picture)
		}
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return err
	}
	return verdictError(a.Verdict)
}

// askArgs says what there is to ask where a model or its question is missing.
func askArgs(c *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fmt.Errorf("want a model and a question; these models have questions: %s", modelsAsked())
	case 1:
		e, ok := models.Find(args[0])
		if !ok {
			return noModel(args[0])
		}
		if len(all.Questions(e.Name)) == 0 {
			return fmt.Errorf("%s has no questions; these models have: %s", e.Name, modelsAsked())
		}
		return fmt.Errorf("want a question about %s: %s", e.Name, questionNames(e))
	}
	return wants(2, 2)(c, args)
}

// modelsAsked lists the models that have questions.
func modelsAsked() string {
	var names []string
	for _, e := range models.Catalogue() {
		if len(all.Questions(e.Name)) > 0 {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// questionNames lists what can be asked about a model.
func questionNames(e catalogue.Entry) string {
	return cmp.Or(strings.Join(namesOf(all.Questions(e.Name), func(q studies.Question) string { return q.Name }), ", "),
		"it has none")
}

// The folder of evidence for an answer to a question. The model says which
// verdicts on which networks and machines imply the answer; here the checker, which
// knows nothing of the question, decides each of them again and writes it with its
// evidence. If a verdict differs from the model's, one of the two is wrong, and
// nothing is written.

// writeAnswer writes an answer's parts, then their index. On an error it removes
// all of them, and the folder, if it has made that.
func writeAnswer(ctx context.Context, dir, asked, asks string, a *studies.Answer) (err error) {
	if len(a.Parts) == 0 {
		return errors.New("the answer has no parts that a second program can check, so there is nothing to write")
	}
	if a.Verdict == spec.Unknown {
		return &codeError{exitUnknown, fmt.Errorf("the answer is unknown, so there is nothing to write: %s", a.Because)}
	}
	unmake, err := atomicfile.MakeFolder(dir)
	if err != nil {
		return err
	}
	if err := removeAnswer(ctx, dir); err != nil {
		return err
	}
	index := &evidence.Answer{
		Format: evidence.AnswerFormat, Asked: asked, Asks: asks, Verdict: a.Verdict.String(), Because: a.Because,
		Believe: a.Believe,
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeParts(ctx, dir, index.Parts))
			unmake()
		}
	}()
	files := map[spec.Digest]string{} // of closed forms
	for i := range a.Parts {
		p := &a.Parts[i]
		d, err := p.Decide(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			err = fmt.Errorf("part %d, %s: %w", i+1, p.Shows, err)
			if other := new(studies.DisagreementError); errors.As(err, &other) {
				return &codeError{map[bool]int{true: exitUnknown, false: exitInternal}[other.Got == spec.Unknown], err}
			}
			return err
		}
		part := evidence.Part{Shows: p.Shows, Property: p.Property, Verdict: p.Verdict.String(),
			Evidence: fmt.Sprintf("%04d.unknot", i+1),
			Case:     p.Case + 1, Needs: cmp.Or(p.Needs, spec.Holds).String()}
		fresh := false
		if d.Subject != nil {
			part.Digest = d.Digest.String()
			if part.Subject = files[d.Digest]; part.Subject == "" {
				part.Subject = fmt.Sprintf("%04d.json", i+1)
				files[d.Digest], fresh = part.Subject, true
			}
		}
		index.Parts = append(index.Parts, part)
		if fresh {
			if err := writeFile(ctx, filepath.Join(dir, part.Subject), d.Subject); err != nil {
				return err
			}
		}
		if err := writeFile(ctx, filepath.Join(dir, part.Evidence), d.Evidence); err != nil {
			return err
		}
	}
	if err := cmp.Or(index.AsAsked(), index.Agrees()); err != nil {
		return &codeError{exitInternal, err}
	}
	return writeFile(ctx, filepath.Join(dir, evidence.AnswerFile),
		func(w io.Writer) error { return evidence.WriteAnswer(w, index) })
}

// removeAnswer removes an earlier answer from the folder: its index, and the
// files that this names. Other files stay, even of similar names.
func removeAnswer(ctx context.Context, dir string) error {
	name := filepath.Join(dir, evidence.AnswerFile)
	text, err := limited.ReadFile(name, mostResult)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if foreign(name) { // it names no parts of ours, and is replaced in the end, if it may be
		return overwritingOf(ctx).allows(name, func(io.Writer) error { return errDiffers })
	}
	before, err := evidence.ReadAnswer(name, text)
	if err != nil {
		return fmt.Errorf("%w: it is not overwritten; name another folder", err)
	}
	if err := overwritingOf(ctx).removes(name); err != nil {
		return err
	}
	return removeParts(ctx, dir, before.Parts)
}

// partName matches this command's names of parts: an index that names other files
// is someone else's, and its files are kept.
var partName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4,}\.(json|unknot)$`) })

// removeParts removes the files of parts that exist.
func removeParts(ctx context.Context, dir string, parts []evidence.Part) error {
	for _, p := range parts {
		for _, file := range [...]string{p.Subject, p.Evidence} {
			if !partName().MatchString(file) {
				continue
			}
			if err := overwritingOf(ctx).removes(filepath.Join(dir, file)); err != nil {
				return err
			}
		}
	}
	return nil
}
