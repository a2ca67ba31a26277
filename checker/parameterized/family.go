// Package parameterized, internal to unknot, decides networks of every size: a network file whose sizes stay symbolic.
//
// [Read] runs the file on formulas (symbolic execution, King 1976): for every node, every link and every answer of
// route it has one formula in the coordinates and the sizes. [Family.Prove] fits what a proof needs, a rank of the
// channels and an invariant of the packets that hold them, to networks of small sizes, and writes the conditions for
// every size as a file in SMT-LIB 2. Two solvers decide that file. Nothing that fits is trusted.
//
// # What is proved
//
// With a rank that each permitted hop lowers, the channel dependency graph is acyclic at every size, so no packets wait
// for each other in a circle (Dally and Seitz 1987), whatever the switching, and no packet goes on for ever. A hop is
// offered wherever a packet can be, so packets arrive.
//
// # The invariant
//
// Which destinations a packet in a channel can have: a conjunction of comparisons of the coordinates of both. It begins
// with all comparisons that are true of small sizes, and loses those that a hop breaks at some size, until none is lost
// (Houdini; Flanagan and Leino 2001). So it is the strongest of its shape.
//
// # The rank
//
// A tuple of functions, linear in the coordinates of both ends of a channel and in the sizes, for each port and VC.
// Linear programming finds each function: none of the dependencies that are left may raise it, and as many kinds of
// them as possible must lower it (Alias, Darte, Feautrier and Gonnord 2010).
package parameterized

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// Family is a network of every size.
type Family struct {
	Sizes []Size
	set   map[string]string // values of other parameters
	file  string
	text  []byte
	// thresholds are the numbers in the file: something may change at a size near one.
	thresholds []int

	low, high []*symbolic.Term // bounds of the coordinates: low <= x < high
	at        []*symbolic.Term // the attribute of that name, in the coordinates here(0), here(1) ...
	links     []link
	vcs       int
	routes    []routes     // by kind of channel, and last of injections
	owed      []obligation // at top level, in variables of their own

	situations []*situation
	crowded    bool // there are more situations
}

// Size is a parameter that stays symbolic.
type Size struct {
	Name  string
	Least int
	Most  int // that the file accepts; 0: any. It bounds what is checked one by one, not what is proved
}

// link is the links of one name of a port: one leaves each node for which the guard holds.
type link struct {
	out, into string
	dim       int
	vcs       int
	guard     *symbolic.Term
	head      []*symbolic.Term // the coordinates of the node to which it leads
	at        syntax.Position
}

// routes are the answers of route for packets in one kind of channel, or at their sources.
type routes struct {
	paths []path
	owed  []obligation
}

// path is one way through route: what it asks for if all conditions hold.
type path struct {
	cond *symbolic.Term
	hops []kind
}

// obligation is a condition that no run of the file breaks: otherwise the file is in error at that size.
type obligation struct {
	at   syntax.Position
	says string
	must *symbolic.Term // in the coordinates of the node and the destination
}

// kind is a kind of channels: those of one link of all nodes, on one VC.
type kind struct{ link, vc int }

func here(i int) string  { return fmt.Sprintf("x%d", i+1) } // where a channel begins
func next(i int) string  { return fmt.Sprintf("y%d", i+1) } // where a packet is
func after(i int) string { return fmt.Sprintf("z%d", i+1) } // where it is after one more hop
func there(i int) string { return fmt.Sprintf("d%d", i+1) } // its destination

// kinds lists the kinds of channels.
func (f *Family) kinds() []kind {
	var all []kind
	for l := range f.links {
		for vc := range f.links[l].vcs {
			all = append(all, kind{l, vc})
		}
	}
	return all
}
