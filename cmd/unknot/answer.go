package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/cmd/internal/evidence"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The folder of evidence of an answer to a question. The model says which
// verdicts on which networks and machines the answer comes down to; here each is
// decided anew, by the checker, which knows nothing of the question, and written
// with its evidence. If one comes out otherwise than the model has it, one of the
// two is wrong, and there is no folder.

// writeAnswer writes an answer's parts and their index.
func writeAnswer(ctx context.Context, dir, asked, asks string, a *models.Answer) error {
	if len(a.Parts) == 0 {
		return errors.New("the answer has no parts that a second program can check, so there is nothing to write")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := removeParts(dir); err != nil {
		return err
	}
	index := &evidence.Answer{Format: evidence.AnswerFormat, Asked: asked, Asks: asks, Verdict: a.Verdict.String(), Because: a.Because, Believe: a.Believe}
	files := map[spec.Digest]string{} // of closed forms
	for i := range a.Parts {
		p := &a.Parts[i]
		d, err := decidePart(ctx, p)
		if err != nil {
			return fmt.Errorf("part %d, %s: %w", i+1, p.Shows, err)
		}
		part := evidence.Part{Shows: p.Shows, Property: p.Property, Verdict: p.Verdict.String(), Evidence: fmt.Sprintf("%04d.unknot", i+1)}
		if d.subject != nil {
			part.Digest = d.digest.String()
			if part.Subject = files[d.digest]; part.Subject == "" {
				part.Subject = fmt.Sprintf("%04d.json", i+1)
				files[d.digest] = part.Subject
				if err := writeFile(filepath.Join(dir, part.Subject), d.subject); err != nil {
					return err
				}
			}
		}
		if err := writeFile(filepath.Join(dir, part.Evidence), d.evidence); err != nil {
			return err
		}
		index.Parts = append(index.Parts, part)
	}
	return writeFile(filepath.Join(dir, evidence.AnswerFile), func(w io.Writer) error { return evidence.WriteAnswer(w, index) })
}

var partName = regexp.MustCompile(`^[0-9]{4,}\.(json|unknot)$`)

// removeParts removes what an earlier answer left in the folder, the index first.
func removeParts(dir string) error {
	if err := os.Remove(filepath.Join(dir, evidence.AnswerFile)); err != nil && !os.IsNotExist(err) {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if partName.MatchString(e.Name()) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// decided is a part with what writes it.
type decided struct {
	digest            spec.Digest
	subject, evidence func(io.Writer) error // subject is nil if the evidence stands by itself
}

// decidePart decides a part anew.
func decidePart(ctx context.Context, p *models.Part) (*decided, error) {
	switch {
	case p.Network != nil:
		return decideNetwork(ctx, p)
	case p.Machine != nil:
		return decideMachine(ctx, p)
	}
	return decideTable(p)
}

// decideTable checks a table, whose evidence the model has found.
func decideTable(p *models.Part) (*decided, error) {
	var text bytes.Buffer
	if err := p.Table(&text); err != nil {
		return nil, err
	}
	shown, err := evidence.CheckTable("table", text.Bytes())
	if err != nil {
		return nil, &codeError{exitInternal, err}
	}
	if shown.Property != p.Property || shown.Verdict != p.Verdict {
		return nil, otherwise(p, shown.Verdict, shown.By)
	}
	return &decided{evidence: func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }}, nil
}

// otherwise is the error that the checker disagrees with the model, or does not know.
func otherwise(p *models.Part, got spec.Verdict, because string) error {
	err := fmt.Errorf("%s is %s, not %s: %s", p.Property, got, p.Verdict, because)
	if got == spec.Unknown {
		return &codeError{exitUnknown, err}
	}
	return &codeError{exitInternal, err}
}

func decideNetwork(ctx context.Context, p *models.Part) (*decided, error) {
	def, err := p.Network()
	if err != nil {
		return nil, err
	}
	n, err := spec.Compile(ctx, def, spec.CompileOptions{})
	if err != nil {
		return nil, err
	}
	switch p.Property {
	case counterexamples.Acyclic:
		return decideCycle(ctx, n, p)
	case proofs.Regions:
		return decideRegions(n, p)
	}
	property, ok := spec.ParseProperty(p.Property)
	if !ok {
		return nil, fmt.Errorf("networks have no property %q", p.Property)
	}
	report, err := checker.Decide(ctx, n, checker.Options{Properties: []spec.Property{property}, Settle: 200_000})
	if err != nil {
		return nil, err
	}
	d := ofNetwork(n)
	r := report.Results[0]
	switch {
	case r.Verdict != p.Verdict:
		return nil, otherwise(p, r.Verdict, r.Because)
	case r.Certificate != nil:
		d.evidence = func(w io.Writer) error { return proofs.Write(w, r.Certificate) }
	case r.Closed != nil:
		d.evidence = func(w io.Writer) error { return proofs.WriteClosedSet(w, r.Closed) }
	default:
		d.evidence = func(w io.Writer) error { return counterexamples.Write(w, n, r.Trace) }
	}
	return d, nil
}

func ofNetwork(n *spec.Network) *decided {
	return &decided{digest: n.Digest(), subject: func(w io.Writer) error { return spec.WriteClosed(w, n) }}
}

// decideCycle looks for a shortest cycle of dependencies, which a part says that
// there is. That there is none is shown by freedom from deadlock, see models.Part.
func decideCycle(ctx context.Context, n *spec.Network, p *models.Part) (*decided, error) {
	g, err := checker.Dependencies(ctx, n)
	if err != nil {
		return nil, err
	}
	channels, _ := g.ShortestCycle()
	if p.Verdict != spec.Violated || channels == nil {
		return nil, otherwise(p, spec.Holds, "the channel dependency graph has no cycle")
	}
	edges := make([]checker.Edge, len(channels))
	for i, c := range channels {
		edges[i] = checker.Edge{From: c, To: channels[(i+1)%len(channels)]}
	}
	cycle := &counterexamples.Cycle{Network: n.Digest()}
	for _, d := range checker.Explain(n, edges) {
		cycle.Sites = append(cycle.Sites, d.At)
	}
	if err := counterexamples.VerifyCycle(n, cycle); err != nil {
		return nil, &codeError{exitInternal, err}
	}
	d := ofNetwork(n)
	d.evidence = func(w io.Writer) error { return counterexamples.WriteCycle(w, n, cycle) }
	return d, nil
}

// decideRegions checks regions, which the model has listed.
func decideRegions(n *spec.Network, p *models.Part) (*decided, error) {
	r := &proofs.RegionSet{Network: n.Digest(), Regions: p.Regions, Way: p.Way, Target: spec.Target{Dest: p.Dest}}
	if err := proofs.VerifyRegions(n, r); err != nil {
		return nil, &codeError{exitInternal, err}
	}
	d := ofNetwork(n)
	d.evidence = func(w io.Writer) error { return proofs.WriteRegions(w, r) }
	return d, nil
}

func decideMachine(ctx context.Context, p *models.Part) (*decided, error) {
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	guarded := programOf(m)
	if guarded == nil {
		return nil, errors.New("the machine is not written as guarded commands")
	}
	d := &decided{subject: func(w io.Writer) error { return program.WriteClosed(w, guarded) }}
	if d.digest, err = guarded.Digest(); err != nil {
		return nil, err
	}
	const memory = 4 << 30
	x, err := checker.Explore(ctx, m, checker.ExploreOptions{Whole: true, Liveness: isResponse(m, p.Property), Memory: memory})
	if err != nil {
		return nil, err
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		switch {
		case f.Property != p.Property:
			continue
		case f.Verdict != p.Verdict:
			return nil, otherwise(p, f.Verdict, f.Because)
		}
		if d.evidence = findingWriter(m, nil, x, f, checker.Local); d.evidence == nil {
			return nil, &codeError{exitUnknown, errors.New("no second program can check it: the space is too large for a ranking")}
		}
		return d, nil
	}
	return nil, fmt.Errorf("%s has no property %q", m.Name(), p.Property)
}

func isResponse(m spec.Machine, property string) bool {
	for _, v := range claimsOf(m).Responses {
		if v.Name == property {
			return true
		}
	}
	return false
}
