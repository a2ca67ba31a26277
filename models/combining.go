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
			choice("variant", combining.VariantNames, "the nine steps as printed; entries with a part each for request and Acks; later requests sent back; later requests kept; kept, with Acks owed, copy by copy and fair arbiters"),
			integer("fanout", 2, 2, 8, "children of a switch"),
			integer("depth", 2, 1, 4, "levels of switches; the machine has 2, with 4 clusters"),
			clusterList("writers", "1,3", "clusters that write, in ascending order"),
			clusterList("homes", "0", "home cluster of each block"),
			integer("link", 2, 1, 8, "messages that a link holds"),
			integer("entries", 1, 1, 16, "entries of a wait buffer, one a block; see overflow"),
			choice("overflow", combining.OverflowNames, "a full wait buffer: there is none; messages wait; a processor takes over, and the switch forgets, or marks the block"),
			choice("resharing", []string{"yes", "no"}, "clusters that have lost their copy read again"),
			{Name: "readers", Default: "all", Form: "all or 0,3", Doc: "with resharing: clusters that read again, in ascending order"},
			choice("acks", []string{"at-once", "owed"}, "a cluster takes an invalidate when its link has room for the Ack; or always, and owes the Ack"),
			choice("multicast", []string{"at-once", "copies"}, "a switch sends an invalidate on when all its links have room; or copy by copy, as they get room"),
			choice("arbiter", combining.ArbiterNames, "who sends into a link: anybody; those who waited, once each, before others; round-robin (sound: batch, unless circle is asked for)"),
			choice("interrupts", []string{"at-once", "travel"}, "with an overflow to the processor: taking over is one step with the message's arrival; or a packet goes there over the links, and an answer back (wants multicast=copies)"),
			choice("unit", combining.UnitNames, "a combining unit is part of the crossbar's step; or has a place for one message before it, and one behind; or one for each way in, and out"),
			choice("reopen", []string{"when-written", "when-replied"}, "home shares the block again when the writer tells it that it has written; or as soon as it has replied"),
		},
		Machines: []MachineExpectation{
			{nil, neitherWrites("deadlock", "nothing lost", "no Ack lost"), 0, "a request and an Ack of one block share an entry: one overwrites the other"},
			{set{"resharing": "no"}, neitherWrites("deadlock", "nothing lost", "no Ack lost"), 0, "likewise"},
			{set{"writers": "3"}, nil, 0, "nobody else's request is ever in an entry, or thrown away"},
			{set{"variant": "parts"}, neitherWrites("nothing lost", "empty at rest"), 0, "a request is thrown away at switch 4; its entries below are never cleared"},
			{set{"variant": "parts", "writers": "0,3"}, nil, 0, "requests of home's own cluster pass no switch, so none is thrown away"},
			{set{"variant": "parts", "writers": "2,3"}, []string{"nothing lost", "the request of 2 is answered", "cluster 2 writes", "the request of 3 is answered", "cluster 3 writes"}, 0,
				"the request is thrown away at the first switch, so no entry below has it"},
			{set{"variant": "return"}, []string{"cluster 1 writes", "cluster 3 writes"}, 0, "what comes back may find the other's entry again and again"},
			{set{"variant": "defer"}, nil, 0, "a queue in the order of arrival"},
			{set{"writers": "3", "reopen": "when-replied"}, []string{"no copy beside a writer"}, 0, "a cluster reads from home while the reply is on its way"},
			{set{"writers": "3", "reopen": "when-replied", "resharing": "no"}, nil, 0, "without readers and with one writer nobody is there to get a copy"},
			{set{"variant": "defer", "reopen": "when-replied"}, []string{"no copy beside a writer", "one writer"}, 0, "likewise, or home begins for the next writer: a cluster answers an invalidate while it writes"},
			{set{"variant": "defer", "fanout": "4", "depth": "1"}, nil, 0, "likewise"},
			{set{"variant": "defer", "link": "1"}, []string{"the request of 3 is answered", "cluster 3 writes"}, 0,
				"messages of the other cluster may fill a link again and again; but links lead up, then down, to nodes that take everything"},
			{set{"variant": "defer", "acks": "owed"}, nil, 0, "as defer: an Ack more that waits in a cluster"},
			{set{"variant": "sound"}, nil, 0, "nothing down waits for anything up, and whoever waits gets its turn"},
			{set{"variant": "sound", "link": "1"}, nil, 0, "likewise"},
			{set{"variant": "sound", "arbiter": "circle", "unit": "place-each", "resharing": "no"}, nil, 0, "likewise, whichever the arbiter, and wherever the unit"},
			{set{"variant": "sound", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "1", "overflow": "marked", "interrupts": "travel"}, nil, 0, "likewise: interrupts go down, answers up"},
			{set{"variant": "defer", "link": "1", "arbiter": "batch"}, nil, 0, "as without arbiters, and nobody is passed over for ever"},
			{set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "1", "multicast": "copies", "overflow": "interrupt", "interrupts": "travel", "acks": "owed", "arbiter": "batch", "resharing": "no"},
				[]string{"deadlock", "no Ack lost", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, 0, "one Ack waits with the processor, the other in the buffer"},
			{set{"variant": "defer", "homes": "0,2", "link": "3", "resharing": "no"}, nil, 0, "blocks share nothing but links, which are never full"},
			{set{"variant": "defer", "homes": "0,2", "link": "2", "resharing": "no"}, neitherWrites(), 0,
				"a link that fills again each time lets others in first: fairness of links is not assumed"},
			{set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "refuse"}, []string{"deadlock", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, 0,
				"each dummy Ack of a block waits for the entry of the other, before the Ack that would free it"},
			{set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "interrupt"}, []string{"no Ack lost", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, 0,
				"one Ack waits with the processor, the other in the buffer"},
			{set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "marked"}, nil, 0, "a block's messages meet in one place"},
		},
		Questions: invalidateAckQuestions(),
		Claims:    invalidateAckClaims(),
		machine: func(a Args) (spec.Machine, error) {
			m, err := invalidation(a)
			if err != nil {
				return nil, err
			}
			return m.Program().Machine()
		},
	}
}

// neitherWrites adds the responses of writers 1 and 3.
func neitherWrites(violated ...string) []string {
	return append(violated, "the request of 1 is answered", "cluster 1 writes", "the request of 3 is answered", "cluster 3 writes")
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
	var readers []int
	if a.Text("readers") != "all" {
		if readers, err = clusters(a, "readers"); err != nil {
			return nil, err
		}
	}
	return combining.NewInvalidation(combining.InvalidateOptions{
		Readers: readers,
		FanOut:  a.Int("fanout"), Depth: a.Int("depth"), Homes: homes, Writers: writers, Link: a.Int("link"), Entries: a.Int("entries"),
		Overflow:  combining.Overflow(index(combining.OverflowNames, a.Text("overflow"))),
		Variant:   combining.Variant(index(combining.VariantNames, a.Text("variant"))),
		Resharing: a.Bool("resharing"), Owed: a.Text("acks") == "owed", Reopened: a.Text("reopen") == "when-replied",
		Travel: a.Text("interrupts") == "travel",
		Copies: a.Text("multicast") == "copies", Arbiter: combining.Arbiter(index(combining.ArbiterNames, a.Text("arbiter"))),
		Unit: combining.Unit(index(combining.UnitNames, a.Text("unit"))),
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
