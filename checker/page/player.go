package page

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/page/internal/figure"
	"github.com/seed-105a2da2/unknot/checker/page/internal/packets"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
)

// player is a trace or run that the reader steps through. The script knows only
// fields and what each step sets them to.
type player struct {
	ID      string
	Overlay *figure.Overlay // nil for machines
	Lines   []string        // what each step does; all that is seen without the script
	Data    playerData
	End     string // what the last state shows
	Left    string // what was left out; "" if nothing was
}

// playerData is what the script reads.
type playerData struct {
	Fields []string     `json:"fields"`
	Start  []setting    `json:"start"`
	Steps  []playerStep `json:"steps"`
	Back   int          `json:"back"` // the steps after so many repeat for ever; -1: none do
}

type playerStep struct {
	Say string    `json:"say"`
	Set []setting `json:"set"` // what the step changes, nothing else
}

// setting is a field's new value: for a small box, and whole; "" is empty.
type setting struct {
	Field int    `json:"f"`
	Short string `json:"s,omitempty"`
	Long  string `json:"l"`
	Body  bool   `json:"b,omitempty"`
}

// tracePlayer plays a trace of a network and returns where its packets end.
func tracePlayer(id string, n *spec.Network, t *counterexamples.Trace, most int) (*player, *packets.Tracker, error) {
	traffic, err := n.Traffic(t.Scenario)
	if err != nil {
		return nil, nil, err
	}
	tracker := packets.New(traffic)
	p := newPlayer(id)
	if t.Fault == counterexamples.Loop {
		p.Data.Back = t.Back
	}
	lines := counterexamples.Transcript(n, t)
	number := map[spec.ChannelID]int{}
	sinks := map[spec.NodeID]int{}
	var channels []spec.ChannelID // by first use
	for i, m := range t.Moves {
		packet, changed, err := tracker.Step(m)
		if err != nil {
			return nil, nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
		if i >= most {
			continue
		}
		say := lines[i]
		if packet > 0 {
			number, rest, _ := strings.Cut(say, ". ")
			say = fmt.Sprintf("%s. P%d: %s", number, packet, rest)
		}
		step := playerStep{Say: say, Set: []setting{}}
		for _, c := range changed {
			f, known := number[c]
			if !known {
				f = len(p.Data.Fields)
				number[c] = f
				channels = append(channels, c)
				p.Data.Fields = append(p.Data.Fields, n.Topology().ChannelName(c))
			}
			s := setting{Field: f, Long: tracker.Long(c)}
			s.Short, s.Body = tracker.Short(c)
			step.Set = append(step.Set, s)
		}
		if held := tracker.State().Sinks; held != nil && (m.Kind == spec.Consume || m.Hop.Channel == spec.Eject) {
			v := n.Topology().Head(m.From)
			f, known := sinks[v]
			if !known {
				f = len(p.Data.Fields)
				sinks[v] = f
				p.Data.Fields = append(p.Data.Fields, "sink of "+n.Topology().Node(v).Name)
			}
			step.Set = append(step.Set, setting{Field: f, Long: packetsHeld(held[v])})
		}
		p.Data.Steps = append(p.Data.Steps, step)
		p.Lines = append(p.Lines, say)
	}
	p.cut(len(t.Moves), most)
	if len(lines) > len(t.Moves) {
		p.End = lines[len(lines)-1]
	}
	p.Overlay = &figure.Overlay{}
	for _, c := range channels {
		p.Overlay.Slots = append(p.Overlay.Slots, figure.Slot{Channel: c, Field: number[c]})
	}
	return p, tracker, nil
}

// newPlayer returns a player without fields and steps: empty, not null, to the
// script.
func newPlayer(id string) *player {
	return &player{ID: id, Data: playerData{Back: -1, Fields: []string{}, Start: []setting{}, Steps: []playerStep{}}}
}

func packetsHeld(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 packet"
	}
	return fmt.Sprintf("%d packets", n)
}

func (p *player) cut(steps, most int) {
	if steps > most {
		p.Left = fmt.Sprintf("Of %d steps the first %d can be played here; the trace itself has them all.", steps, most)
	}
}

// runPlayer plays a run of a machine.
func runPlayer(id string, m spec.Machine, r *counterexamples.Run, most int) (*player, error) {
	states, err := r.States(m)
	if err != nil {
		return nil, err
	}
	p := newPlayer(id)
	fields := m.Layout().Fields()
	number := map[int]int{} // by field of the layout
	name := func(i int) int {
		f, known := number[i]
		if !known {
			f = len(p.Data.Fields)
			number[i] = f
			p.Data.Fields = append(p.Data.Fields, fields[i].Name)
		}
		return f
	}
	for i, f := range fields {
		if f.Of(states[0]) != 0 {
			p.Data.Start = append(p.Data.Start, setting{Field: name(i), Long: f.Text(states[0])})
		}
	}
	for k, taken := range r.Steps {
		if k >= most {
			break
		}
		step := playerStep{Say: fmt.Sprintf("%d. %s", k+1, taken.Action), Set: []setting{}}
		for i, f := range fields {
			if f.Of(states[k]) != f.Of(states[k+1]) {
				step.Set = append(step.Set, setting{Field: name(i), Long: f.Text(states[k+1])})
			}
		}
		p.Data.Steps = append(p.Data.Steps, step)
		p.Lines = append(p.Lines, step.Say)
	}
	p.cut(len(r.Steps), most)
	switch r.Fault {
	case counterexamples.Broken:
		p.End = fmt.Sprintf("the invariant %q is broken", r.Property)
	case counterexamples.Halt:
		p.End = "nothing is possible any more"
	case counterexamples.Unanswered:
		p.Data.Back = r.Back
		p.End = fmt.Sprintf("and so on from step %d: %q is never answered", r.Back+1, r.Property)
		if r.Back == len(r.Steps) {
			p.End = fmt.Sprintf("the machine may rest here: %q is never answered", r.Property)
		}
	}
	return p, nil
}
