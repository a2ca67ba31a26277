package page

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// dependencies is the channel dependency graph as a page shows it: all of it if it is
// small, the largest strongly connected part, a shortest cycle.
type dependencies struct {
	Acyclic bool
	Text    string
	Graph   *figure.Graph // nil if it is too large
	Folded  bool          // shown on request
	Views   []dependencyView
	Cycle   []dependencyRow

	escape map[dependency.Edge]bool
}

// dependencyView is one way to view the drawing.
type dependencyView struct {
	Name, Label string
	Box         figure.Box
}

type dependencyRow struct {
	Number   int
	From, To string
	Why      string
}

// dependenciesOf shows the dependency graph of n, and in it the escape of certificate c,
// which may be nil.
func dependenciesOf(ctx context.Context, n *spec.Network, c *proofs.Certificate, l limits) (*dependencies, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	used := g.UsedChannels()
	out := &dependencies{escape: map[dependency.Edge]bool{}}
	if c != nil && (c.Kind == proofs.Escape || c.Kind == proofs.ExtendedEscape) {
		edges, err := dependency.Escape(ctx, n, c)
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			out.escape[e] = true
		}
	}
	parts := g.Cyclic()
	if len(parts) == 0 {
		out.Acyclic = true
		out.Text = fmt.Sprintf("The channel dependency graph has %d channels, %d dependencies and no cycle.",
			len(used), g.Edges())
		if len(used) > l.channels {
			out.Text += " It is too large to be drawn here."
			return out, nil
		}
		const glance = 60 // channels
		out.Folded = len(used) > glance
		drawn, err := draw.Channels(ctx, n, used, nil)
		if err == nil {
			out.Graph, err = out.draw(drawn, used, nil, nil)
		}
		return out, err
	}
	largest := slices.MaxFunc(parts, func(a, b []spec.ChannelID) int { return len(a) - len(b) })
	cycle, exact := g.ShortestCycle()
	kind := "a shortest"
	if !exact {
		kind = "a short"
	}
	out.Text = fmt.Sprintf("The channel dependency graph has %d channels and %d dependencies. %s; %s cycle has %d.",
		len(used), g.Edges(), strongly(len(parts), len(largest)), kind, len(cycle))
	return out, out.cyclic(ctx, n, used, largest, cycle, l)
}

func strongly(parts, largest int) string {
	if parts == 1 {
		return fmt.Sprintf("One part, of %d channels, is strongly connected", largest)
	}
	return fmt.Sprintf("%d parts are strongly connected, the largest of %d channels", parts, largest)
}

// cyclic draws as much around the cycle as stays readable.
func (out *dependencies) cyclic(
	ctx context.Context, n *spec.Network, used, largest, cycle []spec.ChannelID, l limits,
) error {
	for i, d := range dependency.Explain(n, dependency.Around(cycle)) {
		out.Cycle = append(out.Cycle, dependencyRow{
			i + 1, n.Topology().ChannelName(d.From), n.Topology().ChannelName(d.To), why(n, d),
		})
		if len(out.Cycle) == l.rows {
			break
		}
	}
	around := slices.Clone(largest)
	if i, _ := slices.BinarySearch(around, cycle[0]); i == len(around) || around[i] != cycle[0] {
		around = append(around, cycle...) // the cycle is in another part
		slices.Sort(around)
	}
	shown := cycle
	switch {
	case len(used) <= l.channels:
		shown = used
	case len(around) <= l.channels:
		shown = around
	case len(cycle) > 4*l.channels:
		out.Text += " They are too large to be drawn here."
		return nil
	}
	if len(shown) > len(around) {
		out.Views = append(out.Views, dependencyView{Name: "all", Label: "all channels"})
	}
	drawn, err := draw.Cycle(n, cycle), error(nil)
	if len(shown) > len(cycle) {
		out.Views = append(out.Views, dependencyView{Name: "part", Label: "strongly connected part"},
			dependencyView{Name: "cycle", Label: "shortest cycle"})
		if drawn, err = draw.Channels(ctx, n, shown, cycle); err != nil {
			return err
		}
		if len(out.escape) > 0 {
			out.Text += " The cycles do no harm: the escape, whose hops lower the rank each time, leads out of them."
			out.Views = append(out.Views, dependencyView{Name: "escape", Label: "hops of the escape"})
		}
	} else if len(used) > len(cycle) {
		out.Text += " Only the cycle is drawn."
	}
	if out.Graph, err = out.draw(drawn, shown, cycle, around); err != nil {
		return err
	}
	for i, v := range out.Views {
		out.Views[i].Box = map[string]figure.Box{
			"all": out.Graph.View, "part": out.Graph.Part, "cycle": out.Graph.Cycle, "escape": out.Graph.View,
		}[v.Name]
	}
	return nil
}

// why says which packet makes a dependency, and by which rule.
func why(n *spec.Network, d dependency.Dependency) string {
	return "packet for " + n.Topology().Node(d.At.Header.Dest).Name + d.Why.Clause()
}

func (out *dependencies) draw(g *draw.Graph, channels, cycle, part []spec.ChannelID) (*figure.Graph, error) {
	if err := g.Err(); err != nil {
		return nil, err
	}
	r := figure.Roles{
		Cycle:  make([]int, len(channels)),
		Part:   make([]bool, len(channels)),
		Escape: make([]bool, len(g.Edges)),
	}
	for i, c := range channels {
		r.Cycle[i] = slices.Index(cycle, c) + 1
		_, r.Part[i] = slices.BinarySearch(part, c)
	}
	for i, e := range g.Edges {
		r.Escape[i] = out.escape[dependency.Edge{From: channels[e.From], To: channels[e.To]}]
	}
	return figure.Channels(g, r), nil
}
