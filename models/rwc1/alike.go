package rwc1

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the lower bound.
//
// Spiral buffers are one way to use VCs; could another do with fewer? All rings
// look alike: adding a constant to y (xor) takes ways to ways. Take any rule that
// gives VCs to the hops of these ways, that treats all rings alike, and whose
// dependency graph has no cycle. The length of the longest chain that ends in a
// channel is then the same in all rings, and goes up along every way. Write the
// links of one ring, that is their kind and their x, in this order, each once for
// every VC: every way, written as its links, is a subsequence. Conversely, a
// sequence in which no link occurs more than k times and of which every way is a
// subsequence gives a rule for k VCs: take the first place behind the present one.
//
// So k VCs suffice if and only if there is such a sequence. One that there is, is
// found by writing all links in the order of x, k times over (the After reading
// of the spiral). That there is none is found with the parallel links alone: the
// ways without their other links would have to be subsequences of the sequence
// without them; all sequences are tried. For n >= 3 the ways of a c-Banyan that
// correct the last bit alone are p(x)..p(x+n-2), a cross link, p(x)..p(x+n-2):
// with two VCs the first p(x) has to stand before the first p(x+1), for all x
// around the ring.

// Alike is what was found about rules that treat all rings alike.
type Alike struct {
	Ways    int // different ways, with y and z taken relative to the source
	Links   []string
	Order   []int   // a sequence that works, as numbers of links; nil: none was found
	Against [][]int // if there is none: ways along parallel links that no sequence holds
	Tried   int     // beginnings of sequences that were looked at
}

// Decided reports whether there is a sequence, or there cannot be one.
func (a *Alike) Decided() bool { return a.Order != nil || a.Against != nil }

// Text writes a way or a sequence as its links.
func (a *Alike) Text(links []int) string {
	words := make([]string, len(links))
	for i, l := range links {
		words[i] = a.Links[l]
	}
	return strings.Join(words, " ")
}

// AnyRule decides whether o.VCs VCs suffice for the ways of o.Topology and o.N
// under some rule that treats all rings alike. The other options play no part.
func AnyRule(ctx context.Context, o Options) (*Alike, error) {
	w, err := newWays(o)
	if err != nil {
		return nil, err
	}
	a := &Alike{Links: linksOfRing(o)}
	all, parallel, err := waysOfRing(ctx, w, o)
	if err != nil {
		return nil, err
	}
	a.Ways = len(all)
	kinds := 1 + o.dims()
	var order []int
	for range o.VCs {
		for x := range o.N {
			// Where one ring link follows another, x goes up; a CCC link stays at x, so it comes first.
			for k := kinds - 1; k >= 0; k-- {
				order = append(order, x*kinds+k)
			}
		}
	}
	if !slices.ContainsFunc(all, func(way []int) bool { return !subsequence(way, order) }) {
		a.Order = order
		return a, nil
	}
	s := sequences{words: longest(parallel), left: make([]int, len(a.Links)), vain: map[string]bool{}}
	for l := range s.left {
		s.left[l] = o.VCs
	}
	if !s.search(make([]int, len(s.words))) {
		a.Against = s.words
	}
	a.Tried = len(s.vain)
	return a, nil
}

// linksOfRing names the links of one ring: those of place x from x times their
// kinds on, the parallel one first.
func linksOfRing(o Options) []string {
	names := []string{"p", "y", "z"}
	if o.Topology == CCC {
		names[1] = "z"
	}
	var links []string
	for x := range o.N {
		for k := range 1 + o.dims() {
			links = append(links, names[k]+strconv.Itoa(x))
		}
	}
	return links
}

// waysOfRing lists the different ways as links of one ring, and beside each its
// parallel links alone. All differences of y, z are met by the ways from the nodes of
// one ring.
func waysOfRing(ctx context.Context, w *ways, o Options) (all, parallel [][]int, err error) {
	kinds := 1 + o.dims()
	seen := map[string]bool{}
	for to := range spec.NodeID(w.t.Nodes()) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for from := range spec.NodeID(o.N) {
			if from == to {
				continue
			}
			way, err := w.follow(from, to)
			if err != nil {
				return nil, nil, err
			}
			var full, straight []int
			for _, c := range way {
				l := w.t.LinkOf(c)
				x := w.t.Node(w.t.Tail(c)).At[0]
				k := slices.Index(w.t.Out(w.t.Tail(c)), l)
				full = append(full, x*kinds+k)
				if k == 0 {
					straight = append(straight, x*kinds)
				}
			}
			if key := fmt.Sprint(full); !seen[key] {
				seen[key] = true
				all, parallel = append(all, full), append(parallel, straight)
			}
		}
	}
	return all, parallel, nil
}

// NoSequence is the invariant of the machine that [Alike.Machine] returns.
const NoSequence = "some way is not written in full"

// Machine returns the writing of sequences as a machine: it writes one link after
// the other, each at most so many times, and knows how far it has got in every way
// of Against, which moves on when its next link is written. If no state has all
// ways in full, no sequence holds them. What is left to be believed is that the
// ways are those of packets.
func (a *Alike) Machine(most int) *program.Program {
	p := program.New(fmt.Sprintf("sequences of links, each at most %d times", most))
	met := make([]program.Var, len(a.Against))
	var short []program.Expr
	for i, way := range a.Against {
		met[i] = p.Var("met of "+a.Text(way), len(way)+1)
		short = append(short, program.Lt(met[i], len(way)))
	}
	for l, name := range a.Links {
		var next []program.Expr
		var effect []program.Stmt
		for i, way := range a.Against {
			var here []program.Expr
			for j, link := range way {
				if link == l {
					here = append(here, program.Eq(met[i], j))
				}
			}
			if here != nil {
				next = append(next, here...)
				effect = append(effect, program.If(program.Or(here...), program.Set(met[i], program.Add(met[i], 1))))
			}
		}
		if next == nil {
			continue
		}
		written := p.Var("written "+name, most+1)
		p.Rule("write "+name, program.And(program.Lt(written, most), program.Or(next...)),
			append(effect, program.Set(written, program.Add(written, 1)))...)
	}
	p.Invariant(NoSequence, program.Or(short...))
	return p
}

// subsequence reports whether the links of a way occur in order, in this order.
func subsequence(way, order []int) bool {
	for _, l := range order {
		if len(way) > 0 && way[0] == l {
			way = way[1:]
		}
	}
	return len(way) == 0
}

// longest leaves out words that are subsequences of others.
func longest(words [][]int) [][]int {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b []int) int { return len(b) - len(a) })
	var kept [][]int
	for _, word := range sorted {
		if !slices.ContainsFunc(kept, func(k []int) bool { return subsequence(word, k) }) {
			kept = append(kept, word)
		}
	}
	return kept
}

// sequences is the search for a sequence that holds all words.
type sequences struct {
	words [][]int
	left  []int           // by link: how often it may still be written
	vain  map[string]bool // how far each word had got, and what was left, without success
}

// search reports whether a sequence can be completed, when so many links of each
// word have been met.
func (s *sequences) search(met []int) bool {
	done := true
	next := map[int]bool{}
	for i, word := range s.words {
		if met[i] < len(word) {
			done = false
			next[word[met[i]]] = true
		}
	}
	if done {
		return true
	}
	key := fmt.Sprint(met, s.left)
	if s.vain[key] || !s.enough(met) {
		s.vain[key] = true
		return false
	}
	for l := range s.left {
		if !next[l] || s.left[l] == 0 {
			continue
		}
		s.left[l]--
		further := slices.Clone(met)
		for i, word := range s.words {
			if met[i] < len(word) && word[met[i]] == l {
				further[i]++
			}
		}
		found := s.search(further)
		s.left[l]++
		if found {
			return true
		}
	}
	s.vain[key] = true
	return false
}

// enough reports whether no word has a link more often before it than is left.
func (s *sequences) enough(met []int) bool {
	need := make([]int, len(s.left))
	for i, word := range s.words {
		clear(need)
		for _, l := range word[met[i]:] {
			if need[l]++; need[l] > s.left[l] {
				return false
			}
		}
	}
	return true
}
