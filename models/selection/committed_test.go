package selection

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// tagged is the relation of packets that carry in their tag what they have committed to, dimension times 3 plus the
// class: a hop says what the packet commits to next. It knows nothing of alternatives.
type tagged struct {
	g *grid.Grid
	o Options
}

func (r tagged) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v := r.g.Head(at)
	for _, c := range r.o.possible(r.o.directions(r.g, v, h.Dest)) {
		dim, _ := r.g.Direction(c)
		if choice := spec.Tag(dim*3 + r.g.VC(c)); !at.IsInjection() && choice != h.Tag {
			continue
		}
		next := r.g.Head(c)
		if next == h.Dest {
			dst = append(dst, spec.Hop{Channel: c})
			continue
		}
		for _, then := range r.o.possible(r.o.directions(r.g, next, h.Dest)) {
			dim, _ := r.g.Direction(then)
			dst = append(dst, spec.Hop{Channel: c, Tag: spec.Tag(dim*3 + r.g.VC(then))})
		}
	}
	return dst, nil
}

// TestCommitsAsTags: commitment as oblivious choice has the sites, the states and the verdicts of commitment by tags, on
// rings of three, with few packets where there are many states.
func TestCommitsAsTags(t *testing.T) {
	type counts struct {
		Sites, States int
		Verdict       spec.Verdict
	}
	several := 0
	for _, form := range []Form{Stale, Early} {
		for f := range Names {
			if !seedtest.Sampled(f, 3) {
				continue
			}
			o := Options{K: 3, N: 1, OneWay: true, Function: Function(f), Form: form}
			g, err := newGrid(o)
			if err != nil {
				t.Fatal(err)
			}
			committed, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			old := committed
			old.Tags, old.Routing = 3*o.N, routing.Deliver(g.Topology, tagged{g, o})
			var of [2]counts
			for i, def := range []routing.Definition{old, committed} {
				def.Switching = spec.StoreAndForward
				def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return dst == (src+2)%3 }
				n := routingtest.Compile(t, def)
				if i == 1 && n.Alternatives() > 1 {
					several++
				}
				r, err := checker.Check(t.Context(), n, checker.Question{
					Explore: checker.Whole, Properties: []string{spec.DeadlockFreedom.String()},
				})
				if err != nil {
					t.Fatal(err)
				}
				of[i] = counts{Sites: n.SiteCount(), States: int(r.States), Verdict: r.Findings[0].Verdict}
			}
			if diff := cmp.Diff(of[0], of[1]); diff != "" {
				t.Errorf("%s, %s (-tags +alternatives):\n%s", Names[f], FormNames[form], diff)
			}
		}
	}
	if seedtest.Usual() && several == 0 {
		t.Error("no function commits to one of several channels")
	}
}
