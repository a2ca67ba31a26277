package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// results decides all cases of a question.
func results(t rapid.TB, q *sweep.Question, opt sweep.Options) []sweep.Result {
	t.Helper()
	p, err := q.Plan(context.Background(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := sweep.WriteHeader(&out, p.Header(opt)); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background(), &out, nil, opt); err != nil {
		t.Fatal(err)
	}
	_, found, _, err := sweep.ReadResults(&out)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// orbitsOf counts the cases that each case stands for.
func orbitsOf(found []sweep.Result) map[int]int {
	sizes := map[int]int{}
	for _, r := range found {
		if r.Like == nil {
			sizes[r.Case]++
		} else {
			sizes[*r.Like]++
		}
	}
	return sizes
}

// TestUpToSymmetry: deciding orbits gives, case by case, the verdicts and the digests of deciding
// each case, for drawn networks, some of them the same except for names, with failures and sets of
// destinations; and for any number of workers.
func TestUpToSymmetry(t *testing.T) {
	alike := 0
	seedtest.Sample(t, 15)
	rapid.Check(t, func(rt *rapid.T) {
		defs := []routing.Definition{}
		for range 2 {
			defs = append(defs, netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, MayFail: true, Sparse: true, Ring: true}))
		}
		for range 2 {
			from := rapid.SampledFrom(defs[:2]).Draw(rt, "renamed")
			nodes := make([]int, from.Topology.Nodes())
			for v := range nodes {
				nodes[v] = v
			}
			defs = append(defs, netgen.Relabelled(from, rapid.Permutation(nodes).Draw(rt, "nodes")))
		}
		q := &sweep.Question{
			Network: "drawn", Ranges: []sweep.Range{{Name: "n", Values: []string{"0", "1", "2", "3"}}},
			Links: rapid.IntRange(0, 1).Draw(rt, "links"), Nodes: rapid.IntRange(0, 1).Draw(rt, "failed nodes"), Dests: rapid.IntRange(0, 2).Draw(rt, "dests"),
			Build: func(_ context.Context, set map[string]string) (routing.Definition, error) {
				return defs[set["n"][0]-'0'], nil
			},
		}
		opt := sweep.Options{MaxStates: 200, Workers: 1}
		plain := results(rt, q, opt)
		opt.Workers = rapid.IntRange(2, 9).Draw(rt, "workers")
		if diff := cmp.Diff(plain, results(rt, q, opt)); diff != "" {
			rt.Fatalf("one worker (-), %d (+):\n%s", opt.Workers, diff)
		}
		q.UpToSymmetry = true
		found := results(rt, q, opt)
		for _, r := range found {
			if r.Like != nil {
				alike++
			}
		}
		for i := range found {
			found[i].Like = nil
		}
		if diff := cmp.Diff(plain, found); diff != "" {
			rt.Fatalf("each by itself (-), up to symmetry (+):\n%s", diff)
		}
	})
	if seedtest.Usual() && alike == 0 {
		t.Error("no two cases were alike")
	}
}

// TestOrbitsOfRings: the symmetries of a one-way ring are its rotations; so sets of destinations
// are necklaces, and all links are alike.
func TestOrbitsOfRings(t *testing.T) {
	for _, tt := range []struct {
		q    sweep.Question
		want []int // sizes of orbits
	}{
		{sweep.Question{Set: map[string]string{"n": "5"}, Links: 1}, []int{1, 5}},
		// Of two among five nodes: next to each other, or with one between.
		{sweep.Question{Set: map[string]string{"n": "5"}, Dests: 2}, []int{5, 5, 5}},
		// Of six: one, two at distance 1, 2 or 3, three in 6, 6, 6 and 2 ways.
		{sweep.Question{Set: map[string]string{"n": "6"}, Dests: 3}, []int{2, 3, 6, 6, 6, 6, 6, 6}},
	} {
		q := of(t, "ring", tt.q)
		q.UpToSymmetry = true
		var sizes []int
		for _, n := range orbitsOf(results(t, q, sweep.Options{Explore: checker.Never})) {
			sizes = append(sizes, n)
		}
		slices.Sort(sizes)
		if diff := cmp.Diff(tt.want, sizes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.Text(), diff)
		}
	}
}

// TestOrbitsResumed: cut off anywhere and continued, the results are the same, byte for byte; with
// shards they are refused, and so is a line that is like no earlier case.
func TestOrbitsResumed(t *testing.T) {
	q := of(t, "ring", sweep.Question{Ranges: []sweep.Range{{Name: "n", Values: []string{"3", "4"}}}, Links: 1, Dests: 1, UpToSymmetry: true})
	whole := run(t, q, "", sweep.Options{Explore: checker.Never})
	if !strings.Contains(whole, `"like":`) {
		t.Fatal(whole)
	}
	for cut := 0; cut < len(whole); cut += 97 {
		if again := run(t, q, whole[:cut], sweep.Options{Explore: checker.Never, Workers: 2}); again != whole {
			t.Fatalf("resumed at byte %d (-whole +resumed):\n%s", cut, cmp.Diff(whole, again))
		}
	}
	p, err := q.Plan(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), io.Discard, nil, sweep.Options{Shard: 1, Shards: 2}); !errors.Is(err, sweep.ErrShards) {
		t.Error(err)
	}
	lines := strings.SplitAfter(whole, "\n")
	image := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"like":`) })
	for what, lie := range map[string][2]string{
		"itself": {`"like":`, fmt.Sprintf(`"like":%d,"was":`, image-1)}, "later": {`"like":`, `"like":9`},
		"another verdict": {`"deadlock-freedom":"holds"`, `"deadlock-freedom":"violated"`},
	} {
		forged := slices.Clone(lines)
		forged[image] = strings.Replace(forged[image], lie[0], lie[1], 1)
		if _, _, _, err := sweep.ReadResults(strings.NewReader(strings.Join(forged, ""))); err == nil {
			t.Errorf("%s: %s", what, forged[image])
		}
	}
}

// TestOrbitsOfOne: if no two cases are alike, the summary has a row for each.
func TestOrbitsOfOne(t *testing.T) {
	q := of(t, "ring", sweep.Question{Ranges: []sweep.Range{{Name: "n", Values: []string{"3"}}}, Links: 0, UpToSymmetry: true})
	h, found, _, err := sweep.ReadResults(strings.NewReader(run(t, q, "", sweep.Options{Explore: checker.Never})))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := sweep.Summarise(h, found).Write(&text); err != nil || !strings.Contains(text.String(), "0 of 1 case holds, 0 of 1 orbit\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestFirstThatFails: no case is like one that cannot be built.
func TestFirstThatFails(t *testing.T) {
	q := &sweep.Question{Network: "ring", Ranges: []sweep.Range{{Name: "n", Values: []string{"3", "3"}}}, Links: 1, Reroute: "down", UpToSymmetry: true}
	ring := of(t, "ring", sweep.Question{})
	q.Build = func(ctx context.Context, set map[string]string) (routing.Definition, error) {
		if set["down"] != "" {
			return routing.Definition{}, fmt.Errorf("no way round %s", set["down"])
		}
		return ring.Build(ctx, map[string]string{"n": "3"})
	}
	for _, r := range results(t, q, sweep.Options{Explore: checker.Never}) {
		if failed := len(r.Links) > 0; (r.Error != "") != failed || failed && r.Like != nil ||
			r.Case == 4 && (r.Like == nil || *r.Like != 0) || !r.Deadlock.Asked && !failed {
			t.Errorf("%+v", r)
		}
	}
}
