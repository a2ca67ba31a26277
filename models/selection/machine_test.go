package selection

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// walk visits all reachable states with a queue and a map.
func walk(t testing.TB, m *Machine, most int, visit func(s []uint64, next [][]uint64)) {
	t.Helper()
	words := m.Layout().Words()
	queue, seen := slices.Collect(slices.Chunk(m.Start(nil), words)), map[string]bool{}
	var key []byte
	known := func(s []uint64) bool {
		key = key[:0]
		for _, w := range s {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		return seen[string(key)]
	}
	for _, s := range queue {
		known(s)
		seen[string(key)] = true
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if len(seen) > most {
			t.Fatalf("%s: more than %d states", m.Name(), most)
		}
		flat, err := m.AppendSuccessors(nil, queue[0])
		if err != nil {
			t.Fatal(err)
		}
		next := slices.Collect(slices.Chunk(flat, words))
		visit(queue[0], next)
		for _, s := range next {
			if !known(s) {
				seen[string(key)] = true
				queue = append(queue, s)
			}
		}
	}
}

// TestConditions: the conditions agree, on the variables that hold the view, with choices,
// with the neighbours and the history left open. CCB read literally may wait.
func TestConditions(t *testing.T) {
	seedtest.Few(3, func() {
		rapid.Check(t, func(rt *rapid.T) {
			o := torus{K: rapid.IntRange(2, 5).Draw(rt, "k"), N: rapid.IntRange(1, 3).Draw(rt, "n"), OneWay: rapid.Bool().Draw(rt, "one way"),
				Tie: grid.TieParity, Reading: Reading(rapid.IntRange(0, 1).Draw(rt, "reading"))}
			g, err := gridOf(o)
			if err != nil {
				rt.Fatal(err)
			}
			node := rapid.Map(rapid.IntRange(0, g.Nodes()-1), func(v int) spec.NodeID { return spec.NodeID(v) })
			all := o.directions(g, node.Draw(rt, "node"), node.Draw(rt, "dest"))
			if len(all) == 0 {
				return
			}
			p := program.New("view")
			free := map[spec.ChannelID]program.Var{}
			for _, w := range all {
				for class := range spec.ChannelID(3) {
					free[w.first+class] = p.Var(fmt.Sprint(len(p.Variables)), 2)
				}
			}
			see := view{}
			s := status{free: func(c spec.ChannelID) program.Expr { return program.Eq(free[c], 1) }}
			state := make([]int, len(p.Variables))
			for set := range 1 << (3 * len(all)) {
				see.free = freeIn(all, set)
				for c, x := range free {
					state[x] = 0
					if see.free(c) {
						state[x] = 1
					}
				}
				for f := range Names {
					want := Function(f).choices(nil, all, o.Reading, see)
					var got []spec.ChannelID
					for _, w := range all {
						w.each(func(c spec.ChannelID) {
							if e := Function(f).condition(all, w, g.VC(c), s); e.Holds(state) {
								got = append(got, c)
							}
						})
					}
					slices.Sort(want)
					slices.Sort(got)
					if diff := cmp.Diff(want, got); diff != "" {
						rt.Fatalf("%s, status %b (-choices +conditions):\n%s", Names[f], set, diff)
					}
				}
			}
		})
	})
}
