package combining_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// machineTree is the machine's tree with one message a link.
func machineTree(level combining.Waiting, home combining.Home, requesters int) combining.MemoryOptions {
	return combining.MemoryOptions{FanOut: 2, Depth: 2, Home: home, Level: level, Capacity: 1, Requesters: requesters, Each: 1}
}

func must(m *combining.Memory, err error) func(testing.TB) *combining.Memory {
	return func(t testing.TB) *combining.Memory {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// TestOneRequest: a single request has one path. With d levels of switches it is in one of
// d+1 links to the memory, in one of d+1 links back, not sent, or done. At level 2 each
// switch holds it once, at level 3 the first switch holds it forever.
func TestOneRequest(t *testing.T) {
	for d := 1; d <= 3; d++ {
		for level, want := range map[combining.Waiting]int{combining.Pass: 2*d + 4, combining.Record: 2*d + 4,
			combining.Window: 3*d + 4, combining.Forever: 3} {
			o := machineTree(level, combining.AtRoot, 1)
			o.Depth = d
			x, _ := verdicts(t, must(combining.FetchAdd(o))(t).Program)
			if x.States != int64(want) || x.Transitions != int64(want-1) {
				t.Errorf("depth %d, level %d: %d states, %d transitions; want %d and one less", d, level, x.States, x.Transitions, want)
			}
		}
	}
}

// The meaning of an operation on a plain memory: requests 0 are reads and Test&Set,
// requests 1 writes of 1 and of 0.

func fetchAdd(v, f int) (int, int) { return v + f, v }

func testAndSet(v, f int) (int, int) {
	if f == 0 {
		return 1, v
	}
	return 0, 0
}

func readWrite(v, f int) (int, int) {
	if f == 0 {
		return v, v
	}
	return 1, 0
}

// outcomes are the possible results of the machine: the replies and the cell.
func outcomes(t testing.TB, m *combining.Memory) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	seen := map[string]bool{}
	queue := [][]int{m.Start()}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		steps, err := programtest.Steps(m.Program, at)
		if err != nil {
			t.Fatal(err)
		}
		if m.Done(at) {
			found[fmt.Sprint(m.Replies(at), m.Cells(at))] = true
		}
		for _, s := range steps {
			if key := fmt.Sprint(s.After); !seen[key] {
				seen[key] = true
				queue = append(queue, s.After)
			}
		}
	}
	return found
}

// request is a request to a plain memory: an operation and its cell.
type request struct{ cell, f int }

// toOne makes requests for one cell.
func toOne(scripts [][]int) [][]request {
	all := make([][]request, len(scripts))
	for c, script := range scripts {
		for _, f := range script {
			all[c] = append(all[c], request{0, f})
		}
	}
	return all
}

// allOrders returns the possible results of a memory of some cells without any
// switches: every order of the clusters' requests is tried.
func allOrders(cells int, scripts [][]request, apply func(v, f int) (int, int)) map[string]bool {
	found := map[string]bool{}
	replies := make([][]int, len(scripts))
	values := make([]int, cells)
	var next func()
	next = func() {
		over := true
		for c, script := range scripts {
			if i := len(replies[c]); i < len(script) {
				over = false
				r := script[i]
				before := values[r.cell]
				after, reply := apply(before, r.f)
				values[r.cell] = after
				replies[c] = append(replies[c], reply)
				next()
				replies[c] = replies[c][:i]
				values[r.cell] = before
			}
		}
		if over {
			found[fmt.Sprint(replies, values)] = true
		}
	}
	next()
	return found
}

// TestOutcomes: the possible results are exactly those of a plain memory, except at level 1
// of Fetch&Add. So the replies do not show clusters whether requests were combined.
func TestOutcomes(t *testing.T) {
	number := 0
	for _, home := range []combining.Home{combining.AtLeaf, combining.AtRoot} {
		for _, level := range []combining.Waiting{combining.Pass, combining.Record, combining.Window} {
			for _, third := range []bool{false, true} {
				if third && (home != combining.AtLeaf || level != combining.Window) {
					continue
				}
				if number++; !seedtest.Sampled(number, 4) {
					continue
				}
				o := machineTree(level, home, 3)
				o.ThirdWaits = third
				name := fmt.Sprintf("home %d, level %d, third waits %v: ", home, level, third)
				check := func(what string, want map[string]bool, m *combining.Memory) {
					t.Helper()
					if diff := cmp.Diff(want, outcomes(t, m)); diff != "" {
						t.Errorf("%s%s (-all orders +machine):\n%s", name, what, diff)
					}
				}
				if level != combining.Record {
					check("Fetch&Add", allOrders(1, toOne([][]int{nil, {4}, {2}, {1}}), fetchAdd), must(combining.FetchAdd(o))(t))
				}
				check("Test&Set", allOrders(1, toOne([][]int{nil, {1, 0}, {0}, {0}}), testAndSet), must(combining.Locks(o, 1))(t))
				check("read", allOrders(1, toOne([][]int{nil, {1, 0}, {0}, {0}}), readWrite), must(combining.ReadCombining(o, 1))(t))
			}
		}
	}
}

// TestOutcomesOfCells: several cells with homes at different clusters, and three requests that
// combine, give the results of a plain memory, too, with full wait buffers and with replies
// and requests on the same links. The addends are powers of two, in the order of the rounds
// and of the requesters within them. The suite takes each kind of overflow with each use of
// links once or twice.
func TestOutcomesOfCells(t *testing.T) {
	for i, tt := range []struct {
		name   string
		change func(o *combining.MemoryOptions)
		want   [][]request // of clusters 0 to 3
	}{
		{"homes 0 and 3", func(o *combining.MemoryOptions) {
			o.Homes, o.Targets = []int{0, 3}, [][]int{{0, 1}, {1}, {1, 0}}
		}, [][]request{nil, {{1, 4}, {0, 16}}, {{1, 2}}, {{0, 1}, {1, 8}}}},
		{"homes 2 and 2", func(o *combining.MemoryOptions) { o.Homes, o.Requesters, o.Each = []int{2, 2}, 2, 2 },
			[][]request{nil, nil, {{0, 2}, {1, 8}}, {{0, 1}, {1, 4}}}},
		{"three cells, one beside the root", func(o *combining.MemoryOptions) {
			o.Homes, o.Targets = []int{1, combining.BesideRoot, 0}, [][]int{{1, 2}, {1}, {2}}
		}, [][]request{nil, {{2, 4}}, {{1, 2}}, {{1, 1}, {2, 8}}}},
		{"three combine", func(o *combining.MemoryOptions) { o.Joined = 3 }, [][]request{nil, {{0, 4}}, {{0, 2}}, {{0, 1}}}},
		{"four combine, which cannot be", func(o *combining.MemoryOptions) { o.Joined, o.Home = 4, combining.AtRoot },
			[][]request{nil, {{0, 4}}, {{0, 2}}, {{0, 1}}}},
	} {
		o := machineTree(combining.Window, combining.AtLeaf, 3)
		tt.change(&o)
		want := allOrders(max(1, len(o.Homes)), tt.want, fetchAdd)
		for k, overflow := range []combining.Overflow{combining.Ample, combining.Refuse, combining.Interrupt, combining.Marked} {
			for _, one := range []bool{false, true} {
				if one {
					k += 2
				}
				if !seedtest.Sampled(i+k, 9) {
					continue
				}
				o.Overflow, o.Entries, o.OneVC = overflow, 1, one
				m := must(combining.FetchAdd(o))(t)
				if diff := cmp.Diff(want, outcomes(t, m)); diff != "" {
					t.Errorf("%s (-all orders +machine):\n%s", m.Name, diff)
				}
			}
		}
	}
}

// TestThreeCombine: three requests at the only switch. If it waits for three forever, home
// gets one request, so they are served in one of 3! orders, and each of these occurs. A
// state is the ordered choice of requests that have come in, and the places of the others;
// see the sum below.
func TestThreeCombine(t *testing.T) {
	o := machineTree(combining.Forever, combining.AtRoot, 3)
	o.FanOut, o.Depth, o.Joined = 3, 1, 3
	m := must(combining.FetchAdd(o))(t)
	x, violated := verdicts(t, m.Program)
	if violated != nil {
		t.Errorf("violated: %v", violated)
	}
	// k held in some order: 3!/(3-k)!, the others in their links or not yet: 2^(3-k).
	// In all 1 + 3·... = 8 + 3·4 + 6·2 = 32, then 6 orders, each with the request in
	// transit, the reply in transit, and the second, third and first answered one
	// after the other, with their replies received or not: 1 + 1 + 2 + 4 + 8.
	if want := int64(8 + 3*4 + 6*2 + 6*(1+1+2+4+8)); x.States != want {
		t.Errorf("%d states, want %d", x.States, want)
	}
	if got, want := outcomes(t, m), allOrders(1, toOne([][]int{{4}, {2}, {1}}), fetchAdd); cmp.Diff(want, got) != "" {
		t.Errorf("%v, want %v", got, want)
	}
	o.Joined = 2
	if _, violated := verdicts(t, must(combining.FetchAdd(o))(t).Program); !slices.Contains(violated, "deadlock-freedom") {
		t.Errorf("two combine, and the third has a partner: %v", violated)
	}
}

// TestLevel3Pairs: a request that is sure to have a partner at every switch is served.
func TestLevel3Pairs(t *testing.T) {
	m := must(combining.FetchAdd(machineTree(combining.Forever, combining.AtRoot, 4)))(t)
	if _, violated := verdicts(t, m.Program); violated != nil {
		t.Errorf("four requesters: %v", violated)
	}
	// Both replies of an entry go down to one of the two switches: of 24 orders those
	// remain in which siblings are next to each other.
	if got := len(outcomes(t, m)); got != 8 {
		t.Errorf("%d outcomes, want 2·2·2", got)
	}
}

// TestTwoEntriesOfACell: with one entry, overflow by interrupt can leave a cell with an entry
// in the switch and one with the processor; marking the key cannot. All requests are
// answered correctly nevertheless, because those that wait time out.
func TestTwoEntriesOfACell(t *testing.T) {
	seedtest.InFull(t)
	for overflow, want := range map[combining.Overflow][]string{combining.Interrupt: {"one entry a cell"}, combining.Marked: nil} {
		o := machineTree(combining.Window, combining.AtLeaf, 3)
		o.Homes, o.Targets, o.Overflow, o.Entries = []int{0, 0}, [][]int{{0, 1}, {1, 0}, {0}}, overflow, 1
		p := must(combining.FetchAdd(o))(t).Program
		var both []program.Expr
		for _, s := range []string{"switch 4", "switch 5", "root 6"} {
			for k := range 2 {
				own, taken := at(t, p, fmt.Sprintf("entry[%s,cell %d,own].state", s, k)), at(t, p, fmt.Sprintf("entry[%s,cell %d,processor].state", s, k))
				both = append(both, program.And(program.Ne(program.Var(own), 0), program.Ne(program.Var(taken), 0)))
			}
		}
		p.Invariant("one entry a cell", program.Not(program.Or(both...)))
		if _, violated := verdicts(t, p); cmp.Diff(want, violated, cmpopts.EquateEmpty()) != "" {
			t.Errorf("%s: %v, want %v", combining.OverflowNames[overflow], violated, want)
		}
	}
}

// TestReadsOfTwoCells: reads of two cells need not have a common order, although those of
// each cell have one. A walk over all histories finds one that shows it, and the search for
// an order that respects each program rejects it, too.
func TestReadsOfTwoCells(t *testing.T) {
	seedtest.InFull(t)
	o := machineTree(combining.Record, combining.AtLeaf, 3)
	o.Homes, o.Targets = []int{0, 2}, [][]int{{1, 0}, {0}, {0, 1}}
	m := must(combining.ReadCombining(o, 2))(t)
	if _, violated := verdicts(t, m.Program); cmp.Diff([]string{"the replies are those of a serial order",
		"the cell ends as that order leaves it"}, violated) != "" {
		t.Errorf("violated: %v", violated)
	}
	// 3 has read 1 of cell 1, which 1 wrote after cell 0, and 0 of cell 0.
	history := []combining.Operation{
		{Process: 1, Call: 0, Return: 1, Input: 1, Cell: 0}, {Process: 1, Call: 2, Return: 3, Input: 1, Cell: 1},
		{Process: 3, Call: 4, Return: 5, Output: 1, Cell: 1}, {Process: 3, Call: 6, Return: 7, Output: 0, Cell: 0},
	}
	object := combining.Object{Apply: readWrite}
	for k, want := range []bool{true, true, false} {
		some := slices.DeleteFunc(slices.Clone(history), func(op combining.Operation) bool { return k < 2 && op.Cell != k })
		if _, ok, err := combining.SerialOrder(some, object, combining.ProgramOrder); ok != want || err != nil {
			t.Errorf("cells up to %d: %v, %v, want %v", k, ok, err, want)
		}
	}
	v, err := m.Linearizable(t.Context(), 500_000)
	if err != nil || v.Verdict != spec.Violated || !slices.Equal(v.Cells, []int{0}) {
		t.Errorf("%s, %v, cells %v", v.Verdict, err, v.Cells)
	}
}

// TestEveryLineOfMemory: three that combine; two cells, with one entry for both, on links for
// both classes; a processor that takes over; writes; and what is remembered.
func TestEveryLineOfMemory(t *testing.T) {
	everyLineCounts(t, combining.FetchAddEntry(), [][]string{
		{"depth=1", "fan-out=3", "home=root"}, {"depth=1", "fan-out=3", "home=root", "partners=3"},
		{"depth=1", "fan-out=3", "homes=0,1", "targets=0,1/0,1/1", "third=waits", "overflow=refuse"},
		{"depth=1", "fan-out=3", "homes=0,1", "targets=0,1/0/1", "third=waits", "overflow=marked", "vcs=one"},
		{"depth=1", "fan-out=3", "home=root", "operation=read"}, {"depth=1", "fan-out=3", "home=root", "operation=read", "requesters=2", "writes=1"},
		{"depth=1", "fan-out=3", "home=root", "operation=test-and-set", "requesters=2", "unsets=1"},
		{"depth=1", "requesters=2", "operation=test-and-set", "unsets=1"},
		{"depth=1", "requesters=2", "operation=read", "writes=1"},
	}, map[string]string{
		"also(remember, c, i // 2, d)":              "what is remembered only forbids orders, see TestLinearizable",
		"s.past[c, i, d] = s.at[d] // 2":            "likewise",
		"when(m.write or m.of in of_level(k, [0]))": "a request may always go on by itself",
		"when(not m.write and concerns(buffer, s.entry, sw, k, at) and m.of in of_level(k, [1, 2, 3]))": "likewise",
		`when(s.entry[sw, k, at].state in ("combined", "answered"))`:                                    "likewise",
		"when(not m.write and m.of in of_level(k, [1]) and concerns(buffer, s.entry, sw, k, at))":       "a read that joins a write is told 0, as if it came first",
		`s.entry[sw, k, at].state = "sent"`:                                                             "nothing joins then",
		"when(not used(s.entry, sw, k, at))":                                                            "who has joined one that is forgotten is told with the next reply",
		"when(e.first != None)":                                                                         "an entry that waits has a first",
		"s.joined[sw, k, at, i].who = None":                                                             "an entry that is freed once has no others",
		"s.joined[sw, k, at, i].before = 0":                                                             "keeps states few",
		"s.joined[sw, k, at, n].before = 0":                                                             "keeps states few",
	})
}

// drawnMemory draws options for a random tree with up to three cells, and makes the memory.
// With links for both classes it may deadlock.
func drawnMemory(rt *rapid.T) (m *combining.Memory, apply func(v, f int) (int, int)) {
	o := combining.MemoryOptions{
		FanOut: rapid.IntRange(2, 3).Draw(rt, "fan-out"), Depth: rapid.IntRange(1, 2).Draw(rt, "depth"),
		Home:  rapid.SampledFrom([]combining.Home{combining.AtLeaf, combining.AtRoot}).Draw(rt, "home"),
		Level: rapid.SampledFrom([]combining.Waiting{combining.Pass, combining.Window}).Draw(rt, "level"), Capacity: rapid.IntRange(1, 2).Draw(rt, "capacity"),
		Each: 1, Joined: rapid.IntRange(2, 4).Draw(rt, "joined"), ThirdWaits: rapid.Bool().Draw(rt, "third waits"), OneVC: rapid.Bool().Draw(rt, "one VC"),
	}
	clusters := o.FanOut
	if o.Depth == 2 {
		clusters *= o.FanOut
	}
	o.Requesters = rapid.IntRange(1, min(clusters, 4)).Draw(rt, "requesters")
	o.Each = rapid.IntRange(1, max(1, 4/o.Requesters)).Draw(rt, "each")
	if rapid.Bool().Draw(rt, "levels differ") {
		o.Levels = rapid.SliceOfN(rapid.SampledFrom([]combining.Waiting{combining.Pass, combining.Window}), clusters, clusters).Draw(rt, "levels")
	}
	if rapid.Bool().Draw(rt, "several cells") {
		o.Homes = rapid.SliceOfN(rapid.IntRange(combining.BesideRoot, clusters-1), 2, 3).Draw(rt, "homes")
		o.Overflow = rapid.SampledFrom([]combining.Overflow{combining.Ample, combining.Refuse, combining.Interrupt, combining.Marked}).Draw(rt, "overflow")
		o.Entries = rapid.IntRange(1, 2).Draw(rt, "entries")
		cell := rapid.IntRange(0, len(o.Homes)-1)
		for range o.Requesters {
			o.Targets = append(o.Targets, rapid.SliceOfN(cell, 1, max(1, 5/o.Requesters)).Draw(rt, "targets"))
		}
	}
	var err error
	switch rapid.IntRange(0, 2).Draw(rt, "object") {
	case 0:
		m, err = combining.FetchAdd(o)
		apply = fetchAdd
	case 1:
		m, err = combining.Locks(o, 1)
		apply = testAndSet
	default:
		m, err = combining.ReadCombining(o, 1)
		apply = readWrite
	}
	if err != nil {
		rt.Fatal(err)
	}
	return m, apply
}

// TestObject runs Fetch&Add, Test&Set and reads in random trees, one random step at a time,
// and records the history. At any time the answers so far must have an order that respects
// real time, for all cells together and for each alone; at rest the cells must have the
// values that this order leaves.
func TestObject(t *testing.T) {
	seedtest.Few(3, func() {
		rapid.Check(t, func(rt *rapid.T) {
			m, apply := drawnMemory(rt)
			run := [][]int{m.Start()}
			answered := 0
			check := func(end func(cell, state int) bool) {
				history := m.Observed(run)
				_, ok, err := combining.SerialOrder(history, combining.Object{Apply: apply, End: end}, combining.RealTime)
				if err != nil || !ok {
					rt.Fatalf("%s: %v, no order for %+v", m.Name, err, history)
				}
				for k := range m.Cells(run[0]) {
					alone := slices.DeleteFunc(slices.Clone(history), func(op combining.Operation) bool { return op.Cell != k })
					if _, ok, err := combining.SerialOrder(alone, combining.Object{Apply: apply}, combining.RealTime); err != nil || !ok {
						rt.Fatalf("%s: %v, no order for cell %d of %+v", m.Name, err, k, history)
					}
				}
			}
			for {
				at := run[len(run)-1]
				steps, err := programtest.Steps(m.Program, at)
				if err != nil {
					rt.Fatal(err)
				}
				if len(steps) == 0 {
					break
				}
				run = append(run, rapid.SampledFrom(steps).Draw(rt, "step").After)
				if n := len(slices.DeleteFunc(m.Observed(run), func(op combining.Operation) bool { return op.Return == combining.Pending })); n > answered {
					answered = n
					check(nil)
				}
			}
			last := run[len(run)-1]
			if !m.Done(last) {
				if m.OneVC && len(m.Homes) > 1 {
					return
				}
				rt.Fatalf("%s: not everybody is answered", m.Name)
			}
			cells := m.Cells(last)
			check(func(cell, state int) bool { return cell >= len(cells) || state == cells[cell] })
		})
	})
}

// TestLinearizable: the invariant agrees with the walk over all histories, which sees only
// calls and replies, and with known verdicts. At level 1 a request can join another that was
// served long ago.
func TestLinearizable(t *testing.T) {
	fetchAdd := combining.FetchAdd
	testAndSet := func(unsets int) func(combining.MemoryOptions) (*combining.Memory, error) {
		return func(o combining.MemoryOptions) (*combining.Memory, error) { return combining.Locks(o, unsets) }
	}
	read := func(writes int) func(combining.MemoryOptions) (*combining.Memory, error) {
		return func(o combining.MemoryOptions) (*combining.Memory, error) { return combining.ReadCombining(o, writes) }
	}
	machine := func(level combining.Waiting) combining.MemoryOptions { return machineTree(level, combining.AtLeaf, 3) }
	twoCells := machine(combining.Record)
	twoCells.Homes, twoCells.Targets = []int{0, 2}, [][]int{{1, 0}, {0}, {0, 1}}
	twoLocks := machine(combining.Window)
	twoLocks.Homes, twoLocks.Targets = []int{0, 3}, [][]int{{0, 1}, {1}, {0}}
	literal := machine(combining.Window)
	literal.Splitting = combining.ByKey
	for i, tt := range []struct {
		name  string
		build func(combining.MemoryOptions) (*combining.Memory, error)
		o     combining.MemoryOptions
		want  spec.Verdict
	}{
		{"nothing combined", fetchAdd, machine(combining.Pass), spec.Holds},
		{"waiting for a time", fetchAdd, machine(combining.Window), spec.Holds},
		{"sent ahead", fetchAdd, machine(combining.Record), spec.Violated},
		{"the address alone", fetchAdd, literal, spec.Violated},
		{"Test&Set sent ahead", testAndSet(0), machine(combining.Record), spec.Holds},
		{"Test&Set sent ahead, unset", testAndSet(1), machine(combining.Record), spec.Violated},
		{"two locks", testAndSet(0), twoLocks, spec.Holds},
		{"read sent ahead", read(0), machine(combining.Record), spec.Holds},
		{"read sent ahead, write", read(1), machine(combining.Record), spec.Violated},
		{"read waiting, write", read(1), machine(combining.Window), spec.Holds},
		{"reads of two cells", read(2), twoCells, spec.Violated},
	} {
		if !seedtest.Sampled(i+1, 5) {
			continue
		}
		v, err := must(tt.build(tt.o))(t).Linearizable(t.Context(), 500_000)
		if err != nil || v.Verdict != tt.want {
			t.Errorf("%s: %s (%s), %v; want %s", tt.name, v.Verdict, v.Because, err, tt.want)
		}
		tt.o.History = true
		if _, violated := verdicts(t, must(tt.build(tt.o))(t).Program); slices.Contains(violated, "linearizable") != (tt.want == spec.Violated) {
			t.Errorf("%s, the invariant: %v is violated; want %s", tt.name, violated, tt.want)
		}
	}
}

// TestHistoryOnly: the history only adds variables: without them, the states are those of
// the machine without history.
func TestHistoryOnlyRemembers(t *testing.T) {
	o := machineTree(combining.Window, combining.AtLeaf, 3)
	plain := must(combining.FetchAdd(o))(t)
	o.History = true
	remembers := must(combining.FetchAdd(o))(t)
	states := func(m *combining.Memory) map[string]bool {
		seen, all := map[string]bool{}, map[string]bool{}
		for queue := [][]int{m.Start()}; len(queue) > 0; queue = queue[1:] {
			if key := fmt.Sprint(queue[0]); seen[key] {
				continue
			}
			seen[fmt.Sprint(queue[0])] = true
			var known []int
			for x, v := range queue[0] {
				if !strings.HasPrefix(m.Variables[x].Name, "past[") {
					known = append(known, v)
				}
			}
			all[fmt.Sprint(known)] = true
			steps, err := programtest.Steps(m.Program, queue[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range steps {
				queue = append(queue, s.After)
			}
		}
		return all
	}
	if diff := cmp.Diff(states(plain), states(remembers)); diff != "" {
		t.Error(diff)
	}
}

// TestMemoryRefuses: errors that the ranges of single parameters do not show. The others are
// in TestCombiningRefuses.
func TestMemoryRefuses(t *testing.T) {
	base := machineTree(combining.Window, combining.AtLeaf, 3)
	for want, change := range map[string]func(o *combining.MemoryOptions){
		"want a level from 0 to 3 for each of 4 clusters":      func(o *combining.MemoryOptions) { o.Levels = make([]combining.Waiting, 3) },
		"invalid levels \"0,7,0,0\": want a level from 0 to 3": func(o *combining.MemoryOptions) { o.Levels = []combining.Waiting{0, 7, 0, 0} },
		"want for each of 3 requesters up to 16 cells": func(o *combining.MemoryOptions) {
			o.Targets = [][]int{{0},
				make([]int, 17), {0}}
		},
		"invalid requesters 5: want at most 4, the number of clusters":        func(o *combining.MemoryOptions) { o.Requesters = 5 },
		"invalid homes \"4\": want a cluster from 0 to 3 or root":             func(o *combining.MemoryOptions) { o.Homes = []int{4} },
		"invalid targets \"0\": want for each of 3 requesters":                func(o *combining.MemoryOptions) { o.Targets = [][]int{{0}} },
		"more than 10 requests: want at most 10":                              func(o *combining.MemoryOptions) { o.Each = 4 },
		"9 requests have more than 1000 serial orders: take fewer requesters": func(o *combining.MemoryOptions) { o.Each = 3 },
	} {
		o := base
		change(&o)
		if _, err := combining.FetchAdd(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}

// TestAllHistories: a plain memory gives one history for each interleaving of the
// calls, the services and the replies of three requests, if services are then
// forgotten. The network gives all of them, neither fewer nor more, combined or not.
func TestAllHistories(t *testing.T) {
	found := map[string]bool{}
	var mix func(history string, at, reply [3]int, cell int)
	mix = func(history string, at, reply [3]int, cell int) {
		over := true
		for c := range at {
			next, history, reply, cell := at, history, reply, cell
			switch at[c] {
			case 0:
				history += fmt.Sprint("call ", c, ";")
			case 1:
				reply[c] = cell
				cell += 1 << c
			case 2:
				history += fmt.Sprint(c, " is told ", reply[c], ";")
			default:
				continue
			}
			over = false
			next[c]++
			mix(history, next, reply, cell)
		}
		if over {
			found[history] = true
		}
	}
	mix("", [3]int{}, [3]int{}, 0)
	for _, home := range []combining.Home{combining.AtLeaf, combining.AtRoot} {
		for _, level := range []combining.Waiting{combining.Pass, combining.Window} {
			v, err := must(combining.FetchAdd(machineTree(level, home, 3)))(t).Linearizable(t.Context(), 100_000)
			if err != nil || v.Verdict != spec.Holds || v.Checked != len(found) {
				t.Errorf("home %d, level %d: %d histories, %s, %v; want %d", home, level, v.Checked, v.Verdict, err, len(found))
			}
		}
	}
}
