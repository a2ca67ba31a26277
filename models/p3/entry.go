package p3

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

const paper = "Takeda, Nakashima, Masuda and Taki: Hardware Configuration of the Multi-PSI/Version-2"

func params() []catalogue.Param {
	return []catalogue.Param{
		catalogue.Choice("variant", RuleNames, "which of the edges that a zone names may be crossed"),
		catalogue.Choice("border", BorderNames, "a target on a boundary: just right of it, or in both zones"),
		catalogue.Choice("shape", []string{"grid", "bent", "bow", "brick", "notch"}, "columns x rows after moves, or one of the findings' planes; notch is not convex"),
		catalogue.Integer("columns", 3, 1, 32, "PEs side by side, of a grid"),
		catalogue.Integer("rows", 2, 1, 32, "PEs one above the other, of a grid"),
		catalogue.Integer("moves", 0, 0, 10_000, "boundaries moved to balance the load, of a grid"),
		catalogue.Integer("seed", 1, 0, 1<<31-1, "of the moves"),
		catalogue.Integer("pitch", 64, 1, 512, "width and height of a region of a grid, before moves"),
		catalogue.Choice("masks", []string{"none", "blocks"}, "Path Tables in which targets, those with integer coordinates, share entries: the coarsest blocks whose hops the rule permits"),
		catalogue.Integer("vcs", 1, 1, 16, "buffer classes; with more than one a packet goes up at turns from vertical to horizontal"),
	}
}

func planeOf(a catalogue.Args) *Plane {
	if shape, ok := map[string]func() *Plane{"bent": Bent, "bow": Bow, "brick": Brick, "notch": Notch}[a.Text("shape")]; ok {
		return shape()
	}
	o := GridOptions{Columns: a.Int("columns"), Rows: a.Int("rows"), Pitch: int64(a.Int("pitch")), Moves: a.Int("moves")}
	if o.Moves > 0 {
		o.Seed = uint64(a.Int("seed"))
	}
	return Grid(o)
}

// RuledOf is forwarding by a rule, without masks and with links of one buffer class.
func RuledOf(a catalogue.Args) Options {
	return Options{Plane: planeOf(a), Border: catalogue.Chosen[Border](a, "border", BorderNames), Rule: catalogue.Chosen[Rule](a, "variant", RuleNames)}
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
			{Set: catalogue.Set{"shape": "bent", "variant": "beyond-horizontal", "masks": "blocks"}, Packets: spec.Holds, Worms: spec.Holds, Because: "every entry is one of the rule's"},
			{Set: catalogue.Set{"shape": "brick"}, Packets: spec.Violated, Worms: spec.Violated, Because: "2 x 2 bricks: any minimal path around their four"},
			{Set: catalogue.Set{"shape": "brick", "variant": "vertical"}, Packets: spec.Holds, Worms: spec.Holds, Because: "first to the right row of bricks, then along it, and never back"},
			{Set: catalogue.Set{"shape": "notch"}, Packets: spec.Holds, Worms: spec.Holds, Delivery: spec.Violated, Because: "the target lies straight above a border"},
		},
		Claimed: claims,
		Build: func(a catalogue.Args) (routing.Definition, error) {
			o := RuledOf(a)
			o.Masks, o.VCs = a.Text("masks") == "blocks", a.Int("vcs")
			f, err := NewForwarding(a.Context(), o)
			if err != nil {
				return routing.Definition{}, err
			}
			return f.Definition(), nil
		},
	}
}
