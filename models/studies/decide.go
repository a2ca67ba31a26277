package studies

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Decided is a part with functions that write it. Subject is nil if the evidence stands by itself; Digest is the
// subject's.
type Decided struct {
	Digest            spec.Digest
	Subject, Evidence func(io.Writer) error
}

// DisagreementError says that the checker's verdict on a part is not the model's: one of the two is wrong, unless the
// checker does not know.
type DisagreementError struct {
	Part    *Part
	Got     spec.Verdict
	Because string
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("%s is %s, not %s: %s", evidence.Freedom(e.Part.Property), e.Got, e.Part.Verdict, e.Because)
}

// Decide decides a part by the checker, which knows nothing of the question.
func (p *Part) Decide(ctx context.Context) (*Decided, error) {
	if p.Network != nil {
		return p.decideNetwork(ctx)
	}
	return p.decideTable(ctx)
}

// decideTable checks a table, whose evidence the model has found.
func (p *Part) decideTable(ctx context.Context) (*Decided, error) {
	var text bytes.Buffer
	if err := p.Table(&text); err != nil {
		return nil, err
	}
	shown, err := (&evidence.Subject{}).Check(ctx, "table", text.Bytes(), evidence.Options{})
	if err != nil {
		return nil, &checker.EvidenceError{Name: p.Property, Err: err}
	}
	if shown.Property != p.Property || shown.Verdict != p.Verdict {
		return nil, &DisagreementError{p, shown.Verdict, shown.By}
	}
	return &Decided{Evidence: func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }}, nil
}

func (p *Part) decideNetwork(ctx context.Context) (*Decided, error) {
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
		return p.decideCycle(ctx, n)
	case answers.Regions:
		return p.decideRegions(n)
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
		return nil, &DisagreementError{p, f.Verdict, f.Because.String()}
	}
	d := ofNetwork(n)
	if f.Evidence != nil {
		d.Evidence = func(w io.Writer) error { return write.Evidence(w, f.Evidence) }
	}
	return d, nil
}

func ofNetwork(n *spec.Network) *Decided {
	return &Decided{Digest: n.Digest(), Subject: func(w io.Writer) error { return routing.WriteClosed(w, n) }}
}

// decideCycle looks for a shortest cycle of dependencies, if a part claims that there
// is one. Deadlock freedom shows that none exists, see [Part].
func (p *Part) decideCycle(ctx context.Context, n *spec.Network) (*Decided, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	channels, _ := g.ShortestCycle()
	if p.Verdict != spec.Violated || channels == nil {
		return nil, &DisagreementError{p, spec.Holds, "the channel dependency graph has no cycle"}
	}
	cycle := &answers.Cycle{Network: n.Digest()}
	for _, d := range dependency.Explain(n, dependency.Around(channels)) {
		cycle.Sites = append(cycle.Sites, d.At)
	}
	if err := answers.VerifyCycle(n, cycle); err != nil {
		return nil, &checker.EvidenceError{Name: p.Property, Err: err}
	}
	d := ofNetwork(n)
	d.Evidence = func(w io.Writer) error { return write.Cycle(w, n, cycle) }
	return d, nil
}

// decideRegions checks the regions that the model lists.
func (p *Part) decideRegions(n *spec.Network) (*Decided, error) {
	r := &answers.RegionSet{Network: n.Digest(), Regions: p.Regions, Way: p.Way, Target: spec.Target{Dest: p.Dest}}
	if err := answers.VerifyRegions(n, r); err != nil {
		return nil, &checker.EvidenceError{Name: p.Property, Err: err}
	}
	d := ofNetwork(n)
	d.Evidence = func(w io.Writer) error { return write.Regions(w, r) }
	return d, nil
}
