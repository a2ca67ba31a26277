package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/cmd/unknot-page/exercises"
	"github.com/seed-105a2da2/unknot/spec"
)

// Marked says whether a file solves its exercise, and what it lacks.
type Marked struct {
	Solved bool     `json:"solved"`
	Lacks  []string `json:"lacks,omitempty"`
}

// mark compares a file and its verdicts with what an exercise asks for. The part that is given fixes the virtual
// channels and the properties; what a file can still add to it is counted.
func mark(ctx context.Context, q Request, n *spec.Network, found []Property) (*Marked, error) {
	e, is := exercises.Find(q.Exercise)
	if !is {
		return nil, fmt.Errorf("invalid exercise %.40q: want one that the page lists", q.Exercise)
	}
	m := &Marked{}
	lacks := func(format string, args ...any) { m.Lacks = append(m.Lacks, fmt.Sprintf(format, args...)) }
	given, err := e.Given()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(strings.ReplaceAll(q.Text, "\r\n", "\n"), given) {
		lacks("the lines above \"Your part\" must stay as they are")
	}
	for _, w := range e.Wanted {
		if why := missing(w, found); why != "" {
			lacks("%s", why)
		}
	}
	if n != nil {
		text, err := e.Text()
		if err != nil {
			return nil, err
		}
		begun, _, err := read(ctx, Request{Name: e.Name + ".star", Text: text}, new(Answer))
		if err != nil {
			return nil, err
		}
		switch was, is := sizes(begun), sizes(n); {
		case was != is:
			lacks("the nodes, links and flows must stay as they are")
		case choices(n) < e.Choices:
			lacks("a choice of links is wanted at %d sites, and left at %d", e.Choices, choices(n))
		}
	}
	m.Solved = len(m.Lacks) == 0
	return m, nil
}

// missing says what a verdict lacks; "" if it is found, and the verifier accepted its evidence.
func missing(w exercises.Verdict, found []Property) string {
	for _, p := range found {
		switch {
		case p.Name != w.Property:
		case p.Verdict != w.Verdict:
			return fmt.Sprintf("%s: wanted %s, found %s", p.Name, w.Verdict, p.Verdict)
		case !p.Verified:
			return fmt.Sprintf("the verifier does not accept the evidence for %s (%s)", p.Name, p.Check)
		default:
			return ""
		}
	}
	return w.Property + ": wanted " + w.Verdict + ", not asked"
}

// sizes counts nodes, links, channels and flows.
func sizes(n *spec.Network) [4]int {
	t := n.Topology()
	return [4]int{t.Nodes(), t.Links(), t.Channels(), n.FlowCount()}
}

// choices counts the sites with hops over several links.
func choices(n *spec.Network) int {
	several := 0
	t := n.Topology()
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			hops := n.Row(row)
			if slices.ContainsFunc(hops, func(h spec.Hop) bool {
				return h.Channel != spec.Eject && t.LinkOf(h.Channel) != t.LinkOf(hops[0].Channel)
			}) {
				several++
			}
		}
	}
	return several
}
