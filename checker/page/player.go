package page

import (
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/page/internal/figure"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec/states"
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

	numbers map[string]int // of fields, by key
}

// playerData is what the script reads.
type playerData struct {
	Fields []string     `json:"fields"`
	Start  []setting    `json:"start"`
	Steps  []playerStep `json:"steps"`
	Back   int          `json:"back"` // the steps after so many repeat forever; -1: none do
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

// newPlayer returns a player without fields and steps: empty, not null, to the
// script.
func newPlayer(id string) *player {
	return &player{ID: id, numbers: map[string]int{}, Data: playerData{Back: -1, Fields: []string{}, Start: []setting{}, Steps: []playerStep{}}}
}

// field returns the number of a field, and whether it is a new one. The key
// tells fields apart, which may have the same name.
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

// runPlayer plays a run of a machine.
func runPlayer(id string, m states.Machine, r *runs.Run, most int) (*player, error) {
	states, err := r.States(m)
	if err != nil {
		return nil, err
	}
	p := newPlayer(id)
	fields := m.Layout().Fields()
	for i, f := range fields {
		if f.Of(states[0]) != 0 {
			number, _ := p.field(strconv.Itoa(i), f.Name)
			p.Data.Start = append(p.Data.Start, setting{Field: number, Long: f.Text(states[0])})
		}
	}
	for k, taken := range r.Steps {
		if k >= most {
			break
		}
		step := playerStep{Say: fmt.Sprintf("%d. %s", k+1, taken.Action.Name), Set: []setting{}}
		for i, f := range fields {
			if f.Of(states[k]) != f.Of(states[k+1]) {
				number, _ := p.field(strconv.Itoa(i), f.Name)
				step.Set = append(step.Set, setting{Field: number, Long: f.Text(states[k+1])})
			}
		}
		p.add(step)
	}
	p.cut(len(r.Steps), most)
	p.End = endOf(r)
	if r.Fault == runs.Unanswered && r.Back < len(r.Steps) {
		p.Data.Back = r.Back
	}
	return p, nil
}

// endOf says what the last state of a run shows.
func endOf(r *runs.Run) string {
	switch {
	case r.Fault == runs.Broken:
		return fmt.Sprintf("the invariant %q is violated", r.Property)
	case r.Fault == runs.Halt:
		return "no step is possible"
	case r.Fault == runs.Refused:
		return "the next step would take a value out of its range"
	case r.Back == len(r.Steps):
		return fmt.Sprintf("the machine may rest here: %q is never answered", r.Property)
	}
	return fmt.Sprintf("and so on from step %d: %q is never answered", r.Back+1, r.Property)
}
