package combining_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec/program"
)

var sizes = flag.Bool("sizes", false, "TestSound explores the larger sizes of SIZES.md, too: some minutes")

// sound returns a machine of the sweep over sizes.
func sound(fanOut, depth, link int, homes, writers []int, change ...func(*InvalidateOptions)) InvalidateOptions {
	o := InvalidateOptions{FanOut: fanOut, Depth: depth, Homes: homes, Writers: writers, Link: link, Entries: 1, Variant: "sound"}
	for _, f := range change {
		f(&o)
	}
	return o
}

func reading(o *InvalidateOptions) { o.Resharing = true }
func marking(o *InvalidateOptions) { o.Overflow = "marked" }
func interrupts(o *InvalidateOptions) {
	o.Overflow, o.Travel = "marked", true
}
func roundRobin(o *InvalidateOptions) { o.Arbiter = "round-robin" }
func apart(o *InvalidateOptions)      { o.Unit = "place-each" }

// TestSound: all properties of the sound variant hold at every size that can be explored:
// trees, links, homes, writers, with and without reading again, and with all options that
// it permits. In the largest spaces, where liveness takes minutes, it is left out. SIZES.md
// has the results.
func TestSound(t *testing.T) {
	one, two, three := []int{0}, []int{0, 1}, []int{0, 1, 2}
	small := []InvalidateOptions{
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
		options  InvalidateOptions
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
	explore := func(o InvalidateOptions, liveness bool) {
		x := searched(t, o, checker.Question{Explore: checker.Whole, Liveness: liveness})
		if x == nil || !x.Complete || len(allViolated(x)) > 0 {
			t.Errorf("%+v: violated are %v", o, allViolated(x))
			return
		}
		if *sizes {
			fmt.Printf("%+v: %d states, %d steps\n", o, x.States, x.Transitions)
		}
	}
	for i, o := range small {
		if seedtest.Sampled(i, 4) {
			explore(o, true)
		}
	}
	if *sizes {
		for _, l := range large {
			explore(l.options, l.liveness)
		}
	}
}

// TestSoundDrawn: likewise for random machines, in their first states.
func TestSoundDrawn(t *testing.T) {
	seedtest.Few(3, func() {
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
			o.Overflow = rapid.SampledFrom([]string{"none", "marked"}).Draw(t, "overflow")
			o.Travel = rapid.Bool().Draw(t, "travel")
			o.Arbiter = rapid.SampledFrom([]string{"batch", "round-robin"}).Draw(t, "arbiter")
			o.Unit = rapid.SampledFrom([]string{"merged", "place-each"}).Draw(t, "unit")
			x := searched(t, o, checker.Question{Explore: checker.Whole, Liveness: true, MaxStates: 2000})
			if x != nil && len(allViolated(x)) > 0 {
				t.Errorf("%+v: violated are %v", o, allViolated(x))
			}
		})
	})
}

// TestSoundIsRead: eight clusters and two homes, with all options that add kinds of messages.
// Each evaluation for a place of a link used to build the list of its messages again, which
// exceeded the bound on steps.
func TestSoundIsRead(t *testing.T) {
	seedtest.InFull(t)
	o := sound(2, 3, 1, []int{1, 4}, []int{4, 7})
	o.Overflow, o.Travel, o.Arbiter = "marked", true, "round-robin"
	if x := searched(t, o, checker.Question{MaxStates: 50}); x != nil && len(allViolated(x)) > 0 {
		t.Errorf("violated are %v", allViolated(x))
	}
}

// TestUnitsApart: a separate combining unit changes no verdict at these sizes, in any
// variant, if arbiters are fair. If they are not, the verdicts on deadlock and invariants
// are the same, but more requests may starve, because messages also compete for the places
// before and behind a unit. With more messages in transit, a single place for all matters
// for deadlock, see TestUnitStandsStill.
func TestUnitsApart(t *testing.T) {
	for i, v := range mended {
		if v == "repeat" {
			continue // as Literal, but for what clusters ask; its liveness takes minutes
		}
		for j, o := range []InvalidateOptions{
			{FanOut: 2, Depth: 2, Homes: []int{0}, Writers: []int{1, 3}, Link: 2},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: "marked"},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: "interrupt"},
			{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 3, Overflow: "refuse"},
		} {
			for k, a := range []string{"any", "batch"} {
				if !seedtest.Sampled(i+j+k, 16) {
					continue
				}
				o.Variant, o.Entries, o.Arbiter = v, 1, a
				var want []string
				for _, u := range units {
					o.Unit = u
					got := allViolated(searched(t, o, checker.Question{Explore: checker.Whole, Liveness: a != "any"}))
					if u == "merged" {
						want = got
					} else if !slices.Equal(got, want) {
						t.Errorf("%s, overflow %s, arbiters %s, units %s: violated are %q, merged %q", v,
							o.Overflow, a, u, got, want)
					}
				}
			}
		}
	}
	o := paper("defer")
	o.Resharing = false
	for u, want := range map[string]bool{"merged": false, "one-place": true} {
		o.Unit = u
		if x := searched(t, o, checker.Question{Explore: checker.Whole, Liveness: true}); broke(x, "the request of 3 is answered") != want {
			t.Errorf("units %s without arbiters: violated are %q", u, allViolated(x))
		}
	}
}

// TestInterruptsTravel: which properties fail with interrupts in transit, and which do not.
// Without Owed a processor takes an interrupt only if its link has room for the answer, so
// links down wait for links up, and with links of one message around the switch both are
// full. A switch that forgets loses an Ack, as it does when taking over is one step; marks
// lose nothing.
func TestInterruptsTravel(t *testing.T) {
	for _, tt := range []struct {
		overflow  string
		owed      bool
		violated  []string // among them
		untouched string
	}{
		{"marked", true, nil, ""},
		{"marked", false, []string{"deadlock-freedom"}, "no Ack lost"},
		{"interrupt", true, []string{"deadlock-freedom", "no Ack lost"}, "nothing lost"},
	} {
		o := InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 1, Entries: 1,
			Overflow: tt.overflow, Travel: true, Copies: true, Owed: tt.owed, Variant: "defer"}
		got := allViolated(searched(t, o, checker.Question{Explore: checker.Whole}))
		for _, v := range tt.violated {
			if !slices.Contains(got, v) {
				t.Errorf("%s, owed %v: violated are %q, want %q among them", tt.overflow, tt.owed, got, v)
			}
		}
		if slices.Contains(got, tt.untouched) || len(tt.violated) == 0 && len(got) > 0 {
			t.Errorf("%s, owed %v: violated are %q", tt.overflow, tt.owed, got)
		}
	}
}

// TestSoundMutations: for every part that the sound variant adds, breaking it violates a
// property, so the invariants are not vacuous.
func TestSoundMutations(t *testing.T) {
	never := func(_ *program.Program, r *program.Rule) { r.Guard = program.Or() }
	travelling := sound(2, 1, 2, []int{0, 1}, []int{0, 1}, interrupts)
	lone := sound(2, 2, 1, []int{0}, []int{3})
	o := paper("sound")
	for i, tt := range []struct {
		name    string
		options InvalidateOptions
		rule    string // the rules whose name has this in it
		mutate  func(p *program.Program, r *program.Rule)
		want    string
	}{
		{"nothing is broken", o, "", func(*program.Program, *program.Rule) {}, ""},
		{"an Ack that is owed is forgotten", o, "cluster 2 sends the Ack of 0", without("link["), "no Ack lost"},
		{"an Ack that is owed is never sent", o, "cluster 2 sends the Ack of 0", never, "the request of 1 is answered"},
		{"a copy of an invalidate is not sent", o, "within 2 from switch 4 to switch 5", without("link[root 6,switch 5]"), "no Ack lost"},
		{"a message counts as delivered with its first copy", o, "within 2 from switch 4 to switch 5", func(p *program.Program, r *program.Rule) {
			in := variableNamed(p, "link[switch 4,root 6].0")
			r.Effect = append(r.Effect, program.Set(in, 0))
		}, "no Ack lost"},
		{"a copy is sent again and again", lone, "within 2 from switch 4 to switch 5", func(p *program.Program, r *program.Rule) {
			r.Effect = append(r.Effect, program.Set(variableNamed(p, "given[switch 4,root 6,switch 5]"), 0))
		}, "one Ack a request"},
		{"nobody else's turn comes at a link", o, "cluster 3 has written 0", never, "cluster 1 writes"},
		{"nothing is broken with interrupts", travelling, "", func(*program.Program, *program.Rule) {}, ""},
		{"a processor does nothing with an Ack", travelling, "processor of cluster 0 does interrupt 1 (Ack", never, "the request of 0 is answered"},
		{"a processor forgets a request", travelling, "processor of cluster 0 does interrupt 1 (request 0", without("requests["), "nothing lost"},
	} {
		if !seedtest.Sampled(i, 4) {
			continue
		}
		m, err := invalidation(tt.options)
		if err != nil {
			t.Fatal(err)
		}
		p, n := m, 0
		p.Renamings = nil // one cluster is broken, the others are not
		for i := range p.Rules {
			if strings.Contains(p.Rules[i].Name, tt.rule) {
				tt.mutate(p, &p.Rules[i])
				n++
			}
		}
		if n == 0 {
			t.Fatalf("%s: no rule has a name with %q", tt.name, tt.rule)
		}
		x := searchedProgram(t, p, checker.Question{Explore: checker.Whole, Liveness: true, MaxStates: 50_000})
		switch {
		case x == nil:
		case tt.want == "" && len(allViolated(x)) > 0, tt.want != "" && !broke(x, tt.want):
			t.Errorf("%s: violated are %q, want %q among them", tt.name, allViolated(x), tt.want)
		}
	}
}

// TestReopened: two writers write at the same time if home does not wait until the first has
// written, even with everything else repaired: the second's invalidate arrives while the
// first's reply is in transit, or while it writes.
func TestReopened(t *testing.T) {
	o := paper("defer")
	o.Reopened, o.Resharing = true, false
	if x := searched(t, o, checker.Question{Explore: checker.Whole}); !broke(x, "one writer") {
		t.Errorf("violated are %q, want %q among them", allViolated(x), "one writer")
	}
}
