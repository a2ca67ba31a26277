package selection

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// claim adds what is to be found out. What is permitted is asked of the relation,
// not of the functions.
func (b *builder) claim(sources []holder) error {
	var within, done, occupied []program.Expr
	number := program.Const(0)
	for i, h := range sources {
		if h.commits {
			permitted, err := channels(b.relation, h.at, b.t.Packets[i].To)
			if err != nil {
				return err
			}
			within = append(within, b.among(h.committed, permitted))
		}
		if !b.t.Again {
			done = append(done, program.Not(all(h.here)))
		}
	}
	for i, x := range b.channels {
		if !x.used {
			continue
		}
		c := spec.ChannelID(i)
		legal := []program.Expr{b.free(c)}
		for d, dest := range b.dests {
			from, err := channels(b.relation, b.g.Link(b.g.LinkOf(c)).From, dest)
			if err != nil {
				return err
			}
			if !slices.Contains(from, c) {
				continue
			}
			ok := []program.Expr{program.Eq(x.content, d+1)}
			if x.commits {
				onward, err := channels(b.relation, b.g.Head(c), dest)
				if err != nil {
					return err
				}
				ok = append(ok, b.among(x.committed, onward))
			}
			legal = append(legal, program.And(ok...))
		}
		within = append(within, program.Or(legal...))
		done = append(done, b.free(c))
		occupied = append(occupied, program.Not(b.free(c)))
		number = program.Add(number, program.IfElse(b.free(c), 0, 1))
	}
	b.p.Invariant(Within, program.And(within...))
	if b.t.Spares {
		b.p.Invariant(Spares, program.Not(program.Or(b.unspared...)))
	}
	if b.t.InFlight > 0 {
		b.p.Invariant(Count, program.Eq(number, b.flight))
	}
	if b.t.Again {
		b.p.Invariant(Moves, program.Implies(program.Or(occupied...), program.Or(b.flying...)))
	} else {
		b.p.Final = program.And(done...)
	}
	return nil
}

// among holds if nothing is committed to, or one of the given channels.
func (b *builder) among(committed program.Var, channels []spec.ChannelID) program.Expr {
	any := []program.Expr{program.Eq(committed, 0)}
	for _, c := range channels {
		any = append(any, program.Eq(committed, b.choice(c)))
	}
	return program.Or(any...)
}
