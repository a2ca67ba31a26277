// Package windows finds deadlocks that keep to the windows of outstanding requests ([spec.Outstanding]).
//
// The tables of a network with windows let replies come before their requests, and any number of both, so what is found
// in them is a deadlock of more traffic than there is. It is one of the network if the requests that its replies answer
// can arrive first, each alone in the empty network, and no window is exceeded.
package windows

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// ErrExceeded says that a deadlock does not keep to the windows.
var ErrExceeded = errors.New("the deadlock found has more requests outstanding than declared")

// exchanges finds exchanges.
type exchanges struct {
	n     *spec.Network
	asker map[int32]int // by kind of request: the first exchange that asks one
}

func exchangesOf(n *spec.Network) exchanges {
	e := exchanges{n, map[int32]int{}}
	for i, x := range n.Exchanges() {
		if _, known := e.asker[x.Asks]; !known && x.Asks >= 0 {
			e.asker[x.Asks] = i
		}
	}
	return e
}

// number returns the number of the exchange of the flow whose source is at a site, -1 if it is none.
func (e *exchanges) number(s spec.Site) int {
	i, is := slices.BinarySearchFunc(e.n.Exchanges(), spec.Exchange{At: s}, spec.Exchange.Compare)
	if !is {
		return -1
	}
	return i
}

// requestChain lists the requests that an exchange answers, one because of the other, the first one first. It is nil,
// false if some kind of request is never sent.
func (e *exchanges) requestChain(i int) (chain []int, ok bool) {
	for kind := e.n.Exchanges()[i].Answers; kind >= 0; kind = e.n.Exchanges()[i].Answers {
		if i, ok = e.asker[kind]; !ok || len(chain) > len(e.n.Exchanges()) {
			return nil, false
		}
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	return chain, true
}

// Budget says how many packets of each flow windows leave to send.
type Budget struct {
	exchanges
	cost [][]int32 // by exchange: the windows that count a packet
	left []int     // by window
}

// NewBudget returns the budget of a network; nil, which affords everything, if it has no windows.
func NewBudget(n *spec.Network) *Budget {
	if len(n.Windows()) == 0 {
		return nil
	}
	b := &Budget{exchanges: exchangesOf(n), cost: make([][]int32, len(n.Exchanges()))}
	for i, x := range n.Exchanges() {
		chain, _ := b.requestChain(i)
		if x.Window >= 0 {
			b.cost[i] = append(b.cost[i], x.Window)
		}
		for _, k := range chain {
			if w := n.Exchanges()[k].Window; w >= 0 {
				b.cost[i] = append(b.cost[i], w)
			}
		}
	}
	b.Renew()
	return b
}

// Renew takes back all that has been spent.
func (b *Budget) Renew() {
	if b != nil {
		b.left = slices.Clone(b.n.Windows())
	}
}

// Affords reports whether so many packets from a source can be outstanding besides those spent.
func (b *Budget) Affords(source spec.Site, packets int) bool {
	if b == nil {
		return true
	}
	i := b.number(source)
	return i < 0 || !slices.ContainsFunc(b.cost[i], func(w int32) bool { return b.left[w] < packets })
}

// Spend counts packets from a source.
func (b *Budget) Spend(source spec.Site, packets int) {
	if b == nil {
		return
	}
	if i := b.number(source); i >= 0 {
		for _, w := range b.cost[i] {
			b.left[w] -= packets
		}
	}
}

// Prepared returns moves with others before them by which the requests that their replies answer arrive, each alone;
// nil if the windows do not permit that, or a request does not arrive.
func Prepared(ctx context.Context, n *spec.Network, sc spec.Scenario, moves []spec.Move) []spec.Move {
	t, err := n.Traffic(sc)
	if err != nil {
		return nil
	}
	e := exchangesOf(n)
	var before []spec.Move
	for _, m := range moves {
		if m.Kind != spec.Advance || !m.From.IsInjection() {
			continue
		}
		i := e.number(spec.Site{Channel: m.From, Header: m.Header})
		if i < 0 {
			continue
		}
		chain, ok := e.requestChain(i)
		for _, k := range chain {
			alone := delivered(ctx, t, n.Exchanges()[k].At)
			if alone == nil {
				return nil
			}
			before = append(before, alone...)
		}
		if !ok {
			return nil
		}
	}
	moves = append(before, moves...)
	s, o := t.Empty(), n.Outstanding()
	for _, m := range moves {
		if ctx.Err() != nil || t.Apply(&s, m) != nil || o.Step(&s, m) != nil {
			return nil
		}
	}
	return moves
}

// delivered returns the moves of one packet through the empty network, or nil.
func delivered(ctx context.Context, t *spec.Traffic, source spec.Site) (moves []spec.Move) {
	path := shortest(t.Network(), source)
	if path == nil {
		return nil
	}
	s, next := t.Empty(), path
	take := func(m spec.Move) bool {
		moves = append(moves, m)
		return t.Apply(&s, m) == nil
	}
	if !take(next[0]) {
		return nil
	}
	for next = next[1:]; ctx.Err() == nil; {
		possible := t.Moves(nil, &s, nil)
		if len(possible) == 0 {
			break
		}
		i := slices.IndexFunc(possible, func(m spec.Move) bool { return m.Kind != spec.Advance })
		if i >= 0 {
			if !take(possible[i]) {
				return nil
			}
			continue
		}
		if len(next) == 0 || !take(next[0]) {
			return nil
		}
		next = next[1:]
	}
	if len(next) > 0 {
		return nil
	}
	return moves
}

// shortest returns the moves of a packet from a source out of the network at its destination, or nil.
func shortest(n *spec.Network, source spec.Site) []spec.Move {
	type step struct {
		move spec.Move
		from int
	}
	var steps []step
	seen := map[spec.Site]bool{source: true}
	look := func(at spec.Site, from int) (end int) {
		hops, _ := n.Hops(at)
		for _, h := range hops {
			to := spec.Site{
				Channel: h.Channel,
				Header:  spec.Header{Dest: at.Header.Dest, Class: at.Header.Class, Tag: h.Tag},
			}
			out := h.Channel == spec.Eject
			if out && n.Topology().Head(at.Channel) != at.Header.Dest || !out && seen[to] {
				continue
			}
			seen[to] = true
			steps = append(steps, step{spec.Move{From: at.Channel, Header: at.Header, Hop: h}, from})
			if out {
				return len(steps) - 1
			}
		}
		return -1
	}
	end := look(source, -1)
	for i := 0; i < len(steps) && end < 0; i++ {
		m := steps[i].move
		end = look(spec.Site{
			Channel: m.Hop.Channel,
			Header:  spec.Header{Dest: m.Header.Dest, Class: m.Header.Class, Tag: m.Hop.Tag},
		}, i)
	}
	var moves []spec.Move
	for i := end; i >= 0; i = steps[i].from {
		moves = append(moves, steps[i].move)
	}
	slices.Reverse(moves)
	return moves
}
