package page

import (
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// player is a trace or run that the reader steps through. The script knows only fields
// and the values that each step gives them.
type player struct {
	ID      string
	Overlay *figure.Overlay // nil for machines; see section.play
	Lines   []string        // what each step does; all that is shown without the script
	Data    playerData
	End     string // what the last state shows
	Left    string // what was left out; "" if nothing was

	numbers  map[string]int   // of fields, by key
	channels []spec.ChannelID // that are fields
}

// playerData is what the script reads.
type playerData struct {
	Fields []string     `json:"fields"`
	Start  []setting    `json:"start"`
	Steps  []playerStep `json:"steps"`
	Back   int          `json:"back"` // the steps from this number on repeat forever; -1: none do
}

type playerStep struct {
	Say         string       `json:"say"`
	Alternative *alternative `json:"alternative,omitempty"` // to which the packet that moves was committed
	Set         []setting    `json:"set"`                   // what the step changes, nothing else
}

type alternative struct {
	Number int `json:"number"`
	Of     int `json:"of"`
}

// setting is a field's new value: for a small box, and whole; "" is empty.
type setting struct {
	Field int    `json:"f"`
	Short string `json:"s,omitempty"`
	Long  string `json:"l"`
	Body  bool   `json:"b,omitempty"`
}

// newPlayer returns a player without fields and steps; to the script these are empty, not
// null.
func newPlayer(id string, x *explain.Execution) *player {
	p := &player{
		ID: id, End: x.Ending, numbers: map[string]int{},
		Data: playerData{Back: -1, Fields: []string{}, Start: []setting{}, Steps: []playerStep{}},
	}
	if x.Back < len(x.Steps) {
		p.Data.Back = x.Back
	}
	return p
}

// field returns the number of a field, and whether it is a new one. The key identifies
// fields, as several may have the same name.
func (p *player) field(key, name string) (number int, isNew bool) {
	if f, known := p.numbers[key]; known {
		return f, false
	}
	f := len(p.Data.Fields)
	p.numbers[key] = f
	p.Data.Fields = append(p.Data.Fields, name)
	return f, true
}

func (p *player) add(step playerStep) {
	p.Data.Steps = append(p.Data.Steps, step)
	p.Lines = append(p.Lines, step.Say)
}

func (p *player) cut(steps, most int) {
	if steps > most {
		p.Left = fmt.Sprintf("Of %d steps the first %d can be played here; the trace itself has them all.", steps, most)
	}
}

// machinePlayer plays a run of a machine.
func machinePlayer(id string, x *explain.Execution, most int) (*player, error) {
	states, err := x.States()
	if err != nil {
		return nil, err
	}
	p := newPlayer(id, x)
	fields := x.Machine.Layout().Fields()
	for i, f := range fields {
		if f.Of(states[0]) != 0 {
			number, _ := p.field(strconv.Itoa(i), f.Name)
			p.Data.Start = append(p.Data.Start, setting{Field: number, Long: f.Text(states[0])})
		}
	}
	for k, taken := range x.Steps[:min(most, len(x.Steps))] {
		step := playerStep{Say: fmt.Sprintf("%d. %s", k+1, taken.Text()), Set: []setting{}}
		for i, f := range fields {
			if f.Of(states[k]) != f.Of(states[k+1]) {
				number, isNew := p.field(strconv.Itoa(i), f.Name)
				if isNew { // it had its value from the start
					p.Data.Start = append(p.Data.Start, setting{Field: number, Long: f.Text(states[k])})
				}
				step.Set = append(step.Set, setting{Field: number, Long: f.Text(states[k+1])})
			}
		}
		p.add(step)
	}
	p.cut(len(x.Steps), most)
	return p, nil
}

// trafficPlayer plays moves in a network and returns where its packets end up.
func trafficPlayer(id string, t *states.Traffic, x *explain.Execution, most int) (*player, *explain.Tracker, error) {
	topo := t.Network().Topology()
	tracker := explain.Track(t)
	p := newPlayer(id, x)
	for i, s := range x.Steps {
		m := s.Move
		_, changed, err := tracker.Step(m)
		if err != nil {
			return nil, nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
		if i >= most {
			continue
		}
		step := playerStep{Say: fmt.Sprintf("%d. %s", i+1, s.Named()), Set: []setting{}}
		if s.Alternatives > 0 {
			step.Alternative = &alternative{s.Alternative, s.Alternatives}
		}
		for _, ch := range changed {
			s := setting{Long: tracker.Long(ch)}
			s.Short, s.Body = tracker.Short(ch)
			var isNew bool
			if s.Field, isNew = p.field(fmt.Sprint(ch), topo.ChannelName(ch)); isNew {
				p.channels = append(p.channels, ch)
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
	p.cut(len(x.Steps), most)
	return p, tracker, nil
}

func packetsHeld(n int) string {
	if n == 0 {
		return "" // as an empty channel
	}
	return words.Plural(n, "packet")
}
