package repair_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// fourHops is a protocol of two agents: each asks the other one, and three answers go to and fro. A message goes one hop,
// so that routes alone never wait in a cycle.
const fourHops = `most = param("most", 1, min = 1, max = 3)
machine(name = "four hops")
agents = range(2)
var("open", range(most + 1), over = agents)
fifo("request", ["q"], over = agents)
fifo("grant", ["g"], over = agents)
fifo("data", ["d"], over = agents)
fifo("Ack", ["a"], over = agents)
def ask(s, i):
    when(s.open[i] < most)
    s.open[i] += 1
    s.request[1 - i].push("q")
def give(s, i):
    s.request[i].pop()
    s.grant[1 - i].push("g")
def fill(s, i):
    s.grant[i].pop()
    s.data[1 - i].push("d")
def thank(s, i):
    s.data[i].pop()
    s.Ack[1 - i].push("a")
def learn(s, i):
    s.Ack[i].pop()
    s.open[i] -= 1
rule("{} asks", ask, over = agents, fair = False)
rule("{} gives", give, over = agents)
rule("{} fills", fill, over = agents)
rule("{} thanks", thank, over = agents)
rule("{} learns", learn, over = agents)
`

const ringOfTwo = `at = [node() for _ in range(2)]
for i in range(2):
    link(at[i], at[1 - i])
def route(at, to):
    return [hop(at.node.out[0])]
`

// protocolOf loads a protocol, at the first nodes of a network.
func protocolOf(t *testing.T, text string, set map[string]string) repair.Protocol {
	t.Helper()
	over := func(ctx context.Context, r *star.Routes) (*program.Program, error) {
		f, err := star.Load(ctx, "p.star", []byte(text), star.Options{Set: set, Routes: r})
		if err != nil {
			return nil, err
		}
		return f.Program, nil
	}
	alone, err := over(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := star.SourceOf(alone).Messages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := repair.Protocol{Name: alone.Name, Messages: m, Over: over, Home: map[string]spec.NodeID{}}
	for i, a := range m.Agents {
		p.Home[a] = spec.NodeID(i)
	}
	return p
}

func networkOf(t *testing.T, text string) *spec.Network {
	t.Helper()
	f, err := star.Load(t.Context(), "n.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), f.Definition, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ringState is fourHops over ringOfTwo, written a second time: from the description in routes.go, not from its code.
// Messages are numbered as their classes. No step puts two, so no buffer of an agent holds two.
type ringState struct {
	open [2]uint8
	at   [2][4]bool  // by node and class: a message has arrived
	out  [2][4]uint8 // by node and set: 1 + the message that waits to leave
	on   [2][4]uint8 // by link and set: 1 + the message
}

// next lists the states after s, and says whether somebody can go on without asking anew.
func (s ringState) next(of []int, most uint8) (all []ringState, moves bool) {
	for i := range 2 {
		if s.open[i] < most && s.out[i][of[0]] == 0 {
			n := s
			n.open[i]++
			n.out[i][of[0]] = 1
			all = append(all, n)
		}
		for class := range 4 {
			if !s.at[i][class] || class < 3 && s.out[i][of[class+1]] > 0 {
				continue
			}
			n := s
			if n.at[i][class] = false; class < 3 {
				n.out[i][of[class+1]] = uint8(class + 2)
			} else {
				n.open[i]--
			}
			all, moves = append(all, n), true
		}
		for set := range 4 {
			if s.out[i][set] > 0 && s.on[i][set] == 0 {
				n := s
				n.on[i][set], n.out[i][set] = s.out[i][set], 0
				all, moves = append(all, n), true
			}
			if x := s.on[i][set]; x > 0 && !s.at[1-i][x-1] {
				n := s
				n.on[i][set], n.at[1-i][x-1] = 0, true
				all, moves = append(all, n), true
			}
		}
	}
	return all, moves
}

func (s ringState) idle() bool {
	s.open = [2]uint8{}
	return s == ringState{}
}

// explored counts the states, and says how many steps lead to the first one in which messages are stuck; -1 if none.
func explored(of []int, most int) (states, stuck int) {
	level := []ringState{{}}
	seen := map[ringState]bool{{}: true}
	for depth := 0; len(level) > 0; depth++ {
		var after []ringState
		for _, s := range level {
			next, moves := s.next(of, uint8(most))
			if !moves && !s.idle() {
				return 0, depth
			}
			for _, n := range next {
				if !seen[n] {
					seen[n] = true
					after = append(after, n)
				}
			}
		}
		level = after
	}
	return len(seen), -1
}

// TestComposeBrute: for the ways in which four classes can share sets, the composed machine has the states of one that is
// written by hand, and is stuck after as many steps. With one set and three requests at a time it must deadlock: an
// agent's buffer, the link and the place at the other end hold a request each, both ways, and no answer can leave.
func TestComposeBrute(t *testing.T) {
	n := networkOf(t, ringOfTwo)
	for most := 1; most <= 3; most++ {
		p := protocolOf(t, fourHops, map[string]string{"most": fmt.Sprint(most)})
		c, err := repair.Compose(t.Context(), n, p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"request", "grant", "data", "Ack"}, c.Network.Classes()); diff != "" {
			t.Fatalf("classes (-want +got):\n%s", diff)
		}
		var ways []repair.Way
		free := false
		for sets := 1; sets <= 4 && !free; sets++ {
			for of := range sharing.All(4, sets) {
				if slices.Max(of)+1 < sets || free {
					continue
				}
				k := len(ways)
				if k == len(c.Ways) || !slices.Equal(c.Ways[k].Sets, of) {
					t.Fatalf("most %d: want way %d to be %v, of %d", most, k, of, len(c.Ways))
				}
				ways = append(ways, c.Ways[k])
				states, stuck := explored(of, most)
				free = stuck < 0
				compareWay(t, c.Ways[k], most, states, stuck)
			}
		}
		if len(ways) != len(c.Ways) || (c.Verdict() == spec.Holds) != free || !c.IsLeast() {
			t.Errorf("most %d: %d ways, %v, want %d", most, len(c.Ways), c.Verdict(), len(ways))
		}
		if most == 3 && c.Ways[0].Verdict() != spec.Violated {
			t.Error("three requests at a time and one set: no deadlock")
		}
	}
}

// TestComposeTicks: a fair rule that goes on for ever beside the protocol changes nothing about its messages: the ways
// that fail and the one that is free are those without it. "messages move" alone would take the deadlock for motion.
func TestComposeTicks(t *testing.T) {
	n := networkOf(t, ringOfTwo)
	tick := fourHops + "var(\"clock\", range(2))\ndef tick(s):\n    s.clock = 1 - s.clock\nrule(\"tick\", tick)\n"
	var ways [2][]string
	for i, text := range []string{fourHops, tick} {
		c, err := repair.Compose(t.Context(), n, protocolOf(t, text, map[string]string{"most": "3"}), repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.Ways {
			ways[i] = append(ways[i], fmt.Sprint(w.Sets, w.Verdict()))
		}
	}
	if diff := cmp.Diff(ways[0], ways[1]); diff != "" || len(ways[0]) < 2 {
		t.Errorf("%d ways (-without +with a clock):\n%s", len(ways[0]), diff)
	}
}

// TestComposeAlone: a protocol that fails by itself is not taken for one that no VC sets help, and no way is tried. One
// that needs only more room does not fail so.
func TestComposeAlone(t *testing.T) {
	n := networkOf(t, ringOfTwo)
	stuck := strings.ReplaceAll(fourHops, "    s.grant[1 - i].push", "    when(s.open[i] == 0)\n    s.grant[1 - i].push")
	for _, tt := range []struct {
		name, text string
		fails      bool
	}{
		{"waits for ever", stuck, true},
		{"waits for ever beside a clock",
			stuck + "var(\"clock\", range(2))\ndef tick(s):\n    s.clock = 1 - s.clock\nrule(\"tick\", tick)\n", true},
		{"three at once in FIFOs of one", fourHops, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := repair.Compose(t.Context(), n, protocolOf(t, tt.text, map[string]string{"most": "3"}), repair.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if fails := c.Alone.Verdict() == spec.Violated; fails != tt.fails || (len(c.Ways) == 0) != tt.fails {
				t.Errorf("alone %v, %d ways; want a failure %t", c.Alone.Verdict(), len(c.Ways), tt.fails)
			}
			if tt.fails && c.Verdict() != spec.Violated {
				t.Errorf("verdict %v", c.Verdict())
			}
		})
	}
}

// TestComposeLongPath: a sender that hands over nine messages before the first is taken, in a FIFO of one, deadlocks
// alone with eight places. Over eleven channels it does not, as it does not in a FIFO of nine.
func TestComposeLongPath(t *testing.T) {
	const line = "at = [node() for _ in range(12)]\nfor i in range(11):\n    both(at[i], at[i + 1])\n" +
		"def route(at, to):\n    d = 1 if to.id > at.node.id else -1\n" +
		"    return [hop(l) for l in at.node.out if l.dst.id == at.node.id + d]\n"
	const batch = "machine(name = \"batch\")\nvar(\"sent\", range(10))\nfifo(\"m\", [\"x\"], size = 1)\n" +
		"def send(s):\n    when(s.sent < 9)\n    s.sent += 1\n    s.m.push(\"x\")\n" +
		"def take(s):\n    when(s.sent == 9)\n    s.m.pop()\n" +
		"rule(\"send\", send, by = \"a\")\nrule(\"take\", take, by = \"b\")\nfinal(lambda s: s.sent == 9)\n"
	for _, size := range []string{"size = 1", "size = 9"} {
		p := protocolOf(t, strings.ReplaceAll(batch, "size = 1", size), nil)
		p.Home = map[string]spec.NodeID{"a": 0, "b": 11}
		c, err := repair.Compose(t.Context(), networkOf(t, line), p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Verdict() != spec.Holds || len(c.Ways) != 1 {
			t.Errorf("%s: %v after %d ways", size, c.Verdict(), len(c.Ways))
		}
	}
}

// token passes a message to and fro. It rests with its owner until that wants to go on, so a state in which no fair rule
// is possible is no deadlock.
const token = `machine(name = "token")
agents = range(2)
fifo("token", ["t"], over = agents, init = lambda i: ["t"] if i == 0 else [])
var("wants", bool, over = agents)
def want(s, i):
    when(not s.wants[i])
    s.wants[i] = True
def pass_on(s, i):
    when(s.wants[i])
    s.token[i].pop()
    s.wants[i] = False
    s.token[1 - i].push("t")
rule("{} wants", want, over = agents, fair = False)
rule("{} passes it on", pass_on, over = agents)
`

// TestComposeRests: a message that rests by design is no deadlock, whether the protocol begins with it or a rule puts it.
// The states, for one class: the token is in one of two agents' FIFOs, buffers and links, 6 places; and either wants or not.
func TestComposeRests(t *testing.T) {
	n := networkOf(t, ringOfTwo)
	put := strings.ReplaceAll(token, `, init = lambda i: ["t"] if i == 0 else []`, "") +
		"var(\"begun\", bool)\ndef begin(s):\n    when(not s.begun)\n    s.begun = True\n    s.token[1].push(\"t\")\n" +
		"rule(\"begin\", begin, by = \"0\")\n"
	for text, states := range map[string]int64{token: 6 * 4, put: 6*4 + 4} {
		c, err := repair.Compose(t.Context(), n, protocolOf(t, text, nil), repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Verdict() != spec.Holds || c.Ways[0].Check.Space.States != states {
			t.Errorf("%v with %d states, want %d:\n%s", c.Verdict(), c.Ways[0].Check.Space.States, states, text)
		}
	}
}

// TestComposeAtOneNode: agents at one node need no network.
func TestComposeAtOneNode(t *testing.T) {
	p := protocolOf(t, fourHops, nil)
	p.Home = map[string]spec.NodeID{"0": 1, "1": 1}
	_, err := repair.Compose(t.Context(), networkOf(t, ringOfTwo), p, repair.Options{})
	if err == nil || !strings.Contains(err.Error(), "all messages stay at one node") {
		t.Errorf("error %v", err)
	}
}

// TestComposeShares: a way that would take all the time leaves some to the others. One that never ends stands for it.
func TestComposeShares(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
	defer cancel()
	p := protocolOf(t, fourHops, nil)
	load := p.Over
	p.Over = func(ctx context.Context, r *star.Routes) (*program.Program, error) {
		if r.Network != nil && slices.Max(r.Sets) == 0 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return load(ctx, r)
	}
	c, err := repair.Compose(ctx, networkOf(t, ringOfTwo), p, repair.Options{})
	if err != nil || len(c.Ways) < 2 || c.Ways[0].Verdict() != spec.Unknown || c.Verdict() != spec.Holds || c.IsLeast() {
		t.Errorf("%v: %d ways, %v, least %t: want an unknown one, and a free one after it", err, len(c.Ways), c.Verdict(), c.IsLeast())
	}
}

// TestComposeEnds: a search that ends before the first way was explored has an answer, which is unknown.
func TestComposeEnds(t *testing.T) {
	c := &repair.Composition{}
	if c.Verdict() != spec.Unknown || c.IsLeast() {
		t.Errorf("without ways: %v, least %t", c.Verdict(), c.IsLeast())
	}
}

func compareWay(t *testing.T, w repair.Way, most, states, stuck int) {
	t.Helper()
	t.Logf("most %d, %v: %d states, stuck after %d", most, w.Sets, states, stuck)
	f := w.Check.Of(star.MessagesMove)
	switch {
	case stuck < 0 && w.Verdict() != spec.Holds || stuck >= 0 && f.Verdict != spec.Violated:
		t.Errorf("most %d, %v: %v, want stuck after %d", most, w.Sets, w.Verdict(), stuck)
	case stuck >= 0 && len(f.Run().Steps) != stuck:
		t.Errorf("most %d, %v: stuck after %d steps, want %d", most, w.Sets, len(f.Run().Steps), stuck)
	case stuck < 0 && w.Check.Space.States != int64(states):
		t.Errorf("most %d, %v: %d states, want %d", most, w.Sets, w.Check.Space.States, states)
	}
}

// TestMessages: chains are steps that take one class and put another, each with its line.
func TestMessages(t *testing.T) {
	m := protocolOf(t, fourHops, nil).Messages
	var chains []string
	for _, c := range m.Chains {
		chains = append(chains, fmt.Sprintf("%s: %s %s, %s %s, line %d", c.Agent, c.Takes, c.From, c.Puts, c.Into, c.Where.Line))
	}
	want := []string{
		"0: request request[0], grant grant[1], line 15", "1: request request[1], grant grant[0], line 15",
		"0: grant grant[0], data data[1], line 18", "1: grant grant[1], data data[0], line 18",
		"0: data data[0], Ack Ack[1], line 21", "1: data data[1], Ack Ack[0], line 21",
	}
	if diff := cmp.Diff(want, chains); diff != "" {
		t.Errorf("chains (-want +got):\n%s", diff)
	}
}

// TestComposeRoomy: a sender that waits for room in a FIFO of one message has two under way over the network. That an invariant
// permits one is no matter of classes: the protocol by itself violates it as well, in a FIFO of two.
func TestComposeRoomy(t *testing.T) {
	const protocol = `machine(name = "sender")
var("sent", range(9))
fifo("q", ["m"], blocking = True)
fifo("back", ["n"], blocking = True)
def send(s):
    when(s.sent < 8)
    s.sent += 1
    s.q.push("m")
def take(s):
    s.q.pop()
    s.back.push("n")
def learn(s):
    s.back.pop()
    s.sent -= 1
rule("send", send, by = "0", fair = False)
rule("take", take, by = "1")
rule("learn", learn, by = "0")
invariant("few", lambda s: s.sent <= %d)
`
	for most, want := range map[int]int{2: 2, 8: 0} { // one in each FIFO
		p := protocolOf(t, fmt.Sprintf(protocol, most), nil)
		c, err := repair.Compose(t.Context(), networkOf(t, ringOfTwo), p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Room != want || (c.Roomy != nil) != (want > 0) || (c.Verdict() == spec.Violated) != (want > 0) {
			t.Errorf("at most %d: %v, by itself with room for %d: want %d", most, c.Verdict(), c.Room, want)
		}
	}
}

// TestComposeRefuses: what a network cannot stand for is refused, with the reason.
func TestComposeRefuses(t *testing.T) {
	edit := func(old, new string) string { return strings.ReplaceAll(fourHops, old, new) }
	for _, c := range []struct{ name, protocol, network, want string }{
		{"lossy", edit(`["q"],`, `["q"], lossy = True,`), "", "request[0] is lossy"},
		{"too small", edit("    s.grant[1 - i].push(\"g\")", "    s.grant[1 - i].push(\"g\")\n    s.grant[1 - i].push(\"g\")"), "",
			"p.star:16:19: no step of 0 gives finds room in grant[1], whose size is 1: make it larger"},
		{"two take", edit(`rule("{} learns"`, `rule("steal {}", learn, over = agents, by = "thief")`+"\n"+`rule("{} learns"`),
			"", "want one agent, named by by= of the rules"},
		{"nobody takes", edit(`rule("{} learns", learn, over = agents)`, ""), "", "no rule takes from Ack["},
		{"also", edit(`s.request[i].pop()`, `also(s.request[i].pop)`), "", "also(...) of a FIFO cannot run over a network"},
		{"full", edit("    s.grant[1 - i].push", "    when(not s.grant[1 - i].full)\n    s.grant[1 - i].push"),
			"", "grant.full over a network"},
		{"also of a function", edit("    s.grant[1 - i].push(\"g\")", "    also(answer, i)") + "def answer(s, i):\n    s.grant[1 - i].push(\"g\")\n",
			"", "also(...) of a FIFO cannot run over a network: call answer itself"},
		{"far head", edit("    s.grant[1 - i].push", "    when(s.data[1 - i].head != \"d\")\n    s.grant[1 - i].push"),
			"", "p.star:15:23: 0 looks at data[1], from which 1 takes"},
		{"far empty", edit("    s.grant[1 - i].push", "    when(s.grant[1 - i].empty)\n    s.grant[1 - i].push"), "", "0 looks at grant[1], from which 1 takes"},
		{"far truth", edit("    s.grant[1 - i].push", "    when(not s.grant[1 - i])\n    s.grant[1 - i].push"), "", "0 looks at grant[1], from which 1 takes"},
		{"far length", edit("    s.grant[1 - i].push", "    when(len(s.grant[1 - i]) < 1)\n    s.grant[1 - i].push"), "", "0 looks at grant[1], from which 1 takes"},
		{"clear", edit("    s.request[i].pop()", "    s.request[i].pop()\n    s.request[i].clear()"), "", "request.clear() over a network"},
		{"length", edit(`fifo("request", ["q"],`, `fifo("request", ["q"], size = 2,`) + "never(\"two\", lambda s: len(s.request[0]) == 2)\n",
			"", "len(...) of request[0] over a network, where the agent that takes from it sees the first message alone"},
		{"count", edit(`fifo("request", ["q"],`, `fifo("request", ["q"], size = 2,`) + "never(\"two\", lambda s: s.request[0].count(\"q\") == 2)\n",
			"", "count(...) of request[0] over a network"},
		{"two at first", edit(`fifo("request", ["q"],`, `fifo("request", ["q"], size = 2, init = lambda i: ["q", "q"],`),
			"", "init of request[0] has several messages"},
		{"discards", fourHops, strings.ReplaceAll(ringOfTwo, "    return [hop(at.node.out[0])]", "    return [hop(at.node.out[0])] if to.id == 0 else [discard()]"),
			"discards packets, so it may lose a message"},
		{"no FIFO", "machine(name = \"m\")\nvar(\"x\", range(2))\ndef f(s):\n    s.x = 1\nrule(\"f\", f)\n", "", "no rule puts a message into a FIFO"},
		{"classes", edit(`["q"],`, `["q"], classes = lambda m: 1,`), "", "want the name of a class"},
		{"replies", fourHops, "network(classes = [\"request\", \"grant\", \"data\", \"Ack\"])\nreplies(\"request\", \"grant\")\n" + ringOfTwo,
			"has replies"},
		{"another class", fourHops, "network(classes = [\"request\", \"other\"])\n" + ringOfTwo, `has no class "grant"`},
		{"no flow", fourHops, ringOfTwo + "flows(lambda a, b, c: a.id == 0)\n", "has no flow from 1 to 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			network := ringOfTwo
			if c.network != "" {
				network = c.network
			}
			f, err := star.Load(t.Context(), "p.star", []byte(c.protocol), star.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := star.SourceOf(f.Program).Messages(t.Context())
			if err == nil {
				p := repair.Protocol{Name: "p", Messages: m, Home: map[string]spec.NodeID{"0": 0, "1": 1}}
				p.Over = func(ctx context.Context, r *star.Routes) (*program.Program, error) {
					f, err := star.Load(ctx, "p.star", []byte(c.protocol), star.Options{Routes: r})
					if err != nil {
						return nil, err
					}
					return f.Program, nil
				}
				_, err = repair.Compose(t.Context(), networkOf(t, network), p, repair.Options{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
