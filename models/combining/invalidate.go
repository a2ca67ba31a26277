package combining

import (
	"fmt"
	"slices"

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
// To keep states few, each link has codes for just those messages that can come
// there, and whatever has no meaning any more (a distance, a turn) is cleared.

// Variant is what is mended of the paper's nine steps.
type Variant uint8

const (
	// Literal is the nine steps, with a wait buffer as section 5 of the paper has
	// it: an entry a key (the address of the block), updated in place. An Ack
	// that comes to an entry of a request turns it into an entry of an Ack, and
	// the other way round.
	Literal Variant = iota
	// Parts reads "updated" in another way: an entry has a part for a request and
	// a part for Acks, so that neither overwrites the other. Nothing else is mended.
	Parts
	// Returned is Parts, and the later request is not discarded: it is sent back
	// to its cluster (and clears the entries on its way), which asks again.
	Returned
	// Deferred is Parts, and the later request is not discarded: the entry keeps
	// it, in a queue with a place for every writer, and sends it on when the
	// request before it has been replied to.
	Deferred
)

// VariantNames are the values of Variant for people, in their order.
var VariantNames = []string{"literal", "parts", "return", "defer"}

// InvalidateOptions says how large a machine is, and which. Capacity of links and
// wait buffers is for each link and each switch.
type InvalidateOptions struct {
	FanOut, Depth int   // of the tree, see NewTree; at most 16 clusters
	Homes         []int // the home cluster of each block, 1 to 4 blocks
	Writers       []int // the clusters that write, 1 to 4, in ascending order
	Link          int   // messages that a link holds, 1 to 8
	Entries       int   // of a wait buffer, 1 to 16; of no meaning with Ample
	Overflow      Overflow
	Resharing     bool // clusters read, too, after they have lost their copy
	// Owed lets a cluster take an invalidate at any time, and note that it owes an
	// Ack, which it sends when its link has room. Without it an invalidate waits
	// for room for the Ack, which ties one message class to the next.
	Owed bool
	// Reopened lets home share a block again as soon as it has replied, which is
	// when the nine steps end for it: nothing in them tells home that the writer
	// has the reply, let alone that it has written. Without it the writer sends a
	// Done, and home waits for that.
	Reopened bool
	Variant  Variant
}

func (o InvalidateOptions) check(t Tree) error {
	const most = 4
	switch {
	case t.Clusters() > 16:
		return fmt.Errorf("%d clusters: want at most 16", t.Clusters())
	case len(o.Homes) < 1 || len(o.Homes) > most:
		return fmt.Errorf("%d blocks: want 1 to %d", len(o.Homes), most)
	case len(o.Writers) < 1 || len(o.Writers) > most:
		return fmt.Errorf("%d writers: want 1 to %d", len(o.Writers), most)
	case o.Link < 1 || o.Link > 8:
		return fmt.Errorf("links of %d messages: want 1 to 8", o.Link)
	case o.Variant > Deferred:
		return fmt.Errorf("variant %d: want 0 to %d", o.Variant, Deferred)
	}
	for _, h := range o.Homes {
		if h < 0 || h >= t.Clusters() {
			return fmt.Errorf("a block with home %d: clusters are numbered 0 to %d", h, t.Clusters()-1)
		}
	}
	for i, w := range o.Writers {
		if w < 0 || w >= t.Clusters() || i > 0 && w <= o.Writers[i-1] {
			return fmt.Errorf("the writers are %v: want different clusters from 0 to %d in ascending order", o.Writers, t.Clusters()-1)
		}
	}
	return checkWaitBuffer(o.Entries, o.Overflow)
}

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
//   - A switch multicasts when all the links have room. A cluster invalidates
//     and sends its Ack in one step, but for Owed.
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
// Writes and reads begin when they like; all else is weakly fair.
type Invalidation struct {
	InvalidateOptions
	tree    Tree
	p       *program.Program
	links   map[[2]int]*link
	order   []*link                 // in the order of their variables
	copies  [][]program.Var         // by cluster and block
	owed    [][]program.Var         // by cluster and block, with Owed: home's is not used
	phase   map[int]program.Var     // by writer
	home    []program.Var           // by block
	queue   []fifo                  // by block: requests that wait at home
	buffers map[int]*waitBuffer     // by switch
	entries map[[3]int]*entry       // by switch, block and place (see store)
	facts   map[program.Var][]fact  // what the values of a variable mean
	where   map[program.Var]subject // what a variable is about
	vars    map[subject]program.Var
}

// link is a link with what it can carry: message i+1 is messages[i].
type link struct {
	fifo
	from, to int
	messages []fact
}

// code returns the number of a message of a link.
func (l *link) code(f fact) int { return slices.Index(l.messages, f) + 1 }

// entry is what a wait buffer keeps of one block. Literal has just one: 0, 1 for
// a request, 1+n for n Acks. The other variants have request and acks, and
// Deferred has requests and sent in place of request.
type entry struct {
	one, request, acks, sent program.Var
	requests                 fifo
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
	m := &Invalidation{
		InvalidateOptions: o, tree: tree,
		p: program.New(fmt.Sprintf("invalidate/Ack %s, tree of %d by %d, homes %v, writers %v, links of %d, %d entries, overflow %s, resharing %t%s%s",
			VariantNames[o.Variant], o.FanOut, o.Depth, o.Homes, o.Writers, o.Link, o.Entries, OverflowNames[o.Overflow], o.Resharing,
			map[bool]string{true: ", Acks owed"}[o.Owed], map[bool]string{true: ", no Done"}[o.Reopened])),
		links: map[[2]int]*link{}, phase: map[int]program.Var{}, buffers: map[int]*waitBuffer{}, entries: map[[3]int]*entry{},
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
	m.claims()
	m.symmetries()
	return m, nil
}

// Program returns the machine as a program, which must not be changed.
func (m *Invalidation) Program() *program.Program { return m.p }

// Tree returns the tree.
func (m *Invalidation) Tree() Tree { return m.tree }
