package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries of the combining network: invalidate/Ack.

const combiningSource = "Tanaka, Matsumoto, Tsuiki and Hiraki: Generalized Combining (OCHANOMIZ-5)"

func clusterList(name, preset, doc string) Param {
	return Param{Name: name, Default: preset, Form: "0,3", Doc: doc}
}

func invalidateAckEntry() Entry {
	return Entry{
		Name:    "invalidate-ack",
		Summary: "machine: invalidate requests and Acks that combine in a tree of switches, step by step",
		Source:  combiningSource,
		Params: []Param{
			choice("variant", combining.VariantNames, "the nine steps as printed; entries with a part each for request and Acks; later requests sent back; later requests kept"),
			integer("fanout", 2, 2, 8, "children of a switch"),
			integer("depth", 2, 1, 4, "levels of switches; the machine has 2, with 4 clusters"),
			clusterList("writers", "1,3", "clusters that write, in ascending order"),
			clusterList("homes", "0", "home cluster of each block"),
			integer("link", 2, 1, 8, "messages that a link holds"),
			integer("entries", 1, 1, 16, "entries of a wait buffer, one a block; see overflow"),
			choice("overflow", combining.OverflowNames, "a full wait buffer: there is none; messages wait; a processor takes over, and the switch forgets, or marks the block"),
			choice("resharing", []string{"yes", "no"}, "clusters that have lost their copy read again"),
		},
		machine: func(a Args) (spec.Machine, error) {
			m, err := invalidation(a)
			if err != nil {
				return nil, err
			}
			return m.Program().Machine()
		},
	}
}

func invalidation(a Args) (*combining.Invalidation, error) {
	writers, err := clusters(a, "writers")
	if err != nil {
		return nil, err
	}
	homes, err := clusters(a, "homes")
	if err != nil {
		return nil, err
	}
	return combining.NewInvalidation(combining.InvalidateOptions{
		FanOut: a.Int("fanout"), Depth: a.Int("depth"), Homes: homes, Writers: writers, Link: a.Int("link"), Entries: a.Int("entries"),
		Overflow:  combining.Overflow(index(combining.OverflowNames, a.Text("overflow"))),
		Variant:   combining.Variant(index(combining.VariantNames, a.Text("variant"))),
		Resharing: a.Bool("resharing"),
	})
}

// clusters reads a list of clusters such as "0,3".
func clusters(a Args, name string) ([]int, error) {
	var all []int
	for _, word := range strings.Split(a.Text(name), ",") {
		x, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s=%.40s: must be numbers of clusters as in 0,3", name, a.Text(name))
		}
		all = append(all, x)
	}
	return all, nil
}
