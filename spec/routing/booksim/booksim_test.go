package booksim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

const anyFile = "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4 node 5 router 3 7\n" +
	"router 2 node 6 node 7 node 8 router 1 router 0 3\nrouter 3 node 9 router 2\n"

func read(text string, set map[string]string) (*Configuration, error) {
	return Read(context.Background(), "c", []byte(text), Options{Set: set, Open: func(name string) ([]byte, error) {
		switch name {
		case "any":
			return []byte(anyFile), nil
		case "heads": // the first line is of a node with the number of a router
			return []byte("node 0 router 1\n node 2 router 0\nrouter 0 router 1 node 1\n"), nil
		}
		return nil, errors.New("no such file")
	}})
}

// answer asks the routing function about a packet at a router: alternatives of PORT.VC or E, with /TAG if it is not 0.
func answer(t *testing.T, c *Configuration, router, dest, in, vc, tag int) string {
	t.Helper()
	g := c.graph
	at := spec.Injection(g.router[router])
	for l := range spec.LinkID(g.topology.Links()) {
		if g.topology.Link(l).To == g.router[router] && int(g.port[l]) == in {
			at = g.topology.Channel(l, vc)
		}
	}
	all, err := routing.Alternatives(c.Definition.Routing, at, spec.Header{Dest: g.node[dest], Tag: spec.Tag(tag)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, hops := range all {
		var each []string
		for _, h := range hops {
			text := "E"
			if h.Channel != spec.Eject {
				text = fmt.Sprintf("%d.%d", slices.Index(g.out[router], g.topology.LinkOf(h.Channel)), g.topology.VC(h.Channel))
			}
			if h.Tag != 0 {
				text += fmt.Sprint("/", h.Tag)
			}
			each = append(each, text)
		}
		slices.Sort(each)
		out = append(out, strings.Join(each, ","))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestFunctions: what BookSim's own functions answered when they were called with the same packets, 300 times where they
// draw (commit of September 2022, its output sets ordered so that none of equal priority is lost). All sites of 31
// networks with each of the functions, 330,000, were compared once, and all links: no difference.
func TestFunctions(t *testing.T) {
	const onChip = ";c=4;xr=2;yr=2;num_vcs=2;n=2;"
	for _, test := range []struct {
		text                      string
		router, dest, in, vc, tag int
		want                      string
	}{
		{"topology=torus;k=5;n=2;routing_function=dim_order;num_vcs=3;", 0, 3, 4, 0, 0, "1.0,1.1"},
		{"topology=torus;k=5;n=2;routing_function=dim_order;num_vcs=3;", 4, 3, 0, 1, 1, "1.1/1,1.2/1"},
		{"topology=torus;k=5;n=2;routing_function=dim_order;num_vcs=3;", 0, 12, 4, 0, 0, "0.0,0.1"},
		{"topology=torus;k=4;n=2;routing_function=dim_order_bal;num_vcs=4;", 0, 2, 4, 0, 0, "0.0,0.1 1.2/1,1.3/1"},
		{"topology=torus;k=4;n=2;routing_function=min_adapt;num_vcs=4;", 0, 6, 4, 0, 0, "0.0,1.3,2.3 1.0,1.3,2.3"},
		{"topology=torus;k=4;n=2;routing_function=min_adapt;num_vcs=4;", 1, 6, 1, 0, 0, "0.0"},
		{"topology=mesh;k=3;n=2;routing_function=dim_order_pni;num_vcs=7;", 0, 8, 4, 0, 0, "0.4,0.5"},
		{"topology=mesh;k=4;n=2;routing_function=xy_yx;num_vcs=3;", 0, 5, 4, 0, 0, "0.0,0.1 2.1,2.2"},
		{"topology=mesh;k=4;n=2;routing_function=xy_yx;num_vcs=3;", 4, 10, 3, 1, 0, "2.1,2.2"},
		{"topology=mesh;k=4;n=2;routing_function=xy_yx;num_vcs=3;", 1, 10, 1, 0, 0, "0.0,0.1"},
		{"topology=mesh;k=3;n=2;routing_function=valiant;num_vcs=3;", 1, 1, 1, 0, 8, "0.0/8,0.1/8,0.2/8"},
		{"topology=mesh;k=3;n=2;routing_function=valiant;num_vcs=3;", 4, 0, 3, 1, 4, "1.1/9,1.2/9"},
		{"topology=mesh;k=4;n=2;routing_function=min_adapt;num_vcs=3;", 0, 10, 4, 0, 0, "0.0,0.1,0.2,2.1,2.2"},
		{"topology=mesh;k=4;n=2;routing_function=min_adapt;num_vcs=3;", 1, 10, 1, 0, 0, "0.0"},
		{"topology=mesh;k=3;n=2;routing_function=planar_adapt;num_vcs=4;", 8, 0, 4, 0, 0, "1.2,1.3,3.1"},
		{"topology=fly;k=3;n=3;routing_function=dest_tag;num_vcs=2;", 1, 7, 0, 0, 0, "0.0,0.1"},
		{"topology=fly;k=3;n=3;routing_function=dest_tag;num_vcs=2;", 26, 25, 2, 1, 0, "1.0,1.1"},
		{"topology=fattree;k=2;n=3;routing_function=nca;num_vcs=1;", 8, 7, 0, 0, 0, "2.0 3.0"},
		{"topology=fattree;k=2;n=3;routing_function=nca;num_vcs=1;", 0, 5, 0, 0, 0, "1.0"},
		{"topology=cmesh;k=8;x=8;y=8;routing_function=xy_yx" + onChip, 0, 4, 0, 0, 0, "7.0 7.1"},
		{"topology=cmesh;k=8;x=8;y=8;routing_function=xy_yx" + onChip, 4, 4, 6, 0, 0, "7.0"}, // back to where it was
		{"topology=flatfly;k=4;x=4;y=4;routing_function=ran_min" + onChip, 0, 63, 0, 0, 0, "6.0,6.1"},
		{"topology=flatfly;k=4;x=4;y=4;routing_function=ran_min" + onChip, 15, 63, 5, 0, 0, "3.0,3.1"},
		{"topology=dragonflynew;k=2;n=1;routing_function=min;num_vcs=2;", 0, 71, 0, 0, 0, "4.0"},
		{"topology=dragonflynew;k=2;n=1;routing_function=min;num_vcs=2;", 3, 71, 3, 0, 0, "6.1"},
		{"topology=anynet;network_file=any;routing_function=min;num_vcs=1;", 0, 9, 0, 0, 0, "4.0"},
	} {
		c, err := read(test.text, nil)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := answer(t, c, test.router, test.dest, test.in, test.vc, test.tag); got != test.want {
			t.Errorf("%s at router %d to node %d: %s, BookSim %s", test.text, test.router, test.dest, got, test.want)
		}
	}
}

// TestCompiled: each function makes a network with a flow for each pair of nodes, and no dead end.
func TestCompiled(t *testing.T) {
	for key := range functions {
		name, topology, _ := cutLast(key, "_")
		set := map[string]string{"topology": topology, "routing_function": name, "num_vcs": "9", "k": "3", "n": "2"}
		switch topology {
		case "cmesh":
			set = map[string]string{"k": "2", "x": "2", "y": "2", "xr": "2", "yr": "2", "c": "4", "num_vcs": "2"}
		case "flatfly":
			set = map[string]string{"k": "3", "x": "3", "y": "3", "num_vcs": "2"}
		case "dragonflynew":
			set = map[string]string{"k": "2", "n": "1", "num_vcs": "2"}
		case "anynet":
			set = map[string]string{"network_file": "any", "num_vcs": "2"}
		}
		set["topology"], set["routing_function"] = topology, name
		c, err := read("n = 2;", set)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		n, err := routing.Compile(context.Background(), c.Definition, routing.CompileOptions{})
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		nodes := len(c.graph.node)
		if want := nodes * (nodes - 1); int(n.FlowCount()) != want {
			t.Errorf("%s: %d flows, want %d", key, n.FlowCount(), want)
		}
		err = routing.Sites(n, func(at spec.Site, hops []spec.Hop) error {
			if len(hops) == 0 {
				return fmt.Errorf("%s: a dead end at %s", key, n.Topology().ChannelName(at.Channel))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// TestRefused: what is wrong is said at its place, and nothing is assumed instead.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"topology = mesh\n;\nk = 4":                                                                                `c:3:6: invalid "" after "4": want ;`,
		"topology = mesh;\n k 4;":                                                                                  `c:2:4: invalid "4" after "k": want =`,
		"topology = mesh;\nnum_vc = 4;":                                                                            `c:2:1: "num_vc" is no setting of BookSim 2; did you mean num_vcs?`,
		"topology = mesh;\nstart_vc = 4;\nnic = 1; num_vc = 2;":                                                    `c:2:1: "start_vc" (line 2), "nic" (line 3), "num_vc" (line 3; did you mean num_vcs?): no settings of BookSim 2; delete those`,
		"topology = qtree; routing_function = nca;":                                                                `c:1:12: topology "qtree" is not read: want mesh, torus`,
		"topology = mesh;\nrouting_function = chaos;":                                                              `c:2:20: routing function "chaos" of topology mesh is not read: want adaptive_xy_yx, `,
		"topology = mesh;":                                                                                         `c:1:1: routing_function is not set: routing function "none"`,
		"k = 0; routing_function = dim_order;":                                                                     `c:1:5: invalid k "0": want 2 to 65536`,
		"k = 60000; n = 9; routing_function = dim_order;":                                                          `c:1:5: topology torus with k = 60000, n = 9 and 16 VCs is too large`,
		"routing_function = dim_order; num_vcs = 1;":                                                               `c:1:41: routing function dim_order of topology torus has 1 VC here: want at least 2`,
		"routing_function = dim_order; router = event;":                                                            `c:1:40: router "event": only input-queued routers`,
		"routing_function = dim_order; use_read_write = 1; num_vcs = 4;":                                           `c:1:48: use_read_write gives each type of packet its VCs, and read_request_end_vc is 5 unless it is set: want -1 to 3`,
		"topology = anynet; routing_function = min;":                                                               `c:1:1: network_file is not set: want the file`,
		"topology = anynet; routing_function = min; network_file = none;":                                          `c:1:59: no such file`,
		"topology = cmesh; routing_function = dor; k = 4; c = 4; x = 4; y = 4; xr = 1;":                            `c:1:54: c = 4, xr = 1, yr = 1: BookSim 2 asserts`,
		"topology = cmesh; routing_function = dor; k = 3; c = 4; x = 3; y = 3; xr = 2; yr = 2;":                    `c:1:47: k = 3: the express channels`,
		"topology = flatfly; routing_function = ran_min; k = 4; c = 4; x = 2; y = 2; xr = 2; yr = 2; n = 2;":       `c:1:67: x times y is 4: want 16`,
		"topology = mesh; routing_function = dor; n = 3; // no =\nvc_buf_size = 0;":                                `c:2:15: invalid vc_buf_size "0"`,
		"topology = mesh; routing_function = valiant; k = 100;":                                                    `c:1:50: routing function valiant has 10000 intermediate routers`,
		"topology = mesh; routing_function = valiant; k = 64; n = 2;":                                              `c:1:50: routing function valiant has 4096 intermediate routers: want at most 4095`,
		"topology = mesh; routing_function = dim_order_ni; num_vcs = 63; // one for each destination, of which 64": `c:1:61: routing function dim_order_ni of topology mesh has 63 VCs here: want at least 64, one for each destination`,

		// AddRange(out_port, 0, vcBegin, vcBegin): port, VCs, priority
		"topology = mesh; routing_function = min_adapt; use_read_write = 1;": `c:1:37: min_adapt of topology mesh with a write-request that begins with VC 2 is not read`,
		"topology = mesh; routing_function = dor; wait_for_tail_credit = 2;": `c:1:65: invalid wait_for_tail_credit "2"`,

		// the list is resized to classes, and a class with 0 has packets of any type, on all VCs
		"routing_function = dim_order; use_read_write = {1,0}; classes = 2;": `c:1:48: use_read_write "{1,0}": classes with reads`,
		"routing_function = dim_order; use_read_write = {1}; classes = 2;":   `c:1:48: use_read_write "{1}" with classes = 2: want one`,
		"routing_function = dim_order; use_read_write = {1,1};":              `c:1:48: use_read_write "{1,1}" with classes = 1: want one`,
		"routing_function = dim_order; use_read_write = yes;":                `c:1:48: invalid use_read_write "yes": want 0 or 1`,
		"routing_function = dim_order; use_read_write = {};":                 `c:1:48: invalid use_read_write "{}": want 0 or 1`,

		// a list and a number are kept apart, and GetIntArray comes first
		"routing_function = dim_order; use_read_write = {1};\nuse_read_write = 0;": `c:2:18: use_read_write both with braces`,
		"routing_function = dim_order; packet_size = 1; packet_size = {2};":        `c:1:62: packet_size both with braces`,
		"routing_function = dim_order; num_vcs = +2;":                              `c:1:41: invalid num_vcs "+2"`,

		"topology = anynet; routing_function = min; network_file = heads;": `heads:2:2: a line that begins with node 2, to which`,
	} {
		_, err := read(text, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
	list := "routing_function = dim_order; use_read_write = {0};"
	if _, err := read(list, map[string]string{"use_read_write": "1"}); err == nil ||
		!strings.HasPrefix(err.Error(), "--set use_read_write=1: here and in c, both with braces") {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"vc_bufsize": "--set vc_bufsize: no setting of BookSim 2; did you mean vc_buf_size?",
		"k":          `--set k=x: invalid k "x": want 2 to 65536`,
	} {
		if _, err := read("routing_function = dim_order;", map[string]string{name: "x"}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPrinted: what BookSim printed begins with the configuration that it ran, whose faults keep their lines. What its command
// line replaced counts; what follows is results.
func TestPrinted(t *testing.T) {
	run, err := read(strings.Replace(printed, "Class 0:", "OVERRIDE Parameter: k=5\nClass 0:\nOVERRIDE Parameter: k=6", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := run.Definition.Name, "dim_order, mesh k=5 n=2"; got != want || !Is([]byte(printed)) {
		t.Errorf("%s, %t: want %s", got, Is([]byte(printed)), want)
	}
	if n := run.Definition.Topology.Nodes(); n != 25 {
		t.Errorf("%d nodes, want 25", n)
	}
	if _, err := read(printed+strings.Repeat("more\n", 1<<18), nil); err != nil {
		t.Errorf("long results: %v", err)
	}
	// of a file that ends without a line break, as in published logs
	unbroken := strings.Replace(printed, "latency;\n\nEND", "latency;;END", 1)
	if _, err := read(unbroken, nil); err != nil || unbroken == printed {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		strings.Replace(printed, "\nk = 4", "\nk = 0", 1):  `c:3:5: invalid k "0"`,
		strings.Replace(printed, "\nk = 4", "\nkk = 0", 1): `c:3:1: "kk" is no setting`,
		printed[:100]: "c:1:1: a configuration that does not end",
		"BEGIN Configuration File: x\n" + strings.Repeat("//\n", 1<<19): "c:349518:1: too long",
	} {
		if _, err := read(text, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestScenario: a packet stands behind the tail of another unless a head waits for the tail to have left, or a VC has room for
// one flit, which the tail has to leave.
func TestScenario(t *testing.T) {
	shared := func(length int) spec.Scenario { return spec.Scenario{Shared: true, Length: length} }
	for text, want := range map[string]spec.Scenario{
		"packet_size = 3;":                         shared(3),
		"wait_for_tail_credit = 0;":                shared(1),
		"packet_size = {{2,6}};":                   shared(spec.AnyLength),
		"packet_size = {3,6};":                     shared(3),
		"use_read_write = 1;":                      shared(spec.AnyLength),
		"wait_for_tail_credit = 1;":                {},
		"vc_buf_size = 1;":                         {},
		"wait_for_tail_credit = 1; packet_size=2;": {},
	} {
		c, err := read("topology = mesh; routing_function = dor; "+text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := c.Scenario(); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestRun: BookSim counts packets unless injection_rate_uses_flits, and lengths by their rates.
func TestRun(t *testing.T) {
	const begin = "topology = mesh; routing_function = dor; "
	for text, want := range map[string]any{
		"": &Run{Traffic: "uniform", Lengths: []Length{{1, 1}}, Load: 0.1, Shared: true,
			Route: 1, Allocate: 1, Switch: 1, Cross: 1, Link: 1, Credit: 1},
		"packet_size = {{2,6}}; packet_size_rate = {{3,1}}; injection_rate = 0.25; wait_for_tail_credit = 1; routing_delay = 0;": &Run{
			Traffic: "uniform", Lengths: []Length{{2, 3}, {6, 1}}, Load: 0.75, Allocate: 1, Switch: 1, Cross: 1, Link: 1, Credit: 1,
			Rate: "c:1:110: injection_rate 0.25 counts packets, of 3 flits: the load is 0.75", // 3 of 2 flits, then 1 of 6
		},
		"packet_size = 5; injection_rate = 0.2; injection_rate_uses_flits = 1; traffic = hotspot({0,9}); credit_delay = 2;": &Run{
			Traffic: "hot-spot", Hot: []string{"(0,0)", "(1,1)"}, Lengths: []Length{{5, 1}}, Load: 0.2, Shared: true,
			Route: 1, Allocate: 1, Switch: 1, Cross: 1, Link: 1, Credit: 3,
		},
		"traffic = taper64;":                      `c:1:52: traffic "taper64" is not simulated`,
		"traffic = hotspot({64});":                `c:1:52: hot node "64": want 0 to 63`,
		"packet_size = 20; injection_rate = 0.1;": `c:1:77: injection_rate "0.1" with packets of 20 flits`,
		"use_read_write = 1;":                     `c:1:59: reads and writes`,
		"injection_rate = +0.1;":                  `c:1:59: injection_rate "+0.1" with packets of 1 flits`,
		"packet_size = +1;":                       `c:1:56: packet_size "+1": want 1 to 4096`,
		"classes = 2;":                            `c:1:52: classes "2" is not simulated: want 1`,
	} {
		c, err := read(begin+text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := c.Run()
		if message, refused := want.(string); refused {
			if err == nil || !strings.HasPrefix(err.Error(), message) {
				t.Errorf("%s: %v, want %s", text, err, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestWarnings: what BookSim has and the simulation has not is named at its place, and no more.
func TestWarnings(t *testing.T) {
	const mesh, onChip = "topology=mesh;routing_function=dor;", "k=4;n=2;c=4;x=4;y=4;xr=2;yr=2;num_vcs=2;"
	for text, want := range map[string]string{
		mesh: "",
		mesh + "use_read_write={0,0};injection_rate=1;sim_type=throughput;vc_allocator=islip;": "",
		mesh + "vc_busy_when_full=1;":               `c:1:54: vc_busy_when_full "1" is not simulated: want 0`,
		mesh + "vc_prioritize_empty=1;":             `c:1:56: vc_prioritize_empty "1" is not simulated: want 0`,
		mesh + "vc_shuffle_requests=1;":             `c:1:56: vc_shuffle_requests "1" is not simulated: want 0`,
		mesh + "priority=age;":                      `c:1:45: priority "age" is not simulated: want none`,
		mesh + "sim_type=batch;":                    `c:1:45: sim_type "batch" is not simulated: want latency`,
		mesh + "vc_allocator=max_size;":             `c:1:49: vc_allocator "max_size" is not simulated: want islip`,
		mesh + "use_noc_latency=1;":                 "",
		mesh + "traffic={tornado};traffic=uniform;": "", // a list and a word are one setting
		"\ufeff" + mesh:                             "c:1:1: begins with a byte order mark, at which BookSim stops",
		"topology=anynet;network_file=any;":         "c:1:30: links have latencies other than 1, which are not simulated",
		"topology=cmesh;routing_function=dor;" + onChip: "c:1:1: use_noc_latency is not set: links of cmesh have latencies " +
			"by their lengths",
		"topology=cmesh;routing_function=dor;use_noc_latency=0;" + onChip:       "",
		"topology=flatfly;routing_function=ran_min;use_noc_latency=1;" + onChip: "c:1:59: links of flatfly have latencies by",
		"topology=dragonflynew;k=2;n=1;":                                        "c:1:10: links of dragonflynew have latencies of 10 and 100 clocks",
	} {
		if !strings.Contains(text, "routing_function") {
			text += "routing_function=min;"
		}
		if !Is([]byte(text)) {
			t.Errorf("%s: is no configuration", text)
		}
		c, err := read(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r, err := c.Run()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		all := slices.Concat(c.Warnings, r.Warnings)
		if got := strings.Join(all, "\n"); !strings.HasPrefix(got, want) || (got == "") != (want == "") || len(all) > 1 {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// FuzzRead: any text is read or refused at a place within it, in bounded time and memory.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"// x\ntopology = torus;\nk = 3;\nn = 2;\nrouting_function = dim_order;\nnum_vcs = 2;\ntraffic = hotspot({0,1});",
		"topology=anynet;network_file=any;routing_function=min;", "use_read_write={1};k=2;n=1;routing_function=dim_order;",
		"topology=fattree;k=2;n=3;routing_function=nca;packet_size={{1,2},{3}};", "topology=;", "a=b=c;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Is([]byte(text))
		c, err := read(text, map[string]string{"num_vcs": "2"})
		var pos *spec.PosError
		if errors.As(err, &pos) {
			if pos.Line < 1 || pos.Col < 1 || pos.Line > strings.Count(text, "\n")+strings.Count(anyFile, "\n")+1 {
				t.Errorf("%v is outside of the text", err)
			}
			return
		}
		if err == nil {
			_, _ = c.Run()
		}
	})
}
