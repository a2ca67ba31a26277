// Package study, internal to unknot, measures how much a tree of combining switches gains:
// Fetch&Add or reads of a hot cell, as in OCHANOMIZ-5 (Tanaka, Matsumoto, Tsuiki and Hiraki: Generalized
// Combining), clock by clock. The protocols themselves are the machines fetch-add and read-combining, which
// are checked; a measurement is not a verdict.
//
// The model. Clusters are the leaves of a tree of switches; the memory is at the root. A link
// carries one message per clock in each direction, into a FIFO of the next switch. A switch
// takes one message per clock for its upward link, from its children and its combining unit in
// turn, and one for each downward link. Requests for the hot cell go to the unit, one per clock.
// The first waits there for a partner for a fixed time (level 2 of the paper); if one comes in
// that time, both continue as one request, and the entry keeps their names until the reply comes
// back and is split. An entry takes two requests, or more, and the cell has one entry: a further request
// that comes while the answer is out continues alone, or waits in its link (the paper does not
// say). Requests for other cells never meet an equal one.
//
// Recorded (level 1), the first continues at once, and those that come before its answer join it: so reads
// combine. In a queue (NYU Ultracomputer, Gottlieb et al. 1983; RP3, Pfister and Norton 1985), which the paper
// compares itself with, a request joins an equal one that is still in the FIFO that it enters; nobody waits for it.
package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Options describes a run.
type Options struct {
	FanOut, Depth int     // of the tree: FanOut^Depth clusters, 2 to MostClusters
	Load          float64 // requests a clock and cluster, 0 to 1
	Hot           float64 // share of the requests that are for the hot cell, 0 to 1
	How           How     // requests combine
	Wait          int     // clocks that a request waits for a partner; 0: no combining, unless How says so
	Partners      int     // most requests of an entry; 0: 2, as in the machine; -1: any number
	ThirdWaits    bool    // a request that finds its entry taken waits in its link
	Service       int     // clocks that the memory takes for a request, at least 1
	Buffer        int     // messages that a FIFO holds, at least 1
	Clocks        int     // of the run; the first fifth is not measured
	Seed          uint64
}

// How is the way in which requests combine.
type How uint8

const (
	Waiting  How = iota // the first waits in the unit for [Options.Wait] clocks, level 2
	Recorded            // the first continues; others join it until it is answered, level 1
	InQueue             // others join one that is in the FIFO that they enter
)

// MostClusters is the largest number of clusters.
const MostClusters = 4096

// Result is what was measured for the requests answered after the first fifth of the run.
type Result struct {
	Options
	Answered int64   // requests
	Accepted float64 // answers a clock and cluster
	Latency  float64 // mean, in clocks, from the request's making to its answer
	P99      int64   // 99 % quantile of it
	Combined float64 // share of the answered requests that another one carried to the memory
	Memory   float64 // requests that the memory served a clock

	Answers int64 // of the whole run
}

// message is a request on its way up or an answer on its way down.
type message struct {
	request int32 // its number; for combined requests, the first
	hot     bool
	joined  int // others, in the FIFO that it is in
}

// request is what is known about a request.
type request struct {
	cluster  int32
	carried  bool // by another one
	made     int64
	answered int64 // clock of the answer; 0: none yet
}

// node is a switch.
type node struct {
	children []int32 // numbers of nodes, or of clusters at height 1
	turn     int     // the source asked first for the upward link: children, then the unit
	unitTurn int     // the child asked first for the unit

	first   int32             // the request that waits or has gone on; -1: the entry is free
	carried []int32           // the requests that it carries
	until   int64             // clock at which it continues without a partner
	ready   bool              // it continues
	out     bool              // it has gone on, with its partners
	queued  map[int32][]int32 // in a queue: what each first request carries
	split   []int32           // answers still to be sent down
	down    []message
}

// tree is the state of a run.
type tree struct {
	Options
	nodes    []node // by height, the root last
	parent   []int32
	from     []int // by node: which child of its parent it is
	leaf     []int32
	sources  [][]message // by cluster
	requests []request
	memory   []message // being served, then waiting
	served   int64     // clock at which the first of them is done
	entered  int64     // requests that the memory has taken
	crossed  int64     // requests over upward links, those to the memory among them
	rng      *rand.Rand
	clock    int64

	lanes     [][][]message // by node and child: the FIFO of requests from it
	Result    Result
	latencies []int64
}

func (o *Options) validate() error {
	clusters := 1
	for range max(0, o.Depth) {
		if clusters *= max(0, o.FanOut); clusters > MostClusters {
			break
		}
	}
	switch {
	case o.Partners < -1 || o.Partners == 1:
		return fmt.Errorf("invalid number of partners %d: want 2 or more, or -1 for any", o.Partners)
	case o.How != Waiting && o.Wait != 0:
		return fmt.Errorf("invalid wait %d: want 0, as nobody waits", o.Wait)
	case o.FanOut < 2 || o.Depth < 1 || clusters > MostClusters:
		return fmt.Errorf("invalid tree of fan-out %d and depth %d: want 2 to %d clusters",
			o.FanOut, o.Depth, MostClusters)
	case !(o.Load > 0 && o.Load <= 1):
		return fmt.Errorf("invalid load %v: want more than 0, at most 1", o.Load)
	case !(o.Hot >= 0 && o.Hot <= 1):
		return fmt.Errorf("invalid share of hot requests %v: want 0 to 1", o.Hot)
	case o.Clocks > mostRequests/clusters:
		return fmt.Errorf("invalid number of clocks %d for %d clusters: want at most %d",
			o.Clocks, clusters, mostRequests/clusters)
	}
	for _, of := range []struct {
		what       string
		got, least int
	}{
		{"wait", o.Wait, 0}, {"service time", o.Service, 1}, {"buffer", o.Buffer, 1},
		{"number of clocks", o.Clocks, 10},
	} {
		if of.got < of.least {
			return fmt.Errorf("invalid %s %d: want %d or more", of.what, of.got, of.least)
		}
	}
	return nil
}

// mostRequests bounds memory: a request takes some 40 bytes until the run has ended.
const mostRequests = 1 << 25

// Run measures one load.
func Run(ctx context.Context, opt Options) (Result, error) {
	if err := opt.validate(); err != nil {
		return Result{}, err
	}
	t := newTree(opt)
	for ; t.clock < int64(opt.Clocks); t.clock++ {
		if t.clock%64 == 0 && ctx.Err() != nil { // with 4096 clusters, some 10 ms
			return Result{}, context.Cause(ctx)
		}
		t.step()
	}
	return t.result(), nil
}

func newTree(opt Options) *tree {
	if opt.Partners == 0 {
		opt.Partners = 2
	}
	t := &tree{Options: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0)), Result: Result{Options: opt}}
	clusters := 1
	for range opt.Depth {
		clusters *= opt.FanOut
	}
	t.sources = make([][]message, clusters)
	t.leaf = make([]int32, clusters)
	level := make([]int32, clusters) // numbers of the level below
	for i := range level {
		level[i] = int32(i)
	}
	for height := 1; height <= opt.Depth; height++ {
		var next []int32
		for i := 0; i < len(level); i += opt.FanOut {
			id := int32(len(t.nodes))
			t.nodes = append(t.nodes, node{children: level[i : i+opt.FanOut], first: -1, queued: map[int32][]int32{}})
			t.parent, t.from = append(t.parent, -1), append(t.from, 0)
			for k, child := range level[i : i+opt.FanOut] {
				if height == 1 {
					t.leaf[child] = id
				} else {
					t.parent[child], t.from[child] = id, k
				}
			}
			t.lanes = append(t.lanes, make([][]message, opt.FanOut))
			next = append(next, id)
		}
		level = next
	}
	return t
}

// step simulates one clock. Everything that moves is visited from its goal backwards, and moves
// by one FIFO only: answers from the leaves up, requests from the root down, so that each FIFO
// is emptied before it is filled.
func (t *tree) step() {
	for i := range t.nodes {
		t.answers(int32(i))
	}
	t.serve()
	for i := len(t.nodes) - 1; i >= 0; i-- {
		t.upwards(int32(i))
		t.unit(int32(i))
	}
	t.inject()
}

// answers sends answers down from a switch: the one split off, and the first of the FIFO.
func (t *tree) answers(id int32) {
	n := &t.nodes[id]
	busy := int32(-1) // link used in this clock
	if len(n.split) > 0 {
		if k := t.childOf(id, n.split[0]); t.send(id, k, message{request: n.split[0], hot: true}) {
			busy, n.split = int32(k), n.split[1:]
		}
	}
	if len(n.down) == 0 {
		return
	}
	m := n.down[0]
	carried, queued := n.queued[m.request]
	carries := queued || m.hot && n.out && n.first == m.request
	k := t.childOf(id, m.request)
	if int32(k) == busy || carries && len(n.split) > 0 || !t.send(id, k, m) {
		return
	}
	n.down = n.down[1:]
	switch {
	case queued:
		n.split = carried
		delete(n.queued, m.request)
	case carries:
		n.split, n.first, n.carried, n.out = n.carried, -1, nil, false
	}
}

// childOf returns the child of a switch whose subtree has the cluster of a request.
func (t *tree) childOf(id, req int32) int {
	v := t.leaf[t.requests[req].cluster]
	if v == id {
		return int(t.requests[req].cluster) % t.FanOut
	}
	for t.parent[v] != id {
		v = t.parent[v]
	}
	return t.from[v]
}

// send gives an answer to a child, if it has room; a cluster always has.
func (t *tree) send(id int32, k int, m message) bool {
	child := t.nodes[id].children[k]
	if t.leaf[t.requests[m.request].cluster] == id {
		t.answered(m.request)
		return true
	}
	if len(t.nodes[child].down) >= t.Buffer {
		return false
	}
	t.nodes[child].down = append(t.nodes[child].down, m)
	return true
}

func (t *tree) answered(req int32) {
	r := &t.requests[req]
	r.answered = t.clock + 1
	t.Result.Answers++
	if t.clock < int64(t.Clocks/5) {
		return
	}
	t.Result.Answered++
	t.latencies = append(t.latencies, t.clock+1-r.made)
	if r.carried {
		t.Result.Combined++
	}
}

// serve lets the memory finish a request, whose answer goes to the root.
func (t *tree) serve() {
	root := &t.nodes[len(t.nodes)-1]
	if len(t.memory) == 0 || t.clock < t.served || len(root.down) >= t.Buffer {
		return
	}
	root.down = append(root.down, t.memory[0])
	t.memory = t.memory[1:]
	t.served = t.clock + int64(t.Service)
	if t.clock >= int64(t.Clocks/5) {
		t.Result.Memory++
	}
}

// upwards sends one request on from a switch, if there is room: from a child, or from the unit.
func (t *tree) upwards(id int32) {
	n := &t.nodes[id]
	if n.first >= 0 && !n.out && !n.ready && t.clock >= n.until {
		n.ready = true
	}
	if t.How == InQueue && t.joinsQueue(id) || !t.room(id) {
		return
	}
	sources := len(n.children) + 1
	for i := range sources {
		k := (n.turn + i) % sources
		var m message
		switch {
		case k == len(n.children):
			if !n.ready {
				continue
			}
			m = message{request: n.first, hot: true}
			if n.ready, n.out = false, t.How == Recorded || len(n.carried) > 0; !n.out {
				n.first = -1 // alone: the entry is free
			}
		case len(t.lanes[id][k]) == 0 || t.lanes[id][k][0].hot && t.hasUnits() && (t.ThirdWaits || t.combines(n)):
			continue
		default:
			m = t.lanes[id][k][0]
			m.joined = 0
			t.lanes[id][k] = t.lanes[id][k][1:]
		}
		n.turn = (k + 1) % sources
		t.crossed++
		if p := t.parent[id]; p >= 0 {
			t.lanes[p][t.from[id]] = append(t.lanes[p][t.from[id]], m)
		} else {
			if len(t.memory) == 0 {
				t.served = max(t.served, t.clock+int64(t.Service))
			}
			t.memory, t.entered = append(t.memory, m), t.entered+1
		}
		return
	}
}

// room reports whether the next FIFO upwards has room.
func (t *tree) room(id int32) bool {
	if p := t.parent[id]; p >= 0 {
		return len(t.lanes[p][t.from[id]]) < t.Buffer
	}
	return len(t.memory) < t.Buffer
}

// joinsQueue lets one request for the hot cell join an equal one in the next FIFO upwards, if there is one. The one that the
// memory serves has left its FIFO.
func (t *tree) joinsQueue(id int32) bool {
	n := &t.nodes[id]
	ahead := t.memory[min(1, len(t.memory)):]
	if p := t.parent[id]; p >= 0 {
		ahead = t.lanes[p][t.from[id]]
	}
	at := slices.IndexFunc(ahead, func(m message) bool { return m.hot && (t.Partners < 0 || m.joined+2 <= t.Partners) })
	if at < 0 {
		return false
	}
	for i := range n.children {
		k := (n.turn + i) % len(n.children)
		lane := t.lanes[id][k]
		if len(lane) == 0 || !lane[0].hot {
			continue
		}
		first := ahead[at].request
		n.queued[first] = append(n.queued[first], lane[0].request)
		ahead[at].joined++
		t.requests[lane[0].request].carried = true
		t.lanes[id][k] = lane[1:]
		n.turn = k + 1
		return true
	}
	return false
}

// hasUnits reports whether requests for the hot cell pass the combining units.
func (t *tree) hasUnits() bool { return t.Wait > 0 || t.How == Recorded }

// full reports whether an entry takes no more requests.
func (t *tree) full(n *node) bool { return t.Partners > 0 && len(n.carried)+1 >= t.Partners }

// combines reports whether the unit takes a request: its entry is free, or the first
// request waits for a partner, or, if it is recorded, for its answer.
func (t *tree) combines(n *node) bool {
	return n.first < 0 || !t.full(n) && (t.How == Recorded || !n.out && !n.ready)
}

// unit lets one request for the hot cell into the combining unit.
func (t *tree) unit(id int32) {
	n := &t.nodes[id]
	for i := range n.children {
		k := (n.unitTurn + i) % len(n.children)
		lane := t.lanes[id][k]
		if len(lane) == 0 || !lane[0].hot || !t.hasUnits() || !t.combines(n) {
			continue
		}
		if n.first < 0 {
			n.first, n.until, n.ready = lane[0].request, t.clock+int64(t.Wait), t.How == Recorded
		} else {
			n.carried = append(n.carried, lane[0].request)
			t.requests[lane[0].request].carried = true
			n.ready = n.ready || t.How == Waiting && t.full(n)
		}
		t.lanes[id][k] = lane[1:]
		n.unitTurn = (k + 1) % len(n.children)
		return
	}
}

// inject makes requests, and sends the oldest of each cluster if its switch has room.
func (t *tree) inject() {
	for c := range t.sources {
		if t.rng.Float64() < t.Load {
			t.requests = append(t.requests, request{cluster: int32(c), made: t.clock})
			t.sources[c] = append(t.sources[c], message{request: int32(len(t.requests) - 1), hot: t.rng.Float64() < t.Hot})
		}
		id := t.leaf[c]
		k := c % t.FanOut
		if len(t.sources[c]) > 0 && len(t.lanes[id][k]) < t.Buffer {
			t.lanes[id][k] = append(t.lanes[id][k], t.sources[c][0])
			t.sources[c] = t.sources[c][1:]
		}
	}
}

func (t *tree) result() Result {
	r := t.Result
	if r.Answered == 0 {
		return r
	}
	clocks := float64(t.Clocks - t.Clocks/5)
	r.Accepted = float64(r.Answered) / clocks / float64(len(t.sources))
	r.Memory /= clocks
	r.Combined /= float64(r.Answered)
	slices.Sort(t.latencies)
	for _, l := range t.latencies {
		r.Latency += float64(l)
	}
	r.Latency /= float64(r.Answered)
	r.P99 = t.latencies[(len(t.latencies)-1)*99/100]
	return r
}
