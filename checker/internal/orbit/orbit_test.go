package orbit_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// parts is a state of n like parts, each with a few fields of its own, one of
// which may name a part; and of shared fields, some of which name parts.
type parts struct {
	n      int
	layout states.Layout
	own    [][]int // by part
	names  []bool  // by field: value v < n is part v
}

func newParts(t *rapid.T, n int) *parts {
	p := &parts{n: n, own: make([][]int, n)}
	widths := rapid.SliceOfN(rapid.SampledFrom([]uint64{1, 2, 3, 7, 16, 300, 1 << 20}), 1, 6).Draw(t, "widths")
	many := rapid.IntRange(0, 3).Draw(t, "many") == 0 // names, looked up in tables, in several words
	if many {
		widths = make([]uint64, rapid.IntRange(4, 12).Draw(t, "number"))
	}
	field := func(values uint64, names bool) int {
		if names {
			values = uint64(n + 1) // n: none
		}
		p.layout.Field("f", values)
		p.names = append(p.names, names)
		return len(p.names) - 1
	}
	for _, w := range widths {
		names := many || rapid.Bool().Draw(t, "names")
		if rapid.IntRange(0, 3).Draw(t, "shared") == 0 {
			field(w, names)
			continue
		}
		for i := range n {
			p.own[i] = append(p.own[i], field(w, names))
		}
	}
	return p
}

// renaming is what part i becoming part perm[i] does.
func (p *parts) renaming(perm []int) orbit.Renaming {
	r := orbit.Renaming{Values: make([][]uint64, len(p.names))}
	for i := range p.names {
		r.To = append(r.To, i)
		if p.names[i] {
			for _, to := range perm {
				r.Values[i] = append(r.Values[i], uint64(to))
			}
			r.Values[i] = append(r.Values[i], uint64(p.n))
		}
	}
	for i, to := range perm {
		for k := range p.own[i] {
			r.To[p.own[i][k]] = p.own[to][k]
		}
	}
	return r
}

// apply is what a renaming means, field by field.
func (p *parts) apply(r orbit.Renaming, s []uint64) []uint64 {
	out := make([]uint64, len(s))
	fields := p.layout.Fields()
	for i, f := range fields {
		v := f.Of(s)
		if r.Values != nil && r.Values[i] != nil {
			v = r.Values[i][v]
		}
		fields[r.To[i]].Put(out, v)
	}
	return out
}

// permutations returns all permutations of n parts.
func permutations(n int) [][]int {
	all := [][]int{nil}
	for k := range n {
		var longer [][]int
		for _, perm := range all {
			for at := range k + 1 {
				longer = append(longer, slices.Insert(slices.Clone(perm), at, k))
			}
		}
		all = longer
	}
	return all
}

// group draws a group of permutations of n parts: all, rotations, or those that
// keep pairs together.
func group(t *rapid.T, n int) [][]int {
	all := permutations(n)
	switch rapid.IntRange(0, 2).Draw(t, "group") {
	case 1:
		all = slices.DeleteFunc(all, func(perm []int) bool {
			for i := range perm {
				if (perm[(i+1)%n]-perm[i]+n)%n != 1%n {
					return true
				}
			}
			return false
		})
	case 2:
		all = slices.DeleteFunc(all, func(perm []int) bool {
			for i := range perm {
				if perm[i]/2 != perm[i/2*2]/2 {
					return true
				}
			}
			return false
		})
	}
	return all
}

// TestLeast: the least image is an image, and the same for all images of a state. So it
// represents this orbit and no other.
func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newParts(t, rapid.IntRange(1, 4).Draw(t, "parts"))
		var renamings []orbit.Renaming
		perms := group(t, p.n)
		slices.SortFunc(perms, slices.Compare) // the first is the identity
		for _, perm := range perms {
			renamings = append(renamings, p.renaming(perm))
		}
		l, err := orbit.New(&p.layout, renamings)
		if err != nil {
			t.Fatal(err)
		}
		s := make([]uint64, p.layout.Words())
		for _, f := range p.layout.Fields() {
			// Small values, so that parts are often equal.
			f.Put(s, rapid.Uint64Range(0, min(f.Values-1, uint64(rapid.SampledFrom([]int{0, 1, 1 << 20}).Draw(t, "most")))).Draw(t, "value"))
		}
		want := slices.Clone(s)
		l.Replace(want)
		others, err := orbit.New(&p.layout, renamings[1:])
		if err != nil {
			t.Fatal(err)
		}
		got, ways := slices.Clone(s), 0
		by, n := others.ReplaceBy(got)
		different := map[string]bool{}
		for _, r := range renamings {
			different[fmt.Sprint(r)] = true
			if slices.Equal(p.apply(r, s), want) {
				ways++
			}
		}
		if !slices.Equal(got, want) || !slices.Equal(p.apply(renamings[by], s), want) || ways != n && len(different) == len(renamings) {
			t.Fatalf("%s: %s in %d ways, such as %v, want %s in %d", p.layout.Text(s), p.layout.Text(got), n, renamings[by], p.layout.Text(want), ways)
		}
		is := false
		for _, r := range renamings {
			image := p.apply(r, s)
			is = is || slices.Equal(image, want)
			l.Replace(image)
			if !slices.Equal(image, want) {
				t.Fatalf("%s: the least image is %s, of its image under %v it is %s", p.layout.Text(s), p.layout.Text(want), r, p.layout.Text(image))
			}
		}
		if !is {
			t.Fatalf("%s: no image is %s", p.layout.Text(s), p.layout.Text(want))
		}
	})
}

// TestGenerators: composing the generators gives all, and there are no more generators than
// halving allows: each at least doubles the group (Lagrange).
func TestGenerators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newParts(t, rapid.IntRange(1, 4).Draw(t, "parts"))
		perms := group(t, p.n)
		var renamings []orbit.Renaming
		for _, perm := range perms {
			renamings = append(renamings, p.renaming(perm))
		}
		chosen := orbit.Generators(renamings)
		if 1<<len(chosen) > len(perms) {
			t.Fatalf("%d generators of %d renamings", len(chosen), len(perms))
		}
		// The permutations themselves, composed until nothing is new; parts without a field or a
		// name make no difference.
		reached := map[string]bool{}
		state := func(perm []int) []uint64 {
			s := make([]uint64, p.layout.Words())
			for i, f := range p.layout.Fields() {
				f.Put(s, uint64(i*31+7)%f.Values)
			}
			return p.apply(p.renaming(perm), s)
		}
		key := func(s []uint64) string { return fmt.Sprint(s) }
		identity := make([]int, p.n)
		for i := range identity {
			identity[i] = i
		}
		queue := [][]uint64{state(identity)}
		for len(queue) > 0 {
			s := queue[0]
			queue = queue[1:]
			if reached[key(s)] {
				continue
			}
			reached[key(s)] = true
			for _, k := range chosen {
				queue = append(queue, p.apply(renamings[k], s))
			}
		}
		for _, perm := range perms {
			if !reached[key(state(perm))] {
				t.Fatalf("the generators do not reach %v", perm)
			}
		}
	})
}

// TestGroup: one symmetry after another, and back, on states.
func TestGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newParts(t, rapid.IntRange(2, 4).Draw(t, "parts"))
		var renamings []orbit.Renaming
		for _, perm := range group(t, p.n) {
			renamings = append(renamings, p.renaming(perm))
		}
		g, ok := orbit.NewGroup(renamings)
		if !ok {
			t.Fatal("not a group")
		}
		s := make([]uint64, p.layout.Words())
		for i, f := range p.layout.Fields() {
			f.Put(s, uint64(i*31+7)%f.Values)
		}
		by := func(a int32, s []uint64) []uint64 { return p.apply(g.Renamings[a], s) }
		some := func() int32 { return int32(rapid.IntRange(0, g.Order()-1).Draw(t, "symmetry")) }
		a, b := some(), some()
		if want, got := by(b, by(a, s)), by(g.Compose(a, b), s); !slices.Equal(got, want) {
			t.Fatalf("%v and then %v is %v", g.Renamings[a], g.Renamings[b], g.Renamings[g.Compose(a, b)])
		}
		if !slices.Equal(by(g.Inverse(a), by(a, s)), s) || !slices.Equal(by(0, s), s) {
			t.Fatalf("%v does not take %v back", g.Renamings[g.Inverse(a)], g.Renamings[a])
		}
		if a > 0 {
			of, k := g.Made(a)
			if of >= a || !slices.Equal(by(a, s), p.apply(renamings[g.Generators[k]], by(of, s))) {
				t.Fatalf("%v is not made of %v", g.Renamings[a], g.Renamings[of])
			}
		}
	})
}

// TestNoGroup: given two rotations of three parts by one, without the rotation by two,
// neither is left out.
func TestNoGroup(t *testing.T) {
	r := func(to ...int) orbit.Renaming { return orbit.Renaming{To: to} }
	if got := orbit.Generators([]orbit.Renaming{r(1, 2, 0), r(1, 0, 2)}); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("%v, want both", got)
	}
	if got := orbit.Generators([]orbit.Renaming{r(1, 2, 0), r(2, 0, 1)}); !slices.Equal(got, []int{0}) {
		t.Errorf("%v: the second is the first twice", got)
	}
}

// TestRefused: what is not a renaming of the fields.
func TestRefused(t *testing.T) {
	var l states.Layout
	l.Field("a", 2)
	l.Field("b", 2)
	l.Field("c", 4)
	for name, r := range map[string]orbit.Renaming{
		"too few fields":        {To: []int{1, 0}},
		"not a field":           {To: []int{1, 0, 3}},
		"a field twice":         {To: []int{1, 1, 2}},
		"fewer values":          {To: []int{2, 1, 0}},
		"a table too short":     {To: []int{0, 1, 2}, Values: [][]uint64{nil, nil, {1, 0}}},
		"a value out of range":  {To: []int{0, 1, 2}, Values: [][]uint64{{0, 2}, nil, nil}},
		"tables of other count": {To: []int{0, 1, 2}, Values: [][]uint64{nil}},
	} {
		if _, err := orbit.New(&l, []orbit.Renaming{r}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
