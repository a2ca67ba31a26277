package combining

import (
	"fmt"
	"slices"
)

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
	// Repeated is Parts, and a cluster that loses its copy while its request has no
	// answer asks again, for it may have been discarded: the first one's invalidate
	// is all that it hears of that.
	Repeated
	// Returned is Parts, and the later request is not discarded: it is sent back
	// to its cluster (and clears the entries on its way), which asks again.
	Returned
	// Deferred is Parts, and the later request is not discarded: the entry keeps
	// it, in a queue with a place for every writer, and sends it on when the
	// request before it has been replied to.
	Deferred
	// Sound is Deferred with all that it takes for every property to hold, as far
	// as machines can be explored: Acks are owed, multicasts are sent copy by copy,
	// and links have fair arbiters (Batch, unless Arbiter says RoundRobin). What is
	// refuted whatever the variant it does not take: Refuse and Interrupt, Reopened,
	// and OnePlace.
	Sound
)

// VariantNames are the values of Variant for people, in their order.
var VariantNames = []string{"literal", "parts", "repeat", "return", "defer", "sound"}

// InvalidateOptions says how large a machine is, and which. Capacity of links and
// wait buffers is for each link and each switch.
type InvalidateOptions struct {
	FanOut, Depth int   // of the tree, see NewTree; at most 16 clusters
	Homes         []int // the home cluster of each block, 1 to 8 blocks
	Writers       []int // the clusters that write, 1 to 8, in ascending order
	Link          int   // messages that a link holds, 1 to 8
	Entries       int   // of a wait buffer, 1 to 16; of no meaning with Ample
	Overflow      Overflow
	Resharing     bool  // clusters read, too, after they have lost their copy
	Readers       []int // with Resharing: only these clusters, in ascending order; nil: all
	// Owed lets a cluster take an invalidate at any time, and note that it owes an
	// Ack, which it sends when its link has room. Without it an invalidate waits
	// for room for the Ack, which ties one message class to the next.
	Owed bool
	// Reopened lets home share a block again as soon as it has replied, which is
	// when the nine steps end for it: nothing in them tells home that the writer
	// has the reply, let alone that it has written. Without it the writer sends a
	// Done, and home waits for that.
	Reopened bool
	// Copies lets a switch send the copies of a multicast one by one, as links
	// get room, and keeps the message at the head of its link until the last has
	// been sent. Without it all are sent in one step, when all links have room.
	Copies bool
	// Travel has interrupts go to the nearest processor over the links, and back,
	// see Interrupt; without it that is one step together with the message's
	// arrival. It wants Copies.
	Travel  bool
	Arbiter Arbiter // of links
	Unit    Unit
	Variant Variant
}

func checkClusters(t Tree, name string, all []int) error {
	for i, c := range all {
		if c < 0 || c >= t.Clusters() || i > 0 && c <= all[i-1] {
			return fmt.Errorf("the %s are %v: want different clusters from 0 to %d in ascending order", name, all, t.Clusters()-1)
		}
	}
	return nil
}

// asksAgain reports whether cluster c may have to repeat its request for a block
// with home h.
func (o InvalidateOptions) asksAgain(c, h int) bool {
	return (o.Variant == Repeated || o.Variant == Returned) && c != h
}

// readsAgain reports whether a cluster reads again after it has lost its copy.
func (o InvalidateOptions) readsAgain(c int) bool {
	return o.Resharing && (o.Readers == nil || slices.Contains(o.Readers, c))
}

// bounded reports whether a wait buffer has fewer entries than there are blocks.
func (o InvalidateOptions) bounded() bool { return o.Overflow != Ample && o.Entries < len(o.Homes) }

// travels reports whether there are interrupts that travel.
func (o InvalidateOptions) travels() bool {
	return o.Travel && o.Overflow >= Interrupt && o.bounded()
}

// complete sets what Sound stands for.
func (o InvalidateOptions) complete() InvalidateOptions {
	if o.Variant == Sound {
		o.Variant, o.Owed, o.Copies = Deferred, true, true
		if o.Arbiter == Any {
			o.Arbiter = Batch
		}
	}
	return o
}

func (o InvalidateOptions) check(t Tree) error {
	const most = 8
	switch {
	case t.Clusters() > 16:
		return fmt.Errorf("%d clusters: want at most 16", t.Clusters())
	case len(o.Homes) < 1 || len(o.Homes) > most:
		return fmt.Errorf("%d blocks: want 1 to %d", len(o.Homes), most)
	case len(o.Writers) < 1 || len(o.Writers) > most:
		return fmt.Errorf("%d writers: want 1 to %d", len(o.Writers), most)
	case o.Link < 1 || o.Link > 8:
		return fmt.Errorf("links of %d messages: want 1 to 8", o.Link)
	case o.Variant > Sound:
		return fmt.Errorf("variant %d: want 0 to %d", o.Variant, Sound)
	case o.Variant == Sound && (o.bounded() && o.Overflow != Marked || o.Reopened || o.Unit == OnePlace):
		return fmt.Errorf("variant sound: want an overflow with marks, or none, a home that waits for Done, and no units with one place for all")
	case o.travels() && !o.complete().Copies:
		return fmt.Errorf("interrupts that travel: want multicasts copy by copy, since an interrupt may take the same link as a copy")
	case o.Arbiter > RoundRobin:
		return fmt.Errorf("arbiter %d: want 0 to %d", o.Arbiter, RoundRobin)
	case o.Unit > PlaceEach:
		return fmt.Errorf("unit %d: want 0 to %d", o.Unit, PlaceEach)
	}
	if n := o.interruptsAtOnce(t); n > mostInterrupts {
		return fmt.Errorf("interrupts that travel: a processor may have to keep %d of them: want at most %d, with fewer blocks, writers or children of a switch", n, mostInterrupts)
	}
	if err := checkClusters(t, "writers", o.Writers); err != nil {
		return err
	}
	if err := checkClusters(t, "readers", o.Readers); err != nil {
		return err
	}
	for _, h := range o.Homes {
		if h < 0 || h >= t.Clusters() {
			return fmt.Errorf("a block with home %d: clusters are numbered 0 to %d", h, t.Clusters()-1)
		}
	}
	return checkWaitBuffer(o.Entries, o.Overflow)
}

// also names the options that differ from the plainest, for the machine's name.
func (o InvalidateOptions) also() string {
	var text string
	for _, x := range []struct {
		set  bool
		name string
	}{
		{o.Resharing && o.Readers != nil, fmt.Sprintf("readers %v", o.Readers)},
		{o.Owed, "Acks owed"},
		{o.Copies, "copy by copy"},
		{o.Arbiter != Any, "arbiters " + ArbiterNames[o.Arbiter]},
		{o.Unit != Merged, "units " + UnitNames[o.Unit]},
		{o.Travel, "interrupts travel"},
		{o.Reopened, "no Done"},
	} {
		if x.set {
			text += ", " + x.name
		}
	}
	return text
}
