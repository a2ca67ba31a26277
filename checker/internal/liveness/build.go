package liveness

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// Taking the whole space into memory, part by part, on all cores.
//
// A worker expands the states of a part and marks each step with a label: a
// number such that steps with the same label are the same action. A machine
// that can tell labels does so without making names; otherwise the actions are
// asked for and numbered within the part. Then the parts are put into the graph
// one after the other, in order, and labels are replaced by actions, numbered
// as they first occur. So the graph is the same for any number of workers.

// piece is a part of the graph on its way.
type piece struct {
	ends   []uint32 // by state: steps of the part's states up to it
	to     []int32
	labels []int32
	known  map[int]int32 // labels that were made from numbers of actions
}

// New takes the whole space into memory.
func New(ctx context.Context, s Space) (*Graph, error) {
	s.Number(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := int(s.States())
	g := &Graph{
		Graph:      graph.Graph{First: make([]uint32, 1, n+1), To: make([]int32, 0, s.Steps)},
		Components: graph.Components{Of: make([]int32, n)},
		space:      s, number: s.Numbering(), low: make([]uint16, 0, s.Steps), fair: s.Fair,
	}
	b := &builder{Space: &g.space, g: g, actions: map[int]int32{}}
	b.turn.L = &b.mu
	err := eachPart(s.Workers, func(part int) error {
		p, err := b.expand(ctx, part)
		return b.commit(part, p, err)
	})
	if err != nil {
		return nil, err
	}
	g.seen, g.taken = newMarks(len(g.fair)), newMarks(len(g.fair))
	return g, nil
}

type builder struct {
	*Space
	g *Graph

	mu      sync.Mutex
	turn    sync.Cond
	next    int // the part that is put in next
	failed  bool
	actions map[int]int32 // by number
	known   []int32       // by label: 1 + its action, or 0
}

// expand makes a piece of a part.
func (b *builder) expand(ctx context.Context, part int) (p *piece, err error) {
	p = &piece{}
	if b.Labels == nil {
		p.known = map[int]int32{}
	}
	finder := b.Finder()
	words := b.Machine.Layout().Words()
	var next []uint64
	visited := 0
	b.EachPart(part, statespace.Parts, func(_ statespace.ID, state []uint64) bool {
		if visited++; visited&1023 == 1 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		if next, err = b.Fast.Next(next[:0], state); err != nil {
			return false
		}
		for at := 0; at+words <= len(next); at += words {
			id, found := finder.Find(next[at : at+words])
			if !found {
				err = fmt.Errorf("%s: the successors of a state are others than before", b.Machine.Name())
				return false
			}
			p.to = append(p.to, int32(b.g.number.Of(id)))
		}
		p.label(b, state)
		if len(p.labels) != len(p.to) {
			err = fmt.Errorf("%s: a state has steps without actions", b.Machine.Name())
		}
		p.ends = append(p.ends, uint32(len(p.to)))
		return err == nil
	})
	return p, err
}

// label appends the labels of a state's steps.
func (p *piece) label(b *builder, state []uint64) {
	if b.Labels != nil {
		p.labels = b.Labels(p.labels, state)
		return
	}
	for k := 0; len(p.labels) < len(p.to); k++ {
		number := b.Machine.Action(state, k).Number
		l, known := p.known[number]
		if !known {
			l = int32(len(p.known))
			p.known[number] = l
		}
		p.labels = append(p.labels, l)
	}
}

// commit puts a piece into the graph when those before it are in.
func (b *builder) commit(part int, p *piece, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.next < part && !b.failed {
		b.turn.Wait()
	}
	defer b.turn.Broadcast()
	if err != nil || b.failed {
		b.failed = true
		return err
	}
	if p.known != nil {
		b.known = b.known[:0] // labels of another part are others
	}
	g := b.g
	from, base := uint32(0), uint32(len(g.To))
	state, _ := g.number.Part(part)
	for _, end := range p.ends {
		for e := from; e < end; e++ {
			b.put(p.labels[e], state, int(e-from))
		}
		g.First = append(g.First, base+end)
		from = end
		state++
	}
	g.To = append(g.To, p.to...)
	b.next++
	return nil
}

// put appends the action of the k-th step of a state.
func (b *builder) put(label int32, state, k int) {
	g := b.g
	action := label
	if b.Fair == nil {
		for int(label) >= len(b.known) {
			b.known = append(b.known, 0)
		}
		if b.known[label] == 0 {
			b.known[label] = 1 + b.action(b.Machine.Action(g.state(nil, int32(state)), k).Number)
		}
		action = b.known[label] - 1
	}
	if action>>16 != 0 && g.high == nil {
		g.high = make([]uint16, len(g.low), cap(g.To))
	}
	g.low = append(g.low, uint16(action))
	if g.high != nil {
		g.high = append(g.high, uint16(action>>16))
	}
}

// action numbers actions as they come.
func (b *builder) action(number int) int32 {
	a, known := b.actions[number]
	if !known {
		a = int32(len(b.actions))
		b.actions[number] = a
		b.g.fair = append(b.g.fair, b.Claims.Fair == nil || b.Claims.Fair(number))
	}
	return a
}

// eachPart calls f with the parts of a space, in order, so many at a time. It
// returns the error of the first part that has one; those after it may be left out.
func eachPart(workers int, f func(part int) error) error {
	errs := make([]error, statespace.Parts)
	var next atomic.Int32
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(max(workers, 1), statespace.Parts) {
		wg.Go(func() {
			for !failed.Load() {
				part := int(next.Add(1)) - 1
				if part >= statespace.Parts {
					return
				}
				if errs[part] = f(part); errs[part] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
