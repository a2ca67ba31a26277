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
)

func machine(t testing.TB, o Options, traffic Traffic) *Machine {
	t.Helper()
	m, err := NewMachine(o, traffic)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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
		flat, err := m.Next(nil, queue[0])
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

// held is what is in the channels: destinations.
func (m *Machine) held(s []uint64) map[spec.ChannelID]spec.NodeID {
	in := map[spec.ChannelID]spec.NodeID{}
	for c, x := range m.b.channels {
		if !x.used {
			continue
		}
		if v := m.Layout().Fields()[x.content].Of(s); v > 0 {
			in[spec.ChannelID(c)] = m.b.dests[v-1]
		}
	}
	return in
}

// TestConditions: what choices does with a view, the conditions say of the
// variables that hold the view.
func TestConditions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{K: rapid.IntRange(2, 5).Draw(rt, "k"), N: rapid.IntRange(1, 3).Draw(rt, "n"), OneWay: rapid.Bool().Draw(rt, "one way"),
			Tie: grid.TieParity, Reading: Reading(rapid.IntRange(0, 1).Draw(rt, "reading"))}
		g, err := newGrid(o)
		if err != nil {
			rt.Fatal(err)
		}
		node := rapid.Map(rapid.IntRange(0, g.Nodes()-1), func(v int) spec.NodeID { return spec.NodeID(v) })
		all := o.ways(g, node.Draw(rt, "node"), node.Draw(rt, "dest"))
		if len(all) == 0 {
			return
		}
		p := program.New("view")
		values := map[program.Var]int{}
		drawn := func(most int, what string) program.Var {
			x := p.Var(fmt.Sprint(len(p.Variables)), most+1)
			values[x] = rapid.IntRange(0, most).Draw(rt, what)
			return x
		}
		free, rank, ahead := map[spec.ChannelID]program.Var{}, map[spec.ChannelID]program.Var{}, map[int]program.Var{}
		for _, w := range all {
			ahead[w.dim] = drawn(2, "ahead")
			for class := range spec.ChannelID(3) {
				free[w.first+class] = p.Var(fmt.Sprint(len(p.Variables)), 2)
				rank[w.first+class] = drawn(2, "rank")
			}
		}
		see := view{}
		s := status{free: func(c spec.ChannelID) program.Expr { return program.Eq(free[c], 1) }}
		if rapid.Bool().Draw(rt, "looks ahead") {
			see.ahead = func(w way) int { return values[ahead[w.dim]] }
			s.ahead = func(w way) program.Expr { return program.Value(ahead[w.dim]) }
		}
		if rapid.Bool().Draw(rt, "history") {
			see.past = func(a, b spec.ChannelID) int { return values[rank[a]] - values[rank[b]] }
			s.later = func(a, b spec.ChannelID) program.Expr { return program.Lt(rank[b], rank[a]) }
		}
		state := make([]int, len(p.Variables))
		for x, v := range values {
			state[x] = v
		}
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
						if e := Function(f).condition(all, w, g.VC(c), o.Reading, s); e.Holds(state) {
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
}
