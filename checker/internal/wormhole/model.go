package wormhole

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Models of the formula: the paths that their hops make, and clauses against paths that lead to no head.

// follow returns, by kind, the edge that it follows in the model, or atHead; lost
// if it is not held or leads to no head.
func (f *formula) follow() []int32 {
	q := f.kinds
	edge := make([]int32, q.len())
	type hop struct{ from, edge int32 }
	into := make([]hop, q.len()) // the one hop into a kind taken from a held kind
	var queue []int32
	for v := range int32(q.len()) {
		edge[v] = lost
		if !f.IsTrue(f.held[v]) {
			continue
		}
		if q.want[v] >= 0 && f.IsTrue(f.end(v)) {
			edge[v] = atHead
			queue = append(queue, v)
			continue
		}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			if to := f.ahead(v, e); to >= 0 && f.IsTrue(f.hop[e]) {
				into[to] = hop{v, e + 1}
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		if in := into[queue[i]]; in.edge > 0 && edge[in.from] == lost {
			edge[in.from] = in.edge - 1
			queue = append(queue, in.from)
		}
	}
	return edge
}

// ahead returns the held kind that is first in the channel where a hop leads, or -1.
func (f *formula) ahead(from, edge int32) int32 {
	to := f.kinds.next[edge]
	if !f.kinds.loose {
		return to
	}
	for _, k := range f.at[f.kinds.channel[to]] {
		if f.IsTrue(f.held[k]) {
			return k
		}
	}
	return -1
}

const (
	lost   = -1
	atHead = -2
)

// demanded collects from a channel everything that must be held for its sake,
// and returns the kinds; ok is false if some lead to no head.
func (f *formula) demanded(seed spec.ChannelID, edge []int32) (kinds []int32, ok bool) {
	q := f.kinds
	before := map[int32]int32{} // the kind from which a worm comes to this one
	for v, e := range edge {
		if q.tail != nil && e >= 0 {
			before[q.next[e]] = int32(v)
		}
	}
	seen := map[spec.ChannelID]bool{}
	ok = true
	var visit func(c spec.ChannelID)
	queue := []spec.ChannelID{}
	visit = func(c spec.ChannelID) {
		if !seen[c] {
			seen[c] = true
			queue = append(queue, c)
		}
	}
	visit(seed)
	for i := 0; i < len(queue); i++ {
		for _, k := range f.at[queue[i]] {
			if !f.IsTrue(f.held[k]) {
				continue
			}
			kinds = append(kinds, k)
			if from, known := before[k]; known && !q.tail[k] {
				visit(q.channel[from])
			}
			switch e := edge[k]; e {
			case lost:
				ok = false
			case atHead:
				for _, c := range q.wants[q.want[k]] {
					visit(c)
				}
			default:
				visit(q.channel[q.next[e]])
			}
		}
	}
	return kinds, ok
}

// cycles returns sets of kinds that lead to no head in a model: all taken
// hops from a set stay inside it.
func (f *formula) cycles(kinds, edge []int32) [][]int32 {
	q := f.kinds
	if q.loose {
		return f.cyclesOfChannels(kinds, edge)
	}
	var sets [][]int32
	done := map[int32]bool{}
	for _, k := range kinds {
		if edge[k] != lost || done[k] {
			continue
		}
		inside := map[int32]bool{k: true}
		set := []int32{k}
		for i := 0; i < len(set); i++ {
			for e := q.first[set[i]]; e < q.first[set[i]+1]; e++ {
				if to := q.next[e]; f.IsTrue(f.hop[e]) && !inside[to] {
					inside[to] = true
					set = append(set, to)
				}
			}
		}
		slices.Sort(set)
		for _, v := range set {
			done[v] = true
		}
		sets = append(sets, set)
	}
	return sets
}

// cyclesOfChannels returns the kinds of sets of channels that no hop leaves in a model.
func (f *formula) cyclesOfChannels(kinds, edge []int32) (sets [][]int32) {
	done := make([]bool, len(f.at))
	for _, k := range kinds {
		first := f.kinds.channel[k]
		if edge[k] != lost || done[first] {
			continue
		}
		done[first] = true
		var set []int32
		for queue := []spec.ChannelID{first}; len(queue) > 0; queue = queue[1:] {
			for _, v := range f.at[queue[0]] {
				set = append(set, v)
				for e := f.kinds.first[v]; f.IsTrue(f.held[v]) && e < f.kinds.first[v+1]; e++ {
					if to := f.kinds.channel[f.kinds.next[e]]; f.IsTrue(f.hop[e]) && !done[to] {
						done[to] = true
						queue = append(queue, to)
					}
				}
			}
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	return sets
}

// escapes returns clauses against a set of kinds whose taken hops stay inside: a
// worm in one of them must be stuck in one of them or leave the set (a loop
// formula: Lin and Zhao 2004). They hold for every set of worms.
func (f *formula) escapes(set []int32) [][]sat.Literal {
	q := f.kinds
	var out []sat.Literal
	for _, v := range set {
		if q.loose {
			out = append(out, sat.Yes(f.head[q.channel[v]]))
		} else if q.want[v] >= 0 {
			out = append(out, sat.Yes(f.end(v)))
		}
		for e := q.first[v]; e < q.first[v+1]; e++ {
			if _, inside := slices.BinarySearch(set, q.next[e]); !inside {
				out = append(out, sat.Yes(f.hop[e]))
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	var clauses [][]sat.Literal
	for _, v := range set {
		clauses = append(clauses, append([]sat.Literal{sat.No(f.held[v])}, out...))
	}
	return clauses
}
