package studies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// p3Asked is forwarding by a rule for questions that follow packets by the PE they
// are at alone.
func p3Asked(a catalogue.Args) (p3.Options, error) {
	o, err := p3.RuledOf(a)
	if err == nil && o.Rule == p3.NeverBack {
		err = fmt.Errorf("variant=%s depends on the input channel, which this question does not look at", p3.RuleNames[p3.NeverBack])
	}
	return o, err
}

// p3Unmasked is forwarding for the question that makes masked tables itself; to
// mask only makes integers of the targets.
func p3Unmasked(a catalogue.Args) (p3.Options, error) {
	o, err := p3Asked(a)
	o.Masks = p3.Unmasked
	return o, err
}

// p3Chosen is forwarding for questions that look for a rule of their own.
func p3Chosen(a catalogue.Args) (p3.Options, error) {
	o, err := p3.BorderedOf(a)
	o.Targets = p3.TargetsOf(a, false)
	return o, err
}

// p3ByQuadrants is forwarding by quadrant, after the rule literal or beyond.
func p3ByQuadrants(a catalogue.Args) (p3.Options, error) {
	o, err := p3Chosen(a)
	if err != nil {
		return o, err
	}
	switch rule := a.Text("variant"); rule {
	case p3.RuleNames[p3.Literal]:
		o.Rule = p3.ByQuadrant
	case p3.RuleNames[p3.Beyond]:
		o.Rule = p3.BeyondQuadrant
	default:
		err = fmt.Errorf("variant=%s: the choice by quadrant comes after the rule literal or beyond", rule)
	}
	return o, err
}

func p3Questions() []Question {
	return []Question{
		{"covers", "the regions tile the plane, and each PE finds every target of another in a zone with a neighbour", about(p3.BorderedOf, p3Finding((*p3.Forwarding).Covers))},
		{"distance-grows", "no permitted hop leads to a region farther from the target", about(p3Asked, p3Distances(false))},
		{"distance-shrinks", "every permitted hop leads to a region strictly nearer to the target", about(p3Asked, p3Distances(true))},
		{"arrives", "every packet arrives, whichever permitted hops are taken", about(p3.RuledOf, p3Arrives)},
		{"waits", "links do not wait for each other in a cycle, with one buffer class", about(p3.RuledOf, p3Waits)},
		{"one-class", "with one buffer class, some choice in zone B for each kind of targets keeps links from waiting in a cycle", about(p3Chosen, p3OneClass)},
		{"quadrants", "some choice of quadrants in which to go up or down first, the rest left or right, makes packets arrive and links not wait in a cycle", about(p3ByQuadrants, p3Quadrants)},
		{"masks", "Path Tables may mask low bits of the coordinates of far targets, which saves entries, and no packet goes another way than the rule permits", about(p3Unmasked, p3Finding((*p3.Forwarding).CoarsestMasks))},
	}
}

// p3Finding has the model decide a question about distances, zones or tables,
// which are no network's.
func p3Finding(question func(*p3.Forwarding, context.Context) (p3.Finding, error)) func(context.Context, p3.Options) (Answer, error) {
	return func(ctx context.Context, o p3.Options) (Answer, error) {
		f, err := p3.NewForwarding(ctx, o)
		if err != nil {
			return Answer{}, err
		}
		found, err := question(f, ctx)
		a := Answer{Verdict: found.Verdict, Because: found.Because, Evidence: found.Evidence}
		if found.Picture != nil {
			a.Picture = found.Picture.SVG
		}
		return a, err
	}
}

func p3Distances(strictly bool) func(context.Context, p3.Options) (Answer, error) {
	return p3Finding(func(f *p3.Forwarding, ctx context.Context) (p3.Finding, error) { return f.Distances(ctx, strictly) })
}

// p3Plane says what networks of planes are.
const p3Plane = "the network in the parts is that of the plane, its targets cut into cells in which every PE decides alike"

// p3Parts asks for properties of the network of a plane, with one buffer class.
func p3Parts(ctx context.Context, o p3.Options, properties ...string) []Part {
	o.VCs = 1
	def, err := p3.New(ctx, o)
	build := func(context.Context) (routing.Definition, error) { return def, err }
	shows := map[string]string{
		"livelock": "whether a packet may go round forever", "delivery": "whether every packet keeps its destination within reach",
		"deadlock": "freedom from deadlock with one buffer class", acyclic: "whether links with one buffer class may wait for each other in a cycle",
	}
	var parts []Part
	for _, p := range properties {
		parts = append(parts, networkPart(shows[p], p, spec.Unknown, build))
	}
	return parts
}

// p3Drawn draws what a part's settling has found: the way of a packet, or links.
func p3Drawn(ctx context.Context, o p3.Options, p *Part) func(io.Writer) error {
	return func(w io.Writer) error {
		if p.trace == nil {
			return p3Cycle(o.Plane, p).SVG(w)
		}
		f, err := p3.NewForwarding(ctx, o)
		if err != nil {
			return err
		}
		h := p.trace.Moves[0].Header
		return f.Way(int(h.Dest), h.Class, p.nodes, p.round).SVG(w)
	}
}

// p3Cycle draws the cycle of links that settling a part has found.
func p3Cycle(plane *p3.Plane, p *Part) *p3.Picture {
	pic := &p3.Picture{Plane: plane, Zones: -1, Path: p.nodes, Loop: -1}
	if p.round {
		pic.Loop = 0
	}
	return pic
}

func p3Arrives(ctx context.Context, o p3.Options) (Answer, error) {
	return p3Settled(ctx, o, p3Parts(ctx, o, "livelock", "delivery"))
}

func p3Waits(ctx context.Context, o p3.Options) (Answer, error) {
	return p3Settled(ctx, o, p3Parts(ctx, o, acyclic))
}

// p3Settled is the answer that parts about a plane hold.
func p3Settled(ctx context.Context, o p3.Options, parts []Part) (Answer, error) {
	a, err := all(ctx, parts)
	if err != nil {
		return a, err
	}
	a.Believe = []string{p3Plane}
	if len(a.Parts) > 0 {
		a.Picture = p3Drawn(ctx, o, &a.Parts[0])
	}
	return a, nil
}

// p3Quadrants settles each of the 16 choices: some must make all parts hold.
func p3Quadrants(ctx context.Context, o p3.Options) (Answer, error) {
	a := Answer{Verdict: spec.Violated, Believe: []string{p3Plane, "the parts are of all 16 choices"}}
	free, unknown := 0, false
	for q := range p3.Quadrants(16) {
		o.Quadrants = q
		choice, err := all(ctx, p3Parts(ctx, o, "livelock", "delivery", acyclic))
		if err != nil {
			return Answer{}, err
		}
		for _, p := range choice.Parts {
			p.Case, p.Shows = int(q), fmt.Sprintf("%s: %s", q, p.Shows)
			a.Parts = append(a.Parts, p)
		}
		if choice.Verdict == spec.Holds {
			free++
		}
		unknown = unknown || choice.Verdict == spec.Unknown
		a.Evidence = append(a.Evidence, fmt.Sprintf("%s: %s: %s", q, choice.Verdict, choice.Because))
	}
	switch {
	case free > 0:
		a.Verdict = spec.Holds
	case unknown:
		a.Verdict = spec.Unknown
	}
	a.Because = fmt.Sprintf("with %d of the 16 choices every packet arrives and no links wait in a cycle", free)
	return a, nil
}

// p3OneClass has the model look for a rule and the checker decide it; or a cycle
// of packets that have no choice. That every other way to leave out turns fails
// is a search that no part shows.
func p3OneClass(ctx context.Context, o p3.Options) (Answer, error) {
	o.Rule = p3.Fitted
	parts := p3Parts(ctx, o, acyclic, "delivery")
	_, err := parts[0].Network(ctx)
	switch {
	case err == nil:
		return p3Settled(ctx, o, parts)
	case ctx.Err() != nil || o.Border != p3.Lean:
		return Answer{}, err
	case !errors.Is(err, p3.ErrNoRule):
		return Answer{Because: err.Error()}, nil
	}
	o.Rule = p3.Forced
	a, err := p3Settled(ctx, o, p3Parts(ctx, o, acyclic))
	switch {
	case err != nil:
		return a, err
	case a.Verdict == spec.Violated:
		a.Because = "packets without any choice close a cycle of waits, so no rule can prevent it: " + a.Because
		return a, nil
	}
	return Answer{Verdict: spec.Violated, Because: "no rule can prevent cycles of waits: each way to leave out turns takes its last way from some packet"}, nil
}

func p3RebalanceQuestions() []Question {
	return []Question{
		{"settles", "once all entries are rewritten, in whatever order, packets do not wait in a cycle, wherever they have got to", about(p3.MoveOf, p3Settles(p3.Afterwards))},
		{"settles-quietly", "packets that travel wholly by the tables before or wholly by those after do not wait in a cycle", about(p3.MoveOf, p3Settles(p3.Sorts))},
		{"frontier", "some discipline of rewriting keeps packets, however many, from waiting in a cycle forever", about(p3.MoveOf, p3Frontier)},
	}
}

// p3Meeting asks for an acyclic dependency graph of packets that meet such entries.
func p3Meeting(ctx context.Context, m p3.Move, meets p3.Meeting) Part {
	return networkPart("whether packets wait in a cycle that meet entries, "+p3.MeetingNames[meets], acyclic, spec.Unknown, func(ctx context.Context) (routing.Definition, error) {
		return p3.Settling(ctx, m.Before, m.After, m.Rule, meets)
	})
}

func p3Settles(meets p3.Meeting) func(context.Context, p3.Move) (Answer, error) {
	return func(ctx context.Context, m p3.Move) (Answer, error) {
		a, err := all(ctx, []Part{p3Meeting(ctx, m, meets)})
		if err != nil {
			return a, err
		}
		a.Believe = []string{"the network in the part is that of packets that start in any link to which the tables may have sent them, and follow those that they may still meet"}
		a.Picture = p3Cycle(m.After, &a.Parts[0]).SVG
		return a, nil
	}
}

// p3Frontier settles what packets may meet under the 48 disciplines. Some hold if
// either plane is free by itself, for one that keeps packets before and after the
// move apart has no other waits.
func p3Frontier(ctx context.Context, m p3.Move) (Answer, error) {
	planes := append(p3Parts(ctx, p3.Options{Plane: m.Before, Rule: m.Rule}, "deadlock"), p3Parts(ctx, p3.Options{Plane: m.After, Rule: m.Rule}, "deadlock")...)
	planes[0].Shows += ", before the move"
	planes[1].Shows += ", after the move"
	a, err := all(ctx, planes)
	a.Believe = []string{"the networks in the parts are those of the planes, and under a discipline packets meet the entries that the model says"}
	if err != nil || a.Verdict != spec.Holds {
		a.Because = "whatever the discipline, of the planes by themselves: " + a.Because
		return a, err
	}
	keeps := map[p3.Meeting]bool{p3.Phases: true}
	for meets := p3.Sorts; int(meets) < len(p3.MeetingNames); meets++ {
		part := p3Meeting(ctx, m, meets)
		because, _, err := part.settle(ctx)
		if err != nil {
			return Answer{}, err
		}
		keeps[meets] = part.Verdict == spec.Holds
		part.Case = Beside
		a.Parts = append(a.Parts, part)
		a.Evidence = append(a.Evidence, fmt.Sprintf("entries that packets meet: %s: %s", p3.MeetingNames[meets], because))
	}
	all := p3.Disciplines()
	kept := slices.DeleteFunc(slices.Clone(all), func(d p3.Discipline) bool { return !keeps[d.Meets()] })
	var weakest []string
	for _, d := range kept {
		if !slices.ContainsFunc(kept, func(e p3.Discipline) bool { return e.Weaker(d) }) {
			weakest = append(weakest, d.String())
		}
	}
	a.Because = fmt.Sprintf("%d of %d disciplines keep packets from waiting in a cycle; the weakest: %s", len(kept), len(all), strings.Join(weakest, "; or "))
	if len(kept) < len(all) {
		a.Believe = append(a.Believe, "a cycle of waits need not become a deadlock: \"unknot check p3-rebalance\" explores whether packets come to one under another discipline")
	}
	return a, nil
}
