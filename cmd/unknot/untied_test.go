package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// meshHead is a mesh of 3 x 3 with every shortest path on one VC, but for a node and a cable (upward from CUT).
const meshHead = `at = {(x, y): node(at = (x, y)) for x in range(3) for y in range(3) if (x, y) != HOLE}
for (x, y), n in at.items():
    if (x + 1, y) in at:
        both(n, at[(x + 1, y)], out = "+x", back = "-x", dim = 1)
    if (x, y + 1) in at and (x, y) != CUT:
        both(n, at[(x, y + 1)], out = "+y", back = "-y", dim = 2)
def ways(at, to):
    far = {to: 0}
    edge = [to]
    for i in range(9):
        edge = [l.dst for n in edge for l in n.out if l.dst not in far]
        for n in edge:
            far[n] = i + 1
    return [hop(l) for l in at.node.out if far[l.dst] < far[at.node]]
`

// recorded notes what is written, call by call, of several writers.
type recorded struct {
	to   string
	text *[]string
}

func (w recorded) Write(b []byte) (int, error) {
	*w.text = append(*w.text, w.to+string(b))
	return len(b), nil
}

// TestUntieTellsAtOnce: each proposal is printed when its search has ended. One whose turn has not come has a line on the
// terminal. The output as a whole does not depend on it, and the folder is the same.
func TestUntieTellsAtOnce(t *testing.T) {
	args := []string{"untie", "ring", "--set", "n=5", "--scheme", "turns", "--scheme", "dateline", "--scheme", "hop-index",
		"--scheme", "escape", "--out", t.TempDir()}
	_, whole, _ := unknot(t, args...)
	var text []string
	code := run(t.Context(), args, streams{
		in: strings.NewReader(""), out: recorded{"out: ", &text}, err: recorded{"err: ", &text}, terminal: true,
	})
	var told []string
	var printed strings.Builder
	for _, s := range text {
		if of, is := strings.CutPrefix(s, "err: found: "); is {
			told = append(told, "found "+of[:strings.Index(of, ":")])
		} else if of, is := strings.CutPrefix(s, "out: "); is {
			printed.WriteString(of)
			told = append(told, strings.TrimSpace(of[:strings.Index(of, ":")]))
		}
	}
	want := []string{"one-way ring", "found hop-index", "found escape", "turns", "dateline", "hop-index", "escape"}
	if code != exitExpected || !slices.Equal(told, want) {
		t.Errorf("exit %d, told %q, want %q", code, told, want)
	}
	if printed.String() != whole {
		t.Errorf("printed in parts\n%s\nwhole\n%s", printed.String(), whole)
	}
}

// TestUntieOtherNetworks: of networks with replies, classes, holes, and those that other programs wrote,
// each proposal's file is accepted by check and by verify, every flow is still there, and no channel is new that
// the patch does not name.
func TestUntieOtherNetworks(t *testing.T) {
	dump, err := filepath.Abs("../../spec/fabric/testdata/ring6-lmc1")
	if err != nil {
		t.Fatal(err)
	}
	mesh := func(hole, cut string) string {
		return strings.NewReplacer("HOLE", hole, "CUT", cut).Replace(meshHead)
	}
	inFolder(t, map[string]string{
		"replies.star": "network(name = \"replies\", switching = \"wormhole\", classes = [\"request\", \"reply\"])\nreplies(\"request\", \"reply\", buffer = 1)\n" +
			mesh("None", "None") + "flows(lambda src, dst, cls: src.at[0] != 0 and dst.at[0] == 0)\nroute = ways\n",
		"classes.star": "network(name = \"classes\", switching = \"wormhole\", classes = [\"data\", \"ack\"])\n" + mesh("None", "None") +
			"flows(lambda src, dst, cls: src.at[cls] != dst.at[cls])\ndef route(at, to):\n    h = ways(at, to)\n    return [h[0] if at.cls == 0 else h[-1]]\n",
		"holes.star": "network(name = \"holes\", switching = \"wormhole\")\n" + mesh("(2, 2)", "(0, 1)") + "route = ways\n",
		"ring.csv":   "from,to,vcs\na,b,2\nb,c,2\nc,d,2\nd,e,2\ne,a,2\na,x,1\nc,x,1\n",
		"way.csv":    "a;b\nb;c\nc;d\nd;a\n",
		"gap.star": "network(name = \"gap\", switching = \"virtual-cut-through\", buffer = 2)\nn = [node() for _ in range(4)]\n" +
			"l = [link(n[i], n[(i + 1) % 4]) for i in range(4)]\ndef route(at, to):\n" +
			"    return [hop(l[at.node.id], room = 2 if at.injecting and at.node.id != 0 else 1)]\n",
	})
	copies := []repair.Scheme{repair.Dateline, repair.HopIndex, repair.Layers, repair.Escape}
	for _, tt := range []struct {
		args string
		want []repair.Scheme // with a repair
	}{
		{"replies.star", []repair.Scheme{
			repair.Turns, repair.Hops, repair.Dateline, repair.HopIndex, repair.Layers, repair.Classes}},
		{"classes.star", append(slices.Insert(slices.Clone(copies), 3, repair.Classes), repair.Order)},
		{"holes.star", slices.DeleteFunc(repair.Schemes(), func(s repair.Scheme) bool {
			return s == repair.Classes || s == repair.Bubble // has one class, and worms
		})},
		{"ring.csv --both-ways --route shortest", append(slices.Clone(copies), repair.Order)},
		{"way.csv --route shortest --switching wh", copies},
		{"gap.star", slices.Insert(slices.Clone(copies), 3, repair.Bubble)}, // a ring that fills through one entry
		{dump, append(slices.Clone(copies), repair.Order)},
	} {
		t.Run(filepath.Base(tt.args), func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"untie"}, strings.Fields(tt.args)...)
			if code, out, errs := unknot(t, append(args, "--effort", "300000", "--out", dir)...); code != exitExpected {
				t.Fatalf("exit %d\n%s%s", code, out, errs)
			}
			read := func(of string) *spec.Network {
				name := filepath.Join(dir, of, networkFile)
				text, err := os.ReadFile(name)
				if err != nil {
					return nil
				}
				n, err := routing.ReadClosed(t.Context(), name, text, routing.CompileOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			before := read(beforeFolder)
			was, found := before.Topology(), []repair.Scheme{}
			for _, s := range repair.Schemes() {
				n := read(string(s))
				if n == nil {
					continue
				}
				found = append(found, s)
				dir := filepath.Join(dir, string(s))
				for _, command := range [][]string{{"check", filepath.Join(dir, networkFile)}, {"verify", dir}} {
					if code, out, errs := unknot(t, command...); code != exitExpected {
						t.Errorf("%v: exit %d\n%s%s", command, code, out, errs)
					}
				}
				patch, err := os.ReadFile(filepath.Join(dir, patchFile))
				if err != nil {
					t.Fatal(err)
				}
				for i := range before.Tables() {
					for _, from := range before.Table(i).Sources {
						if of := n.TableOf(before.Table(i).Target); of == nil {
							t.Errorf("%s: nobody sends to %v any more", s, before.Table(i).Target)
						} else if len(of.SourcesOf(from.Node)) == 0 {
							t.Errorf("%s: the flow from %d to %v is gone", s, from.Node, of.Target)
						}
					}
				}
				is := n.Topology()
				if is.Links() != was.Links() || n.FlowCount() != before.FlowCount() {
					t.Fatalf("%s: %d links, %d flows, want %d, %d", s, is.Links(), n.FlowCount(), was.Links(), before.FlowCount())
				}
				for l := range spec.LinkID(was.Links()) {
					a, b := was.Link(l), is.Link(l)
					if a.From != b.From || a.To != b.To || b.VCs < a.VCs || b.VCs > a.VCs && !strings.Contains(string(patch), "give "+was.LinkName(l)+" ") {
						t.Errorf("%s: link %v has become %v, and the patch does not say so", s, a, b)
					}
				}
			}
			if !slices.Equal(found, tt.want) {
				t.Errorf("repairs by %q, want %q", found, tt.want)
			}
		})
	}
}
