package combining_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// machineBarrier is the machine's tree with one group of all clusters.
func machineBarrier() combining.BarrierOptions {
	return combining.BarrierOptions{FanOut: 2, Depth: 2, Groups: [][]int{{0, 1, 2, 3}}, Rounds: 2, Ahead: 1, Capacity: 1}
}

func machineMemoryBarrier() combining.MemoryBarrierOptions {
	return combining.MemoryBarrierOptions{FanOut: 2, Depth: 2, Groups: [][]int{{0, 1, 2, 3}}, Rounds: 2, Ahead: 1, Capacity: 1, Level: combining.Forever, Variables: 1}
}

// barrier is a barrier of some members: nobody leaves the n-th time before all
// have arrived n times.
type barrier struct {
	members       []int
	arrived, left map[int]int
}

func (b *barrier) mayLeave(c int) bool {
	for _, m := range b.members {
		if b.arrived[m] <= b.left[c] {
			return false
		}
	}
	return true
}

// TestBarrier drives barriers of random groups step by random step, beside plain
// ones: who leaves must be let go by the plain barrier, and in the end all have
// left every time, but for machines that are known to deadlock.
func TestBarrier(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		depth := rapid.IntRange(1, 2).Draw(rt, "depth")
		clusters := 1 << depth
		var groups [][]int
		for range rapid.IntRange(1, 3).Draw(rt, "groups") {
			members := rapid.SliceOfNDistinct(rapid.IntRange(0, clusters-1), 2, clusters, rapid.ID).Draw(rt, "members")
			slices.Sort(members)
			groups = append(groups, members)
		}
		o := machineBarrier()
		o.Depth, o.Groups = depth, groups
		o.Rounds, o.Ahead, o.Capacity = rapid.IntRange(1, 3).Draw(rt, "rounds"), rapid.IntRange(1, 2).Draw(rt, "ahead"), rapid.IntRange(1, 2).Draw(rt, "capacity")
		o.Controller = combining.Holds
		if o.Ahead == 1 {
			o.Controller = rapid.SampledFrom([]combining.Controller{combining.Sends, combining.Holds}).Draw(rt, "controller")
		}
		var p *program.Program
		var err error
		stands := false // it may deadlock
		if rapid.Bool().Draw(rt, "hierarchical") {
			p, err = combining.Barrier(o)
		} else {
			m := combining.MemoryBarrierOptions{FanOut: 2, Depth: depth, Groups: groups, Rounds: o.Rounds, Ahead: o.Ahead, Capacity: o.Capacity, Variables: o.Ahead,
				Home:  rapid.SampledFrom([]combining.Home{combining.AtLeaf, combining.AtRoot}).Draw(rt, "home"),
				Level: rapid.SampledFrom([]combining.Waiting{combining.Pass, combining.Record, combining.Window, combining.Forever}).Draw(rt, "level")}
			m.Overflow = rapid.SampledFrom([]combining.Overflow{combining.Ample, combining.Refuse, combining.Interrupt, combining.Marked}).Draw(rt, "overflow")
			m.Entries = rapid.IntRange(1, 2).Draw(rt, "entries")
			stands = m.Level == combining.Record || m.Level == combining.Forever && (m.Overflow == combining.Refuse || m.Overflow == combining.Interrupt)
			if o.Ahead == 1 && m.Level != combining.Record {
				m.Release = rapid.SampledFrom([]combining.Release{combining.Multicast, combining.Sense}).Draw(rt, "release")
			}
			p, err = combining.MemoryBarrier(m)
		}
		if err != nil {
			rt.Fatal(err)
		}
		plain := make([]*barrier, len(groups))
		for g, members := range groups {
			plain[g] = &barrier{members, map[int]int{}, map[int]int{}}
		}
		values := p.Start()
		for {
			steps, err := p.Steps(values)
			if err != nil {
				rt.Fatal(err)
			}
			if len(steps) == 0 {
				break
			}
			before := values
			values = rapid.SampledFrom(steps).Draw(rt, "step").After
			for g, b := range plain {
				for _, c := range b.members {
					arrived := at(t, p, fmt.Sprintf("cluster %d, arrived at %d", c, g))
					b.arrived[c] += values[arrived] - before[arrived]
				}
				for _, c := range b.members {
					left := at(t, p, fmt.Sprintf("cluster %d, left %d", c, g))
					if values[left] > before[left] {
						if !b.mayLeave(c) {
							rt.Fatalf("%s: cluster %d leaves %d too early: %+v", p.Name, c, g, b)
						}
						b.left[c]++
					}
				}
			}
		}
		for g, b := range plain {
			for _, c := range b.members {
				if b.left[c] != o.Rounds && !stands {
					rt.Fatalf("%s: cluster %d has left %d %d times of %d", p.Name, c, g, b.left[c], o.Rounds)
				}
			}
		}
	})
}

// TestSmallestBarrier: two clusters at one switch, one round, by hand. Each is
// away, its arrival in its link, or kept: 3·3 states, of which the one with both
// kept goes on; then the release is in each link or has been taken: 2·2. The step
// to the release is that from the last of the 9.
func TestSmallestBarrier(t *testing.T) {
	o := machineBarrier()
	o.Depth, o.Groups, o.Rounds = 1, [][]int{{0, 1}}, 1
	p, err := combining.Barrier(o)
	if err != nil {
		t.Fatal(err)
	}
	// 12 steps between the 9 (2·3·2), one to the release, 4 between the 4.
	if x, violated := verdicts(t, p); x.States != 13 || x.Transitions != 17 || violated != nil {
		t.Errorf("%d states, %d transitions, %v; want 13, 17", x.States, x.Transitions, violated)
	}
}

// TestEveryStatementOfBarriers: both kinds, each release.
func TestEveryStatementOfBarriers(t *testing.T) {
	held := machineBarrier()
	held.Depth, held.Groups, held.Ahead, held.Controller = 1, [][]int{{0, 1}}, 2, combining.Holds
	for _, o := range []combining.BarrierOptions{machineBarrier(), held} {
		p, err := combining.Barrier(o)
		if err != nil {
			t.Fatal(err)
		}
		everyStatementCounts(t, p)
	}
	for _, release := range []combining.Release{combining.Multicast, combining.Sense} {
		o := machineMemoryBarrier()
		o.Release, o.FanOut, o.Depth, o.Groups = release, 3, 1, [][]int{{0, 1, 2}}
		p, err := combining.MemoryBarrier(o)
		if err != nil {
			t.Fatal(err)
		}
		everyStatementCounts(t, p)
	}
}

func TestBarrierRefuses(t *testing.T) {
	for want, change := range map[string]func(o *combining.BarrierOptions){
		"0 rounds, 1 ahead: want 1 to 4":                             func(o *combining.BarrierOptions) { o.Rounds = 0 },
		"2 rounds, 0 ahead: want 1 to 4":                             func(o *combining.BarrierOptions) { o.Ahead = 0 },
		"links of 9 messages":                                        func(o *combining.BarrierOptions) { o.Capacity = 9 },
		"key 2, controller 0: want 0 or 1":                           func(o *combining.BarrierOptions) { o.Key = 2 },
		"0 groups: want 1 to 4":                                      func(o *combining.BarrierOptions) { o.Groups = nil },
		"group 0 has 1 clusters: want at least 2":                    func(o *combining.BarrierOptions) { o.Groups = [][]int{{1}} },
		"group 1 is [2 4]: want clusters 0 to 3 in ascending order":  func(o *combining.BarrierOptions) { o.Groups = [][]int{{0, 1}, {2, 4}} },
		"group 0 is [1 1]: want clusters 0 to 3 in ascending order":  func(o *combining.BarrierOptions) { o.Groups = [][]int{{1, 1}} },
		"group 0 is [-1 1]: want clusters 0 to 3 in ascending order": func(o *combining.BarrierOptions) { o.Groups = [][]int{{-1, 1}} },
		"barriers of 16 clusters: want at most 8":                    func(o *combining.BarrierOptions) { o.Depth = 4 },
		"a tree of fan-out 9":                                        func(o *combining.BarrierOptions) { o.FanOut = 9 },
	} {
		o := machineBarrier()
		change(&o)
		if _, err := combining.Barrier(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
		m := combining.MemoryBarrierOptions{FanOut: o.FanOut, Depth: o.Depth, Groups: o.Groups, Rounds: o.Rounds, Ahead: o.Ahead, Capacity: o.Capacity, Variables: 1}
		if _, err := combining.MemoryBarrier(m); o.Key == 0 && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %s", m, err, want)
		}
	}
	for want, change := range map[string]func(o *combining.MemoryBarrierOptions){
		"a barrier at level 4: want 0 to 3": func(o *combining.MemoryBarrierOptions) { o.Level = 4 },
		"a barrier at level 1 that releases by a flag: the reply clears the entry (section 5 of the paper)": func(o *combining.MemoryBarrierOptions) { o.Level, o.Release = combining.Record, combining.Sense },
		"partners 2, release 0, home 0":            func(o *combining.MemoryBarrierOptions) { o.Partners = 2 },
		"a wait buffer of 0 entries: want 1 to 16": func(o *combining.MemoryBarrierOptions) { o.Overflow = combining.Refuse },
		"overflow 4: want 0 to 3":                  func(o *combining.MemoryBarrierOptions) { o.Overflow, o.Entries = 4, 1 },
		"5 variables of a group: want 1 to 4":      func(o *combining.MemoryBarrierOptions) { o.Variables = 5 },
		"2 ahead, 1 variables with a flag: want 1": func(o *combining.MemoryBarrierOptions) { o.Release, o.Ahead = combining.Flag, 2 },
		"1 ahead, 2 variables with a flag: want 1": func(o *combining.MemoryBarrierOptions) { o.Release, o.Variables = combining.Sense, 2 },
	} {
		o := machineMemoryBarrier()
		change(&o)
		if _, err := combining.MemoryBarrier(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
