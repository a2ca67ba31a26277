package booksim

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/spec"
)

// printed is what BookSim 2 (commit of September 2022) printed for this configuration, without samples between.
const printed = `BEGIN Configuration File: mesh.cfg
topology = mesh;
k = 4;
n = 2;
routing_function = dim_order;
num_vcs = 4;
vc_buf_size = 8;
packet_size = 8;
wait_for_tail_credit = 0;
injection_rate = 0.02;
sim_type = latency;

END Configuration File: mesh.cfg
Class 0:
Packet latency average = 28.7571
	minimum = 14
	maximum = 53
Network latency average = 28.4416
Draining all recorded packets ...
Draining remaining packets ...
Time taken is 7068 cycles
====== Overall Traffic Statistics ======
====== Traffic class 0 ======
Packet latency average = 29.6992 (1 samples)
	minimum = 14 (1 samples)
	maximum = 56 (1 samples)
Network latency average = 29.108 (1 samples)
	minimum = 14 (1 samples)
	maximum = 54 (1 samples)
Flit latency average = 21.1221 (1 samples)
	minimum = 7 (1 samples)
	maximum = 47 (1 samples)
Fragmentation average = 1.9224 (1 samples)
	minimum = 0 (1 samples)
	maximum = 24 (1 samples)
Injected packet rate average = 0.0195312 (1 samples)
	minimum = 0.01375 (1 samples)
	maximum = 0.02125 (1 samples)
Accepted packet rate average = 0.0195625 (1 samples)
	minimum = 0.01625 (1 samples)
	maximum = 0.02275 (1 samples)
Injected flit rate average = 0.156172 (1 samples)
	minimum = 0.11 (1 samples)
	maximum = 0.17075 (1 samples)
Accepted flit rate average = 0.156453 (1 samples)
	minimum = 0.13 (1 samples)
	maximum = 0.182 (1 samples)
Injected packet size average = 7.996 (1 samples)
Accepted packet size average = 7.9976 (1 samples)
Hops average = 3.6112 (1 samples)
Total run time 0.257389
`

const unstable = "OVERRIDE Parameter: injection_rate=0.1\nClass 0:\nPacket latency average = 87.3935\n" +
	"Average latency for class 0 exceeded 500 cycles. Aborting simulation.\n" +
	"Too many sample periods needed to converge\nSimulation unstable, ending ...\nTotal run time 1.23654\n"

// TestReadResults: what a real run printed; wrong texts are refused at their place.
func TestReadResults(t *testing.T) {
	_, results, _ := strings.Cut(printed, "END Configuration File: mesh.cfg\n")
	for _, tt := range []struct {
		name, text, err string
		want            *Results
	}{
		{name: "results", text: printed, want: &Results{File: "o", Injected: 0.156172, Accepted: 0.156453, Latency: 29.6992,
			Network: 29.108, Routers: 3.6112}},
		{name: "carriage returns", text: strings.ReplaceAll(printed, "\n", "\r\n"), want: &Results{File: "o",
			Injected: 0.156172, Accepted: 0.156453, Latency: 29.6992, Network: 29.108, Routers: 3.6112}},
		{name: "unstable", text: unstable, want: &Results{File: "o", Unstable: true}},
		{name: "empty", err: "o:1:1: the results of BookSim are missing"},
		{name: "cut", text: printed[:strings.Index(printed, "====== Overall")], err: "o:21:1: the results of BookSim are missing"},
		{name: "half", text: printed[:strings.Index(printed, "Hops average")], err: `o:22:1: results without "Hops average"`},
		{name: "twice", text: results + results, err: "o:47:1: results of a second run: those of the first end at line 9"},
		{name: "classes", text: strings.Replace(printed, "class 0 =", "class 1 =", 1), err: "o:23:1: results of a second class"},
		{name: "nothing arrived", text: strings.Replace(printed, "= 29.6992 (", "= -nan (", 1),
			err: `o:24:26: Packet latency average "-nan": want a number of 0 or more`},
		{name: "huge", text: strings.Replace(printed, "= 3.6112 (", "= 1e99 (", 1), err: `o:50:16: Hops average "1e99"`},
		{name: "open", text: "BEGIN Configuration File: x\nk = 4;\n", err: "o:1:1: a configuration that does not end"},
		{name: "wrong setting", text: strings.Replace(printed, "\nk = 4;", "\nkk = 4;", 1), err: `o:3:1: "kk" is no setting`},
		{name: "wrong override", text: "OVERRIDE Parameter: kk=3\n", err: `o:1:21: "kk" is no setting`},
	} {
		got, err := ReadResults("o", []byte(tt.text))
		if tt.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Results{})); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// TestBeside: settings in which BookSim's run differs are named, those that only concern its measurement are not.
func TestBeside(t *testing.T) {
	const conf = "topology=mesh;k=4;n=2;routing_function=dim_order;num_vcs=4;vc_buf_size=8;packet_size=8;" +
		"wait_for_tail_credit=0;injection_rate=0.02;sim_type=latency;"
	for _, tt := range []struct {
		name, conf, text string
		want             []string
	}{
		{name: "equal", conf: conf, text: printed},
		{name: "seed", conf: conf + "seed=7;", text: printed},
		{name: "override", conf: conf, text: "OVERRIDE Parameter: k=8;\n" + printed[strings.Index(printed, "Class 0"):],
			want: []string{
				"o: BookSim ran another configuration: injection_rate is not set there, 0.02 here",
				"o: BookSim ran another configuration: k is 8 there, 4 here",
				"o: BookSim ran another configuration: n is not set there, 2 here",
				"o: BookSim ran another configuration: num_vcs is not set there, 4 here",
				"o: BookSim ran another configuration: packet_size is not set there, 8 here",
				"o: BookSim ran another configuration: routing_function is not set there, dim_order here",
				"o: BookSim ran another configuration: sim_type is not set there, latency here",
				"o: BookSim ran another configuration: topology is not set there, mesh here",
				"o: BookSim ran another configuration: vc_buf_size is not set there, 8 here",
				"o: BookSim ran another configuration: wait_for_tail_credit is not set there, 0 here",
				"o: its figures are of another network or load (k): do not compare them",
			}},
		{name: "load", conf: strings.Replace(conf, "0.02", "0.03", 1), text: printed,
			want: []string{"o: BookSim ran another configuration: injection_rate is 0.02 there, 0.03 here",
				"o: its figures are of another network or load (injection_rate): do not compare them"}},
		{name: "braces", conf: strings.Replace(conf, "0.02", "{0.02}", 1), text: printed},
		{name: "alone", conf: conf, text: printed[strings.Index(printed, "Class 0"):],
			want: []string{"o: BookSim's copy of the configuration is missing: it may have run another one"}},
	} {
		c, err := read(tt.conf, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadResults("o", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, c.Beside(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzResults: any text is read or refused at a place within it.
func FuzzResults(f *testing.F) {
	for _, text := range []string{printed, unstable, "BEGIN Configuration File: x\nk=1\nEND Configuration File: x\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadResults("o", []byte(text))
		var pos *spec.PosError
		switch {
		case err == nil && !r.Unstable && !(r.Latency >= 0 && r.Routers >= 0):
			t.Errorf("%+v", r)
		case err != nil && !errors.As(err, &pos):
			t.Errorf("%v has no place", err)
		case err != nil && (pos.Line < 1 || pos.Col < 1 || pos.Line > strings.Count(text, "\n")+1):
			t.Errorf("%v is outside of the text", err)
		}
	})
}
