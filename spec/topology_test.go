package spec_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestAddLinkRefuses: an impossible link is a fault and is not added.
func TestAddLinkRefuses(t *testing.T) {
	for _, tt := range []struct {
		link spec.Link
		want string // "" accepts
	}{
		{spec.Link{From: 0, To: 1, VCs: 1}, ""},
		{spec.Link{From: 0, To: 1, VCs: 1 << 16}, ""},
		{spec.Link{From: -1, To: 1, VCs: 1}, "joins nodes -1 and 1"},
		{spec.Link{From: 2, To: 1, VCs: 1}, "joins nodes 2 and 1"},
		{spec.Link{From: 0, To: -1, VCs: 1}, "joins nodes 0 and -1"},
		{spec.Link{From: 0, To: 2, VCs: 1}, "joins nodes 0 and 2"},
		{spec.Link{From: 1, To: 1, VCs: 1}, ""}, // a request buffer
		{spec.Link{From: 0, To: 1, VCs: 0}, "has 0 VCs"},
		{spec.Link{From: 0, To: 1, VCs: 1<<16 + 1}, "has 65537 VCs"},
	} {
		topo := spec.NewTopology()
		topo.AddNode("")
		topo.AddNode("")
		id := topo.AddLink(tt.link)
		err := topo.Err()
		if tt.want == "" && (err != nil || id != 0 || topo.Channels() != tt.link.VCs) {
			t.Errorf("%+v: %d, %v", tt.link, id, err)
		}
		if tt.want != "" && (err == nil || id != -1 || topo.Links() != 0 || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %d, %v, want %q", tt.link, id, err, tt.want)
		}
	}
	topo := spec.NewTopology()
	topo.AddNode("")
	topo.AddNode("")
	for range 1 << 8 { // 2^24 channels are the most
		topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1 << 16})
	}
	if err := topo.Err(); err != nil {
		t.Error(err)
	}
	if topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1}); topo.Err() == nil {
		t.Error("one channel too many is accepted")
	}
}

// TestParallelLinks: parallel links are distinguished by their ports or, if they have
// none, by number.
func TestParallelLinks(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	var got []string
	for _, l := range []spec.Link{{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 2}, {From: 2, To: 0, Out: "a"},
		{From: 2, To: 0, Out: "b"}, {From: 2, To: 2, Out: "request"}} {
		l.VCs = 1
		topo.AddLink(l)
	}
	for l := range spec.LinkID(topo.Links()) {
		got = append(got, topo.LinkName(l))
	}
	if want := "0->1 1->2 1->2#2 2->0[a] 2->0[b] 2 request buffer request"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestChannelsAreBounded: a text of some kilobytes can ask for more channels than a
// network may have, 16,777,216 by the guide, and is refused before they take a gigabyte.
func TestChannelsAreBounded(t *testing.T) {
	link := `{"from": 0, "to": 1, "vcs": 65536, "out": "", "in": "", "dim": 0}`
	text := `{"format": "unknot-network-1", "name": "wide", "switching": "wormhole", "buffer": 1, "tags": 1, "selection": "", "classes": [""], "vcs": [],
"nodes": [{"name": "a", "at": []}, {"name": "b", "at": []}],
"links": [` + strings.Repeat(link+",\n", 511) + link + `], "rows": [], "tables": []}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := spec.ReadClosed(t.Context(), "wide.json", []byte(text))
	runtime.ReadMemStats(&after)
	if want := "more than 16777216 channels"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 512<<20 {
		t.Errorf("it took %d MiB, all told", bytes>>20)
	}
}
