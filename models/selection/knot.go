package selection

import "fmt"

// CommitKnot returns a run in which routers that commit to a VC that is free at
// that moment tie a knot, on a ring of four whatever the function: the machine,
// and its steps by name.
//
// In a cycle of packets that have all committed each would have found free what
// the next one has entered later, so every such knot needs a packet that has not
// committed because nothing was free. Here it is the one from 2 to 0: when it
// comes to node 3, CA and CF of the link on are held by packets that have
// committed to CF of the link behind that, when packets that are long delivered
// held CH and CA there.
func CommitKnot() (*Machine, []string, error) {
	const ( // numbers of packets, in the order below; two brief ones on each of the first three links hold CH and CA for a while
		brief             = 6
		q0, q1, q2, q3, r = brief, brief + 1, brief + 2, brief + 3, brief + 4
	)
	m, err := NewMachine(Options{K: 4, N: 1, Form: Commit}, []Packet{
		{0, 1}, {0, 1}, {1, 2}, {1, 2}, {2, 3}, {2, 3}, {0, 2}, {1, 3}, {2, 0}, {3, 1}, {3, 1},
	})
	if err != nil {
		return nil, nil, err
	}
	channel := func(link int, class string) string { return fmt.Sprintf("(%d)->(%d) %s", link, (link+1)%4, class) }
	var steps []string
	commit := func(p, link int, class string) {
		steps = append(steps, fmt.Sprintf("packet %d commits to %s", p, channel(link, class)))
	}
	enter := func(p, link int, class string) {
		commit(p, link, class)
		steps = append(steps, fmt.Sprintf("packet %d enters %s", p, channel(link, class)))
	}
	for link := range brief / 2 {
		enter(2*link, link, "CH")
		enter(2*link+1, link, "CA")
	}
	enter(r, 3, "CA")
	enter(q3, 3, "CF")
	commit(r, 0, "CF")
	commit(q3, 0, "CF")
	enter(q0, 0, "CF")
	commit(q0, 1, "CF")
	enter(q1, 1, "CF")
	commit(q1, 2, "CF")
	enter(q2, 2, "CF")
	for p := range brief {
		steps = append(steps, fmt.Sprintf("packet %d is delivered", p))
	}
	return m, steps, nil
}

// Follow takes the steps of a machine one by one, by name, and returns the state
// they lead to. A step that is not possible is an error.
func (m *Machine) Follow(steps []string) ([]uint64, error) {
	s := m.Start(nil)
	words := m.layout.Words()
	for i, name := range steps {
		next, err := m.Next(nil, s)
		if err != nil {
			return nil, err
		}
		k := 0
		for k*words < len(next) && m.Action(s, k) != name {
			k++
		}
		if k*words == len(next) {
			return nil, fmt.Errorf("step %d, %q, is not possible", i+1, name)
		}
		s = next[k*words : (k+1)*words]
	}
	return s, nil
}
