package answers_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
)

func TestVerifyCycle(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "3"}, spec.StoreAndForward)
	site := func(channel spec.ChannelID, dest spec.NodeID) spec.Site {
		return spec.Site{Channel: channel, Header: spec.Header{Dest: dest}}
	}
	// The packet in channel i, whose head is node i+1, goes on to node i+2.
	right := []spec.Site{site(0, 2), site(1, 0), site(2, 1)}
	for _, tt := range []struct {
		name  string
		cycle *answers.Cycle
		want  string // "" accepts
	}{
		{"right", &answers.Cycle{Network: n.Digest(), Sites: right}, ""},
		{"begun elsewhere", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{right[1], right[2], right[0]}}, ""},
		{"twice round", &answers.Cycle{Network: n.Digest(), Sites: append(right[:3:3], right...)}, ""},
		{"none", nil, "no cycle"},
		{"empty", &answers.Cycle{Network: n.Digest()}, "no cycle"},
		{"of another network", &answers.Cycle{Network: spec.Digest{}, Sites: right}, "another network"},
		{"cut short", &answers.Cycle{Network: n.Digest(), Sites: right[:2]}, "may not hop to channel 0"},
		{"backwards", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{right[2], right[1], right[0]}}, "may not hop"},
		{"a packet that has arrived", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(0, 1), right[1], right[2]}}, "may not hop to channel 1"},
		{"a packet that never comes there", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(0, 0), right[1], right[2]}}, "no such packet"},
		{"no such node", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(0, 7), right[1], right[2]}}, "no such packet"},
		{"no such channel", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(3, 2), right[1], right[2]}}, "channels are 0 to 2"},
		{"an injection", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(spec.Injection(0), 2), right[1], right[2]}}, "channels are 0 to 2"},
		{"another tag", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{{Channel: 0,
			Header: spec.Header{Dest: 2, Tag: 1}}, right[1], right[2]}}, "no such packet"},
		{"another class", &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{{Channel: 0,
			Header: spec.Header{Dest: 2, Class: 1}}, right[1], right[2]}}, "no such packet"},
	} {
		err := answers.VerifyCycle(n, tt.cycle)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestCycleThatNobodyReaches: on a ring of three where every node sends only to the
// next, no packet continues from a channel, whatever else the tables list.
func TestCycleThatNobodyReaches(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	to := func(dest, src spec.NodeID, first spec.RowID, channels []spec.ChannelID, rows ...spec.RowID) spec.Table {
		return spec.Table{Target: spec.Target{Dest: dest}, Sources: []spec.Source{{Node: src, Row: first}}, Channels: channels, Rows: rows}
	}
	n, err := spec.NewNetwork(t.Context(), spec.Parts{Name: "ring", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}, {{Channel: 2}}},
		Tables: []spec.Table{
			to(0, 2, 3, []spec.ChannelID{1, 2}, 3, 0),
			to(1, 0, 1, []spec.ChannelID{0, 2}, 0, 1),
			to(2, 1, 2, []spec.ChannelID{0, 1}, 2, 0),
		}})
	if err != nil {
		t.Fatal(err)
	}
	site := func(c spec.ChannelID, dest spec.NodeID) spec.Site {
		return spec.Site{Channel: c, Header: spec.Header{Dest: dest}}
	}
	err = answers.VerifyCycle(n, &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{site(0, 2), site(1, 0), site(2, 1)}})
	refusal(t, err, "dependency 1: no such packet ever reaches 0->1 vc0")
}

func TestCycleForm(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "3"}, spec.StoreAndForward)
	c := &answers.Cycle{Network: n.Digest(), Sites: []spec.Site{{Channel: 0, Header: spec.Header{Dest: 1, Class: 2, Tag: 3}}, {Channel: 1}}}
	var b bytes.Buffer
	if err := write.Cycle(&b, n, c); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.HasPrefix(text, "unknot-cycle 1\nnetwork "+n.Digest().String()+"\nsite 0 1 2 3 # ") || !strings.HasSuffix(text, "\nend\n") {
		t.Errorf("written: %s", text)
	}
	got, err := answers.ReadCycle("c", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Error(diff)
	}
	for _, tt := range [][2]string{
		{"cycle 1", "cycle 2"}, {"network ", "network 0"}, {"network ", "net "}, {"site 0 1 2 3", "site 0 1 2"}, {"site 0 1 2 3", "site 0 1 2 3 4"},
		{"site 0 1 2 3", "site 0 1 2 65536"}, {"site 0 1 2 3", "site 0 -1 2 3"}, {"site 0 1 2 3", "site 00 1 2 3"}, {"site 0", "place 0"},
		{"end\n", ""}, {"end\n", "end\nend\n"}, {"end\n", "\nend\n"},
	} {
		var pos *spec.PosError
		if _, err := answers.ReadCycle("c", strings.NewReader(strings.Replace(text, tt[0], tt[1], 1))); !errors.As(err, &pos) {
			t.Errorf("%q for %q: %v, want an error with a place", tt[1], tt[0], err)
		}
	}
}
