package star

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// From symmetries of values to a group of renamings of the program.
//
// A symmetry maps values: v becomes image[v] wherever it is the key of a variable, a part of a key, or a value that
// a variable holds. The same number can mean a process here and a count there, so the members of a set are renamed
// only where a variable or a key is declared with that set. Strings and tuples in a dict are renamed everywhere.
// Each map is a permutation (imagesOf refuses others), so the result is a renaming of the program: a permutation of
// its variables and, for each variable, one of its values.
//
// The program lists the group, as a reduction needs the orbit of a state, not the generators. These are the symmetries
// that the file states and exchanges of neighbouring processes in each set, where the file's variables permit them.
// Invariants of group: all is closed under composition and holds the identity first; made[i]
// are the generators whose composition in this order is all[i]; no two renamings have the same key. A generator that
// would make the group larger than mostRenamings is left out, and the group stays as it was: a proper supergroup has
// at least twice as many elements (Lagrange), so half the bound decides before anything is composed. The program has
// the generators, too, if any was left out: where like parts can be sorted, no list is needed.
//
// Nothing here is trusted. A renaming is a hint: the checker verifies that it maps rules to rules, initial states to
// initial states, and claims to claims, before it reduces anything.

// symmetry is symmetry(image, (set, image), ...): an image is a dict, or a function of a
// member of the set.
func (b *builder) symmetry(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(kwargs) > 0 {
		return nil, errors.New(
			"symmetry takes dicts, or sets with their images: write symmetry({\"left\": \"right\", \"right\": " +
				"\"left\"}, (ring, lambda i: (i + 1) % n))")
	}
	y := symmetry{at: positionOf(t.Name, t.CallStack()), all: map[string]starlark.Value{},
		sets: map[*members]map[string]starlark.Value{}}
	for _, arg := range args {
		set, image := (*members)(nil), arg
		if pair, ok := arg.(starlark.Tuple); ok && len(pair) == 2 {
			if set, ok = pair[0].(*members); !ok {
				return nil, fmt.Errorf("symmetry of %s: want a set made by processes or domain", nameOf(pair[0]))
			}
			image = pair[1]
		}
		images, err := imagesOf(t, set, image)
		if err != nil {
			return nil, err
		}
		if set != nil {
			y.sets[set] = images
			continue
		}
		maps.Copy(y.all, images)
	}
	b.m.symmetries = append(b.m.symmetries, y)
	return starlark.None, charge(t, emptyDict)
}

// imagesOf reads an image: a permutation of the members of a set, or of the keys of a
// dict.
func imagesOf(t *starlark.Thread, set *members, image starlark.Value) (map[string]starlark.Value, error) {
	dict, isDict := image.(*starlark.Dict)
	f, isFunction := image.(starlark.Callable)
	var from []starlark.Value
	switch {
	case set != nil && (isDict || isFunction):
		from = set.values
	case isDict:
		from = dict.Keys()
	default:
		return nil, fmt.Errorf(
			"the image is %s: want a dict, or a set made by processes or domain with a dict or a function",
			nameOf(image))
	}
	images, taken := map[string]starlark.Value{}, map[string]bool{}
	for _, v := range from {
		to := v
		if _, number := v.(starlark.Int); number && set == nil {
			return nil, fmt.Errorf(
				"the number %s in a dict: numbers are renamed where they are declared with a set, (domain(...), image)",
				short(v))
		}
		var err error
		if isDict {
			if x, found, _ := dict.Get(v); found {
				to = x
			}
		} else if to, err = starlark.Call(t, f, starlark.Tuple{v}, nil); err != nil {
			return nil, err
		}
		if taken[keyText(to)] {
			return nil, fmt.Errorf("the image %s twice: images must differ", short(to))
		}
		images[keyText(v)], taken[keyText(to)] = to, true
	}
	for _, v := range from {
		if !taken[keyText(v)] {
			return nil, fmt.Errorf("%s is not among the images: a symmetry permutes the values", short(v))
		}
	}
	return images, charge(t, 4*len(from))
}

// renamings gives the program the group that the symmetries generate.
func (m *machine) renamings(file string) error {
	const mostExchanged, mostListed = 16, 6 // members of a set of processes, and those among them in the list
	group := newGroup(rewriting.Identity(m.p))
	var generators []program.Renaming
	for _, set := range m.sets {
		for i := range min(len(set.values), mostExchanged) - 1 {
			a, b := set.values[i], set.values[i+1]
			y := symmetry{sets: map[*members]map[string]starlark.Value{set: {keyText(a): b, keyText(b): a}}}
			r, err := m.renaming(&y)
			if err != nil {
				continue
			}
			if generators = append(generators, r); i+1 < mostListed {
				group.add(r, set.at)
			}
		}
	}
	for _, y := range m.symmetries {
		r, err := m.renaming(&y)
		if err != nil {
			return place(file, int(y.at.line), int(y.at.col), "symmetry: %v", err)
		}
		generators = append(generators, r)
		group.add(r, y.at)
	}
	m.p.Renamings, m.group = group.all[1:], group
	if slices.ContainsFunc(generators, func(r program.Renaming) bool { return !group.seen[renamingKey(r)] }) {
		m.p.Generators = generators
	}
	return nil
}

func (m *machine) renaming(y *symmetry) (program.Renaming, error) {
	r := rewriting.Identity(m.p)
	return r, y.rename(&r, m.root, m.root)
}

// symmetry is a symmetry that the file states.
type symmetry struct {
	at   position
	all  map[string]starlark.Value              // by keyText, of strings and tuples
	sets map[*members]map[string]starlark.Value // for what is declared with a set
}

// rename maps place p, and what it holds, to place q, its image.
func (y *symmetry) rename(r *program.Renaming, p, q *slot) error {
	switch k := p.kind.(type) {
	case *domain:
		r.Vars[p.x] = q.x
		return y.values(r, k, p, q)
	case *array:
		for i, key := range k.keys.values {
			image := y.key(k.keys, key)
			to, known := q.kind.(*array).keys.number[keyText(image)] // FIFOs differ in their sources
			if !known {
				return fmt.Errorf("%s becomes [%s], which is not a key of %s", p.in[i].path, shown(image), p.label)
			}
			if err := y.rename(r, p.in[i], q.in[to]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range p.in {
		if err := y.rename(r, p.in[i], q.in[i]); err != nil {
			return err
		}
	}
	return nil
}

// values maps the values of a variable.
func (y *symmetry) values(r *program.Renaming, d *domain, p, q *slot) error {
	values, same := make([]int, p.free+len(d.values)), true
	for i, v := range d.values {
		image := y.image(v, d.like)
		n, known := q.number(image)
		if !known {
			return fmt.Errorf("%s = %s becomes %s: want %s", p.path, shown(v), shown(image), d)
		}
		values[p.free+i] = n
		same = same && n == p.free+i
	}
	if p.zero && values[0] != 0 {
		return fmt.Errorf(
			"%s, which is %s where the slot of the FIFO is free, becomes %s: make it the first field of its record, "+
				"or optional",
			p.path, shown(d.values[0]), shown(y.image(d.values[0], d.like)))
	}
	if !same {
		r.Values[p.x] = values
	}
	return nil
}

// image returns the image of a value, of a member of set unless that is nil: of a tuple as
// a whole or, if it has none, of its parts.
func (y *symmetry) image(v starlark.Value, set *members) starlark.Value {
	images := y.all
	if set != nil && y.sets[set] != nil {
		images = y.sets[set]
	}
	if to, renamed := images[keyText(v)]; renamed {
		return to
	}
	parts, tuple := v.(starlark.Tuple)
	if !tuple {
		return v
	}
	out := make(starlark.Tuple, len(parts))
	for i, x := range parts {
		out[i] = y.image(x, nil)
	}
	return out
}

// key returns the image of a key, whose parts may be members of sets.
func (y *symmetry) key(k *keys, key starlark.Value) starlark.Value {
	parts, tuple := key.(starlark.Tuple)
	if len(k.like) == 0 || !tuple {
		return y.image(key, slices.Concat(k.like, []*members{nil})[0])
	}
	out := make(starlark.Tuple, len(parts))
	for i, set := range k.like {
		out[i] = y.image(parts[i], set)
	}
	return out
}

// mostRenamings bounds the list: six processes have as many. A generator that would
// exceed it is left out.
const mostRenamings = 720

// group holds the renamings that its generators make, the identity first.
type group struct {
	all  []program.Renaming
	seen map[string]bool
	by   []program.Renaming // generators
	at   []position         // by generator: where it is stated
	made [][]int            // by renaming: the generators that make it
}

func newGroup(identity program.Renaming) *group {
	return &group{all: []program.Renaming{identity}, seen: map[string]bool{renamingKey(identity): true},
		made: [][]int{nil}}
}

// add adds a generator and what it makes with the others, unless the group would be too
// large.
func (g *group) add(r program.Renaming, at position) {
	if g.seen[renamingKey(r)] || 2*len(g.all) > mostRenamings { // a larger group has at least twice as many (Lagrange)
		return
	}
	larger := &group{slices.Clone(g.all[:1]), map[string]bool{renamingKey(g.all[0]): true},
		append(slices.Clip(g.by), r), append(slices.Clip(g.at), at), [][]int{nil}}
	for i := 0; i < len(larger.all); i++ {
		for k, by := range larger.by {
			next := renamedBy(larger.all[i], by)
			if key := renamingKey(next); !larger.seen[key] {
				larger.seen[key] = true
				larger.all = append(larger.all, next)
				larger.made = append(larger.made, append(slices.Clip(larger.made[i]), k))
			}
		}
		if len(larger.all) > mostRenamings {
			return
		}
	}
	*g = *larger
}

// renamedBy is a followed by b.
func renamedBy(a, b program.Renaming) program.Renaming {
	out := program.Renaming{Vars: make([]program.Var, len(a.Vars)), Values: map[program.Var][]int{}}
	for x, y := range a.Vars {
		out.Vars[x] = b.Vars[y]
		first, then := a.Values[program.Var(x)], b.Values[y]
		switch {
		case first == nil && then == nil:
			continue
		case first == nil:
			first = then
		case then != nil:
			first = slices.Clone(first)
			for i, v := range first {
				first[i] = then[v]
			}
		}
		if !slices.IsSorted(first) { // a permutation that is sorted changes nothing
			out.Values[program.Var(x)] = first
		}
	}
	return out
}

func renamingKey(r program.Renaming) string {
	var key []byte
	for x, y := range r.Vars {
		key = binary.AppendUvarint(key, uint64(y))
		values := r.Values[program.Var(x)]
		key = binary.AppendUvarint(key, uint64(len(values)))
		for _, v := range values {
			key = binary.AppendUvarint(key, uint64(v))
		}
	}
	return string(key)
}
