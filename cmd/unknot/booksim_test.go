package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/simulate"
)

// TestConfigurations: a configuration of BookSim is a network with its settings as parameters, for every command that takes
// one; simulate runs it as it says, except for what flags say.
func TestConfigurations(t *testing.T) {
	inFolder(t, map[string]string{
		"torus.cfg": "topology = torus;\nk = 4;\nn = 1;\nrouting_function = dim_order;\nnum_vcs = 2;\npacket_size = 4;\n" +
			"injection_rate = 0.05;\nwait_for_tail_credit = 1;\nrouting_delay = 0;\n",
		"any.cfg":   "topology = anynet;\nrouting_function = min;\nnetwork_file = any.txt;\nnum_vcs = 1;\n",
		"line.cfg":  "topology = mesh;\nk = 3;\nn = 1;\nrouting_function = dor;\nnum_vcs = 1;\n",
		"any.txt":   "Router 0 Node 0 Router 1\nrouter 1 node 1 ROUTER 2\nrouter 2 node 2\n",
		"apart.cfg": "topology = anynet;\nrouting_function = min;\nnetwork_file = apart.txt;\n",
		"apart.txt": "router 0 node 0 router 1\nrouter 1 node 1\nrouter 2 node 2\n",
		"ugal.cfg":  "topology = flatfly;\nrouting_function = ugal;\n",
		"torus.out": "Class 0:\nPacket latency average = 9\n====== Overall Traffic Statistics ======\n" +
			"====== Traffic class 0 ======\nPacket latency average = 20 (1 samples)\n" +
			"Network latency average = 19.5 (1 samples)\nInjected flit rate average = 0.2 (1 samples)\n" +
			"Accepted flit rate average = 0.2 (1 samples)\nHops average = 2 (1 samples)\n",
		"whole.out":    "BEGIN Configuration File: torus.cfg\ntopology = torus;\nk = 4;\nn = 1;\nrouting_function = dim_order;\nnum_vcs = 2;\nEND Configuration File: torus.cfg\nOVERRIDE Parameter: k=6\nClass 0:\n",
		"fork.cfg":     "topology = torus;\nstart_vc = 1;\nrouting_function = dim_order;\nnic = 2;\n",
		"unstable.out": "OVERRIDE Parameter: k=8\nSimulation unstable, ending ...\n",
		"cut.out":      "Class 0:\nPacket latency average = 9\n",
		"out.cfg":      "topology = anynet;\nrouting_function = min;\nnetwork_file = ../secret;\n",
	})
	for _, tt := range []struct {
		command string
		code    int
		want    string
	}{
		{"check torus.cfg", exitExpected, "dim_order, torus k=4 n=1: deadlock freedom HOLDS, livelock freedom HOLDS, delivery HOLDS\n"},
		{"check whole.out", exitExpected, "dim_order, torus k=6 n=1: deadlock freedom HOLDS"},
		{"check fork.cfg", exitUsage, `fork.cfg:2:1: "start_vc" (line 2), "nic" (line 4): no settings of BookSim 2; delete those of a fork`},
		{"check any.cfg", exitExpected, "min, anynet any.txt: deadlock freedom HOLDS"},
		{"check torus.cfg --set routing_function=dim_order_ni", exitUsage, "has 2 VCs here: want at least 4"},
		{"check torus.cfg --set kk=3", exitUsage, "--set kk: no setting of BookSim 2"},
		{"check torus.cfg --route shortest", exitUsage, "torus.cfg, which has its own routing"},
		{"check ugal.cfg", exitUsage, "ugal.cfg:2:20: routing function \"ugal\" of topology flatfly is not read: want"},
		{"check ugal.cfg", exitUsage, "; another one can be written in Starlark (unknot help network-files)\n"},
		{"check torus.cfg --set subnets=2", exitUsage, "want 1, as by --set subnets=1\n"},
		{"check torus.cfg --set link_failures=1", exitUsage, "want 0; unknot sweep fails each of them, by --links\n"},
		{"sweep torus.cfg --links 1", exitViolated, `"cases":5,`}, // a ring of four, and each of its links
		{"check apart.cfg", exitUsage, "apart.cfg:3:16: router 0 does not reach router 2"},
		{"check out.cfg", exitUsage, "out.cfg:3:16: "},
		{"diff torus.cfg torus.cfg --to num_vcs=4", exitViolated, ""},
		{"sweep torus.cfg --range k=3..5", exitExpected, `"k":"5"`},
		{"simulate torus.cfg --clocks 2000", exitExpected, "a hop takes 5 clocks: routing 0, VC allocation 1, switch allocation 1, crossbar 1, link 2; a credit 2"},
		{"simulate torus.cfg --clocks 2000", exitExpected, "packets of 4 flits"},
		{"simulate torus.cfg --clocks 2000", exitExpected, "counts packets, of 4 flits: the load is 0.2\n"},
		{"simulate torus.cfg --clocks 2000 --length 2 --load 0.1", exitExpected, "packets of 2 flits"},
		{"simulate torus.cfg --clocks 2000 --beside torus.out", exitExpected, "beside torus.out: BookSim ended with results; here: not saturated\n"},
		// of four routers in a ring: at distances 1, 2 and 1, so 4/3 links and 7/3 routers on average
		{"simulate torus.cfg --clocks 200000 --beside torus.out", exitExpected, "\nrouters passed                                2      2.33"},
		{"simulate torus.cfg --clocks 2000 --beside torus.out", exitExpected, "BookSim's copy of the configuration is missing"},
		{"simulate torus.cfg --clocks 2000 --beside torus.out --json", exitExpected, `"booksim": 19.5,`},
		{"simulate torus.cfg --clocks 2000 --beside unstable.out", exitExpected, "BookSim ended as unstable, without results; here: not saturated\n"},
		{"simulate torus.cfg --clocks 2000 --beside unstable.out", exitExpected, "k is 8 there, 4 here"},
		{"simulate torus.cfg --clocks 2000 --beside torus.out --buffer 2", exitExpected, "--buffer replaces what BookSim ran with"},
		{"simulate torus.cfg --clocks 2000 --beside torus.out --load 0.1,0.2", exitUsage, "want one load, and no --compare"},
		{"simulate torus.cfg --beside cut.out", exitUsage, "cut.out:2:1: the results of BookSim are missing"},
		{"simulate torus.cfg --beside none.out", exitUsage, "none.out"},
		{"simulate any.cfg --clocks 2000", exitExpected, "a packet takes 10 clocks more than in BookSim\n"},
		{"simulate ring --beside torus.out", exitUsage, "want a configuration of BookSim as the network, not ring"},
		{"simulate torus.cfg --set traffic=taper64", exitUsage, `--set traffic=taper64: traffic "taper64" is not simulated`},
	} {
		code, out, errs := unknot(t, strings.Fields(tt.command)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%.900s%s", tt.command, code, tt.code, tt.want, out, errs)
		}
	}
	// A line of three routers is the same network as a mesh and as an anynet, so packets take as long.
	var took []float64
	for _, file := range []string{"line.cfg", "any.cfg"} {
		_, out, errs := unknot(t, "simulate", file, "--clocks", "100000", "--load", "0.05", "--beside", "torus.out", "--json")
		var study struct{ Beside simulate.Beside }
		if err := json.Unmarshal([]byte(out), &study); err != nil || len(study.Beside.Figures) < 3 {
			t.Fatalf("simulate %s: %v\n%s%s", file, err, out, errs)
		}
		took = append(took, study.Beside.Figures[2].Here)
	}
	if math.Abs(took[0]-took[1]) > 0.2 {
		t.Errorf("packets take %v clocks on a mesh, %v on the same anynet", took[0], took[1])
	}
	if _, out, _ := unknot(t, "simulate", "torus.cfg", "--clocks", "2000"); !strings.Contains(out, "\n     0.2 ") {
		t.Errorf("0.05 packets of 4 flits are a load of 0.2:\n%s", out)
	}
}

// TestBehind: BookSim with dim_order_bal on a ring of eight, three VCs and packets of three flits reports a possible
// deadlock, as a head stands behind the tail of another packet: that is what is asked, and it does not hold. A rank of the
// channels (dim_order) holds for both.
func TestBehind(t *testing.T) {
	const ring = "topology = torus;\nk = 8;\nn = 1;\nnum_vcs = 3;\npacket_size = 3;\nrouting_function = "
	inFolder(t, map[string]string{"balanced.cfg": ring + "dim_order_bal;\n", "ranked.cfg": ring + "dim_order;\nnum_vcs = 2;\n"})
	const warning = "unknot: warning: balanced.cfg:1:1: wait_for_tail_credit is not set: BookSim lets a packet into a VC behind " +
		"the tail of another (--shared); --set wait_for_tail_credit=1 asks for one packet in each VC"
	const holds, open = "deadlock freedom HOLDS", "deadlock freedom UNKNOWN"
	for command, want := range map[string][2]string{
		"check balanced.cfg --explore=never":                                {open, warning + "\n"},
		"check balanced.cfg balanced.cfg --explore=never":                   {"", warning + "\n"},
		"diff ranked.cfg balanced.cfg --explore=never":                      {"", warning + "\n"},
		"sweep balanced.cfg --range num_vcs=3":                              {"", warning + ", for which a sweep answers\n1 of 1 case holds\n"},
		"check balanced.cfg --set wait_for_tail_credit=1":                   {holds, ""},
		"check balanced.cfg --set vc_buf_size=1":                            {holds, ""},
		"check balanced.cfg --switching vct":                                {holds, ""},
		"check balanced.cfg --property livelock-freedom":                    {"livelock freedom HOLDS", ""},
		"check ranked.cfg":                                                  {holds, ""},
		"check ranked.cfg --set wait_for_tail_credit=1":                     {holds, ""},
		"sweep balanced.cfg --range num_vcs=3 --set wait_for_tail_credit=1": {"", "1 of 1 case holds\n"},
		"check balanced.cfg --length 3 --shared --explore=never":            {open, ""},
	} {
		_, out, errs := unknot(t, strings.Fields(command)...)
		if !strings.HasSuffix(errs, want[1]) || !strings.Contains(want[1], "warning") && strings.Contains(errs, "warning") || !strings.Contains(out, want[0]) {
			t.Errorf("%s warns %q, want %q and %q\n%.300s", command, errs, want[1], want[0], out)
		}
	}
}
