package parameterized

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
)

// Routing with escape channels (Duato 1993, 1995) has cycles of dependencies, and no deadlock.
//
// # Theorem
//
// Let some kinds of channels be escapes, with ranks. At every size, let
//
//  1. a packet that has not arrived be offered an escape, wherever it can be;
//  2. a packet in an escape be offered escapes of lower rank than its own alone;
//  3. no hop raise what is offered: every escape offered after it ranks at most as high as each one offered before it.
//
// Then every escape that is offered to a packet ranks below all escapes that it still holds, of whatever length it is: by
// 2 when it enters one, and by 3 after each further hop. Let other channels rank above all escapes. So a packet is always
// offered a channel of lower rank than all that it holds, and packets cannot wait for each other for ever: follow such
// hops from packet to packet, and the ranks fall without end. That holds with every switching. It is the condition of
// [proofs.ExtendedEscape], stated of what is offered, and stronger: indirect dependencies need no formula of their own.
//
// A rank of the channels says nothing about livelock here. So each hop must bring a packet nearer to its destination, by
// links: then it arrives, as 1 offers it a hop.

// escapeSets lists the sets of kinds that are tried: those of some VCs, few VCs first.
func (f *Family) escapeSets() (all [][]bool) {
	const mostVCs = 4
	vcs := 0
	for _, k := range f.kinds() {
		vcs = max(vcs, k.vc+1)
	}
	if vcs > mostVCs {
		return nil
	}
	for size := 1; size < vcs; size++ {
		for set := range 1 << vcs {
			var escape []bool
			count := 0
			for vc := range vcs {
				count += set >> vc & 1
			}
			for _, k := range f.kinds() {
				escape = append(escape, set>>k.vc&1 == 1)
			}
			if count == size {
				all = append(all, escape)
			}
		}
	}
	return all
}

// escaping lists the questions whether conditions 2 and 3 fail.
func (c *conditions) escaping() (all []question) {
	f := c.f
	_, xs := f.arguments(here)
	_, ys := f.arguments(next)
	_, yds := f.arguments(next, there)
	_, zs := f.arguments(after)
	_, zds := f.arguments(after, there)
	var going []*symbolic.Term
	for i := range f.low {
		going = append(going, symbolic.Not(symbolic.Equal(symbolic.Named(after(i)), symbolic.Named(there(i)))))
	}
	for i := range c.kinds {
		for to := range c.kinds {
			if !c.escape[to] || c.asks(i, to).IsFalse() {
				continue
			}
			asks := fmt.Sprintf("(asks.%d.%d %s)", i, to, yds)
			if c.escape[i] {
				all = append(all, question{
					says: fmt.Sprintf("from %s to the escape %s: the rank gets lower", c.sender(i), c.sender(to)), want: smt.Unsat,
					assert: append(c.underway(i), asks, "(not "+c.lower(i, to, xs, ys, "false")+")"),
					kinds:  [3]int{i, to}, held: here, asked: next,
				})
			}
			for then := range c.kinds {
				if !c.escape[then] {
					continue
				}
				var hops []string
				for j, k := range c.kinds {
					if c.asks(i, j).IsFalse() || c.asks(j, then).IsFalse() {
						continue
					}
					hop := fmt.Sprintf("(asks.%d.%d %s) (asks.%d.%d %s)", i, j, yds, j, then, zds)
					for l := range f.low {
						hop += fmt.Sprintf(" (= %s (to.%d.%d %s))", after(l), k.link, l+1, ys)
					}
					hops = append(hops, "(and "+hop+")")
				}
				if len(hops) == 0 {
					continue
				}
				all = append(all, question{
					says: fmt.Sprintf("from %s by any hop: the escape %s offered then ranks no higher than %s offered before", c.sender(i),
						c.sender(then), c.sender(to)),
					want: smt.Unsat,
					assert: append(c.underway(i), asks, "(or "+strings.Join(hops, " ")+" false)", symbolic.Or(going...).String(),
						"(not "+c.lower(to, then, ys, zs, "true")+")"),
					kinds: [3]int{to, then, 1}, held: next, asked: after,
				})
			}
		}
	}
	return all
}

// offered lists the questions whether condition 1 fails.
func (c *conditions) offered() (all []question) {
	_, yds := c.f.arguments(next, there)
	for i := range c.f.routes {
		assert := c.underway(i)
		for j := range c.kinds {
			if c.escape[j] && !c.asks(i, j).IsFalse() {
				assert = append(assert, fmt.Sprintf("(not (asks.%d.%d %s))", i, j, yds))
			}
		}
		all = append(all, question{
			says: fmt.Sprintf("a packet of %s is offered an escape", c.sender(i)), want: smt.Unsat, assert: assert,
		})
	}
	return all
}

// nearer lists the questions whether a hop leads away from the destination.
func (c *conditions) nearer() (all []question) {
	f := c.f
	_, yds := f.arguments(next, there)
	for i := range f.routes {
		for j, k := range c.kinds {
			if c.asks(i, j).IsFalse() {
				continue
			}
			assert := append(c.underway(i), fmt.Sprintf("(asks.%d.%d %s)", i, j, yds))
			_, ys := f.arguments(next)
			for l := range f.low {
				assert = append(assert, fmt.Sprintf("(= %s (to.%d.%d %s))", after(l), k.link, l+1, ys))
			}
			assert = append(assert, symbolic.AtMost(f.distance(next), f.distance(after)).String())
			all = append(all, question{
				says: fmt.Sprintf("from %s to %s: the destination gets nearer", c.sender(i), c.sender(j)), want: smt.Unsat, assert: assert,
			})
		}
	}
	return all
}

// distance is how far a node is from the destination, in links: along each dimension, around it where links wrap.
func (f *Family) distance(at func(int) string) *symbolic.Term {
	sum := symbolic.Number(0)
	for i := range f.low {
		x, d := symbolic.Named(at(i)), symbolic.Named(there(i))
		ahead, back := symbolic.Plus(d, -1, x), symbolic.Plus(x, -1, d)
		forward := symbolic.Less(x, d)
		if f.wraps(i) {
			size := symbolic.Plus(f.high[i], -1, f.low[i])
			ahead, back = symbolic.Wrap(ahead, size), symbolic.Wrap(back, size)
			forward = symbolic.Less(ahead, back)
		}
		sum = symbolic.Plus(sum, 1, symbolic.Cases(forward, ahead, back))
	}
	return sum
}

func (f *Family) wraps(i int) bool {
	return slices.ContainsFunc(f.links, func(l link) bool {
		return l.head[i].Contains(func(t *symbolic.Term) bool { return t.Op == symbolic.OpWrap })
	})
}

// escapes lists what conditions 2 and 3 say of the channels of a small network; it is false where 1 is not true of it.
func (s *small) escapes(escape []bool) (deps []dependency, offered bool) {
	type pair struct {
		held, asked channelOf
		alike       int
	}
	met := map[pair]bool{}
	of := func(by *channelOf, at, dest int) (all, escapes []channelOf) {
		hops, _ := s.hops(by, at, dest) // which went well for each site before
		for _, k := range hops {
			c := channelOf{s.count[k], at}
			if all = append(all, c); escape[c.kind] {
				escapes = append(escapes, c)
			}
		}
		return all, escapes
	}
	for _, site := range s.sites {
		at := s.head(site.channelOf)
		if at == site.dest {
			continue
		}
		hops, before := of(&site.channelOf, at, site.dest)
		if len(before) == 0 {
			return nil, false
		}
		for _, e := range before {
			if escape[site.kind] {
				met[pair{site.channelOf, e, 0}] = true
			}
			for _, h := range hops {
				head := s.head(h)
				if head == site.dest {
					continue
				}
				_, then := of(&h, head, site.dest)
				for _, e2 := range then {
					if e2 != e {
						met[pair{e, e2, 1}] = true
					}
				}
			}
		}
	}
	for p := range met {
		one := dependency{kinds: [3]int{p.held.kind, p.asked.kind, p.alike}, held: maps.Clone(s.size), asked: maps.Clone(s.size)}
		s.values(one.held, here, p.held.from)
		s.values(one.asked, here, p.asked.from)
		deps = append(deps, one)
	}
	return deps, true
}

// fitEscape returns a set of escapes with a rank of their channels; nil if none is found.
func (f *Family) fitEscape(
	ctx context.Context, solver smt.Solver, samples []*small, invariant [][]*symbolic.Term,
) (escape []bool, rank [][]*symbolic.Term, err error) {
sets:
	for _, set := range f.escapeSets() {
		var deps []dependency
		for _, s := range samples {
			more, offered := s.escapes(set)
			if !offered {
				continue sets
			}
			deps = append(deps, more...)
		}
		rank, left, err := f.fitRank(ctx, solver, deps, invariant, set)
		if err != nil {
			return nil, nil, err
		}
		if len(left) == 0 {
			return set, rank, nil
		}
	}
	return nil, nil, nil
}

// verifyEscape has unknot's verifier check escapes and distances on the network of a size.
func (s *small) verifyEscape(ctx context.Context, n *spec.Network, escape []bool, rank [][]*symbolic.Term) error {
	t := n.Topology()
	tuples := make([][]int, t.Channels())
	for c := range tuples {
		of := s.channel(t, spec.ChannelID(c))
		tuples[c] = []int{1} // above all escapes
		if escape[of.kind] {
			values := maps.Clone(s.size)
			s.values(values, here, of.from)
			tuples[c][0] = 0
			for _, level := range rank[of.kind] {
				tuples[c] = append(tuples[c], level.Value(values))
			}
		}
	}
	if err := proofs.Verify(ctx, n, &proofs.Certificate{
		Network: n.Digest(), Property: spec.DeadlockFreedom, Switching: n.Switching(),
		Kind: proofs.ExtendedEscape, Rank: families.Places(tuples),
	}); err != nil {
		return err
	}
	measure := make([]int32, n.SiteCount())
	for i := range n.Tables() {
		table := n.Table(i)
		for j := range table.Len() {
			site := table.Site(j)
			values := maps.Clone(s.size)
			s.values(values, next, int(t.Head(site.Channel)))
			s.values(values, there, int(site.Header.Dest))
			measure[table.First+j] = int32(s.f.distance(next).Value(values))
		}
	}
	return proofs.Verify(ctx, n, &proofs.Certificate{
		Network: n.Digest(), Property: spec.LivelockFreedom, Switching: n.Switching(), Kind: proofs.Measure, Measure: measure,
	})
}
