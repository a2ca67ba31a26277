package combining_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// protocol is the program of an entry with parameters such as "ahead=2". By default the tree
// is the machine's, with one group of all clusters.
func protocol(t testing.TB, e catalogue.Entry, set ...string) *program.Program {
	t.Helper()
	p, err := programtest.Of(e.Machine(settings(set)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func settings(set []string) catalogue.Set {
	all := catalogue.Set{}
	for _, one := range set {
		name, value, _ := strings.Cut(one, "=")
		all[name] = value
	}
	return all
}

// Entries are made once, as each reads its file on first use.
var barrierEntry, memoryBarrierEntry = combining.BarrierEntry(), combining.MemoryBarrierEntry()

func barriers(t testing.TB, set ...string) *program.Program {
	t.Helper()
	return protocol(t, barrierEntry, set...)
}

func memoryBarriers(t testing.TB, set ...string) *program.Program {
	t.Helper()
	return protocol(t, memoryBarrierEntry, set...)
}

// barrier is a barrier of some members: no member leaves it the n-th time before all
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

// TestBarrier runs barriers of random groups, one random step at a time, alongside plain
// barriers. A member may leave only if the plain barrier releases it, and in the end all
// have left each time, except on machines that are known to deadlock.
func TestBarrier(t *testing.T) {
	seedtest.Few(10, func() { rapid.Check(t, func(rt *rapid.T) { driveBarriers(t, rt) }) })
}

func driveBarriers(t *testing.T, rt *rapid.T) {
	depth := rapid.IntRange(1, 2).Draw(rt, "depth")
	clusters := 1 << depth
	var groups [][]int
	var listed []string
	for range rapid.IntRange(1, 3).Draw(rt, "groups") {
		members := rapid.SliceOfNDistinct(rapid.IntRange(0, clusters-1), 2, clusters, rapid.ID).Draw(rt, "members")
		slices.Sort(members)
		groups = append(groups, members)
		listed = append(listed, strings.Trim(strings.ReplaceAll(fmt.Sprint(members), " ", ","), "[]"))
	}
	rounds, ahead := rapid.IntRange(1, 3).Draw(rt, "rounds"), rapid.IntRange(1, 2).Draw(rt, "ahead")
	set := []string{fmt.Sprint("depth=", depth), "groups=" + strings.Join(listed, "/"), fmt.Sprint("rounds=", rounds), fmt.Sprint("ahead=", ahead)}
	draw := func(name string, values ...string) string {
		value := rapid.SampledFrom(values).Draw(rt, name)
		set = append(set, name+"="+value)
		return value
	}
	draw("link", "1", "2")
	stands := false // it may deadlock
	entry, group := barrierEntry, ""
	if rapid.Bool().Draw(rt, "hierarchical") {
		if ahead > 1 {
			set = append(set, "controller=holds")
		} else {
			draw("controller", "sends", "holds")
		}
	} else {
		entry, group = memoryBarrierEntry, "group "
		set = append(set, fmt.Sprint("variables=", ahead))
		draw("home", "leaf", "root")
		level, overflow := draw("level", "0", "1", "2", "3"), draw("overflow", "none", "refuse", "interrupt", "marked")
		draw("entries", "1", "2")
		stands = level == "1" || level == "3" && (overflow == "refuse" || overflow == "interrupt")
		if ahead == 1 && level != "1" {
			draw("release", "multicast", "sense")
		}
	}
	p := protocol(t, entry, set...)
	plain := make([]*barrier, len(groups))
	for g, members := range groups {
		plain[g] = &barrier{members, map[int]int{}, map[int]int{}}
	}
	values := p.Start()
	for {
		steps, err := programtest.Steps(p, values)
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
				arrived := at(t, p, fmt.Sprintf("arrived[cluster %d,%s%d]", c, group, g))
				b.arrived[c] += values[arrived] - before[arrived]
			}
			for _, c := range b.members {
				left := at(t, p, fmt.Sprintf("left[cluster %d,%s%d]", c, group, g))
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
			if b.left[c] != rounds && !stands {
				rt.Fatalf("%s: cluster %d has left %d %d times of %d", p.Name, c, g, b.left[c], rounds)
			}
		}
	}
}

// TestSmallestBarrier: two clusters at one switch, one round, by hand. Each is away,
// its arrival is in its link, or it is kept: 3·3 states; the one with both kept goes
// on. Then the release is in each link or has been taken: 2·2. The step to the release
// is the one from the last of the 9.
func TestSmallestBarrier(t *testing.T) {
	p := barriers(t, "depth=1", "groups=0,1", "rounds=1")
	// 12 steps between the 9 (2·3·2), one to the release, 4 between the 4.
	if x, violated := verdicts(t, p); x.States != 13 || x.Transitions != 17 || violated != nil {
		t.Errorf("%d states, %d transitions, %v; want 13, 17", x.States, x.Transitions, violated)
	}
}

// TestBarrierLevels: below the highest switch nothing counts arrivals. So with a lower level than 3 one of each side is
// taken for all, unless each side has one member, or the highest switch has all members below it.
func TestBarrierLevels(t *testing.T) {
	const early = "no member leaves before all have arrived"
	for _, level := range []string{"0", "1", "2", "3"} {
		for _, tt := range []struct {
			groups string
			mixed  bool // two members on one side of the highest switch
		}{{"0,1,2,3", true}, {"0,1,2", true}, {"1,2", false}, {"2,3", false}, {"0,1/2,3", false}} {
			_, violated := verdicts(t, barriers(t, "groups="+tt.groups, "level="+level))
			if want := tt.mixed && level != "3"; slices.Contains(violated, early) != want || !want && violated != nil {
				t.Errorf("level %s, groups %s: violated are %v, too early: %t", level, tt.groups, violated, want)
			}
		}
	}
}

// TestEveryLineOfBarriers: both kinds, each release.
func TestEveryLineOfBarriers(t *testing.T) {
	everyLineCounts(t, barrierEntry, [][]string{
		{"depth=1", "groups=0,1", "rounds=1"}, {}, {"groups=0,1/0,1", "depth=1"}, {"groups=0,2/1,3", "rounds=1"},
		{"depth=1", "groups=0,1", "ahead=2", "controller=holds"}, {"depth=1", "groups=0,1", "ahead=2", "rounds=3"},
		{"groups=1,2", "level=0"}, {"groups=1,2", "level=1"}, {"groups=1,2", "level=2"},
	}, map[string]string{
		"when(s.left[c, g] < rounds)":      "of barriers keyed by processor, which deadlock with it and leave a range without",
		"when(s.arrived[c, h] == arrived)": "groups may be taken in any order",
		"s.kept[r] = True":                 "no arrival joins where everything holds at level 1",
		`when(s.arrived[c, g] == s.left[c, g] + s.held[c, g], "what was sent is over")`: "nor here; see the claim of {0,2} and {1,3}",
	})
	everyLineCounts(t, memoryBarrierEntry, [][]string{
		{"depth=1", "groups=0,1", "rounds=1"}, {}, {"groups=0,1/0,1", "depth=1"}, {"groups=0,2/1,3", "rounds=1", "home=root", "overflow=marked"},
		{"release=sense"}, {"release=flag", "rounds=1"}, {"level=2", "rounds=1"}, {"depth=1", "groups=0,1", "ahead=2", "rounds=3", "variables=2"},
	}, map[string]string{
		"when(s.arrived[c, h] == arrived)":          "groups may be taken in any order",
		"when(sum <= len(group(k)))":                "no arrival comes too early with as many variables as clusters run ahead",
		"s.flag[k] = False":                         "of a flag that cannot be used twice",
		"when(not has(s, w, k, store))":             "level 1 loses arrivals",
		`when(has(s, w, k, store), "one was sent")`: "likewise",
		"s.entry[w, k, store].messages = 1":         "level 1",
		"s.entry[w, k, store].messages = 0":         "level 1",
	})
}

func TestBarrierRefuses(t *testing.T) {
	both := []catalogue.Entry{barrierEntry, memoryBarrierEntry}
	for _, tt := range []struct {
		entries []catalogue.Entry
		set     []string
		want    string
	}{
		{both, []string{"rounds=0"}, "invalid rounds \"0\": want an integer from 1 to 4"},
		{both, []string{"ahead=9"}, "invalid ahead \"9\": want an integer from 1 to 8"},
		{both, []string{"link=9"}, "invalid link \"9\": want an integer from 1 to 8"},
		{both[:1], []string{"key=address"}, "invalid key \"address\": want one of group, processor"},
		{both, []string{"groups="}, `invalid cluster "" in group 0: want clusters with commas between them, and / between groups`},
		{both, []string{"groups=0,1/x"}, `invalid cluster "x" in group 1`},
		{both, []string{"groups=-1,1"}, `invalid cluster "-1" in group 0`},
		{both, []string{"groups=0,99999999999999999999"}, `invalid cluster "99999999999999999999" in group 0`},
		{both, []string{"groups=0,1/0,1/0,1/0,1/0,1"}, "5 groups: want 1 to 4"},
		{both, []string{"groups=1"}, "group 0 has 1 clusters: want at least 2"},
		{both, []string{"groups=0,1/2,4"}, "group 1 is [2, 4]: want clusters 0 to 3 in ascending order"},
		{both, []string{"groups=1,1"}, "group 0 is [1, 1]: want clusters 0 to 3 in ascending order"},
		{both, []string{"fan-out=4"}, "barriers of 16 clusters: want at most 8"},
		{both, []string{"fan-out=8", "depth=3"}, "more than 64 clusters"},
		{both[1:], []string{"level=1", "release=sense"}, "a barrier at level 1 that releases by a flag: the reply clears the entry (section 5 of the paper)"},
		{both[1:], []string{"release=flag", "ahead=2"}, "2 ahead, 1 variables with a flag: want 1"},
		{both[1:], []string{"release=sense", "variables=2"}, "1 ahead, 2 variables with a flag: want 1"},
	} {
		for _, e := range tt.entries {
			if _, err := e.Machine(settings(tt.set)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s %v: %v, want %s", e.Name, tt.set, err, tt.want)
			}
		}
	}
}
