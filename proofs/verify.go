package proofs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Verify checks a certificate against a network: one pass over the sites, no search, once the numbers that the certificate
// leaves out are found. A nil error is the only acceptance. [VerifyPlain] says the same for readers. Any other error says
// what was found and where. A network without flows proves nothing and is refused. Verify ends with ctx.
//
// Soundness: each kind's condition is checked for every source, site and hop of the
// tables, which hold all that an injected packet can do ([spec.NewNetwork]); the
// theorem of each kind is with [Kind].
//
// Not covered: that the tables are those of the network its author meant; and, for
// deadlock, sinks that do not drain. Request buffers are channels of the tables, so what waits there is covered.
func Verify(ctx context.Context, n *spec.Network, c *Certificate) error {
	if err := checkHead(n, c); err != nil {
		return err
	}
	if len(c.Once) > 0 {
		return keptOnce(ctx, n, c.Once)
	}
	if c.Kind == NoDiscard {
		for r := range spec.RowID(n.RowCount()) {
			if n.MayDiscard(r) {
				return discards(r)
			}
		}
		return nil
	}
	if c.leavesOut() {
		return verifyWithout(ctx, n, c)
	}
	v := verification{
		n, c, n.NewIndex(), make([]ahead, n.RowCount()), make([]bool, n.Fragments()), len(c.Held)+len(c.Measure) > 0, 1,
	}
	for f := 0; len(c.Held)+len(c.Measure) == 0 && f < n.Fragments(); f++ {
		p := n.Fragment(int32(f))
		v.alike[f] = (c.Kind != Arrival || !slices.ContainsFunc(p.Rows, n.Arrives)) && v.table(&p) == nil
		v.unlike = v.unlike || !v.alike[f]
	}
	var together spec.Table
	for i := range n.Tables() {
		t := n.Stored(i)
		if len(c.Held)+len(c.Measure) > 0 {
			t, v.round = n.TableIn(&together, i), i+1
			v.index.Load(t)
		}
		if err := cmp.Or(ctx.Err(), v.table(t)); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoFlow refuses evidence about a network without flows.
var ErrNoFlow = errors.New("this network has no flows: the certificate shows nothing")

// checkHead checks that the certificate is about this network, that its kind
// can show its property under its switching, and that it has exactly as many
// numbers as its kind needs.
func checkHead(n *spec.Network, c *Certificate) error {
	switch {
	case c == nil:
		return errors.New("no certificate")
	case n.FlowCount() == 0:
		return ErrNoFlow
	case c.Network != n.Digest():
		return fmt.Errorf("the certificate is for another network: %s, not %s", c.Network, n.Digest())
	case c.Switching != n.Switching():
		return fmt.Errorf("the certificate assumes %s switching, the network has %s", c.Switching, n.Switching())
	}
	for i, f := range c.Once {
		t := n.TableOf(f.Target)
		if c.Kind != NoDiscard || t == nil || len(t.SourcesOf(f.Source)) == 0 {
			return fmt.Errorf("flow %d: want one of the network, in a certificate of kind %s", i, NoDiscard)
		}
	}
	want, ok := shows[c.Kind]
	switch {
	case !ok:
		return fmt.Errorf("invalid kind of certificate %d", c.Kind)
	case c.Property != want:
		return fmt.Errorf("a certificate of kind %s shows %s, not %s", c.Kind, want, c.Property)
	case c.Kind == Escape && c.Switching == spec.Wormhole:
		return errors.New("a certificate of kind escape does not cover wormhole switching")
	}
	ranks, held, measure := n.Topology().Channels(), 0, 0
	switch {
	case c.Kind == ExtendedEscape && len(c.Held) > 0:
		held = n.SiteCount()
	case c.Kind == NoDiscard:
		ranks = 0
	case (c.Kind == Measure || c.Kind == Arrival) && len(c.Measure) > 0:
		ranks, measure = 0, n.SiteCount()
	case (c.Kind == Measure || c.Kind == Arrival) && len(c.Rank) == 0:
		ranks = 0
	}
	return cmp.Or(checkNumbers("rank", c.Rank, ranks), checkNumbers("held", c.Held, held),
		checkNumbers("measure", c.Measure, measure))
}

// keptOnce checks that no row that packets of these flows meet permits Discard.
func keptOnce(ctx context.Context, n *spec.Network, flows []spec.Flow) error {
	index := n.NewIndex()
	for _, f := range flows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := n.TableOf(f.Target)
		index.Load(t)
		met := make([]bool, t.Len())
		var rows []spec.RowID // to be looked at
		for _, s := range t.SourcesOf(f.Source) {
			rows = append(rows, s.Row)
		}
		for len(rows) > 0 {
			r := rows[len(rows)-1]
			if rows = rows[:len(rows)-1]; n.MayDiscard(r) {
				return discards(r)
			}
			for _, h := range n.Row(r) {
				if k := index.Site(h); k >= 0 && !met[k] {
					met[k], rows = true, append(rows, t.Rows[k])
				}
			}
		}
	}
	return nil
}

func checkNumbers(name string, numbers []int32, want int) error {
	if len(numbers) != want {
		return fmt.Errorf("%d numbers %s: want %d", len(numbers), name, want)
	}
	if i := slices.IndexFunc(numbers, func(x int32) bool { return x < 0 }); i >= 0 {
		return fmt.Errorf("number %d of %s is %d: want at least 0", i, name, numbers[i])
	}
	return nil
}

// shows is the property that each kind shows.
var shows = map[Kind]spec.Property{
	Rank: spec.DeadlockFreedom, Escape: spec.DeadlockFreedom, ExtendedEscape: spec.DeadlockFreedom,
	Measure:   spec.LivelockFreedom,
	Arrival:   spec.Delivery,
	NoDiscard: spec.NoDiscard,
}

type verification struct {
	n     *spec.Network
	c     *Certificate
	index *spec.Index
	rows  []ahead

	alike  []bool // by fragment: it was checked, by ranks, and is right in every table
	unlike bool   // some fragment is not, or none was looked at
	round  int    // the table's number + 1; 1 if all numbers are ranks, which are those of all tables
}

// ahead sums up the hops of a row in one table (with ranks, in all tables): sites with the same row differ
// only in their own number.
type ahead struct {
	round       int  // for which the rest stands
	leaves      bool // by Eject or Discard
	ejects      bool
	most, least int32 // of the numbers after hops into channels; for ExtendedEscape least is a rank
	over        bool  // more may be held behind such a hop than the rank of its channel
}

// number returns the number of a site that is compared: what is held there, its measure,
// or its channel's rank.
func (v *verification) number(t *spec.Table, c spec.ChannelID, site int) int32 {
	switch {
	case len(v.c.Held) > 0:
		return v.c.Held[t.First+site]
	case len(v.c.Measure) > 0:
		return v.c.Measure[t.First+site]
	}
	return v.c.Rank[c]
}

func (v *verification) numbersAhead(t *spec.Table, r spec.RowID) *ahead {
	a := &v.rows[r]
	if a.round == v.round {
		return a
	}
	*a = ahead{round: v.round, most: -1, least: math.MaxInt32}
	for _, h := range v.n.Row(r) {
		if h.Channel == spec.Eject {
			a.leaves, a.ejects = true, a.ejects || !h.Discards()
			continue
		}
		behind := v.number(t, h.Channel, v.index.Site(h))
		rank := behind
		if v.c.Kind == ExtendedEscape {
			rank = v.c.Rank[h.Channel]
		}
		a.most, a.least, a.over = max(a.most, behind), min(a.least, rank), a.over || behind > rank
	}
	return a
}

// table checks the sources and sites of a table, and of its fragments if it has any. Ranks are right
// or wrong in all tables alike, and only [Arrival] asks for the destination, where a packet ejects; so
// most fragments are checked once, before the tables.
func (v *verification) table(t *spec.Table) error {
	if v.c.Kind == Arrival || v.c.Kind == ExtendedEscape {
		for i, src := range t.Sources {
			if problem := v.source(t, src); problem != "" {
				return at(v.n, t.SourceSite(i), problem)
			}
		}
	}
	for s := range t.Len() {
		if problem := v.site(t, s); problem != "" {
			return at(v.n, t.Site(s), problem)
		}
	}
	for _, f := range t.Fragments {
		if !v.unlike || v.alike[f] {
			continue
		}
		p := v.n.Fragment(f)
		p.Target = t.Target
		if err := v.table(&p); err != nil {
			return err
		}
	}
	return nil
}

// source checks the first hops of one flow, of which only [Arrival] and [ExtendedEscape] require anything.
func (v *verification) source(t *spec.Table, src spec.Source) (problem string) {
	switch {
	case v.c.Kind == ExtendedEscape && v.numbersAhead(t, src.Row).over:
		return heldOver
	case v.c.Kind == Arrival && len(v.n.Row(src.Row)) == 0:
		return "no first hop"
	case v.c.Kind == Arrival && v.n.Arrives(src.Row):
		return misdelivered
	}
	return ""
}

func discards(row spec.RowID) error { return fmt.Errorf("row %d permits a discard", row) }

const (
	misdelivered = "a packet ejects at a node that is not its destination"
	heldOver     = "more is held after a hop than the rank of its channel"
)

// site checks one site: what every hop must satisfy, and what some hop must.
func (v *verification) site(t *spec.Table, s int) (problem string) {
	a, c, here := v.numbersAhead(t, t.Rows[s]), v.c, v.number(t, t.Channels[s], s)
	if a.over {
		return heldOver
	}
	switch c.Kind {
	case Rank, Measure:
		if a.most >= here {
			return fmt.Sprintf("%s %d, but %d after a hop", c.Kind, here, a.most)
		}
		return "" // and so some hop leads lower
	case ExtendedEscape:
		if a.most > here {
			return fmt.Sprintf("%s %d, but %d after a hop", c.Kind, here, a.most)
		}
	case Arrival:
		if a.ejects && v.n.Topology().Head(t.Channels[s]) != t.Dest {
			return misdelivered
		}
	case Escape:
	default: // a kind whose condition is missing here shows nothing
		return noCondition(c.Kind)
	}
	if a.leaves || a.least < here || c.Kind != Arrival && len(v.n.Row(t.Rows[s])) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %d, but no permitted hop is lower", c.Kind, here)
}

func noCondition(k Kind) string { return fmt.Sprintf("no condition of kind %s is known here", k) }
