package studies

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of studies with open parts.
//
// Such a study names networks and a property of each; the checker decides them, and the
// answer aggregates the verdicts: the first holds and the second does not, a given number
// hold, all hold. Nothing else searches, so every verdict that the answer rests on has
// evidence.

// compiled builds the part's network.
func (p *Part) compiled(ctx context.Context) (*spec.Network, error) {
	def, err := p.Network(ctx)
	if err != nil {
		return nil, err
	}
	return routing.Compile(ctx, def, routing.CompileOptions{})
}

// Reason says why a part holds or does not: the fields of an [Answer].
type Reason struct {
	Because  string
	Numbers  map[string]int
	Evidence []string
}

// Settle decides a network's part, whose verdict is open, and returns why. If a part asks
// for an acyclic dependency graph and that is acyclic, the part asks for freedom from
// deadlock from then on, which shows as much.
func (p *Part) Settle(ctx context.Context) (Reason, error) {
	n, err := p.compiled(ctx)
	if err != nil {
		return Reason{}, err
	}
	if p.Property == answers.Acyclic {
		return p.settleCycle(ctx, n)
	}
	property, ok := spec.ParseProperty(p.Property)
	if !ok {
		return Reason{}, fmt.Errorf("networks have no property %q", p.Property)
	}
	r, err := checker.Check(ctx, n, checker.Question{Properties: []string{property.String()}})
	if err != nil {
		return Reason{}, err
	}
	f := r.Findings[0]
	p.Verdict = f.Verdict
	return Reason{Because: f.Because.String()}, nil
}

// SettleAll settles parts, and answers that all of them hold. Once one is violated, the others do
// not matter. A number of the answer is the sum over the parts.
func SettleAll(ctx context.Context, parts []Part) (Answer, error) {
	a := Answer{Verdict: spec.Holds, Parts: parts, Numbers: map[string]int{}}
	var because []string
	for i := range parts {
		why, err := parts[i].Settle(ctx)
		switch {
		case err != nil:
			return Answer{}, err
		case parts[i].Verdict == spec.Violated:
			return Answer{
				Verdict: spec.Violated, Because: why.Because, Numbers: why.Numbers, Evidence: why.Evidence, Parts: parts[i : i+1],
			}, nil
		case parts[i].Verdict == spec.Unknown:
			a.Verdict = spec.Unknown
		}
		because = append(because, why.Because)
		for name, n := range why.Numbers {
			a.Numbers[name] += n
		}
	}
	a.Because = strings.Join(because, "; ")
	if a.Verdict == spec.Unknown {
		a.Parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Verdict == spec.Unknown })
	}
	return a, nil
}

func (p *Part) settleCycle(ctx context.Context, n *spec.Network) (Reason, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return Reason{}, err
	}
	cycle, _ := g.ShortestCycle()
	if cycle == nil {
		p.Property, p.Verdict = spec.DeadlockFreedom.String(), spec.Holds
		return Reason{
			Because: fmt.Sprintf("the channel dependency graph, with %d edges, has no cycle", g.Edges()),
			Numbers: map[string]int{"edges": g.Edges()},
		}, nil
	}
	p.Verdict, p.cycle = spec.Violated, cycle
	why := Reason{
		Because: fmt.Sprintf("the channel dependency graph has a cycle of %d channels", len(cycle)),
		Numbers: map[string]int{"cycle": len(cycle)},
	}
	for _, d := range dependency.Explain(n, dependency.Around(cycle)) {
		from, to := n.Topology().ChannelName(d.From), n.Topology().ChannelName(d.To)
		why.Evidence = append(why.Evidence, fmt.Sprintf("%s waits for %s: a packet for %s%s",
			from, to, n.Topology().Node(d.At.Header.Dest).Name, d.Why.Clause()))
	}
	return why, nil
}

// Drawing draws the part's network, or the cycle of dependencies that settling it has
// found, with Graphviz.
func (p *Part) Drawing(ctx context.Context) func(io.Writer) error {
	part := *p
	return func(w io.Writer) error {
		n, err := part.compiled(ctx)
		if err != nil {
			return err
		}
		if part.cycle == nil {
			return draw.Render(ctx, w, draw.Topology(n.Name(), n.Topology()), "svg")
		}
		return draw.Render(ctx, w, draw.Cycle(n, part.cycle), "svg")
	}
}
