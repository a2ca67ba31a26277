package p3

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

const paper = "Takeda, Nakashima, Masuda and Taki: Hardware Configuration of the Multi-PSI/Version-2"

// brick is a plane with corners in the middle of edges, as the figure of the
// paper on dynamic balancing has it.
const brick = "pe a 0,0 60,0 60,64 40,64 0,64; pe b 60,0 128,0 128,64 60,64; pe c 0,64 40,64 40,128 0,128; pe d 40,64 60,64 128,64 128,128 40,128"

// notch is a plane that is not convex: the arm leans over the border of side.
const notch = "pe foot 0,0 64,0 64,64 0,64; pe side 64,0 128,0 128,64 64,64; pe arm 0,64 64,64 96,128 0,128"

func params() []catalogue.Param {
	return []catalogue.Param{
		catalogue.Choice("variant", RuleNames, "which of the edges that a zone names may be crossed"),
		catalogue.Choice("border", BorderNames, "a target on a boundary: just right of it, in zone A, or in both zones"),
		catalogue.Choice("shape", []string{"grid", "bent", "bow", "fan", "text"}, "columns x rows after moves, one of the findings' planes, or the plane given as text"),
		catalogue.Integer("columns", 3, 1, 32, "PEs side by side, of a grid"),
		catalogue.Integer("rows", 2, 1, 32, "PEs one above the other, of a grid"),
		catalogue.Integer("moves", 0, 0, 10_000, "boundaries moved to balance the load, of a grid"),
		catalogue.Integer("seed", 1, 0, 1<<31-1, "of the moves"),
		catalogue.Integer("pitch", 64, 1, 512, "width and height of a region of a grid, before moves"),
		{Name: "text", Default: "pe a 0,0 2,0 0,2; pe b 2,0 2,2 0,2", Form: "pe NAME X,Y X,Y X,Y ...; ...", Doc: "the plane, corners counter-clockwise, as in a file"},
		{Name: "plane", Default: "", Form: "FILE", Doc: "a file with the plane instead of shape, a PE a line: pe NAME X,Y X,Y X,Y ..."},
		catalogue.Choice("targets", append([]string{"as-needed"}, TargetNames...), "all points of the plane, or those with integer coordinates; as-needed: all, but integers for the rules nearer and beyond-nearer and for masked tables"),
		{Name: "quadrants", Default: Alternate.String(), Form: "hvhv", Doc: "for the rules by quadrant: h or v first, for targets to the upper right, upper left, lower left, lower right"},
		catalogue.Choice("masks", MasksNames, "Path Tables in which targets share entries: each for itself, or the coarsest blocks whose ways the rule permits"),
		catalogue.Integer("vcs", 1, 1, 16, "buffer classes; with more than one a packet goes up at turns from vertical to horizontal"),
	}
}

func planeOf(a catalogue.Args) (*Plane, error) {
	if name := a.Text("plane"); name != "" {
		text, err := readText(name)
		if err != nil {
			return nil, err
		}
		return Parse(name, text)
	}
	switch a.Text("shape") {
	case "bent":
		return Bent()
	case "bow":
		return Bow()
	case "fan":
		return Fan()
	case "text":
		return Parse("text", a.Text("text"))
	}
	o := GridOptions{Columns: a.Int("columns"), Rows: a.Int("rows"), Pitch: int64(a.Int("pitch")), Moves: a.Int("moves")}
	if o.Moves > 0 {
		o.Seed = uint64(a.Int("seed"))
	}
	return Grid(o)
}

// BorderedOf is a plane with literal forwarding, in which no rule chooses.
func BorderedOf(a catalogue.Args) (Options, error) {
	plane, err := planeOf(a)
	return Options{Plane: plane, Border: catalogue.Chosen[Border](a, "border", BorderNames)}, err
}

// RuledOf is forwarding by a rule, with links of one buffer class.
func RuledOf(a catalogue.Args) (Options, error) {
	o, err := BorderedOf(a)
	if err != nil {
		return o, err
	}
	if o.Rule, err = ParseRule(a.Text("variant")); err != nil {
		return o, err
	}
	if o.Rule == ByQuadrant || o.Rule == BeyondQuadrant {
		if o.Quadrants, err = ParseQuadrants(a.Text("quadrants")); err != nil {
			return o, fmt.Errorf("quadrants=%w", err)
		}
	}
	o.Masks = catalogue.Chosen[Masks](a, "masks", MasksNames)
	o.Targets = TargetsOf(a, o.Rule == Nearer || o.Rule == BeyondNearer || o.Masks != Unmasked)
	return o, nil
}

// TargetsOf are integers as needed.
func TargetsOf(a catalogue.Args, needed bool) Targets {
	switch targets := a.Text("targets"); {
	case targets != "as-needed":
		return Targets(slices.Index(TargetNames, targets))
	case needed:
		return Integers
	}
	return Everywhere
}

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "p3",
		Summary: "greedy forwarding to points of a plane that is divided among the PEs, all targets",
		Source:  paper,
		Params:  params(),
		Expect: []catalogue.Expectation{
			{Packets: spec.Violated, Worms: spec.Violated, Because: "a regular grid: any minimal hop, 1 VC, which deadlocks"},
			{Set: catalogue.Set{"variant": "horizontal"}, Packets: spec.Holds, Worms: spec.Holds, Because: "a regular grid: dimension order"},
			{Set: catalogue.Set{"variant": "horizontal", "border": "both"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Violated, Because: "the PEs to both sides of a target straight above send it to each other"},
			{Set: catalogue.Set{"shape": "bent"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Because: "at a corner of less than 180° for two PEs, both name each other"},
			{Set: catalogue.Set{"shape": "bent", "variant": "horizontal"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Violated, Because: "both must name each other"},
			{Set: catalogue.Set{"shape": "bent", "variant": "beyond"}, Packets: spec.Violated, Worms: spec.Violated, Because: "a target is not beyond one edge from both sides; but both turns are left"},
			{Set: catalogue.Set{"shape": "bent", "variant": "beyond-horizontal"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the upright boundaries lie on one line, so that no turn from vertical to horizontal is left"},
			{Set: catalogue.Set{"shape": "bow", "variant": "beyond-horizontal"}, Packets: spec.Violated, Worms: spec.Violated, Because: "zone A makes all four turns of the outer cycle"},
			{Set: catalogue.Set{"shape": "bow", "variant": "forced"}, Packets: spec.Violated, Worms: spec.Violated, Because: "packets without a choice make all four turns, so no rule helps"},
			{Set: catalogue.Set{"shape": "bow", "variant": "beyond-horizontal", "vcs": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "one class a turn from vertical to horizontal, of which there is one"},
			{Set: catalogue.Set{"variant": "nearer", "targets": "integers"}, Packets: spec.Violated, Worms: spec.Violated, Because: "all turns are left: which PE is nearer says nothing of left or right"},
			{Set: catalogue.Set{"shape": "fan", "variant": "nearer", "targets": "integers"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Violated, Because: "many regions have the middle as their nearest point, and two of them name each other"},
			{Set: catalogue.Set{"shape": "fan", "variant": "beyond-nearer", "targets": "integers"}, Packets: spec.Violated, Worms: spec.Violated, Because: "a target is not beyond one edge from both sides; but packets for opposite regions go round both ways"},
			{Set: catalogue.Set{"variant": "by-quadrant"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the four turns, one a quadrant, are a cycle"},
			{Set: catalogue.Set{"variant": "by-quadrant", "quadrants": "hvhh"}, Packets: spec.Holds, Worms: spec.Holds, Because: "both cycles lack a turn"},
			{Set: catalogue.Set{"shape": "bent", "variant": "by-quadrant", "quadrants": "hhvv"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Violated, Because: "both PEs below the corner go left or right first"},
			{Set: catalogue.Set{"columns": "4", "rows": "3", "moves": "54", "seed": "8113", "variant": "by-quadrant", "quadrants": "vhvh"}, Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Violated, Because: "an edge between two PEs side by side lies flat, so that both see the target in one quadrant"},
			{Set: catalogue.Set{"shape": "bow", "variant": "beyond-quadrant", "vcs": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "one turn from vertical to horizontal on each way"},
			{Set: catalogue.Set{"shape": "bent", "variant": "beyond-horizontal", "targets": "integers", "masks": "blocks"}, Packets: spec.Holds, Worms: spec.Holds, Because: "every entry is one of the rule's"},
			{Set: catalogue.Set{"columns": "3", "rows": "3", "moves": "30", "variant": "fitted"}, Packets: spec.Holds, Worms: spec.Holds, Because: "what the search ensures: no cycle of waits"},
			{Set: catalogue.Set{"shape": "text", "text": brick}, Packets: spec.Violated, Worms: spec.Violated, Because: "2 x 2 bricks: any minimal way around their four"},
			{Set: catalogue.Set{"shape": "text", "text": brick, "variant": "vertical"}, Packets: spec.Holds, Worms: spec.Holds, Because: "first to the right row of bricks, then along it, and never back"},
			{Set: catalogue.Set{"shape": "text", "text": notch}, Packets: spec.Holds, Worms: spec.Holds, Delivery: spec.Violated, Because: "the target lies straight above a border"},
		},
		Claims: claims(),
		Build: func(a catalogue.Args) (routing.Definition, error) {
			o, err := RuledOf(a)
			if err != nil {
				return routing.Definition{}, err
			}
			o.VCs = a.Int("vcs")
			return New(a.Context(), o)
		},
	}
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
