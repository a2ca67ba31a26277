package fabric

import (
	"context"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Step is a packet's crossing of one cable.
type Step struct {
	From, To Peer // where the cable begins and ends
	VL       int
}

// Route returns the path of a packet from a node to a LID with an SL, as far as the
// tables forward it, and at most once around a loop. If there are no VLs, they are 0.
func (f *Fabric) Route(src, lid, sl int, vls bool) (steps []Step) {
	dest := f.Owner(lid)
	at, in := src, 0
	var seen map[Peer]bool // once the path is long
	for at != dest {
		n := &f.Nodes[at]
		out := n.Port
		switch {
		case f.IsSwitch(at):
			out = n.port(lid)
		case at != src:
			return steps // a host forwards nothing
		}
		to, vl := n.Peer(out), 0
		if vls {
			vl = f.vl(at, in, out, sl)
		}
		const long = 32
		if len(steps) == long {
			seen = map[Peer]bool{}
			for _, s := range steps {
				seen[s.To] = true
			}
		}
		been := seen[to] || seen == nil && slices.ContainsFunc(steps, func(s Step) bool { return s.To == to })
		if to.Node < 0 || vl == vl15 || been {
			return steps
		}
		if seen != nil {
			seen[to] = true
		}
		steps = append(steps, Step{Peer{at, out}, to, vl})
		at, in = to.Node, to.Port
	}
	return steps
}

// Passage is a route that asks for one cable and lane while it holds another.
type Passage struct {
	Src, LID, SL int
}

// FindPassage finds a route to a LID with an SL that takes one step right after another: that
// of the first host, or else the first switch, that is a source in the scope.
func (f *Fabric) FindPassage(scope Scope, lid, sl int, held, wanted Step) (Passage, bool) {
	sources := make([]int, 0, len(f.Nodes))
	for v := f.Switches; v < len(f.Nodes); v++ {
		sources = append(sources, v)
	}
	for v := range f.Switches {
		if scope.Switches {
			sources = append(sources, v)
		}
	}
	for _, src := range sources {
		if src == f.Owner(lid) || f.Nodes[src].LID == 0 || scope.VLs && f.sls(src, lid)>>sl&1 == 0 {
			continue
		}
		steps := f.Route(src, lid, sl, scope.VLs)
		for i := 1; i < len(steps); i++ {
			if steps[i-1] == held && steps[i] == wanted {
				return Passage{src, lid, sl}, true
			}
		}
	}
	return Passage{}, false
}

// FaultKind is what may happen to a packet that does not arrive.
type FaultKind uint8

const (
	Loop     FaultKind = iota // switches forward it to each other forever
	NoEntry                   // a switch has no entry for the LID
	NoCable                   // a switch forwards it to a port without a cable
	Stranger                  // it reaches a node that does not have the LID
	NoTable                   // it reaches a switch whose table is missing from the dumps
	CutTable                  // it reaches a switch whose table is incomplete in the dumps, without a line for the LID
)

// String returns "forwarding loop", "no entry", "no cable", "wrong node", "no table" or "cut table".
func (k FaultKind) String() string {
	return [...]string{"forwarding loop", "no entry", "no cable", "wrong node", "no table", "cut table"}[k]
}

// unknown reports whether the dumps do not tell what becomes of the packet.
func (k FaultKind) unknown() bool { return k == NoTable || k == CutTable }

// Fault is a place where packets for a LID end.
type Fault struct {
	Kind     FaultKind
	LID      int
	At       Peer  // the switch and its port; of a loop its least switch; of a wrong node the node
	Cycle    []int // of a loop: the switches in order, the least first
	Hosts    int   // that send there
	Switches int   // that send there
	Src      int   // one of them, a host if there is one
}

// Faults lists what is wrong with the forwarding of a fabric.
type Faults struct {
	Listed    []Fault // by LID; the first ten of each
	More      int
	HostPairs int // pairs of host and LID of a host that do not reach each other
	Pairs     int // the same with switches

	// Those of these pairs whose packets reach a switch whose table is missing from the dumps, or is cut
	// there and has no line for their LID: whether they reach each other is unknown.
	OpenHostPairs, OpenPairs int
}

// Unreached returns the number of pairs of a scope that do not reach each other, and how many of
// them are in fact unknown.
func (x *Faults) Unreached(s Scope) (pairs, open int) {
	if s.Switches {
		return x.Pairs, x.OpenPairs
	}
	return x.HostPairs, x.OpenHostPairs
}

// Faults follows every route of every LID. Time is linear in the entries of the tables.
func (f *Fabric) Faults(ctx context.Context) (*Faults, error) {
	all := make([]Faults, len(f.owner))
	workers := runtime.GOMAXPROCS(0)
	ends := make([]*endings, workers)
	hosts := f.hostsAt()
	err := each.Do(ctx, workers, (len(f.owner)+block-1)/block, func(worker, i int) error {
		if ends[worker] == nil {
			ends[worker] = &endings{
				f: f, hosts: hosts, end: make([]int32, f.Switches), place: map[placed]int32{}, entries: entries{f: f},
			}
		}
		var lids []int
		for lid := i * block; lid < min((i+1)*block, len(f.owner)); lid++ {
			if f.owner[lid] >= 0 {
				lids = append(lids, lid)
			}
		}
		e := ends[worker]
		e.entries.load(lids)
		for k, lid := range lids {
			all[lid] = e.of(lid, e.entries.of(k))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum := &Faults{}
	for i := range all {
		sum.Listed = append(sum.Listed, all[i].Listed...)
		sum.More += all[i].More
		sum.Pairs += all[i].Pairs
		sum.HostPairs += all[i].HostPairs
		sum.OpenPairs += all[i].OpenPairs
		sum.OpenHostPairs += all[i].OpenHostPairs
	}
	return sum, nil
}

// hostsAt lists the hosts at each switch that can send.
func (f *Fabric) hostsAt() [][]int {
	at := make([][]int, f.Switches)
	for v := f.Switches; v < len(f.Nodes); v++ {
		n := &f.Nodes[v]
		if p := n.Peer(n.Port); p.Node >= 0 && f.IsSwitch(p.Node) && n.LID > 0 {
			at[p.Node] = append(at[p.Node], v)
		}
	}
	return at
}

// block is the number of LIDs whose entries are taken from the tables of all switches
// at once: taken singly, each entry would cost a cache miss.
const block = 64

// entries are those of all switches for some LIDs, at most block: scratch memory.
type entries struct {
	f   *Fabric
	out []uint8 // by LID, then switch: the port
}

func (e *entries) load(lids []int) {
	if e.out == nil {
		e.out = make([]uint8, block*e.f.Switches)
	}
	for v := range e.f.Switches {
		for k, lid := range lids {
			e.out[k*e.f.Switches+v] = uint8(e.f.Nodes[v].port(lid))
		}
	}
}

// of returns the ports to which the switches forward the k-th LID.
func (e *entries) of(k int) []uint8 { return e.out[k*e.f.Switches : (k+1)*e.f.Switches] }

// placed says where packets end, and how.
type placed struct {
	kind FaultKind
	at   Peer
}

// endings finds, for one LID after another, where packets from each switch end.
type endings struct {
	f       *Fabric
	hosts   [][]int
	entries entries
	next    []uint8 // of the LID, by switch
	end     []int32 // by switch: 0 not known, onPath, arrives, or faults from there on
	place   map[placed]int32
	path    []int
}

const (
	unknown = iota
	onPath
	arrives
	firstFault
)

func (e *endings) of(lid int, next []uint8) (out Faults) {
	e.next = next
	clear(e.end)
	clear(e.place)
	dest := e.f.Owner(lid)
	var faults []Fault
	for s := range e.f.Switches {
		if s == dest {
			e.end[s] = arrives
		}
		end := e.follow(s, dest, lid, &faults)
		if end == arrives {
			continue
		}
		fault := &faults[end-firstFault]
		for _, h := range e.hosts[s] {
			if h != dest {
				if fault.Hosts == 0 {
					fault.Src = h
				}
				fault.Hosts++
			}
		}
		if fault.Switches++; fault.Hosts == 0 && fault.Switches == 1 {
			fault.Src = s
		}
	}
	for i := range faults {
		pairs, hosts := faults[i].Hosts+faults[i].Switches, faults[i].Hosts
		if e.f.IsSwitch(dest) {
			hosts = 0
		}
		out.Pairs += pairs
		out.HostPairs += hosts
		if faults[i].Kind.unknown() {
			out.OpenPairs += pairs
			out.OpenHostPairs += hosts
		}
	}
	const most = 10
	out.More = max(0, len(faults)-most)
	out.Listed = slices.Clone(faults[:min(most, len(faults))])
	return out
}

// follow walks from a switch until it is known where packets end.
func (e *endings) follow(s, dest, lid int, faults *[]Fault) int32 {
	e.path = e.path[:0]
	end := int32(unknown)
	for end == unknown {
		switch e.end[s] {
		case unknown:
		case onPath:
			end = e.loop(s, lid, faults)
			continue
		default:
			end = e.end[s]
			continue
		}
		e.end[s] = onPath
		e.path = append(e.path, s)
		out := int(e.next[s])
		next := e.f.Nodes[s].Peer(out)
		switch {
		case next.Node == dest:
			end = arrives
		case e.f.Nodes[s].bare:
			end = e.fault(placed{NoTable, Peer{s, out}}, lid, faults)
		case out == noEntry && e.f.Nodes[s].lost(lid):
			end = e.fault(placed{CutTable, Peer{s, out}}, lid, faults)
		case out == noEntry:
			end = e.fault(placed{NoEntry, Peer{s, out}}, lid, faults)
		case out == 0:
			end = e.fault(placed{Stranger, Peer{s, 0}}, lid, faults)
		case next.Node < 0:
			end = e.fault(placed{NoCable, Peer{s, out}}, lid, faults)
		case !e.f.IsSwitch(next.Node):
			end = e.fault(placed{Stranger, next}, lid, faults)
		default:
			s = next.Node
		}
	}
	for _, s := range e.path {
		e.end[s] = end
	}
	return end
}

func (e *endings) fault(p placed, lid int, faults *[]Fault) int32 {
	end, ok := e.place[p]
	if !ok {
		end = firstFault + int32(len(*faults))
		e.place[p] = end
		*faults = append(*faults, Fault{Kind: p.kind, LID: lid, At: p.at})
	}
	return end
}

// loop returns the fault of a walk that came back to a switch.
func (e *endings) loop(s, lid int, faults *[]Fault) int32 {
	cycle := slices.Clone(e.path[slices.Index(e.path, s):])
	least := slices.Index(cycle, slices.Min(cycle))
	cycle = append(cycle[least:], cycle[:least]...)
	end := e.fault(placed{Loop, Peer{cycle[0], int(e.next[cycle[0]])}}, lid, faults)
	(*faults)[end-firstFault].Cycle = cycle
	return end
}
