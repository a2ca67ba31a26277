package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// A cell of memory behind combining switches: the machine of Fetch&Add,
// Test&Set and read combining, which differ in nothing but what a request does
// to the cell.
//
// A request is a mapping f of the cell: it makes f(v) of v and is answered with
// the old v, but a write, which is never combined, with 0. Two of them combine into "f, then g"; the reply v to that is v for
// the first and f(v) for the second (Gottlieb et al. 1983; Kruskal, Rudolph and
// Snir 1988). So an entry of a wait buffer needs the first requester, its
// mapping f, and the second requester. There is one entry for the cell at each
// switch, updated in place, and it goes through these states:
//
//	free      no request is known here
//	waiting   one is held back for a partner (levels 2 and 3)
//	sent      one has been forwarded and recorded (level 1)
//	combined  a second one has joined it; the request of both is on its way
//	answered  the second has its reply; the first's is the next to be forwarded
//
// The invariant that makes it right: an entry in sent, combined or answered
// belongs to exactly one request on its way to the home or one reply on its way
// back, the one that names the entry's first requester. A switch that takes any
// reply of the same cell for that one ([ByKey]) breaks it.

// Splitting is how switches treat replies.
type Splitting uint8

const (
	// ByRequester finds the entry by the cell and the first requester.
	ByRequester Splitting = iota
	// ByKey, the variant literal, finds it by the cell alone: the paper's matching key is the
	// physical address, and there is one entry a key.
	ByKey
	// ForgetsMapping gives the second requester the first one's reply.
	ForgetsMapping
	// DropsSecond sends the second requester none.
	DropsSecond
	// FreedTwice frees the entry when the second requester is answered, and
	// whatever is there when the reply to the first is forwarded.
	FreedTwice
)

// SplittingNames are the names of the ways, in their order.
var SplittingNames = []string{"by-requester", "literal", "forgets-mapping", "drops-second", "freed-twice"}

// MemoryOptions describes a cell behind a tree of combining switches. Wherever
// the paper says nothing: requests and replies keep their order on a link, the
// home serves them in order of arrival, and a third request that finds an entry
// with two goes on by itself.
type MemoryOptions struct {
	FanOut, Depth int // see NewTree
	Home          Home
	Level         Waiting   // of all requests but writes, which do not wait
	Levels        []Waiting // by cluster, if they differ; nil: Level
	Capacity      int       // messages of a direction of a link, 1 to 8
	Requesters    int       // clusters that send requests: the last ones, away from cluster 0
	Each          int       // requests of each of them, one after the other, at least 1
	ThirdWaits    bool      // a third request waits in its link instead
	Splitting     Splitting
}

// mostOrders bounds the serial orders that an invariant lists.
const mostOrders = 1000

// cell is an object whose requests are mappings, closed under composition.
type cell struct {
	name     string
	values   int                                  // 0 is the initial one
	replies  int                                  // values of replies, wrong ones included
	mappings int                                  // they are 0..mappings-1
	alone    func(f program.Expr) program.Expr    // it is never combined, whatever the level: a write; nil: there is no such request
	show     func(f int) string                   // a request, for people
	plain    func(v, f int) (after, reply int)    // what a request does
	apply    func(f, v program.Expr) program.Expr // the same of plain, for switches
	compose  func(f, g program.Expr) program.Expr // first f, then g
}

// Memory is a cell behind combining switches, see [FetchAdd], [TestAndSet] and
// [ReadCombining].
type Memory struct {
	MemoryOptions
	*program.Program
	tree    *homeward
	cell    cell
	scripts [][]int // by cluster: the mappings of its requests

	at      []program.Var   // by cluster: twice the requests that it has been answered, and one if it waits
	results [][]program.Var // by cluster, by request
	value   program.Var     // of the cell
	up      []lane          // by node: requests to the next one
	down    []lane          // by node: replies from the next one
	entries []pairing       // by node, of switches
}

// pairing is the entry of a switch's wait buffer.
type pairing struct{ state, first, mapping, second program.Var }

const (
	entryFree = iota
	entryWaiting
	entrySent
	entryCombined
	entryAnswered
)

var entryNames = []string{"free", "waiting", "sent", "combined", "answered"}

// requesters lists the clusters that send requests.
func (o MemoryOptions) requesters(t *homeward) ([]int, error) {
	if o.Requesters < 1 || o.Requesters > t.Clusters() {
		return nil, fmt.Errorf("%d requesters among %d clusters", o.Requesters, t.Clusters())
	}
	var clusters []int
	for i := range o.Requesters {
		clusters = append(clusters, t.Clusters()-1-i)
	}
	return clusters, nil
}

// check says what is wrong with options that every machine has.
func (o MemoryOptions) check() error {
	switch {
	case o.Level > Forever:
		return fmt.Errorf("waiting level %d: must be 0 to 3", o.Level)
	case o.Capacity < 1 || o.Capacity > 8:
		return fmt.Errorf("links of %d messages: must be 1 to 8", o.Capacity)
	case o.Each < 1:
		return fmt.Errorf("%d requests of each cluster: must be at least 1", o.Each)
	case int(o.Splitting) >= len(SplittingNames):
		return fmt.Errorf("splitting %d: there are %d", o.Splitting, len(SplittingNames))
	}
	return nil
}

// newMemory builds the machine of clusters that follow scripts.
func newMemory(o MemoryOptions, t *homeward, c cell, scripts [][]int) (*Memory, error) {
	m := &Memory{MemoryOptions: o, tree: t, cell: c, scripts: scripts}
	level := fmt.Sprint(o.Level)
	if o.Levels != nil {
		level = fmt.Sprint(o.Levels)
	}
	m.Program = program.New(fmt.Sprintf("%s: fan-out %d, depth %d, home at the %s, level %s, capacity %d, %d requesters, %d each, third waits %v, %s",
		c.name, o.FanOut, o.Depth, HomeNames[o.Home], level, o.Capacity, o.Requesters, o.Each, o.ThirdWaits, SplittingNames[o.Splitting]))
	m.declare()
	for c := range t.Clusters() {
		m.clusterRules(c)
	}
	for _, s := range t.switches() {
		m.requestRules(s)
		m.replyRules(s)
	}
	m.homeRule()
	if err := m.properties(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Memory) declare() {
	t := m.tree
	m.value = m.Var("cell", m.cell.values)
	var clusters []string
	for c := range t.Clusters() {
		clusters = append(clusters, t.Name(c))
	}
	none := append([]string{"-"}, clusters...)
	for c, script := range m.scripts {
		m.at = append(m.at, m.Enum(fmt.Sprintf("cluster %d", c), progress(len(script))...))
		var results []program.Var
		for i := range script {
			results = append(results, m.Var(fmt.Sprintf("cluster %d, result %d", c, i), m.cell.replies))
		}
		m.results = append(m.results, results)
	}
	m.entries = make([]pairing, t.Nodes())
	for _, s := range t.switches() {
		name := func(what string) string { return t.Name(s) + ", " + what }
		m.entries[s] = pairing{
			m.Enum(name("entry"), entryNames...), m.Enum(name("first"), none...),
			m.Var(name("mapping"), m.cell.mappings), m.Enum(name("second"), none...),
		}
	}
	for node := range t.next {
		up, down := lane{}, lane{}
		if !t.local(node) {
			up = newLane(m.Program, "request from "+t.Name(node), m.Capacity, named("of", clusters...), part{name: "mapping", values: m.cell.mappings})
			down = newLane(m.Program, "reply to "+t.Name(node), m.Capacity, named("for", clusters...), part{name: "value", values: m.cell.replies})
		}
		m.up, m.down = append(m.up, up), append(m.down, down)
	}
}

// progress names what a cluster of some requests is at.
func progress(requests int) []string {
	names := []string{"begins"}
	for i := range requests {
		names = append(names, fmt.Sprintf("waits for reply %d", i), fmt.Sprintf("has reply %d", i))
	}
	return names
}

// clusterRules has cluster c send its requests and receive the replies.
func (m *Memory) clusterRules(c int) {
	local := m.tree.local(c)
	for i, f := range m.scripts[c] {
		if local {
			m.Rule(fmt.Sprintf("cluster %d serves itself", c), program.Eq(m.at[c], 2*i),
				program.Set(m.results[c][i], m.reply(program.Const(f))),
				program.Set(m.value, m.cell.apply(program.Const(f), program.Value(m.value))),
				program.Set(m.at[c], 2*i+2))
			continue
		}
		up, down := m.up[c], m.down[c]
		m.Rule(fmt.Sprintf("cluster %d requests", c), program.And(program.Eq(m.at[c], 2*i), up.room()),
			up.push(program.Const(c+1), program.Const(f)), program.Set(m.at[c], 2*i+1))
		m.Rule(fmt.Sprintf("cluster %d receives", c), program.And(program.Eq(m.at[c], 2*i+1), program.Eq(down.head(0), c+1)),
			program.Set(m.results[c][i], down.head(1)), program.Set(m.at[c], 2*i+2), down.pop())
	}
}

// reply is what the home answers: what the cell holds, and 0 to a write.
func (m *Memory) reply(f program.Expr) program.Expr {
	if m.cell.alone == nil {
		return program.Value(m.value)
	}
	return program.IfElse(m.cell.alone(f), program.Const(0), program.Value(m.value))
}

// homeRule serves the next request.
func (m *Memory) homeRule() {
	in, out := m.up[m.tree.last], m.down[m.tree.last]
	m.Rule("the home serves", program.And(program.Not(in.empty()), out.room()),
		out.push(program.Value(in.head(0)), m.reply(program.Value(in.head(1)))),
		program.Set(m.value, m.cell.apply(program.Value(in.head(1)), program.Value(m.value))),
		in.pop())
}
