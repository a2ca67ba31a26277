package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// asking is ringOfTwo in version 2, written by hand: node 0 has two sources for node 1, the second without a first
// hop. Rows in order: none, eject, into channel 0, into channel 1.
var asking = strings.NewReplacer("network-1", "network-2", "[-1,0],\n[0,0],\n[1,0]]", "[[]],\n[[-1,0]],\n[[0,0]],\n[[1,0]]]",
	`"sources":[1,2],"sites":[1,0,0]`, `"sources":[1,3],"sites":[1,0,1]`, `"sources":[0,1],"sites":[0,0,0]`, `"sources":[0,2,0,0],"sites":[0,0,1]`).Replace(ringOfTwo)

// TestAlternatives: the sources of a node are numbered, each is a flow, and the step offers the hops of all.
func TestAlternatives(t *testing.T) {
	n, err := readClosed(asking)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asking, closedText(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n.FlowCount() != 3 || !n.Asks() {
		t.Errorf("%d flows, want 3: a source is a flow", n.FlowCount())
	}
	to := n.TableOf(spec.Target{Dest: 1})
	for tag, want := range [][]spec.Hop{{{Channel: 0}}, {}} {
		site := spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: spec.Tag(tag)}}
		if hops, legal := n.Hops(site); !legal || !cmp.Equal(append([]spec.Hop{}, hops...), want) {
			t.Errorf("alternative %d: %v %v, want %v", tag, hops, legal, want)
		}
		if got := to.SourceSite(tag); got != site {
			t.Errorf("source %d injects at %v, want %v", tag, got, site)
		}
	}
	if _, legal := n.Hops(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: 2}}); legal {
		t.Error("there is no third alternative")
	}
	if got := len(to.SourcesOf(0)); got != 2 {
		t.Errorf("node 0 has %d sources, want 2", got)
	}
	if got := to.SourcesOf(1); len(got) > 0 {
		t.Errorf("node 1 has sources %v, want none", got)
	}
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.Empty()
	for _, tt := range []struct {
		tag  spec.Tag
		want string
	}{{0, ""}, {1, "the relation does not permit this hop"}, {2, "no packet for 1 with that header"}} {
		_, err := traffic.Step(s, spec.Move{From: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: tt.tag}, Hop: spec.Hop{Channel: 0}})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("alternative %d: %v, want %q", tt.tag, err, tt.want)
		}
	}
}

// TestAlternativesInOrder: a file in any order keeps the order of a node's sources, which numbers them.
func TestAlternativesInOrder(t *testing.T) {
	text := strings.Replace(asking, `"sources":[1,3]`, `"sources":[1,3,0,2,1,0]`, 1) // those of node 0 last
	text = strings.Replace(text, `"sites":[1,0,1]`, `"sites":[1,0,1,0,0,3]`, 1)
	n, err := routing.ReadClosed(t.Context(), "net.json", []byte(text), routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Source{{Node: 0, Row: 2}, {Node: 1, Row: 3}, {Node: 1, Row: 0}}
	if diff := cmp.Diff(want, n.TableOf(spec.Target{Dest: 0}).Sources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVersions: a network without alternatives is one network in both versions, and written in the first.
func TestVersions(t *testing.T) {
	text := strings.NewReplacer("network-1", "network-2", "[-1,0]", "[[-1,0]]", "[0,0],\n", "[[0,0]],\n", "[1,0]]", "[[1,0]]]").Replace(ringOfTwo)
	n, err := readClosed(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ringOfTwo, closedText(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAlternativesRefused(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"in version 1", "", strings.Replace(ringOfTwo, `"sources":[0,1]`, `"sources":[0,1,0,1]`, 1), "source node 0: sources must be ascending by node, each once"},
		{"descending", `"sources":[1,3],"sites":[1,0,1]`, `"sources":[1,3,0,2],"sites":[0,0,3,1,0,1]`, "source node 0: sources must be ascending by node"},
		{"several in a row", "[[0,0]]", "[[0,0],[0,0]]", "net.json:19:1: source node 0 is listed twice, in a network with rows of several alternatives"},
		{"none in a row", "[[0,0]]", "[]", "net.json:15:1: a row without alternatives: want one, empty for a dead end"},
		{"a row that is no list of lists", "[[0,0]]", "[0,0]", `net.json:15:2: want "[" here`},
	} {
		text := strings.Replace(asking, tt.old, tt.new, 1)
		if tt.old == "" {
			text = tt.new
		}
		if _, err := readClosed(text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if tt.name == "descending" {
			continue // there, any order will do
		}
		if _, err := routing.ReadClosed(t.Context(), "net.json", []byte(text), routing.CompileOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, in any order: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestLikeAlternatives: sources of a node may have the same row.
func TestLikeAlternatives(t *testing.T) {
	n, err := readClosed(strings.Replace(asking, `"sources":[0,2,0,0]`, `"sources":[0,2,0,2]`, 1))
	if err != nil || n.FlowCount() != 3 {
		t.Errorf("%v, want a network of 3 flows", err)
	}
}
