package findings_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestWords: what users read of facts whose words depend on what they are about.
func TestWords(t *testing.T) {
	packets := words.Count{N: 2, Of: "packet"}
	channels := words.Count{N: 3, Of: "channel"}
	lost := func(f counterexamples.Fault) findings.Undelivered {
		return findings.Undelivered{Fault: f, At: "a", In: "c->a", For: "b", Heading: "for b"}
	}
	late := func(f counterexamples.Fault) findings.Lost {
		return findings.Lost{Moves: 1, Fault: f, At: "a", For: "b", Heading: "for b"}
	}
	ring := findings.Ring{All: 5, Channels: []string{"c", "d"}}
	why := findings.Say(findings.OutOfTime)
	full := findings.Packets{Switching: spec.StoreAndForward, PerChannel: 2}
	for _, tt := range []struct {
		found findings.Fact
		want  string
	}{
		{findings.Blocked{What: words.Count{Of: "packet"}}, "packets wait for each other and can never move"},
		{findings.Blocked{What: words.Count{N: 1, Of: "packet"}}, "a packet waits for itself and can never move"},
		{findings.Blocked{What: packets, In: channels, After: words.Count{N: 4, Of: "move"}, Explored: true, Under: &spec.Scenario{Sink: 1}},
			"after 4 moves, 2 packets in 3 channels wait for each other and can never move, found by exploring (" + spec.Scenario{Sink: 1}.String() + ")"},
		{findings.Blocked{What: packets, How: findings.LongOnly},
			"2 packets wait for each other and can never move, although packets that fit into one channel cannot"},
		{findings.Unreached{What: packets}, "2 packets would wait for each other, but no trace to that state was found"},
		{findings.Unreached{What: words.Count{N: 1, Of: "packet"}, How: findings.Behind},
			"1 packet would wait for itself, some behind others in one channel, but no trace to that state was found"},
		{findings.WaitsShown{Stuck: 1, Cycle: 1}, "The packet waits for itself forever."},
		{findings.WaitsShown{Stuck: 2, Cycle: 2}, "2 packets wait for each other and can never move: each waits for the next, the last for the first."},
		{findings.WaitsShown{Stuck: 2, Cycle: 2, Choice: true},
			"2 packets wait for each other and can never move: each waits only for channels that others of them hold. The first 2 make a cycle."},
		{lost(counterexamples.Unrouted), "at a the routing function returns no first hop for b"},
		{lost(counterexamples.DeadEnd), "at a the routing function returns no hop for b for a packet in c->a"},
		{lost(counterexamples.Trap), "a packet for b in c->a can move but can never arrive"},
		{lost(counterexamples.Misdelivery), "a packet for b is ejected at a"},
		{late(counterexamples.Unrouted), "after 1 move at a the routing function returns no first hop for b"},
		{late(counterexamples.DeadEnd), "after 1 move at a the routing function returns no hop for b"},
		{late(counterexamples.Trap), "after 1 move a packet at a can move, but never arrive at b"},
		{late(counterexamples.Misdelivery), "after 1 move a packet is ejected at a, not at b"},
		{findings.Faults{Fault: counterexamples.Unrouted, N: 3}, "flows without a first hop: 3"},
		{findings.Faults{Fault: counterexamples.DeadEnd, N: 3}, "sites without a hop: 3"},
		{findings.Faults{Fault: counterexamples.Trap, N: 3}, "sites from which the destination is unreachable: 3"},
		{findings.Faults{Fault: counterexamples.Misdelivery, N: 3}, "sites where a packet is ejected at a wrong node: 3"},
		{findings.Circling{For: "b", Through: channels}, "a packet for b cycles through 3 channels forever under every selection function"},
		{findings.Circling{For: "b", Through: channels, Leaves: true}, "a packet for b cycles through 3 channels forever under a selection function " +
			"that always prefers those hops; a fair one leaves the cycle"},
		{findings.Destinations{Cyclic: 1, All: 4}, "destinations for which a packet can livelock: 1 of 4"},
		{findings.Discarded{From: "a", For: "b", At: "c"}, "a packet from a for b is discarded at c"},
		{findings.RingFills{Ring: ring, From: "e", To: "c"}, "; a ring of 5 channels (c, d, ...) may fill, as the hop from e into c keeps no bubble"},
		{findings.RingLeft{Ring: findings.Ring{All: 1, Channels: []string{"c"}}, In: "c", For: "e"},
			"; a ring of 1 channel (c) keeps a bubble, but a packet in c may wait for e instead"},
		{findings.NoFlows, "no node sends anything: nothing to decide"},
		{findings.NoSites, "no packet ever enters a channel: nothing to decide"},

		{findings.Exceeded{By: errors.New("too large")}, "too large"},
		{findings.Sliced{}, "slice: nothing was left out: the property depends on all variables"},
		{findings.Sliced{Variables: strings.Fields("a b c d e f g"), Rules: 1},
			"slice: 7 variables (a, b, c, d, e, f, ...) and 1 rule left out: no property, no guard that a property needs and no assignment that may leave its range depends on them"},
		{findings.Unfollowed{Why: "x"}, "liveness modulo symmetries must follow fair rules through them (Emerson and Sistla 1997), which is not possible: x"},
		{findings.Explored{}, "every reachable state was explored"},
		{findings.Explored{Reduced: true}, "every state of the reduced state graph was explored"},
		{findings.Explored{Unsliced: true, Orbits: "2 symmetries"},
			"every reachable state (a slice leaves nothing out) was explored, one of each orbit under 2 symmetries"},
		{findings.Explored{Unreduced: true}, "every reachable state was explored, without partial-order reduction, as it leaves out few states"},
		{findings.Explored{Unmerged: findings.Estimate{Saving: 7.26, Cost: 8}},
			"every reachable state was explored, without symmetry reduction: by a sample, an orbit would stand for some 7 states and take as long as 8"},
		{findings.WouldKeepOrbits{Saving: 7.26}, "; --no-sample keeps one state of each orbit, which by a sample stands for some 7"},
		{findings.Explored{Ejections: true}, "every reachable state was explored, with partial-order reduction of ejections"},
		{findings.Impossible{Stem: 2, Beyond: 1},
			"after 2 steps it cannot be reached any more: it is true in none of the 1 state that can follow"},
		{findings.Unanswered{Stem: 2}, "after 2 steps no step is left that fairness requires"},
		{findings.Unanswered{Stem: 2, Cycle: 1}, "after 2 steps a fair cycle of 1 step repeats forever"},
		{findings.Unanswered{Stem: 1, Unfair: true}, "after 1 step no step is possible, and the run stays there"},
		{findings.Unanswered{Stem: 2, Cycle: 3, Unfair: true}, "after 2 steps a cycle of 3 steps repeats forever"},
		{findings.DeadlockMeans{Notion: counterexamples.Local}, "deadlock means: packets wait only for each other, and can never move again (local)"},

		{findings.FewestBetween{Least: 2, Most: findings.Size{Packets: 4, Channels: 2}, Why: why},
			"the fewest are between 2 and 4 packets in 2 channels: out of time"},
		{findings.FewestBetween{Least: 2, Most: findings.Size{Moves: 1}}, "the fewest are between 2 and 1 move"},
		{findings.AtLeastSize{Least: findings.Size{Channels: 3}, Why: why}, "if there is a deadlock, it has at least 3 channels: out of time"},

		{full, "store-and-forward switching, 2 packets per channel"},
		{findings.Packets{Switching: spec.Wormhole}, "wormhole switching, packets that fit into one channel, one packet per channel"},
		{findings.Flits{Length: spec.AnyLength, PerChannel: 1},
			"wormhole switching, packets of any length, 1 flit per channel, all flits of a packet advance together with its head, a channel belongs to one packet at a time"},
		{findings.Flits{Length: 3, PerChannel: 2, Elastic: true, Shared: true},
			"wormhole switching, packets of 3 flits, 2 flits per channel, flits move one at a time, a packet may enter a channel behind the tail of another"},
		{findings.Bubble{Places: 2, Dimensions: true}, "bubble: a packet enters a dimension only if 2 buffers there are free"},
		{findings.Bubble{Places: 2, Dimensions: true, Others: true},
			"bubble: a packet enters a dimension (links without one count as one) only if 2 buffers there are free"},
		{findings.Bubble{Places: 2, Others: true},
			"bubble: a packet is injected (links have no dimension, so no hop turns into one) only if 2 buffers there are free"},
		{findings.RequestBuffer{Name: "m", Slots: 1, Worms: true},
			"request buffer m, 1 slot per node: one for each message that can be outstanding to it, so it never fills"},
		{findings.Outstanding{Most: 2, Least: 1},
			"a node has at most 2 requests of a class outstanding (of another, at most 1): traces keep to this bound, and certificates hold without it"},
		{findings.StronglyFair{Rules: strings.Fields("a b c d e f g")}, "strongly fair, so taken if possible again and again: a, b, c, d, e, f, g"},
		{findings.StronglyFair{Rules: strings.Fields("a b c d e f g h")},
			"strongly fair, so taken if possible again and again: a, b, c, d, e, f, 2 more rules"},
		{findings.Over{Name: "n", Network: "ring", Packets: full, Selection: findings.WorkConserving},
			"n is ring: store-and-forward switching, 2 packets per channel, any work-conserving selection function, any delay (asynchronous)"},

		{findings.Forbidden{Cost: words.Count{N: 2, Of: "turn"}, AtLeast: 2}, "2 turns forbidden, and fewer are not enough"},
		{findings.Forbidden{Cost: words.Count{N: 2, Of: "turn"}, AtLeast: 1, Unchecked: true},
			"2 turns forbidden; whether fewer suffice is open: at least 1 are needed (unchecked)"},
		{findings.Unavoidable{All: words.Count{N: 3, Of: "hop"}, Units: []string{"a", "b"}},
			"each of 3 hops is unavoidable for some flow, and the fault remains unless one of them goes: a; b and 1 more"},
		{findings.CostOpen{AtLeast: 1, Cost: 2}, "; whether 1 is enough is open"},
		{findings.CostOpen{AtLeast: 1, Cost: 3}, "; whether 1 to 2 are enough is open"},
	} {
		if got := tt.found.String(); got != tt.want {
			t.Errorf("%#v: %q, want %q", tt.found, got, tt.want)
		}
	}
}

// TestByValue: facts and their sentences compare by value.
func TestByValue(t *testing.T) {
	pair := func(n int) words.Sentence {
		return findings.Say(findings.PairsDeadlock{Pairs: make([][2]string, n)}, findings.OutOfTime)
	}
	if !pair(1).Equal(pair(1)) || pair(1).Equal(pair(2)) {
		t.Error("sentences are equal as their facts are")
	}
	if findings.Fact(findings.FromStart{Steps: 1}) != findings.Fact(findings.FromStart{Steps: 1}) {
		t.Error("a fact differs from itself")
	}
}

// TestData: the data of facts, with the names of the types and fields, and with all that the words are made of.
func TestData(t *testing.T) {
	why := findings.Say(findings.OutOfTime)
	for _, tt := range []struct {
		said words.Sentence
		want string
	}{
		{findings.Say(findings.OneVCOpen), `[{"fact":"one-vc-open"}]`},
		{findings.Say(findings.Blocked{What: words.Count{N: 2, Of: "packet"}, Under: &spec.Scenario{Packets: 2}, How: findings.LongOnly}, findings.NoWalk),
			`[{"fact":"blocked","how":"long-only","under":"packets 2","what":{"n":2,"of":"packet"}},{"fact":"no-walk"}]`},
		{findings.Say(findings.GiveVCs{Link: "a->b", VCs: 2}), `[{"before":0,"fact":"give-vcs","link":"a->b","vcs":2}]`},
		{findings.Say(findings.Exceeded{By: errors.New("too <large>")}), `[{"by":"too <large>","fact":"exceeded"}]`},
		{findings.Say(findings.Faults{Fault: counterexamples.DeadEnd, N: 3}), `[{"fact":"faults","fault":"dead-end","n":3}]`},
		{findings.Say(findings.AtLeastSize{Least: findings.Size{Moves: 3}, Why: why}),
			`[{"fact":"at-least-size","least":{"channels":0,"moves":3,"packets":0},"why":[{"fact":"out-of-time"}]}]`},
		{findings.Say(findings.AtLeastMoves{Least: 3, Why: findings.PacketMoves}), `[{"fact":"at-least-moves","least":3,"why":{"fact":"packet-moves"}}]`},
		{findings.Say(findings.PairsDeadlock{Pairs: [][2]string{{"a", "b"}}}), `[{"fact":"pairs-deadlock","pairs":[["a","b"]]}]`},
		{findings.Say(findings.DiscardSites{N: 1, In: "c", Rule: spec.Reason{Text: "r", Line: 3}}),
			`[{"fact":"discard-sites","in":"c","n":1,"rule":{"col":0,"line":3,"text":"r"}}]`},
	} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(findings.Data(tt.said)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want+"\n", b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.said, diff)
		}
	}
}

// TestNames: a constant of this package begins with its own name, so no two facts have one name and each has words.
func TestNames(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, is := n.(*ast.ValueSpec)
			if !is || s.Type == nil || types.ExprString(s.Type) != "kind" {
				return true
			}
			first := s.Values[0]
			for sum, is := first.(*ast.BinaryExpr); is; sum, is = first.(*ast.BinaryExpr) {
				first = sum.X
			}
			constants++
			text, err := strconv.Unquote(types.ExprString(first))
			said, _, named := strings.Cut(text, ": ")
			if own := s.Names[0].Name; err != nil || !named || strings.ReplaceAll(said, "-", "") != strings.ToLower(own) {
				t.Errorf("%s begins with %q: want its own name in small letters with hyphens, a colon and a sentence", own, said)
			}
			return true
		})
	}
	if constants < 90 {
		t.Errorf("only %d constants", constants)
	}
}

// sentencesIn returns where a file makes sentences: where it calls words.Of, or Of of a value that is one.
func sentencesIn(f *ast.File) (at []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectorExpr); is && s.Sel.Name == "Of" {
			if of, is := s.X.(*ast.Ident); is && of.Name == "words" {
				at = append(at, s.Pos())
			}
		}
		return true
	})
	return at
}

// TestOnlyPackage: no other product code makes a sentence of anything but facts. That none can declare a fact, the
// compiler sees to: other packages cannot name what marks one.
func TestOnlyPackage(t *testing.T) {
	for code, want := range map[string]int{
		`words.Of(mine("packets are lost"))`:               1,
		`func(of func(...fmt.Stringer)) {}(words.Of)`:      1,
		`findings.Say(findings.OutOfTime)`:                 0,
		`words.Count{N: 1, Of: "packet"}`:                  0,
		`why.And(findings.Say(findings.OutOfTime))`:        0,
		`words.OneOf(slices.Collect(maps.Keys(of.words)))`: 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar x = "+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sentencesIn(f)); got != want {
			t.Errorf("%s: %d places, want %d", code, got, want)
		}
	}
	own, files := 0, 0
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range sentencesIn(f) {
			if f.Name.Name == "findings" {
				own++
				continue
			}
			t.Errorf("%s makes a sentence: declare what it says as a fact in package findings", set.Position(at))
		}
		return nil
	})
	if err != nil || own != 1 || files < 500 {
		t.Errorf("%d files, of which this package makes %d sentences: %v", files, own, err)
	}
}

// TestEveryFactIsSaid: no fact is left behind that nothing says any more.
func TestEveryFactIsSaid(t *testing.T) {
	declared := map[string]bool{}
	look := func(dir string, f func(name string, file *ast.File)) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err == nil {
				f(name, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look(".", func(_ string, file *ast.File) {
		for _, o := range file.Scope.Objects {
			if ast.IsExported(o.Name) && (o.Kind == ast.Con || o.Kind == ast.Typ) {
				declared[o.Name] = false
			}
		}
	})
	if len(declared) < 150 {
		t.Fatalf("only %d facts", len(declared))
	}
	look(filepath.Join("..", ".."), func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				if of, is := s.X.(*ast.Ident); is && of.Name == "findings" {
					declared[s.Sel.Name] = true
				}
			}
			return true
		})
	})
	own := []string{"Fact", "How"} // which others than facts are
	for name, said := range declared {
		if !said && !slices.Contains(own, name) {
			t.Errorf("nothing says %s", name)
		}
	}
}
