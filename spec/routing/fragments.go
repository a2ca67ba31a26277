package routing

import (
	"cmp"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// Design of the fragments.
//
// From one destination to the next most places keep their rows. So a table is cut wherever the
// number of the channel, or of the node that injects, is a multiple of some length, and each
// different fragment is stored once, however many tables have it. What the previous table has at
// the same places is found without a search. Assembling tables takes time, so only large
// networks are stored in fragments.
//
// Short fragments are shared by many tables, and long ones make the lists of fragments short. Where most tables
// are nearly the same as the one before, longer ones are fewer bytes in all, and less work: the first tables tell
// how long. In a dragonfly of 4,020 routers all routers of a group are reached by the same global links, whose own rows
// differ: of 8 bytes a site, fragments of 16 channels leave 5, of 128 channels 2.4, of 1,024 channels all. Of 16
// channels star-channel 64x64 took 13.7 s and 295 MiB, of 64 channels it takes 10.7 s and 278 MiB.
//
// It is there for memory: where routing is acyclic it takes no more time, but elsewhere up to a third more. Star-channel
// 64x64 takes 266 instead of 930 MiB, and 4 % more CPU time; one of 40x40 is decided within 96 MiB, and a torus of
// 16x16x16 within 256; stored whole, the tables of both use up that budget.

const (
	logFragmentChannels = 6
	logFragmentNodes    = 8
)

// logsOfChannels are those of fragments of channels.
var logsOfChannels = [...]int{logFragmentChannels, 7, 8, 10}

// fragmentSet numbers different fragments in the order in which they are added. The zero value is empty.
type fragmentSet struct {
	lists spec.Table // of all, one after the other
	ends  [][2]int32 // as in [spec.Parts]
	index intern.Index
	known int // how often a fragment was found in index
	// Fragments are not looked for, and index is empty: a fragment has one number for each table that it is new in.
	single bool
	bytes  int64 // that all this takes
	whole  int64 // that the tables would take

	share   int // of all tables: how many will be packed, about; 0 if that is unknown
	workers int // sets that will be put together, this one included
	log     int // of longer fragments of channels; 0: they are short
	// By length: bytes that the first tables would have taken, if only fragments of the table before were reused.
	stored   [len(logsOfChannels)]int64
	before   spec.Table     // the table that was packed last
	round    int32          // how many have been
	sources  []lastFragment // of that table, by node >> logFragmentNodes
	sites    []lastFragment // by channel >> logFragmentChannels
	injected []spec.NodeID
	list     []int32     // of the table's fragments
	kept     slab[int32] // that such lists are cut from
}

// lastFragment is a fragment of the table of a round, with its bounds in the table's list.
type lastFragment struct{ round, from, to, fragment int32 }

// pack returns t stored in fragments. The lists of t must not change before the next call returns.
func (s *fragmentSet) pack(t *spec.Table) spec.Table {
	s.round++
	s.injected = s.injected[:0]
	for _, src := range t.Sources {
		s.injected = append(s.injected, src.Node)
	}
	b := &s.before
	s.list = packList(s, s.list[:0], s.injected, logFragmentNodes, &s.sources, func(from, to int) spec.Table {
		return spec.Table{Sources: t.Sources[from:to]}
	}, func(from, to, was int) bool {
		return slices.Equal(t.Sources[from:to], b.Sources[was:was+to-from])
	})
	s.list = packList(s, s.list, t.Channels, cmp.Or(s.log, logFragmentChannels), &s.sites, func(from, to int) spec.Table {
		return sitesOf(t, from, to)
	}, func(from, to, was int) bool {
		to, end := to-from, was+to-from
		return slices.Equal(t.Channels[from:][:to], b.Channels[was:end]) &&
			slices.Equal(t.Rows[from:][:to], b.Rows[was:end]) &&
			(len(t.Tags) == 0 || slices.Equal(t.Tags[from:][:to], b.Tags[was:end]))
	})
	if s.round > 1 && s.round <= trial {
		for i, log := range logsOfChannels {
			s.stored[i] += changed(t, b, log)
		}
		if s.round == trial {
			s.choose()
		}
	}
	s.before = *t
	s.bytes += 4 * int64(len(s.list))
	s.whole += tableBytes(t)
	list := s.kept.take(len(s.list), false)
	copy(list, s.list)
	return spec.Table{Target: t.Target, Fragments: list}
}

// trial is the number of tables after which it is decided how long fragments are.
const trial = 64

// choose makes the fragments to come as long as is best by the tables so far, if that saves an eighth.
func (s *fragmentSet) choose() {
	least := slices.Min(s.stored[:])
	if log := logsOfChannels[slices.Index(s.stored[:], least)]; least <= s.stored[0]/8*7 {
		s.log, s.sites = log, nil
	}
}

// changed returns how many bytes the fragments of 1<<log channels of t take that b does not have, and a list of all.
func changed(t, b *spec.Table, log int) (size int64) {
	for i, j := 0, 0; i < t.Len(); {
		number := t.Channels[i] >> log
		for j < b.Len() && b.Channels[j]>>log < number {
			j++
		}
		from, was := i, j
		for i < t.Len() && t.Channels[i]>>log == number {
			i++
		}
		for j < b.Len() && b.Channels[j]>>log == number {
			j++
		}
		now, before := sitesOf(t, from, i), sitesOf(b, was, j)
		size += 4
		if !slices.Equal(now.Channels, before.Channels) || !slices.Equal(now.Rows, before.Rows) ||
			!slices.Equal(now.Tags, before.Tags) {
			size += tableBytes(&now)
		}
	}
	return size
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
func packList[P ~int32](
	s *fragmentSet, dst []int32, places []P, log int, last *[]lastFragment,
	fragment func(from, to int) spec.Table, same func(from, to, was int) bool,
) []int32 {
	if len(places) > 0 {
		number := int(places[len(places)-1]>>log) + 1
		*last = append(*last, make([]lastFragment, max(0, number-len(*last)))...)
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
	var hash uint64
	if !s.single {
		hash = hashFragment(t)
		if f := s.index.Find(hash, func(f int32) bool { return s.same(f, t) }); f >= 0 {
			s.known++
			return f
		}
	}
	if s.ends == nil {
		s.ends = [][2]int32{{}}
	}
	const end, slot = 8, 16
	s.bytes += tableBytes(t) + end
	if !s.single {
		s.bytes += slot
	}
	all := &s.lists
	all.Sources, all.Channels = join(s, all.Sources, t.Sources), join(s, all.Channels, t.Channels)
	all.Rows, all.Tags = join(s, all.Rows, t.Rows), join(s, all.Tags, t.Tags)
	s.ends = join(s, s.ends, [][2]int32{{int32(len(all.Sources)), int32(all.Len())}})
	if s.single {
		return int32(s.len()) - 1
	}
	n := s.index.Add(hash)
	if n == enoughFragments && s.known < enoughFragments/foundRarely {
		s.single, s.index = true, intern.Index{}
	}
	return n
}

// When there are enoughFragments, and fewer than one in 32 was found among those before, none is looked for any more:
// a search costs as much as a copy, and none of it pays in a dragonfly, where a fragment that the table before
// does not have belongs to one destination.
const (
	enoughFragments = 1 << 16
	foundRarely     = 32
)

// join appends to a list that gets twice as large when it grows, as it will again. With longer fragments, most of
// which are of few tables, it gets as large as all tables will need, if that is not far more; room for those of all
// workers stays untouched.
func join[T any](s *fragmentSet, list, more []T) []T {
	n, size := len(list)+len(more), len(list)
	if n <= cap(list) {
		return append(list, more...)
	}
	const far = 4
	need := int(float64(size) * float64(s.share) / float64(s.round) * 17 / 16)
	switch {
	case s.log == 0 || s.share == 0:
		n = max(n, 2*size)
	case need > far*size:
		n = max(n, far*size)
	default:
		n = max(n, need, size+size/8)
		all := make([]T, n*s.workers)
		pages.Huge(all)
		pages.Provide(all[:n])
		return append(append(all[:0], list...), more...)
	}
	return append(longer(list, n), more...)
}

// longer returns the list with room for n elements, on pages that are present.
func longer[T any](list []T, n int) []T {
	all := pages.Make[T](n)
	return all[:copy(all, list)]
}

func (s *fragmentSet) len() int { return max(0, len(s.ends)-1) }

// fragment returns the lists of fragment f.
func (s *fragmentSet) fragment(f int32) spec.Table {
	from, to := s.ends[f], s.ends[f+1]
	t := sitesOf(&s.lists, int(from[1]), int(to[1]))
	t.Sources = s.lists.Sources[from[0]:to[0]]
	return t
}

// same reports that fragment f has the lists of t.
func (s *fragmentSet) same(f int32, t *spec.Table) bool {
	from, to, all := s.ends[f], s.ends[f+1], &s.lists
	return slices.Equal(all.Sources[from[0]:to[0]], t.Sources) &&
		slices.Equal(all.Channels[from[1]:to[1]], t.Channels) &&
		slices.Equal(all.Rows[from[1]:to[1]], t.Rows) &&
		(len(t.Tags) == 0 || slices.Equal(all.Tags[from[1]:to[1]], t.Tags))
}

func hashFragment(t *spec.Table) uint64 {
	h := uint64(len(t.Sources))
	for _, s := range t.Sources {
		h = hash.Mix(h, uint64(s.Node)<<32^uint64(s.Row))
	}
	for i, c := range t.Channels {
		h = hash.Mix(h, uint64(c)<<32^uint64(t.Rows[i]))
	}
	for _, tag := range t.Tags {
		h = hash.Mix(h, uint64(tag))
	}
	return h
}

// worth reports whether fragments save at least half of what whole tables would take.
func (s *fragmentSet) worth() bool { return 2*s.bytes <= s.whole }

// appendAll appends the fragments of another worker. Some may be listed twice, but few: each worker makes a
// stretch of tables.
func (s *fragmentSet) appendAll(other *fragmentSet) {
	a, b := &s.lists, &other.lists
	sources, sites := int32(len(a.Sources)), int32(a.Len())
	a.Sources, a.Channels = appended(a.Sources, b.Sources), appended(a.Channels, b.Channels)
	a.Rows, a.Tags = appended(a.Rows, b.Rows), appended(a.Tags, b.Tags)
	s.ends = slices.Grow(s.ends, len(other.ends))
	for _, end := range other.ends[min(1, len(other.ends)):] {
		s.ends = append(s.ends, [2]int32{sources + end[0], sites + end[1]})
	}
}

// appended returns one list after the other, in the memory of the first if it has room.
func appended[T any](list, more []T) []T {
	if len(list)+len(more) > cap(list) {
		list = longer(list, len(list)+len(more))
	}
	return append(list, more...)
}

// tableBytes returns the size of a table: 8 bytes for each source and site, 2 for each tag.
func tableBytes(t *spec.Table) int64 {
	return 8*int64(len(t.Sources)+len(t.Channels)) + 2*int64(len(t.Tags))
}

// slab is what lists are cut from, as they are many and small. It gets larger the more are cut.
type slab[T any] struct {
	rest []T
	size int // of the last one that was made
}

// take cuts n elements off the slab; again: what was cut off before is not kept.
func (s *slab[T]) take(n int, again bool) []T {
	const least, most = 1 << 14, 1 << 18
	if again {
		s.rest = slices.Grow(s.rest[:0], n)
		return s.rest[:n]
	}
	if n > len(s.rest) {
		s.size = min(max(least, 2*s.size), most)
		if n > s.size/8 {
			return pages.Make[T](n)
		}
		s.rest = pages.Make[T](s.size)
	}
	part := s.rest[:n:n]
	s.rest = s.rest[n:]
	return part
}
