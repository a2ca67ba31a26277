package page

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/page/internal/figure"
	"github.com/seed-105a2da2/unknot/checker/page/internal/tracking"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// course is what a player of a network plays: moves from the empty network.
type course struct {
	traffic *states.Traffic
	moves   []spec.Move
	lines   []string // by move
	back    int      // the moves after so many repeat forever; -1: none do
	end     string   // what the last state shows
}

func courseOfTrace(n *spec.Network, t *counterexamples.Trace) (*course, error) {
	traffic, err := states.NewTraffic(n, t.Scenario)
	if err != nil {
		return nil, err
	}
	lines := explain.Transcript(n, t)
	c := &course{traffic: traffic, moves: t.Moves, lines: lines[:len(t.Moves)], back: -1}
	if t.Fault == counterexamples.Loop {
		c.back = t.Back
	}
	if len(lines) > len(t.Moves) {
		c.end = lines[len(lines)-1]
	}
	return c, nil
}

// courseOfRun returns a run of a network's traffic as moves.
func courseOfRun(t *states.Traffic, r *runs.Run) (*course, error) {
	states, err := r.States(t)
	if err != nil {
		return nil, err
	}
	c := &course{traffic: t, back: -1, end: endOf(r)}
	if r.Fault == runs.Unanswered && r.Back < len(r.Steps) {
		c.back = r.Back
	}
	for i, taken := range r.Steps {
		moves := t.Moves(t.Decode(states[i]))
		k, err := taken.Of(t, states[i], len(moves))
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		c.moves = append(c.moves, moves[k])
		c.lines = append(c.lines, fmt.Sprintf("%d. %s", i+1, taken.Action.Name))
	}
	return c, nil
}

// play plays a course and returns where its packets end.
func (c *course) play(id string, most int) (*player, *tracking.Tracker, error) {
	topo := c.traffic.Network().Topology()
	tracker := tracking.New(c.traffic)
	p := newPlayer(id)
	p.Data.Back, p.End, p.Overlay = c.back, c.end, &figure.Overlay{}
	for i, m := range c.moves {
		packet, changed, err := tracker.Step(m)
		if err != nil {
			return nil, nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
		if i >= most {
			continue
		}
		say := c.lines[i]
		if number, rest, ok := strings.Cut(say, ". "); ok && packet > 0 {
			say = fmt.Sprintf("%s. P%d: %s", number, packet, rest)
		}
		step := playerStep{Say: say, Set: []setting{}}
		for _, ch := range changed {
			s := setting{Long: tracker.Long(ch)}
			s.Short, s.Body = tracker.Short(ch)
			var isNew bool
			if s.Field, isNew = p.field(fmt.Sprint(ch), topo.ChannelName(ch)); isNew {
				p.Overlay.Slots = append(p.Overlay.Slots, figure.Slot{Channel: ch, Field: s.Field})
			}
			step.Set = append(step.Set, s)
		}
		if held := tracker.State().Sinks; held != nil && (m.Kind == spec.Consume || m.Hop.Channel == spec.Eject) {
			v := topo.Head(m.From)
			f, _ := p.field("sink "+topo.Node(v).Name, "sink of "+topo.Node(v).Name)
			step.Set = append(step.Set, setting{Field: f, Long: packetsHeld(held[v])})
		}
		p.add(step)
	}
	p.cut(len(c.moves), most)
	return p, tracker, nil
}

func packetsHeld(n int) string {
	if n == 0 {
		return "" // as an empty channel
	}
	return count(n, "packet")
}
