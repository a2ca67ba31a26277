package peach2

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

//go:embed peach2-reads.star
var files embed.FS

func ReadsEntry() catalogue.Entry {
	const (
		starves = "a read of host 0 is answered"
		early   = "what the interrupt says is complete has arrived"
	)
	free, bound := []string(nil), []string{"deadlock"}
	return catalogue.Protocol(catalogue.Entry{
		Name:    "peach2-reads",
		Summary: "machine: hosts on PEACH2 boards that write and read, packet by packet, by PCI Express's ordering rules",
		Source:  "PCI-SIG: PCI Express Base Specification 3.0, 2010, section 2.4; Hanawa et al. say nothing of reads across nodes",
		Machines: []catalogue.MachineExpectation{
			{Violated: free, Because: "posted writes wait for posted writes, completions for those two, reads for all"},
			{Set: catalogue.Set{"requests": "2", "watch": "yes"}, Violated: free, Because: "likewise; nobody else wants the room that a read waits for"},
			{Set: catalogue.Set{"reads": "shared"}, Violated: bound, Because: "two reads that need the buffer which the other one's completion needs; writes still pass"},
			{Set: catalogue.Set{"reads": "shared", "writes": "no"}, Violated: bound, Because: "the same"},
			{Set: catalogue.Set{"reads": "shared", "watch": "yes"}, Violated: append(bound, starves), Because: "the watched read may be one of those two"},
			{Set: catalogue.Set{"reads": "shared", "requests": "1"}, Violated: free, Because: "one read each leaves the links out of the hosts to completions"},
			{Set: catalogue.Set{"reads": "fifo"}, Violated: bound, Because: "the same with all buffers"},
			{Set: catalogue.Set{"reads": "in-order", "buffer": "2"}, Violated: bound, Because: "completions behind writes, writes behind reads, reads before a full completion buffer"},
			{Set: catalogue.Set{"reads": "in-order", "writes": "no"}, Violated: free, Because: "completions wait for nothing but completions"},
			{Set: catalogue.Set{"ordering": "strict", "writes": "no", "buffer": "2"}, Violated: bound, Because: "completions behind reads, one of which finds room when the last completion is let in, the other one not"},
			{Set: catalogue.Set{"ordering": "required"}, Violated: free, Because: "what must be able to pass is enough"},
			{Set: catalogue.Set{"n": "3", "requests": "1"}, Violated: free, Because: "three kinds of buffers, each acyclic"},
			{Set: catalogue.Set{"n": "3", "requests": "1", "watch": "yes"}, Violated: []string{starves}, Because: "reads come in by two cables for the same room"},
			{Set: catalogue.Set{"n": "3", "requests": "1", "watch": "yes", "arbiter": "turns"}, Violated: free, Because: "no packet is passed twice by the same one"},
			{Set: catalogue.Set{"n": "3", "variant": "one-way", "reads": "no"}, Violated: bound, Because: "packets for distance 2 in each link"},
			{Set: catalogue.Set{"n": "4", "reads": "no", "requests": "1", "to": "opposite"}, Violated: bound, Because: "a packet for the board opposite in each eastward link"},
			{Set: catalogue.Set{"to": "own", "reads": "no", "interrupt": "when-sent"}, Violated: []string{early}, Because: "nothing waits for data in transit to memory"},
			{Set: catalogue.Set{"to": "own", "reads": "no", "interrupt": "behind"}, Violated: free, Because: "posted writes do not pass each other"},
			{Set: catalogue.Set{"to": "next", "reads": "no", "interrupt": "behind"}, Violated: []string{early}, Because: "the interrupt and the data take different paths"},
			{Set: catalogue.Set{"to": "next", "requests": "1", "interrupt": "after-read"}, Violated: free, Because: "a read does not pass a posted write"},
			{Set: catalogue.Set{"to": "next", "requests": "1", "interrupt": "after-read", "ordering": "relaxed"}, Violated: []string{early}, Because: "there it does"},
			{Set: catalogue.Set{"n": "4", "reads": "no", "requests": "1", "tie": "EEEW"}, Violated: free, Because: "board 3 sends nothing on through 0.E"},
		},
	}, catalogue.File(files, "peach2-reads.star"))
}
