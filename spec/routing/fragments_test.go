package routing_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestFragments: a network stored in fragments is the same as one that is not: table by table, by its
// digest, and when its text is read back, by any reader; with any number of workers the text is the
// same.
func TestFragments(t *testing.T) {
	seedtest.Sample(t, 25)
	rapid.Check(t, func(rt *rapid.T) {
		var def routing.Definition
		if rapid.IntRange(0, 19).Draw(rt, "short") > 0 {
			def = netgen.Definition(rt, netgen.Options{Nodes: 20, Channels: 60, Tags: 3, MayFail: true, Classes: 2, Sparse: true})
		} else { // several bunches; and many tables alike, so that fragments are short first and long then
			topo := drawnTopology(rt)
			ring(topo, 700)
			def = routing.Definition{Topology: topo, Tags: 2, Routing: stretches{drawnHops{topo, 2, rapid.Uint64().Draw(rt, "seed")}, 100},
				Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
					return src%3 == 0 && src > 80 && (dst < 80 || dst%250 == 0)
				}}
		}
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		var first []byte
		for workers := 1; workers <= 3; workers++ {
			inFragments, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: workers, Fragments: 1})
			if err != nil {
				rt.Fatal(err)
			}
			sameTables(rt, n, inFragments)
			var text bytes.Buffer
			if err := routing.WriteFragments(&text, inFragments); err != nil {
				rt.Fatal(err)
			}
			if first == nil {
				first = text.Bytes()
			}
			if diff := cmp.Diff(string(first), text.String()); diff != "" {
				rt.Fatalf("%d workers (-1 +%d):\n%s", workers, workers, diff)
			}
		}
		plain, err := spec.ReadClosed(t.Context(), "n.json", first)
		if err != nil {
			rt.Fatalf("%v\n%s", err, first)
		}
		sameTables(rt, n, plain)
		again, err := routing.ReadClosed(t.Context(), "n.json", first, routing.CompileOptions{})
		if err != nil {
			rt.Fatal(err)
		}
		sameTables(rt, n, again)
		if again, err = routing.ReadClosed(t.Context(), "n.json", first, routing.CompileOptions{Fragments: 1}); err != nil {
			rt.Fatal(err)
		}
		sameTables(rt, n, again)
		sameTables(rt, n, routing.Whole(t.Context(), again))
	})
}

// TestLongFragments: tables are alike at first, so that fragments become long, and later each is another: lists grow to what
// all of them need.
func TestLongFragments(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("", 0)
	ring(topo, 700)
	def := routing.Definition{Topology: topo, Tags: 2, Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := topo.Head(at)
		vc := max(0, int(h.Dest)-70) >> (v % 8) & 1
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(v)[0], vc), Tag: spec.Tag(v % 2)})
	}), Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src%100 == 99 && dst%100 < 50 && dst < 500 }}
	whole, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for workers := 1; workers <= 3; workers++ {
		inFragments, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: workers, Fragments: 1})
		if err != nil {
			t.Fatal(err)
		}
		sameTables(t, whole, inFragments)
	}
}

// TestFragmentLengths: if one row in c channels changes from table to table, fragments of k channels take 4/k + 8k/c bytes
// a channel, but 4/k + 8 if each changes. The least of these is taken if it saves an eighth of what 64 channels take.
func TestFragmentLengths(t *testing.T) {
	const channels = 1 << 16
	for _, tt := range []struct{ change, want int }{
		{0, 1024},      // nothing is stored again
		{1 << 15, 128}, // 1/32 + 1/32, with 64: 1/16 + 1/64, with 256: 1/64 + 1/16
		{1 << 13, 64},  // 1/16 + 1/16, with 128: 1/32 + 1/8
		{1, 64},        // 1/16 + 8, with 1024: 1/256 + 8
	} {
		tables := make([]spec.Table, 64)
		for i := range tables {
			tables[i].Channels = make([]spec.ChannelID, channels)
			tables[i].Rows = make([]spec.RowID, channels)
			for c := range channels {
				tables[i].Channels[c] = spec.ChannelID(c)
				if tt.change > 0 && c%tt.change == 0 {
					tables[i].Rows[c] = spec.RowID(i)
				}
			}
		}
		if got := routing.FragmentChannels(tables); got != tt.want {
			t.Errorf("one row in %d changes: fragments of %d channels, want %d", tt.change, got, tt.want)
		}
	}
}

// TestManyFragments: of more fragments than are looked for in vain, tables that are all different and, later, alike in turn
// are put together as they were. Where each second table is alike from the start, its fragments are stored once.
func TestManyFragments(t *testing.T) {
	const sites, different, alike = 1 << 9, 140, 8 // of the first tables, which have 71,680 fragments; in turn
	for _, first := range []int{0, different} {
		tables := make([]spec.Table, 3*different)
		for i := range tables {
			kind := i
			if i >= first && i%2 == 1 {
				kind = -1 - i%alike
			}
			for c := range spec.ChannelID(sites) {
				tables[i].Channels = append(tables[i].Channels, c<<10)
				tables[i].Rows = append(tables[i].Rows, spec.RowID(kind*sites+int(c)))
			}
		}
		got, fragments := routing.Packed(tables)
		if diff := cmp.Diff(tables, got); diff != "" {
			t.Fatalf("put together (-want +got):\n%s", diff)
		}
		want := len(tables) * sites // each is new in its table, and none is looked for
		if first == 0 {
			want = (len(tables)/2 + alike/2) * sites
		}
		if fragments != want {
			t.Errorf("alike from table %d on: %d fragments, want %d", first, fragments, want)
		}
	}
}

// ring closes a ring through the first node and n more.
func ring(topo *spec.Topology, n int) {
	last := spec.NodeID(0)
	for v := range n {
		next := topo.AddNode("", v)
		topo.AddLink(spec.Link{From: last, To: next, VCs: 2})
		last = next
	}
	topo.AddLink(spec.Link{From: last, To: 0, VCs: 2})
}

func sameTables(t rapid.TB, want, got *spec.Network) {
	t.Helper()
	if want.Digest() != got.Digest() || want.Tables() != got.Tables() || want.SiteCount() != got.SiteCount() || want.FlowCount() != got.FlowCount() {
		var a, b bytes.Buffer
		_, _ = spec.WriteClosed(&a, want), spec.WriteClosed(&b, got)
		t.Fatalf("%s%s%d tables, %d sites, %d flows, digest %s: want %d, %d, %d, %s", &a, &b, got.Tables(), got.SiteCount(), got.FlowCount(), got.Digest(),
			want.Tables(), want.SiteCount(), want.FlowCount(), want.Digest())
	}
	var scratch spec.Table
	for i := range want.Tables() {
		w := want.Table(i)
		for _, g := range []*spec.Table{got.TableIn(&scratch, i), got.Table(i), got.TableOf(w.Target)} {
			for s := range w.Len() {
				if w.Site(s) != g.Site(s) {
					t.Fatalf("site %v: want %v", g.Site(s), w.Site(s))
				}
			}
			if w.Target != g.Target || w.First != g.First || !slices.Equal(w.Sources, g.Sources) ||
				!slices.Equal(w.Channels, g.Channels) || !slices.Equal(w.Rows, g.Rows) {
				t.Fatalf("table %d (-want +got):\n%s", i, cmp.Diff(w, g))
			}
		}
	}
}
