package walk

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// wideMazes draws machines whose states are kept as trees.
func wideMazes(t *rapid.T) *maze {
	m := mazes(t)
	for m.layout.Words() < wideWords {
		m.layout.Queue("wide", 3, 1<<50, nil)
	}
	return m
}

// TestTreesAreTables: the twin of trees is the table of whole states: the same result, states in the same order with the
// same parents, numbers and trails, for any number of workers; and each resumes the checkpoint of the other.
func TestTreesAreTables(t *testing.T) {
	halted := 0
	rapid.Check(t, func(t *rapid.T) {
		m := wideMazes(t)
		most := int64(rapid.IntRange(0, 300).Draw(t, "most"))
		opt := Options{Inspect: flagHalts, Whole: true}
		twin, want, err := Explore(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer twin.Release()
		dir, cutBy := tempDir(t), rapid.Bool().Draw(t, "cut by the twin")
		file := filepath.Join(dir, "walk")
		cut := Options{
			Inspect: flagHalts, Whole: cutBy, MaxStates: most,
			Checkpoint: Checkpoint{Save: file, Identity: []Part{{"machine", "maze"}}},
		}
		partly, r, err := Explore(context.Background(), m, cut)
		if err != nil {
			t.Fatal(err)
		}
		partly.Release()
		opt = Options{Inspect: flagHalts, Whole: !cutBy, Workers: rapid.IntRange(1, 3).Draw(t, "workers")}
		if r.Reason == OutOfStates {
			opt.Checkpoint = Checkpoint{Save: file, Resume: file, Identity: cut.Checkpoint.Identity}
		} else {
			opt.Whole = false
		}
		space, got, err := Explore(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer space.Release()
		wantForm, gotForm := "table", "trees"
		if opt.Whole {
			gotForm = "table"
		}
		if want.Visited != wantForm || got.Visited != gotForm {
			t.Fatalf("forms %s and %s, want %s and %s", want.Visited, got.Visited, wantForm, gotForm)
		}
		a, b := *want, *got
		a.Peak, b.Peak, a.Visited, b.Visited = 0, 0, "", ""
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("(-table +trees):\n%s", diff)
		}
		sameSpaces(t, twin, space)
		if a.Flagged[0] > 0 {
			halted++
			x, err1 := twin.Trail(t.Context(), m, a.First[0])
			y, err2 := space.Trail(t.Context(), m, b.First[0])
			if diff := cmp.Diff(x, y); diff != "" || err1 != nil || err2 != nil {
				t.Fatalf("trails, %v, %v (-table +trees):\n%s", err1, err2, diff)
			}
		}
	})
	if seedtest.Usual() && halted < 10 {
		t.Errorf("%d machines halt", halted)
	}
}

// sameSpaces fails unless two spaces of the machine number the same states in the same way.
func sameSpaces(t interface {
	Context() context.Context
	Fatalf(format string, args ...any)
}, twin, space *Space) {
	type numbered struct {
		ID, Parent ID
		State      []uint64
	}
	list := func(s *Space) (all []numbered) {
		s.EachNumbered(func(id ID, state []uint64) bool {
			all = append(all, numbered{id, s.parent(id), slices.Clone(state)})
			return true
		})
		return all
	}
	all := list(twin)
	if diff := cmp.Diff(all, list(space)); diff != "" {
		t.Fatalf("states (-table +trees):\n%s", diff)
	}
	n, of := space.Numbers(t.Context()), twin.Numbers(t.Context())
	for _, x := range all[:min(len(all), 50)] {
		got, found := n.Find(x.State)
		if want, _ := of.Find(x.State); !found || got != want {
			t.Fatalf("%x: number %d, found %t, want %d", x.State, got, found, want)
		}
		far := slices.Clone(x.State)
		far[len(far)-1] ^= 1 << 63 // no field has that bit
		if _, found := n.Find(far); found {
			t.Fatalf("%x: found, but never stored", far)
		}
	}
}

// tempDir is a folder that the check removes.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "trees")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestNodes: values have one number each, whichever workers ask at once, also while the table grows, and none is found
// that was not added.
func TestNodes(t *testing.T) {
	const workers, values = 4, 60_000
	var growing sync.RWMutex
	nodes := newNodes(1, &growing)
	defer nodes.release()
	var numbers [workers][values]uint32
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			growing.RLock()
			defer growing.RUnlock()
			for k := range values {
				nodes.room(2 * workers)
				v := uint64((k*7 + w*values/2) % values)
				numbers[w][v] = nodes.number(v*factor1, mix(v*factor1))
			}
		})
	}
	wait.Wait()
	used := map[uint32]bool{}
	for v := range values {
		n := numbers[0][v]
		for w := range workers {
			if numbers[w][v] != n {
				t.Fatalf("value %d: numbers %d and %d", v, n, numbers[w][v])
			}
		}
		if used[n] || nodes.value(n) != uint64(v)*factor1 {
			t.Fatalf("number %d of value %d", n, v)
		}
		used[n] = true
		if _, found := nodes.find(uint64(v)*factor1+1, mix(uint64(v)*factor1+1)); found {
			t.Fatalf("%d is found", v)
		}
	}
}

// wideWords is how many words a state of a test has that is kept as a tree, at least.
const wideWords = treeBits/64 + 2
