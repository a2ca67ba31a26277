package models

import (
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
)

// The entry of the machine of PEACH2 hosts.

func peach2ReadsEntry() Entry {
	const starves = "a read of host 0 is answered"
	free, bound := []string(nil), []string{"deadlock"}
	return Entry{
		Name:    "peach2-reads",
		Summary: "machine: hosts on PEACH2 boards that write and read, packet by packet, by PCI Express's ordering rules",
		Source:  "PCI-SIG: PCI Express Base Specification 3.0, 2010, section 2.4; Hanawa et al. say nothing of reads across nodes",
		Params: []Param{
			integer("n", 2, 2, 4, "boards in a ring"),
			{Name: "tie", Default: "east", Form: "east, west, alternate, or EWEW", Doc: "the way if both are minimal: at all boards, or a letter a board"},
			choice("variant", peach2.VariantNames, "the way round the ring, as in peach2"),
			{Name: "reads", Default: "separate", Choices: peach2.ReadsNames, Doc: "buffers: no reads; each kind of packet its own; completions with reads; all in one; reads with writes"},
			choice("ordering", peach2.OrderingNames, "what passes older packets in other buffers: all that PCI Express allows; only what it demands; nothing; anything"),
			choice("writes", []string{"yes", "no"}, "posted writes beside reads"),
			choice("to", peach2.DestinationNames, "whom a host writes to and reads from: all, the next board, the one opposite"),
			integer("requests", 0, 0, 7, "a host's requests on their way at most; 0: as many as the buffers take (2 boards: few states; more boards: too many)"),
			integer("buffer", 1, 1, 4, "packets a buffer holds"),
			choice("arbiter", []string{"any", "turns"}, "those that want room in the same buffer: any of them may take it again and again, or they take turns"),
			choice("watch", []string{"no", "yes"}, "tell one read of host 0 at a time apart: is it answered?"),
		},
		Machines: []MachineExpectation{
			{nil, free, 0, "posted writes wait for posted writes, completions for those two, reads for all"},
			{set{"requests": "2", "watch": "yes"}, free, 0, "likewise; nobody else wants the room that a read waits for"},
			{set{"reads": "shared"}, bound, 0, "two reads that need the buffer which the other one's completion needs; writes still pass"},
			{set{"reads": "shared", "writes": "no"}, bound, 0, "the same"},
			{set{"reads": "shared", "watch": "yes"}, append(bound, starves), 0, "the watched read may be one of those two"},
			{set{"reads": "shared", "requests": "1"}, free, 0, "one read each leaves the links out of the hosts to completions"},
			{set{"reads": "fifo"}, bound, 0, "the same with all buffers"},
			{set{"reads": "in-order", "buffer": "2"}, bound, 0, "completions behind writes, writes behind reads, reads before a full completion buffer"},
			{set{"reads": "in-order", "writes": "no"}, free, 0, "completions wait for nothing but completions"},
			{set{"ordering": "strict", "writes": "no", "buffer": "2"}, bound, 0, "completions behind reads, one of which finds room when the last completion is let in, the other one not"},
			{set{"ordering": "required"}, free, 0, "what must be able to pass is enough"},
			{set{"n": "3", "requests": "1"}, free, 0, "three kinds of buffers, each acyclic"},
			{set{"n": "3", "requests": "1", "watch": "yes"}, []string{starves}, 0, "reads come in by two cables for the same room"},
			{set{"n": "3", "requests": "1", "watch": "yes", "arbiter": "turns"}, free, 0, "nobody is passed twice by the same one"},
			{set{"n": "3", "variant": "one-way", "reads": "no"}, bound, 0, "packets for distance 2 in each link"},
			{set{"n": "4", "reads": "no", "requests": "1", "to": "opposite"}, bound, 0, "a packet for the board opposite in each eastward link"},
			{set{"n": "4", "reads": "no", "requests": "1", "tie": "EEEW"}, free, 0, "board 3 sends nothing on through 0.E"},
		},
		Questions: []Question{
			{"waits", "on that ring, no buffers wait for each other in a cycle", of(peach2ReadsWaits, answerWaits)},
		},
		machine: func(a Args) (spec.Machine, error) {
			c, err := peach2ReadsCluster(a)
			if err != nil {
				return nil, err
			}
			return compiled(peach2.Hosts(c, peach2.HostsOptions{
				Reads: peach2Reads(a), Ordering: peach2Ordering(a), NoWrites: !a.Bool("writes"),
				To:     peach2.Destinations(index(peach2.DestinationNames, a.Text("to"))),
				Buffer: a.Int("buffer"), Requests: a.Int("requests"), Turns: a.Text("arbiter") == "turns", Watch: a.Bool("watch"),
			}))
		},
	}
}

func peach2Ordering(a Args) peach2.Ordering {
	return peach2.Ordering(index(peach2.OrderingNames, a.Text("ordering")))
}

func peach2ReadsCluster(a Args) (*peach2.Cluster, error) {
	ties, err := peach2.ParseTies(a.Text("tie"), a.Int("n"))
	if err != nil {
		return nil, err
	}
	return peach2.Generate(peach2.Options{
		Boards: a.Int("n"), Ties: ties,
		Variant: peach2.Variant(index(peach2.VariantNames, a.Text("variant"))),
	})
}

func peach2ReadsWaits(a Args) (peach2Waits, error) {
	c, err := peach2ReadsCluster(a)
	return peach2Waits{c, peach2WaitsOptions(a)}, err
}
