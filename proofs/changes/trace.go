package changes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Fault says what a trace shows at its end.
type Fault uint8

const (
	// Deadlock: the channels in Stuck are a stuck set (spec.Waiting.Waits) of packets in the tables that they
	// follow for good.
	Deadlock Fault = iota
	// Loop: one packet returns to a site where it has been, after the steps from index Back on, in which nothing is
	// rewritten.
	Loop
	// DeadEnd: the packet at Site, or one that is to be injected there, has no hop.
	DeadEnd
	// Misdelivery: the last step ejects a packet at a node that is not its destination.
	Misdelivery
	// Trap: the packet at Site can move, but never arrive, nor be discarded.
	Trap
)

var faultNames = [...]string{"deadlock", "loop", "dead-end", "misdelivery", "trap"}

// String returns the fault's name in the written form, such as "deadlock".
func (f Fault) String() string { return faultNames[min(f, Trap)] }

// shows maps each fault to the property that it violates.
var shows = [...]spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery, spec.Delivery, spec.Delivery}

// Step is a move of a packet, in the class of the table that it follows, or the rewriting of a router.
type Step struct {
	Move     spec.Move
	Rewrites bool
	Router   spec.NodeID // if it rewrites one
}

// Trace is evidence that a round violates a property: steps from the empty network, with the routers of earlier rounds
// rewritten. Whole packets move; with wormhole switching, packets that fit into one channel.
type Trace struct {
	Network spec.Digest // of the pair
	Manner
	Round
	Fault Fault
	Steps []Step

	Stuck []spec.ChannelID // Deadlock: ascending
	Back  int              // Loop: index of the loop's first step
	Site  spec.Site        // DeadEnd, Trap: with the class of the table that the packet follows
}

// Property returns the property that the trace violates.
func (t *Trace) Property() spec.Property { return shows[t.Fault] }

// WhateverOrder reports whether the trace shows its fault whatever the order in which the routers of its round are
// rewritten: nothing moves between the first and the last rewriting, so any order does.
func (t *Trace) WhateverOrder() bool {
	rewrites := func(s Step) bool { return s.Rewrites }
	first := slices.IndexFunc(t.Steps, rewrites)
	if first < 0 {
		return true // nothing has been rewritten yet
	}
	moves := func(s Step) bool { return !s.Rewrites }
	return len(t.Steps) >= first+len(t.Now) && !slices.ContainsFunc(t.Steps[first:first+len(t.Now)], moves)
}

// Replay executes the steps of a trace with the reference step of the pair's network, in which a packet is of the
// class of the table that it follows, and checks that the last state shows the fault. A nil error is the only
// acceptance.
//
// Soundness: a packet takes the class of the table in force at its router when it arrives there and, unless packets
// are committed, when that table is rewritten; no other step changes a class. So the reference step permits what the
// tables in force permit. Where the rewriting ends, a packet is blocked, loops or is trapped for good only after all
// routers of the round have been rewritten. Only a trap is checked by a search. Not covered: what [Verify] does not
// cover.
func Replay(n *spec.Network, t *Trace) error {
	if t.Network != n.Digest() {
		return fmt.Errorf("the trace is for another network: %s, not %s", t.Network, n.Digest())
	}
	r, traffic, err := t.end(n)
	if err != nil {
		return err
	}
	passes := t.Fault == Deadlock || t.Fault == Loop || t.Fault == Trap || t.Fault == DeadEnd && !t.Committed
	if !t.Stalls && r.Left > 0 && passes {
		return fmt.Errorf("%d routers of the round have not been rewritten, so this may pass", r.Left)
	}
	switch t.Fault {
	case Deadlock:
		return traffic.CheckStuck(r.Occupancy, t.Stuck)
	case Loop:
		return r.loops(t)
	case Misdelivery:
		return misdelivered(n, t)
	}
	return r.atSite(t)
}

// end executes the steps of a trace, with the traffic of both tables.
func (t *Trace) end(n *spec.Network) (*Run, *spec.Traffic, error) {
	p, err := NewPair(n)
	if err != nil {
		return nil, nil, err
	}
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		return nil, nil, err
	}
	r, err := p.Begin(traffic, t.Round, t.Manner)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range t.Steps {
		if err := r.Step(s); err != nil {
			return nil, nil, fmt.Errorf("step %d is not possible: %w", i+1, err)
		}
	}
	return r, traffic, nil
}

// Waiting says, for each channel of a trace's stuck set, where its first packet goes, by which table, and to which
// alternative it is committed. It executes the steps.
func (t *Trace) Waiting(n *spec.Network) (all []string, err error) {
	r, _, err := t.end(n)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Stuck {
		if c < 0 || int(c) >= len(r.Occupancy.Channels) || len(r.Occupancy.Channels[c]) == 0 {
			return nil, fmt.Errorf("no packet waits in channel %d", c)
		}
		at := spec.Site{Channel: c, Header: r.Occupancy.Channels[c][0].Header}
		all = append(all, tableText(n, at)+": in "+oneLine(n.Topology().ChannelName(c)))
	}
	return all, nil
}

// Run is a change under way: a state of the traffic of both tables, and which are in force.
type Run struct {
	Occupancy spec.Occupancy
	Renewed   []bool // by router
	Left      int    // routers of the round that have not been rewritten

	p         *Pair
	traffic   *spec.Traffic
	committed bool
	now       []bool // by router: it is one of the round
}

// Begin returns the empty network at the beginning of a round. The traffic is that of the pair's network.
func (p *Pair) Begin(t *spec.Traffic, round Round, m Manner) (*Run, error) {
	s, err := p.state(round)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Occupancy: t.Empty(), Renewed: make([]bool, len(s)), Left: len(round.Now), p: p, traffic: t, committed: m.Committed,
		now: make([]bool, len(s)),
	}
	for v := range s {
		r.Renewed[v], r.now[v] = !s[v].old, s[v].old && s[v].renewed
	}
	return r, nil
}

// Copy returns a copy that shares nothing that a step changes.
func (r *Run) Copy() *Run {
	c := *r
	c.Occupancy = spec.Occupancy{}
	c.Occupancy.Copy(r.Occupancy)
	c.Renewed = slices.Clone(r.Renewed)
	return &c
}

// Step makes one step, or says why it is not possible.
func (r *Run) Step(s Step) error {
	topo := r.p.n.Topology()
	if s.Rewrites {
		v := s.Router
		if v < 0 || int(v) >= len(r.now) || !r.now[v] || r.Renewed[v] {
			return fmt.Errorf("router %d is none of this round that is still to be rewritten", v)
		}
		r.Renewed[v] = true
		r.Left--
		for _, l := range topo.InLinks(v) {
			for i := range topo.Link(l).VCs {
				if !r.committed {
					r.look(topo.Channel(l, i))
				}
			}
		}
		return nil
	}
	m := s.Move
	if m.Kind != spec.Advance {
		return errors.New("whole packets advance, and do nothing else")
	}
	if m.From.IsInjection() {
		v := topo.Head(m.From)
		if v < 0 || int(v) >= len(r.Renewed) || m.Header.Class != r.p.classIn(m.Header.Class, r.Renewed[v]) {
			return errors.New("a packet is injected by a table that is not in force")
		}
	}
	if err := r.traffic.Apply(&r.Occupancy, m); err != nil {
		return err
	}
	if c := m.Hop.Channel; c != spec.Eject {
		last := &r.Occupancy.Channels[c][len(r.Occupancy.Channels[c])-1]
		last.Header.Class = r.p.classIn(last.Header.Class, r.Renewed[topo.Head(c)])
	}
	return nil
}

// look has the packets in a channel follow the table that is in force where it leads.
func (r *Run) look(c spec.ChannelID) {
	renewed := r.Renewed[r.p.n.Topology().Head(c)]
	for i := range r.Occupancy.Channels[c] {
		h := &r.Occupancy.Channels[c][i].Header
		h.Class = r.p.classIn(h.Class, renewed)
	}
}

// loops checks that the only packet is again where it was before the step Back, with no rewriting since.
func (r *Run) loops(t *Trace) error {
	if t.Back < 1 || t.Back >= len(t.Steps) {
		return fmt.Errorf("the loop begins with step %d: want 2 to %d", t.Back+1, len(t.Steps))
	}
	injected := 0
	for i, s := range t.Steps {
		if !s.Rewrites && s.Move.From.IsInjection() {
			injected++
		}
		if s.Rewrites && i >= t.Back {
			return errors.New("a router is rewritten within the loop")
		}
	}
	first := t.Steps[t.Back].Move
	if injected != 1 || first.From < 0 {
		return errors.New("a loop is that of one packet")
	}
	if there := r.Occupancy.Channels[first.From]; len(there) != 1 || there[0].Header != first.Header {
		return errors.New("the packet does not come back to where the loop begins")
	}
	return nil
}

func misdelivered(n *spec.Network, t *Trace) error {
	if len(t.Steps) == 0 || t.Steps[len(t.Steps)-1].Rewrites {
		return errors.New("the last step ejects nothing")
	}
	last, topo := t.Steps[len(t.Steps)-1].Move, n.Topology()
	switch {
	case last.Hop != spec.Hop{Channel: spec.Eject}:
		return errors.New("the last step is not an ejection")
	case topo.Head(last.From) == last.Header.Dest && !last.From.IsInjection():
		return fmt.Errorf("the packet ejects at %s, its destination", topo.Node(last.Header.Dest).Name)
	}
	return nil
}

// atSite checks that a packet at the site has no hop, or no way home.
func (r *Run) atSite(t *Trace) error {
	n, at := r.p.n, t.Site
	topo := n.Topology()
	hops, legal := n.Hops(at)
	switch {
	case !legal:
		return errors.New("there is no such site")
	case at.Channel.IsInjection():
		v := topo.Head(at.Channel)
		if at.Header.Class != r.p.classIn(at.Header.Class, r.Renewed[v]) {
			return errors.New("a packet is injected by a table that is not in force")
		}
	case !slices.ContainsFunc(r.Occupancy.Channels[at.Channel], func(p spec.Piece) bool { return p.Header == at.Header }):
		return errors.New("the trace does not bring the packet to its site")
	}
	switch {
	case t.Fault == DeadEnd && len(hops) > 0:
		return fmt.Errorf("the packet in %s has a permitted hop", topo.ChannelName(at.Channel))
	case t.Fault == DeadEnd:
		return nil
	case len(hops) == 0:
		return errors.New("the packet is at a dead end, not in a trap")
	}
	seen, queue := map[spec.Site]bool{at: true}, []spec.Site{at}
	for i := 0; i < len(queue); i++ {
		hops, _ := n.Hops(queue[i])
		for _, h := range hops {
			if h.Channel == spec.Eject {
				if h.Discards() || topo.Head(queue[i].Channel) == at.Header.Dest {
					return fmt.Errorf("the packet can still leave, by %s", topo.ChannelName(queue[i].Channel))
				}
				continue
			}
			next := spec.Site{Channel: h.Channel, Header: spec.Header{
				Dest: at.Header.Dest, Class: r.p.classIn(at.Header.Class, r.Renewed[topo.Head(h.Channel)]), Tag: h.Tag,
			}}
			if !seen[next] {
				seen[next], queue = true, append(queue, next)
			}
		}
	}
	return nil
}

// The written form of a trace is text, one item a line in this order:
//
//	unknot-change-trace 1
//	network DIGEST
//	packets looked-up-again|committed
//	rewriting ends|may-stall
//	before NODE ...                 routers of earlier rounds, if there are any
//	now NODE ...
//	fault deadlock|loop|dead-end|misdelivery|trap
//	stuck CHANNEL ...               deadlock
//	back STEP                       loop: number of its first step, from 0
//	site CHANNEL DEST CLASS TAG     dead-end, trap
//	move FROM DEST CLASS TAG -> CHANNEL TAG
//	rewrite NODE
//	end
//
// Numbers are those of the closed form of the pair, whose second half of classes is that of the new tables. In lines
// of a site, a move or a rewriting, text after a # is a comment: the same in names. It may be left out; package
// evidence refuses any other.
const traceLine = "unknot-change-trace 1"

// ReadTrace reads the written form. Errors are *spec.PosError with the given file name.
func ReadTrace(file string, r io.Reader) (*Trace, error) {
	l := lines.New(file, r, traceLine)
	t := &Trace{Network: l.Network(), Manner: readManner(l)}
	if strings.HasPrefix(l.Peek(), "before ") {
		t.Before = readNodes(l, l.Words("before", -1))
	}
	t.Now = readNodes(l, l.Words("now", -1))
	switch t.Fault = Fault(choice(l, "fault", faultNames[:])); t.Fault {
	case Deadlock:
		for _, w := range l.Words("stuck", -1) {
			t.Stuck = append(t.Stuck, spec.ChannelID(l.Number(w, 0, math.MaxInt32)))
		}
	case Loop:
		t.Back = l.Number(l.Field("back"), 0, math.MaxInt32)
	case DeadEnd, Trap:
		t.Site = l.Site(l.Commented("site", 4))
	}
	for l.Err() == nil && l.Peek() != "end" {
		if strings.HasPrefix(l.Peek(), "rewrite ") {
			t.Steps = append(t.Steps, Step{
				Rewrites: true, Router: spec.NodeID(l.Number(l.Commented("rewrite", 1)[0], 0, math.MaxInt32)),
			})
			continue
		}
		w := l.Commented("move", 7)
		if w[4] != "->" {
			l.Fail("want \"move FROM DEST CLASS TAG -> CHANNEL TAG\", \"rewrite NODE\" or \"end\" here")
		}
		at := l.Site(w)
		t.Steps = append(t.Steps, Step{Move: spec.Move{From: at.Channel, Header: at.Header, Hop: spec.Hop{
			Channel: spec.ChannelID(l.Number(w[5], math.MinInt32, math.MaxInt32)), Tag: spec.Tag(l.Number(w[6], 0, math.MaxUint16)),
		}}})
	}
	return lines.End(l, t)
}

// Write writes the written form, with the comments given for its site, if it has one, and for each step.
func (t *Trace) Write(w io.Writer, comments []string) error {
	var b bytes.Buffer
	site := func(s spec.Site) string {
		return fmt.Sprintf("%d %d %d %d", s.Channel, s.Header.Dest, s.Header.Class, s.Header.Tag)
	}
	fmt.Fprintf(&b, "%s\nnetwork %s\n", traceLine, t.Network)
	writeManner(&b, t.Manner)
	if len(t.Before) > 0 {
		writeNodes(&b, "before", t.Before)
	}
	writeNodes(&b, "now", t.Now)
	fmt.Fprintf(&b, "fault %s\n", t.Fault)
	switch t.Fault {
	case Deadlock:
		b.WriteString("stuck")
		for _, c := range t.Stuck {
			fmt.Fprintf(&b, " %d", c)
		}
		b.WriteByte('\n')
	case Loop:
		fmt.Fprintf(&b, "back %d\n", t.Back)
	case DeadEnd, Trap:
		fmt.Fprintf(&b, "site %s # %s\n", site(t.Site), comments[0])
		comments = comments[1:]
	}
	for i, s := range t.Steps {
		if s.Rewrites {
			fmt.Fprintf(&b, "rewrite %d # %s\n", s.Router, comments[i])
			continue
		}
		fmt.Fprintf(&b, "move %s -> %d %d # %s\n",
			site(spec.Site{Channel: s.Move.From, Header: s.Move.Header}), s.Move.Hop.Channel, s.Move.Hop.Tag, comments[i])
	}
	b.WriteString("end\n")
	_, err := w.Write(b.Bytes())
	return err
}

// Comments returns what a trace says behind "#", an entry for its site, if it has one, and one for each step.
func (t *Trace) Comments(n *spec.Network) (all []string) {
	topo := n.Topology()
	name := func(v spec.NodeID) string { return oneLine(topo.Node(v).Name) }
	if t.Fault == DeadEnd || t.Fault == Trap {
		all = append(all, oneLine(topo.ChannelName(t.Site.Channel))+commitment(n, t.Site))
	}
	for _, s := range t.Steps {
		if s.Rewrites {
			all = append(all, name(s.Router)+" has its new table")
			continue
		}
		to := oneLine(topo.ChannelName(s.Move.Hop.Channel))
		if s.Move.Hop.Discards() {
			to = "discarded"
		}
		at := spec.Site{Channel: s.Move.From, Header: s.Move.Header}
		all = append(all, fmt.Sprintf("%s: %s -> %s", tableText(n, at), oneLine(topo.ChannelName(at.Channel)), to))
	}
	return all
}

// tableText says where the packet at a site goes, as which message if nodes answer, by which table and alternative.
func tableText(n *spec.Network, at spec.Site) string {
	table := "old"
	if int(at.Header.Class) >= len(n.Classes())/2 {
		table = "new"
	}
	message := oneLine(n.Message(at))
	if message != "" {
		message = "now " + message + ", "
	}
	to := oneLine(n.Topology().Node(at.Header.Dest).Name)
	return fmt.Sprintf("for %s, %s%s table%s", to, message, table, commitment(n, at))
}

// commitment says to which alternative of its table a packet is committed at a site: " (alternative 2 of 3)"; "" if
// there is one alone. Alternatives that a pair repeats, as the other table has more there, count once.
func commitment(n *spec.Network, at spec.Site) string {
	k, of := n.Committed(at)
	t := n.TableOf(at.Header.Target())
	var rows []spec.RowID // different ones, in the order of the alternatives
	number := 0
	for i := 1; i <= of; i++ {
		x := at.Header.Tag + spec.Tag((i-k)*n.OwnTags())
		if at.Channel.IsInjection() {
			x = at.Header.Tag + spec.Tag(i-k)
		}
		var row spec.RowID
		if j, is := t.FindSource(at.Channel, x); at.Channel.IsInjection() && is {
			row = t.Sources[j].Row
		} else if j, is := t.Find(at.Channel, x); is {
			row = t.Rows[j]
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if i == k {
			number = 1 + slices.Index(rows, row)
		}
	}
	if len(rows) < 2 {
		return ""
	}
	return fmt.Sprintf(" (alternative %d of %d)", number, len(rows))
}

// oneLine keeps a comment on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
