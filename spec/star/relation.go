package star

import (
	"context"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// relation evaluates the file's route function, once for each input.
type relation struct {
	ctx      context.Context
	file     string
	steps    uint64 // of one call
	nodes    []*node
	classes  []string
	links    []*link
	t        *spec.Topology
	route    *starlark.Function
	tags     int         // with sources: tag = number of the source * tags + the file's own; otherwise 0
	callPool sync.Pool   // of *routeCall
	memo     memo        // of plain evaluations
	places   places      // of hops
	refused  sync.Map    // by Site: the error of flows, for an injection
	refuses  atomic.Bool // there are any

	facts        func() *facts
	calls        *calls
	routes       decisionTree
	senders      decisionTree
	injections   injections
	concreteOnly bool // without symbolic values, for tests
	ownTags      int  // that the file declares
}

// injections says how route is evaluated for injections.
type injections struct {
	fewRuns, runsPerNode      int64        // fewRuns and mostRunsPerNode, except in tests
	symbolicRuns, identifying atomic.Int64 // runs with a symbolic value for the node, and those of them that identify it
	runs, answered            atomic.Int64 // runs with the node itself, and answers already known
	futile                    atomic.Int64 // runs with the node itself that serve one target alone, or none
	once                      sync.Once
	trees                     []decisionTree // by node
	futileFor                 []atomic.Int32 // futile, by target
}

// inputAt returns all that route can read at a site.
func (r *relation) inputAt(s spec.Site) input {
	at := int64(r.t.Head(s.Channel))
	q := input{ofNode: at, ofDest: int64(s.Header.Dest), ofLink: -1, ofTag: int64(s.Header.Tag), ofClass: int64(s.Header.Class)}
	if r.tags > 0 {
		q[ofSource], q[ofTag] = at, q[ofTag]%int64(r.tags)
	}
	if !s.Channel.IsInjection() {
		q[ofLink], q[ofVC], q[ofChannel] = int64(r.t.LinkOf(s.Channel)), int64(r.t.VC(s.Channel)), int64(s.Channel)
		if r.tags > 0 {
			q[ofSource] = int64(s.Header.Tag) / int64(r.tags)
		}
	}
	return q
}

// hopOf returns the hop for an input; ok is false if the file may not permit it
// there.
func (r *relation) hopOf(h *hopTerms, q *input) (spec.Hop, bool) {
	l, vc, tag := r.links[h.link.evaluate(q)], h.vc.evaluate(q), h.tag.evaluate(q)
	ok := int64(l.src.id) == q[ofNode] && 0 <= vc && vc < int64(l.vcs) && 0 <= tag && tag < int64(r.ownTags)
	return spec.Hop{Channel: l.first + spec.ChannelID(vc), Tag: spec.Tag(tag + q[ofSource]*int64(r.tags))}, ok
}

func (r *relation) hopsOf(dst []spec.Hop, a *answer, q *input) ([]spec.Hop, bool) {
	for i := range a.hops {
		h, ok := r.hopOf(&a.hops[i], q)
		if !ok {
			return nil, false
		}
		dst = append(dst, h)
	}
	for i := range a.made {
		if _, ok := r.hopOf(&a.made[i], q); !ok {
			return nil, false
		}
	}
	return dst, true
}
