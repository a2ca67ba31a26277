package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
)

const selectionSource = "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel"

func selectionParams(k, most, mostDims int, forms []string) []Param {
	return []Param{
		integer("k", k, 2, most, "nodes in each dimension"),
		integer("n", 2, 1, mostDims, "dimensions"),
		choice("tie", []string{"positive", "negative", "parity"}, "which way at distance k/2"),
		choice("function", selection.Names, "output selection function"),
		choice("form", forms, "choose again at every clock, commit to a channel that is free, or commit on arrival"),
		choice("reading", selection.ReadingNames, "of ccb, step (2)(b): of all dimensions, or of those with a free VC here"),
	}
}

func selectionOptions(a Args) selection.Options {
	tie := tieOf(a)
	return selection.Options{
		K: a.Int("k"), N: a.Int("n"), Tie: tie,
		Function: selection.Function(index(selection.Names, a.Text("function"))),
		Form:     selection.Form(index(selection.FormNames, a.Text("form"))),
		Reading:  selection.Reading(index(selection.ReadingNames, a.Text("reading"))),
	}
}

// selectionEntry is the network of packets that have committed, see selection.New.
func selectionEntry() Entry {
	return Entry{
		Name:    "selection",
		Summary: "*-channel under a selection function whose routers choose again, or commit",
		Source:  selectionSource,
		Params:  selectionParams(4, 64, 3, selection.FormNames),
		Expect:  nil,
		build:   func(a Args) (spec.Definition, error) { return selection.New(selectionOptions(a)) },
	}
}

// selectionClockEntry is the machine of a few packets, see selection.NewMachine.
func selectionClockEntry() Entry {
	return Entry{
		Name:    "selection-clock",
		Summary: "a few packets on a *-channel torus, clock by clock, under a selection function",
		Source:  selectionSource,
		Params: append(selectionParams(4, 16, 4, selection.FormNames),
			Param{Name: "packets", Default: "column", Form: "column|SRC>DST,...", Doc: "which packets are sent; column: from each node of column 0, one column and two rows on"}),
		machine: func(a Args) (spec.Machine, error) {
			o := selectionOptions(a)
			packets, err := selectionPackets(a.Text("packets"), o)
			if err != nil {
				return nil, err
			}
			return selection.NewMachine(o, packets)
		},
	}
}

// selectionPackets reads the parameter packets.
func selectionPackets(text string, o selection.Options) ([]selection.Packet, error) {
	if text == "column" {
		return selection.Column(o)
	}
	var packets []selection.Packet
	for i, one := range strings.Split(text, ",") {
		from, to, ok := strings.Cut(one, ">")
		v, err1 := strconv.ParseInt(from, 10, 32)
		w, err2 := strconv.ParseInt(to, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("packets: entry %d is %.20q: want SRC>DST with two node numbers", i+1, one)
		}
		packets = append(packets, selection.Packet{From: spec.NodeID(v), To: spec.NodeID(w)})
	}
	return packets, nil
}
