// Package repair frees a network that can deadlock, livelock or strand packets, by the
// least change. A change is made under a [Scheme]; it is proposed
// only if [checker.Decide] has found the changed network free, with evidence.
//
// No scheme disconnects a flow, and none adds a channel that its patch does not
// name. Every scheme removes hops after which the destination is out of reach, and does
// not count them: keeping one never pays.
//
// A proposal is least, see [Proposal], among the changes of one scheme that ranks of the
// channels show to be free of deadlock (the certificates rank, escape and extended-escape
// of package proofs). A set of worms that is not a deadlock only because they cannot be
// disjoint counts as a deadlock here. Under dateline and layers a proposal is least among
// the changes that leave the dependency graph of each copy acyclic, though adaptive
// routing can be free with a cycle.
package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Untie looks for the least repair of n under each scheme. The schemes share the time until the
// deadline of ctx. If ctx ends, what was found stands, with the bound known by then. Rejected evidence is a
// *checker.EvidenceError.
func Untie(ctx context.Context, n *spec.Network, opt Options) (*Result, error) {
	schemes := opt.Schemes
	if len(schemes) == 0 {
		schemes = Schemes()
	}
	for _, s := range schemes {
		if !slices.Contains(Schemes(), s) {
			return nil, fmt.Errorf("invalid scheme %q: want one of %s", s, strings.Trim(strings.ReplaceAll(fmt.Sprint(Schemes()), " ", ", "), "[]"))
		}
	}
	before, err := checker.Decide(ctx, n, checker.Options{Workers: opt.Workers, Settle: -1, Progress: opt.Progress})
	if err != nil {
		return nil, err
	}
	r := &Result{Before: before}
	if before.Verdict() == spec.Holds || n.FlowCount() == 0 || ctx.Err() != nil {
		return r, nil
	}
	if opt.Effort <= 0 {
		opt.Effort = DefaultEffort
	}
	for i, s := range schemes {
		if opt.Progress != nil {
			opt.Progress(routing.Progress{Stage: "scheme " + string(s)})
		}
		part, end := share(ctx, len(schemes)-i)
		p, err := (&untying{n, s, opt}).inTime(part)
		end()
		if err != nil {
			return nil, fmt.Errorf("untying %s by %s: %w", n.Name(), s, err)
		}
		r.Proposals = append(r.Proposals, p)
	}
	return r, nil
}

// share returns a context for the first of several searches, with an equal share of the time until the
// deadline, if any.
func share(ctx context.Context, searches int) (context.Context, context.CancelFunc) {
	end, timed := ctx.Deadline()
	if !timed {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(searches))
}

// inTime searches, and says so if the search ended early.
func (u *untying) inTime(ctx context.Context) (Proposal, error) {
	p, err := u.under(ctx)
	p.Scheme = u.scheme
	if ctx.Err() == nil {
		return p, err
	}
	if p.Verdict == spec.Unknown {
		p.Because = ended(ctx)
		if p.AtLeast > 1 {
			p.Because += ": a repair costs at least " + explain.Plural(p.AtLeast, p.Unit)
		}
	}
	return p, nil
}

// ended says why a search ended early.
func ended(ctx context.Context) string {
	var up *routing.BudgetError
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(context.Cause(ctx), &up) && up.Time > 0 {
		return "the search did not end in time"
	}
	if up != nil {
		return "the search did not end: " + up.Error()
	}
	return "the search was interrupted"
}

func (u *untying) under(ctx context.Context) (Proposal, error) {
	switch u.scheme {
	case Turns, Hops:
		return u.forbidding(ctx)
	case Dateline:
		return u.dateline(ctx)
	case HopIndex:
		return u.hopIndex(ctx)
	case Layers:
		return u.layers(ctx)
	case Escape:
		return u.escape(ctx)
	}
	return u.order(ctx)
}
