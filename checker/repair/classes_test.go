package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// byClasses repairs by sets of VCs for message classes, and checks what is written of the evidence.
func byClasses(t tester, n *spec.Network) *repair.Proposal {
	r, err := repair.Propose(context.Background(), n, repair.Options{Workers: 1, Schemes: []repair.Scheme{repair.Classes}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if len(r.Proposals) == 0 {
		return nil
	}
	p := &r.Proposals[0]
	if e := p.Bound(); e != nil {
		var b bytes.Buffer
		if err := write.Evidence(&b, e); err != nil {
			t.Fatalf("%v", err)
		}
		if shown, err := evidence.OfNetwork(n).Check(context.Background(), "f", b.Bytes(), evidence.Options{}); err != nil {
			t.Fatalf("%v: %v", shown, err)
		}
	}
	return p
}

func deadlockOf(t tester, n *spec.Network) spec.Verdict {
	r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{spec.DeadlockFreedom.String()}, Workers: 1, Explore: checker.Never})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r.Findings[0].Verdict
}

// TestClassesOfProtocols: the fewest sets, by the rule that classes must be apart if one causes the other, and by
// deciding, for each way to share sets, what the file itself makes of it.
func TestClassesOfProtocols(t *testing.T) {
	const file = "../../models/examples/message_classes.star"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	load := func(shape, protocol, sets string, k int) *spec.Network {
		f, err := star.Load(t.Context(), file, text, star.Options{Set: map[string]string{
			"shape": shape, "protocol": protocol, "sets": sets, "k": fmt.Sprint(k)}})
		if err != nil {
			t.Fatal(err)
		}
		return routingtest.Compile(t, f.Definition)
	}
	i := 0
	for _, shape := range []string{"mesh", "ring", "crossbar"} {
		for _, of := range []struct {
			protocol            string
			classes, want, ways int // ways: to share sets without a deadlock
		}{
			{"msi", 3, 3, 1},        // a request causes both, an invalidation a response
			{"mesi", 4, 3, 3},       // a writeback causes a response alone, as a forward does; so it goes with requests or with forwards
			{"chain", 4, 4, 1},      // each causes the next
			{"one_buffer", 3, 0, 0}, // two requests in the two places of a and of b, whose forwards want to go to b and to a
		} {
			if i++; !seedtest.Sampled(i, 5) {
				continue
			}
			k := 2
			if seedtest.Whole() {
				k = 4
			}
			least, free := 0, 0
			for way := range sharing.All(of.classes, of.classes) {
				v := deadlockOf(t, load(shape, of.protocol, strings.Trim(strings.ReplaceAll(fmt.Sprint(way), " ", ""), "[]"), k))
				if v == spec.Holds {
					free++
				}
				if sets := slices.Max(way) + 1; v == spec.Holds && (least == 0 || sets < least) {
					least = sets
				}
			}
			p := byClasses(t, load(shape, of.protocol, "", k))
			if least != of.want || free != of.ways || p.Cost != of.want || of.want > 0 && p.AtLeast != of.want || p.Sharing == nil {
				t.Errorf("%s on %s: %d sets of at least %d, want %d; by deciding each way %d, of %d ways want %d",
					of.protocol, shape, p.Cost, p.AtLeast, of.want, least, free, of.ways)
			}
			if want := map[bool]spec.Verdict{true: spec.Violated, false: spec.Holds}[of.want == 0]; p.Verdict != want {
				t.Errorf("%s on %s: %s, want %s", of.protocol, shape, p.Verdict, want)
			}
		}
	}
}

// TestClassesOfPipeline: a shim feeds core a through a switch, a feeds b, and b answers to the shim through the same switch
// (a report on mlir-aie). Only the link within the switch carries two classes, so it alone gets a second VC.
func TestClassesOfPipeline(t *testing.T) {
	const text = `
network(name = "pipeline", switching = "wormhole", classes = ["in", "mid", "out"])
shim, sw, sw2, a, b = [node(name = s) for s in ["shim", "switch", "switch'", "a", "b"]]
link(shim, sw); link(sw, sw2); link(sw2, a); link(a, b); link(b, sw); link(sw2, shim)
flows(lambda s, d, c: (s, d, c) == (shim, a, 0))
replies("in", "mid", buffer = 1, to = lambda origin, at: b)
replies("mid", "out", buffer = 1, to = lambda origin, at: shim)
path = {("shim", "in"): sw, ("switch", "in"): sw2, ("switch'", "in"): a, ("a", "mid"): b, ("b", "out"): sw, ("switch", "out"): sw2, ("switch'", "out"): shim}
def route(at, to):
    return [hop(at.node.to(path[at.node.name, at.cls_name]))]
`
	f, err := star.Load(t.Context(), "pipeline.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, f.Definition)
	p := byClasses(t, n)
	if p.Cost != 2 || p.AtLeast != 2 || p.Network == nil {
		t.Fatalf("%d sets of at least %d: %s", p.Cost, p.AtLeast, p.Because)
	}
	for l := range spec.LinkID(6) {
		if vcs, want := p.Network.Topology().Link(l).VCs, 1+map[spec.LinkID]int{1: 1}[l]; vcs != want {
			t.Errorf("link %s has %d VCs, want %d", p.Network.Topology().LinkName(l), vcs, want)
		}
	}
	var closed bytes.Buffer
	if err := spec.WriteClosed(&closed, n); err != nil {
		t.Fatal(err)
	}
	read, err := spec.ReadClosed(t.Context(), "f", closed.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if p := byClasses(t, read); p.Verdict != spec.Unknown || p.Bound() != nil {
		t.Errorf("the closed form does not name the classes of messages: %s", p.Because)
	}
}

// TestClassesOfReports: two reports from practice were repaired by a set of VCs for each of two groups of message classes, as
// untie proposes: requests and responses of mixed dimension order apart; commands with requests, which are not data, so that
// no channel is added.
func TestClassesOfReports(t *testing.T) {
	for _, tt := range []struct {
		file  string
		patch []string
	}{
		{"mixed_dor", []string{"VC set 1 is for req", "VC set 2 is for rsp"}},
		{"three_networks", []string{"VC set 1 is for req, cmd", "VC set 2 is for data"}},
	} {
		file := filepath.Join("..", "..", "models", "examples", "field", tt.file+".star")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := star.Load(t.Context(), file, text, star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := byClasses(t, routingtest.Compile(t, f.Definition))
		if p.Cost != 2 || p.AtLeast != 2 || p.Network == nil || p.Bound() == nil {
			t.Errorf("%s: %d sets of at least %d: %s", tt.file, p.Cost, p.AtLeast, p.Because)
		}
		if diff := cmp.Diff(tt.patch, words.Written(p.Patch[:min(2, len(p.Patch))])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
}

// TestClassesIsBruteForce: on drawn networks with up to three message classes, with replies or without, the fewest sets are
// those found by deciding all ways to share copies of all VCs, which are made of the relation before replies.
func TestClassesIsBruteForce(t *testing.T) {
	found := map[int]int{}
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, Classes: 3, Ring: true, Sparse: true})
		k := len(def.Classes)
		if k < 2 {
			rt.Skip("one class")
		}
		if rapid.Bool().Draw(rt, "replies") {
			for c := range spec.Class(k - 1) {
				def.Replies = append(def.Replies, routing.Reply{Request: c, Reply: c + 1})
			}
		}
		n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Skip("messages leave the network elsewhere")
		}
		p := byClasses(rt, n)
		if p == nil || p.Verdict == spec.Unknown || p.Unit != "VC set" {
			return
		}
		least := 0
		for way := range sharing.All(k, k) {
			some, err := routing.Compile(rt.Context(), copied(def, way), routing.CompileOptions{Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			v, sets := deadlockOf(rt, some), slices.Max(way)+1
			if v == spec.Unknown {
				return
			}
			if v == spec.Holds && (least == 0 || sets < least) {
				least = sets
			}
		}
		if found[least]++; p.Cost != least {
			rt.Fatalf("%d sets (%s), want %d", p.Cost, p.Because, least)
		}
	})
	if seedtest.Usual() && (found[0] == 0 || found[2] == 0) {
		t.Errorf("too few kinds of networks: by the fewest sets, %v", found)
	}
}

// copied returns a definition with a copy of all VCs for each set: VC k of set s on a link of m VCs is VC s*m+k.
func copied(def routing.Definition, sets []int) routing.Definition {
	old, before := def.Topology, def.Routing
	now := routing.Widened(old, func(l spec.LinkID) int { return old.Link(l).VCs * (slices.Max(sets) + 1) })
	def.Topology, def.Expect = now, nil
	def.Routing = relation(func(at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
		if at >= 0 {
			l := now.LinkOf(at)
			at = old.Channel(l, now.VC(at)%old.Link(l).VCs)
		}
		hops, err := before.AppendHops(nil, at, h)
		for i := range hops {
			if c := &hops[i].Channel; *c >= 0 {
				l := old.LinkOf(*c)
				*c = now.Channel(l, sets[h.Class]*old.Link(l).VCs+old.VC(*c))
			}
		}
		return hops, err
	})
	return def
}

type relation func(at spec.ChannelID, h spec.Header) ([]spec.Hop, error)

func (r relation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	hops, err := r(at, h)
	return append(dst, hops...), err
}
