package evidence_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// judged is a subject of evidence: a machine, or a network with one way to run it.
type judged struct {
	*evidence.Subject
	traffic *states.Traffic   // of a network
	texts   []found           // about it, right ones and lies
	spaces  map[string]*space // what is true of the subject's machines, by their names
}

// found is a text of evidence.
type found struct{ kind, text string }

func written(t testing.TB, kind string, write func(io.Writer) error) found {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return found{kind, b.String()}
}

// mostStates bounds the spaces that are searched here.
const mostStates = 600

// networks are rings that tie a knot, lines that tie none, rings in which packets for
// node 0 go wrong in each possible way, under every switching; and networks that are
// free because worms share no channel.
func networks(t testing.TB) []*spec.Network {
	t.Helper()
	var all []*spec.Network
	for _, name := range []string{"ring", "line", "dead end", "misdelivery", "unrouted", "loop", "trap"} {
		topo := spec.NewTopology()
		for range 3 {
			topo.AddNode("")
		}
		links, vcs := spec.NodeID(3), 1
		if name == "line" {
			links, vcs = 2, 2
		}
		for v := range links {
			topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: vcs})
		}
		def := routing.Definition{Name: name, Topology: topo,
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return name != "line" || src < dst },
			Routing: routing.Named(name, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				v := topo.Head(at)
				switch last := h.Dest == 0 && v == 2; {
				case name == "unrouted" && last && at.IsInjection(), name == "dead end" && last && !at.IsInjection():
					return dst
				case name == "misdelivery" && last && !at.IsInjection():
					dst = append(dst, spec.Hop{Channel: spec.Eject}) // or on, and home
				case v == h.Dest && (name != "trap" || v > 0):
					dst = append(dst, spec.Hop{Channel: spec.Eject})
					if name != "loop" || v > 0 {
						return dst
					}
				}
				for vc := range vcs {
					dst = append(dst, spec.Hop{Channel: spec.ChannelID(int(v)*vcs + vc)})
				}
				return dst
			}))}
		for _, s := range []struct {
			switching spec.Switching
			buffer    int
		}{{spec.StoreAndForward, 1}, {spec.VirtualCutThrough, 2}, {spec.Wormhole, 1}, {spec.Wormhole, 2}} {
			def.Switching, def.Buffer = s.switching, s.buffer
			n := routingtest.Compile(t, def)
			all = append(all, n)
		}
	}
	for _, def := range []routing.Definition{gadget.Pigeonholes(2, 1), gadget.Pigeonholes(3, 2)} {
		n := routingtest.Compile(t, def)
		all = append(all, n)
	}
	return all
}

// scenarios are all ways to run a network of three nodes: under each switching those
// that go together, each once.
func scenarios(n *spec.Network) []*states.Traffic {
	flow := spec.Flow{Source: 0, Target: spec.Target{Dest: 2}}
	var all []*states.Traffic
	for _, length := range []int{0, 2, spec.AnyLength} {
		for _, flags := range []spec.Scenario{{}, {Elastic: true}, {Shared: true}, {Elastic: true, Shared: true}, {Bubble: 2}} {
			for _, sink := range []int{0, 1} {
				for _, bound := range []spec.Scenario{{}, {Packets: 3}, {Once: []spec.Flow{flow, flow}}} {
					sc := spec.Scenario{Length: length, Elastic: flags.Elastic, Shared: flags.Shared,
						Bubble: flags.Bubble, Sink: sink, Packets: bound.Packets, Once: bound.Once}
					t, err := states.NewTraffic(n, sc)
					if err == nil && !slices.ContainsFunc(all, func(u *states.Traffic) bool { return u.Name() == t.Name() }) {
						all = append(all, t)
					}
				}
			}
		}
	}
	return all
}

// asMachine is a network's traffic as any other machine, each of whose responses is a
// question of its own.
type asMachine struct{ *states.Traffic }

// everySubject returns the networks under all scenarios, the networks that go wrong
// under one, and machines: one that toggles, and drawn ones.
func everySubject(t testing.TB) []*judged {
	t.Helper()
	var all []*judged
	const working = 2 * 4 // rings and lines
	for i, n := range networks(t) {
		ways := scenarios(n)
		if i >= working {
			ways = ways[:1]
		}
		for _, w := range ways {
			all = append(all, &judged{Subject: evidence.OfNetwork(n), traffic: w, spaces: map[string]*space{}})
		}
	}
	_, machine := subjects(t)
	all = append(all, &judged{Subject: machine, spaces: map[string]*space{}})
	drawn := rapid.Custom(func(rt *rapid.T) *program.Program { return netgen.Program(rt, true) })
	for seed := range 60 {
		if s, err := evidence.OfProgram(drawn.Example(seed)); err == nil {
			all = append(all, &judged{Subject: s, spaces: map[string]*space{}})
		}
	}
	return all
}

// evidence returns what the engines emit, of every kind.
func (s *judged) evidence(t testing.TB) (all []found) {
	t.Helper()
	add := func(r *checker.Result, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			e := r.Findings[i].Evidence
			if _, one := e.(evidence.Ranking); e == nil || one && s.Network != nil { // all of a network's are in one file
				continue
			}
			all = append(all, written(t, e.Kind(), func(w io.Writer) error { return write.Evidence(w, e) }))
		}
	}
	explore := func(m states.Machine, closed int, properties ...string) {
		add(checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: closed == 0,
			Closed: closed, Workers: 1, MaxStates: mostStates, Properties: properties}))
	}
	m := s.Machine
	if s.Network != nil {
		m = s.traffic
		add(checker.Check(t.Context(), s.Network, checker.Question{Workers: 1}))
		explore(asMachine{s.traffic}, 0, s.traffic.Claims().Responses[0].Name)
	}
	explore(m, 0)
	explore(m, -1) // counts in place of sets
	return all
}

// stuckLine is the line of a trace before that of its notion.
var stuckLine = regexp.MustCompile(`(?m)^stuck.*$`)

// TestEngines: what the engines emit is accepted, and true by plain search; and what is
// accepted after a few edits is true, too. Lies are refused.
func TestEngines(t *testing.T) {
	kinds, lies, notions, edits := map[string]int{}, map[string]int{}, map[string]int{}, rand.New(rand.NewPCG(1, 1))
	for i, s := range everySubject(t) {
		if !seedtest.Sampled(i, 6) {
			continue
		}
		for _, e := range s.evidence(t) {
			kinds[e.kind]++
			if err := s.check(t, e.text); err != nil {
				t.Errorf("%v:\n%s", err, e.text)
			}
			for _, notion := range []string{"weak", "global"} { // true or not
				claimed := stuckLine.ReplaceAllString(e.text, "$0\nnotion "+notion)
				if claimed != e.text && s.check(t, claimed) == nil {
					notions[notion]++
				}
			}
			_ = s.check(t, edited(e.text, binary.BigEndian.AppendUint64(nil, edits.Uint64())))
		}
		for _, lie := range s.lies(t) {
			lies[lie.kind]++
			if s.check(t, lie.text) == nil {
				t.Errorf("accepted:\n%s", lie.text)
			}
		}
	}
	t.Log(kinds, lies, notions)
	if !seedtest.Whole() {
		return // a sample has fewer of each
	}
	for kind, least := range map[string]int{"certificate": 200, "trace": 100, "closed-set": 100, "counts": 100,
		"ranking": 50, "machine-trace": 50, "unsatisfiability-proof": 2} {
		if kinds[kind] < least {
			t.Errorf("%d of the kind %s: want at least %d", kinds[kind], kind, least)
		}
	}
	if w, g := notions["weak"], notions["global"]; w < 50 || g < 50 {
		t.Errorf("%d traces to weak deadlocks and %d to global ones: want at least 50 each", w, g)
	}
	for kind, least := range map[string]int{"rankings": 50, "closed-set of an invariant": 50,
		"counts of an invariant": 50, "ranking of an invariant": 20, "run of an invariant": 50,
		"unsatisfiability-proof": 2} {
		if lies[kind] < least {
			t.Errorf("%d lies of the kind %s: want at least %d", lies[kind], kind, least)
		}
	}
}
