package wormhole_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// wires is a network by the names of its nodes and channels.
type wires struct {
	top     *spec.Topology
	nodes   map[string]spec.NodeID
	channel map[string]spec.ChannelID
	permits map[permit][]spec.Hop
}

type permit struct {
	at   spec.ChannelID
	dest spec.NodeID
}

func newWires() *wires {
	return &wires{spec.NewTopology(), map[string]spec.NodeID{}, map[string]spec.ChannelID{}, map[permit][]spec.Hop{}}
}

func (w *wires) node(name string) spec.NodeID {
	if _, known := w.nodes[name]; !known {
		w.nodes[name] = w.top.AddNode(name)
	}
	return w.nodes[name]
}

func (w *wires) link(name, from, to string) {
	w.channel[name] = w.top.Channel(w.top.AddLink(spec.Link{From: w.node(from), To: w.node(to), VCs: 1, Out: name}), 0)
}

// permit lets a message in a channel go on to others; a message in none is injected.
func (w *wires) permit(at, dest string, to ...string) {
	for _, name := range to {
		c := w.channel[name]
		p := permit{spec.Injection(w.top.Tail(c)), w.node(dest)}
		if at != "" {
			p.at = w.channel[at]
		}
		w.permits[p] = append(w.permits[p], spec.Hop{Channel: c})
	}
}

func (w *wires) network(t testing.TB) *spec.Network {
	return compile(t, routing.Definition{
		Name: "wires", Topology: w.top,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
			return w.permits[permit{spec.Injection(src), dst}] != nil
		},
		Routing: routing.Deliver(w.top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			return append(dst, w.permits[permit{at, h.Dest}]...)
		})),
	})
}

// pigeonholes adds some whose names begin with a prefix. Between t1, t2, ... and the holes are the
// stages: a message goes on to any channel of each.
func (w *wires) pigeonholes(prefix string, pigeons, holes int, stages ...int) {
	name := func(parts ...any) string { return prefix + fmt.Sprint(parts...) }
	w.link(name("h"), name("M"), name("H"))
	levels := [][]string{nil}
	for k, width := range append(stages, holes) {
		levels = append(levels, nil)
		for j := range width {
			c := name("m", k, ".", j)
			w.link(c, name("X", k), name("X", k+1))
			levels[k+1] = append(levels[k+1], c)
		}
	}
	// The last stage ends where h begins.
	last := len(levels) - 1
	for i, c := range levels[last] {
		levels[last][i] = c + "'"
		w.link(c+"'", name("X", last-1), name("M"))
	}
	for i := range pigeons {
		d, t := name("D", i), name("t", i)
		w.link(t, name("H"), name("X", 0))
		w.permit("", d, t)
		w.permit(name("h"), name("X", 0), t)
		levels[0] = []string{t}
		for k := range last {
			w.link(name("s", k, ".", i), name("X", k), d)
			for _, c := range levels[k] {
				w.permit(c, d, name("s", k, ".", i))
				w.permit(c, d, levels[k+1]...)
			}
		}
		w.link(name("z", i), name("H"), d)
		w.permit(name("h"), d, name("z", i))
		for _, c := range levels[last] {
			w.permit(c, d, name("h"))
		}
	}
	w.permit("", name("X", 0), name("h"))
}

// TestCrowded: if pigeons are too many for some stage of their paths to the holes, or if the channels
// lead only to a few, there is a proof at most ten times as long as the network; otherwise worms are
// found. Some of these networks take exponentially many clauses without sums.
func TestCrowded(t *testing.T) {
	plain := func(pigeons, holes int, stages ...int) func(*wires) {
		return func(w *wires) { w.pigeonholes("", pigeons, holes, stages...) }
	}
	// Messages to E pass the first stage, too, but go on to a hole of their own: so that there are too
	// few holes follows not from the channels alone, but from who holds them.
	others := func(pigeons, holes int) func(*wires) {
		return func(w *wires) {
			w.pigeonholes("", pigeons, holes, pigeons)
			w.link("x", "X1", "M")
			w.link("sE", "X1", "E")
			w.link("zE", "H", "E")
			w.permit("h", "E", "zE")
			w.permit("x", "E", "h")
			for j := range pigeons {
				c := fmt.Sprint("m0.", j)
				w.permit("", "E", c)
				w.permit(c, "E", "x", "sE")
			}
		}
	}
	both := func(a, b [2]int) func(*wires) {
		return func(w *wires) {
			w.pigeonholes("a", a[0], a[1])
			w.pigeonholes("b", b[0], b[1])
		}
	}
	for _, tt := range []struct {
		name  string
		make  func(*wires)
		stuck bool
	}{
		{"20 pigeons, 19 holes", plain(20, 19), false},
		{"12 pigeons, as many holes", plain(12, 12), true},
		{"9 pigeons, stages of 12 and 8", plain(9, 9, 12, 8), false},
		{"9 pigeons, stages of 12 and 9", plain(9, 9, 12, 9), true},
		{"7 pigeons, 6 holes behind stages of 7, 9 and 8", plain(7, 6, 7, 9, 8), false},
		{"12 pigeons, 11 holes behind a stage of 14", plain(12, 11, 14), false},
		{"5 pigeons, 4 holes, others", others(5, 4), false},
		{"5 pigeons, as many holes, others", others(5, 5), true},
		{"6 pigeons, 5 holes, others", others(6, 5), false},
		{"two, neither with holes enough", both([2]int{8, 7}, [2]int{9, 8}), false},
		{"two, the second with holes enough", both([2]int{8, 7}, [2]int{8, 8}), true},
	} {
		w := newWires()
		tt.make(w)
		n := w.network(t)
		proof, found, err := wormhole.Refute(t.Context(), n, nil, unsat.Bound{}, wormhole.Options{Steps: 5000})
		switch {
		case err != nil || (proof == nil) == (found == nil):
			t.Errorf("%s: proof %t, worms %v, %v", tt.name, proof != nil, found, err)
		case tt.stuck != (found != nil) || found != nil && wormhole.Check(n, found) != nil:
			t.Errorf("%s: worms %v", tt.name, found)
		case proof != nil:
			network, size := sizes(t, n, proof)
			t.Logf("%s: network %d bytes, proof %d", tt.name, network, size)
			if err := unsat.Verify(t.Context(), n, proof); err != nil || size > 10*network {
				t.Errorf("%s: %v, %d bytes for %d", tt.name, err, size, network)
			}
			if !slices.ContainsFunc(proof.Steps, func(s unsat.Step) bool { return s.Sum != nil }) {
				t.Errorf("%s: no sum", tt.name)
			}
		}
	}
}

// TestProofSizes: for deadlock-free gadgets, and for tori without a deadlock of a few messages or channels, the proof is
// at most ten times as long as the network.
func TestProofSizes(t *testing.T) {
	for _, s := range proofSubjects(t) {
		network, proof := sizes(t, s.n, s.proof(t))
		t.Logf("%-45s %7d %7d  %.1f", s.name, network, proof, float64(proof)/float64(network))
		if proof > 10*network {
			t.Errorf("%s: %d bytes prove something of %d", s.name, proof, network)
		}
	}
}

// BenchmarkProof reports the bytes of network and proof, and the time to check the proof relative to that to find it.
func BenchmarkProof(b *testing.B) {
	for _, s := range proofSubjects(b) {
		b.Run(s.name, func(b *testing.B) {
			var find, check time.Duration
			var proof *unsat.Proof
			for b.Loop() {
				began := time.Now()
				proof = s.proof(b)
				found := time.Now()
				if err := unsat.Verify(b.Context(), s.n, proof); err != nil {
					b.Fatal(err)
				}
				find, check = find+found.Sub(began), check+time.Since(found)
			}
			network, size := sizes(b, s.n, proof)
			b.ReportMetric(float64(network), "network-bytes")
			b.ReportMetric(float64(size), "proof-bytes")
			b.ReportMetric(check.Seconds()/find.Seconds(), "check/find")
		})
	}
}

// proofSubject is a network without a deadlock within a bound.
type proofSubject struct {
	name  string
	n     *spec.Network
	bound unsat.Bound
}

// proof finds the proof. For a few messages it is found by having the checker try all sets.
func (s *proofSubject) proof(t fataler) *unsat.Proof {
	proof := &unsat.Proof{Network: s.n.Digest(), Bound: s.bound}
	var err error
	if s.bound.Of == unsat.Packets {
		err = unsat.Verify(context.Background(), s.n, proof)
	} else {
		proof, _, err = wormhole.Refute(context.Background(), s.n, nil, s.bound, wormhole.Options{})
	}
	if err != nil || proof == nil {
		t.Fatal(s.name, proof == nil, err)
	}
	return proof
}

func proofSubjects(t testing.TB) (all []proofSubject) {
	free := unsat.Bound{}
	for _, name := range []string{"W2", "W5"} {
		all = append(all, proofSubject{name, gadgetNetwork(t, name), free})
	}
	for _, pigeons := range []int{3, 4, 6, 8, 12, 16, 20, 24} {
		all = append(all, proofSubject{fmt.Sprintf("%d pigeons, %d holes", pigeons, pigeons-1), pigeonholes(t, pigeons, pigeons-1), free})
	}
	for _, stages := range [][]int{{7, 9, 8}, {14, 7}} {
		w := newWires()
		w.pigeonholes("", 8, 7, stages...)
		all = append(all, proofSubject{fmt.Sprintf("8 pigeons, 7 holes, stages of %v", stages), w.network(t), free})
	}
	messages, channels := unsat.Packets, unsat.Channels
	for _, tt := range []struct {
		model string
		set   set
		bound unsat.Bound
	}{
		{"torus", set{"k": "5", "routing": "adaptive"}, unsat.Bound{Of: messages, Most: 2}},
		{"torus", set{"k": "5", "routing": "adaptive"}, unsat.Bound{Of: channels, Most: 3}},
		{"torus", set{"k": "6", "routing": "dor"}, unsat.Bound{Of: messages, Most: 2}},
		{"torus", set{"k": "6", "routing": "dor"}, unsat.Bound{Of: channels, Most: 5}},
		{"star-channel", set{"k": "5", "ca": "always"}, unsat.Bound{Of: messages, Most: 7}},
		{"star-channel", set{"k": "5", "ca": "never"}, unsat.Bound{Of: messages, Most: 3}},
		{"star-channel", set{"k": "5", "ca": "never"}, unsat.Bound{Of: channels, Most: 3}},
	} {
		name := fmt.Sprintf("%s %v, %d %s", tt.model, tt.set, tt.bound.Most, tt.bound.Of)
		all = append(all, proofSubject{name, catalogue(t, tt.model, tt.set), tt.bound})
	}
	return all
}
