package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

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
		d, err := decidePart(ctx, p)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("part %d, %s: %w", i+1, p.Shows, err)
		}
		part := evidence.Part{Shows: p.Shows, Property: p.Property, Verdict: p.Verdict.String(),
			Evidence: fmt.Sprintf("%04d.unknot", i+1),
			Case:     p.Case + 1, Needs: cmp.Or(p.Needs, spec.Holds).String()}
		fresh := false
		if d.subject != nil {
			part.Digest = d.digest.String()
			if part.Subject = files[d.digest]; part.Subject == "" {
				part.Subject = fmt.Sprintf("%04d.json", i+1)
				files[d.digest], fresh = part.Subject, true
			}
		}
		index.Parts = append(index.Parts, part)
		if fresh {
			if err := writeFile(ctx, filepath.Join(dir, part.Subject), d.subject); err != nil {
				return err
			}
		}
		if err := writeFile(ctx, filepath.Join(dir, part.Evidence), d.evidence); err != nil {
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

// decided is a part with a function that writes it.
type decided struct {
	digest            spec.Digest
	subject, evidence func(io.Writer) error // subject is nil if the evidence stands by itself
}

// decidePart decides a part again.
func decidePart(ctx context.Context, p *studies.Part) (*decided, error) {
	if p.Network != nil {
		return decideNetwork(ctx, p)
	}
	return decideTable(p)
}

// decideTable checks a table, whose evidence the model has found.
func decideTable(p *studies.Part) (*decided, error) {
	var text bytes.Buffer
	if err := p.Table(&text); err != nil {
		return nil, err
	}
	shown, err := (&evidence.Subject{}).Check(context.Background(), "table", text.Bytes(), evidence.Options{})
	if err != nil {
		return nil, &codeError{exitInternal, err}
	}
	if shown.Property != p.Property || shown.Verdict != p.Verdict {
		return nil, otherwise(p, shown.Verdict, shown.By)
	}
	return &decided{evidence: func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }}, nil
}

// otherwise returns the error that the checker disagrees with the model, or does not know.
func otherwise(p *studies.Part, got spec.Verdict, because string) error {
	err := fmt.Errorf("%s is %s, not %s: %s", evidence.Freedom(p.Property), got, p.Verdict, because)
	if got == spec.Unknown {
		return &codeError{exitUnknown, err}
	}
	return &codeError{exitInternal, err}
}

func decideNetwork(ctx context.Context, p *studies.Part) (*decided, error) {
	def, err := p.Network(ctx)
	if err != nil {
		return nil, err
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{})
	if err != nil {
		return nil, err
	}
	switch p.Property {
	case answers.Acyclic:
		return decideCycle(ctx, n, p)
	case answers.Regions:
		return decideRegions(n, p)
	}
	property, ok := spec.ParseProperty(p.Property)
	if !ok {
		return nil, fmt.Errorf("networks have no property %q", p.Property)
	}
	r, err := checker.Check(ctx, n, checker.Question{Properties: []string{property.String()}})
	if err != nil {
		return nil, err
	}
	f := &r.Findings[0]
	if f.Verdict != p.Verdict {
		return nil, otherwise(p, f.Verdict, f.Because.String())
	}
	d := ofNetwork(n)
	if f.Evidence != nil {
		d.evidence = func(w io.Writer) error { return write.Evidence(w, f.Evidence) }
	}
	return d, nil
}

func ofNetwork(n *spec.Network) *decided {
	return &decided{digest: n.Digest(), subject: func(w io.Writer) error { return routing.WriteClosed(w, n) }}
}

// decideCycle looks for a shortest cycle of dependencies, if a part claims that there
// is one. Deadlock freedom shows that none exists, see studies.Part.
func decideCycle(ctx context.Context, n *spec.Network, p *studies.Part) (*decided, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	channels, _ := g.ShortestCycle()
	if p.Verdict != spec.Violated || channels == nil {
		return nil, otherwise(p, spec.Holds, "the channel dependency graph has no cycle")
	}
	cycle := &answers.Cycle{Network: n.Digest()}
	for _, d := range dependency.Explain(n, dependency.Around(channels)) {
		cycle.Sites = append(cycle.Sites, d.At)
	}
	if err := answers.VerifyCycle(n, cycle); err != nil {
		return nil, &codeError{exitInternal, err}
	}
	d := ofNetwork(n)
	d.evidence = func(w io.Writer) error { return write.Cycle(w, n, cycle) }
	return d, nil
}

// decideRegions checks the regions that the model lists.
func decideRegions(n *spec.Network, p *studies.Part) (*decided, error) {
	r := &answers.RegionSet{Network: n.Digest(), Regions: p.Regions, Way: p.Way, Target: spec.Target{Dest: p.Dest}}
	if err := answers.VerifyRegions(n, r); err != nil {
		return nil, &codeError{exitInternal, err}
	}
	d := ofNetwork(n)
	d.evidence = func(w io.Writer) error { return write.Regions(w, r) }
	return d, nil
}
