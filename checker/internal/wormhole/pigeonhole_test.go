package wormhole_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// pigeonholes is W2 with more channels of each sort. A head in h waits for all of t1..tn. A
// message to Di can hold ti only while it goes on through some middle channel m1..mk, as in ti
// it may leave by a sink; in the middle it waits for h. So the only stuck set has a worm in h
// and n worms ti-mj, and exists exactly if n <= k: pigeons and holes. (To the head/tail
// fixpoint, one hole is enough.)
func pigeonholes(t testing.TB, pigeons, holes int) *spec.Network {
	top := spec.NewTopology()
	link := func(from, to spec.NodeID, name string) spec.ChannelID {
		return top.Channel(top.AddLink(spec.Link{From: from, To: to, VCs: 1, Out: name}), 0)
	}
	entry, exit, middle := top.AddNode("H"), top.AddNode("D0"), top.AddNode("M")
	h := link(middle, entry, "h")
	var ts, ms, sinks, ends []spec.ChannelID
	dests := []spec.NodeID{}
	for i := range pigeons {
		ts = append(ts, link(entry, exit, fmt.Sprintf("t%d", i)))
		dests = append(dests, top.AddNode(fmt.Sprintf("D%d", i+1)))
		sinks = append(sinks, link(exit, dests[i], fmt.Sprintf("s%d", i)))
		ends = append(ends, link(entry, dests[i], fmt.Sprintf("z%d", i)))
	}
	for j := range holes {
		ms = append(ms, link(exit, middle, fmt.Sprintf("m%d", j)))
	}
	all := func(dst []spec.Hop, channels ...spec.ChannelID) []spec.Hop {
		for _, c := range channels {
			dst = append(dst, spec.Hop{Channel: c})
		}
		return dst
	}
	return compile(t, routing.Definition{
		Name: "pigeonholes", Topology: top,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
			return src == middle && dst == exit || src == entry && slices.Contains(dests, dst)
		},
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, header spec.Header) []spec.Hop {
			i := slices.Index(dests, header.Dest)
			switch {
			case at.IsInjection() && i < 0:
				return all(dst, h)
			case at.IsInjection():
				return all(dst, ts[i])
			case at == h && i < 0:
				return all(dst, ts...)
			case at == h:
				return all(dst, ends[i])
			case i >= 0 && at == ts[i]:
				return all(all(dst, sinks[i]), ms...)
			case slices.Contains(ms, at):
				return all(dst, h)
			}
			return dst
		})),
	})
}

func TestPigeonholes(t *testing.T) {
	for pigeons := 2; pigeons <= 6; pigeons++ {
		for _, holes := range []int{1, pigeons - 1, pigeons, pigeons + 2} {
			n := pigeonholes(t, pigeons, holes)
			u, candidates := rest(t, n)
			if want := 1 + pigeons + holes; len(candidates) != want {
				t.Fatalf("%d pigeons, %d holes: the fixpoint leaves %d channels, want %d: h, all t, all m", pigeons, holes, len(candidates), want)
			}
			start := time.Now()
			found, decided, err := wormhole.Search(t.Context(), n, u, candidates, wormhole.Options{})
			if err != nil || !decided {
				t.Fatalf("%d pigeons, %d holes: decided %t, %v", pigeons, holes, decided, err)
			}
			t.Logf("%d pigeons, %d holes: %v", pigeons, holes, time.Since(start))
			if pigeons > holes {
				if found != nil {
					t.Errorf("%d pigeons, %d holes: stuck", pigeons, holes)
				}
				continue
			}
			var lengths []int
			for _, w := range found {
				lengths = append(lengths, len(w.Sites))
			}
			slices.Sort(lengths)
			want := append([]int{1}, slices.Repeat([]int{2}, pigeons)...)
			if !slices.Equal(lengths, want) {
				t.Errorf("%d pigeons, %d holes: worms of %v channels, want %v", pigeons, holes, lengths, want)
			}
		}
	}
}

// TestBudget: a search that used up its steps says so, as one without sums soon does; a larger budget decides
// the same question, with progress reports.
func TestBudget(t *testing.T) {
	n := pigeonholes(t, 8, 7)
	u, candidates := rest(t, n)
	for _, tt := range []struct {
		steps int64
		want  bool
	}{{10, false}, {0, true}} {
		var last int64
		found, decided, err := wormhole.Search(t.Context(), n, u, candidates, wormhole.Options{Plain: true, Steps: tt.steps, Progress: func(steps int64) {
			if steps <= last {
				t.Errorf("progress went from %d to %d", last, steps)
			}
			last = steps
		}})
		if err != nil || found != nil || decided != tt.want {
			t.Errorf("%d steps: %v, decided %t, %v; want decided %t", tt.steps, found, decided, err, tt.want)
		}
		if decided && last == 0 {
			t.Error("no progress was reported")
		}
	}
}

// TestInterrupted: a proof that would take minutes without sums ends soon after its context.
func TestInterrupted(t *testing.T) {
	n := pigeonholes(t, 12, 11)
	u, candidates := rest(t, n)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	found, decided, err := wormhole.Search(ctx, n, u, candidates, wormhole.Options{Plain: true})
	if !errors.Is(err, context.DeadlineExceeded) || found != nil || decided {
		t.Errorf("%v, %t, %v; want the context's error", found, decided, err)
	}
}
