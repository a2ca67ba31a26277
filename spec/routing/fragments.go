package routing

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the fragments.
//
// From one destination to the next most places keep their rows. So a table is cut wherever the
// number of the channel, or of the node that injects, is a multiple of some length, and each
// different fragment is stored once, however many tables have it. What the previous table has at
// the same places is found without a search. Assembling tables takes a fifth more time in all, so
// only large networks are stored in fragments.

const (
	logFragmentChannels = 4
	logFragmentNodes    = 8
)

// large reports whether the tables take more bytes than may be stored whole, by a sample of them.
func (c *compilation) large(ctx context.Context) (bool, error) {
	const sample = 32
	most := 8 * int64(c.targets) * int64(c.def.Topology.Channels()*c.def.Tags+c.def.Topology.Nodes())
	if c.opt.Fragments == 0 || most < c.opt.Fragments {
		return false, nil
	}
	w, err := c.newTabulator()
	if err != nil {
		return false, err
	}
	defer func() { c.bytes = 0 }()
	size, drawn := int64(0), rand.New(rand.NewPCG(2, 2))
	for range sample {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		t, err := c.explore(w, c.target(drawn.IntN(c.targets)))
		if err != nil {
			return false, nil // tabulate meets it again, or an earlier one
		}
		size += tableBytes(&t)
	}
	return size*int64(c.targets)/sample >= c.opt.Fragments, nil
}

// fragmentSet numbers different fragments in the order in which they are added: an open addressing
// table over their lists. The zero value is empty.
type fragmentSet struct {
	bunches [][]spec.Table // of 1<<logBunch fragments: in one list they would be copied again and again
	slots   []uint64       // a fragment's hash, and in the low half its number + 1; or 0; a power of two of them, at most half full
	bytes   int64          // that all this takes
	whole   int64          // that the tables would take

	before   spec.Table     // the table that was packed last
	round    int32          // how many have been
	sources  []lastFragment // of that table, by node >> logFragmentNodes
	sites    []lastFragment // by channel >> logFragmentChannels
	injected []spec.NodeID

	// The rest of the slabs that fragments are cut from.
	slabs struct {
		sources  []spec.Source
		channels []spec.ChannelID
		rowIDs   []spec.RowID
		tags     []spec.Tag
	}
}

// lastFragment is a fragment of the table of a round, with its bounds in the table's list.
type lastFragment struct{ round, from, to, fragment int32 }

// pack returns t stored in fragments.
func (s *fragmentSet) pack(t *spec.Table) spec.Table {
	s.round++
	s.injected = s.injected[:0]
	for _, src := range t.Sources {
		s.injected = append(s.injected, src.Node)
	}
	b := &s.before
	list := packList(s, nil, s.injected, logFragmentNodes, &s.sources, func(from, to int) spec.Table {
		return spec.Table{Sources: t.Sources[from:to]}
	}, func(from, to, was int) bool {
		return slices.Equal(t.Sources[from:to], b.Sources[was:was+to-from])
	})
	list = packList(s, list, t.Channels, logFragmentChannels, &s.sites, func(from, to int) spec.Table {
		return sitesOf(t, from, to)
	}, func(from, to, was int) bool {
		to, end := to-from, was+to-from
		return slices.Equal(t.Channels[from:][:to], b.Channels[was:end]) && slices.Equal(t.Rows[from:][:to], b.Rows[was:end]) &&
			(len(t.Tags) == 0 || slices.Equal(t.Tags[from:][:to], b.Tags[was:end]))
	})
	b.Sources, b.Channels = append(b.Sources[:0], t.Sources...), append(b.Channels[:0], t.Channels...)
	b.Rows, b.Tags = append(b.Rows[:0], t.Rows...), append(b.Tags[:0], t.Tags...)
	s.bytes += 4 * int64(len(list))
	s.whole += tableBytes(t)
	return spec.Table{Target: t.Target, Fragments: slices.Clip(list)}
}

// sitesOf returns some of the sites of t.
func sitesOf(t *spec.Table, from, to int) spec.Table {
	p := spec.Table{Channels: t.Channels[from:to], Rows: t.Rows[from:to]}
	if len(t.Tags) > 0 {
		p.Tags = t.Tags[from:to]
	}
	return p
}

// packList appends the fragments of a list whose elements stand at ascending places, 1<<log places each.
func packList[P ~int32](s *fragmentSet, dst []int32, places []P, log int, last *[]lastFragment, fragment func(from, to int) spec.Table, same func(from, to, was int) bool) []int32 {
	if len(places) > 0 {
		number := int(places[len(places)-1]>>log) + 1
		*last = append(*last, make([]lastFragment, max(0, number-len(*last)))...)
		dst = slices.Grow(dst, min(len(places), number))
	}
	for i := 0; i < len(places); {
		from, number := i, places[i]>>log
		for end := (number + 1) << log; i < len(places) && places[i] < end; {
			i++
		}
		l := &(*last)[number]
		if l.round != s.round-1 || int(l.to-l.from) != i-from || !same(from, i, int(l.from)) {
			p := fragment(from, i)
			l.fragment = s.add(&p)
		}
		l.round, l.from, l.to = s.round, int32(from), int32(i)
		dst = append(dst, l.fragment)
	}
	return dst
}

// add returns the number of a fragment, which it copies if it is new.
func (s *fragmentSet) add(t *spec.Table) int32 {
	if 2*(s.len()+1) > len(s.slots) {
		s.grow()
	}
	hash := hashFragment(t)
	i := s.slotOf(hash, func(p int32) bool { return sameFragment(s.fragment(p), t) })
	if s.slots[i] > 0 {
		return int32(s.slots[i]) - 1
	}
	const header, slot = 152, 16
	s.bytes += tableBytes(t) + header + slot
	if s.len()%(1<<logBunch) == 0 {
		s.bunches = append(s.bunches, make([]spec.Table, 0, 1<<logBunch))
	}
	last := &s.bunches[len(s.bunches)-1]
	*last = append(*last, spec.Table{
		Sources: keepIn(&s.slabs.sources, t.Sources), Channels: keepIn(&s.slabs.channels, t.Channels),
		Rows: keepIn(&s.slabs.rowIDs, t.Rows), Tags: keepIn(&s.slabs.tags, t.Tags),
	})
	s.slots[i] = uint64(hash)<<32 | uint64(s.len())
	return int32(s.len()) - 1
}

const logBunch = 10

func (s *fragmentSet) len() int {
	n := len(s.bunches)
	if n == 0 {
		return 0
	}
	return (n-1)<<logBunch + len(s.bunches[n-1])
}

func (s *fragmentSet) fragment(f int32) *spec.Table {
	return &s.bunches[f>>logBunch][f&(1<<logBunch-1)]
}

// slotOf returns the slot of the fragment with that hash for which is holds, or the empty slot where it belongs.
func (s *fragmentSet) slotOf(hash uint32, is func(fragment int32) bool) uint32 {
	mask := uint32(len(s.slots) - 1)
	i := hash & mask
	for s.slots[i] > 0 && (uint32(s.slots[i]>>32) != hash || !is(int32(s.slots[i])-1)) {
		i = (i + 1) & mask
	}
	return i
}

// keepIn copies a list to a slab; an empty one is nil.
func keepIn[T any](slab *[]T, list []T) []T {
	if len(list) == 0 {
		return nil
	}
	kept := take(slab, len(list), false)
	copy(kept, list)
	return kept
}

func (s *fragmentSet) grow() {
	before := s.slots
	s.slots = make([]uint64, max(1024, 2*len(before)))
	for _, x := range before {
		if x > 0 {
			s.slots[s.slotOf(uint32(x>>32), func(int32) bool { return false })] = x
		}
	}
}

func sameFragment(a, b *spec.Table) bool {
	return slices.Equal(a.Sources, b.Sources) && slices.Equal(a.Channels, b.Channels) && slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Tags, b.Tags)
}

func hashFragment(t *spec.Table) uint32 {
	h := uint64(len(t.Sources))
	mix := func(x uint64) {
		h = (h ^ x) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for _, s := range t.Sources {
		mix(uint64(s.Node)<<32 ^ uint64(s.Row))
	}
	for i, c := range t.Channels {
		mix(uint64(c)<<32 ^ uint64(t.Rows[i]))
	}
	for _, tag := range t.Tags {
		mix(uint64(tag))
	}
	return uint32(h >> 32)
}

// worth reports whether fragments save at least half of what whole tables would take.
func (s *fragmentSet) worth() bool { return 2*s.bytes <= s.whole }

// mergeFragments lists the fragments of all workers, worker by worker. Some may be listed twice, but
// few: each worker makes a stretch of tables.
func mergeFragments(workers []*tabulator) []spec.Table {
	var bunches [][]spec.Table
	for _, w := range workers {
		if w != nil {
			bunches = append(bunches, w.fragments.bunches...)
		}
	}
	return slices.Concat(bunches...)
}
