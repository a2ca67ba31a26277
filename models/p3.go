package models

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
)

const p3Source = "Takeda, Nakashima, Masuda and Taki: Hardware Configuration of the Multi-PSI/Version-2"

// brick is a plane with corners in the middle of edges, as the figure of the
// paper on dynamic balancing has it.
const brick = "pe a 0,0 60,0 60,64 40,64 0,64; pe b 60,0 128,0 128,64 60,64; pe c 0,64 40,64 40,128 0,128; pe d 40,64 60,64 128,64 128,128 40,128"

// notch is a plane that is not convex: the arm leans over the border of side.
const notch = "pe foot 0,0 64,0 64,64 0,64; pe side 64,0 128,0 128,64 64,64; pe arm 0,64 64,64 96,128 0,128"

func p3Params() []Param {
	return []Param{
		choice("variant", p3.RuleNames, "which of the edges that a zone names may be crossed"),
		choice("border", p3.BorderNames, "a target on a boundary: just right of it, in zone A, or in both zones"),
		choice("shape", []string{"grid", "bent", "bow", "fan", "text"}, "columns x rows after moves, one of the findings' planes, or the plane given as text"),
		integer("columns", 3, 1, 32, "PEs side by side, of a grid"),
		integer("rows", 2, 1, 32, "PEs one above the other, of a grid"),
		integer("moves", 0, 0, 10_000, "boundaries moved to balance the load, of a grid"),
		integer("seed", 1, 0, 1<<31-1, "of the moves"),
		integer("pitch", 64, 1, 512, "width and height of a region of a grid, before moves"),
		{Name: "text", Default: "pe a 0,0 2,0 0,2; pe b 2,0 2,2 0,2", Form: "pe NAME X,Y X,Y X,Y ...; ...", Doc: "the plane, corners counter-clockwise, as in a file"},
		{Name: "plane", Default: "", Form: "FILE", Doc: "a file with the plane instead of shape, a PE a line: pe NAME X,Y X,Y X,Y ..."},
		choice("targets", append([]string{"as-needed"}, p3.TargetNames...), "all points of the plane, or those with integer coordinates; as-needed: all, but integers for the rules nearer and beyond-nearer and for masked tables"),
		{Name: "quadrants", Default: p3.Alternate.String(), Form: "hvhv", Doc: "for the rules by quadrant: h or v first, for targets to the upper right, upper left, lower left, lower right"},
		choice("masks", p3.MasksNames, "Path Tables in which targets share entries, as coarse as they are found: one width a table for targets of others, or of others than neighbours, or blocks of any width"),
		integer("vcs", 1, 1, 16, "buffer classes; with more than one a packet goes up at turns from vertical to horizontal"),
	}
}

func p3Plane(a Args) (*p3.Plane, error) {
	if name := a.Text("plane"); name != "" {
		text, err := readText(name)
		if err != nil {
			return nil, err
		}
		return p3.Parse(name, text)
	}
	switch a.Text("shape") {
	case "bent":
		return p3.Bent()
	case "bow":
		return p3.Bow()
	case "fan":
		return p3.Fan()
	case "text":
		return p3.Parse("text", a.Text("text"))
	}
	o := p3.GridOptions{Columns: a.Int("columns"), Rows: a.Int("rows"), Pitch: int64(a.Int("pitch")), Moves: a.Int("moves")}
	if o.Moves > 0 {
		o.Seed = uint64(a.Int("seed"))
	}
	return p3.Grid(o)
}

// p3Bordered is a plane with literal forwarding, in which no rule chooses.
func p3Bordered(a Args) (p3.Options, error) {
	plane, err := p3Plane(a)
	return p3.Options{Plane: plane, Border: p3.Border(index(p3.BorderNames, a.Text("border")))}, err
}

// p3Ruled is forwarding by a rule, with links of one buffer class.
func p3Ruled(a Args) (p3.Options, error) {
	o, err := p3Bordered(a)
	if err != nil {
		return o, err
	}
	if o.Rule, err = p3.ParseRule(a.Text("variant")); err != nil {
		return o, err
	}
	if o.Rule == p3.ByQuadrant || o.Rule == p3.BeyondQuadrant {
		if o.Quadrants, err = p3.ParseQuadrants(a.Text("quadrants")); err != nil {
			return o, fmt.Errorf("quadrants=%w", err)
		}
	}
	o.Masks = p3.Masks(index(p3.MasksNames, a.Text("masks")))
	o.Targets = p3Targets(a, o.Rule == p3.Nearer || o.Rule == p3.BeyondNearer || o.Masks != p3.Unmasked)
	return o, nil
}

// p3Targets are integers as needed.
func p3Targets(a Args, needed bool) p3.Targets {
	switch targets := a.Text("targets"); {
	case targets != "as-needed":
		return p3.Targets(index(p3.TargetNames, targets))
	case needed:
		return p3.Integers
	}
	return p3.Everywhere
}

// p3Asked is forwarding by a rule for questions that follow packets by the PE they
// are at alone.
func p3Asked(a Args) (p3.Options, error) {
	o, err := p3Ruled(a)
	if err == nil && o.Rule == p3.NeverBack {
		err = fmt.Errorf("variant=%s depends on the input channel, which this question does not look at; \"unknot check p3\" decides it, with the same parameters", p3.RuleNames[p3.NeverBack])
	}
	return o, err
}

// p3Chosen is forwarding for questions that look for a rule of their own.
func p3Chosen(a Args) (p3.Options, error) {
	o, err := p3Bordered(a)
	o.Targets = p3Targets(a, false)
	return o, err
}

// p3ByQuadrants is forwarding literally, or beyond, before a choice by quadrant.
func p3ByQuadrants(a Args) (p3.Options, error) {
	o, err := p3Chosen(a)
	if err != nil {
		return o, err
	}
	switch rule := a.Text("variant"); rule {
	case p3.RuleNames[p3.Literal]:
	case p3.RuleNames[p3.Beyond]:
		o.Rule = p3.Beyond
	default:
		err = fmt.Errorf("variant=%s: the choice by quadrant comes after the rule literal or beyond", rule)
	}
	return o, err
}

func p3Entry() Entry {
	return Entry{
		Name:    "p3",
		Summary: "greedy forwarding to points of a plane that is divided among the PEs, all targets",
		Source:  p3Source,
		Params:  p3Params(),
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "a regular grid: any minimal hop, 1 VC, which deadlocks"},
			{set{"variant": "horizontal"}, spec.Holds, spec.Holds, 0, 0, "a regular grid: dimension order"},
			{set{"variant": "horizontal", "border": "both"}, spec.Violated, spec.Violated, spec.Violated, spec.Violated, "the PEs to both sides of a target straight above send it to each other"},
			{set{"shape": "bent"}, spec.Violated, spec.Violated, spec.Violated, 0, "at a corner of less than 180° for two PEs, both name each other"},
			{set{"shape": "bent", "variant": "horizontal"}, spec.Violated, spec.Violated, spec.Violated, spec.Violated, "both must name each other"},
			{set{"shape": "bent", "variant": "beyond"}, spec.Violated, spec.Violated, 0, 0, "a target is not beyond one edge from both sides; but both turns are left"},
			{set{"shape": "bent", "variant": "beyond-horizontal"}, spec.Holds, spec.Holds, 0, 0, "the upright boundaries lie on one line, so that no turn from vertical to horizontal is left"},
			{set{"shape": "bow", "variant": "beyond-horizontal"}, spec.Violated, spec.Violated, 0, 0, "zone A makes all four turns of the outer cycle"},
			{set{"shape": "bow", "variant": "forced"}, spec.Violated, spec.Violated, 0, 0, "packets without a choice make all four turns, so no rule helps"},
			{set{"shape": "bow", "variant": "beyond-horizontal", "vcs": "2"}, spec.Holds, spec.Holds, 0, 0, "one class a turn from vertical to horizontal, of which there is one"},
			{set{"variant": "nearer", "targets": "integers"}, spec.Violated, spec.Violated, 0, 0, "all turns are left: which PE is nearer says nothing of left or right"},
			{set{"shape": "fan", "variant": "nearer", "targets": "integers"}, spec.Violated, spec.Violated, spec.Violated, spec.Violated, "many regions have the middle as their nearest point, and two of them name each other"},
			{set{"shape": "fan", "variant": "beyond-nearer", "targets": "integers"}, spec.Violated, spec.Violated, 0, 0, "a target is not beyond one edge from both sides; but packets for opposite regions go round both ways"},
			{set{"variant": "by-quadrant"}, spec.Violated, spec.Violated, 0, 0, "the four turns, one a quadrant, are a circle"},
			{set{"variant": "by-quadrant", "quadrants": "hvhh"}, spec.Holds, spec.Holds, 0, 0, "both circles lack a turn"},
			{set{"shape": "bent", "variant": "by-quadrant", "quadrants": "hhvv"}, spec.Violated, spec.Violated, spec.Violated, spec.Violated, "both PEs below the corner go left or right first"},
			{set{"columns": "4", "rows": "3", "moves": "54", "seed": "8113", "variant": "by-quadrant", "quadrants": "vhvh"}, spec.Violated, spec.Violated, spec.Violated, spec.Violated, "an edge between two PEs side by side lies flat, so that both see the target in one quadrant"},
			{set{"shape": "bow", "variant": "beyond-quadrant", "vcs": "2"}, spec.Holds, spec.Holds, 0, 0, "one turn from vertical to horizontal on each way"},
			{set{"shape": "bent", "variant": "beyond-horizontal", "targets": "integers", "masks": "blocks"}, spec.Holds, spec.Holds, 0, 0, "what the search for coarse tables ensures: turns in an order of the links, and a measure that falls"},
			{set{"columns": "3", "rows": "3", "moves": "30", "variant": "fitted"}, spec.Holds, spec.Holds, 0, 0, "what the search ensures: no circle of waits"},
			{set{"shape": "text", "text": brick}, spec.Violated, spec.Violated, 0, 0, "2 x 2 bricks: any minimal way around their four"},
			{set{"shape": "text", "text": brick, "variant": "vertical"}, spec.Holds, spec.Holds, 0, 0, "first to the right row of bricks, then along it, and never back"},
			{set{"shape": "text", "text": notch}, spec.Holds, spec.Holds, 0, spec.Violated, "the target lies straight above a border"},
		},
		Questions: p3Questions(),
		Claims:    p3Claims(),
		build: func(a Args) (spec.Definition, error) {
			o, err := p3Ruled(a)
			if err != nil {
				return spec.Definition{}, err
			}
			o.VCs = a.Int("vcs")
			return p3.New(context.Background(), o)
		},
	}
}

func p3Questions() []Question {
	ask := func(parse func(Args) (p3.Options, error), question p3Question, parts p3Parts) func(Args) (study, error) {
		return of(parse, func(ctx context.Context, o p3.Options) (Answer, error) { return p3Ask(ctx, o, question, parts) })
	}
	return []Question{
		{"covers", "the regions tile the plane, and each PE finds every target of another in a zone with a neighbour", ask(p3Bordered, (*p3.Forwarding).Covers, nil)},
		{"distance-grows", "no permitted hop leads to a region farther from the target", ask(p3Asked, (*p3.Forwarding).NeverFarther, nil)},
		{"distance-shrinks", "every permitted hop leads to a region strictly nearer to the target", ask(p3Asked, (*p3.Forwarding).AlwaysNearer, nil)},
		{"measure", "each hop comes nearer or turns on around the nearest corner, never back", ask(p3Asked, (*p3.Forwarding).Measure, nil)},
		{"arrives", "every packet arrives, whichever permitted hops are taken", ask(p3Asked, (*p3.Forwarding).Arrives, p3Arrives)},
		{"waits", "links do not wait for each other in a circle, with one buffer class", ask(p3Asked, (*p3.Forwarding).Unwound, p3Unwound)},
		{"one-class", "with one buffer class, some choice in zone B for each kind of targets keeps links from waiting in a circle", ask(p3Chosen, (*p3.Forwarding).OneClass, p3OneClass)},
		{"quadrants", "some choice of quadrants in which to go up or down first, the rest left or right, makes packets arrive and links not wait in a circle", ask(p3ByQuadrants, (*p3.Forwarding).SomeQuadrants, p3Quadrants)},
		{"masks", "Path Tables may mask low bits of the coordinates of far targets, which saves entries, and every verdict stays", of(p3Asked, p3CoarsestMasks)},
	}
}

func p3Ask(ctx context.Context, o p3.Options, question p3Question, parts p3Parts) (Answer, error) {
	f, err := p3.NewForwarding(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	found, err := question(f, ctx)
	answer := p3Answer(found)
	if parts != nil && found.Verdict != spec.Unknown {
		answer.Parts = parts(o, found)
	}
	if answer.Parts != nil {
		answer.Believe = []string{"the network in the parts is that of the plane, its targets cut into cells in which every PE decides alike"}
	}
	return answer, err
}

// p3CoarsestMasks asks about the masks given, or about all.
func p3CoarsestMasks(ctx context.Context, o p3.Options) (Answer, error) {
	masks := o.Masks
	o.Masks = p3.Unmasked
	return p3Ask(ctx, o, func(f *p3.Forwarding, ctx context.Context) (p3.Finding, error) { return f.CoarsestMasks(ctx, masks) }, nil)
}

func p3Answer(f p3.Finding) Answer {
	a := Answer{Verdict: f.Verdict, Because: f.Because, Evidence: f.Evidence}
	if f.Picture != nil {
		a.Picture = f.Picture.SVG
	}
	return a
}

// readText reads a small file that a parameter names.
func readText(name string) (string, error) {
	const most = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s: more than %d bytes", name, most)
	}
	return string(text), err
}
