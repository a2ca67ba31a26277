package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSimulate: exit codes and messages.
func TestSimulate(t *testing.T) {
	dir := t.TempDir()
	traffic := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	matrix := traffic("m.csv", "source,destination,weight\n\"0,0\",\"3,3\",1\n")
	trace := traffic("t.csv", "clock,source,destination,flits\n5,\"0,0\",\"1,0\",4\n")
	booksim := traffic("b.trace", "5 0 1 1\n")
	bad := traffic("bad.csv", "source,destination,weight\n\"0,0\",\"3,9\",1\n")
	empty := traffic("empty.star", "network(name=\"empty\")\na, b = node(), node()\nboth(a, b)\nflows([])\ndef route(at, to):\n    return []\n")
	line := traffic("line.star", "network(name=\"line\", buffer=8)\na, b = node(), node()\nboth(a, b)\ndef route(at, to):\n    return [hop(at.node.out[0])]\n")
	short := func(args []string) []string { // a trace has a load of its own
		if line := strings.Join(args, " "); strings.Contains(line, "--traffic "+trace) ||
			strings.Contains(line, booksim) || strings.Contains(line, "-links") || strings.Contains(line, "-dma") {
			return []string{"--clocks", "2000"}
		}
		return []string{"--clocks", "2000", "--load", "0.1"}
	}
	for _, tt := range []struct {
		args []string
		code int
		want string // in the output, or the error
	}{
		{[]string{"mesh"}, exitExpected, "\n  wormhole, 1 flit a VC; packets of 8 flits\n"},
		// A trace has one load, its own: 4 flits in 21 clocks, as buffers of one flit take one every 3.
		{[]string{"mesh", "--traffic", trace}, exitExpected, "fairness\n  0.1905            0.1905              15.0 "},
		{[]string{"mesh", "--traffic", trace, "--load", "0.2"}, exitUsage, "--load is not for a trace: it lists what is sent, and when"},
		{[]string{"mesh", "--traffic", trace, "--length", "3"}, exitUsage, "--length is not for a trace"},
		{[]string{"mesh", "--traffic", booksim, "--length", "1,4", "--burst", "3"}, exitUsage, "--burst is not for a trace"},
		{[]string{"peach2", "--paper", "peach2-dma", "--load", "0.5"}, exitUsage, "--load is not for the traces of --paper peach2-dma"},
		{[]string{"mesh", "--traffic", trace, "--clocks", "5"}, exitExpected, "\n  1 packet of the trace would not be sent: later than the last clock\n"},
		{[]string{"mesh", "--traffic", booksim, "--length", "1,4", "--clocks", "8"}, exitExpected, "\n1 packet of the trace did not arrive\n"},
		{[]string{"mesh", "--traffic", trace, "--saturation"}, exitUsage, "--saturation varies the load: want neither --window nor a trace"},
		{[]string{"mesh", "--traffic", booksim, "--length", "1,4", "--buffer", "8"}, exitExpected, "             9.0       9       9 "},
		{[]string{"mesh", "--traffic", booksim}, exitUsage, booksim + `:1:7: invalid number "1": want -1 to 0`},
		{[]string{"mesh", "--window", "1", "--saturation"}, exitUsage, "--saturation varies the load"},
		{[]string{"../../models/examples/request_reply.star", "--window", "2"}, exitExpected, "a node has at most 2 open\n"},
		{[]string{"ring", "--set", "n=4", "--load", "0.01", "--saturation", "--clocks", "3000"}, exitViolated, "\ndeadlocks at a load of 0."},
		// Of a flit's credit: crossbar, link, credit, a clock each; of a packet's: routing, too, and the 7 flits behind its head.
		{[]string{"mesh"}, exitExpected,
			"unknot: warning: buffers of 1 flit are shorter than a credit's round trip: a VC of mesh XY carries at most 0.33 of the bandwidth of its link; --buffer 3 lets it carry all\n"},
		{[]string{"mesh"}, exitExpected, "\n  with these buffers a VC carries at most 0.33 of the bandwidth of its link\n"},
		{[]string{"mesh", "--switching", "vct"}, exitExpected,
			"warning: buffers of 1 packet are shorter than a credit's round trip: a VC of mesh XY carries at most 0.73 of the bandwidth of its link; --buffer 2 lets"},
		{[]string{"mesh", "--load", "0.2,0.2"}, exitUsage, "ascending"},
		{[]string{"mesh", "--load", "1e-10..2e-10", "--points", "2"}, exitExpected, "\n   2e-10   nothing arrived\n"},
		{[]string{"mesh", "--length", "1:1e308,2:1e308"}, exitUsage, `invalid --length "1:1e308,2:1e308": want`},
		{[]string{"mesh", "--length", "1:5e-324,2:5e-324"}, exitExpected, "2 (weight 5e-324) flits\n"},
		{[]string{"mesh", "--hot", "0,0"}, exitUsage, `invalid --hot "0,0": want --traffic hot-spot with it`},
		{[]string{"mesh", "--replies", "x"}, exitUsage, `invalid --replies "x": want --window with it`},
		{[]string{"mesh", "--traffic", matrix}, exitExpected, "\n     0.1 "},
		// (1+1) hops of 3 clocks and 4 flits, in buffers deep enough: 9 clocks.
		{[]string{"mesh", "--traffic", trace, "--buffer", "8"}, exitExpected, "             9.0       9       9 "},
		{[]string{"mesh", "--compare", "any,torus", "--switching", "vct"}, exitExpected, "\ntorus\n"},
		{[]string{"mesh", "--saturation", "--points", "2"}, exitExpected, "\nsaturates between loads of 0."},
		{[]string{"ring", "--set", "n=4", "--load", "1"}, exitViolated, "\ndeadlock in clock "},
		{[]string{"star-channel", "--paper", "fig3", "--set", "k=4", "--length", "16"}, exitExpected,
			"\nthe paper states, and what comes out here:\n  2.2: LD performs best of the existing functions: "},
		{[]string{"star-channel", "--paper", "fig8,fig12", "--set", "k=4", "--length", "4", "--compare", "ccb,s-ccb"},
			exitExpected,
			"\nseveral figures\n  5: CCB leads S-CCB especially under biased traffic: fig12 against fig8: "},
		{[]string{"star-channel", "--paper", "fig8,fig7"}, exitUsage, `invalid --paper "fig7": want figures that compare functions on star-channel, or all`},
		{[]string{"mesh", "--paper", "all"}, exitUsage, `invalid --paper "all": want figures that compare functions on mesh`},
		{[]string{"star-channel", "--paper", "all", "--csv", "x.csv"}, exitUsage, "--csv is not for --paper all: each figure has its own"},
		{[]string{"mesh", "--stop"}, exitUsage, "--stop ends a run when a queue overflows: want --queue with it"},
		// At a load of 1 a queue of one packet overflows at once, and nothing is measured behind that.
		{[]string{"mesh", "--stop", "--queue", "1", "--load", "0.9,1"}, exitExpected, "a queue overflowed by clock 64\n"},
		{[]string{"mesh", "--paper", "fig3"}, exitUsage, "--paper fig3 is about star-channel, not mesh"},
		{[]string{"rwc1", "--paper", "rwc-1", "--set", "n=2", "--clocks", "500"}, exitExpected,
			"\n  virtual-cut-through, 5 packets a VC; packets of 3 (weight 1), 4"},
		{[]string{"p3", "--paper", "multi-psi"}, exitExpected, "\n  wormhole, 48 flits a VC, shared by packets; packets of 32 flits\n"},
		// A write of 4 bytes from host to host takes 782 ns, 391 clocks; of 4 GB/s 256/280 are payload, if a source never pauses.
		{[]string{"peach2", "--paper", "peach2", "--length", "4", "--load", "0.0005", "--clocks", "20000"}, exitExpected, " 391.0 +-0.0 "},
		{[]string{"peach2", "--paper", "peach2", "--load", "1", "--clocks", "20000"}, exitExpected, "\n       1   0.9"},
		{[]string{"peach2", "--paper", "peach2-dma", "--clocks", "200000"}, exitExpected, "\n  3.1.1: four reach 75 to 80 % of the most: fitted\n"},
		{[]string{"peach2", "--paper", "peach2-dma"}, exitExpected, "\n  nothing to compare: trace 4x4K had not arrived by the last clock\n"},
		{[]string{"peach2", "--paper", "peach2-dma", "--traffic", "tornado"}, exitUsage,
			"--traffic is not for the traces of --paper peach2-dma: it lists what is sent, and when"},
		{[]string{"peach2", "--paper", "peach2-dma", "--warmup", "500"}, exitUsage, "--warmup is not for the traces of --paper peach2-dma: "},
		// Both are across when the last flit of the second is: sharing delays the first alone.
		{[]string{"star-channel", "--paper", "star-channel-links"}, exitExpected,
			"is slower: confirmed\n  3.1.2: a link that is shared carries less: refuted\n"},
		{[]string{"p3", "--paper", "multi-psi-links", "--clocks", "9000"}, exitExpected, "same channel: confirmed\n"},
		{[]string{"rwc1", "--paper", "rwc-1-links", "--set", "n=2", "--clocks", "15000"}, exitExpected, "\n  3.2: a word a clock: confirmed\n"},
		{[]string{"peach2", "--paper", "rwc-1"}, exitUsage, "--paper rwc-1 is about rwc1, not peach2"},
		{[]string{"star-channel", "--paper", "fig7"}, exitUsage, `invalid --paper "fig7": want fig3, fig4, fig8, `},
		{[]string{"mesh", "--traffic", bad}, exitUsage, bad + `:2:7: invalid node "3,9": mesh XY has no such node`},
		{[]string{"mesh", "--traffic", "nowhere.csv"}, exitUsage, "nowhere.csv: "},
		{[]string{"mesh", "--traffic", "hot-spot"}, exitUsage, "traffic hot-spot needs a hot node: want --hot NODE"},
		{[]string{"mesh", "--traffic", "hot-spot", "--hot", "9,9"}, exitUsage, `invalid --hot "9,9": want a node of mesh XY, (0,0) to (3,3)`},
		{[]string{"mesh", "--set", "k=3", "--traffic", "shuffle"}, exitUsage, "shuffle needs a power of two of terminals, and mesh XY has 9"},
		{[]string{"mesh", "--load", "0"}, exitUsage, `invalid --load "0": want more than 0 and at most 1, ascending`},
		{[]string{"mesh", "--load", "0.5..1.5"}, exitUsage, `invalid --load "0.5..1.5": want`},
		{[]string{"mesh", "--load", "NaN"}, exitUsage, `invalid --load "NaN": want`},
		{[]string{"mesh", "--length", "0"}, exitUsage, `invalid --length "0": want 1 to 4096 flits`},
		{[]string{"mesh", "--warmup", "-1"}, exitUsage, `invalid --warmup "-1": want 0 to 1999`},
		{[]string{"mesh", "--warmup", "2000"}, exitUsage, `invalid --warmup "2000": want 0 to 1999`},
		{[]string{"mesh", "--window", "2", "--replies", "x"}, exitUsage, `invalid --replies "x": want a class of mesh XY`},
		{[]string{"mesh", "--compare", "ccb,nothing"}, exitUsage, `invalid --compare "nothing": want selection functions (any, `},
		{[]string{"mesh", "--delays", "route=1"}, exitUsage, `invalid --delays "route=1": want at least a clock`},
		{[]string{"mesh", "--csv", filepath.Join(dir, "x.csv"), "--plot", filepath.Join(dir, "nowhere", "x.svg")},
			exitUsage, "want a file in a folder that exists"},
		{[]string{"mesh", "--csv", filepath.Join(dir, "x"), "--plot", dir + "/./x"}, exitUsage, "want another name than that of --csv"},
		{[]string{"mesh", "--traffic", matrix}, exitExpected,
			"\n  traffic by a matrix: the node that sends most generates the load, the others in proportion\n"},
		{[]string{"mesh", "--traffic", "hot-spot", "--hot", "1,1", "--share", "0.3"}, exitExpected,
			"\n  traffic hot-spot: uniform, except for a share of 0.3 that goes to (1,1)\n"},
		{[]string{"mesh"}, exitExpected, "\n  traffic uniform: any other, each equally likely\n"},
		{[]string{"mesh", "--selection", "ccb"}, exitExpected, "\n  selection function ccb: "},
		{[]string{"mesh", "--share", "0.3"}, exitUsage, `invalid --share "0.3": want --traffic hot-spot with it`},
		// Without dimensions the lowest is any link: a curve would compare names alone.
		{[]string{line, "--compare", "any,ccb"}, exitUsage,
			"selection function ccb chooses by dimension, and no link of line has one: want dim= of links, or another function"},
		{[]string{line, "--selection", "lru"}, exitExpected, "fairness"},
		{[]string{"graph", "--selection", "zigzag"}, exitUsage, "selection function zigzag chooses by "},
		// Each network runs under its own conditions: line stores packets, a mesh is wormhole.
		{[]string{"mesh", "--compare", "mesh," + line}, exitExpected, ".star\n  store-and-forward, 8 packets a VC; packets of 8 flits\n    load"},
		{[]string{"torus", "--compare", line}, exitExpected, "unknot: warning: torus is not simulated: --compare names other networks\n"},
		{[]string{empty}, exitUsage, "empty has no flows: nothing is sent"},
		{[]string{"peterson"}, exitUsage, "peterson is a protocol, not a network"},
	} {
		args := append(append([]string{"simulate", tt.args[0]}, short(tt.args)...), tt.args[1:]...)
		code, out, errs := unknot(t, args...)
		if slices.Contains(tt.args, "--buffer") && strings.Contains(errs, "round trip") {
			t.Errorf("%s: warns of buffers that are deep enough: %s", strings.Join(tt.args, " "), errs)
		}
		if code != tt.code || !strings.Contains(out+errs, tt.want) || code == exitUsage && (out != "" || strings.Count(errs, "\n") != 1) {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", strings.Join(args, " "), code, tt.code, tt.want, out, errs)
		}
	}
}

// TestSaturationOfALink: messages of 16 flits pass a VC in 17 clocks: one is for routing, once the head is at the front. So 16/17 = 0.9412 is
// between the loads that are printed, and a run that is too short to tell has no upper one.
func TestSaturationOfALink(t *testing.T) {
	file := filepath.Join(t.TempDir(), "link.star")
	if err := os.WriteFile(file,
		[]byte("network(name=\"link\", switching=\"wormhole\", buffer=16, tags=1)\nA = node(name=\"A\")\nB = node(name=\"B\")\nl = link(A, B)\nflows(lambda s, d, c: s.name == \"A\")\ndef route(at, to):\n    return [hop(l)]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, clocks := range []string{"50000", "5000"} {
		code, out, errs := unknot(t, "simulate", file, "--saturation", "--length", "16", "--shared", "--clocks", clocks, "--seed", "4", "--load", "0.5")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		last := lines[len(lines)-1]
		low, high := 0.0, 1.0
		if _, err := fmt.Sscanf(last, "saturates between loads of %f and %f", &low, &high); err != nil {
			if _, err := fmt.Sscanf(last, "saturates above a load of %f, if at all", &low); err != nil {
				t.Errorf("%q", last)
			}
		}
		if want := 16.0 / 17; code != exitExpected || errs != "" || low > want || high < want || low < 0.8 ||
			clocks == "50000" && !strings.Contains(last, "between") {
			t.Errorf("%s clocks: exit %d, %q: want loads around %.4f\n%s", clocks, code, last, want, errs)
		}
	}
}

// TestSimulateWritesNothing: a file that cannot be written is refused before the run, and the others are not written.
func TestSimulateWritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, out, _ := unknot(t, "simulate", "mesh", "--load", "0.1", "--clocks", "100", "--csv", "x.csv", "--report",
		"nowhere/x.html"); code != exitUsage || out != "" {
		t.Errorf("exit %d: %s", code, out)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("%v (%v)", files, err)
	}
}

// TestSimulateFiles: every file says the same, and can be read; a deadlock's folder is
// accepted by verify.
func TestSimulateFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"simulate", "star-channel", "--load", "0.05,0.1", "--clocks", "2000", "--compare", "ccb,ld",
		"--json", "--csv", "s.csv", "--plot", "s.svg", "--report", "s.html"}
	code, out, errs := unknot(t, args...)
	if code != exitExpected {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if _, again, _ := unknot(t, args...); again != out {
		t.Error("the same command printed something else")
	}
	var study struct {
		Format string
		Curves []struct {
			Name   string
			Points []struct {
				Load, Hops float64
				VCs        []struct{ Share float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &study); err != nil || study.Format != "unknot-simulation-1" ||
		len(study.Curves) != 2 || len(study.Curves[1].Points) != 2 || len(study.Curves[1].Points[1].VCs) != 6 {
		t.Errorf("%v: %+v", err, study)
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rows, err := csv.NewReader(strings.NewReader(read("s.csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][1] != "load" || rows[4][0] != "ld" || rows[4][1] != "0.1" {
		t.Errorf("%v: %q", err, rows)
	}
	if err := xml.Unmarshal([]byte(read("s.svg")), new(struct{})); err != nil {
		t.Error(err)
	}
	if page := read("s.html"); !strings.Contains(page, "<svg") || !strings.Contains(page, "<td>"+rows[4][6]+"</td>") {
		t.Errorf("the page lacks the chart or %s:\n%s", rows[4][6], page)
	}
	if code, _, errs := unknot(t, "simulate", "ring", "--set", "n=4", "--load", "1", "--out", "ev"); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if code, out, errs := unknot(t, "verify", "ev"); code != exitExpected || !strings.Contains(out, "VERIFIED") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
}
