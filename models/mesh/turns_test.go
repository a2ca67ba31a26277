package mesh_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

const compass = "EWNSUD"

// vector returns a direction's dimension and sign.
func vector(d byte) (dim, sign int) {
	i := strings.IndexByte(compass, d)
	return i / 2, 1 - 2*(i%2)
}

// abstractCycles lists the cycles of four turns in the planes of a mesh, from the
// definition: two directions of different dimensions, forth and back.
func abstractCycles(dims int) [][]string {
	var cycles [][]string
	for a := range dims {
		for b := a + 1; b < dims; b++ {
			for _, round := range []string{
				string([]byte{compass[2*a], compass[2*b], compass[2*a+1], compass[2*b+1]}),
				string([]byte{compass[2*a], compass[2*b+1], compass[2*a+1], compass[2*b]}),
			} {
				var turns []string
				for i := range 4 {
					turns = append(turns, string([]byte{round[i], round[(i+1)%4]}))
				}
				cycles = append(cycles, turns)
			}
		}
	}
	return cycles
}

// everySet lists the ways to forbid one turn of each cycle, each sorted.
func everySet(dims int) [][]string {
	sets := [][]string{nil}
	for _, cycle := range abstractCycles(dims) {
		var more [][]string
		for _, s := range sets {
			for _, turn := range cycle {
				more = append(more, append(slices.Clone(s), turn))
			}
		}
		sets = more
	}
	for _, s := range sets {
		slices.Sort(s)
	}
	return sets
}

// symmetriesOfCube lists the images of the directions under the permutations of
// dimensions and the reflections: 8 in two dimensions, 48 in three.
func symmetriesOfCube(dims int) []map[byte]byte {
	var all []map[byte]byte
	var permute func(image []int)
	permute = func(image []int) {
		if len(image) < dims {
			for d := range dims {
				if !slices.Contains(image, d) {
					permute(append(slices.Clone(image), d))
				}
			}
			return
		}
		for mirrored := range 1 << dims {
			m := map[byte]byte{}
			for d, to := range image {
				flip := mirrored >> d & 1
				m[compass[2*d]], m[compass[2*d+1]] = compass[2*to+flip], compass[2*to+1-flip]
			}
			all = append(all, m)
		}
	}
	permute(nil)
	return all
}

// breaksAll reports whether the remaining turns close no cycle of channels on a mesh of
// k nodes in each dimension, whatever paths packets take: by Kahn's algorithm.
func breaksAll(k, dims int, forbidden []string) bool {
	nodes := 1
	for range dims {
		nodes *= k
	}
	type channel struct {
		v int
		d byte
	}
	move := func(v int, d byte) (int, bool) {
		dim, sign := vector(d)
		stride := 1
		for range dim {
			stride *= k
		}
		x := v/stride%k + sign
		return v + sign*stride, x >= 0 && x < k
	}
	entering := map[channel]int{}
	follow := func(c channel, f func(channel)) {
		v, _ := move(c.v, c.d)
		for _, d := range []byte(compass[:2*dims]) {
			dim, _ := vector(c.d)
			other, _ := vector(d)
			if _, inside := move(v, d); inside && (d == c.d || dim != other && !slices.Contains(forbidden, string([]byte{c.d, d}))) {
				f(channel{v, d})
			}
		}
	}
	var free []channel
	for v := range nodes {
		for _, d := range []byte(compass[:2*dims]) {
			if _, inside := move(v, d); inside {
				entering[channel{v, d}] += 0
				follow(channel{v, d}, func(c channel) { entering[c]++ })
			}
		}
	}
	for c, n := range entering {
		if n == 0 {
			free = append(free, c)
		}
	}
	gone := 0
	for ; len(free) > 0; gone++ {
		c := free[len(free)-1]
		free = free[:len(free)-1]
		follow(c, func(next channel) {
			if entering[next]--; entering[next] == 0 {
				free = append(free, next)
			}
		})
	}
	return gone == len(entering)
}

// TestTurnSets: of the 16 ways to forbid one turn of each cycle of the plane 12 are
// free, in 3 of 4 orbits (Glass and Ni 1992); of the 4,096 in space 176 are, in 9 of
// 120 orbits. The orbits are those of the symmetries of the square and the cube; the
// remaining turns show which are free, and the model must agree (under -short only for
// those that are free).
func TestTurnSets(t *testing.T) {
	for _, tt := range []struct{ dims, sets, orbits, free, freeOrbits int }{
		{2, 16, 4, 12, 3},
		{3, 4096, 120, 176, 9},
	} {
		seen := map[string]bool{}
		got := tt
		got.sets, got.orbits, got.free, got.freeOrbits = 0, 0, 0, 0
		for _, set := range everySet(tt.dims) {
			if seen[fmt.Sprint(set)] {
				continue
			}
			size := 0
			for _, m := range symmetriesOfCube(tt.dims) {
				var image []string
				for _, turn := range set {
					image = append(image, string([]byte{m[turn[0]], m[turn[1]]}))
				}
				slices.Sort(image)
				if text := fmt.Sprint(image); !seen[text] {
					seen[text] = true
					size++
				}
			}
			want := breaksAll(3, tt.dims, set)
			got.sets, got.orbits = got.sets+size, got.orbits+1
			if want {
				got.free, got.freeOrbits = got.free+size, got.freeOrbits+1
			}
			if testing.Short() && !want || tt.dims > 2 && !seedtest.Sampled(got.orbits, 24) {
				continue
			}
			n := routingtest.Network(t)(mesh.TurnsEntry().Define(map[string]string{"n": fmt.Sprint(tt.dims), "k": "3",
				"model": "chosen", "forbid": strings.Join(set, ",")}))
			r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}})
			if err != nil {
				t.Fatal(err)
			}
			if holds := r.Of("deadlock-freedom").Verdict == spec.Holds; holds != want {
				t.Errorf("%v: free %t, want %t", set, holds, want)
			}
		}
		if got != tt {
			t.Errorf("got %+v, want %+v", got, tt)
		}
	}
}

// TestOffsetsAreShortened: a table of shortened offsets gives the same networks as one of all offsets.
func TestOffsetsAreShortened(t *testing.T) {
	text, err := os.ReadFile("turns.star")
	if err != nil {
		t.Fatal(err)
	}
	sets := []map[string]string{{"model": "odd-even", "k": "10"}, {"model": "odd-even", "k": "9"}, {"model": "west-first", "k": "7"},
		{"model": "negative-first", "n": "3", "k": "5"}, {"n": "3", "k": "5", "model": "one-of-each"}}
	for _, forbid := range []string{"EN,NE", "EN,ES,WN,SW", "ES,NE"} {
		sets = append(sets, map[string]string{"model": "chosen", "forbid": forbid, "k": "6"})
	}
	for _, forbid := range []string{"EN,NU,UE", "NE,UN,EU", "EU,UN,NE,ED,SW,WD"} { // three directions have only two turns each left
		sets = append(sets, map[string]string{"model": "chosen", "forbid": forbid, "n": "3", "k": "5"})
	}
	for i, set := range sets {
		if !seedtest.Sampled(i+6, 8) {
			continue
		}
		var digests []spec.Digest
		whole := "near = 9"
		if set["n"] == "3" {
			whole = "near = 4"
		}
		for _, text := range []string{string(text), strings.Replace(string(text), "near = 3", whole, 1)} {
			f, err := star.Load(t.Context(), "turns.star", []byte(text), star.Options{Set: set, MaxSteps: 1e9})
			if err != nil {
				t.Fatal(err)
			}
			n := routingtest.Compile(t, f.Definition)
			digests = append(digests, n.Digest())
		}
		if digests[0] != digests[1] {
			t.Errorf("%v: ways that are shortened say something else", set)
		}
	}
}
