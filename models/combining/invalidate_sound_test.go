package combining_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
)

var sizes = flag.Bool("sizes", false, "TestSound explores the larger sizes of SIZES.md, too: some minutes")

// sound is a machine of the sweep over sizes.
func sound(fanOut, depth, link int, homes, writers []int, change ...func(*combining.InvalidateOptions)) combining.InvalidateOptions {
	o := combining.InvalidateOptions{FanOut: fanOut, Depth: depth, Homes: homes, Writers: writers, Link: link, Entries: 1, Variant: combining.Sound}
	for _, f := range change {
		f(&o)
	}
	return o
}

func reading(o *combining.InvalidateOptions) { o.Resharing = true }
func marking(o *combining.InvalidateOptions) { o.Overflow = combining.Marked }
func interrupts(o *combining.InvalidateOptions) {
	o.Overflow, o.Travel = combining.Marked, true
}
func roundRobin(o *combining.InvalidateOptions) { o.Arbiter = combining.RoundRobin }
func apart(o *combining.InvalidateOptions)      { o.Unit = combining.PlaceEach }

// TestSound: of the sound variant all properties hold, at every size that can be
// explored: trees, links, homes, writers, with and without reading again, all that
// it can be combined with. Liveness is left out of the largest spaces, where it
// takes minutes. SIZES.md has the same as a table.
func TestSound(t *testing.T) {
	one, two, three := []int{0}, []int{0, 1}, []int{0, 1, 2}
	small := []combining.InvalidateOptions{
		sound(2, 1, 1, one, two, reading),
		sound(2, 1, 1, two, two, reading),
		sound(2, 1, 2, two, two, reading, marking),
		sound(2, 1, 1, two, two, reading, interrupts),
		sound(2, 1, 1, two, two, interrupts, apart),
		sound(2, 1, 1, two, two, reading, roundRobin),
		sound(2, 1, 1, []int{0, 0}, two, reading, interrupts), // one cluster, two blocks
		sound(3, 1, 1, two, two),
		sound(4, 1, 1, one, []int{1, 3}, reading),
		sound(2, 2, 1, one, []int{1, 3}, reading),
		sound(2, 2, 2, one, []int{1, 3}, reading),
		sound(2, 2, 1, one, []int{1, 3}, reading, apart),
		sound(2, 2, 1, one, []int{2, 3}, reading, roundRobin),
		sound(2, 3, 1, one, []int{1}),
	}
	large := []struct {
		options  combining.InvalidateOptions
		liveness bool
	}{
		{sound(3, 1, 1, three, two), true},
		{sound(2, 2, 1, one, []int{0, 1, 2, 3}, reading), true},
		{sound(4, 1, 1, one, []int{0, 1, 2, 3}, reading), true},
		{sound(2, 2, 1, []int{0, 2}, []int{1, 3}), true},
		{sound(2, 2, 2, []int{0, 2}, []int{1, 3}), true},
		{sound(2, 2, 1, []int{0, 2}, []int{1, 3}, roundRobin), true},
		{sound(2, 3, 1, one, []int{1, 5}), true},
		{sound(2, 2, 1, []int{0, 2}, []int{1, 3}, reading), false},
		{sound(3, 1, 1, three, three), false},
	}
	explore := func(o combining.InvalidateOptions, liveness bool) {
		x := searched(t, o, checker.ExploreOptions{Whole: true, Liveness: liveness})
		if x == nil || !x.Complete || len(allViolated(x)) > 0 {
			t.Errorf("%+v: violated are %v", o, allViolated(x))
			return
		}
		if *sizes {
			fmt.Printf("%+v: %d states, %d steps\n", o, x.States, x.Transitions)
		}
	}
	for _, o := range small {
		explore(o, true)
	}
	if *sizes {
		for _, l := range large {
			explore(l.options, l.liveness)
		}
	}
}

// TestSoundDrawn: likewise whatever is drawn, as far as the first states go.
func TestSoundDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([][2]int{{2, 1}, {3, 1}, {2, 2}, {4, 1}, {2, 3}}).Draw(t, "fan-out and depth")
		clusters := 1
		for range shape[1] {
			clusters *= shape[0]
		}
		cluster := rapid.IntRange(0, clusters-1)
		writers := rapid.SliceOfNDistinct(cluster, 1, min(3, clusters), rapid.ID).Draw(t, "writers")
		slices.Sort(writers)
		o := sound(shape[0], shape[1], rapid.IntRange(1, 3).Draw(t, "link"), rapid.SliceOfN(cluster, 1, 3).Draw(t, "homes"), writers)
		o.Resharing = rapid.Bool().Draw(t, "resharing")
		o.Overflow = rapid.SampledFrom([]combining.Overflow{combining.Ample, combining.Marked}).Draw(t, "overflow")
		o.Travel = rapid.Bool().Draw(t, "travel")
		o.Arbiter = rapid.SampledFrom([]combining.Arbiter{combining.Batch, combining.RoundRobin}).Draw(t, "arbiter")
		o.Unit = rapid.SampledFrom([]combining.Unit{combining.Merged, combining.PlaceEach}).Draw(t, "unit")
		x := searched(t, o, checker.ExploreOptions{Whole: true, Liveness: true, MaxStates: 2000})
		if x == nil || len(allViolated(x)) > 0 {
			t.Errorf("%+v: violated are %v", o, allViolated(x))
		}
	})
}

// TestUnitsApart: a combining unit that is a part of its own decides nothing at
// these sizes: all properties have the same verdicts as with everything in one
// step, in each variant, if arbiters are fair. Without, deadlock and invariants
// have; but more requests may starve, since the places before and behind a unit
// are contended for, too. One place for all decides about deadlock where more is
// under way, see TestUnitStandsStill.
func TestUnitsApart(t *testing.T) {
	for v := combining.Literal; v <= combining.Deferred; v++ {
		if v == combining.Repeated {
			continue // as Literal, but for what clusters ask; its liveness takes minutes
		}
		for _, o := range []combining.InvalidateOptions{
			{FanOut: 2, Depth: 2, Homes: []int{0}, Writers: []int{1, 3}, Link: 2},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: combining.Marked},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: combining.Interrupt},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: combining.Refuse},
		} {
			for _, a := range []combining.Arbiter{combining.Any, combining.Batch} {
				o.Variant, o.Entries, o.Arbiter = v, 1, a
				var want []string
				for u := combining.Merged; u <= combining.PlaceEach; u++ {
					o.Unit = u
					got := allViolated(searched(t, o, checker.ExploreOptions{Whole: true, Liveness: a != combining.Any}))
					if u == combining.Merged {
						want = got
					} else if !slices.Equal(got, want) {
						t.Errorf("%s, overflow %s, arbiters %s, units %s: violated are %q, merged %q", combining.VariantNames[v],
							combining.OverflowNames[o.Overflow], combining.ArbiterNames[a], combining.UnitNames[u], got, want)
					}
				}
			}
		}
	}
	o := paper(combining.Deferred)
	o.Resharing = false
	for u, want := range map[combining.Unit]bool{combining.Merged: false, combining.OnePlace: true} {
		o.Unit = u
		if x := searched(t, o, checker.ExploreOptions{Whole: true, Liveness: true}); broke(x, "the request of 3 is answered") != want {
			t.Errorf("units %s without arbiters: violated are %q", combining.UnitNames[u], allViolated(x))
		}
	}
}

// TestInterruptsTravel: what goes wrong with interrupts on their way, and does
// not. Without Owed a processor takes an interrupt only if its link has room for
// the answer, so links down wait for links up, and with links of one message
// around the switch both are full. A switch that forgets loses an Ack, as if
// taking over were one step; marks lose nothing.
func TestInterruptsTravel(t *testing.T) {
	for _, tt := range []struct {
		overflow  combining.Overflow
		owed      bool
		violated  []string // among them
		untouched string
	}{
		{combining.Marked, true, nil, ""},
		{combining.Marked, false, []string{"deadlock"}, "no Ack lost"},
		{combining.Interrupt, true, []string{"deadlock", "no Ack lost"}, "nothing lost"},
	} {
		o := combining.InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 1, Entries: 1,
			Overflow: tt.overflow, Travel: true, Copies: true, Owed: tt.owed, Variant: combining.Deferred}
		got := allViolated(searched(t, o, checker.ExploreOptions{Whole: true}))
		for _, v := range tt.violated {
			if !slices.Contains(got, v) {
				t.Errorf("%s, owed %v: violated are %q, want %q among them", combining.OverflowNames[tt.overflow], tt.owed, got, v)
			}
		}
		if slices.Contains(got, tt.untouched) || len(tt.violated) == 0 && len(got) > 0 {
			t.Errorf("%s, owed %v: violated are %q", combining.OverflowNames[tt.overflow], tt.owed, got)
		}
	}
}

// TestSoundMutations: whatever is broken of what the sound variant adds, a
// property tells: its invariants still bind. Of the effect of a step the last
// part is what it sends, or enters.
func TestSoundMutations(t *testing.T) {
	sendsNothing := func(_ *program.Program, r *program.Rule) { r.Effect = r.Effect[:len(r.Effect)-1] }
	never := func(_ *program.Program, r *program.Rule) { r.Guard = program.Or() }
	travelling := sound(2, 1, 2, []int{0, 1}, []int{0, 1}, interrupts)
	lone := sound(2, 2, 1, []int{0}, []int{3})
	o := paper(combining.Sound)
	for _, tt := range []struct {
		name    string
		options combining.InvalidateOptions
		rule    string // the rules whose name has this in it
		mutate  func(p *program.Program, r *program.Rule)
		want    string
	}{
		{"nothing is broken", o, "", func(*program.Program, *program.Rule) {}, ""},
		{"an Ack that is owed is forgotten", o, "cluster 2 sends the Ack of 0", sendsNothing, "no Ack lost"},
		{"an Ack that is owed is never sent", o, "cluster 2 sends the Ack of 0", never, "the request of 1 is answered"},
		{"a copy of an invalidate is not sent", o, "within 2 from 4 to 5", sendsNothing, "no Ack lost"},
		{"a message counts as delivered with its first copy", o, "within 2 from 4 to 5", func(p *program.Program, r *program.Rule) {
			in := variableNamed(p, "link 4-6.0")
			r.Effect = append(r.Effect, program.Set(in, 0))
		}, "no Ack lost"},
		{"a copy is sent again and again", lone, "within 2 from 4 to 5", func(p *program.Program, r *program.Rule) {
			r.Effect = append(r.Effect, program.Set(variableNamed(p, "root 6 has given what comes from 4 to switch 5"), 0))
		}, "one Ack a request"},
		{"nobody else's turn comes at a link", o, "cluster 3 has written 0", never, "cluster 1 writes"},
		{"nothing is broken with interrupts", travelling, "", func(*program.Program, *program.Rule) {}, ""},
		{"a processor does nothing with an Ack", travelling, "processor 0 does interrupt 1 (Ack", never, "the request of 0 is answered"},
		{"a processor forgets a request", travelling, "processor 0 does interrupt 1 (request 0", func(_ *program.Program, r *program.Rule) {
			r.Effect = slices.Delete(r.Effect, len(r.Effect)-2, len(r.Effect)-1)
		}, "nothing lost"},
	} {
		m, err := combining.NewInvalidation(tt.options)
		if err != nil {
			t.Fatal(err)
		}
		p, n := m.Program(), 0
		p.Renamings = nil // what is broken at one cluster is not at the others
		for i := range p.Rules {
			if strings.Contains(p.Rules[i].Name, tt.rule) {
				tt.mutate(p, &p.Rules[i])
				n++
			}
		}
		if n == 0 {
			t.Fatalf("%s: no rule has a name with %q", tt.name, tt.rule)
		}
		x := searchedProgram(t, p, checker.ExploreOptions{Whole: true, Liveness: true, MaxStates: 50_000})
		switch {
		case x == nil:
		case tt.want == "" && len(allViolated(x)) > 0, tt.want != "" && !broke(x, tt.want):
			t.Errorf("%s: violated are %q, want %q among them", tt.name, allViolated(x), tt.want)
		}
	}
}

// TestReopened: two writers write at a time if home does not wait for the first to
// have written, though all else is mended: the second's invalidate finds the first
// with its reply on the way, or writing.
func TestReopened(t *testing.T) {
	o := paper(combining.Deferred)
	o.Reopened, o.Resharing = true, false
	if x := searched(t, o, checker.ExploreOptions{Whole: true}); !broke(x, "one writer") {
		t.Errorf("violated are %q, want %q among them", allViolated(x), "one writer")
	}
}
