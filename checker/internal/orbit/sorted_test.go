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

// exchanges are the renamings that exchange neighbours in a set.
func (d *drawnSets) exchanges() (all []orbit.Renaming) {
	for set, size := range d.sizes {
		for k := range size - 1 {
			var perms [][]int
			for _, n := range d.sizes {
				perms = append(perms, identityOf(n))
			}
			perms[set][k], perms[set][k+1] = k+1, k
			all = append(all, d.renaming(perms))
		}
	}
	return all
}

// TestSorted: representatives made by sorting are images, the same for two states if and only if the least images by
// blocks are; as many renamings lead there; and those of steps are those of the states that they lead to. Exchanges of
// neighbours do instead of all renamings.
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
		generated, err := orbit.NewSorted(&d.layout, d.exchanges())
		if err != nil || (generated != nil) != l.Sorts() {
			t.Fatalf("all renamings: sorted %v; exchanges: %v, error %v", l.Sorts(), generated != nil, err)
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
		if (slices.Equal(of(generated, a), of(generated, b))) != least || !slices.Equal(of(blocks, of(generated, a)), of(blocks, a)) {
			t.Fatalf("%s and %s: by blocks, one orbit is %v; generated, %s and %s", d.layout.Text(a), d.layout.Text(b), least,
				d.layout.Text(of(generated, a)), d.layout.Text(of(generated, b)))
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

// TestSortedUnlisted: of eight parts and of sixteen, too many to list their renamings, all images of a state have one
// representative, which has each part's fields, and names those parts, as often as the state.
func TestSortedUnlisted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawnSets{sizes: []int{rapid.SampledFrom([]int{7, 8, 16}).Draw(t, "parts")}}
		n := d.sizes[0]
		for column, values := range []uint64{3, 2} {
			for part := range n {
				d.layout.Field(fmt.Sprintf("%d of %d", column, part), values)
				d.fields = append(d.fields, setField{column: column, part: part})
			}
		}
		for k := range 3 {
			d.layout.Field(fmt.Sprintf("names %d", k), uint64(n+1))
			d.fields = append(d.fields, setField{part: -1, none: 1, ways: 1})
		}
		l, err := orbit.NewSorted(&d.layout, d.exchanges())
		if err != nil || l == nil || l.Order() != factorial(n) {
			t.Fatalf("%v, error %v", l, err)
		}
		s := make([]uint64, d.layout.Words())
		for _, f := range d.layout.Fields() {
			f.Put(s, rapid.Uint64Range(0, f.Values-1).Draw(t, "value"))
		}
		image := (&parts{layout: d.layout}).apply(d.renaming([][]int{rapid.Permutation(identityOf(n)).Draw(t, "permutation")}), s)
		l.Replace(image)
		described := func(s []uint64) (all []string) {
			f := d.layout.Fields()
			for part := range n {
				text := fmt.Sprint(f[part].Of(s), f[n+part].Of(s))
				for k := range 3 {
					text += fmt.Sprint(f[2*n+k].Of(s) == uint64(1+part))
				}
				all = append(all, text)
			}
			slices.Sort(all)
			return append(all, fmt.Sprint(f[2*n].Of(s) == 0, f[2*n+1].Of(s) == 0, f[2*n+2].Of(s) == 0))
		}
		got := slices.Clone(s)
		l.Replace(got)
		if !slices.Equal(got, image) || !slices.Equal(described(got), described(s)) {
			t.Fatalf("%s: %s, of an image %s", d.layout.Text(s), d.layout.Text(got), d.layout.Text(image))
		}
	})
}

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

// TestNotGenerated: renamings that generate less than all permutations of a set are not sorted.
func TestNotGenerated(t *testing.T) {
	for _, c := range []struct {
		name   string
		perms  [][]int
		sorted bool
	}{
		{"exchanges of neighbours", [][]int{{1, 0, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}}, true},
		{"exchanges with the first", [][]int{{1, 0, 2, 3}, {2, 1, 0, 3}, {3, 1, 2, 0}}, true},
		{"and a rotation", [][]int{{1, 2, 3, 0}, {1, 0, 2, 3}, {2, 1, 0, 3}, {3, 1, 2, 0}}, true},
		{"two pairs, each", [][]int{{1, 0, 2, 3}, {0, 1, 3, 2}}, true},
		{"two pairs at once", [][]int{{1, 0, 3, 2}}, true}, // one set of two parts, each of two columns
		{"a rotation", [][]int{{1, 2, 3, 0}}, false},
		{"pairs, and within one", [][]int{{2, 3, 0, 1}, {1, 0, 2, 3}}, false},
		{"a rotation and an exchange", [][]int{{1, 2, 3, 0}, {1, 0, 2, 3}}, false}, // all of them, but this is not seen
		{"nothing", nil, false},
	} {
		p := &parts{n: 4, own: make([][]int, 4)}
		for i := range p.n {
			p.layout.Field("own", 3)
			p.names = append(p.names, false)
			p.own[i] = append(p.own[i], i)
		}
		var renamings []orbit.Renaming
		for _, perm := range c.perms {
			renamings = append(renamings, p.renaming(perm))
		}
		if l, err := orbit.NewSorted(&p.layout, renamings); err != nil || (l != nil) != c.sorted {
			t.Errorf("%s: sorted %v, error %v", c.name, l != nil, err)
		}
	}
	var l states.Layout
	l.Field("a", 2)
	if _, err := orbit.NewSorted(&l, []orbit.Renaming{{To: []int{1}}}); err == nil {
		t.Error("a field that does not exist: taken")
	}
}
