package star

import (
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Transfer is a message that a step puts into a FIFO, or takes out of it.
type Transfer struct {
	FIFO    string
	Sent    bool
	Copies  int  // sent: 0: it is lost
	Place   int  // taken: 0 is the head
	Cleared bool // all are taken out
	Text    string
}

// Step returns who takes the step of a rule of the program in a state where it is possible,
// and which messages it sends and receives, in order.
func (s *Source) Step(rule int, state []int) (by string, all []Transfer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.rules[rule]
	s.transfers(in, state, &all)
	return in.d.actor(in.i), all
}

func (s *Source) transfers(in instance, state []int, all *[]Transfer) {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.seen = &seen{transfers: all}
	if _, err := a.call(t, decision.At(state, in.options), in.d, in.i); err != nil {
		return
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		s.transfers(instance{d: &s.b.m.parts[part].declared}, state, all)
	}
}

// Waiting returns how many messages each FIFO holds in a state, by its name; empty FIFOs
// are left out.
func (s *Source) Waiting(state []int) map[string]int {
	all := map[string]int{}
	var look func(p *slot)
	look = func(p *slot) {
		_, isQueue := p.kind.(*queue)
		for _, q := range p.in {
			look(q)
			for isQueue && len(q.in) > 0 {
				q = q.in[0]
			}
			if isQueue && q.occupied(state[q.x]) {
				all[p.path]++
			}
		}
	}
	look(s.b.m.root)
	return all
}

// note records a transfer, with the message, if transfers are wanted.
func (q *fifo) note(t Transfer, message datum) {
	if q.a.seen == nil || q.a.seen.transfers == nil {
		return
	}
	t.FIFO = q.place.path
	if !t.Cleared {
		t.Text = q.a.words(message, q.kind().elem)
	}
	*q.a.seen.transfers = append(*q.a.seen.transfers, t)
}

// words returns a message as text: its values.
func (a *evaluation) words(d datum, k kind) string {
	r, ok := k.(*record)
	if !ok {
		if v := a.known(d); v != nil && v != starlark.None {
			return shown(v)
		}
		return "-"
	}
	var parts []string
	for i, f := range r.fields {
		parts = append(parts, a.words(d.in[i], f))
	}
	return strings.Join(parts, " ")
}
