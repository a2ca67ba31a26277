package p3

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The weakest discipline. A packet crosses a link by the entry of one PE and
// waits there for what the next PE's entry says; a discipline matters in so far
// as the one entry may be as before the move and the other as after, and packets
// of different sorts may stand in the network together. Five cases, of which the
// first that applies is looked at; in each no cycle of waits means that no
// packets, however many, wait in a cycle forever:
//
//   - all packets held, and an entry waits for the packets for its target: until
//     all entries have been rewritten, packets of kinds that change travel by
//     entries as before; after that, all do by entries as after. So they do if an
//     entry waits for the whole network, and packets for its target are held:
//     once one has been rewritten no packet of a kind that changes is under way by
//     entries as before, nor let in. Neither sort may close a cycle, which is to
//     say that both planes are free: nothing less will do. ([phases])
//   - an entry waits for the packets for its target, and these are held or all
//     entries for it change at once: a packet meets entries of one sort, but
//     packets for different targets may meet different ones. The same with
//     Inputs and AtOnce: while a packet waits before an entry that changes, none
//     for its target does. ([sorts])
//   - entries wait for nothing: all are rewritten in the end, so a packet that
//     waits forever does so by an entry as after, wherever it came by. ([afterwards])
//   - else anything may be met. ([anything])
//
// Conversely a cycle becomes a deadlock if packets can be brought into it. One
// that stands in a link may have been sent from the link's own tail, when that
// had the entry that sends it there, and all others but those of the cycle may
// be left away: fewer packets hinder neither packets nor rewriting. So the
// packets of the cycle, each sent from its link's tail, are searched for a state
// in which nothing moves any more; where packets are held back, sent anywhere,
// for they may have to be on their way already. What is neither proved nor found
// within bounds stays open.

// meeting says which entries packets may meet under a discipline.
type meeting uint8

const (
	phases meeting = iota
	sorts
	afterwards
	anything
)

func (d Discipline) meets() meeting {
	switch {
	case d.Wait >= OfTarget && d.Hold == Everybody, d.Wait == OfNetwork && d.Hold == TargetsOwn:
		return phases
	case d.Wait >= OfTarget && (d.Hold == TargetsOwn || d.Order == AtOnce), d.Wait == Inputs && d.Order == AtOnce:
		return sorts
	case d.Wait == Nothing:
		return afterwards
	}
	return anything
}

// waits returns the graphs of waits none of which may have a cycle.
func (m meeting) waits(kinds []Kind) []*waits {
	graphs := []*waits{newWaits()}
	if m == phases {
		graphs = append(graphs, newWaits())
	}
	for i := range kinds {
		k := &kinds[i]
		either := make([]uint32, len(k.To[0]))
		for pe := range either {
			either[pe] = k.To[0][pe] | k.To[1][pe]
		}
		switch w := graphs[0]; m {
		case afterwards:
			w.follow(&k.Cell, either, k.To[1])
		case anything:
			w.follow(&k.Cell, either, either)
		default:
			w.follow(&k.Cell, k.To[0], k.To[0])
			graphs[len(graphs)-1].follow(&k.Cell, k.To[1], k.To[1])
		}
	}
	return graphs
}

// chooses reports whether some PE may send packets of this kind to several others.
func (k Kind) chooses() bool {
	several := func(set uint32) bool { return set&(set-1) != 0 }
	return slices.ContainsFunc(k.To[0], several) || slices.ContainsFunc(k.To[1], several)
}

// Disciplines returns all, in order.
func Disciplines() []Discipline {
	var all []Discipline
	for order := range orders {
		for wait := range waitings {
			for hold := range holdings {
				all = append(all, Discipline{order, wait, hold})
			}
		}
	}
	return all
}

// Frontier decides: some discipline keeps packets, however many, from waiting in
// a cycle forever while the boundary moves once: one that keeps apart those that
// travel before and after the move, if both planes are free. The evidence lists
// the weakest that do, those that are open and not stronger than one of these,
// and packets that come to a deadlock under the strongest of the others. Under a
// rule with choices more stays open.
func Frontier(ctx context.Context, before, after *Plane, rule Rule) (Finding, error) {
	kinds, err := Kinds(ctx, before, after, rule)
	if err != nil {
		return Finding{}, err
	}
	for _, w := range phases.waits(kinds) {
		if cycle := w.shortest(); cycle != nil {
			fi := w.finding(after, cycle)
			fi.Because = "before the move or after it links wait for each other in a cycle, whatever the discipline"
			if slices.ContainsFunc(kinds, Kind.chooses) {
				fi.Verdict = spec.Unknown // which need not be a deadlock
			}
			return fi, nil
		}
	}
	s := &frontier{before: before, after: after, rule: rule, kinds: kinds}
	fates := make([]fate, 0, int(orders)*int(waitings)*int(holdings))
	all := Disciplines()
	for _, d := range all {
		f, err := s.fate(ctx, d)
		if err != nil {
			return Finding{}, err
		}
		fates = append(fates, f)
	}
	like := func(verdict spec.Verdict, than func(e Discipline) bool) bool {
		for i, e := range all {
			if fates[i].verdict == verdict && than(e) {
				return true
			}
		}
		return false
	}
	holds := 0
	var weakest, open, fail []string
	var stuck [MostPackets + 1]int // by the number of packets
	for i, d := range all {
		f := fates[i]
		told := like(spec.Holds, func(e Discipline) bool { return e.Weaker(d) })
		switch {
		case f.verdict == spec.Holds:
			if holds++; !told {
				weakest = append(weakest, d.String())
			}
		case f.verdict == spec.Violated:
			stuck[len(f.kinds)]++
			if !like(spec.Violated, d.Weaker) {
				fail = append(fail, fmt.Sprintf("deadlock: %s: kinds=%s packets=0, found among %d states", d, f.settings(), f.states))
			}
		case !told:
			open = append(open, "open: "+d.String())
		}
	}
	fi := Finding{Verdict: spec.Holds, Evidence: open, Picture: &Picture{Plane: after, Zones: 0, Loop: -1}}
	fi.Because = fmt.Sprintf("%d of %d disciplines keep packets from waiting in a cycle; the weakest: %s", holds, len(all), strings.Join(weakest, "; or "))
	for n, count := range stuck {
		if count > 0 {
			fi.Evidence = append(fi.Evidence, fmt.Sprintf("disciplines under which %d packets come to a deadlock: %d", n, count))
		}
	}
	fi.Evidence = append(fi.Evidence, fail...)
	return fi, nil
}

// fate is what a discipline comes to.
type fate struct {
	verdict spec.Verdict
	kinds   []int // with Violated: packets that come to a deadlock
	from    []int // and where they are sent; nil: anywhere
	states  int
}

func (f fate) settings() string {
	var words []string
	for i, k := range f.kinds {
		word := strconv.Itoa(k)
		if f.from != nil {
			word += "@" + strconv.Itoa(f.from[i])
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}

// frontier is the search.
type frontier struct {
	before, after *Plane
	rule          Rule
	kinds         []Kind
}

// Bounds of the search for a deadlock, for one discipline: cycles of waits,
// ways to put packets into each, states for one of these, and for all together.
const (
	mostCycles   = 12
	mostLabels   = 24
	mostStates   = 1 << 16
	mostSearched = 1 << 19
)

func (s *frontier) fate(ctx context.Context, d Discipline) (fate, error) {
	var cycles [][]turning
	for _, w := range d.meets().waits(s.kinds) {
		cycles = append(cycles, w.cycles()...)
	}
	if len(cycles) == 0 {
		return fate{verdict: spec.Holds}, nil
	}
	slices.SortStableFunc(cycles, func(a, b []turning) int { return len(a) - len(b) })
	searched := 0
	for _, cycle := range cycles[:min(len(cycles), mostCycles)] {
		if len(cycle) > MostPackets {
			break
		}
		for _, kinds := range s.labels(d.meets(), cycle) {
			var from []int
			for _, a := range cycle {
				from = append(from, a.from)
			}
			if d.Hold != Nobody && d.meets() == anything {
				from = nil
			}
			p, err := Rebalancing{Before: s.before, After: s.after, Rule: s.rule, Discipline: d, Kinds: kinds, From: from}.Program(ctx)
			if err != nil {
				return fate{}, err
			}
			m, err := p.Machine()
			if err != nil {
				return fate{}, err
			}
			stuck, states, err := searchStuck(ctx, m, s.standing(p, cycle, kinds), mostStates)
			if err != nil {
				return fate{}, err
			}
			if stuck {
				return fate{verdict: spec.Violated, kinds: kinds, from: from, states: states}, nil
			}
			if searched += states; searched >= mostSearched {
				return fate{}, nil
			}
		}
	}
	return fate{}, nil
}

// labels lists kinds of targets for the packets of a cycle, a few of the ways.
func (s *frontier) labels(m meeting, cycle []turning) [][]int {
	labels := [][]int{nil}
	for i, a := range cycle {
		b := cycle[(i+1)%len(cycle)]
		var next [][]int
		for k := range s.kinds {
			if !m.waitsFor(&s.kinds[k], a, b) {
				continue
			}
			for _, l := range labels {
				next = append(next, append(slices.Clone(l), k))
			}
		}
		// Kinds that change come first, and are what a cycle is likely to need.
		labels = next[:min(len(next), mostLabels)]
	}
	return labels
}

// waitsFor reports whether a packet of kind k that stands in link a may wait for
// link b.
func (m meeting) waitsFor(k *Kind, a, b turning) bool {
	came := [2]bool{k.To[0][a.from]>>a.to&1 == 1, k.To[1][a.from]>>a.to&1 == 1}
	goes := [2]bool{k.To[0][b.from]>>b.to&1 == 1, k.To[1][b.from]>>b.to&1 == 1}
	switch m {
	case afterwards:
		return (came[0] || came[1]) && goes[1]
	case anything:
		return (came[0] || came[1]) && (goes[0] || goes[1])
	}
	return came[0] && goes[0] || came[1] && goes[1]
}

// cycles returns the shortest cycle through each link, without repetitions.
func (w *waits) cycles() [][]turning {
	var all [][]turning
	known := map[string]bool{}
	for _, start := range w.links {
		cycle := w.cycleFrom(start)
		if cycle == nil {
			continue
		}
		sorted := slices.SortedFunc(slices.Values(cycle), func(a, b turning) int {
			if a.from != b.from {
				return a.from - b.from
			}
			return a.to - b.to
		})
		if key := fmt.Sprint(sorted); !known[key] {
			known[key] = true
			all = append(all, cycle)
		}
	}
	return all
}

// searchStuck looks for a state without successors that is no intended end. It
// goes on from a state with the highest score, of these from the last found, and
// gives up after so many states. Scores are from 0 to MostPackets.
func searchStuck(ctx context.Context, m *program.Machine, score func(values []int) int, most int) (stuck bool, states int, err error) {
	words := m.Layout().Words()
	final := m.Claims().Final
	key := make([]byte, 8*words)
	seen := map[string]bool{}
	var stacks [MostPackets + 1][]uint64 // by score
	best := 0
	push := func(states []uint64) {
		for ; len(states) > 0; states = states[words:] {
			s := states[:words]
			for i, w := range s {
				binary.LittleEndian.PutUint64(key[8*i:], w)
			}
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
			at := score(m.Values(s))
			stacks[at] = append(stacks[at], s...)
			best = max(best, at)
		}
	}
	push(m.Start(nil))
	s := make([]uint64, words)
	for next := []uint64(nil); len(seen) < most; {
		if len(seen)&1023 == 0 && ctx.Err() != nil {
			return false, 0, ctx.Err()
		}
		for ; len(stacks[best]) == 0; best-- {
			if best == 0 {
				return false, len(seen), nil
			}
		}
		top := len(stacks[best]) - words
		copy(s, stacks[best][top:])
		stacks[best] = stacks[best][:top]
		if next, err = m.Next(next[:0], s); err != nil {
			return false, 0, err
		}
		if len(next) == 0 && !final(s) {
			return true, len(seen), nil
		}
		push(next)
	}
	return false, len(seen), nil
}

// standing returns a score: how many packets of a cycle stand in their links.
func (s *frontier) standing(p *program.Program, cycle []turning, kinds []int) func(values []int) int {
	var links []program.Var
	for _, a := range cycle {
		name := s.before.Regions[a.from].Name + "->" + s.before.Regions[a.to].Name
		links = append(links, program.Var(slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name })))
	}
	return func(values []int) int {
		n := 0
		for i, x := range links {
			if values[x] == 1+distinct(kinds, kinds[i]) {
				n++
			}
		}
		return n
	}
}
