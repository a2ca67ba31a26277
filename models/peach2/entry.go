package peach2

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "peach2",
		Summary: "PEACH2 boards: rings of PCI Express links, routed by address registers",
		Source:  "Hanawa, Kodama, Boku and Sato: Preliminary Evaluation of a Communication Mechanism for the Tightly Coupled Accelerators Architecture",
		Params: []catalogue.Param{
			catalogue.Integer("n", 4, 2, 16, "boards in a ring"),
			catalogue.Integer("rings", 1, 1, 2, "rings; two are joined by S ports"),
			{Name: "coupled", Default: "all", Form: "all, or numbers as in 0,2", Doc: "with 2 rings: the boards of each that are joined"},
			{Name: "tie", Default: "east", Form: "east, west, alternate, or EWEW", Doc: "the direction if both are minimal: of all boards, or a letter for each board"},
			catalogue.Choice("order", OrderNames, "with 2 rings: which of two shortest paths first"),
			catalogue.Choice("variant", VariantNames, "the routes round a ring; cut: not between boards n-1 and 0; cut-board: not through board 0; dateline: 2 VCs"),
			catalogue.Choice("reads", ReadsNames, "reads: none; each kind of packet its buffer; completions with reads; all in one; reads with writes"),
			catalogue.Choice("ordering", OrderingNames, "what passes older packets in other buffers: all that PCI Express allows; only what it demands; nothing; anything"),
			catalogue.Choice("south", []string{"rc-ep", "ep-rc", "rc-rc", "ep-ep"}, "with 2 rings: the roles of their S ports"),
			catalogue.Integer("buffer", 1, 1, 64, "packets a buffer holds"),
			{Name: "registers", Default: "", Form: "FILE", Doc: "a register file instead of all of the above but reads and buffer"},
			catalogue.Integer("hops", 3, 1, 32, "what the question hops compares with"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Violated, Worms: spec.Violated, Because: "a packet for the board opposite in each eastward link"},
			{Set: catalogue.Set{"tie": "west"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the same, westward"},
			{Set: catalogue.Set{"tie": "EEEW"}, Packets: spec.Holds, Worms: spec.Holds, Because: "board 3 sends nothing on through 0.E, so neither direction closes"},
			{Set: catalogue.Set{"tie": "alternate"}, Packets: spec.Holds, Worms: spec.Holds, Because: "likewise"},
			{Set: catalogue.Set{"n": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "nobody goes two hops"},
			{Set: catalogue.Set{"n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "nobody goes two hops"},
			{Set: catalogue.Set{"n": "5"}, Packets: spec.Violated, Worms: spec.Violated, Because: "packets for distance 2 in each eastward link"},
			{Set: catalogue.Set{"n": "6", "tie": "alternate"}, Packets: spec.Violated, Worms: spec.Violated, Because: "distance 2 is not a tie, so no tie-breaking rule helps"},
			{Set: catalogue.Set{"n": "3", "variant": "one-way"}, Packets: spec.Violated, Worms: spec.Violated, Because: "packets for distance 2 in each link"},
			{Set: catalogue.Set{"n": "6", "variant": "cut"}, Packets: spec.Holds, Worms: spec.Holds, Because: "a line"},
			{Set: catalogue.Set{"n": "6", "variant": "cut-board"}, Packets: spec.Holds, Worms: spec.Holds, Because: "a line with board 0 at both ends"},
			{Set: catalogue.Set{"n": "6", "variant": "dateline"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz 1987"},
			{Set: catalogue.Set{"rings": "2"}, Packets: spec.Violated, Worms: spec.Violated, Because: "each ring by itself"},
			{Set: catalogue.Set{"rings": "2", "tie": "EEEWEWEW"}, Packets: spec.Holds, Worms: spec.Holds, Because: "S comes last, and there packets have arrived"},
			{Set: catalogue.Set{"rings": "2", "tie": "EEEWEWEW", "order": "south-first"}, Packets: spec.Holds, Worms: spec.Holds, Because: "S comes first, and nothing waits for it but new packets"},
			{Set: catalogue.Set{"rings": "2", "variant": "cut"}, Packets: spec.Holds, Worms: spec.Holds, Because: "two lines; S comes last"},
			{Set: catalogue.Set{"rings": "2", "variant": "cut-board"}, Packets: spec.Holds, Worms: spec.Holds, Because: "two such lines; S comes last"},
			{Set: catalogue.Set{"rings": "2", "variant": "dateline"}, Packets: spec.Holds, Worms: spec.Holds, Because: "two datelines; S comes last"},
			{Set: catalogue.Set{"rings": "2", "coupled": "0,3", "variant": "dateline"}, Packets: spec.Holds, Worms: spec.Holds, Because: "ring, S, ring: S is a dateline, too"},
			{Set: catalogue.Set{"tie": "EEEW", "reads": "separate"}, Packets: spec.Holds, Worms: spec.Holds, Because: "reads wait for completions, completions for nothing else"},
			{Set: catalogue.Set{"tie": "EEEW", "reads": "shared"}, Packets: spec.Violated, Worms: spec.Violated, Because: "neighbours that read from each other"},
			{Set: catalogue.Set{"tie": "EEEW", "reads": "fifo"}, Packets: spec.Violated, Worms: spec.Violated, Because: "likewise"},
			{Set: catalogue.Set{"tie": "EEEW", "reads": "in-order", "ordering": "relaxed"}, Packets: spec.Holds, Worms: spec.Holds, Because: "completions wait for completions, requests for those and for requests"},
			{Set: catalogue.Set{"n": "2", "reads": "shared"}, Packets: spec.Violated, Worms: spec.Violated, Because: "two boards that read from each other"},
		},
		Claimed: claims,
		Build: func(a catalogue.Args) (routing.Definition, error) {
			c, err := ClusterOf(a)
			if err != nil {
				return routing.Definition{}, err
			}
			def, err := New(c, NetworkOptions{Reads: ReadsOf(a), Ordering: catalogue.Chosen[Ordering](a, "ordering", OrderingNames), Buffer: a.Int("buffer")})
			var order *OrderError
			if errors.As(err, &order) {
				err = fmt.Errorf("%w; \"unknot check peach2-reads\" explores rings of 2 to 4 boards", err)
			}
			return def, err
		},
	}
}

func ReadsOf(a catalogue.Args) Reads {
	return catalogue.Chosen[Reads](a, "reads", ReadsNames)
}

// ClusterOf reads the register file or generates a cluster.
func ClusterOf(a catalogue.Args) (*Cluster, error) {
	if name := a.Text("registers"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return Read(name, f)
	}
	o, err := optionsOf(a)
	if err != nil {
		return nil, err
	}
	return Generate(o)
}

func optionsOf(a catalogue.Args) (Options, error) {
	o, err := RingsOf(a)
	if err != nil {
		return o, err
	}
	o.Variant = catalogue.Chosen[Variant](a, "variant", VariantNames)
	o.Ties, err = ParseTies(a.Text("tie"), o.Boards*o.Rings)
	return o, err
}

// RingsOf returns the options of the boards, with the routing between rings.
func RingsOf(a catalogue.Args) (Options, error) {
	o, err := BoardsOf(a)
	if err == nil && o.Rings == 2 {
		o.Order = catalogue.Chosen[Order](a, "order", OrderNames)
	}
	return o, err
}

// BoardsOf returns the options of the boards and their cables.
func BoardsOf(a catalogue.Args) (Options, error) {
	o := Options{Boards: a.Int("n"), Rings: a.Int("rings")}
	var err error
	if o.Ties, err = ParseTies("east", o.Boards*o.Rings); err != nil || o.Rings == 1 {
		return o, err
	}
	for i, name := range strings.Split(a.Text("south"), "-") {
		o.South[i], _ = ParseRole(name)
	}
	if text := a.Text("coupled"); text != "all" {
		for _, s := range strings.Split(text, ",") {
			i, err := strconv.Atoi(s)
			if err != nil {
				return o, fmt.Errorf("invalid coupled %.40q: want all, or numbers of boards such as 0,2", text)
			}
			o.Coupled = append(o.Coupled, i)
		}
	}
	return o, nil
}
