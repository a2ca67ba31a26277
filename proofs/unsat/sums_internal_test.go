package unsat

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// sums is a drawn formula, small enough to try all values.
type sums struct {
	clauses
	given  [][]int32
	groups [][]int32
}

// holds reports whether the values, a bit for each variable, satisfy the formula.
func (s *sums) holds(values int) bool {
	count := 0
	for v := s.first; v < s.last; v++ {
		count += values >> v & 1
	}
	return count <= s.most && !slices.ContainsFunc(s.given, func(clause []int32) bool { return !satisfied(clause, values) }) &&
		!slices.ContainsFunc(s.groups, func(group []int32) bool {
			return len(slices.DeleteFunc(slices.Clone(group), func(l int32) bool { return !satisfied([]int32{l}, values) })) > 1
		})
}

func satisfied(clause []int32, values int) bool {
	return slices.ContainsFunc(clause, func(l int32) bool { return values>>(l/2)&1 != int(l%2) })
}

// TestSums: what follows by a sum is true for all values that satisfy the formula, and
// pigeons that are too many for their holes are refuted. A sum is drawn and then spoiled: a
// literal is replaced, a clause is left out or taken twice.
func TestSums(t *testing.T) {
	accepted, refused, needed := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		pigeons, holes := rapid.IntRange(2, 4).Draw(rt, "pigeons"), rapid.IntRange(1, 3).Draw(rt, "holes")
		variables := pigeons*holes + pigeons
		s := &sums{clauses: newClauses(variables), groups: make([][]int32, holes)}
		literal := rapid.Int32Range(0, int32(2*variables-1))
		var clause []int32
		var sum [][]int32
		counted := rapid.IntRange(0, 3).Draw(rt, "counted") == 3 // the first pigeon's holes may be counted
		if counted {
			s.last, s.most = int32(holes), rapid.IntRange(0, holes).Draw(rt, "most")
		}
		for i := range pigeons {
			extra := int32(pigeons*holes + i)
			some, given := []int32(nil), []int32(nil)
			for j := range holes {
				if rapid.IntRange(0, 3).Draw(rt, "fits") != 3 {
					l := yes(int32(i*holes + j))
					some = append(some, l)
					if !counted || i > 0 {
						s.groups[j] = append(s.groups[j], l)
					}
				}
			}
			given = slices.Clone(some)
			if rapid.Bool().Draw(rt, "left out") {
				given = append(given, yes(extra))
				clause = append(clause, yes(extra))
			} else if j := rapid.IntRange(0, holes).Draw(rt, "leaves"); j < holes {
				s.groups[j] = append(s.groups[j], no(extra)) // a hole that can be shown to be unused
				given, some = append(given, no(extra)), append(some, no(extra))
			}
			s.given, sum = append(s.given, given), append(sum, some)
		}
		for range max(0, rapid.IntRange(-2, 3).Draw(rt, "others")) {
			s.given = append(s.given, rapid.SliceOfN(literal, 1, 3).Draw(rt, "clause"))
		}
		for _, group := range s.groups {
			s.atMostOne(group)
		}
		for _, given := range s.given {
			s.add(given...)
		}
		for range max(0, rapid.IntRange(-1, 2).Draw(rt, "mutations")) {
			i := rapid.IntRange(0, len(sum)-1).Draw(rt, "of")
			switch rapid.IntRange(0, 3).Draw(rt, "mutation") {
			case 0:
				sum = append(sum, sum[i])
			case 1:
				sum = slices.Delete(slices.Clone(sum), i, i+1)
			case 2:
				if len(sum[i]) > 0 {
					sum[i] = slices.Clone(sum[i])
					sum[i][rapid.IntRange(0, len(sum[i])-1).Draw(rt, "place")] = literal.Draw(rt, "literal")
				}
			case 3:
				clause = append(clause, literal.Draw(rt, "literal"))
			}
			if len(sum) == 0 {
				break
			}
		}
		implied := true
		for values := range 1 << variables {
			implied = implied && (!s.holds(values) || satisfied(clause, values))
		}
		if s.contradiction {
			return
		}
		alone := s.follows(context.Background(), clause)
		follows := s.follows(context.Background(), clause, sum...)
		switch {
		case (follows || alone) && !implied:
			rt.Fatalf("groups %v, clauses %v, at most %d of the first %d: %v does not follow, though the sum of %v says so",
				s.groups, s.given, s.most, s.last, clause, sum)
		case follows && !alone:
			needed++
			accepted++
		case follows:
			accepted++
		default:
			refused++
		}
		if again := s.follows(context.Background(), clause, sum...); again != follows {
			rt.Fatalf("%v follows: %t, and then %t", clause, follows, again)
		}
	})
	t.Logf("%d follow, %d of them by their sum alone; %d do not", accepted, needed, refused)
	if seedtest.Usual() && (needed < 3 || refused < 3) {
		t.Errorf("too few follow by their sum alone, or too few do not: %d and %d", needed, refused)
	}
}

// TestSumOfPigeons: three pigeons are too many for two holes, whatever is counted twice or left
// out; two are not, even if one is counted twice.
func TestSumOfPigeons(t *testing.T) {
	c := newClauses(6) // pigeon i in hole j: 2i+j
	c.atMostOne([]int32{yes(0), yes(2), yes(4)})
	c.atMostOne([]int32{yes(1), yes(3), yes(5)})
	a, b, d := []int32{yes(0), yes(1)}, []int32{yes(2), yes(3)}, []int32{yes(4), yes(5)}
	c.add(a...)
	c.add(b...)
	for _, tt := range []struct {
		clause []int32
		sum    [][]int32
		want   bool
	}{
		{[]int32{no(4), no(5)}, nil, true},
		{[]int32{no(4)}, nil, true},
		{nil, [][]int32{a, b, d}, false}, // d does not follow
		{nil, [][]int32{a, b}, false},
		{nil, [][]int32{a, b, b}, false},
		{nil, [][]int32{a, a, b, b}, false},
		{nil, [][]int32{a, b, {}}, false},
	} {
		if got := c.follows(t.Context(), tt.clause, tt.sum...); got != tt.want {
			t.Errorf("%v by the sum of %v: %t", tt.clause, tt.sum, got)
		}
	}
	c.add(d...)
	for _, tt := range []struct {
		sum  [][]int32
		want bool
	}{
		{[][]int32{a, b, d}, true},
		{[][]int32{b, d, a}, true},
		{[][]int32{a, b, d, d}, false}, // d is true by one literal, which counts twice
		{[][]int32{a, a, b, b, d, d}, true},
		{[][]int32{a, b, {yes(4), yes(5), no(5)}}, false},
		{[][]int32{a, b}, false},
		{[][]int32{a, b, {yes(4)}}, true},
		{[][]int32{a, b, {no(4)}}, false},
	} {
		if got := c.follows(t.Context(), nil, tt.sum...); got != tt.want {
			t.Errorf("the sum of %v: %t", tt.sum, got)
		}
	}
	two := newClauses(4) // at most one of them
	two.last, two.most = 4, 1
	two.add(yes(0), yes(1))
	two.add(yes(2), yes(3))
	if two.follows(t.Context(), nil) || !two.follows(t.Context(), nil, []int32{yes(0), yes(1)}, []int32{yes(2), yes(3)}) {
		t.Error("two true ones are not too many, where at most one may be")
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if c.follows(stopped, nil, a, b, d) {
		t.Error("it goes on after it was stopped")
	}
}

// TestLeast: of three variables at most one is true, which counts twice in a sum, and of any two at least one is: too
// many, as long as a variable and its negation are a group.
func TestLeast(t *testing.T) {
	one, some := []int32{no(0), no(1), no(2)}, [][]int32{{yes(0), yes(1)}, {yes(1), yes(2)}, {yes(0), yes(2)}}
	for _, tt := range []struct {
		grouped     bool
		least, ways int
		want        bool
	}{{true, 2, 2, true}, {true, 1, 2, false}, {true, 2, 1, false}, {false, 2, 2, false}} {
		c := newClauses(3)
		c.least = func(clause []int32) int { return []int{1, tt.least}[len(clause)-2] }
		for v := int32(0); tt.grouped && v < 3; v++ {
			c.atMostOne([]int32{yes(v), no(v)})
		}
		for _, clause := range append(some, one) {
			c.add(slices.Clone(clause)...)
		}
		sum := append(slices.Repeat([][]int32{one}, tt.ways), some...)
		if got := c.follows(t.Context(), nil, sum...); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}

// TestLeastOfRepairs: in a one-way ring of six a packet takes four turns in a row; for two copies, three of them are
// not in a dateline. Under other schemes clauses are clauses.
func TestLeastOfRepairs(t *testing.T) {
	topo := spec.NewTopology()
	for range 6 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(6) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 6, VCs: 1})
	}
	def := routing.Definition{Name: "ring", Topology: topo, Switching: spec.Wormhole,
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
		}))}
	n := routingtest.Compile(t, def)
	for _, tt := range []struct {
		of          Unit
		least, both int
	}{{Dateline, 3, 2}, {Turns, 1, 0}, {Hops, 1, 0}, {Order, 1, 0}} {
		f, err := ofRepairs(t.Context(), n, Bound{tt.of, 2})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for from := range int32(6) { // turns in the order of the tables, whatever that is
			way := []int32{no(from), no((from + 1) % 6), no((from + 2) % 6), no((from + 3) % 6)}
			most = max(most, f.least(way))
			crossed := []int32{yes(from), yes((from + 1) % 6), yes((from + 2) % 6), yes((from + 3) % 6)}
			if across, one := f.least(crossed), f.least(way[:1]); across != 1 || one != 1 {
				t.Errorf("%s: turns that are crossed count as %d, and one turn as %d, want 1 and 1", tt.of, across, one)
			}
		}
		if most != tt.least || len(f.group[yes(1)]) != tt.both || len(f.group[no(1)]) != tt.both {
			t.Errorf("%s: at least %d literals, want %d; groups of %d, want %d", tt.of, most, tt.least, len(f.group[yes(1)]), tt.both)
		}
	}
}
