package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Message classes.
//
// Each message class has one set of VCs, which several may share: what architects call virtual networks. There are
// few classes, so every way in which they can share is decided, fewest sets first (sharing.All). A way that is not free
// has a trace to a deadlock. Most such traces are those of a pair of classes that share while all others are apart: the
// same moves lead to a deadlock wherever the pair shares, unless they meet packets of others there. So the pairs come
// first, after the way in which nothing shares, and each way is tried with the traces known before it is decided.

// classes looks for the fewest sets of VCs for the message classes.
func (u *search) classes(ctx context.Context) (Proposal, error) {
	c, out, err := u.newClassing(ctx)
	if c == nil {
		return out, err
	}
	of, open, err := c.fewest(ctx)
	if err != nil {
		return Proposal{}, err
	}
	out, atLeast := Proposal{Unit: setOfVCs}, c.refuted+1
	if of != nil {
		if out, err = c.certified(ctx, of); err != nil || out.Network == nil {
			return out, err
		}
	}
	if c.refuted > 0 {
		if out.Sharing, err = c.evidence(ctx); err != nil {
			return Proposal{}, err
		}
	}
	switch {
	case of == nil && !open.IsZero():
		out.AtLeast, out.Because = atLeast, open
	case of == nil:
		out.Verdict = spec.Violated
		out.Because = findings.Say(findings.ClassesDeadlock{Classes: len(c.names)})
	default:
		why := findings.Say(findings.OneSet)
		if c.refuted > 1 {
			why = findings.Say(findings.SetsDeadlock{Sets: c.refuted})
		}
		if pairs := c.deadlockingPairs(); pairs != nil {
			why = why.And(findings.Say(findings.PairsDeadlock{Pairs: pairs}))
		}
		out = out.bounded(atLeast, why)
	}
	if out.Sharing == nil && c.refuted > 1 {
		out.Because = out.Because.And(findings.Say(findings.Unchecked))
	}
	return out, nil
}

const setOfVCs = "VC set"

// classing is a search for the sets of message classes.
type classing struct {
	*search
	names    []string // of the message classes
	tags     []sharing.Tags
	messages sharing.Table
	effort   int64 // sites that may be looked at

	cases   []evidence.Shared    // ways that deadlock
	own     []*sharing.Separated // by case
	refuted int                  // every way with at most so many sets deadlocks
}

// newClassing finds the message classes; if the answer is known already, it returns that.
func (u *search) newClassing(ctx context.Context) (*classing, Proposal, error) {
	for _, property := range []spec.Property{spec.LivelockFreedom, spec.Delivery} {
		if f := u.before.Of(property.String()); f != nil && f.Verdict != spec.Holds {
			return nil, Proposal{
				Verdict: f.Verdict,
				Because: findings.Say(findings.KeepsFault{Property: property}),
			}, nil
		}
	}
	all, tags, err := messageClasses(ctx, u.n)
	if err != nil {
		return nil, Proposal{}, err
	}
	c := &classing{search: u, tags: tags, effort: u.opt.Effort}
	for _, class := range all {
		c.names = append(c.names, u.n.Classes()[class])
	}
	switch deadlock := u.before.Of(spec.DeadlockFreedom.String()); {
	case all == nil:
		return nil, Proposal{
			Because: findings.Say(findings.ClassesUnknown),
		}, nil
	case len(all) == 1:
		return nil, Proposal{
			Verdict: deadlock.Verdict,
			Because: findings.Say(findings.OneMessageClass),
		}, nil
	case len(all) > sharing.Most:
		return nil, Proposal{
			Because: findings.Say(findings.TooManyClasses{Classes: len(all), Most: sharing.Most}),
		}, nil
	}
	c.messages, err = sharing.NewTable(u.n, tags)
	return c, Proposal{}, err
}

// messageClasses returns the classes of the messages that are sent, and which tags are of which; nil if the network
// does not tell.
func messageClasses(ctx context.Context, n *spec.Network) (all []spec.Class, tags []sharing.Tags, err error) {
	replies, topo := routing.HasReplies(n), n.Topology()
	of := make([][]int, len(n.Classes())) // by class and tag: the class of the message + 1
	for c := range of {
		of[c] = make([]int, n.Tags())
	}
	seen := make([]bool, len(n.Classes()))
	var scratch spec.Table
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		t := n.TableIn(&scratch, i)
		for k, c := range t.Channels {
			at := &of[t.Class][t.Tag(k)]
			if l := topo.Link(topo.LinkOf(c)); *at > 0 || l.From == l.To {
				continue
			}
			class, known := t.Class, !replies
			if replies {
				class, known = n.MessageClass(t.Site(k))
			}
			if !known || int(class) >= len(seen) {
				return nil, nil, nil
			}
			*at, seen[class] = int(class)+1, true
		}
	}
	number := make([]int, len(seen))
	for class, is := range seen {
		if number[class] = len(all); is {
			all = append(all, spec.Class(class))
		}
	}
	for class, list := range of {
		for tag, message := range list {
			if message == 0 {
				continue
			}
			x := sharing.Tags{
				Class: spec.Class(class), First: spec.Tag(tag), Last: spec.Tag(tag), Message: number[message-1],
			}
			if last := len(tags) - 1; last >= 0 && tags[last].Class == x.Class && int(tags[last].Last)+1 == tag &&
				tags[last].Message == x.Message {
				tags[last].Last = x.Last
			} else {
				tags = append(tags, x)
			}
		}
	}
	return all, tags, nil
}

// fewest returns a way with the fewest sets that is free, and nil if none is found, with the reason if there may be
// one.
func (c *classing) fewest(ctx context.Context) (of []int, open words.Sentence, err error) {
	k, tried := len(c.names), map[string]spec.Verdict{}
	try := func(way []int) (v spec.Verdict, err error) {
		key := fmt.Sprint(way)
		v, known := tried[key]
		if !known {
			if v, err = c.decide(ctx, way); err == nil {
				tried[key] = v
			}
		}
		return v, err
	}
	alone := make([]int, k) // each class has its own set
	for i := range alone {
		alone[i] = i
	}
	if _, err := try(alone); err != nil {
		return nil, words.Sentence{}, err
	}
	for a := range k {
		for b := range a {
			if _, err := try(pairShares(k, b, a)); err != nil {
				return nil, words.Sentence{}, err
			}
		}
	}
	for sets := 1; sets <= k; sets++ {
		all := true
		for way := range sharing.All(k, sets) {
			if slices.Max(way)+1 < sets {
				continue
			}
			if ctx.Err() != nil {
				return nil, ended(ctx), nil
			}
			v, err := try(way)
			switch {
			case err != nil:
				return nil, words.Sentence{}, err
			case v == spec.Holds:
				return way, open, nil
			case v == spec.Unknown:
				all, open = false, findings.Say(findings.SharesOpen)
			}
		}
		if all && open.IsZero() {
			c.refuted = sets
		}
	}
	return nil, open, nil
}

// pairShares returns the way in which two classes share a set, and all others have their own.
func pairShares(classes, a, b int) []int {
	way := make([]int, classes)
	for i, next := 0, 0; i < classes; i++ {
		if way[i] = next; i == b {
			way[i] = way[a]
		} else {
			next++
		}
	}
	return way
}

// decide decides one way, and keeps its trace if no other leads there.
func (c *classing) decide(ctx context.Context, way []int) (spec.Verdict, error) {
	if c.effort -= int64(1 + c.n.SiteCount()); c.effort < 0 {
		return spec.Unknown, nil
	}
	of, err := sharing.Separate(ctx, c.n, c.messages, way)
	if err != nil {
		return spec.Unknown, err
	}
	for i, s := range c.cases {
		if sharing.Coarser(s.Sets, way) &&
			evidence.Deadlocks(ctx, of.Network, evidence.Translated(s.Trace, c.own[i], of)) == nil {
			return spec.Violated, nil
		}
	}
	deadlock := spec.DeadlockFreedom.String()
	r, err := checker.Check(ctx, of.Network, checker.Question{
		Properties: []string{deadlock},
		Workers:    c.opt.Workers,
		Explore:    checker.Never,
	})
	if err != nil {
		return spec.Unknown, err
	}
	f := r.Of(deadlock)
	if t := f.Trace(); f.Verdict == spec.Violated && t != nil {
		c.cases, c.own = append(c.cases, evidence.Shared{Sets: way, Trace: t}), append(c.own, of)
	} else if f.Verdict == spec.Violated {
		return spec.Unknown, nil
	}
	return f.Verdict, nil
}

// deadlockingPairs lists the pairs that deadlock though all other classes are apart.
func (c *classing) deadlockingPairs() (pairs [][2]string) {
	for a := range c.names {
		for b := range a {
			if slices.ContainsFunc(c.cases, func(s evidence.Shared) bool {
				return slices.Equal(s.Sets, pairShares(len(c.names), b, a))
			}) {
				pairs = append(pairs, [2]string{c.names[b], c.names[a]})
			}
		}
	}
	return pairs
}

// evidence shows that the sets that were tried do not suffice; nil if that is too large.
func (c *classing) evidence(ctx context.Context) (*evidence.Sharing, error) {
	e := &evidence.Sharing{Network: c.n, Of: c.n.Digest(), Sets: c.refuted, Tags: c.tags, Cases: c.cases}
	err := e.Verify(ctx, evidence.Options{})
	if tooLarge := new(spec.BoundError); ctx.Err() != nil || errors.As(err, &tooLarge) {
		return nil, nil
	}
	return e, err
}

// certified certifies the network with the sets.
func (c *classing) certified(ctx context.Context, of []int) (Proposal, error) {
	s, err := sharing.Separate(ctx, c.n, c.messages, of)
	if err != nil {
		return Proposal{}, err
	}
	sets, old, now := slices.Max(of)+1, c.n.Topology(), s.Network.Topology()
	out, added := Proposal{Unit: setOfVCs, Cost: sets}, 0
	var patch []findings.Fact
	for set := range sets {
		var names []string
		for i, name := range c.names {
			if of[i] == set {
				names = append(names, name)
			}
		}
		patch = append(patch, findings.SetFor{Set: set + 1, Classes: names})
	}
	patch = append(patch, findings.VCsBySet)
	for l := range spec.LinkID(old.Links()) {
		if before, after := old.Link(l).VCs, now.Link(l).VCs; before != after {
			patch = append(patch, findings.GiveVCs{Link: old.LinkName(l), VCs: after, Before: before})
			added += after - before
		}
	}
	out.Patch = findings.Each(patch...)
	out.Because = findings.Say(findings.ClassesShare{Sets: sets, Classes: len(c.names), Channels: added})
	return c.certify(ctx, out, routing.FromNetwork(s.Network))
}
