package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What a reader asks at the end of a run. Of one that goes on for ever: which rules could have been taken, and never are?
// Of one to a state from which something cannot be reached any more: where does the machine end up, and what is refused
// there? Both are found by looking at the machine again. None of it is evidence.

// looping returns the program of a run that goes on for ever, and the states of the run; nil for other runs and machines.
func looping(m states.Machine, r *runs.Run) (pm *program.Machine, through [][]uint64) {
	pm, ok := m.(*program.Machine)
	if !ok || r.Back < 0 {
		return nil, nil
	}
	through, err := Through(m, r)
	if err != nil {
		return nil, nil
	}
	return pm, through
}

// PassedOver says in lines which rules of a program are possible in states of the loop of a run and taken in none of its
// steps, those first that need not be declared unfair for that; nil without a loop, and for other machines.
func PassedOver(m states.Machine, r *runs.Run) (lines []string) {
	pm, through := looping(m, r)
	if pm == nil {
		return nil
	}
	loop := through[r.Back:max(len(r.Steps), r.Back+1)]
	rules, words := pm.Program().Rules, m.Layout().Words()
	taken, possible := map[string]bool{}, map[string]int{}
	for i, s := range loop {
		if r.Back+i < len(r.Steps) {
			next, err := m.AppendSuccessors(nil, s)
			if err != nil {
				return nil
			}
			choice, err := r.Steps[r.Back+i].Of(m, s, len(next)/words)
			if err != nil {
				return nil
			}
			taken[rules[pm.RuleOf(s, choice)].Name] = true
		}
		values, here := pm.Values(s), map[string]bool{}
		for k := range rules {
			if name := rules[k].Name; !here[name] && rules[k].Guard.Holds(values) {
				here[name] = true
				possible[name]++
			}
		}
	}
	type passed struct {
		rule, states int
	}
	var all []passed
	told := map[string]bool{}
	for k := range rules {
		if name := rules[k].Name; possible[name] > 0 && !taken[name] && !told[name] {
			told[name] = true
			all = append(all, passed{k, possible[name]})
		}
	}
	unfair := map[bool]int{true: 1}
	slices.SortStableFunc(all, func(a, b passed) int {
		return cmp.Or(cmp.Compare(unfair[rules[a.rule].Unfair], unfair[rules[b.rule].Unfair]), cmp.Compare(b.states, a.states))
	})
	const most = 6
	for _, p := range all[:min(most, len(all))] {
		lines = append(lines, "   "+rules[p.rule].Name+": "+passedText(p.states, len(loop), rules[p.rule].Unfair))
	}
	if len(all) > most {
		lines = append(lines, fmt.Sprintf("   ... and %d more", len(all)-most))
	}
	return lines
}

func passedText(possible, of int, unfair bool) string {
	text := fmt.Sprintf("possible in %d of %s of the loop, and never taken", possible, words.Plural(of, "state"))
	if of == 1 {
		text = "possible, and never taken"
	}
	if unfair {
		return text + ": it is declared unfair"
	}
	if possible < of {
		return text + ": only strong fairness forces it"
	}
	return text
}

// Resting says in lines in which state a run stays for ever, and why the other rules are refused; nil for a loop through
// several states, and for other machines.
func Resting(m states.Machine, r *runs.Run) (lines []string) {
	pm, through := looping(m, r)
	if pm == nil {
		return nil
	}
	end := through[len(through)-1]
	for _, s := range through[r.Back:] {
		if !slices.Equal(s, end) {
			return nil
		}
	}
	lines = []string{"   it stays in " + StateText(m, end)}
	return append(lines, refusalLines(pm, end, func(string) bool { return true })...)
}

// mostAfter bounds the states that are looked at for what follows.
const mostAfter = 1 << 16

// Afterwards says in lines where a program ends up from a state: by which steps it gets into the nearest set of states
// that it never leaves, and why rules are refused that none of these permits; nil for other machines, and if there are
// too many states to say.
func Afterwards(m states.Machine, s []uint64) (lines []string) {
	pm, ok := m.(*program.Machine)
	if !ok {
		return nil
	}
	g, by, at := reach(m, s)
	if g == nil {
		return nil
	}
	var parts graph.Components
	parts.Find(g)
	leaves := make([]bool, parts.Count())
	for v := range int32(g.Len()) {
		for _, w := range g.Successors(v) {
			leaves[parts.Of[v]] = leaves[parts.Of[v]] || parts.Of[w] != parts.Of[v]
		}
	}
	end := int32(0)
	for leaves[parts.Of[end]] {
		end++
	}
	members := parts.Component(parts.Of[end])
	var path []int32
	for v := end; v != 0; v = by[v] {
		path = append(path, v)
	}
	never := "the machine never leaves " + words.Plural(len(members), "state")
	if len(path) > 0 {
		never = fmt.Sprintf("after %s, for example, %s", words.Plural(len(path), "more step"), never)
	}
	lines = append(lines, "   "+never+":")
	for i := len(path) - 1; i >= 0; i-- {
		before, after := at.Slice(by[path[i]]), at.Slice(path[i])
		choice := choiceOf(m, before, after)
		rule := pm.Program().Rules[pm.RuleOf(before, choice)].Name
		lines = append(lines, "   + "+rule+", "+StepText(m, before, after, choice))
	}
	lines = append(lines, "   in "+StateText(m, at.Slice(end)))
	possible := map[string]bool{}
	for _, v := range members {
		values := pm.Values(at.Slice(v))
		for k := range pm.Program().Rules {
			r := &pm.Program().Rules[k]
			possible[r.Name] = possible[r.Name] || r.Guard.Holds(values)
		}
	}
	return append(lines, refusalLines(pm, at.Slice(end), func(name string) bool { return !possible[name] })...)
}

// reach explores from a state breadth first: the graph of states, by which each was found, and the states by number.
// The graph is nil if there are too many, or a step is wrong.
func reach(m states.Machine, s []uint64) (g *graph.Graph, by []int32, at *intern.Slices[uint64]) {
	at = new(intern.Slices[uint64])
	words := m.Layout().Words()
	at.Number(hash.Words(0, s), s)
	by = []int32{0}
	g = &graph.Graph{First: []uint32{0}}
	for v := int32(0); int(v) < at.Len(); v++ {
		next, err := m.AppendSuccessors(nil, at.Slice(v))
		if err != nil {
			return nil, nil, nil
		}
		for i := 0; i < len(next); i += words {
			w, added := at.Number(hash.Words(0, next[i:i+words]), next[i:i+words])
			if added {
				by = append(by, v)
			}
			g.To = append(g.To, w)
		}
		if at.Len() > mostAfter {
			return nil, nil, nil
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g, by, at
}

// choiceOf returns the number of the successor of a state that is another.
func choiceOf(m states.Machine, before, after []uint64) int {
	next, _ := m.AppendSuccessors(nil, before) // was possible when the states were found
	words := m.Layout().Words()
	k := 0
	for !slices.Equal(next[k*words:][:words], after) {
		k++
	}
	return k
}
