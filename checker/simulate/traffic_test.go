package simulate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestPatterns: where some nodes of a 4x4 mesh send, worked out by hand from the definitions. Nodes are numbered
// x + 4y.
func TestPatterns(t *testing.T) {
	n := dimensionOrder(t, 4, 1, 1, false, spec.Wormhole, nil)
	for pattern, want := range map[string]map[string]string{
		"transpose":      {"(0,1)": "(2,3)", "(0,0)": "(3,3)", "(2,1)": "", "(3,1)": "(2,0)"}, // (x,y) -> (3-y,3-x)
		"transpose-bits": {"(0,1)": "(1,0)", "(3,1)": "(1,3)", "(2,2)": ""},                   // (x,y) -> (y,x)
		"bit-reversal":   {"(1,0)": "(0,2)", "(3,0)": "(0,3)", "(2,1)": ""},                   // 0001 -> 1000, 0011 -> 1100, 0110 -> 0110
		"bit-complement": {"(0,0)": "(3,3)", "(1,2)": "(2,1)"},                                // 1001 -> 0110
		"shuffle":        {"(1,0)": "(2,0)", "(0,2)": "(1,0)", "(3,3)": ""},                   // 0001 -> 0010, 1000 -> 0001
		"tornado":        {"(0,0)": "(1,1)", "(3,2)": "(0,3)"},                                // by 1 in each
		"neighbour":      {"(0,0)": "(1,1)", "(3,3)": "(0,0)"},                                // by 1 in each
	} {
		d, err := newDestinations(n, &Options{Traffic: Traffic{Pattern: pattern}})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for from, to := range want {
			v, _ := n.Topology().NodeNamed(from)
			got := ""
			if d.rate[v] > 0 {
				got = n.Topology().Node(n.Table(int(d.flows.table[d.draw(int32(v))])).Dest).Name
			}
			if got != to {
				t.Errorf("%s: %s sends to %q, want %q", pattern, from, got, to)
			}
		}
	}
}

// TestTransposes: where a node of a 4x4x4 torus sends under each form of transposition, by its definition.
func TestTransposes(t *testing.T) {
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "3"})
	for pattern, want := range map[string]string{
		"transpose":          "(2,3,3)", // (x,y,z) = (0,0,1) to (3-z,3-y,3-x)
		"transpose-mirrored": "(3,3,2)", // to (3-y,3-x,3-z)
		"transpose-plane":    "(3,3,1)", // to (3-y,3-x,z)
		"transpose-last":     "(0,2,3)", // to (x,3-z,3-y)
		"transpose-ends":     "(2,0,3)", // to (3-z,y,3-x)
		"transpose-cyclic":   "(3,2,3)", // to (3-y,3-z,3-x)
	} {
		d, err := newDestinations(n, &Options{Traffic: Traffic{Pattern: pattern}})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := n.Topology().NodeNamed("(0,0,1)")
		if got := n.Topology().Node(n.Table(int(d.flows.table[d.draw(int32(v))])).Dest).Name; got != want {
			t.Errorf("%s: (0,0,1) sends to %s, want %s", pattern, got, want)
		}
	}
}

// TestPermutations: every pattern with one destination a node sends to each node at most once.
func TestPermutations(t *testing.T) {
	n := dimensionOrder(t, 4, 1, 1, false, spec.Wormhole, nil)
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.SampledFrom(Patterns[1:14]).Draw(rt, "pattern").Name
		d, err := newDestinations(n, &Options{Traffic: Traffic{Pattern: pattern}, Seed: rapid.Uint64().Draw(rt, "seed")})
		if err != nil {
			rt.Fatal(err)
		}
		seen := map[int32]bool{}
		for v, s := range d.spans {
			if s.from < s.end && d.rate[v] > 0 {
				table := d.flows.table[s.from]
				if seen[table] || int(n.Table(int(table)).Dest) == v {
					rt.Fatalf("%s: two nodes send to one, or one to itself", pattern)
				}
				seen[table] = true
			}
		}
	})
}

// TestSources: sources generate what they are asked to: Bernoulli and bursty ones, with mixed lengths, in proportion to
// a matrix, and its share to the hot node.
func TestSources(t *testing.T) {
	n := dimensionOrder(t, 4, 2, 8, false, spec.Wormhole, nil)
	o := Options{Load: 0.1, Lengths: []Length{{1, 3}, {9, 1}}, Injectors: 2, Clocks: 100_000, Warmup: 100}
	for _, burst := range []float64{1, 8} {
		o.Burst = burst
		r := simulated(t, n, o)
		if math.Abs(r.Offered.Mean-0.1) > 0.003 {
			t.Errorf("bursts of %v: offered %v, want 0.1", burst, r.Offered)
		}
	}
	bursty, even := simulated(t, n, o), o
	even.Burst = 1
	if r := simulated(t, n, even); bursty.Total.Mean < 1.2*r.Total.Mean {
		t.Errorf("latency %v in bursts, %v without", bursty.Total.Mean, r.Total.Mean)
	}
	o.Traffic = Traffic{Pattern: "hot-spot", Hot: []string{"(0,0)"}, Share: 0.5}
	o.Load, o.Burst, o.Lengths = 0.04, 1, flits(3)
	r := simulated(t, n, o)
	// The two links into the hot node carry everything that goes there, half and its share of the rest, and what passes it: of
	// the rest, traffic from the 3 others of its row to the 3 of its column.
	into := 0.0
	for _, u := range r.Links {
		if strings.HasSuffix(u.Link, "->(0,0)") {
			into += u.Mean
		}
	}
	if want := 0.04 * (15*(0.5+0.5/15) + 0.5*3*3/15); math.Abs(into-want) > 0.03*want {
		t.Errorf("%v flits a clock reach the hot node, want %v", into, want)
	}
	m, err := ReadTraffic("m.csv", []byte("source,destination,weight\n\"(0,0)\",\"(1,0)\",3\n\"0,0\",\"(0,1)\",1\n\"(3,3)\",\"(2,3)\",2\n"), n)
	if err != nil {
		t.Fatal(err)
	}
	o.Traffic, o.Load = m, 0.4
	use := map[string]float64{}
	for _, u := range simulated(t, n, o).Links {
		use[u.Link] = u.Mean
	}
	for link, want := range map[string]float64{"(0,0)->(1,0)": 0.3, "(0,0)->(0,1)": 0.1, "(3,3)->(2,3)": 0.2} {
		if math.Abs(use[link]-want) > 0.03*want || len(use) != 3 {
			t.Errorf("%s carries %v, want %v; %v", link, use[link], want, use)
		}
	}
}

// TestClosedLoop: at most a window of requests is open, each is answered, and the pace follows from the round trip:
// a window of one and a load of 1 give one request per round trip.
func TestClosedLoop(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 8, false, spec.Wormhole, nil)
	v, _ := n.Topology().NodeNamed("(1,0)")
	d := ThreeClocks()
	o := Options{Traffic: Traffic{Demands: []Demand{{0, v, 1}}}, Load: 1, Lengths: flits(1), Window: 1, Delays: d, Clocks: 10_000, Warmup: 100}
	r := simulated(t, n, o)
	// There and back over one link each: 2 hops of 3 clocks each way; the source draws its next clock at once.
	if want := 2 * 10_000.0 / float64(4*d.Hop()); math.Abs(float64(r.Delivered)-want) > 0.1*want {
		t.Errorf("%d packets, want %v", r.Delivered, want)
	}
}

// TestReadTraffic: a fault is one line with its place.
func TestReadTraffic(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 1, false, spec.Wormhole, func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 })
	for text, want := range map[string]string{
		"":                            "t.csv:1:1: no traffic",
		"a,b\n":                       "t.csv:1:1: invalid header",
		"source,destination,weight\n": "t.csv:1:1: no traffic",
		"source,destination,weight\n\"(0,0)\",\"(9,0)\",1\n":                          `t.csv:2:9: invalid node "(9,0)"`,
		"source,destination,weight\n\"(0,0)\",\"(1,0)\",-1\n":                         `t.csv:2:17: invalid weight "-1"`,
		"source,destination,weight\n\"(0,0)\",\"(1,0)\",NaN\n":                        `t.csv:2:17: invalid weight "NaN"`,
		"source,destination,weight\n\"(0,0)\",\"(1,0)\",1e300\n":                      `t.csv:2:17: invalid weight "1e300": want a number from 0 to 3.4e+38`,
		"source,destination,weight\n\n\"(0,0)\",\"(1,0)\",0\n\"(0,0)\",\"(0,1)\",0\n": "t.csv:3:17: all weights are 0",
		"source,destination,weight\n\"(1,0)\",\"(0,0)\",1\n":                          "t.csv:2:1: dimension-order has no flow from (1,0) to (0,0)",
		"source,destination,weight\n\"(0,0)\",\"(1,0)\"\n":                            "t.csv:2:1: wrong number of fields",
		"clock,source,destination,flits\n1,\"(0,0)\",\"(1,0)\",0\n":                   `t.csv:2:19: invalid number "0": want 1 to 4096`,
		"clock,source,destination,flits\n-1,\"(0,0)\",\"(1,0)\",1\n":                  `t.csv:2:1: invalid number "-1"`,
		"clock,source,destination,flits\n1,\"(0,0)\",\"(1,0\"x),1\n":                  "t.csv:2:",
	} {
		if _, err := ReadTraffic("t.csv", []byte(text), n); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestOptions: what cannot be run is refused in one line.
func TestOptions(t *testing.T) {
	n := dimensionOrder(t, 3, 1, 1, false, spec.Wormhole, nil)
	good := Options{Load: 0.1, Lengths: flits(4), Clocks: 100}
	for want, change := range map[string]func(*Options){
		"invalid load 0:":                      func(o *Options) { o.Load = 0 },
		"invalid load 1.5:":                    func(o *Options) { o.Load = 1.5 },
		"invalid load NaN:":                    func(o *Options) { o.Load = math.NaN() },
		"invalid length 1 (weight 1e+308)":     func(o *Options) { o.Lengths = []Length{{1, 1e308}, {2, 1e308}} },
		"invalid window 1: want 0 for a trace": func(o *Options) { o.Window, o.Traffic.Events = 1, []Event{{0, 0, 1, 4}} },
		"invalid lengths":                      func(o *Options) { o.Lengths = nil },
		"invalid length 0":                     func(o *Options) { o.Lengths = flits(0) },
		"invalid length 4097":                  func(o *Options) { o.Lengths = flits(4097) },
		"invalid clocks 0":                     func(o *Options) { o.Clocks = 0 },
		"invalid warm-up 100":                  func(o *Options) { o.Warmup = 100 },
		"invalid delays":                       func(o *Options) { o.Delays = Delays{Route: 1} },
		"invalid injectors 65":                 func(o *Options) { o.Injectors = 65 },
		"invalid window":                       func(o *Options) { o.Window = -1 },
		"invalid burst":                        func(o *Options) { o.Burst = math.Inf(1) },
		"invalid class of replies":             func(o *Options) { o.Window, o.Replies = 1, 3 },
		"invalid traffic \"x\"":                func(o *Options) { o.Traffic.Pattern = "x" },
		"shuffle needs a power":                func(o *Options) { o.Traffic.Pattern = "shuffle" },
		"hot-spot needs":                       func(o *Options) { o.Traffic.Pattern = "hot-spot" },
		"invalid hot node":                     func(o *Options) { o.Traffic = Traffic{Pattern: "hot-spot", Hot: []string{"x"}, Share: 1} },
	} {
		o := good
		change(&o)
		if _, err := Run(t.Context(), n, o); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	none := dimensionOrder(t, 3, 1, 1, false, spec.Wormhole, func(_, _ spec.NodeID, _ spec.Class) bool { return false })
	if _, err := Run(t.Context(), none, good); err == nil || !strings.Contains(err.Error(), "has no flows") {
		t.Errorf("without flows: %v", err)
	}
}

// TestReadBookSim: a delay is from the previous packet, a packet of type -1 is not sent, the type gives the length, and
// words may be on any line.
func TestReadBookSim(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 1, false, spec.Wormhole, func(src, dst spec.NodeID, _ spec.Class) bool { return src != 3 || dst == 1 })
	sizes := []Length{{1, 1}, {5, 1}}
	got, err := ReadBookSim("t.trace", []byte("3 0 1 0\r\n 0\t2 3 1\n4 0 0 -1\n\n2 1\n0 1"), n, sizes)
	want := Traffic{Events: []Event{{3, 0, 1, 1}, {3, 2, 3, 5}, {9, 1, 0, 5}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"":                         "t.trace:1:1: no traffic: want delay, source, destination and type",
		" \n":                      "t.trace:1:1: no traffic",
		"1 0 1 -1":                 "t.trace:1:1: no traffic",
		"1 0 1 0\n2 1":             "t.trace:2:3: the trace ends within a packet",
		"1 0 1 2":                  `t.trace:1:7: invalid number "2": want -1 to 1`,
		"1 0 4 0":                  `t.trace:1:5: invalid number "4": want 0 to 3`,
		"1 -1 1 0":                 `t.trace:1:3: invalid number "-1": want 0 to 3`,
		"-1 0 1 0":                 `t.trace:1:1: invalid number "-1": want 0 to`,
		"1073741824 0 1 0 1 0 1 0": `t.trace:1:18: invalid number "1": want 0 to 0`,
		"1 0 x 0":                  `t.trace:1:5: invalid number "x"`,
		"1 0 1 0\n  1 3 0 0":       "t.trace:2:5: dimension-order has no flow from 3 to 0",
		"1 0 0 0":                  "t.trace:1:3: dimension-order has no flow from 0 to 0",
		"clock,source\n":           `t.trace:1:1: the trace ends`,
	} {
		if _, err := ReadBookSim("t.trace", []byte(text), n, sizes); err == nil ||
			!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	none := dimensionOrder(t, 2, 1, 1, false, spec.Wormhole, func(_, _ spec.NodeID, _ spec.Class) bool { return false })
	if _, err := ReadBookSim("t.trace", []byte("1 0 1 0"), none, sizes); err == nil || !strings.Contains(err.Error(), "has no flows") {
		t.Errorf("without flows: %v", err)
	}
}

// FuzzTraffic: whatever a traffic file contains, what is read can be run, or the fault is one line with its place.
func FuzzTraffic(f *testing.F) {
	n := dimensionOrder(f, 2, 1, 1, false, spec.Wormhole, func(src, dst spec.NodeID, _ spec.Class) bool { return src != 3 || dst == 1 })
	sizes := []Length{{1, 1}, {5, 1}}
	for _, text := range []string{
		"source,destination,weight\n\"(0,0)\",\"(1,0)\",3\n# of nodes\n\"0,0\",\"0,1\",0.5\n",
		"clock,source,destination,flits\n1,\"(0,0)\",\"(1,0)\",2\n5,\"0,0\",\"0,1\",4096\n",
		"3 0 1 0\r\n 0\t2 3 1\n4 0 0 -1\n\n2 1\n0 1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		csv, err := ReadTraffic("t", text, n)
		traceable(t, n, csv, err)
		book, err := ReadBookSim("t", text, n, sizes)
		traceable(t, n, book, err)
	})
}

// traceable runs what was read for a few clocks, or checks the fault.
func traceable(t *testing.T, n *spec.Network, traffic Traffic, err error) {
	var at *spec.PosError
	if err != nil {
		if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 || strings.ContainsAny(err.Error(), "\n\r\x1b") {
			t.Fatalf("%q", err)
		}
		return
	}
	if _, err := Run(t.Context(), n, Options{Traffic: traffic, Load: 0.5, Lengths: []Length{{4096, 1}}, Clocks: 20}); err != nil {
		t.Fatal(err)
	}
}
