package gadget_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph/census"
	"github.com/seed-105a2da2/unknot/spec"
)

func definition(t testing.TB, name string) spec.Definition {
	t.Helper()
	def, err := gadget.Wormhole(name)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func compile(t testing.TB, def spec.Definition) *spec.Network {
	t.Helper()
	n, err := spec.Compile(t.Context(), def, spec.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// written lists every site and source of n as the oracles write them, such as
// "(e1,D1)->{a1,x1}" and "inject (e1,D1)"; "." is Eject.
func written(n *spec.Network) ([]string, error) {
	top := n.Topology()
	name := func(c spec.ChannelID) string {
		if c == spec.Eject {
			return "."
		}
		return top.Link(top.LinkOf(c)).Out
	}
	var lines []string
	err := n.Sites(func(s spec.Site, hops []spec.Hop) error {
		dest := top.Node(s.Header.Dest).Name
		var to []string
		for _, hop := range hops {
			if s.Channel.IsInjection() {
				lines = append(lines, fmt.Sprintf("inject (%s,%s)", name(hop.Channel), dest))
			}
			to = append(to, name(hop.Channel))
		}
		if !s.Channel.IsInjection() {
			slices.Sort(to)
			lines = append(lines, fmt.Sprintf("(%s,%s)->{%s}", name(s.Channel), dest, strings.Join(to, ",")))
		}
		return nil
	})
	slices.Sort(lines)
	return lines, err
}

// TestTables: the compiled networks say what the oracles say. In W5 each
// destination has a node and a channel z of its own, since a node does not send
// to itself.
func TestTables(t *testing.T) {
	for name, want := range map[string][]string{
		"W1": {
			"inject (e1,D1)", "inject (e2,D2)",
			"(e1,D1)->{a1,x1}", "(a1,D1)->{e2}", "(e2,D1)->{y1}",
			"(e2,D2)->{a2,y2}", "(a2,D2)->{e1}", "(e1,D2)->{x2}",
			"(x1,D1)->{.}", "(x2,D2)->{.}", "(y1,D1)->{.}", "(y2,D2)->{.}",
		},
		"W2": {
			"inject (h,D0)", "inject (t1,D1)", "inject (t2,D2)",
			"(h,D0)->{t1,t2}", "(t1,D0)->{.}", "(t2,D0)->{.}",
			"(t1,D1)->{m,s1}", "(t2,D2)->{m,s2}", "(m,D1)->{h}", "(m,D2)->{h}",
			"(h,D1)->{z1}", "(h,D2)->{z2}",
			"(s1,D1)->{.}", "(s2,D2)->{.}", "(z1,D1)->{.}", "(z2,D2)->{.}",
		},
		"W5": {
			"inject (0,D0)", "inject (1,D1)", "inject (3,D0)",
			"(0,D0)->{1}", "(1,D1)->{0,3}", "(3,D0)->{1,2}",
			"(1,D0)->{z0}", "(2,D0)->{z0}", "(0,D1)->{z1}", "(3,D1)->{z1}",
			"(z0,D0)->{.}", "(z1,D1)->{.}",
		},
	} {
		n := compile(t, definition(t, name))
		got, err := written(n)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := errors.Join(census.Undelivered(n), census.Unexplained(n)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if census.Count(n).Acyclic {
			t.Errorf("%s: the dependency graph is acyclic: the gadget tells nothing apart", name)
		}
	}
}

// TestStatesOfPackets: the reference machine with one packet a channel, against
// the oracles' figures for messages of one flit: W1 560 states, W5 52, none of
// them dead. The 52 of W5 are those of the four channels 0 to 3, from which
// packets leave straight at N0 and N1, so here the sinks z are cut off.
func TestStatesOfPackets(t *testing.T) {
	type outcome struct{ States, Dead int }
	w5 := definition(t, "W5")
	w5.Routing = withoutSinks{w5.Topology, w5.Routing}
	for _, tt := range []struct {
		name string
		def  spec.Definition
		want outcome
	}{
		{"W1", definition(t, "W1"), outcome{560, 0}},
		{"W5 without sinks", w5, outcome{52, 0}},
	} {
		tt.def.Switching = spec.StoreAndForward
		n := compile(t, tt.def)
		queue := []spec.State{n.EmptyState()}
		seen := map[string]bool{fmt.Sprint(queue[0]): true}
		dead := 0
		for i := 0; i < len(queue); i++ {
			moves := n.Moves(queue[i])
			if i > 0 && !slices.ContainsFunc(moves, func(m spec.Move) bool { return !m.From.IsInjection() }) {
				dead++
			}
			for _, m := range moves {
				next, err := n.Step(queue[i], m)
				if err != nil {
					t.Fatal(err)
				}
				if key := fmt.Sprint(next); !seen[key] {
					seen[key] = true
					queue = append(queue, next)
				}
			}
		}
		if diff := cmp.Diff(tt.want, outcome{len(queue), dead}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// withoutSinks lets packets leave where the gadget sends them into a channel z.
type withoutSinks struct {
	t *spec.Topology
	r spec.Relation
}

func (w withoutSinks) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	before := len(dst)
	dst, err := w.r.Next(dst, at, h)
	for i := range dst[before:] {
		hop := &dst[before+i]
		if hop.Channel != spec.Eject && strings.HasPrefix(w.t.Link(w.t.LinkOf(hop.Channel)).Out, "z") {
			*hop = spec.Hop{Channel: spec.Eject}
		}
	}
	return dst, err
}

func TestWormholeRefuses(t *testing.T) {
	_, err := gadget.Wormhole("W3")
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(`no gadget is called "W3": want W1, W2 or W5`, err.Error()); diff != "" {
		t.Error(diff)
	}
}
