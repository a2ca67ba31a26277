package routing

import (
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// CompileOptions bounds and reports a compilation. The zero value is usable.
type CompileOptions struct {
	Workers int // goroutines; 0: one per core
	// MaxSites bounds the sites, counting injection channels; more end in a *BoundError. 0: 1<<30. It is at most
	// [spec.MostSites]. A network that would have far more is refused before its relation is asked.
	MaxSites int
	Memory   int64 // bytes for the tables; more end in a *BudgetError; 0: no bound
	// Fragments is the size of all tables in bytes, estimated from a sample, from which they are stored in fragments,
	// see [spec.Network.TableIn]. 0: none are. If Memory is set, the limit is at most a quarter of Memory.
	Fragments int64
	// Acyclic is the same where the dependencies of the sample have no cycle, with at most a 128th of Memory; 0: as
	// Fragments, or that.
	Acyclic  int64
	Progress func(Progress) // called after each target, never concurrently; may be nil
}

// SiteError is a fault in a relation's answer at one site, such as a hop that does not leave the packet's node.
type SiteError struct {
	Site    spec.Site   // the first such site in the order of the tables
	Where   string      // the site in words
	Reason  spec.Reason // what produced the hop; may be zero
	Problem string      // what is wrong, a clause
}

// Error begins with the reason, so that a fault in a file is one line "file:line:col: ...".
func (e *SiteError) Error() string {
	if e.Reason.Text != "" {
		return e.Reason.Text + ": " + e.Problem + " (" + e.Where + ")"
	}
	return e.Where + ": " + e.Problem
}

// compilation is the state of one call of Compile.
type compilation struct {
	def     Definition
	opt     CompileOptions
	targets int          // by destination, then by class
	workers []*tabulator // each touched by its own goroutine only

	fragments bool // tables are stored in fragments

	mu    sync.Mutex
	done  int
	bytes int64 // that tables take
	sites int
	flows int
}

// tabulator holds what one worker has made, and its scratch memory.
type tabulator struct {
	tables    []spec.Table // those it has made, with rows numbered as in rows
	fragments fragmentSet  // of those tables
	rows      rowSet
	single    []spec.RowID  // by place: the row of that one hop + 1, or 0; Eject last
	last      []lastAnswer  // by node
	row       []spec.RowID  // by place (channel*tags+tag), valid where seen; after them, with like, by node that injects
	atNode    []spec.RowID  // by node and tag, or with like by node: the row + 1 of all channels there, or 0; may be nil
	met       []int32       // those of atNode that are not 0
	decides   []int32       // by place: which of atNode are its node's; nil unless they are of all channels to a node
	like      []Scope       // by place and node, as row: of that answer; nil if the relation is no [Repeater]
	likeFor   []spec.Target // by place and node: the last target whose answer that was
	kinds     *Kinds        // of targets; nil if unknown
	ofKind    []spec.RowID  // by kind, then by place and node, as like: the row + 1, or 0; adjacent places share a kind
	seen      []uint64      // bit set by place
	queue     []int32       // places found, not yet asked
	number    int           // of the target
	target    int32         // how many targets have been explored
	visited   []int32       // by row: target, when its hops are among the places found
	only      []int32       // by row: the place that its one hop leads to; -1 of other rows
	classes   classes       // of places, by kinds
	near      near          // of the table explored last
	senders   []spec.NodeID
	buf       []spec.Hop
	commits   []spec.Hop
	split     splitter
	asked     spec.Site // the site of the last question
	asking    bool      // the relation has not answered it

	slabs, spare slabs // where tables are stored in fragments, they lie in one and the other in turn
}

// lastAnswer is what a node answered last: the row + 1, or 0, and its hop if it has one alone, otherwise none that a
// row can have.
type lastAnswer struct {
	row spec.RowID
	hop spec.Hop
}

func (l *lastAnswer) set(r spec.RowID, hops []spec.Hop) {
	l.row, l.hop = r+1, spec.Hop{Channel: spec.Injection(0)}
	if len(hops) == 1 {
		l.hop = hops[0]
	}
}

// slabs are the rest of those that tables are cut from.
type slabs struct {
	sources  slab[spec.Source]
	channels slab[spec.ChannelID]
	rowIDs   slab[spec.RowID]
	tags     slab[spec.Tag]
}

// near is what a worker knows of the table that it explored last.
type near struct {
	table    spec.Table
	told     bool // all its answers are those of kinds, unless the packet has arrived
	failed   int  // how often a table did not follow, less how often one did
	marked   bool // reached is of that table; otherwise of no table
	reached  marks
	at       []int32      // places at one of the two destinations
	into     []int32      // places that lead to a node
	lost     []spec.RowID // rows of places and sources of the table before that are no longer
	gained   []spec.RowID // of sources that are new
	suspects []int32      // places reached over what is lost
	found    []int32      // places that are new, or reached in another way
}

// marks is a set of places.
type marks []uint64

func (m marks) has(place int32) bool { return m[place/64]>>(place%64)&1 == 1 }

func (m marks) flip(place int32) { m[place/64] ^= 1 << (place % 64) }

// classes groups places from which every target is of the same kind, so that the kinds of a
// target are found once per class. There are no classes if almost every place would have its own.
type classes struct {
	of    []int32 // by place and node, as tabulator.like; places at the explored target have the class after the last
	first []int32 // by class: a place
	kind  []int32 // by class: where ofKind has the target's kind; of the class after the last, where none is known
	was   []int32 // kind, of the target before
	same  bool    // they are the same
	moved []int32 // places at the target
	from  []int32 // their classes
}

// target returns target i, by destination, then by class.
func (c *compilation) target(i int) spec.Target {
	return spec.Target{Dest: spec.NodeID(i / len(c.def.Classes)), Class: spec.Class(i % len(c.def.Classes))}
}

// account counts bytes that will be kept.
func (c *compilation) account(bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += bytes; c.opt.Memory > 0 && c.bytes > c.opt.Memory {
		return &BudgetError{Memory: c.opt.Memory}
	}
	return nil
}

func (c *compilation) site(target spec.Target, place int32) spec.Site {
	channel, tag := c.split(place)
	return spec.Site{Channel: channel, Header: spec.Header{Dest: target.Dest, Class: target.Class, Tag: tag}}
}

// split returns the channel and the tag of a place.
func (c *compilation) split(place int32) (spec.ChannelID, spec.Tag) {
	if c.def.Tags == 1 { // a division is a tenth of what a site takes
		return spec.ChannelID(place), 0
	}
	return spec.ChannelID(int(place) / c.def.Tags), spec.Tag(int(place) % c.def.Tags)
}

// source is the site at which a node injects for a target.
func source(n spec.NodeID, target spec.Target) spec.Site {
	return spec.Site{Channel: spec.Injection(n), Header: spec.Header{Dest: target.Dest, Class: target.Class}}
}

// injection returns the index in row and like of a node that injects.
func (c *compilation) injection(v spec.NodeID) int {
	return c.def.Topology.Channels()*c.def.Tags + int(v)
}
