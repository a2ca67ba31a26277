package fabric

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// advise looks for what an operator may have missed, once everything has been read.
func (f *Fabric) advise(s *subnet) {
	f.adviseEngine(&s.log)
	f.adviseLIDs()
	f.adviseLMC()
	if f.HasVLs() {
		f.adviseLanes()
	} else if len(s.lanes) > 0 {
		f.warn("SL2VL tables without path SLs: VLs are not checked (an SL can be assumed for all paths)")
	}
	f.adviseStrangers(s)
	f.adviseWays()
}

// adviseStrangers warns of tables and SLs of unknown nodes.
func (f *Fabric) adviseStrangers(s *subnet) {
	nodes, ports := map[uint64]bool{}, map[uint64]bool{}
	for i := range f.Nodes {
		nodes[f.Nodes[i].GUID], ports[f.Nodes[i].PortGUID] = true, true
	}
	strangers(f, "path SLs", "node", s.paths, nodes)
	strangers(f, "SL2VL tables", "switch or port of a host", s.lanes, ports)
}

func strangers[T any](f *Fabric, what, of string, named map[uint64]T, known map[uint64]bool) {
	var none []uint64
	for guid := range named {
		if !known[guid] {
			none = append(none, guid)
		}
	}
	if len(none) > 0 {
		f.warn("%s: no %s has the GUID %016x (%d such): left out", what, of, slices.Min(none), len(none))
	}
}

// adviseEngine warns if the subnet manager quietly used another engine. It tries those
// in its list in order, and minhop last.
func (f *Fabric) adviseEngine(log *engineLog) {
	if log.wrong != nil {
		f.warn("%s: read in part only: %v", log.name, log.wrong)
	}
	switch {
	case log.none:
		f.warn("%s: in the last run no engine could route the fabric: the tables are older", log.name)
	case log.failed != "":
		f.warn("%s: ends after %s gave up: it does not say which engine made the tables", log.name, log.failed)
	}
	if f.Asked == "" || f.Used == "" {
		return
	}
	asked := slices.DeleteFunc(strings.Split(f.Asked, ","), func(e string) bool { return e == "no_fallback" })
	if len(asked) > 0 && !strings.EqualFold(asked[0], f.Used) {
		f.warn("the subnet manager was told to route by %s and fell back to %s", asked[0], f.Used)
	}
}

// adviseLIDs warns of hosts that the traffic leaves out.
func (f *Fabric) adviseLIDs() {
	without, first := 0, ""
	for i := f.Switches; i < len(f.Nodes); i++ {
		if n := &f.Nodes[i]; n.LID == 0 && !n.left {
			first = cmp.Or(first, n.Name)
			without++
		}
	}
	if without > 0 {
		f.warn("%d of %d ports of hosts have no LID, as %s: they neither send nor receive",
			without, len(f.Nodes)-f.Switches, first)
	}
}

// aggregation is in the description of a node that combines values inside a switch (SHARP: Graham et al. 2016). To
// the subnet manager it is a host on a port that nothing can be plugged into.
const aggregation = "Aggregation Node"

// leaveOut takes the LIDs from the hosts whose descriptions end in one of some texts, and warns of what an answer then
// does not cover. Each text must be at the end of one.
func (f *Fabric) leaveOut(texts []string) error {
	first := ""
	for _, text := range texts {
		some := false
		for v := f.Switches; v < len(f.Nodes); v++ {
			n := &f.Nodes[v]
			if text == "" || !strings.HasSuffix(n.Description, text) {
				continue
			}
			if some = true; !n.left {
				first = cmp.Or(first, n.Name)
				f.LeftOut++
			}
			n.left, n.LID, n.LMC = true, 0, 0
		}
		if !some {
			return fmt.Errorf("%s: no host to leave out has a description that ends in %q", f.Name, text)
		}
	}
	if f.LeftOut > 0 {
		f.warn("%d of %d hosts are left out, as %s: no answer covers packets to or from them",
			f.LeftOut, len(f.Nodes)-f.Switches, first)
	}
	return nil
}

// adviseAggregation warns of hosts inside switches, which are not among those that an operator counts.
func (f *Fabric) adviseAggregation() {
	inside, first := 0, ""
	for v := f.Switches; v < len(f.Nodes); v++ {
		if n := &f.Nodes[v]; strings.HasSuffix(n.Description, aggregation) && !n.left {
			first = cmp.Or(first, n.Name)
			inside++
		}
	}
	if inside > 0 {
		f.warn("%d of %d hosts are inside switches (SHARP), as %s: they send and receive as others do; "+
			"--leave-out %q leaves them out", inside, len(f.Nodes)-f.Switches, first, aggregation)
	}
}

func (f *Fabric) adviseLMC() {
	most, of := 0, 0
	for i := range f.Nodes {
		if lmc := f.Nodes[i].LMC; lmc > 0 {
			most, of = max(most, lmc), of+1
		}
	}
	if most > 0 {
		f.warn("%d ports have an LMC of up to %d: each of their LIDs is checked, and any may be used at any time",
			of, most)
	}
}

func (f *Fabric) adviseLanes() {
	sls, vls := f.countLanes()
	if !f.hasVLs {
		f.warn(
			"path SLs without SL2VL tables (QoS was off): the VL is taken to be the SL, although no switch was told so")
	}
	if f.MaxVLs > 0 && vls > f.MaxVLs {
		f.warn(
			"paths use VLs up to %d, but opensm.conf permits %d data VLs (max_op_vls): ports may not have the others",
			vls-1, f.MaxVLs)
	}
	used := bits.OnesCount16(f.used)
	if f.hasVLs && vls < used && !strings.EqualFold(f.Used, "torus-2QoS") {
		f.warn(
			"SL2VL tables put the %d SLs of paths into fewer VLs, %d: paths that the routing separates by SL share "+
				"buffers", used, vls)
	}
	missing, discarded, first := f.rowsAmiss(sls)
	if missing > 0 {
		f.warn("%d pairs of ports have no row in the SL2VL tables, the first in to out of %s: VL 0 is taken there",
			missing, first)
	}
	if discarded > 0 {
		f.warn("SL2VL tables send SLs of paths to VL 15 in %d places, where packets are discarded", discarded)
	}
	if missing := f.unnamedPaths(); missing > 0 {
		f.warn("no SL is named for %d pairs of host and LID of a host: SL 0 is taken", missing)
	}
}

// rowsAmiss counts the pairs of cabled ports of a switch without a row, and the entries
// of VL 15 for used SLs below a number.
func (f *Fabric) rowsAmiss(sls int) (missing, discarded int, first string) {
	if !f.hasVLs {
		return 0, 0, ""
	}
	for v := range f.Switches {
		n := &f.Nodes[v]
		for in, from := range n.peers {
			for out, to := range n.peers {
				if from.Node < 0 || to.Node < 0 || in == out {
					continue
				}
				row, ok := n.sl2vl[[2]uint8{uint8(in), uint8(out)}]
				if !ok {
					if missing == 0 {
						first = fmt.Sprintf("%s, ports %d and %d", n.Name, in, out)
					}
					missing++
				}
				for sl := range sls {
					if ok && f.used>>sl&1 == 1 && row.vl(sl) == vl15 {
						discarded++
					}
				}
			}
		}
	}
	return missing, discarded, first
}

// unnamedPaths counts the pairs of host and LID of a host without an SL.
func (f *Fabric) unnamedPaths() (missing int) {
	for u := f.Switches; u < len(f.Nodes); u++ {
		of := f.paths[f.Nodes[u].GUID]
		for v := f.Switches; v < len(f.Nodes); v++ {
			n := &f.Nodes[v]
			for lid := n.LID; u != v && lid < n.LID+n.LIDs(); lid++ {
				if lid >= len(of) || of[lid] == 0 {
					missing++
				}
			}
		}
	}
	return missing
}

// Judges reports whether the dumps say enough to judge a scope: with VLs and switch LIDs
// they must name SLs of paths from switches.
func (f *Fabric) Judges(s Scope) bool {
	if !s.VLs || !s.Switches {
		return !s.VLs || f.HasVLs()
	}
	return slices.ContainsFunc(f.Nodes[:f.Switches], func(n Node) bool { return f.paths[n.GUID] != nil })
}

// adviseWays warns of routes between hosts that do not come back over the same cables,
// among a bounded number of pairs, the first ones.
func (f *Fabric) adviseWays() {
	const most = 50_000
	looked, other := 0, 0
	example := ""
	for u := f.Switches; u < len(f.Nodes) && looked < most; u++ {
		for v := u + 1; v < len(f.Nodes) && looked < most; v++ {
			a, b := &f.Nodes[u], &f.Nodes[v]
			if a.LID == 0 || b.LID == 0 {
				continue
			}
			there, back := f.Route(u, b.LID, 0, false), f.Route(v, a.LID, 0, false)
			slices.Reverse(back)
			looked++
			if !slices.EqualFunc(there, back, func(x, y Step) bool { return x.From == y.To && x.To == y.From }) {
				if other == 0 {
					example = fmt.Sprintf("%s to %s", a.Name, b.Name)
				}
				other++
			}
		}
	}
	if other > 0 {
		f.warn("%d of %d pairs of hosts: the route back differs from the route there, as for %s",
			other, looked, example)
	}
}
