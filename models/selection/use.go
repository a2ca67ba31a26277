package selection

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Use is what the functions of a machine do in its reachable states, beside what
// they might do in any.
type Use struct {
	States int
	// Chosen[role][class] is the number of steps, out of all reachable states, by
	// which a packet chooses a VC of that class in a dimension of that role.
	Chosen [3][3]int64
	// Possible is what Classes says of the routers and destinations of the machine:
	// some status of the channels makes the function choose it.
	Possible [3][3]bool
	// Unspared is the number of steps that choose CF in the lowest of several
	// dimensions though a higher one has a free VC, see Spared; Example is the first
	// of them, for people.
	Unspared int64
	Example  []string
	// Views[i] is about packets with i+1 dimensions left.
	Views []Views
}

// Views counts what routers see when they choose: the status of all VCs of the
// links that a packet may take.
type Views struct {
	Sites   int      // pairs of a router and a destination
	All     int      // statuses, over all sites
	Reached int      // those that are seen in some reachable state
	Missing []string // the first that is not, for people; none if all are reached
}

// BoundError says that a count was given up.
type BoundError struct{ States int }

func (e *BoundError) Error() string {
	return fmt.Sprintf("there are more than %d states: choose a smaller machine", e.States)
}

// site is a router and a destination of packets that choose there.
type site struct{ node, dest spec.NodeID }

// standing is a packet that has yet to choose, as values of variables.
type standing struct {
	site
	is []value
}

type value struct {
	x program.Var
	v int
}

// Use visits all reachable states, breadth first and without the aid of the
// checker, and counts. The error is a *BoundError if there are more states than
// given. It takes about 150 bytes a state.
func (m *Machine) Use(ctx context.Context, mostStates int) (Use, error) {
	var u Use
	seen := map[site][]bool{} // by site and status
	var order []site
	m.b.deciding(func(v, dest spec.NodeID) {
		s := site{v, dest}
		if _, twice := seen[s]; !twice {
			all := m.b.ways(v, dest)
			seen[s] = make([]bool, 1<<(3*len(all)))
			order = append(order, s)
			m.b.o.addClasses(m.b.g, all, &u.Possible)
		}
	})
	err := m.walk(ctx, mostStates, func(s []uint64, successors int) {
		u.States++
		for i := range successors {
			if st := m.b.steps[m.RuleOf(s, i)]; st.chosen {
				m.count(&u, s, st)
			}
		}
		for _, p := range m.b.standing {
			if m.holds(s, p.is) {
				seen[p.site][m.seenAt(s, p.site)] = true
			}
		}
	})
	if err != nil {
		return Use{}, err
	}
	for _, s := range order {
		u.addViews(m.b.g, s, m.b.ways(s.node, s.dest), seen[s])
	}
	return u, nil
}

// count counts a step in state s that is a choice.
func (m *Machine) count(u *Use, s []uint64, st step) {
	all := m.b.ways(st.node, st.dest)
	dim, _ := m.b.g.Direction(st.to)
	role, class := roleOf(all, dim), m.b.g.VC(st.to)
	u.Chosen[role][class]++
	if role != Lowest || class != starchannel.CF {
		return
	}
	set := m.seenAt(s, st.site)
	if slices.ContainsFunc(all[1:], func(w way) bool { _, open := w.strictest(view{free: freeIn(all, set)}); return open }) {
		u.Unspared++
		if u.Example == nil {
			u.Example = append(describe(m.b.g, st.node, st.dest, all, set), "chosen: "+m.b.g.ChannelName(st.to))
		}
	}
}

// addViews counts the views of a site.
func (u *Use) addViews(g *grid.Grid, s site, all []way, seen []bool) {
	for len(u.Views) < len(all) {
		u.Views = append(u.Views, Views{})
	}
	v := &u.Views[len(all)-1]
	v.Sites++
	v.All += len(seen)
	for set, is := range seen {
		switch {
		case is:
			v.Reached++
		case v.Missing == nil:
			v.Missing = describe(g, s.node, s.dest, all, set)
		}
	}
}

func (m *Machine) holds(s []uint64, is []value) bool {
	fields := m.Layout().Fields()
	for _, v := range is {
		if fields[v.x].Of(s) != uint64(v.v) {
			return false
		}
	}
	return true
}

// seenAt is the status that a router sees, as freeIn numbers it.
func (m *Machine) seenAt(s []uint64, at site) int {
	fields := m.Layout().Fields()
	set := 0
	for i, w := range m.b.ways(at.node, at.dest) {
		for class := range w.usable {
			c := w.first + spec.ChannelID(class)
			x := m.b.channels[c].content
			if m.b.o.Form == Stale && m.b.channels[c].used {
				x = m.b.old.earlier[c]
			}
			if !m.b.channels[c].used || fields[x].Of(s) == 0 {
				set |= 1 << (3*i + class)
			}
		}
	}
	return set
}

// walk calls visit for each reachable state with the number of its successors.
func (m *Machine) walk(ctx context.Context, mostStates int, visit func(s []uint64, successors int)) error {
	words := m.Layout().Words()
	var states []uint64 // one after the other
	seen := map[string]bool{}
	var key []byte
	add := func(s []uint64) {
		key = key[:0]
		for _, w := range s {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			states = append(states, s...)
		}
	}
	add(m.Start(nil))
	var next []uint64
	for at := 0; at < len(states); at += words {
		const often = 1024
		if at/words%often == 0 && ctx.Err() != nil {
			return fmt.Errorf("counting what routers choose: %w", context.Cause(ctx))
		}
		if len(seen) > mostStates {
			return &BoundError{mostStates}
		}
		s := states[at : at+words]
		var err error
		if next, err = m.Next(next[:0], s); err != nil {
			return err
		}
		visit(s, len(next)/words)
		for i := 0; i < len(next); i += words {
			add(next[i : i+words])
		}
	}
	return nil
}
