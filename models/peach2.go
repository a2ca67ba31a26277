package models

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
)

// The entry of PEACH2. Its answers are in peach2ask.go, its claims in
// peach2claims.go.

func peach2Entry() Entry {
	return Entry{
		Name:    "peach2",
		Summary: "PEACH2 boards: rings of PCI Express links, routed by address registers",
		Source:  "Hanawa, Kodama, Boku and Sato: Preliminary Evaluation of a Communication Mechanism for the Tightly Coupled Accelerators Architecture",
		Params: []Param{
			integer("n", 4, 2, 16, "boards in a ring"),
			integer("rings", 1, 1, 2, "rings; two are joined by S ports"),
			{Name: "coupled", Default: "all", Form: "all, or numbers as in 0,2", Doc: "with 2 rings: the boards of each that are joined"},
			{Name: "tie", Default: "east", Form: "east, west, alternate, or EWEW", Doc: "the way if both are minimal: at all boards, or a letter a board"},
			choice("order", peach2.OrderNames, "with 2 rings: which of two shortest ways first"),
			choice("variant", peach2.VariantNames, "the way round a ring; cut: not between boards n-1 and 0; cut-board: not through board 0; dateline: 2 VCs"),
			choice("reads", peach2.ReadsNames, "reads: none; each kind of packet its buffer; completions with reads; all in one; reads with writes"),
			choice("ordering", peach2.OrderingNames, "what passes older packets in other buffers: all that PCI Express allows; only what it demands; nothing; anything"),
			choice("south", []string{"rc-ep", "ep-rc", "rc-rc", "ep-ep"}, "with 2 rings: the roles of their S ports"),
			integer("buffer", 1, 1, 64, "packets a buffer holds"),
			{Name: "registers", Default: "", Form: "FILE", Doc: "a register file instead of all of the above but reads and buffer"},
			integer("hops", 3, 1, 32, "what the question hops compares with"),
		},
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "a packet for the board opposite in each eastward link"},
			{set{"tie": "west"}, spec.Violated, spec.Violated, 0, 0, "the same, westward"},
			{set{"tie": "EEEW"}, spec.Holds, spec.Holds, 0, 0, "board 3 sends nothing on through 0.E, so neither direction closes"},
			{set{"tie": "alternate"}, spec.Holds, spec.Holds, 0, 0, "likewise"},
			{set{"n": "2"}, spec.Holds, spec.Holds, 0, 0, "nobody goes two hops"},
			{set{"n": "3"}, spec.Holds, spec.Holds, 0, 0, "nobody goes two hops"},
			{set{"n": "5"}, spec.Violated, spec.Violated, 0, 0, "packets for distance 2 in each eastward link"},
			{set{"n": "6", "tie": "alternate"}, spec.Violated, spec.Violated, 0, 0, "distance 2 is no tie, so no rule helps"},
			{set{"n": "3", "variant": "one-way"}, spec.Violated, spec.Violated, 0, 0, "packets for distance 2 in each link"},
			{set{"n": "6", "variant": "cut"}, spec.Holds, spec.Holds, 0, 0, "a line"},
			{set{"n": "6", "variant": "cut-board"}, spec.Holds, spec.Holds, 0, 0, "a line with board 0 at both ends"},
			{set{"n": "6", "variant": "dateline"}, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz 1987"},
			{set{"rings": "2"}, spec.Violated, spec.Violated, 0, 0, "each ring by itself"},
			{set{"rings": "2", "tie": "EEEWEWEW"}, spec.Holds, spec.Holds, 0, 0, "S comes last, and there packets have arrived"},
			{set{"rings": "2", "tie": "EEEWEWEW", "order": "south-first"}, spec.Holds, spec.Holds, 0, 0, "S comes first, and nothing waits for it but new packets"},
			{set{"rings": "2", "variant": "cut"}, spec.Holds, spec.Holds, 0, 0, "two lines; S comes last"},
			{set{"rings": "2", "variant": "cut-board"}, spec.Holds, spec.Holds, 0, 0, "two such lines; S comes last"},
			{set{"rings": "2", "variant": "dateline"}, spec.Holds, spec.Holds, 0, 0, "two datelines; S comes last"},
			{set{"rings": "2", "coupled": "0,3", "variant": "dateline"}, spec.Holds, spec.Holds, 0, 0, "ring, S, ring: S is a dateline, too"},
			{set{"tie": "EEEW", "reads": "separate"}, spec.Holds, spec.Holds, 0, 0, "reads wait for completions, completions for nothing else"},
			{set{"tie": "EEEW", "reads": "shared"}, spec.Violated, spec.Violated, 0, 0, "neighbours that read from each other"},
			{set{"tie": "EEEW", "reads": "fifo"}, spec.Violated, spec.Violated, 0, 0, "likewise"},
			{set{"tie": "EEEW", "reads": "in-order", "ordering": "relaxed"}, spec.Holds, spec.Holds, 0, 0, "completions wait for completions, requests for those and for requests"},
			{set{"n": "2", "reads": "shared"}, spec.Violated, spec.Violated, 0, 0, "two boards that read from each other"},
		},
		Questions: []Question{
			{"addresses", "every address of the window takes one port at every board and gets to its own device", of(peach2Cluster, answerAddresses)},
			{"links", "every cable joins a root complex and an endpoint", of(peach2Cables, answerLinks)},
			{"ties", "some rule for ties frees minimal routing with one buffer class", of(peach2Tied, answerTies)},
			{"routings", "of rings of 3 to 7 boards, no routing by address that is free with one buffer class has shorter ways than cut-board", of(nothing, answerRoutings)},
			{"waits", "no buffers wait for each other in a cycle, waits by the ordering rules included", of(peach2Waited, answerWaits)},
			{"hops", "no way has more than so many cables (parameter hops)", of(peach2Hops, answerHops)},
			{"registers", "the registers, written as a register file and read back, are the same", of(peach2Cluster, answerRegisters)},
		},
		Claims: peach2Claims(),
		build: func(a Args) (spec.Definition, error) {
			c, err := peach2Cluster(a)
			if err != nil {
				return spec.Definition{}, err
			}
			def, err := peach2.New(c, peach2.NetworkOptions{Reads: peach2Reads(a), Ordering: peach2Ordering(a), Buffer: a.Int("buffer")})
			var order *peach2.OrderError
			if errors.As(err, &order) {
				err = fmt.Errorf("%w; \"unknot ask peach2 waits\" decides it, with the same parameters, and peach2-reads explores rings of 2 to 4 boards", err)
			}
			return def, err
		},
	}
}

func peach2Reads(a Args) peach2.Reads {
	return peach2.Reads(index(peach2.ReadsNames, a.Text("reads")))
}

// peach2Cluster reads the register file or generates a cluster.
func peach2Cluster(a Args) (*peach2.Cluster, error) {
	if name := a.Text("registers"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return peach2.Read(name, f)
	}
	o, err := peach2Options(a)
	if err != nil {
		return nil, err
	}
	return peach2.Generate(o)
}

func peach2Options(a Args) (peach2.Options, error) {
	o, err := peach2Rings(a)
	if err != nil {
		return o, err
	}
	o.Variant = peach2.Variant(index(peach2.VariantNames, a.Text("variant")))
	o.Ties, err = peach2.ParseTies(a.Text("tie"), o.Boards*o.Rings)
	return o, err
}

// peach2Rings are the boards with the way between rings.
func peach2Rings(a Args) (peach2.Options, error) {
	o, err := peach2Boards(a)
	if err == nil && o.Rings == 2 {
		o.Order = peach2.Order(index(peach2.OrderNames, a.Text("order")))
	}
	return o, err
}

// peach2Boards are the boards and their cables.
func peach2Boards(a Args) (peach2.Options, error) {
	o := peach2.Options{Boards: a.Int("n"), Rings: a.Int("rings")}
	var err error
	if o.Ties, err = peach2.ParseTies("east", o.Boards*o.Rings); err != nil || o.Rings == 1 {
		return o, err
	}
	for i, name := range strings.Split(a.Text("south"), "-") {
		o.South[i], _ = peach2.ParseRole(name)
	}
	if text := a.Text("coupled"); text != "all" {
		for _, s := range strings.Split(text, ",") {
			i, err := strconv.Atoi(s)
			if err != nil {
				return o, fmt.Errorf("coupled=%.40s: must be all, or numbers of boards such as 0,2", text)
			}
			o.Coupled = append(o.Coupled, i)
		}
	}
	return o, nil
}

// peach2Cables is a cluster in which routes do not matter. A cable that joins two
// ports of one role is an answer, not an error.
func peach2Cables(a Args) (peach2Cabling, error) {
	if a.Text("registers") != "" {
		c, err := peach2Cluster(a)
		return peach2Cabling{c, nil}.or(err)
	}
	o, err := peach2Boards(a)
	if err != nil {
		return peach2Cabling{}, err
	}
	c, err := peach2.Generate(o)
	return peach2Cabling{c, nil}.or(err)
}

type peach2Cabling struct {
	*peach2.Cluster
	wrong *peach2.RoleError // instead of a cluster
}

// or takes the error for a part of the cabling if it is about roles.
func (c peach2Cabling) or(err error) (peach2Cabling, error) {
	if errors.As(err, &c.wrong) {
		return c, nil
	}
	return c, err
}

// peach2Tied are rings whose rule for ties is left open.
func peach2Tied(a Args) (peach2.Options, error) {
	if name := a.Text("registers"); name != "" {
		return peach2.Options{}, fmt.Errorf("registers=%.40s: the question is about generated rings, and a file has one routing", name)
	}
	return peach2Rings(a)
}

// peach2Waits are the buffers of a cluster, and what passes what in them.
type peach2Waits struct {
	*peach2.Cluster
	peach2.WaitsOptions
}

func peach2Waited(a Args) (peach2Waits, error) {
	c, err := peach2Cluster(a)
	return peach2Waits{c, peach2WaitsOptions(a)}, err
}

func peach2WaitsOptions(a Args) peach2.WaitsOptions {
	o := peach2.WaitsOptions{Reads: peach2Reads(a)}
	if o.Reads != peach2.NoReads {
		o.Ordering = peach2Ordering(a)
	}
	return o
}

// peach2Bounded is a cluster and a number of cables to compare with.
type peach2Bounded struct {
	*peach2.Cluster
	hops int
}

func peach2Hops(a Args) (peach2Bounded, error) {
	c, err := peach2Cluster(a)
	return peach2Bounded{c, a.Int("hops")}, err
}
