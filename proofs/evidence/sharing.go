package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Sharing shows that a network can deadlock however its message classes share a number of sets of VCs.
type Sharing struct {
	Network *spec.Network

	Of    spec.Digest    // of the network
	Sets  int            // at most so many sets
	Tags  []sharing.Tags // which packets are of which message class
	Cases []Shared       // in any order; each may serve for several ways to share
}

// Shared is a way in which the message classes share sets, and a trace to a deadlock of the network that has them.
type Shared struct {
	Sets  []int // by message class, see [sharing.All]
	Trace *counterexamples.Trace
}

// Kind returns "sharing".
func (e Sharing) Kind() string { return "sharing" }

// Shown returns that no repair by classes costs at most Sets sets.
func (e Sharing) Shown() Shown {
	return Shown{
		Property: fmt.Sprintf("no repair by classes that costs at most %d", e.Sets), Verdict: spec.Holds,
		By: words.Plural(len(e.Cases), "trace"),
	}
}

// mostSites bounds, over all ways in which classes share, the sites of the networks that a check makes.
const mostSites = 1 << 28

// Verify checks the evidence. Soundness: for each way in which the message classes share at most so many sets, the
// network whose classes have these sets is made ([sharing.Separate]), and a trace is replayed there with the
// reference step, from the empty network to a deadlock. It is a trace of the evidence, in the channels of this
// network: if it does not lead to a deadlock there, the way is open and the evidence refused. Each trace leads to one
// in its own network, too. Not covered: classes that choose among sets on the way, and that the tags stand for the
// classes that somebody has in mind; what is checked of them is that a packet keeps its message class except in
// request buffers.
func (e Sharing) Verify(ctx context.Context, _ Options) error {
	messages, err := sharing.NewTable(e.Network, e.Tags)
	switch {
	case err != nil:
		return err
	case e.Of != e.Network.Digest():
		return fmt.Errorf("it is for another network: %s, not %s", e.Of, e.Network.Digest())
	}
	classes := 0
	for _, x := range e.Tags {
		classes = max(classes, x.Message+1)
	}
	if e.Sets < 1 || e.Sets > classes {
		return fmt.Errorf("%d sets for %d message classes: want 1 to %d", e.Sets, classes, classes)
	}
	own, sites := make([]*sharing.Separated, len(e.Cases)), 0
	large := func() bool { sites += 1 + e.Network.SiteCount(); return sites > mostSites }
	bound := &spec.BoundError{What: "sites of networks whose classes share sets", Limit: mostSites}
	for i, s := range e.Cases {
		if large() {
			return bound
		}
		if err = sharing.CheckSets(s.Sets); err == nil && len(s.Sets) != classes {
			err = fmt.Errorf("sets of %d message classes: want %d", len(s.Sets), classes)
		}
		if err == nil {
			own[i], err = sharing.Separate(ctx, e.Network, messages, s.Sets)
		}
		if err == nil {
			err = Deadlocks(ctx, own[i].Network, s.Trace)
		}
		if err != nil {
			return fmt.Errorf("case %d: %w", i+1, err)
		}
	}
	for way := range sharing.All(classes, e.Sets) {
		if large() {
			return bound
		}
		of, err := sharing.Separate(ctx, e.Network, messages, way)
		if err != nil {
			return err
		}
		covered := false
		for i := 0; i < len(e.Cases) && !covered; i++ {
			covered = sharing.Coarser(e.Cases[i].Sets, way) &&
				Deadlocks(ctx, of.Network, Translated(e.Cases[i].Trace, own[i], of)) == nil
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !covered:
			return fmt.Errorf("no trace leads to a deadlock where the message classes have sets %v", way)
		}
	}
	return nil
}

// Deadlocks replays a trace, which must lead to a deadlock of the network as it is defined.
func Deadlocks(ctx context.Context, n *spec.Network, t *counterexamples.Trace) error {
	e := Trace{n, t}
	if t.Property != spec.DeadlockFreedom {
		return fmt.Errorf("a trace about %s: want %s", t.Property, spec.DeadlockFreedom)
	}
	if err := e.Shown().AsDefined(n.Switching()); err != nil {
		return err
	}
	return e.Verify(ctx, Options{})
}

// Translated returns a trace of one network in the channels of another one, whose classes share more.
func Translated(t *counterexamples.Trace, from, to *sharing.Separated) *counterexamples.Trace {
	at := func(c spec.ChannelID) spec.ChannelID { return from.Channel(c, to) }
	now := *t
	now.Network, now.Moves, now.Stuck = to.Network.Digest(), slices.Clone(t.Moves), nil
	for i := range now.Moves {
		m := &now.Moves[i]
		m.From, m.Hop.Channel = at(m.From), at(m.Hop.Channel)
	}
	for _, c := range t.Stuck {
		now.Stuck = append(now.Stuck, at(c))
	}
	slices.Sort(now.Stuck)
	now.Stuck = slices.Compact(now.Stuck)
	return &now
}

// The written form of sharing is
//
//	unknot-sharing 1
//	network DIGEST
//	sets NUMBER                    at most so many
//	tags CLASS FIRST LAST MESSAGE  packets of this class with these tags are of this message class
//	case SET ...                   by message class, the number of its set
//	end
//
// and then for each case its trace, as traces are written, without comments.
const sharingLine = "unknot-sharing 1"

// readSharing reads the written form. Errors are *spec.PosError with the given file name.
func readSharing(file string, n *spec.Network, text []byte) (Evidence, error) {
	e, line := Sharing{Network: n}, 0
	if i := bytes.IndexByte(text, '#'); i >= 0 {
		return nil, &spec.PosError{
			File: file, Line: 1 + bytes.Count(text[:i], []byte("\n")), Col: i - bytes.LastIndexByte(text[:i], '\n'),
			Msg: "a comment: want none here",
		}
	}
	part := func() (some []byte) { // the lines up to the next end
		const end = "\nend\n"
		if i := bytes.Index(text, []byte(end)); i >= 0 {
			some, text = text[:i+len(end)], text[i+len(end):]
			return some
		}
		some, text = text, nil
		return some
	}
	some := part()
	l := lines.New(file, bytes.NewReader(some), sharingLine)
	e.Of = l.Network()
	e.Sets = l.Numbers("sets", 1)[0]
	for l.Err() == nil && strings.HasPrefix(l.Peek(), "tags ") {
		w := l.Words("tags", 4)
		e.Tags = append(e.Tags, sharing.Tags{
			Class: spec.Class(l.Number(w[0], 0, math.MaxUint16)), First: spec.Tag(l.Number(w[1], 0, math.MaxUint16)),
			Last: spec.Tag(l.Number(w[2], 0, math.MaxUint16)), Message: l.Number(w[3], 0, sharing.Most-1),
		})
	}
	for l.Err() == nil && l.Peek() != "end" {
		e.Cases = append(e.Cases, Shared{Sets: l.Integers(l.Words("case", -1))})
	}
	if len(e.Cases) == 0 {
		l.Fail("want \"case SET ...\" here")
	}
	if _, err := lines.End(l, &e); err != nil {
		return nil, err
	}
	for i := range e.Cases {
		line += bytes.Count(some, []byte("\n"))
		if some = part(); i == len(e.Cases)-1 {
			some = append(slices.Clip(some), text...) // whatever follows is refused
		}
		var err error
		if e.Cases[i].Trace, err = counterexamples.Read(file, bytes.NewReader(some)); err != nil {
			if at := new(spec.PosError); errors.As(err, &at) {
				at.Line += line
			}
			return nil, err
		}
	}
	return e, nil
}
