package study

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Questions are those about the routers.
func Questions() []studies.Question {
	return []studies.Question{
		studies.Known("rwc1", "least-vcs", studies.About(rwc1Spiral, leastVCs)),
		studies.Known("rwc1", "partitions", studies.About(rwc1Partitions, partitions)),
	}
}

// rwc1Spiral parses the routers with spiral buffers.
func rwc1Spiral(a catalogue.Args) (rwc1.Options, error) {
	return rwc1.Options{
		N: a.Int("n"), VCs: a.Int("vcs"), Levels: 1,
		Topology: catalogue.Chosen[rwc1.Topology](a, "topology", rwc1.TopologyNames),
		Border:   catalogue.Chosen[rwc1.Border](a, "border", rwc1.BorderNames),
		Order:    catalogue.Chosen[mdce.Precedence](a, "order", mdce.PrecedenceNames),
	}, nil
}

// rwc1Blocks are the routers, whose VCs do not matter here, and a kind of partition.
type rwc1Blocks struct {
	rwc1.Options
	blocks rwc1.Blocks
}

func rwc1Partitions(a catalogue.Args) (rwc1Blocks, error) {
	topology := catalogue.Chosen[rwc1.Topology](a, "topology", rwc1.TopologyNames)
	order := catalogue.Chosen[mdce.Precedence](a, "order", mdce.PrecedenceNames)
	o := rwc1.Options{N: a.Int("n"), Topology: topology, Order: order, VCs: 3, Levels: 1}
	return rwc1Blocks{o, catalogue.Chosen[rwc1.Blocks](a, "blocks", rwc1.BlockNames)}, nil
}

// routersPart asks for freedom from deadlock of the routers' network.
func routersPart(o rwc1.Options) studies.Part {
	return studies.Part{
		Shows: "freedom from deadlock with " + words.Plural(o.VCs, "VC"), Property: spec.DeadlockFreedom.String(),
		Network: func(context.Context) (routing.Definition, error) { return rwc1.New(o) },
	}
}

// leastVCs asks whether the given number of VCs is the least that is deadlock-free.
func leastVCs(ctx context.Context, o rwc1.Options) (studies.Answer, error) {
	given := routersPart(o)
	why, err := given.Settle(ctx)
	if err != nil {
		return studies.Answer{}, err
	}
	a := studies.Answer{
		Verdict: given.Verdict, Because: fmt.Sprintf("%s %s: %s", given.Shows, given.Verdict, why.Because),
		Numbers: map[string]int{"vcs": o.VCs},
		Parts:   []studies.Part{given}, Believe: studies.Believed("rwc1 least-vcs"),
	}
	if given.Verdict != spec.Holds || o.VCs == 1 {
		return a, nil
	}
	o.VCs--
	fewer := routersPart(o)
	fewer.Needs = spec.Violated
	if why, err = fewer.Settle(ctx); err != nil {
		return studies.Answer{}, err
	}
	a.Because = fmt.Sprintf("%s holds; %s %s: %s", given.Shows, fewer.Shows, fewer.Verdict, why.Because)
	a.Parts = append(a.Parts, fewer)
	switch fewer.Verdict {
	case spec.Holds: // the given number is not the least
		a.Verdict, a.Parts = spec.Violated, a.Parts[1:]
	case spec.Unknown:
		a.Verdict = spec.Unknown
	}
	return a, nil
}

// partitions asks whether the regions of a kind are closed.
func partitions(ctx context.Context, subject rwc1Blocks) (studies.Answer, error) {
	regions, err := rwc1.Regions(subject.Options, subject.blocks)
	if err != nil {
		return studies.Answer{}, err
	}
	part := routersPart(subject.Options)
	part.Property, part.Shows = answers.Regions, fmt.Sprintf("no packet leaves any of %d partitions", len(regions))
	way, dest, err := part.SettleRegions(ctx, regions)
	if err != nil {
		return studies.Answer{}, err
	}
	a := studies.Answer{
		Verdict: part.Verdict,
		Because: fmt.Sprintf("no packet between two nodes of any of %d partitions passes a node outside", len(regions)),
		Numbers: map[string]int{"partitions": len(regions)},
		Believe: studies.Believed("rwc1 partitions"),
	}
	if part.Verdict == spec.Violated {
		region := fmt.Sprintf("the partition of %d nodes that holds %s and %s", len(part.Regions[0]), way[0], dest)
		part.Shows = "a packet leaves " + region
		a.Because = fmt.Sprintf("a packet from %s to %s leaves %s", way[0], dest, region)
		a.Numbers["nodes"] = len(part.Regions[0])
		a.Evidence = []string{"its path, whose last node is outside the partition: " + strings.Join(way, " ")}
	}
	a.Parts = []studies.Part{part}
	return a, nil
}
