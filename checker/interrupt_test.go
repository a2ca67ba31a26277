package checker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// fuse is a context that ends when it is checked for the nth time. It counts how often it is
// checked and how much a machine steps in between, so that promptness is a matter of work and
// not of seconds.
type fuse struct {
	context.Context
	end   context.CancelFunc
	after int64 // checks; 0: it never ends
	looks atomic.Int64
	work  atomic.Int64 // since the last check
	most  atomic.Int64 // between two checks
}

func newFuse(t *testing.T, after int64) *fuse {
	f := &fuse{after: after}
	f.Context, f.end = context.WithCancel(t.Context())
	return f
}

func (f *fuse) Err() error {
	f.work.Store(0)
	if f.looks.Add(1) == f.after {
		f.end()
	}
	return f.Context.Err()
}

func (f *fuse) worked() { f.most.Store(max(f.most.Load(), f.work.Add(1))) }

// clock is one long run: the hours of a day, once or over and over.
type clock struct {
	layout states.Layout
	hours  uint64
	again  bool
	claims states.Claims
	f      *fuse // counts steps
}

func newClock(again bool, claims states.Claims) *clock {
	m := &clock{hours: 10_000, again: again, claims: claims}
	m.layout.Field("hour", m.hours)
	return m
}

func (m *clock) Name() string                { return "clock" }
func (m *clock) Layout() *states.Layout      { return &m.layout }
func (m *clock) Start(dst []uint64) []uint64 { return append(dst, 0) }
func (m *clock) Claims() states.Claims       { return m.claims }
func (m *clock) Action([]uint64, int) states.Action {
	m.f.worked()
	return states.Action{Name: "tick"}
}
func (m *clock) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	m.f.worked()
	switch next := s[0] + 1; {
	case next < m.hours:
		return append(dst, next), nil
	case m.again:
		return append(dst, 0), nil
	}
	return dst, nil
}

// failure is the fact that something failed.
type failure struct{ error }

func (f failure) String() string { return f.Error() }

// Whatever follows an exploration or a static decision respects its context: only a bounded
// number of steps are taken between two checks, and a bounded number of checks made after it has
// ended. It then returns unknown with a reason, or what it would have returned anyway.
func TestEveryPhaseHeedsTheContext(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one run, on one worker, for every check of the context")
	}
	const (
		mostSteps = 2_500 // some milliseconds
		mostLooks = 400   // of everything that runs concurrently; each then ends
	)
	ends := int64(3) // places at which it ends
	if seedtest.Whole() {
		ends = 12
	}
	ring := ringOf(t, map[string]string{"n": "12"})
	traced, err := checker.Check(t.Context(), ring, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	trace := traced.Of("deadlock-freedom").Trace()
	explore := func(m *clock, opt checker.Question) func(f *fuse) ([]checker.Finding, error) {
		opt.Workers, opt.Explore = 1, checker.Whole
		return func(f *fuse) ([]checker.Finding, error) {
			m.f = f
			r, err := checker.Explore(f, m, opt)
			if err != nil {
				return nil, err
			}
			return r.Findings, nil
		}
	}
	stopped := newClock(false, states.Claims{})
	stopped.f = newFuse(t, 0)
	r, err := checker.Explore(t.Context(), stopped, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	halt := r.Of("deadlock-freedom").Run()
	one := func(err error) ([]checker.Finding, error) {
		f := checker.Finding{Property: "it", Verdict: spec.Holds}
		if err != nil {
			f = checker.Finding{Property: "it", Because: words.Of(failure{err})}
		}
		return []checker.Finding{f}, nil
	}
	atLeast := func(looks int, call func(f *fuse) ([]checker.Finding, error)) func(f *fuse) ([]checker.Finding, error) {
		return func(f *fuse) ([]checker.Finding, error) {
			found, err := call(f)
			if f.after == 0 && f.looks.Load() < int64(looks) {
				t.Errorf("looked %d times: want %d", f.looks.Load(), looks)
			}
			return found, err
		}
	}
	for _, phase := range []struct {
		name string
		call func(f *fuse) ([]checker.Finding, error)
	}{
		{"trail and run of a violation", explore(newClock(false, states.Claims{}), checker.Question{})},
		{"trail of hashes", explore(newClock(false, states.Claims{}), checker.Question{Compact: true})},
		{"closed set", explore(newClock(true, states.Claims{}), checker.Question{Closed: 1 << 20})},
		{"fair cycle", explore(newClock(true, states.Claims{Responses: []states.Response{{Name: "rest",
			Pending: func([]uint64) bool { return true }}}}), checker.Question{Liveness: true})},
		{"ranking", explore(newClock(true, states.Claims{Responses: []states.Response{{Name: "midnight",
			Pending: func(s []uint64) bool { return s[0] > 0 }}}}), checker.Question{Liveness: true, Closed: 1 << 20})},
		{"replay of a run", func(f *fuse) ([]checker.Finding, error) {
			stopped.f = f
			return one(runs.Replay(f, stopped, states.Claims{}, halt))
		}},
		{"replay of a trace", atLeast(len(trace.Moves), func(f *fuse) ([]checker.Finding, error) {
			return one(counterexamples.Replay(f, ring, trace))
		})},
		{"minimising a trace", atLeast(len(trace.Moves)*len(trace.Moves), func(f *fuse) ([]checker.Finding, error) {
			_, err := explain.Minimise(f, evidence.Trace{Network: ring, Trace: trace})
			return one(err)
		})},
		{"unsatisfiability proof", func(f *fuse) ([]checker.Finding, error) {
			r, err := checker.Check(f, gadgetNetwork(t, "W2", spec.Wormhole), checker.Question{Workers: 1})
			if err != nil {
				return nil, err
			}
			return r.Findings, nil
		}},
		{"static decision", func(f *fuse) ([]checker.Finding, error) {
			r, err := checker.Check(f, ring, checker.Question{Workers: 1})
			if err != nil {
				return nil, err
			}
			return r.Findings, nil
		}},
		{"settling", func(f *fuse) ([]checker.Finding, error) {
			r, err := checker.Check(f, gadgetNetwork(t, "swap", spec.StoreAndForward), checker.Question{Workers: 1})
			if err != nil {
				return nil, err
			}
			return r.Findings, nil
		}},
		{"certificate", atLeast(ring.Tables(), func(f *fuse) ([]checker.Finding, error) {
			return one(proofs.Verify(f, ring, traced.Of("livelock-freedom").Certificate()))
		})},
	} {
		t.Run(phase.name, func(t *testing.T) {
			whole := newFuse(t, 0)
			want, err := phase.call(whole)
			if err != nil {
				t.Fatal(err)
			}
			if whole.most.Load() > mostSteps {
				t.Errorf("%d steps between two looks: want at most %d", whole.most.Load(), mostSteps)
			}
			verdict := map[string]spec.Verdict{}
			for _, f := range want {
				if verdict[f.Property] = f.Verdict; f.Verdict == spec.Unknown && phase.name != "trail of hashes" {
					t.Errorf("undisturbed, %s is unknown: %s", f.Property, f.Because)
				}
			}
			for i := range ends {
				f := newFuse(t, 1+i*whole.looks.Load()/ends)
				found, err := phase.call(f)
				if err != nil {
					t.Fatalf("ended at look %d of %d: %v", f.after, whole.looks.Load(), err)
				}
				if late := f.looks.Load() - f.after; late > mostLooks {
					t.Errorf("ended at look %d of %d: %d looks later", f.after, whole.looks.Load(), late)
				}
				for _, g := range found {
					if g.Verdict != verdict[g.Property] && (g.Verdict != spec.Unknown || g.Because.String() == "") {
						t.Errorf("ended at look %d of %d: %s: %s: %s", f.after, whole.looks.Load(), g.Property, g.Verdict, g.Because)
					}
				}
			}
		})
	}
}

// TestNoDigest: a decision whose time is up does not wait for the network's digest, which takes as
// long as a verdict: it reports that instead, and nothing about the network. A quiet machine may
// have hashed the network by then; then no verdict is made up.
func TestNoDigest(t *testing.T) {
	seedtest.InFull(t)
	e, _ := models.Find("star-channel")
	early := 0
	for i := range 2 {
		def, err := e.Define(map[string]string{"k": "32"}) // 4 million sites
		if err != nil {
			t.Fatal(err)
		}
		n := routingtest.Compile(t, def)
		up := errors.New("the time is up")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(up)
		switch r, err := checker.Check(ctx, n, checker.Question{Workers: 1 + i%2}); {
		case errors.Is(err, up):
			early++
		case err != nil:
			t.Fatal(err)
		default:
			for _, f := range r.Findings {
				if f.Verdict != spec.Unknown {
					t.Errorf("%s: %s", f.Property, f.Verdict)
				}
			}
		}
	}
	t.Logf("%d of two were not waited for", early)
}

// TestTimeEndsAnywhere: at whatever moment the time is up, even between the static decision and the
// exploration, a verdict that was to be explored either was or says that it was not.
func TestTimeEndsAnywhere(t *testing.T) {
	const a, b = spec.NodeID(0), spec.NodeID(1)
	n := lineOf(t, [][2]spec.NodeID{{a, b}}, spec.StoreAndForward, func(list []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		if at.IsInjection() {
			return append(list, spec.Hop{Channel: 0})
		}
		return append(list, spec.Hop{Channel: spec.Eject})
	})
	explored := 0
	for looks := range int64(300) {
		r, err := checker.Check(newFuse(t, 1+looks), n, checker.Question{Explore: checker.Always, Workers: 1})
		if err != nil {
			continue // it ended before anything was known
		}
		f := r.Of("deadlock-freedom")
		if r.Space != nil {
			explored++
		}
		told := slices.ContainsFunc(words.Written(f.Notes), func(note string) bool { return strings.HasPrefix(note, "exploring did not end") })
		if f.Verdict == spec.Holds && r.Space == nil && !told {
			t.Errorf("after %d looks: %s, without a word on the exploration", looks, f.Because)
		}
	}
	if explored == 0 {
		t.Error("no run had time to explore")
	}
}
