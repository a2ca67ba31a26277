package orbit_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawnSets is a layout of sets of like parts, in any order of fields: fields that each part has, fields that name
// parts, in several ways or none, and others.
type drawnSets struct {
	sizes  []int
	layout states.Layout
	fields []setField
}

// setField is one of a part's own, if part is not negative, or one that names parts by ways values each, of which the
// first few name none.
type setField struct {
	set, column, part int
	none, ways        int
}

func drawSets(t *rapid.T) *drawnSets {
	d := &drawnSets{}
	for range rapid.IntRange(1, 2).Draw(t, "sets") {
		d.sizes = append(d.sizes, rapid.IntRange(2, 4).Draw(t, "size"))
	}
	var values []uint64
	add := func(n int, f setField) {
		values = append(values, uint64(n))
		d.fields = append(d.fields, f)
	}
	column := func(set, number int) {
		n := rapid.SampledFrom([]int{1, 2, 3, 4, 9, 700}).Draw(t, "values")
		for part := range d.sizes[set] {
			add(n, setField{set: set, column: number, part: part})
		}
	}
	for set, size := range d.sizes {
		for number := range rapid.IntRange(1, 3).Draw(t, "columns") {
			column(set, number)
		}
		for range rapid.IntRange(0, 4).Draw(t, "naming") {
			f := setField{set: set, part: -1, none: rapid.IntRange(0, 2).Draw(t, "none"), ways: rapid.IntRange(1, 2).Draw(t, "ways")}
			add(f.none+f.ways*size, f)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "fixed") {
		add(rapid.SampledFrom([]int{2, 5, 1 << 30}).Draw(t, "values"), setField{part: -1, none: 1 << 30})
	}
	order := rapid.Permutation(identityOf(len(values))).Draw(t, "order")
	if rapid.Bool().Draw(t, "together") {
		order = identityOf(len(values))
	}
	fields := d.fields
	d.fields = nil
	for _, i := range order {
		d.layout.Field(fmt.Sprintf("f%d", i), values[i])
		d.fields = append(d.fields, fields[i])
	}
	return d
}

func identityOf(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// renaming is what a permutation of each set does.
func (d *drawnSets) renaming(perms [][]int) orbit.Renaming {
	r := orbit.Renaming{Values: make([][]uint64, len(d.fields))}
	for i, f := range d.fields {
		if f.part >= 0 {
			r.To = append(r.To, slices.IndexFunc(d.fields, func(o setField) bool {
				return o.part == perms[f.set][f.part] && o.set == f.set && o.column == f.column
			}))
			continue
		}
		if r.To = append(r.To, i); f.none == 1<<30 {
			continue
		}
		for v := range d.layout.Fields()[i].Values {
			to, size := int(v)-f.none, d.sizes[f.set]
			if to < 0 {
				r.Values[i] = append(r.Values[i], v)
				continue
			}
			r.Values[i] = append(r.Values[i], uint64(f.none+to/size*size+perms[f.set][to%size]))
		}
	}
	return r
}

// TestSorted: representatives made by sorting are images, the same for two states if and only if the least images by
// blocks are; as many renamings lead there; and those of steps are those of the states that they lead to.
func TestSorted(t *testing.T) {
	sorts := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawSets(t)
		p := &parts{layout: d.layout}
		var renamings []orbit.Renaming
		for _, first := range permutations(d.sizes[0]) {
			if len(d.sizes) == 1 {
				renamings = append(renamings, d.renaming([][]int{first}))
				continue
			}
			for _, second := range permutations(d.sizes[1]) {
				renamings = append(renamings, d.renaming([][]int{first, second}))
			}
		}
		renamings = slices.DeleteFunc(renamings, func(r orbit.Renaming) bool { // the identity is added
			return slices.Equal(r.To, identityOf(len(r.To))) && !slices.ContainsFunc(r.Values, func(table []uint64) bool {
				return !slices.IsSorted(table)
			})
		})
		l, err := orbit.New(&d.layout, renamings)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Sorts() {
			return
		}
		sorts++
		blocks := l.Blocks()
		draw := func() []uint64 {
			s := make([]uint64, d.layout.Words())
			for _, f := range d.layout.Fields() {
				f.Put(s, rapid.Uint64Range(0, min(f.Values-1, uint64(rapid.SampledFrom([]int{1, 8, 1 << 30}).Draw(t, "most")))).Draw(t, "value"))
			}
			return s
		}
		a, b := draw(), draw()
		if k := rapid.IntRange(-1, len(renamings)-1).Draw(t, "image"); k >= 0 {
			b = p.apply(renamings[k], a)
			if f := rapid.SampledFrom(d.layout.Fields()).Draw(t, "changed"); rapid.Bool().Draw(t, "other") {
				f.Put(b, rapid.Uint64Range(0, f.Values-1).Draw(t, "value"))
			}
		}
		of := func(l *orbit.Least, s []uint64) []uint64 {
			s = slices.Clone(s)
			l.Replace(s)
			return s
		}
		sorted, least := slices.Equal(of(l, a), of(l, b)), slices.Equal(of(blocks, a), of(blocks, b))
		if sorted != least {
			t.Fatalf("%s and %s: by blocks, one orbit is %v; sorted, %s and %s", d.layout.Text(a), d.layout.Text(b), least,
				d.layout.Text(of(l, a)), d.layout.Text(of(l, b)))
		}
		by, ways := l.ReplaceBy(slices.Clone(a))
		_, want := blocks.ReplaceBy(slices.Clone(a))
		image := a
		if by > 0 {
			image = p.apply(renamings[by-1], a)
		}
		if !slices.Equal(image, of(l, a)) || ways != want {
			t.Fatalf("%s: %s in %d ways, renaming %d makes %s in %d", d.layout.Text(a), d.layout.Text(of(l, a)), want, by,
				d.layout.Text(image), ways)
		}
		steps := slices.Concat(b, a, b)
		l.ReplaceSteps(a, steps)
		if !slices.Equal(steps, slices.Concat(of(l, b), of(l, a), of(l, b))) {
			t.Fatalf("steps from %s to %s, %s", d.layout.Text(a), d.layout.Text(b), d.layout.Text(a))
		}
	})
	if seedtest.Usual() && sorts == 0 {
		t.Error("no layout was sorted")
	}
}

// TestNotSorted: rotations, parts that name parts, and names without parts are left to blocks. All permutations of parts
// and of a field that names them are sorted.
func TestNotSorted(t *testing.T) {
	named := func(n int, own, shared bool) *parts {
		p := &parts{n: n, own: make([][]int, n)}
		for i := range p.n {
			p.layout.Field("own", uint64(n+1))
			p.names = append(p.names, own)
			p.own[i] = append(p.own[i], i)
		}
		if shared {
			p.layout.Field("shared", uint64(n+1))
			p.names = append(p.names, true)
		}
		return p
	}
	alone := named(3, false, true)
	alone.own = make([][]int, 3)
	all, rotations := permutations, func(int) [][]int { return [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} }
	for _, c := range []struct {
		name   string
		p      *parts
		perms  func(n int) [][]int
		sorted bool
	}{
		{"all of three", named(3, false, true), all, true},
		{"all of two", named(2, false, true), all, true},
		{"rotations", named(3, false, true), rotations, false},
		{"rotations, told twice", named(3, false, true), func(int) [][]int { return append(rotations(3), rotations(3)...) }, false},
		{"names in parts", named(3, true, false), all, false},
		{"names alone", alone, all, false},
	} {
		var renamings []orbit.Renaming
		for _, perm := range c.perms(c.p.n) {
			renamings = append(renamings, c.p.renaming(perm))
		}
		l, err := orbit.New(&c.p.layout, renamings)
		if err != nil {
			t.Fatal(err)
		}
		if l.Sorts() != c.sorted {
			t.Errorf("%s: sorted: %v", c.name, l.Sorts())
		}
	}
}
