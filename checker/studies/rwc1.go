package studies

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

func rwc1Questions() []Question {
	return []Question{
		{"least-vcs", "the given number of VCs leaves the routers' network without deadlock, and one VC less does not", about(rwc1Spiral, leastVCs)},
		{"any-rule", "the given number of VCs suffices under some rule that treats all rings alike", about(rwc1Rings, anyRule)},
		{"partitions", "no packet between two nodes of a partition passes a node outside of it, for all partitions of the chosen kind", about(rwc1Partitions, partitions)},
	}
}

// rwc1Rings are the routers, with so many VCs.
func rwc1Rings(a catalogue.Args) (rwc1.Options, error) {
	o := rwc1.Options{N: a.Int("n"), Topology: rwc1.Topology(catalogue.Index(rwc1.TopologyNames, a.Text("topology"))), VCs: a.Int("vcs"), Levels: 1}
	return o, nil
}

// rwc1Spiral are the routers with spiral buffers.
func rwc1Spiral(a catalogue.Args) (rwc1.Options, error) {
	o, err := rwc1Rings(a)
	o.Border = rwc1.Border(catalogue.Index(rwc1.BorderNames, a.Text("border")))
	return o, err
}

// rwc1Blocks are the routers, whose VCs do not matter here, and a kind of partitions.
type rwc1Blocks struct {
	rwc1.Options
	blocks rwc1.Blocks
}

func rwc1Partitions(a catalogue.Args) (rwc1Blocks, error) {
	o := rwc1.Options{N: a.Int("n"), Topology: rwc1.Topology(catalogue.Index(rwc1.TopologyNames, a.Text("topology"))), VCs: 3, Levels: 1}
	return rwc1Blocks{o, rwc1.Blocks(catalogue.Index(rwc1.BlockNames, a.Text("blocks")))}, nil
}

// routersPart is the verdict on deadlock of the routers' network with so many VCs.
func routersPart(o rwc1.Options, vcs int, border rwc1.Border, v spec.Verdict) Part {
	o = rwc1.Options{N: o.N, Topology: o.Topology, VCs: vcs, Border: border, Levels: 1}
	free := map[spec.Verdict]string{spec.Holds: "are free", spec.Violated: "deadlock"}[v]
	return networkPart(fmt.Sprintf("the routers with %d VCs %s", vcs, free), spec.Deadlock.String(), v, func() (spec.Definition, error) { return rwc1.New(o) })
}

func leastVCs(ctx context.Context, o rwc1.Options) (Answer, error) {
	a, err := leastVCsOf(ctx, o)
	if a.Verdict != spec.Unknown {
		a.Believe = []string{"the network in the parts is that of the paper's routers; the counts above are the model's alone"}
	}
	return a, err
}

func leastVCsOf(ctx context.Context, o rwc1.Options) (Answer, error) {
	given, err := rwc1.Depend(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	what := func(d *rwc1.Dependencies, vcs int) string {
		return fmt.Sprintf("%d VCs: %d ways over %d channels with %d dependencies", vcs, d.Packets, d.Channels, d.Edges)
	}
	cyclic := func(d *rwc1.Dependencies, vcs int) []string {
		lines := []string{what(d, vcs) + fmt.Sprintf(", and a cycle of %d channels; from the empty network, in this order:", len(d.Cycle))}
		return append(lines, d.Lines()...)
	}
	switch {
	case len(given.Cycle) > 0 && given.Filled():
		return Answer{
			Verdict: spec.Violated, Because: fmt.Sprintf("%d VCs are too few: %d packets wait for each other", o.VCs, len(given.Cycle)),
			Evidence: cyclic(given, o.VCs), Picture: given.Picture,
			Parts: []Part{routersPart(o, o.VCs, o.Border, spec.Violated)},
		}, nil
	case len(given.Cycle) > 0:
		return Answer{Verdict: spec.Unknown, Because: fmt.Sprintf("with %d VCs there is a cycle of dependencies, but no order in which it can be filled was found", o.VCs),
			Evidence: cyclic(given, o.VCs), Picture: given.Picture}, nil
	}
	enough := what(given, o.VCs) + fmt.Sprintf(", without a cycle: no chain is longer than %d channels", given.Longest)
	suffices := routersPart(o, o.VCs, o.Border, spec.Holds)
	if o.VCs == 1 {
		return Answer{Verdict: spec.Holds, Because: "one VC suffices", Evidence: []string{enough}, Parts: []Part{suffices}}, nil
	}
	o.VCs--
	fewer, err := rwc1.Depend(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	switch {
	case len(fewer.Cycle) == 0:
		return Answer{Verdict: spec.Violated, Because: fmt.Sprintf("%d VCs suffice", o.VCs), Evidence: []string{
			what(fewer, o.VCs) + fmt.Sprintf(", without a cycle: no chain is longer than %d channels", fewer.Longest),
		}, Parts: []Part{routersPart(o, o.VCs, o.Border, spec.Holds)}}, nil
	case !fewer.Filled():
		return Answer{Verdict: spec.Unknown, Because: fmt.Sprintf("with %d VCs there is a cycle of dependencies, but no order in which it can be filled was found", o.VCs),
			Evidence: append([]string{enough}, cyclic(fewer, o.VCs)...), Picture: fewer.Picture}, nil
	}
	return Answer{
		Verdict:  spec.Holds,
		Because:  fmt.Sprintf("%d VCs leave no cycle of dependencies; with %d, %d packets wait for each other", o.VCs+1, o.VCs, len(fewer.Cycle)),
		Evidence: append([]string{enough}, cyclic(fewer, o.VCs)...), Picture: fewer.Picture,
		Parts: []Part{suffices, routersPart(o, o.VCs, o.Border, spec.Violated)},
	}, nil
}

func anyRule(ctx context.Context, o rwc1.Options) (Answer, error) {
	a, err := rwc1.AnyRule(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	ways := fmt.Sprintf("%d different ways", a.Ways)
	switch {
	case a.Order != nil:
		return Answer{
			Verdict: spec.Holds, Because: fmt.Sprintf("every way is a subsequence of one sequence in which each link occurs %d times: a packet takes the first VC behind its own", o.VCs),
			Evidence: []string{ways, "the sequence: " + a.Text(a.Order)},
			Parts:    []Part{routersPart(o, o.VCs, rwc1.After, spec.Holds)},
			Believe:  []string{"the sequence is the order in which border=after numbers the VCs, so that this rule is that of the part"},
		}, nil
	case a.Against != nil:
		lines := []string{fmt.Sprintf("%s; %d beginnings of sequences tried; ways along parallel links that no sequence holds:", ways, a.Tried)}
		for _, way := range a.Against {
			lines = append(lines, a.Text(way))
		}
		return Answer{
			Verdict: spec.Violated, Because: fmt.Sprintf("no sequence in which each parallel link occurs at most %d times holds all ways", o.VCs),
			Evidence: lines,
			Parts: machineParts(func() (spec.Machine, error) { return a.Machine(o.VCs).Machine() }, spec.Holds,
				"no sequence has each link at most so many times and holds these ways: %s", rwc1.NoSequence),
			Believe: []string{"packets take the ways in the part, and a rule that treats all rings alike makes such a sequence (the order of the longest chains that end in a channel)"},
		}, nil
	}
	return Answer{Verdict: spec.Unknown, Because: "the spiral does not do, and parallel links alone do not forbid another rule", Evidence: []string{ways}}, nil
}

func partitions(ctx context.Context, subject rwc1Blocks) (Answer, error) {
	o, b := subject.Options, subject.blocks
	p, err := rwc1.Leaks(ctx, o, b)
	if err != nil {
		return Answer{}, err
	}
	routers := routersPart(o, o.VCs, o.Border, spec.Unknown)
	routers.Property = "regions"
	believe := []string{"the regions in the part are the partitions, and the network is that of the paper's routers"}
	regions, tooMany := rwc1.Regions(o, b)
	counted := fmt.Sprintf("%d partitions; %d packets, one for each pair of different nodes, all of which arrive; they pass %d nodes", p.Blocks, p.Packets, p.Visits)
	if p.First == nil {
		a := Answer{
			Verdict: spec.Holds, Because: "every node on a packet's way lies in the smallest partition that holds its ends, hence in all that hold them",
			Evidence: []string{counted},
		}
		if tooMany == nil {
			routers.Shows, routers.Regions, routers.Verdict = fmt.Sprintf("no packet leaves any of %d partitions", len(regions)), regions, spec.Holds
			a.Parts, a.Believe = []Part{routers}, believe
		}
		return a, nil
	}
	var way []string
	for _, v := range p.First.Way {
		way = append(way, p.Topology.Node(v).Name)
	}
	answer := Answer{
		Verdict: spec.Violated,
		Because: fmt.Sprintf("%d packets leave some partition that holds both their ends", p.Leaks),
		Evidence: []string{counted, fmt.Sprintf("from %s to %s, both in the partition with %s, over %s, which is outside: %s",
			p.Topology.Node(p.First.From).Name, p.Topology.Node(p.First.To).Name, p.First.Block, p.Topology.Node(p.First.At).Name, strings.Join(way, " "))},
		Picture: p.Picture,
	}
	if region := p.First.Region(regions); tooMany == nil && region != nil {
		until := slices.Index(p.First.Way, p.First.At)
		routers.Shows, routers.Regions, routers.Verdict = "a packet leaves the partition with "+p.First.Block, [][]spec.NodeID{region}, spec.Violated
		routers.Way, routers.Dest = p.First.Way[:until+1], p.First.To
		answer.Parts, answer.Believe = []Part{routers}, believe
	}
	return answer, nil
}
