package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Cells of memory behind combining switches: the machine of Fetch&Add, Test&Set
// and read combining, which differ in nothing but what a request does to a cell.
//
// A request is a mapping f of its cell: it makes f(v) of v and is answered with
// the old v, but a write, which is never combined, with 0. Two of them combine
// into "f, then g"; the reply v to that is v for the first and f(v) for the
// second (Gottlieb et al. 1983; Kruskal, Rudolph and Snir 1988). Any number
// combine alike: the i-th is told what the i-1 before it make of v. So an entry of
// a wait buffer needs the first requester, and of each other one its name and the
// mapping of all before it, its prefix. There is one entry for each cell at each
// switch, updated in place, and it goes through these states:
//
//	free      no request is known here
//	waiting   some are held back for partners (levels 2 and 3)
//	sent      the first has been forwarded and recorded (level 1)
//	combined  no more may join; the request of all is on its way
//	answered  the reply is being split, or has been but for the first requester,
//	          whose share is the next to be forwarded
//
// The invariant that makes it right: an entry in sent, combined or answered
// belongs to exactly one request on its way to the home or one reply on its way
// back, the one that names the entry's first requester. A switch that takes any
// reply of the same cell for that one ([ByKey]) breaks it.
//
// What a single cell does not show: requests for different homes, and the replies
// from there, meet on the links and in the wait buffers of the same switches.
// Links are FIFO, so one that waits at the head of a link ([MemoryOptions.ThirdWaits],
// [Refuse]) holds up those for other cells; one in a wait buffer does not.

// Splitting is how switches treat replies.
type Splitting uint8

const (
	// ByRequester finds the entry by the cell and the first requester.
	ByRequester Splitting = iota
	// ByKey, the variant literal, finds it by the cell alone: the paper's matching key is the
	// physical address, and there is one entry a key.
	ByKey
	// ForgetsMapping gives all requesters the first one's reply.
	ForgetsMapping
	// DropsSecond sends none but the first requester any.
	DropsSecond
	// FreedTwice frees the entry when the last of the others is answered, and
	// whatever is there when the reply to the first is forwarded.
	FreedTwice
)

// SplittingNames are the names of the ways, in their order.
var SplittingNames = []string{"by-requester", "literal", "forgets-mapping", "drops-second", "freed-twice"}

// BesideRoot stands for the memory beside the root where a home cluster is
// expected.
const BesideRoot = -1

// mostCells bounds Homes, mostJoined Joined, and mostEach Each and each list of
// Targets.
const (
	mostCells  = 4
	mostJoined = 8
	mostEach   = 16
)

// MemoryOptions describes cells behind a tree of combining switches. Wherever
// the paper says nothing: requests and replies keep their order on a link, a
// home serves requests in order of arrival, and one that finds an entry with as
// many as may combine goes on by itself.
//
// Levels: the paper combines reads at level 1, and Fetch&Add and Test&Set after a
// time that is set (levels 2 and 3; sections 3.3 and 5). All four are taken for
// all of them.
type MemoryOptions struct {
	FanOut, Depth int // see NewTree
	Home          Home
	Homes         []int     // by cell: its home, a cluster or BesideRoot; 1 to 4 cells; nil: one cell, at Home
	Level         Waiting   // of all requests but writes, which do not wait
	Levels        []Waiting // by cluster, if they differ; nil: Level
	Capacity      int       // messages of a direction of a link, 1 to 8
	OneVC         bool      // replies share the links with requests: the paper has one link each way, and names no VCs; false: each has Capacity of its own
	Requesters    int       // clusters that send requests: the last ones, away from cluster 0
	Each          int       // requests of each of them, one after the other, 1 to 16: the i-th to cell i modulo their number
	Targets       [][]int   // by requester, the last cluster first: the cells of its requests, up to 16; nil: see Each
	Joined        int       // requests that combine at a switch, 2 to 8; 0 is 2, as in the machine
	ThirdWaits    bool      // a request that finds an entry with so many waits in its link instead
	Entries       int       // of a wait buffer, 1 to 16; of no meaning with Ample
	Overflow      Overflow  // what happens to a request that finds no entry free
	Splitting     Splitting
	// History remembers which requests were answered before another was sent, and
	// adds the invariant that the replies keep to that order.
	History bool
}

// mostOrders bounds the serial orders that an invariant lists: those with
// different replies or ends.
const mostOrders = 1000

// cell is an object whose requests are mappings, closed under composition.
type cell struct {
	name     string
	values   int                                  // 0 is the initial one
	replies  int                                  // values of replies, wrong ones included
	mappings int                                  // they are 0..mappings-1
	alone    func(f program.Expr) program.Expr    // it is never combined, whatever the level: a write; nil: there is no such request
	plain    func(v, f int) (after, reply int)    // what a request does
	apply    func(f, v program.Expr) program.Expr // the same of plain, for switches
	compose  func(f, g program.Expr) program.Expr // first f, then g
	sets     bool                                 // mappings, values and replies are sets of requests: see symmetries
}

// call is a request of a script.
type call struct{ cell, mapping int }

// Memory is cells behind combining switches, see [FetchAdd], [TestAndSet] and
// [ReadCombining].
type Memory struct {
	MemoryOptions
	*program.Program
	tree    Tree
	homes   []*homeward // by cell: the tree turned towards its home
	cell    cell
	scripts [][]call // by cluster: its requests

	at      []program.Var          // by cluster: twice the requests that it has been answered, and one if it waits
	results [][]program.Var        // by cluster, by request
	past    map[[3]int]program.Var // with History, by cluster, request and other cluster: how many of the other's requests were answered when this one was sent
	values  []program.Var          // by cell
	lanes   map[road]queue
	buffers []*waitBuffer // by node, of switches: an entry a cell, in the order of the fields of pairing
}

// newMemory builds the machine of clusters that follow scripts.
func newMemory(o MemoryOptions, homes []*homeward, c cell, scripts [][]call) (*Memory, error) {
	o.Joined = max(o.Joined, 2)
	m := &Memory{MemoryOptions: o, tree: homes[0].Tree, homes: homes, cell: c, scripts: scripts, lanes: map[road]queue{}, past: map[[3]int]program.Var{}}
	m.Program = program.New(o.title(c.name))
	m.declare()
	for c := range m.tree.Clusters() {
		m.clusterRules(c)
	}
	for _, s := range m.tree.switches() {
		for k := range homes {
			m.requestRules(s, k)
			m.replyRules(s, k)
		}
	}
	for k := range homes {
		m.homeRule(k)
	}
	if err := m.properties(); err != nil {
		return nil, err
	}
	m.symmetries()
	return m, nil
}

// title is the name of the program, all options included.
func (o MemoryOptions) title(cell string) string {
	level, homes, requests, buffer := fmt.Sprint(o.Level), "home at the "+HomeNames[o.Home], fmt.Sprintf("%d each", o.Each), "ample"
	if o.Levels != nil {
		level = fmt.Sprint(o.Levels)
	}
	if o.Homes != nil {
		homes = fmt.Sprintf("homes %v", o.Homes)
	}
	if o.Targets != nil {
		requests = fmt.Sprintf("to cells %v", o.Targets)
	}
	if o.Overflow != Ample {
		buffer = fmt.Sprintf("%d, overflow %s", o.Entries, OverflowNames[o.Overflow])
	}
	history := ""
	if o.History {
		history = ", history"
	}
	return fmt.Sprintf("%s: fan-out %d, depth %d, %s, level %s, capacity %d, one VC %v, %d requesters, %s, %d combine, third waits %v, entries %s, %s%s",
		cell, o.FanOut, o.Depth, homes, level, o.Capacity, o.OneVC, o.Requesters, requests, o.Joined, o.ThirdWaits, buffer, SplittingNames[o.Splitting], history)
}

// clusterRules has cluster c send its requests and receive the replies.
func (m *Memory) clusterRules(c int) {
	for i, r := range m.scripts[c] {
		f := program.Const(r.mapping)
		if m.homes[r.cell].local(c) {
			m.Rule(fmt.Sprintf("cluster %d serves itself", c), program.Eq(m.at[c], 2*i),
				append(m.notes(c, i), program.Set(m.results[c][i], m.reply(r.cell, f)),
					program.Set(m.values[r.cell], m.cell.apply(f, program.Value(m.values[r.cell]))),
					program.Set(m.at[c], 2*i+2))...)
			continue
		}
		next := m.homes[r.cell].next[c]
		up, down := m.requests(c, next), m.replies(next, c)
		m.Rule(fmt.Sprintf("cluster %d requests", c), program.And(program.Eq(m.at[c], 2*i), up.Room()),
			append(m.notes(c, i), up.send(r.cell, program.Const(c+1), f), program.Set(m.at[c], 2*i+1))...)
		m.Rule(fmt.Sprintf("cluster %d receives", c), program.And(program.Eq(m.at[c], 2*i+1), down.next(r.cell), program.Eq(down.of(), c+1)),
			program.Set(m.results[c][i], down.content()), program.Set(m.at[c], 2*i+2), down.Pop())
	}
}

// notes has request i of a cluster remember what was answered before it.
func (m *Memory) notes(c, i int) (notes []program.Stmt) {
	for d, script := range m.scripts {
		if past, ok := m.past[[3]int{c, i, d}]; ok {
			answered := program.Const(0)
			for k := range script {
				answered = program.Add(answered, program.IfElse(program.Le(2*k+2, m.at[d]), 1, 0))
			}
			notes = append(notes, program.Set(past, answered))
		}
	}
	return notes
}

// reply is what the home of a cell answers: what the cell holds, and 0 to a write.
func (m *Memory) reply(k int, f program.Expr) program.Expr {
	if m.cell.alone == nil {
		return program.Value(m.values[k])
	}
	return program.IfElse(m.cell.alone(f), program.Const(0), program.Value(m.values[k]))
}

// homeRule serves the next request for a cell.
func (m *Memory) homeRule(k int) {
	t := m.homes[k]
	in, out := m.requests(t.last, t.home), m.replies(t.home, t.last)
	name := "the home serves"
	if len(m.homes) > 1 {
		name = fmt.Sprintf("the home of cell %d serves", k)
	}
	f := program.Value(in.content())
	m.Rule(name, program.And(in.next(k), out.Room()),
		out.send(k, program.Value(in.of()), m.reply(k, f)),
		program.Set(m.values[k], m.cell.apply(f, program.Value(m.values[k]))),
		in.Pop())
}
