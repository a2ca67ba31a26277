package combining_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// machineFor is a machine of one of the four kinds, with the number of symmetries that
// it must name, without the identity.
type machineFor struct {
	name       string
	build      func() (*program.Program, error)
	symmetries int
}

// symmetric lists machines whose symmetries are counted by hand.
func symmetric() []machineFor {
	memory := func(build func(combining.MemoryOptions) (*combining.Memory, error), change func(o *combining.MemoryOptions)) func() (*program.Program, error) {
		return func() (*program.Program, error) {
			o := machineTree(combining.Window, combining.AtLeaf, 3)
			change(&o)
			m, err := build(o)
			if err != nil {
				return nil, err
			}
			return m.Program, nil
		}
	}
	reads := func(o combining.MemoryOptions) (*combining.Memory, error) { return combining.ReadCombining(o, 0) }
	writer := func(o combining.MemoryOptions) (*combining.Memory, error) { return combining.ReadCombining(o, 1) }
	reduction := func(change func(o *combining.ReduceOptions)) func() (*program.Program, error) {
		return func() (*program.Program, error) {
			o := machineReduction()
			change(&o)
			return combining.Reduce(o)
		}
	}
	file := func(e catalogue.Entry, set ...string) func() (*program.Program, error) {
		return func() (*program.Program, error) { return programtest.Of(e.Machine(settings(set))) }
	}
	barrier, memoryBarrier := combining.BarrierEntry(), combining.MemoryBarrierEntry()
	return []machineFor{
		// The tree of two levels has 2·2·2 symmetries. Home 0 must stay, and so must 1.
		{"Fetch&Add", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {}), 1},
		// 0 and 1, 2 and 3
		{"Fetch&Add, home beside the root", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Home, o.Requesters = combining.AtRoot, 2 }), 3},
		{"Fetch&Add, forever", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {
			o.Home, o.Requesters, o.Level = combining.AtRoot, 4, combining.Forever
		}), 7},
		{"Fetch&Add, levels", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Levels = []combining.Waiting{0, 2, 0, 2} }), 0},
		{"Fetch&Add, each to its own home", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {
			o.FanOut, o.Depth, o.Requesters, o.Level, o.Homes, o.Targets = 3, 1, 3, combining.Window, []int{0, 1, 2}, [][]int{{0}, {2}, {1}}
		}), 2}, // a cycle of three, which may be rotated
		{"Fetch&Add, crossing", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {
			o.Homes, o.Targets, o.OneVC, o.Overflow, o.Entries = []int{0, 3}, [][]int{{0}, {0}, {1}}, true, combining.Marked, 1
		}), 0}, // 1 asks 3, and 2 and 3 ask 0
		{"Fetch&Add, crossing both ways", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {
			o.Requesters, o.Homes, o.Targets, o.OneVC, o.Overflow, o.Entries = 4, []int{0, 3}, [][]int{{0}, {1}, {0}, {1}}, true, combining.Marked, 1
		}), 1}, // reflected: 0 and 3, 1 and 2
		{"Fetch&Add, forgets", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Splitting = combining.ForgetsMapping }), 1},
		{"Fetch&Add, freed twice", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Splitting = combining.FreedTwice }), 1},
		{"Fetch&Add, sent ahead", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Level = combining.Record }), 1},
		{"Fetch&Add, three combine", memory(combining.FetchAdd, func(o *combining.MemoryOptions) {
			o.FanOut, o.Depth, o.Home, o.Joined = 3, 1, combining.AtRoot, 3
		}), 5},
		{"Fetch&Add, literal", memory(combining.FetchAdd, func(o *combining.MemoryOptions) { o.Splitting = combining.ByKey }), 0}, // see Memory.symmetries
		{"reads, literal", memory(reads, func(o *combining.MemoryOptions) { o.Splitting, o.Level = combining.ByKey, combining.Record }), 1},
		{"reads, two cells at 0", memory(reads, func(o *combining.MemoryOptions) {
			o.Homes, o.Targets = []int{0, 0}, [][]int{{0}, {1}, {}}
		}), 1}, // 2 and 3, and the cells
		{"a write", memory(writer, func(o *combining.MemoryOptions) { o.Level = combining.Record }), 1}, // of 1
		{"reduction, any operation", reduction(func(o *combining.ReduceOptions) {}), 0},
		{"reduction", reduction(func(o *combining.ReduceOptions) { o.Commutative = true }), 1},
		{"reduction by arrival", reduction(func(o *combining.ReduceOptions) {
			o.Commutative, o.Order, o.Home, o.Rounds = true, combining.ByArrival, combining.AtRoot, 1
		}), 7},
		{"reduction, eager", reduction(func(o *combining.ReduceOptions) {
			o.Commutative, o.Order, o.Eager, o.FanOut, o.Depth = true, combining.ByArrival, true, 3, 1
		}), 1},
		{"barrier", file(barrier), 7},
		{"barriers of {0,1,2} and {2,3}", file(barrier, "groups=0,1,2/2,3"), 1}, // 0 and 1
		{"barriers, crossed", file(barrier, "groups=0,2/1,3", "ahead=2"), 3},    // of the 8 those that keep 02|13
		{"barriers, held back", file(barrier, "groups=0,1/2,3", "ahead=2", "controller=holds"), 7},
		{"barriers by processor", file(barrier, "groups=0,1,2/2,3", "key=processor"), 1},
		{"memory barrier", file(memoryBarrier), 1},
		{"memory barriers, crossed", file(memoryBarrier, "groups=0,2/1,3", "home=root", "overflow=interrupt"), 3},
		{"memory barriers by a flag", file(memoryBarrier, "home=root", "release=flag"), 7},
		{"memory barriers, two variables", file(memoryBarrier, "ahead=2", "variables=2"), 1},
	}
}

// TestSymmetries: the symmetries are the expected ones. The checker, which verifies each of
// them, finds one state of each orbit, and the same verdicts as without them: a sample of the
// machines, at least one of each kind.
func TestSymmetries(t *testing.T) {
	for i, tt := range symmetric() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := tt.build()
			if err != nil {
				t.Fatal(err)
			}
			if n := len(p.Renamings); n != tt.symmetries {
				t.Fatalf("%d symmetries, want %d", n, tt.symmetries)
			}
			if tt.symmetries == 0 || !seedtest.Sampled(i+2, 6) {
				return
			}
			whole := searchedProgram(t, p, checker.Question{Explore: checker.Whole})
			modulo := searchedProgram(t, p, checker.Question{Explore: checker.Whole, Symmetry: true})
			if whole == nil || modulo == nil {
				return
			}
			if diff := cmp.Diff(allViolated(whole), allViolated(modulo)); diff != "" {
				t.Errorf("violated (-whole +modulo):\n%s", diff)
			}
			if states, orbits := orbits(t, p); whole.States != int64(states) || modulo.States != orbits {
				t.Errorf("%d states and %d modulo symmetries, want %d and %d", whole.States, modulo.States, states, orbits)
			}
		})
	}
}

// orbits counts the reachable states, and their orbits: a state of an orbit of n counts
// as 1/n.
func orbits(t *testing.T, p *program.Program) (states int, orbits int64) {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	words := m.Layout().Words()
	queue := slices.Collect(slices.Chunk(m.Start(nil), words))
	seen := map[string]bool{fmt.Sprint(queue[0]): true}
	sum := new(big.Rat)
	for ; states < len(queue); states++ {
		s := queue[states]
		orbit := map[string]bool{fmt.Sprint(s): true}
		for _, r := range p.Renamings {
			orbit[fmt.Sprint(renamed(m, r, s))] = true
		}
		sum.Add(sum, big.NewRat(1, int64(len(orbit))))
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		for after := range slices.Chunk(next, words) {
			if key := fmt.Sprint(after); !seen[key] {
				seen[key] = true
				queue = append(queue, after)
			}
		}
	}
	if !sum.IsInt() {
		t.Errorf("%s orbits: the renamings and the identity are not a group", sum)
	}
	return states, sum.Num().Int64()
}

// renamed returns the image of a state.
func renamed(m *program.Machine, r program.Renaming, s []uint64) []uint64 {
	image := make([]uint64, len(s))
	for x, v := range m.Values(s) {
		if values := r.Values[program.Var(x)]; values != nil {
			v = values[v]
		}
		m.Layout().Fields()[r.Vars[x]].Put(image, uint64(v))
	}
	return image
}

// TestWrongSymmetry: symmetry reduction is refused for a machine in which cluster 2 differs
// from its images.
func TestWrongSymmetry(t *testing.T) {
	refused := 0
	for i, tt := range symmetric() {
		if !seedtest.Sampled(i, 9) {
			continue
		}
		p, err := tt.build()
		if err != nil {
			t.Fatal(err)
		}
		x := slices.IndexFunc(p.Variables, func(v program.Variable) bool { return strings.Contains(v.Name, "cluster 2") })
		if !slices.ContainsFunc(p.Renamings, func(r program.Renaming) bool { return r.Vars[x] != program.Var(x) }) {
			continue // it has none but itself
		}
		p.Rule("cluster 2 forgets", program.Ne(program.Var(x), 0), program.Set(program.Var(x), 0))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		_, err = checker.Explore(t.Context(), m, checker.Question{
			Symmetry: true, NoSample: true, Explore: checker.Whole, MaxStates: 10_000, Closed: -1, // unused, it would not be looked at
		})
		if err == nil || !strings.Contains(err.Error(), "symmetry") {
			t.Errorf("%s: %v, want an error: it is not a symmetry", tt.name, err)
		}
		refused++
	}
	if seedtest.Whole() && refused < 15 || refused == 0 {
		t.Errorf("only %d machines were tried", refused)
	}
}
