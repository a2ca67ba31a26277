package liveness

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Building the whole state graph in memory, part by part, on all cores.
//
// A worker expands the states of a part and marks each step with a letter: what a response
// needs to know of the step, namely its action and the responses that it answers. Actions are
// identified by labels: steps have the same label exactly if they have the same action. A
// machine that provides labels does so without making names; otherwise the numbers of the
// actions serve. Each part has its own alphabet. The parts are put into the graph one
// after the other, in order, and their letters are replaced by those of the graph; actions
// are numbered in order of first occurrence. So the graph is the same for any number of
// workers.

// piece is a part of the graph before it is put in.
type piece struct {
	ends     []uint32 // by state: steps of the part's states up to and including it
	to       []int32
	letters  []int32 // by step: an index of alphabet
	loops    []loop  // steps that change nothing
	looped   int     // how many of them are in to
	alphabet []sample
	index    map[letter]int32 // into alphabet
	recent   [256]int32       // some letters by the low bits of the label, counted from 1
	plain    []int32          // by label, if small: the letter without answers, counted from 1
}

// loop is a step of a part from a state to itself.
type loop struct{ step, state int32 }

// mostPlain bounds the labels that pieces have tables for.
const mostPlain = 1 << 16

// sample is the first step of a part with a letter.
type sample struct {
	letter
	state, k int // k-th step of the part's state
}

// New takes the whole space into memory. Steps out of a partial space lead to a vertex after
// its states, which is never open.
func New(ctx context.Context, s Space) (*Graph, error) {
	number := s.Numbers(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newGraph(ctx, s, number)
}

// newGraph makes the graph of the numbered states of a space.
func newGraph(ctx context.Context, s Space, number numbers) (*Graph, error) {
	n := number.States()
	g := &Graph{
		Graph:      graph.Graph{First: make([]uint32, 1, n+1), To: make([]int32, 0, s.Steps)},
		Components: graph.Components{Of: append(make([]int32, n), graph.Outside)},
		space:      s, number: number, low: make([]uint16, 0, s.Steps), fair: s.Fair,
		strong: make([]bool, len(s.Fair)), round: make([]uint64, n/64+1),
	}
	b := &builder{Space: &g.space, g: g, letters: map[letter]int32{}, actions: map[int]int32{}, known: map[int]int32{}}
	b.turn.L = &b.mu
	err := eachPart(s.Workers, number.Parts(), func(part int) error {
		p, err := b.expand(ctx, part)
		return b.commit(part, p, err)
	})
	g.starts, _ = number.FindAll(nil, s.Machine.Start(nil), int32(n))
	number.Forget()
	if err != nil {
		return nil, err
	}
	if s.Modulo != nil {
		g.modulo = newModulo(s.Modulo, s.Claims.Strong, b.actions)
	}
	g.seen, g.taken = newMarks(len(g.fair)), newMarks(len(g.fair))
	g.answers, g.anyStrong = make([]bool, len(g.letters)), slices.Contains(g.strong, true)
	return g, nil
}

type builder struct {
	*Space
	g *Graph

	mu      sync.Mutex
	turn    sync.Cond
	next    int // the part that is put in next
	failed  bool
	letters map[letter]int32
	actions map[int]int32 // by number
	known   map[int]int32 // by label
	spare   []*piece      // pieces that are in the graph, for reuse
	numbers []int32       // of a piece's letters, in the graph
}

// expand makes the piece of a part.
func (b *builder) expand(ctx context.Context, part int) (p *piece, err error) {
	p = b.piece(part)
	words := b.Machine.Layout().Words()
	var own, next []uint64 // successors of a state; those of several states that differ from their state
	var found []int32
	first, _ := b.g.number.Part(part)
	var labels []int32
	var pending []int
	var answered [][2]int32
	answers := make([]byte, (len(b.Claims.Responses)+7)/8)
	none := slices.Clone(answers)
	b.g.number.EachIn(part, func(state []uint64) bool {
		if len(next) >= lookedUp*words {
			if found, err = b.find(ctx, p, found, next); err != nil {
				return false
			}
			next = next[:0]
		}
		if own, err = b.Fast.AppendSuccessors(own[:0], state); err != nil {
			return false
		}
		steps := len(own) / words
		for k := range steps {
			if after := own[k*words:][:words]; slices.Equal(after, state) {
				p.loops = append(p.loops, loop{int32(len(p.letters) + k), int32(first + len(p.ends))})
			} else {
				next = append(next, after...)
			}
		}
		if b.Labels != nil {
			if labels = b.Labels(labels[:0], state); len(labels) != steps {
				err = fmt.Errorf("%s: a state has steps without actions", b.Machine.Name())
				return false
			}
		}
		if b.AnswersOf != nil {
			answered = b.AnswersOf(answered[:0], state, own)
		}
		if pending = b.pending(pending[:0], state); len(pending) == 0 && b.Labels != nil {
			from := 0
			for len(answered) > 0 {
				k := answered[0][0]
				clear(answers)
				for ; len(answered) > 0 && answered[0][0] == k; answered = answered[1:] {
					answers[answered[0][1]/8] |= 1 << (answered[0][1] % 8)
				}
				p.putPlain(labels, from, int(k), none)
				p.put(int(labels[k]), answers, int(k))
				from = int(k) + 1
			}
			p.putPlain(labels, from, len(labels), none)
			p.ends = append(p.ends, uint32(len(p.letters)))
			return true
		}
		for k := range steps {
			after := own[k*words : (k+1)*words]
			clear(answers)
			for _, r := range pending {
				if b.Claims.Responses[r].Answered(state, k, after) {
					answers[r/8] |= 1 << (r % 8)
				}
			}
			p.put(b.label(labels, state, k), answers, k)
		}
		p.ends = append(p.ends, uint32(len(p.letters)))
		return true
	})
	if err == nil {
		_, err = b.find(ctx, p, found, next)
	}
	return p, err
}

// lookedUp is how many successors, at least, are looked up together.
const lookedUp = 1 << 10

// find appends the numbers of successors to a part, with the loops in between.
func (b *builder) find(ctx context.Context, p *piece, found []int32, next []uint64) ([]int32, error) {
	found, all := b.g.number.FindAll(found[:0], next, int32(b.g.number.States()))
	if !all && !b.Partial {
		return found, fmt.Errorf("%s: the successors of a state changed between two calls", b.Machine.Name())
	}
	rest := found
	for ; p.looped < len(p.loops); p.looped++ {
		l := p.loops[p.looped]
		others := int(l.step) - len(p.to)
		p.to = append(append(p.to, rest[:others]...), l.state)
		rest = rest[others:]
	}
	p.to = append(p.to, rest...)
	return found, ctx.Err()
}

// piece returns an empty piece for a part, reusing one that is in the graph if possible.
func (b *builder) piece(part int) *piece {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last := len(b.spare) - 1; last >= 0 {
		p := b.spare[last]
		b.spare = b.spare[:last]
		clear(p.index)
		clear(p.plain)
		p.recent = [256]int32{}
		p.ends, p.to, p.letters = p.ends[:0], p.to[:0], p.letters[:0]
		p.alphabet, p.loops, p.looped = p.alphabet[:0], p.loops[:0], 0
		return p
	}
	from, to := b.g.number.Part(part)
	states := int64(to - from)
	steps := states * b.Steps / int64(b.g.number.States()) * 9 / 8
	return &piece{
		index: map[letter]int32{}, ends: make([]uint32, 0, states), to: make([]int32, 0, steps),
		letters: make([]int32, 0, steps),
	}
}

// label returns the label of the k-th step of a state: the one given, if the machine provides
// labels.
func (b *builder) label(labels []int32, state []uint64, k int) int {
	if b.Labels != nil {
		return int(labels[k])
	}
	return b.Machine.Action(state, k).Number
}

// pending appends the responses that a step from a state might answer, unless labels
// determine them.
func (b *builder) pending(dst []int, state []uint64) []int {
	for i := 0; b.Answers == nil && b.AnswersOf == nil && i < len(b.Claims.Responses); i++ {
		if v := &b.Claims.Responses[i]; v.Answered != nil && v.Pending(state) {
			dst = append(dst, i)
		}
	}
	return dst
}

// putPlain is put for some steps of the last state, none of which answers.
func (p *piece) putPlain(labels []int32, from, to int, none []byte) {
	for k := from; k < to; k++ {
		label := labels[k]
		if int(label) < len(p.plain) && p.plain[label] > 0 {
			p.letters = append(p.letters, p.plain[label]-1)
			continue
		}
		p.put(int(label), none, k)
		if label < mostPlain {
			if more := int(label) + 1 - len(p.plain); more > 0 {
				p.plain = append(p.plain, make([]int32, more)...)
			}
			p.plain[label] = p.letters[len(p.letters)-1] + 1
		}
	}
}

// put appends the letter of the k-th step of the last state.
func (p *piece) put(label int, answers []byte, k int) {
	recent := &p.recent[label&(len(p.recent)-1)]
	if i := *recent - 1; i >= 0 && p.alphabet[i].action == label && p.alphabet[i].answers == string(answers) {
		p.letters = append(p.letters, i)
		return
	}
	i, known := p.index[letter{label, string(answers)}]
	if !known {
		i = int32(len(p.alphabet))
		l := letter{label, string(answers)}
		p.index[l] = i
		p.alphabet = append(p.alphabet, sample{letter: l, state: len(p.ends), k: k})
	}
	*recent = i + 1
	p.letters = append(p.letters, i)
}

// commit puts a piece into the graph once those before it are in.
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
	g := b.g
	first, _ := g.number.Part(part)
	numbers := b.numbers[:0]
	for _, s := range p.alphabet {
		numbers = append(numbers, b.letter(s, first))
	}
	b.numbers = numbers
	base := uint32(len(g.To))
	for _, end := range p.ends {
		g.First = append(g.First, base+end)
	}
	for _, l := range p.loops {
		g.round[l.state/64] |= 1 << (l.state % 64)
	}
	g.To = append(g.To, p.to...)
	g.low = slices.Grow(g.low, len(p.letters))
	low := g.low[base:][:len(p.letters)]
	for i, l := range p.letters {
		low[i] = uint16(numbers[l])
	}
	g.low = g.low[:int(base)+len(low)]
	if len(g.letters)>>16 != 0 && g.high == nil {
		g.high = make([]uint16, base, cap(g.To))
	}
	for i := 0; g.high != nil && i < len(p.letters); i++ {
		g.high = append(g.high, uint16(numbers[p.letters[i]]>>16))
	}
	b.next++
	b.spare = append(b.spare, p)
	return nil
}

// letter numbers the letters of the graph in order of first occurrence; first is the number of the
// first state of the part.
func (b *builder) letter(s sample, first int) int32 {
	if b.Answers != nil && b.Answers[s.action] >= 0 {
		answers := []byte(s.answers)
		answers[b.Answers[s.action]/8] |= 1 << (b.Answers[s.action] % 8)
		s.answers = string(answers)
	}
	if b.Fair == nil {
		a, known := b.known[s.action]
		if !known {
			a = b.action(b.Machine.Action(b.g.state(nil, int32(first+s.state)), s.k).Number)
			b.known[s.action] = a
		}
		s.action = int(a)
	}
	i, known := b.letters[s.letter]
	if !known {
		i = int32(len(b.g.letters))
		b.letters[s.letter] = i
		b.g.letters, b.g.actions = append(b.g.letters, s.letter), append(b.g.actions, int32(s.action))
	}
	return i
}

// action numbers actions in order of first occurrence.
func (b *builder) action(number int) int32 {
	a, known := b.actions[number]
	if !known {
		a = int32(len(b.actions))
		b.actions[number] = a
		b.g.fair, b.g.strong = append(b.g.fair, b.Claims.IsFair(number)), append(b.g.strong, b.Claims.Strong[number])
	}
	return a
}

// eachPart calls f with the parts of a space, in order, on a number of workers. It
// returns the error of the first part that has one; later parts may be skipped.
func eachPart(workers, parts int, f func(part int) error) error {
	return each.Do(context.Background(), min(workers, parts), parts, func(_, part int) error { return f(part) })
}
