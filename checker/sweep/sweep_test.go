package sweep_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/lock"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/goldentest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// of returns a question about a model of the catalogue.
func of(t testing.TB, model string, q sweep.Question) *sweep.Question {
	t.Helper()
	e, ok := models.Find(model)
	if !ok {
		t.Fatalf("no model %s", model)
	}
	q.Network = model
	q.Build = func(_ context.Context, set map[string]string) (routing.Definition, error) { return e.Define(set) }
	return &q
}

// run decides a shard, continuing from old results.
func run(t testing.TB, q *sweep.Question, old string, opt sweep.Options) string {
	t.Helper()
	p, err := q.Plan(t.Context(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Continue(t.Context(), file, opt); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// torusFailures is the sweep of all single and double link failures of the 4x4
// torus, which has 32 links: 1 + 32 + 32*31/2 cases.
func torusFailures(t testing.TB, routing string) *sweep.Question {
	if routing == "up-down" {
		return of(t, "graph", sweep.Question{Set: map[string]string{"graph": "torus", "n": "16", "routing": "up-down"}, Links: 2, Reroute: "without"})
	}
	return of(t, "star-channel", sweep.Question{Links: 2})
}

// TestTorusFailures: up*/down* on what is left of a 4x4 torus, which two failures do not cut in
// two, is free of every fault. *-channel does not know of the failures, and packets between the two
// ends of a failed link have no other path. Three shards together equal one run, and so does one that
// was killed at any byte and resumed.
func TestTorusFailures(t *testing.T) {
	const free = "deadlock freedom holds, livelock freedom holds, delivery holds"
	for routing, ending := range map[string]string{"up-down": free, "star-channel": ", livelock freedom holds, delivery violated"} {
		if !seedtest.Whole() && ending != free {
			continue
		}
		q := torusFailures(t, routing)
		opt := sweep.Options{Workers: 2, Explore: checker.Never}
		whole := run(t, q, "", opt)
		h, results, _, err := sweep.ReadResults(strings.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		if h.Cases != 1+32+496 || len(results) != h.Cases {
			t.Errorf("%s: %d cases, %d results; want 529", routing, h.Cases, len(results))
		}
		for _, r := range results {
			want := ending
			if len(r.Links) == 0 {
				want = free
			}
			if !strings.HasSuffix(r.Verdicts(), want) {
				t.Errorf("%s without %v: %s", routing, r.Links, r.Verdicts())
			}
		}
		var shards []io.Reader
		for i := range 3 {
			text := run(t, q, "", sweep.Options{Shard: 3 - i, Shards: 3, Workers: 1 + i, Explore: checker.Never})
			shards = append(shards, strings.NewReader(text))
		}
		var merged bytes.Buffer
		if err := sweep.Merge(&merged, shards); err != nil {
			t.Fatal(err)
		}
		if merged.String() != whole {
			t.Errorf("%s: three shards together are not one run", routing)
		}
		for i, cut := range []int{len(whole) / 3, len(whole) - 1} {
			if !seedtest.Sampled(i+1, 2) {
				continue
			}
			if again := run(t, q, whole[:cut], opt); again != whole {
				t.Errorf("%s: cut at byte %d and resumed, it is another result", routing, cut)
			}
		}
	}
}

// TestCases: numbers and order, by hand.
func TestCases(t *testing.T) {
	q := of(t, "ring", sweep.Question{Ranges: []sweep.Range{{Name: "variant", Values: []string{"one-way", "two-way"}},
		{Name: "n", Values: []string{"3", "4"}}}, Links: 1, Nodes: 1, Dests: 1})
	count := map[string]int{}
	var first []string
	p, err := q.Plan(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := 4*4*3 + 5*5*4 + 4*4*3 + 5*5*4; p.Cases != want {
		t.Errorf("%d cases are counted, want %d", p.Cases, want)
	}
	for c, err := range p.Each(t.Context(), func(int) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		count[c.Set["variant"]+c.Set["n"]]++
		if len(first) < 9 {
			first = append(first, fmt.Sprint(c.Links, c.Nodes, c.Dests))
		}
	}
	// (1 + links) * (1 + nodes) * destinations; links fail in pairs.
	if diff := cmp.Diff(map[string]int{"one-way3": 4 * 4 * 3, "one-way4": 5 * 5 * 4, "two-way3": 4 * 4 * 3, "two-way4": 5 * 5 * 4}, count); diff != "" {
		t.Error(diff)
	}
	want := []string{"[] [] [0]", "[] [] [1]", "[] [] [2]", "[] [0] [0]", "[] [0] [1]", "[] [0] [2]", "[] [1] [0]", "[] [1] [1]", "[] [1] [2]"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
}

func TestCables(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for _, l := range [][2]spec.NodeID{{0, 1}, {1, 2}, {1, 0}, {0, 1}, {2, 0}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
	}
	want := []sweep.Cable{
		{Name: "0-1", Links: []spec.LinkID{0, 2}}, {Name: "1->2", Links: []spec.LinkID{1}}, {Name: "0-1#2", Links: []spec.LinkID{3, 6}},
		{Name: "2->0", Links: []spec.LinkID{4}}, {Name: "0-1#3", Links: []spec.LinkID{5, 7}}, {Name: "0-1#4", Links: []spec.LinkID{8, 9}}, // declared from 1
		{Name: "0->1", Links: []spec.LinkID{10}},
	}
	if diff := cmp.Diff(want, sweep.Cables(topo)); diff != "" {
		t.Error(diff)
	}
}

// TestWithout: the hops left in a random network are those whose link and far node work, and nobody
// sends to or from a failed node.
func TestWithout(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2})
		topo := def.Topology
		cables := sweep.Cables(topo)
		var f sweep.Failures
		broken := map[spec.LinkID]bool{}
		for _, c := range cables {
			if rapid.IntRange(0, 3).Draw(rt, "fails") == 0 {
				f.Cables = append(f.Cables, c)
				for _, l := range c.Links {
					broken[l] = true
				}
			}
		}
		down := spec.NodeID(rapid.IntRange(-1, topo.Nodes()-1).Draw(rt, "down"))
		if down >= 0 {
			f.Nodes = append(f.Nodes, down)
		}
		left := sweep.Without(def, f)
		works := func(l spec.LinkID) bool {
			return !broken[l] && topo.Link(l).To != down && topo.Link(l).From != down
		}
		now := map[spec.ChannelID]spec.ChannelID{spec.Eject: spec.Eject} // channels in order, without those that failed
		for v := range spec.NodeID(topo.Nodes()) {
			now[spec.Injection(v)] = spec.Injection(v)
		}
		n := spec.ChannelID(0)
		for c := range spec.ChannelID(topo.Channels()) {
			if works(topo.LinkOf(c)) {
				now[c] = n
				if topo.ChannelName(c) != left.Topology.ChannelName(n) && len(topo.LinksBetween(topo.Tail(c), topo.Head(c))) == 1 {
					rt.Fatalf("channel %s is called %s", topo.ChannelName(c), left.Topology.ChannelName(n))
				}
				n++
			}
		}
		if int(n) != left.Topology.Channels() || left.Topology.Nodes() != topo.Nodes() {
			rt.Fatalf("%d channels and %d nodes are left, want %d and %d", left.Topology.Channels(), left.Topology.Nodes(), n, topo.Nodes())
		}
		for at, atNow := range now {
			if at == spec.Eject {
				continue
			}
			for dest := range spec.NodeID(topo.Nodes()) {
				h := spec.Header{Dest: dest}
				all, _ := def.Routing.AppendHops(nil, at, h)
				var want []spec.Hop
				for _, hop := range all {
					if c, ok := now[hop.Channel]; ok {
						want = append(want, spec.Hop{Channel: c, Tag: hop.Tag})
					}
				}
				got, _ := left.Routing.AppendHops(nil, atNow, h)
				if !slices.Equal(want, got) {
					rt.Fatalf("at %d for %d: %v, want %v", at, dest, got, want)
				}
			}
		}
		for src := range spec.NodeID(topo.Nodes()) {
			for dst := range spec.NodeID(topo.Nodes()) {
				want := down < 0 || src != down && dst != down
				if src != dst && (left.Flows == nil || left.Flows(src, dst, 0)) != want {
					rt.Fatalf("%d to %d: sends %t, want %t", src, dst, !want, want)
				}
			}
		}
	})
}

func readers(texts ...string) []io.Reader {
	var all []io.Reader
	for _, s := range texts {
		all = append(all, strings.NewReader(s))
	}
	return all
}

// TestOneProcessAShard: a shard in a folder is locked under its final name, also while it is renamed:
// otherwise another process could decide it again, or find nothing to rename.
func TestOneProcessAShard(t *testing.T) {
	dir := t.TempDir()
	l, err := lock.Acquire(filepath.Join(dir, "shard-1-of-1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := of(t, "ring", sweep.Question{}).Plan(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ContinueIn(t.Context(), dir, sweep.Options{Explore: checker.Never}); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("%v, want %v", err, lock.ErrHeld)
	}
	l.Release()
	if results, err := p.ContinueIn(t.Context(), dir, sweep.Options{Explore: checker.Never}); err != nil || len(results) != 1 {
		t.Errorf("%v, %v", results, err)
	}
}

// TestMergeRefuses: parts that do not make up one run are not merged.
func TestMergeRefuses(t *testing.T) {
	q := of(t, "ring", sweep.Question{Links: 1})
	other := of(t, "ring", sweep.Question{Links: 1, Set: map[string]string{"n": "5"}})
	a, b := run(t, q, "", sweep.Options{Shard: 1, Shards: 2}), run(t, q, "", sweep.Options{Shard: 2, Shards: 2})
	alien := run(t, other, "", sweep.Options{Shard: 2, Shards: 2})
	for _, tt := range []struct {
		name   string
		shards []string
		want   string
	}{
		{"both", []string{b, a}, ""},
		{"one is missing", []string{a}, "missing or incomplete"},
		{"one comes twice", []string{a, a}, "comes twice"},
		{"another sweep", []string{a, alien}, "the question differs"},
		{"cut off", []string{a, b[:len(b)-3]}, "missing or incomplete"},
		{"no results", []string{a, "hello\n"}, "not results of a sweep"},
		{"a line of something else", []string{a, b + "{\"case\":1,\"more\":2}\n"}, "unknown field"},
		{"a case of the other shard", []string{a, b + a[strings.LastIndex(a[:len(a)-1], "\n")+1:]}, "does not belong"},
		{"a case twice", []string{a, b + b[strings.LastIndex(b[:len(b)-1], "\n")+1:]}, "comes after"},
	} {
		err := sweep.Merge(io.Discard, readers(tt.shards...))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

func TestParseRange(t *testing.T) {
	for text, want := range map[string]sweep.Range{
		"k=3..5": {Name: "k", Values: []string{"3", "4", "5"}}, "k=7..7": {Name: "k", Values: []string{"7"}},
		"tie=a|b": {Name: "tie", Values: []string{"a", "b"}}, "x=1": {Name: "x", Values: []string{"1"}},
	} {
		got, err := sweep.ParseRange(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"", "k", "k=", "=3..5", "k=5..3", "k=a..b", "k=1..9999999", "k=-9000000000000000000..9000000000000000000"} {
		if r, err := sweep.ParseRange(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}

// TestInterrupted: an interrupted run has written whole lines, in order, and
// ends with the context's error.
func TestInterrupted(t *testing.T) {
	q := torusFailures(t, "up-down")
	p, err := q.Plan(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opt := sweep.Options{Workers: 2, Done: func(done, _ int) {
		if done == 40 {
			cancel()
		}
	}}
	var out bytes.Buffer
	if err := sweep.WriteHeader(&out, p.Header(opt)); err != nil {
		t.Fatal(err)
	}
	err = p.Run(ctx, &out, nil, opt)
	_, results, good, readErr := sweep.ReadResults(bytes.NewReader(out.Bytes()))
	if !errors.Is(err, context.Canceled) || readErr != nil || good != int64(out.Len()) || len(results) < 40 || len(results) == p.Cases {
		t.Errorf("%v, %v: %d results in %d of %d bytes", err, readErr, len(results), good, out.Len())
	}
}

// TestGolden: the summary and the plot of a small sweep, kept for readers; the
// plot is well-formed XML, and its bars are as long as the counts say.
func TestGolden(t *testing.T) {
	q := of(t, "ring", sweep.Question{Ranges: []sweep.Range{{Name: "variant", Values: []string{"two-way", "dateline"}}}, Links: 1})
	h, results, _, err := sweep.ReadResults(strings.NewReader(run(t, q, "", sweep.Options{})))
	if err != nil {
		t.Fatal(err)
	}
	table := sweep.Summarise(h, results)
	var text, plot bytes.Buffer
	if err := table.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := sweep.Plot(&plot, h, table); err != nil {
		t.Fatal(err)
	}
	goldentest.Compare(t, "summary.txt", text.Bytes())
	goldentest.Compare(t, "plot.svg", plot.Bytes())
	type rect struct {
		Width string `xml:"width,attr"`
		Fill  string `xml:"fill,attr"`
		Title string `xml:"title"`
	}
	var svg struct {
		Rects []rect `xml:"rect"`
	}
	if err := xml.Unmarshal(plot.Bytes(), &svg); err != nil {
		t.Fatal(err)
	}
	lengths := map[int]int{} // width by count
	cases := 0
	for _, r := range svg.Rects {
		var n, width int
		if _, err := fmt.Sscanf(r.Title, "%d:", &n); err != nil {
			continue // the background, or the legend
		}
		if _, err := fmt.Sscan(r.Width, &width); err != nil {
			t.Fatal(err)
		}
		cases += n
		lengths[n] = width
	}
	if cases != h.Cases {
		t.Errorf("the bars show %d cases, not %d", cases, h.Cases)
	}
	for n, width := range lengths {
		if want := lengths[1] * n; width < want-n || width > want+n {
			t.Errorf("a bar of %d cases is %d wide, one of a single case %d", n, width, lengths[1])
		}
	}
}
