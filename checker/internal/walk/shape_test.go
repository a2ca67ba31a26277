package walk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// mirror is a machine of digits, each of which has a twin far away that always equals it: a cut between the first half of
// a state and the second leaves all of a state on either side.
type mirror struct {
	layout states.Layout
	digits [2][]states.Field
}

func newMirror(digits int, values uint64) *mirror {
	m := &mirror{}
	for side := range m.digits {
		for i := range digits {
			m.digits[side] = append(m.digits[side], m.layout.Field(fmt.Sprint(side, " ", i), values))
			m.layout.Queue(fmt.Sprint("gap ", side, i), 1+treeBits/40/digits, 1<<40, nil)
		}
	}
	return m
}

func (m *mirror) Layout() *states.Layout { return &m.layout }
func (m *mirror) Start(dst []uint64) []uint64 {
	return append(dst, make([]uint64, m.layout.Words())...)
}

func (m *mirror) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for i, f := range m.digits[0] {
		if v := f.Of(s) + 1; v < f.Values {
			at := len(dst)
			dst = append(dst, s...)
			f.Put(dst[at:], v)
			m.digits[1][i].Put(dst[at:], v)
		}
	}
	return dst, nil
}

// TestTreesArePlantedAnew: once there are many states, a tree gets a shape with far fewer nodes than neighbours joined, and
// the walk finds what the table finds, in the same order, also from a checkpoint of either.
func TestTreesArePlantedAnew(t *testing.T) {
	const all = 10 * 10 * 10 * 10
	m := newMirror(4, 10)
	twin, want, err := Explore(t.Context(), m, Options{Inspect: flagHalts, Whole: true})
	if err != nil || want.States != all || want.Visited != "table" {
		t.Fatalf("%+v, %v: want %d states in a table", want, err, all)
	}
	defer twin.Release()
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		workers int
		cut     int64 // states, after which the walk goes on from a checkpoint
		whole   bool  // before that
	}{
		{"one worker", 1, 0, false},
		{"three workers", 3, 0, false},
		{"cut before", 1, 500, false},
		{"cut after", 2, 6000, false},
		{"cut from a table", 1, 6000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := Options{Inspect: flagHalts, Workers: c.workers}
			if c.cut > 0 {
				file := filepath.Join(dir, c.name)
				cut := Options{Inspect: flagHalts, Whole: c.whole, MaxStates: c.cut, Checkpoint: Checkpoint{Save: file}}
				partly, r, err := Explore(context.Background(), m, cut)
				if err != nil || r.Reason != OutOfStates || r.Unsaved != nil {
					t.Fatalf("%+v, %v", r, err)
				}
				partly.Release()
				opt.Checkpoint = Checkpoint{Save: file, Resume: file}
			}
			space, got, err := Explore(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer space.Release()
			a, b := *want, *got
			a.Peak, b.Peak, a.Visited = 0, 0, "trees"
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("(-table +trees):\n%s", diff)
			}
			form := space.form.(*trees)
			even := 0
			for _, n := range newTree(evenShape(space.words), space.words, space.packed).folded(space) {
				even += n
			}
			used := 0
			for _, n := range form.tree.tables {
				used += int(n.next.Load())
			}
			// If neighbours are joined, the half with all digits of a side has as many values as there are states. If the two
			// of a pair are, there are ways to join pairs with 100 values on either side.
			if even < all || used > all/20 {
				t.Errorf("%d nodes, and %d if neighbours are joined; want at most %d, and at least %d", used, even, all/20, all)
			}
			sameSpaces(t, twin, space)
		})
	}
}

// folded returns how many values each table of an empty tree has once the states of a space are folded.
func (t *tree) folded(s *Space) (values [nodeKinds]int) {
	d := t.newFold()
	s.EachNumbered(func(_ ID, state []uint64) bool {
		t.begin()
		t.room()
		d.foldBase(state, true)
		t.end()
		return true
	})
	for i, n := range t.tables {
		values[i] = int(n.next.Load())
	}
	return values
}

// TestFolds: in a shape grown from any states, a root unfolds to its state, equal states alone have equal roots, the hash
// is that of the state, and a state that is near leaves the base as it was; what was never folded is not found.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(2, 40).Draw(t, "words")
		var all []uint64
		state := make([]uint64, words)
		for range rapid.IntRange(1, 40).Draw(t, "states") {
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				state[rapid.IntRange(0, words-1).Draw(t, "word")] ^= rapid.Uint64().Draw(t, "change")
			}
			all = append(all, state...)
		}
		shape := grownShape(words, all[:words*rapid.IntRange(1, len(all)/words).Draw(t, "sample")])
		met := map[int32]bool{}
		for k, pair := range shape.pairs {
			for _, n := range pair {
				if met[n] || int(n) >= shape.pieces+k || shape.up[n] != int32(k) {
					t.Fatalf("node %d joins %v: each node is joined once, by a later one, its up", shape.pieces+k, pair)
				}
				met[n] = true
			}
		}
		if len(met) != 2*shape.pieces-2 {
			t.Fatalf("%d nodes are joined, of %d", len(met), 2*shape.pieces-2)
		}
		tree := newTree(shape, words, 2*words)
		d, fresh := tree.newFold(), tree.newFold()
		roots := map[uint64]string{}
		base := all[:words]
		tree.begin()
		defer tree.end()
		for rest := all; len(rest) > 0; rest = rest[words:] {
			tree.room()
			s := rest[:words]
			if rapid.IntRange(0, 3).Draw(t, "base") == 0 {
				base = s
			}
			want, _, _ := d.foldBase(base, true)
			root, hash := d.foldSuccessor(s)
			if hash != hashOfState(s, 2*words) {
				t.Fatalf("hash %x, want %x", hash, hashOfState(s, 2*words))
			}
			if got := tree.unfold(nil, root); !slices.Equal(got, s) {
				t.Fatalf("root %x unfolds to %x, want %x", root, got, s)
			}
			if was, there := roots[root]; there && was != fmt.Sprint(s) {
				t.Fatalf("root %x is that of %s and of %x", root, was, s)
			}
			roots[root] = fmt.Sprint(s)
			if again, _, known := d.foldBase(base, false); again != want || !known {
				t.Fatalf("the base has root %x, and had %x", again, want)
			}
			if found, _, known := fresh.foldBase(s, false); !known || found != root {
				t.Fatalf("root %x, %t, want %x", found, known, root)
			}
			far := slices.Clone(s)
			far[words-1] = ^far[words-1] ^ 1<<33
			if found, _, known := fresh.foldBase(far, false); known && roots[found] != fmt.Sprint(far) {
				t.Fatalf("%x is found, but was never folded", far)
			}
		}
	})
}

// TestTablesGrowTogether: workers of whom each fills all tables of a tree do not wait for each other. With a lock for each
// table they did: each read the one that the other wanted to enlarge.
func TestTablesGrowTogether(t *testing.T) {
	const words, workers, states = 4, 8, 4000
	for round := range uint64(20) {
		tree := newTree(evenShape(words), words, 2*words)
		var wait sync.WaitGroup
		for w := range uint64(workers) {
			wait.Go(func() {
				d, random := tree.newFold(), rand.New(rand.NewPCG(round, w))
				state := make([]uint64, words)
				for range states / 100 {
					tree.begin()
					for range 100 {
						tree.room()
						for i := range state {
							state[i] = random.Uint64()
						}
						root, _, _ := d.foldBase(state, true)
						if got := tree.unfold(nil, root); !slices.Equal(got, state) {
							t.Errorf("root %x unfolds to %x, want %x", root, got, state)
						}
					}
					tree.end()
				}
			})
		}
		wait.Wait()
	}
}
