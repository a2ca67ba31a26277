package checker_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// saved explores a few states of a machine and returns the checkpoint.
func saved(t rapid.TB, m states.Machine, opt checker.Question, file string) {
	t.Helper()
	opt.Save, opt.MaxStates = file, 2
	if x := explore(t, m, opt); x.Unsaved != nil {
		t.Fatal(x.Unsaved)
	}
}

// refusal resumes a checkpoint; it returns why it was refused, or "" if it was not.
func refusal(t rapid.TB, m states.Machine, opt checker.Question, file string) string {
	t.Helper()
	opt.Resume, opt.Save, opt.MaxStates = file, file+".next", 2
	_, err := checker.Explore(context.Background(), m, opt)
	if err == nil {
		return ""
	}
	var refused *checker.CheckpointError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("resuming: %v, want a refusal in one line", err)
	}
	return refused.Msg
}

func ringOf(t rapid.TB, set map[string]string) *spec.Network {
	t.Helper()
	e, _ := models.Find("ring")
	return routingtest.Network(t)(e.Define(set))
}

// TestOptionsOfCheckpoints: every option of an exploration either is a budget, which may change
// on resuming, or belongs to the question, which may not.
func TestOptionsOfCheckpoints(t *testing.T) {
	asked := map[string]struct {
		change checker.Question
		want   string
	}{
		"Slice":        {checker.Question{Slice: true}, "slicing"}, // of a program
		"Notion":       {checker.Question{Notion: checker.Weak}, "notion of deadlock"},
		"Explore":      {checker.Question{Explore: checker.Whole}, "whole space"},
		"Liveness":     {checker.Question{Liveness: true}, "liveness"},
		"Properties":   {checker.Question{Properties: []string{"deadlock-freedom"}}, "properties"},
		"Compact":      {checker.Question{Compact: true}, "compact storage"},
		"NoSample":     {checker.Question{NoSample: true}, "reductions without a sample"},
		"Symmetry":     {checker.Question{Symmetry: true}, "symmetry"},
		"PartialOrder": {checker.Question{PartialOrder: true, Properties: []string{"deadlock-freedom"}}, "partial-order reduction"},
	}
	budgets := map[string]checker.Question{
		"Workers": {Workers: 2}, "Memory": {Memory: 1 << 30}, "MaxStates": {}, "Closed": {Closed: -1}, "Every": {Every: time.Hour},
		"Exploring": {Exploring: func(states.Progress) {}}, "Progress": {Progress: func(routing.Progress) {}},
		"Save": {}, "Saves": {Saves: new(sync.Mutex)}, "Resume": {},
		"Disk": {}, "Cluster": {}, "Coverage": {Coverage: true}, // counted at the end, over all states
		"Scenario": {}, "Smallest": {}, // a machine has none: see TestQuestionsRefused
	}
	ring := trafficOf(t, ringOf(t, map[string]string{"n": "3"}), spec.Scenario{})
	e, _ := models.Find("peterson")
	rules, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ofRing, ofRules := filepath.Join(dir, "ring"), filepath.Join(dir, "rules")
	saved(t, ring, checker.Question{}, ofRing)
	saved(t, rules, checker.Question{}, ofRules)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[checker.Question]()) {
		var m states.Machine = ring
		plain := ofRing
		if f.Name == "Slice" {
			m, plain = rules, ofRules
		}
		if opt, ok := budgets[f.Name]; ok {
			if why := refusal(t, m, opt, plain); why != "" {
				t.Errorf("%s is a budget, but a checkpoint with another one is refused: %s", f.Name, why)
			}
			continue
		}
		tt, ok := asked[f.Name]
		if !ok {
			t.Errorf("%s: say whether a checkpoint with another value can be resumed", f.Name)
			continue
		}
		if why := refusal(t, m, tt.change, plain); !strings.Contains(why, "another question ("+tt.want+")") {
			t.Errorf("another %s: refused with %q, want %q", f.Name, why, tt.want)
		}
		changed := filepath.Join(dir, f.Name)
		saved(t, m, tt.change, changed)
		if why := refusal(t, m, checker.Question{}, changed); why == "" {
			t.Errorf("a checkpoint with %s is resumed without it", f.Name)
		}
	}
}

// TestScenariosOfCheckpoints: every field of a scenario belongs to the machine.
func TestScenariosOfCheckpoints(t *testing.T) {
	change := map[string]spec.Scenario{
		"Length": {Length: 3}, "Elastic": {Length: 2, Elastic: true}, "Shared": {Length: 2, Shared: true}, "Bubble": {Bubble: 2}, "Sink": {Sink: 1},
		"Packets": {Packets: 2}, "Once": {Once: []spec.Flow{{Source: 0, Target: spec.Target{Dest: 1}}}},
	}
	worms, whole := ringOf(t, map[string]string{"n": "3"}), ringOf(t, map[string]string{"n": "3"})
	def := routing.FromNetwork(worms)
	def.Switching = spec.Wormhole
	worms, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	def = routing.FromNetwork(whole)
	def.Switching, def.Buffer = spec.StoreAndForward, 2 // room for a bubble
	if whole, err = routing.Compile(t.Context(), def, routing.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	saved(t, trafficOf(t, whole, spec.Scenario{}), checker.Question{}, filepath.Join(dir, "whole"))
	saved(t, trafficOf(t, worms, spec.Scenario{Length: 2}), checker.Question{}, filepath.Join(dir, "worms"))
	for _, f := range reflect.VisibleFields(reflect.TypeFor[spec.Scenario]()) {
		sc, ok := change[f.Name]
		if !ok {
			t.Errorf("%s: say which scenario differs in it", f.Name)
			continue
		}
		n, file := whole, "whole"
		if sc.Flits() {
			n, file = worms, "worms"
		}
		if why := refusal(t, trafficOf(t, n, sc), checker.Question{}, filepath.Join(dir, file)); !strings.Contains(why, "another machine") {
			t.Errorf("another %s: refused with %q", f.Name, why)
		}
	}
}

const edited = `network(name = "line", switching = "saf")
n = [node("v%d" % i) for i in range(3)]
for i in range(2):
    both(n[i], n[i + 1], out = "R", back = "L")
def route(at, to):
    return [hop(at.node.port("R" if int(to.name[1:]) > int(at.node.name[1:]) else "L"))]
`

const editedProgram = `{"format":"unknot-program-1","name":"p","variables":[{"name":"x","values":["0","1","2"],"initial":0}],
"rules":[{"name":"up","guard":["<","x",2],"do":[["set","x",["+","x",1]]]},{"name":"down","guard":["=","x",2],"do":[["set","x",0]]}],
"invariants":[{"name":"small","holds":["<=","x",2]}]}`

// TestEditedInput: between saving and resuming one byte of the input changes, anywhere, in any
// kind of input: it is refused, unless the meaning of the input is
// the same.
func TestEditedInput(t *testing.T) {
	traffic := func(n *spec.Network, err error) (states.Machine, string) {
		if err != nil {
			return nil, ""
		}
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			return nil, ""
		}
		var closed bytes.Buffer
		if err := spec.WriteClosed(&closed, n); err != nil {
			t.Fatal(err)
		}
		return m, closed.String()
	}
	ofStar := func(text []byte) (states.Machine, string) {
		f, err := star.Load(t.Context(), "n.star", text, star.Options{})
		if err != nil {
			return nil, ""
		}
		return traffic(routing.Compile(t.Context(), f.Definition, routing.CompileOptions{}))
	}
	_, closed := ofStar([]byte(edited))
	for _, kind := range []struct {
		name, text string
		read       func([]byte) (m states.Machine, meaning string)
	}{
		{"Starlark", edited, ofStar},
		{"closed network", closed, func(text []byte) (states.Machine, string) {
			return traffic(spec.ReadClosed(t.Context(), "n.json", text))
		}},
		{"closed program", editedProgram, func(text []byte) (states.Machine, string) {
			p, err := program.ReadClosed("p.json", text)
			if err != nil {
				return nil, ""
			}
			m, err := p.Machine()
			if err != nil {
				return nil, ""
			}
			var closed bytes.Buffer
			if err := program.WriteClosed(&closed, p); err != nil {
				t.Fatal(err)
			}
			return m, closed.String()
		}},
	} {
		file := filepath.Join(t.TempDir(), "checkpoint")
		m, meaning := kind.read([]byte(kind.text))
		if m == nil {
			t.Fatalf("%s cannot be read", kind.name)
		}
		saved(t, m, checker.Question{Explore: checker.Whole}, file)
		edits := 0
		for at := range kind.text {
			for _, b := range []byte{'0', '1', 'x', '>'} {
				text := []byte(kind.text)
				text[at] = b
				m, other := kind.read(text)
				if m == nil || other == meaning {
					continue
				}
				edits++
				if why := refusal(t, m, checker.Question{Explore: checker.Whole},
					file); !strings.Contains(why, "another machine") && !strings.Contains(why, "(properties)") {
					t.Errorf("%s with %q in place of byte %d: refused with %q", kind.name, b, at, why)
				}
			}
		}
		if edits < 20 {
			t.Errorf("%s: only %d edits changed the meaning", kind.name, edits)
		}
	}
}

// TestOnlyItsOwnCheckpoint: what was saved for a drawn machine and question is resumed for
// these, and refused for any other.
func TestOnlyItsOwnCheckpoint(t *testing.T) {
	dir := t.TempDir()
	seedtest.Sample(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		type exploration struct {
			m   states.Machine
			opt checker.Question
		}
		draw := func(like *exploration) exploration {
			var x exploration
			if like != nil && rapid.Bool().Draw(t, "the same machine") {
				x.m = like.m
			} else {
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					n := netgen.Network(t, netgen.Options{Nodes: 3, Channels: 4}, spec.StoreAndForward)
					x.m = trafficOf(t, n, spec.Scenario{Packets: rapid.IntRange(0, 2).Draw(t, "packets")})
				case 1:
					x.m = trafficOf(t, ringOf(t, nil), spec.Scenario{Sink: rapid.IntRange(0, 2).Draw(t, "sink")})
				case 2:
					e, _ := models.Find(rapid.SampledFrom([]string{"peterson", "selection-clock", "barrier"}).Draw(t, "model"))
					m, err := e.Machine(nil)
					if err != nil {
						t.Fatal(err)
					}
					x.m = m
				}
			}
			x.opt.Explore = rapid.SampledFrom([]checker.Exploration{checker.Auto, checker.Whole}).Draw(t, "whole")
			x.opt.Compact = rapid.Bool().Draw(t, "compact")
			_, network := x.m.(*states.Traffic)
			if network {
				x.opt.Notion = checker.Notion(rapid.IntRange(0, 2).Draw(t, "notion"))
				x.opt.Symmetry = rapid.Bool().Draw(t, "symmetry")
			}
			if rapid.Bool().Draw(t, "deadlock only") {
				x.opt.Properties = []string{"deadlock-freedom"}
			}
			return x
		}
		// same is an independent definition: machines by their names and closed forms, questions by
		// every field.
		same := func(a, b exploration) bool {
			return contentText(t, a.m) == contentText(t, b.m) && reflect.DeepEqual(a.opt, b.opt)
		}
		a := draw(nil)
		b := draw(&a)
		file := filepath.Join(dir, "checkpoint")
		saved(t, a.m, a.opt, file)
		if why := refusal(t, a.m, a.opt, file); why != "" {
			t.Fatalf("its own checkpoint is refused: %s", why)
		}
		saved(t, a.m, a.opt, file)
		if why := refusal(t, b.m, b.opt, file); (why == "") != same(a, b) {
			t.Fatalf("saved of %s %+v, resumed for %s %+v: refused with %q", a.m.Name(), a.opt, b.m.Name(), b.opt, why)
		}
	})
}

func contentText(t rapid.TB, m states.Machine) string {
	var b bytes.Buffer
	var err error
	switch m := m.(type) {
	case *states.Traffic:
		b.WriteString(m.Scenario().String())
		err = spec.WriteClosed(&b, m.Network())
	case *program.Machine:
		err = program.WriteClosed(&b, m.Program())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wrapped steps differently from the program that it embeds.
type wrapped struct{ *program.Machine }

// TestUnknownContent: what has no digest is neither saved nor resumed.
func TestUnknownContent(t *testing.T) {
	e, _ := models.Find("peterson")
	m, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	for _, opt := range []checker.Question{{Save: file}, {Resume: file}} {
		if _, err := checker.Explore(t.Context(), wrapped{m.(*program.Machine)}, opt); err == nil ||
			!strings.Contains(err.Error(), "cannot be saved or resumed") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// TestResumeSaves: an exploration that continues from a checkpoint saves to it, too, unless it
// is given another file.
func TestResumeSaves(t *testing.T) {
	m := trafficOf(t, ringOf(t, nil), spec.Scenario{})
	file := filepath.Join(t.TempDir(), "checkpoint")
	explore(t, m, checker.Question{Explore: checker.Whole, Save: file, MaxStates: 10})
	before := explore(t, m, checker.Question{Explore: checker.Whole, Resume: file, MaxStates: 60})
	after := explore(t, m, checker.Question{Explore: checker.Whole, Resume: file, MaxStates: 61})
	if before.Complete || after.Expanded < before.Expanded || before.Expanded < 2 {
		t.Errorf("went on from %d states, which had been %d", after.Expanded, before.Expanded)
	}
	// A bound below what the checkpoint holds expands nothing more.
	if held := explore(t, m, checker.Question{Explore: checker.Whole, Resume: file, MaxStates: 1}); held.Expanded < before.Expanded {
		t.Errorf("the checkpoint holds %d states expanded, want at least %d", held.Expanded, before.Expanded)
	}
}
