package walk

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// maze is a random machine: fields of random sizes, and a few rules, each of
// which adds a number to a field if another one has some value.
type maze struct {
	layout states.Layout
	fields []states.Field
	rules  []rule
}

type rule struct {
	test, field int
	value, add  uint64
}

func (m *maze) Layout() *states.Layout      { return &m.layout }
func (m *maze) Start(dst []uint64) []uint64 { return append(dst, make([]uint64, m.layout.Words())...) }

func (m *maze) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, r := range m.rules {
		if m.fields[r.test].Of(s) != r.value {
			continue
		}
		at := len(dst)
		dst = append(dst, s...)
		f := m.fields[r.field]
		f.Put(dst[at:], (f.Of(s)+r.add)%f.Values)
	}
	return dst, nil
}

// mazes draws machines whose states take from a few bits to several words.
func mazes(t *rapid.T) *maze {
	m := &maze{}
	for i := range rapid.IntRange(2, 9).Draw(t, "fields") {
		m.fields = append(m.fields, m.layout.Field(fmt.Sprint(i), uint64(rapid.IntRange(2, 7).Draw(t, "values"))))
		if rapid.IntRange(0, 3).Draw(t, "gap") == 0 {
			m.layout.Field("gap", 1<<rapid.IntRange(0, 40).Draw(t, "size")) // always 0
		}
	}
	// A field that is always 0 decides how visited states are recorded: by marks, quotients (of
	// fewer than 38 bits, of more, of more than a word), numbers or trees.
	switch bits := m.layout.Bits(); rapid.IntRange(0, 5).Draw(t, "form") {
	case 1:
		if bits < 28 {
			m.layout.Field("gap", 1<<(28-bits))
		}
	case 2:
		m.layout.Field("gap", 1<<33)
	case 3:
		m.layout.Field("gap", 1<<min(max(40, 68-bits), 62))
	case 4:
		m.layout.Queue("gap", 2, 1<<40, nil)
	case 5:
		m.layout.Queue("gap", 2*wideWords, 1<<40, nil)
		for i := range rapid.IntRange(0, 3).Draw(t, "far") { // fields in other words than the first
			m.fields = append(m.fields, m.layout.Field(fmt.Sprint("far ", i), 5))
			m.layout.Queue(fmt.Sprint("gap ", i), rapid.IntRange(1, 5).Draw(t, "places"), 1<<40, nil)
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "rules") {
		test := rapid.IntRange(0, len(m.fields)-1).Draw(t, "test")
		m.rules = append(m.rules, rule{test, rapid.IntRange(0, len(m.fields)-1).Draw(t, "field"),
			uint64(rapid.IntRange(0, int(m.fields[test].Values)-1).Draw(t, "value")), uint64(rapid.IntRange(1, 3).Draw(t, "add"))})
	}
	return m
}

// counter is a machine with width^digits states, each digit of which goes up.
func counter(digits int, width uint64) *maze {
	m := &maze{}
	for i := range digits {
		m.fields = append(m.fields, m.layout.Field(fmt.Sprint(i), width))
		for v := range width - 1 {
			m.rules = append(m.rules, rule{i, i, v, 1})
		}
	}
	return m
}

type plainResult struct {
	States, Transitions int64
	Levels              int
	Halts               int64
	Leaves              bool // every state with successors has another one among them
}

func keyOf(s []uint64) (b []byte) {
	for _, x := range s {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// plain is the twin: a queue and a map.
func plain(m Machine, most int) (plainResult, map[string]int) {
	words := m.Layout().Words()
	key := func(s []uint64) string { return string(keyOf(s)) }
	queue := [][]uint64{m.Start(nil)}
	depth := map[string]int{key(queue[0]): 0}
	r := plainResult{Leaves: true}
	for i := 0; i < len(queue); i++ {
		d := depth[key(queue[i])]
		r.Levels = max(r.Levels, d+1)
		next, _ := m.AppendSuccessors(nil, queue[i])
		if len(next) == 0 {
			r.Halts++
		} else if slices.Equal(next, slices.Repeat(queue[i], len(next)/words)) {
			r.Leaves = false
		}
		for ; len(next) > 0; next = next[words:] {
			r.Transitions++
			if k := key(next[:words]); len(depth) < most {
				if _, seen := depth[k]; !seen {
					depth[k] = d + 1
					queue = append(queue, next[:words])
				}
			}
		}
	}
	r.States = int64(len(queue))
	return r, depth
}

const halts Flags = 1

// few wants the parents of a hundred states.
func few(_ *[FlagBits]int64, states int64) bool { return states < 100 }

func flagHalts(_ []uint64, successors int) Flags {
	if successors == 0 {
		return halts
	}
	return 0
}

// TestAgainstPlainSearch: one and two workers, exact and compact, find what a
// queue and a map find, and shortest paths.
func TestAgainstPlainSearch(t *testing.T) {
	forms := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := mazes(t)
		const most = 30000
		want, depth := plain(m, most)
		if len(depth) >= most {
			t.Skip("too large")
		}
		var results []*Result
		for _, opt := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 2, Compact: true}, {Workers: 2, Parents: few}} {
			opt.Inspect, opt.Leaves = flagHalts, true
			space, r, err := Explore(context.Background(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			missing := maps.Clone(depth)
			if !opt.Compact {
				forms[space.name]++
			}
			got := plainResult{r.States, r.Transitions, r.Levels, r.Flagged[0], r.Leaves}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s", opt, diff)
			}
			if opt.Parents != nil && space.Parents() && r.States >= 100 && !space.ordered {
				t.Fatalf("parents of %d states are kept", r.States)
			}
			if r.Flagged[0] > 0 && space.Parents() {
				trail, err := space.Trail(t.Context(), m, r.First[0])
				if err != nil {
					t.Fatal(err)
				}
				checkTrail(t, m, trail, depth)
			}
			if !opt.Compact {
				visited := 0
				for part := range 3 {
					space.Each(part, 3, func(s []uint64) bool {
						delete(missing, string(keyOf(s)))
						visited++
						return true
					})
				}
				if len(missing) > 0 || int64(visited) != want.States {
					t.Fatalf("of %d states, %d are left out, in %d visits", want.States, len(missing), visited)
				}
			}
			if !opt.Compact && (space.Parents() || space.name == "bit map") {
				checkNumbers(t, space, m)
			}
			if !space.Parents() {
				space.Each(0, 1, func(s []uint64) bool {
					missing[string(keyOf(s))] = 1
					return true
				})
				if int64(len(missing)) != want.States {
					t.Fatalf("of %d states Each tells %d", want.States, len(missing))
				}
				r.Peak = 0
				if diff := cmp.Diff(results[0], r); diff != "" {
					t.Fatalf("with parents, and without (-with +without):\n%s", diff)
				}
			} else if !opt.Compact {
				r.Peak = 0 // scratch memory depends on the workers
				results = append(results, r)
			}
			space.Release()
		}
		if diff := cmp.Diff(results[0], results[1]); diff != "" {
			t.Fatalf("one and two workers differ:\n%s", diff)
		}
	})
	if seedtest.Usual() && len(forms) < 3 {
		t.Errorf("not every form was tried: %v", forms)
	}
}

// checkNumbers: every state has one number, in the order of the parts, and is found again by it; what
// was not reached has none.
func checkNumbers(t *rapid.T, space *Space, m *maze) {
	numbers, words := space.Numbers(t.Context()), m.layout.Words()
	var all []uint64
	var order []int32
	for part := range numbers.Parts() {
		from, to := numbers.Part(part)
		if from != len(order) {
			t.Fatalf("part %d begins with %d, want %d", part, from, len(order))
		}
		numbers.EachIn(part, func(s []uint64) bool {
			i := len(order)
			if found, ok := numbers.Find(s); !ok || int(found) != i {
				t.Fatalf("%v has number %d, %t; want %d", s, found, ok, i)
			}
			if again := numbers.State(nil, i); !slices.Equal(again, s) {
				t.Fatalf("number %d is that of %v, not of %v", i, again, s)
			}
			all, order = append(all, s...), append(order, int32(i))
			return true
		})
		if to != len(order) {
			t.Fatalf("part %d ends with %d, want %d", part, len(order), to)
		}
	}
	if int64(len(order)) != space.States() {
		t.Fatalf("%d states are numbered, of %d", len(order), space.States())
	}
	other := m.Start(nil)
	for _, f := range m.layout.Fields() {
		f.Put(other, rapid.Uint64Range(0, f.Values-1).Draw(t, "other"))
	}
	reached := false
	for i := range order {
		reached = reached || slices.Equal(all[i*words:][:words], other)
	}
	if !reached {
		at := rapid.IntRange(0, len(order)-1).Draw(t, "at")
		all, order = slices.Insert(all, at*words, other...), slices.Insert(order, at, -7)
	}
	if found, ok := numbers.FindAll(nil, all, -7); ok != reached || !slices.Equal(found, order) {
		t.Fatalf("of states that follow each other, all are found is %t: %v, not %v", ok, found, order)
	}
}

// checkTrail: a trail consists of steps, begins at the start, and is as short as
// possible.
func checkTrail(t *rapid.T, m Machine, trail [][]uint64, depth map[string]int) {
	words := m.Layout().Words()
	if !slices.Equal(trail[0], m.Start(nil)) {
		t.Fatalf("the trail begins with %v", trail[0])
	}
	for i := range trail[1:] {
		next, _ := m.AppendSuccessors(nil, trail[i])
		found := false
		for ; len(next) > 0; next = next[words:] {
			found = found || slices.Equal(next[:words], trail[i+1])
		}
		if !found {
			t.Fatalf("step %d of the trail is not a step", i+1)
		}
	}
	if d := depth[string(keyOf(trail[len(trail)-1]))]; d != len(trail)-1 {
		t.Fatalf("a trail of %d steps to a state at depth %d", len(trail)-1, d)
	}
}

// TestOrder: in every form states are expanded in the order of a sequential search, and the first
// in that order with a flag is reported, also if a state is judged when it is
// found.
func TestOrder(t *testing.T) {
	for _, m := range append(forms(), counter(4, 9)) {
		for _, compact := range []bool{false, true} {
			var want []string
			_, depth := plain(m, 1<<20)
			queue := [][]uint64{m.Start(nil)}
			delete(depth, string(keyOf(queue[0])))
			for len(queue) > 0 {
				want = append(want, fmt.Sprint(queue[0]))
				next, _ := m.AppendSuccessors(nil, queue[0])
				queue = queue[1:]
				for words := m.Layout().Words(); len(next) > 0; next = next[words:] {
					if k := string(keyOf(next[:words])); depth[k] > 0 {
						delete(depth, k)
						queue = append(queue, next[:words])
					}
				}
			}
			special := want[len(want)*2/3]
			flag := func(s []uint64) Flags {
				if slices.Contains(want[len(want)*2/3:], fmt.Sprint(s)) {
					return 1
				}
				return 0
			}
			var got []string
			space, _, err := Explore(t.Context(), m, Options{Compact: compact, Inspect: func(s []uint64, _ int) Flags {
				got = append(got, fmt.Sprint(s))
				return 0
			}})
			if err != nil {
				t.Fatal(err)
			}
			space.Release()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d bits, compact is %t (-plain +got):\n%s", m.layout.Bits(), compact, diff)
			}
			space, r, err := Explore(t.Context(), judged{m}, Options{Workers: 2, Compact: compact, Judge: func(s []uint64, _ uint32) Flags { return flag(s) }})
			if err != nil {
				t.Fatal(err)
			}
			trail, err := space.Trail(t.Context(), m, r.First[0])
			if err != nil || fmt.Sprint(trail[len(trail)-1]) != special {
				t.Errorf("%d bits, compact is %t: the first state with the flag is %v, want %s; %v", m.layout.Bits(), compact, trail, special, err)
			}
			space.Release()
		}
	}
}

// judged reports no kinds of its steps.
type judged struct{ *maze }

func (m judged) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	before := len(dst)
	dst, err := m.AppendSuccessors(dst, s)
	return dst, append(kinds, make([]uint32, (len(dst)-before)/m.layout.Words())...), err
}

// TestBudgets: a walk ends before it exceeds its budget, and says why.
func TestBudgets(t *testing.T) {
	m := counter(6, 8) // 262,144 states
	for _, tt := range []struct {
		name string
		opt  Options
		want Reason
	}{
		{"memory", Options{Memory: 1 << 20}, OutOfMemory},
		{"states", Options{MaxStates: 1000}, OutOfStates},
		{"found", Options{Inspect: flagHalts, Until: func(flagged *[FlagBits]int64,
			_ int64) bool {
			return flagged[bits.TrailingZeros64(uint64(halts))] > 0
		}}, Found},
		{"all", Options{}, Complete},
	} {
		space, r, err := Explore(context.Background(), m, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != tt.want {
			t.Errorf("%s: ended with reason %d, want %d", tt.name, r.Reason, tt.want)
		}
		if used := space.bytes(); tt.opt.Memory > 0 && used > tt.opt.Memory {
			t.Errorf("%s: %d bytes in use, of %d", tt.name, used, tt.opt.Memory)
		}
		space.Release()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, r, err := Explore(ctx, m, Options{})
	if err != nil || r.Reason != Interrupted || r.Expanded != 0 {
		t.Errorf("with a cancelled context: %+v, %v", r, err)
	}
}

// TestHardlyExceeded: a bound on states is exceeded by little, and by the same number for any number of
// workers. All of the 11 digits of a state go up, so a round that ignored the bound would find
// several times 5,000.
func TestHardlyExceeded(t *testing.T) {
	const most = 5000
	want := int64(0)
	for workers := 1; workers <= 3; workers++ {
		space, r, err := Explore(context.Background(), counter(11, 4), Options{MaxStates: most, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		space.Release()
		if workers == 1 {
			want = r.States
		}
		if r.Reason != OutOfStates || r.States != want || r.States < most || r.States > most+most/5 {
			t.Errorf("%d workers: %d states, reason %d; one worker: %d", workers, r.States, r.Reason, want)
		}
	}
}

// TestLargeBound: a bound on states that is never reached does not shorten rounds, however large
// it is.
func TestLargeBound(t *testing.T) {
	rounds := func(most int64) (n int) {
		space, r, err := Explore(context.Background(), counter(9, 3), Options{MaxStates: most, Until: func(*[FlagBits]int64, int64) bool { n++; return false }})
		if err != nil || r.Reason != Complete {
			t.Fatalf("reason %d, %v", r.Reason, err)
		}
		space.Release()
		return n
	}
	want := rounds(0)
	for _, most := range []int64{1 << 40, 1 << 55, 1 << 62, math.MaxInt64} {
		if n := rounds(most); n != want {
			t.Errorf("a bound of %d: %d rounds; without: %d", most, n, want)
		}
	}
}

// TestLargeStates: states of 12 kB, as deep buffers make them, stay within the budget where they are kept whole: a walk of
// few of them completes, and one of many finds nearly as many as there is memory for, without
// ever asking for much more.
func TestLargeStates(t *testing.T) {
	const memory = 64 << 20
	for _, tt := range []struct {
		digits int
		base   uint64
		want   Reason
		least  int64 // states
	}{{4, 5, Complete, 625}, {6, 8, OutOfMemory, memory / 12_500 / 3}} {
		m := counter(tt.digits, tt.base)
		m.layout.Queue("gap", 50_000, 3, nil)
		space, r, err := Explore(t.Context(), m, Options{Memory: memory, Workers: 2, Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != tt.want || space.States() < tt.least || r.Peak > memory+memory/2 || space.bytes() > memory {
			t.Errorf("%d digits: ended with reason %d at %d states, with at most %d bytes; want %d, at least %d",
				tt.digits, r.Reason, space.States(), r.Peak, tt.want, tt.least)
		}
		space.Release()
	}
}

// TestResume: a walk interrupted at any state and continued from its checkpoint finds the
// same, to the last trail.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		gap     uint64 // values of a field that is always 0: marks, quotients, numbers, trees
		places  int    // of that field
		compact bool
	}{{1, 1, false}, {1 << 14, 1, false}, {1 << 33, 1, false}, {1 << 54, 1, false}, {1 << 33, 20, false}, {1 << 33, 60, false}, {1, 1, true}} {
		m, compact := counter(5, 7), tt.compact
		m.layout.Queue("gap", tt.places, tt.gap, nil)
		_, want, err := Explore(context.Background(), m, Options{Inspect: flagHalts, Compact: compact})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "walk")
		resume := ""
		for most := int64(100); ; most += 3000 {
			space, r, err := Explore(context.Background(), m, Options{Inspect: flagHalts, Compact: compact, MaxStates: most,
				Workers: int(most%2) + 1, Checkpoint: Checkpoint{Save: file, Resume: resume, Identity: []Part{{"machine", "counter"}}}})
			if err != nil {
				t.Fatal(err)
			}
			resume = file
			if r.Reason == OutOfStates {
				space.Release()
				continue
			}
			got, expected := *r, *want
			got.Peak, expected.Peak = 0, 0
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("compact=%t (-at once +resumed):\n%s", compact, diff)
			}
			if trail, err := space.Trail(t.Context(), m, r.First[0]); err != nil || len(trail) != 5*6+1 {
				t.Errorf("a trail of %d states, %v; want 31", len(trail), err)
			}
			break
		}
	}
}

// TestPacked: a packed state comes back in every bit, whether its last word is packed into one
// or into two.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(65, 256).Draw(t, "size")
		state := rapid.SliceOfN(rapid.Uint64(), (size+63)/64, (size+63)/64).Draw(t, "state")
		state[len(state)-1] &= 1<<((size-1)%64+1) - 1
		s := &Space{words: len(state), packed: (size + 31) / 32}
		packed := make([]uint32, s.packed)
		packInto(packed, state)
		if diff := cmp.Diff(state, s.unpack(nil, packed)); diff != "" {
			t.Fatalf("(-packed +unpacked):\n%s", diff)
		}
	})
}

// fan steps from its start to some states, and from there nowhere.
type fan struct {
	layout states.Layout
	start  []uint64
	to     [][]uint64
}

func (m *fan) Layout() *states.Layout      { return &m.layout }
func (m *fan) Start(dst []uint64) []uint64 { return append(dst, m.start...) }

func (m *fan) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	if !slices.Equal(s, m.start) {
		return dst, nil
	}
	return append(dst, slices.Concat(m.to...)...), nil
}

// TestForgets: the memory of emitted states mistakes nothing for one of them, neither a state that
// looks like an empty slot nor one with the hash of another.
func TestForgets(t *testing.T) {
	for _, fields := range [][]int{{20}, {30}, {40}, {63}, {40, 24}, {40, 30}, {40, 40}, {62, 62, 20}} {
		m := &fan{}
		for _, bits := range fields {
			m.layout.Field("x", 1<<bits)
		}
		words := m.layout.Words()
		m.start = slices.Repeat([]uint64{1}, words)
		if mix, ok := newMixing(&m.layout); ok {
			for shard := range shards {
				for part := range uint64(3) {
					m.to = append(m.to, mix.state(nil, shard, part<<(mix.width-(mixedBits-shardBits))))
				}
			}
		} else {
			m.to = append(m.to, make([]uint64, words))
		}
		if words == 3 { // the product of the first two is 0 whatever the second
			packed := newSpace(m, false, false, false).packed
			a, b := []uint64{1<<64 - factor1, 0, 7}, []uint64{1<<64 - factor1, 1, 7}
			if hashOfState(a, packed) != hashOfState(b, packed) {
				t.Fatal("the hashes differ")
			}
			m.to = append(m.to, a, b)
		}
		for _, workers := range []int{1, 2} {
			space, _, err := Explore(t.Context(), m, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := space.States(), int64(1+len(m.to)); got != want {
				t.Errorf("%v bits: %d states, want %d", fields, got, want)
			}
			space.Release()
		}
	}
}
