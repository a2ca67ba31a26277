package sweep_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// refusal resumes a file of results; it returns why that was refused, or "".
func refusal(t testing.TB, q *sweep.Question, text string, opt sweep.Options) string {
	t.Helper()
	p, err := q.Plan(t.Context(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Continue(t.Context(), file, opt); err != nil {
		if left, _ := os.ReadFile(file); string(left) != text {
			t.Errorf("refused (%v), but the file is another", err)
		}
		return err.Error()
	}
	return ""
}

// TestQuestionsOfResults: whatever a question depends on, results of a different question are
// neither continued nor merged.
func TestQuestionsOfResults(t *testing.T) {
	asked := sweep.Question{Content: "a", Set: map[string]string{"n": "3"}, Ranges: []sweep.Range{{Name: "variant", Values: []string{"one-way", "two-way"}}}}
	change := map[string]func(q *sweep.Question){
		"Network": func(q *sweep.Question) { q.Network = "mesh" }, "Content": func(q *sweep.Question) { q.Content = "b" },
		"Set": func(q *sweep.Question) { q.Set = map[string]string{"n": "4"} },
		"Ranges": func(q *sweep.Question) {
			q.Ranges = []sweep.Range{{Name: "variant", Values: []string{"one-way", "dateline"}}}
		},
		"Links": func(q *sweep.Question) { q.Links = 1 }, "Nodes": func(q *sweep.Question) { q.Nodes = 1 }, "Dests": func(q *sweep.Question) { q.Dests = 1 },
		"UpToSymmetry": func(q *sweep.Question) { q.UpToSymmetry = true },
		"Reroute":      func(q *sweep.Question) { q.Reroute = "variant" }, "Under": func(q *sweep.Question) { q.Under = []string{"explore=never"} },
		"Ends":       func(q *sweep.Question) { q.Ends = func(routing.Definition) []spec.NodeID { return nil } },
		"Properties": func(q *sweep.Question) { q.Properties = []spec.Property{spec.DeadlockFreedom} },
	}
	ours := run(t, of(t, "ring", asked), "", sweep.Options{Explore: checker.Never})
	for _, f := range reflect.VisibleFields(reflect.TypeFor[sweep.Question]()) {
		if f.Name == "Build" || f.Name == "Engine" {
			continue // a function: Content stands for it
		}
		tell, ok := change[f.Name]
		if !ok {
			t.Errorf("%s: say what differs in it", f.Name)
			continue
		}
		q := of(t, "ring", asked)
		tell(q)
		if why := refusal(t, q, ours, sweep.Options{Explore: checker.Never}); !strings.Contains(why,
			"holds the results of another") || strings.Contains(why, "\n") {
			t.Errorf("another %s: refused with %q", f.Name, why)
		}
		var merged bytes.Buffer
		if err := sweep.Merge(&merged, readers(ours, run(t, q, "", sweep.Options{Explore: checker.Never}))); err == nil ||
			!strings.Contains(err.Error(), "belongs to another") {
			t.Errorf("another %s: merged, %v", f.Name, err)
		}
	}
	half := run(t, of(t, "ring", asked), "", sweep.Options{Shard: 1, Shards: 2, Explore: checker.Never})
	if why := refusal(t, of(t, "ring", asked), half, sweep.Options{Shard: 2, Shards: 2,
		Explore: checker.Never}); !strings.Contains(why, "of another shard; name another file, or the folder of all shards") {
		t.Errorf("another shard: refused with %q", why)
	}
	older := strings.Replace(ours, `"unknot-sweep":3`, `"unknot-sweep":2`, 1)
	if why := refusal(t, of(t, "ring", asked), older, sweep.Options{Explore: checker.Never}); !strings.Contains(why, "another format") {
		t.Errorf("an older format: refused with %q", why)
	}
	other := strings.Replace(ours, `"unknot-sweep":3,`, `"unknot-sweep":3,"version":"v0.1.0",`, 1)
	if why := refusal(t, of(t, "ring", asked), other, sweep.Options{Explore: checker.Never}); !strings.Contains(why, "the version of unknot differs") {
		t.Errorf("another version: refused with %q", why)
	}
	for _, foreign := range []string{"my notes", "my notes\n", "{", "{}\n", "\n"} {
		if why := refusal(t, of(t, "ring", asked), foreign, sweep.Options{Explore: checker.Never}); foreign != "{" &&
			!strings.Contains(why, "not results of a sweep") {
			t.Errorf("a file with %q: refused with %q", foreign, why)
		}
	}
}

// TestOneWriter: of two runs that write one file of results the second is refused while the first
// continues, and only the file is left behind.
func TestOneWriter(t *testing.T) {
	p, err := of(t, "ring", sweep.Question{Links: 1}).Plan(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "results")
	var second error
	first := sweep.Options{Explore: checker.Never, Done: func(int, int) { _, second = p.Continue(t.Context(), file, sweep.Options{Explore: checker.Never}) }}
	results, err := p.Continue(t.Context(), file, first)
	if err != nil || len(results) != p.Cases {
		t.Errorf("%d of %d cases, %v", len(results), p.Cases, err)
	}
	if second == nil || !strings.Contains(second.Error(), "another process is writing it") {
		t.Errorf("the second run: %v", second)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
}

// TestTextTellsQuestionsApart: different questions have different texts, whatever their parameters
// are called.
func TestTextTellsQuestionsApart(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', ' ', '=', '|', '"', '\\', '<'}), 0, 4, -1)
	draw := func(t *rapid.T) sweep.Question {
		q := sweep.Question{Set: map[string]string{}, Links: rapid.IntRange(0, 1).Draw(t, "links"), Reroute: word.Draw(t, "reroute")}
		for range rapid.IntRange(0, 2).Draw(t, "set") {
			q.Set[word.Draw(t, "name")] = word.Draw(t, "value")
		}
		for range rapid.IntRange(0, 2).Draw(t, "ranges") {
			q.Ranges = append(q.Ranges, sweep.Range{Name: word.Draw(t, "name"), Values: rapid.SliceOfN(word, 1, 2).Draw(t, "values")})
		}
		return q
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t), draw(t)
		same := maps.Equal(a.Set, b.Set) && reflect.DeepEqual(a.Ranges, b.Ranges) && a.Links == b.Links && a.Reroute == b.Reroute
		if (a.Text() == b.Text()) != same {
			t.Fatalf("%+v and %+v are both %s", a, b, a.Text())
		}
	})
	// The same words in another place.
	pairs := [][2]sweep.Question{
		{{Set: map[string]string{"a": "1 b=2"}}, {Set: map[string]string{"a": "1", "b": "2"}}},
		{{Ranges: []sweep.Range{{Name: "a", Values: []string{"1"}}}}, {Set: map[string]string{"a": "1"}}},
		{{Ranges: []sweep.Range{{Name: "a", Values: []string{"1|2"}}}}, {Ranges: []sweep.Range{{Name: "a", Values: []string{"1", "2"}}}}},
		{{Ranges: []sweep.Range{{Name: "a", Values: []string{"1", ""}}}}, {Ranges: []sweep.Range{{Name: "a", Values: []string{"1"}}}}},
		{{Reroute: "a"}, {Set: map[string]string{"reroute": "a"}}},
	}
	for _, p := range pairs {
		if p[0].Text() == p[1].Text() {
			t.Errorf("%+v and %+v are both %s", p[0], p[1], p[0].Text())
		}
	}
}

// TestShardBuildsItsOwn: a shard builds the networks of its own cases, and what counting takes:
// one of 20 shards builds a twentieth.
func TestShardBuildsItsOwn(t *testing.T) {
	many := sweep.Range{Name: "n"}
	for n := 3; n < 43; n++ {
		many.Values = append(many.Values, string(rune('0'+n/10))+string(rune('0'+n%10)))
	}
	for _, tt := range []struct {
		name  string
		model string
		q     sweep.Question
		count int // of networks built to count the cases
		most  int // of cases in a shard
	}{
		{"40 sizes", "ring", sweep.Question{Ranges: []sweep.Range{many}}, 1, 2},
		{"529 failures, routed around", "graph", sweep.Question{Set: map[string]string{"graph": "torus", "n": "16",
			"routing": "up-down"}, Links: 2, Reroute: "without"}, 1, 27},
		{"40 sizes with failures", "ring", sweep.Question{Ranges: []sweep.Range{many}, Links: 1}, 40, 50},
	} {
		q := of(t, tt.model, tt.q)
		q.Properties = []spec.Property{spec.LivelockFreedom}
		var built, compiled atomic.Int32
		build := q.Build
		q.Build = func(ctx context.Context, set map[string]string) (routing.Definition, error) {
			built.Add(1)
			def, err := build(ctx, set)
			def.Routing = &asked{Relation: def.Routing, by: &compiled}
			return def, err
		}
		p, err := q.Plan(t.Context(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if built.Load() != int32(tt.count) || compiled.Load() != 0 {
			t.Errorf("%s: %d networks built and %d compiled to count the cases, want %d and 0", tt.name, built.Load(), compiled.Load(), tt.count)
		}
		var out bytes.Buffer
		if err := p.Run(t.Context(), &out, nil, sweep.Options{Shard: 7, Shards: 20, Explore: checker.Never}); err != nil {
			t.Fatal(err)
		}
		cases := int32(bytes.Count(out.Bytes(), []byte("\n")))
		if cases == 0 || cases > int32(tt.most) || built.Load() > int32(tt.count)+2*cases || compiled.Load() > cases {
			t.Errorf("%s: %d of %d cases took %d networks built, %d compiled", tt.name, cases, p.Cases, built.Load(), compiled.Load())
		}
	}
}

// asked counts once that a relation is asked: that its network is compiled.
type asked struct {
	routing.Relation
	by   *atomic.Int32
	once atomic.Bool
}

func (a *asked) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if !a.once.Swap(true) {
		a.by.Add(1)
	}
	return a.Relation.AppendHops(dst, at, h)
}

// TestRerouteTakesOut: whatever a network does with the parameter that tells it what has failed,
// no case has a failed link, and none is the intact network.
func TestRerouteTakesOut(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2})
		topo := def.Topology
		listens := rapid.Bool().Draw(rt, "listens")
		other := rapid.IntRange(0, 3).Draw(rt, "drops another cable") == 0
		cables := sweep.Cables(topo)
		q := &sweep.Question{Network: "drawn", Links: 2, Nodes: 1, Reroute: "down", Properties: []spec.Property{spec.LivelockFreedom}}
		q.Build = func(_ context.Context, set map[string]string) (routing.Definition, error) {
			var f sweep.Failures
			for _, name := range strings.Split(set["down"], ",") {
				for i, c := range cables {
					if c.Name != name || !listens {
						continue
					}
					if other {
						c = cables[(i+1)%len(cables)]
					}
					f.Cables = append(f.Cables, c)
				}
			}
			return sweep.Without(def, f), nil
		}
		p, err := q.Plan(context.Background(), 10_000)
		if err != nil {
			rt.Fatal(err)
		}
		var out bytes.Buffer
		opt := sweep.Options{Explore: checker.Never}
		if err := sweep.WriteHeader(&out, p.Header(opt)); err != nil {
			rt.Fatal(err)
		}
		if err := p.Run(context.Background(), &out, nil, opt); err != nil {
			rt.Fatal(err)
		}
		_, results, _, err := sweep.ReadResults(&out)
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range results[1:] {
			if r.Digest == results[0].Digest && (len(r.Links) > 0 || len(topo.OutLinks(nodeOf(topo, r.Nodes)))+len(topo.InLinks(nodeOf(topo, r.Nodes))) > 0) {
				rt.Fatalf("without %v %v it is the intact network", r.Links, r.Nodes)
			}
			if r.Error != "" && !other {
				rt.Fatalf("without %v %v: %s", r.Links, r.Nodes, r.Error)
			}
		}
	})
}

func nodeOf(t *spec.Topology, names []string) spec.NodeID {
	v, _ := t.NodeNamed(names[0])
	return v
}

// FuzzResults: a file of results that is accepted is, byte for byte, what would be written for it;
// nothing in it passes for a verdict that is not one.
func FuzzResults(f *testing.F) {
	whole := run(f, of(f, "ring", sweep.Question{Links: 1, Nodes: 1, Dests: 1}), "", sweep.Options{Explore: checker.Never})
	f.Add([]byte(whole[:2000]))
	f.Add([]byte(run(f, of(f, "graph", sweep.Question{Set: map[string]string{"n": "4", "routing": "up-down"}, Links: 2,
		Reroute: "without"}), "", sweep.Options{Shard: 2, Shards: 3, Explore: checker.Never})))
	f.Add([]byte(run(f, of(f, "ring", sweep.Question{Links: 1, UpToSymmetry: true}), "", sweep.Options{Explore: checker.Never})))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h sweep.Header
		var results []sweep.Result
		var good int64
		var err error
		costtest.Within(t, len(text), func() { h, results, good, err = sweep.ReadResults(bytes.NewReader(text)) })
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("refused in several lines: %v", err)
			}
			return
		}
		for i, r := range results {
			if r.Case < 0 || r.Case >= h.Cases || i > 0 && r.Case <= results[i-1].Case {
				t.Errorf("case %d of %d", r.Case, h.Cases)
			}
			if v := r.Verdicts(); v == "" || v == "no network" && r.Error == "" {
				t.Errorf("case %d has the verdicts %q", r.Case, v)
			}
		}
		var again bytes.Buffer
		if err := sweep.WriteHeader(&again, h); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, again.Bytes()) || good > int64(len(text)) {
			t.Errorf("the header is written as %s", &again)
		}
		if h.Shards == 1 && len(results) == h.Cases {
			again.Reset()
			if err := sweep.Merge(&again, readers(string(text))); err != nil || again.String() != string(text[:good]) {
				t.Errorf("merged by itself it is another file: %v", err)
			}
		}
	})
}
