package explain

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// Sequence is who sends what to whom in a run of a protocol file.
type Sequence struct {
	Actors   []string // in the order in which they act
	Steps    []Turn
	Messages []Message // in the order they are sent
	End      string    // how the run ends
}

// Turn is a step: who takes it, and its name.
type Turn struct {
	Actor int
	Text  string
}

// Message is sent in one step and received in a later one.
type Message struct {
	Text     string
	From, To int // numbers of the steps, from 0; To is -1: still on its way, -2: lost
}

// The fate of a message that is not received.
const (
	OnItsWay = -1
	Lost     = -2
)

// SequenceOf follows the messages of a run; nil if its machine is not made from a file, or
// has no messages.
func SequenceOf(x *Execution) (*Sequence, error) {
	m, ok := x.Machine.(programMachine)
	if !ok || star.SourceOf(m.Program()) == nil {
		return nil, nil
	}
	from := star.SourceOf(m.Program())
	s := &Sequence{End: x.Ending}
	fifos := map[string][]int{} // the messages in each, by number; -1: an initial one, which was not sent
	for name, n := range from.Waiting(m.Values(x.initial())) {
		fifos[name] = slices.Repeat([]int{-1}, n)
	}
	err := x.Each(func(i int, before, _ []uint64) error {
		actor, transfers := from.Step(ruleOf(x, i, before), m.Values(before))
		k := slices.Index(s.Actors, actor)
		if k < 0 {
			k = len(s.Actors)
			s.Actors = append(s.Actors, actor)
		}
		s.Steps = append(s.Steps, Turn{k, x.Steps[i].Action})
		for _, t := range transfers {
			fifos[t.FIFO] = s.transfer(fifos[t.FIFO], i, t)
		}
		return nil
	})
	if len(s.Messages) == 0 {
		return nil, err
	}
	return s, err
}

// transfer records what step i does to a FIFO, and returns the new content.
func (s *Sequence) transfer(fifo []int, i int, t star.Transfer) []int {
	switch {
	case t.Cleared:
		for _, k := range fifo {
			if k >= 0 {
				s.Messages[k].To = Lost
			}
		}
		return nil
	case t.Sent && t.Copies == 0:
		s.Messages = append(s.Messages, Message{t.Text, i, Lost})
	case t.Sent:
		for range t.Copies {
			fifo = append(fifo, len(s.Messages))
			s.Messages = append(s.Messages, Message{t.Text, i, OnItsWay})
		}
	case t.Place < len(fifo):
		if k := fifo[t.Place]; k >= 0 {
			s.Messages[k].To = i
		}
		fifo = slices.Delete(slices.Clone(fifo), t.Place, t.Place+1)
	}
	return fifo
}

// ruleOf returns the number of the rule that step i takes.
func ruleOf(x *Execution, i int, before []uint64) int {
	m := x.Machine.(interface {
		RuleOf(s []uint64, i int) int
	})
	return m.RuleOf(before, x.Steps[i].choice)
}
