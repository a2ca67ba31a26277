package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of invalidate/Ack.
//
// A block is shared, being invalidated (its home collects Acks), answered, or
// owned by a writer; its home knows which. A writer's request goes up and down
// the tree to the home, an invalidate from there into the sharing area, Acks
// back, combined at every switch to one, and a reply to the writer. What the
// proof of a good variant rests on: an invalidate that passes a switch brings it
// exactly as many Acks as it has neighbours other than the one towards home, the
// dummy at the root of the area included, so that the last of them empties the
// Ack part of the entry; and a request part stands for exactly one request on
// its way between this switch and home, which a reply (or a return) brings back.
// All links are FIFO and all messages of a block follow the same tree, so a copy
// sent to a cluster is there before the invalidate that takes it away.
//
// Why Sound cannot stand still, whatever its size: no link down the tree waits for
// a link up. What comes down to a cluster is taken (Acks are owed, and requests
// have a place at home), and what comes down to a switch goes on down: requests,
// Acks and Dones towards home, invalidates, replies and copies away from it. So,
// from the clusters upwards, every link down gets room again. Then, from the root
// downwards, does every link up: what comes up to a switch goes up, or turns down.
// An invalidate needs several links, but with Copies holds none while it waits
// for another, and a link has an arbiter of its own, so that turns cannot go
// round in a cycle. Places before and behind a unit are links like others, as
// long as each way in and out has its own; one place for all is up and down at
// the same time. Interrupts go down and their answers up, as invalidates and
// Acks do. Why no request starves: links get room again and again and arbiters
// are fair, so whatever waits for a link gets on; queues are first in, first out.
//
// Levels (sections 5 and 6 of the paper): requests (step 1) and the reply (step 7)
// have level 1, the home's invalidates level 0 (step 3), Acks and the dummy level
// 3 (steps 4 and 5). Level 2, to wait for a bounded time, is not used: section 5
// names level 1 as the one for what cannot be foreseen, "in OCHANOMIZ-5 the
// combining of read requests and invalidate requests", and the number of Acks is
// known (section 3.3). So there is nothing to time, and no parameter for it. Done
// and copies, which are ours, have level 0: they pass the unit by.
//
// The crossbar joins the parent, the children and the combining unit (section 5).
// With Merged a message crosses it twice, with what the unit does in between, in
// one step. That is sound for deadlock and invariants if the unit has places for
// each way (PlaceEach): to take a message out of its link, through the unit and
// into the next link in one step, when all is possible, leaves out only states in
// which messages stand in those places; these are like longer links, which the
// properties do not see, and a message there holds up only what it would have
// held up in its link. Messages that pass the unit by may overtake those that do
// not, which is harmless but for Reopened: of one block nobody sends a message of
// level 0 while one of level 1 or 3 that it sent before is under way.
// TestUnitsApart compares verdicts; it is one place for all that differs.
//
// To keep states few, each link has codes for just those messages that can come
// there, and whatever has no meaning any more (a distance, a turn) is cleared.

// Invalidation is the machine of invalidate/Ack as a program, with what is
// needed to read its states again.
//
// The nine steps are those of the paper's section 6. Where it is silent, the
// plainest way was taken, in all variants:
//   - At first all clusters share all blocks, so all sharing distances are that
//     of the whole tree.
//   - A cluster has one write at a time, and begins it when it has a copy. A
//     request that has been sent stays, even if its cluster loses the copy: the
//     reply brings the block with it.
//   - Invalidates carry the name of the first requester, so that its cluster can
//     keep its copy (step 5).
//   - Home keeps requests for a block that is not shared at the moment in a FIFO
//     queue (step 2 mentions it), and takes one after the other. If nobody else
//     can have a copy (distance 0) it replies without asking.
//   - A switch multicasts when all the links have room, but for Copies. A cluster
//     invalidates and sends its Ack in one step, but for Owed.
//   - Who sends into a link next is open, but for an Arbiter; what a switch's unit
//     does is one step with crossing, but for Unit.
//   - A writer that has the reply is "told": it writes, and then tells home (a
//     level-0 message, Done), from which moment the block is shared again, at the
//     distance of the writer. Until then home lets nobody read. The steps can
//     also be read without a Done, see Reopened.
//   - Reading again: home sends a copy, and its distance grows. The request for
//     the copy takes no time, since it would change nothing on its way; requests
//     for copies that combine are a model of their own.
//   - With trees of more than two children the counts of two in steps 4 and 6
//     become those of the neighbours that answer.
//
// Invariants: "no copy beside a writer" (nor one on its way), "one writer" a block,
// "one Ack a request" (Acks and invalidates are about while home collects, and one
// reply, told writer or Done while the block is owned, if there are Dones), "nothing lost" (a request
// that waits is in exactly one place), "no Ack lost" (while home collects, an
// invalidate or an Ack is about), "empty at rest" (if no message and no request is
// about, no wait buffer has an entry). Responses, for every
// writer: its request is answered (with Returned: or comes back), and it writes.
// Writes and reads begin when they like; all else is weakly fair: a step that
// stays possible is taken, one that is possible only now and then need not be.
type Invalidation struct {
	InvalidateOptions
	tree       Tree
	p          *program.Program
	links      map[[2]int]*link
	order      []*link                 // in the order of their variables
	registerAt map[placeOf]*link       // registers of combining units
	registers  []*link                 // the same, in the order of their variables
	marks      map[[2]int]program.Var  // by switch and block: handed over to the processor
	inbox      map[int]*link           // by cluster: interrupts that its processor has taken
	sending    []arbitrated            // the steps that send
	copies     [][]program.Var         // by cluster and block
	owed       [][]program.Var         // by cluster and block, with Owed: home's is not used
	phase      map[int]program.Var     // by writer
	home       []program.Var           // by block
	queue      []parts.FIFO            // by block: requests that wait at home
	buffers    map[int]*waitBuffer     // by switch
	entries    map[[3]int]*entry       // by switch, block and place (see store)
	facts      map[program.Var][]fact  // what the values of a variable mean
	where      map[program.Var]subject // what a variable is about
	vars       map[subject]program.Var
}

// link is a link with what it can carry: message i+1 is messages[i].
// A register of a combining unit is one, too, of the switch from, for the
// neighbour to, if there is one for each.
type link struct {
	parts.FIFO
	kind     string // aLink, unitIn, unitOut
	from, to int
	messages []fact
	turns    *arbiter
}

// code returns the number of a message of a link.
func (l *link) code(f fact) int { return slices.Index(l.messages, f) + 1 }

// entry is what a wait buffer keeps of one block. Literal has just one: 0, 1 for
// a request, 1+n for n Acks. The other variants have request and acks, and
// Deferred has requests and sent in place of request.
type entry struct {
	one, request, acks, sent program.Var
	requests                 parts.FIFO
	writers                  []fact // what the places of requests can hold
}

// NewInvalidation builds the machine.
func NewInvalidation(o InvalidateOptions) (*Invalidation, error) {
	tree, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, err
	}
	if err := o.check(tree); err != nil {
		return nil, fmt.Errorf("invalidate/Ack: %w", err)
	}
	variant := VariantNames[o.Variant]
	o = o.complete()
	m := &Invalidation{
		InvalidateOptions: o, tree: tree,
		p: program.New(fmt.Sprintf("invalidate/Ack %s, tree of %d by %d, homes %v, writers %v, links of %d, %d entries, overflow %s, resharing %t%s",
			variant, o.FanOut, o.Depth, o.Homes, o.Writers, o.Link, o.Entries, OverflowNames[o.Overflow], o.Resharing,
			o.also())),
		links: map[[2]int]*link{}, registerAt: map[placeOf]*link{}, marks: map[[2]int]program.Var{}, inbox: map[int]*link{}, phase: map[int]program.Var{}, buffers: map[int]*waitBuffer{}, entries: map[[3]int]*entry{},
		facts: map[program.Var][]fact{}, where: map[program.Var]subject{}, vars: map[subject]program.Var{},
	}
	m.p.Module = "invalidate"
	m.variables()
	for c := range tree.Clusters() {
		m.cluster(c)
	}
	for b := range o.Homes {
		m.homeOf(b)
	}
	for s := tree.Clusters(); s < tree.Nodes(); s++ {
		m.switchAt(s)
	}
	m.arbitrate()
	m.claims()
	m.symmetries()
	return m, nil
}

// Program returns the machine as a program, which must not be changed.
func (m *Invalidation) Program() *program.Program { return m.p }
