package gadget_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

func definition(t testing.TB, name string) routing.Definition {
	t.Helper()
	def, err := gadget.Wormhole(name)
	if err != nil {
		t.Fatal(err)
	}
	return def
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
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
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
		n := routingtest.Compile(t, definition(t, name))
		got, err := written(n)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if censustest.Count(n).Acyclic {
			t.Errorf("%s: the dependency graph is acyclic: the gadget tells nothing apart", name)
		}
	}
}

func TestWormholeRefuses(t *testing.T) {
	_, err := gadget.Wormhole("W3")
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(`invalid gadget "W3": want W1, W2, W5 or swap`, err.Error()); diff != "" {
		t.Error(diff)
	}
}
