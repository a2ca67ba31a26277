package star_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// folder reads files by their base names.
type folder map[string]string

func (f folder) open(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, errors.New("no such file")
	}
	return []byte(text), nil
}

func TestLoad(t *testing.T) {
	const main = "load(\"lib.star\", \"up\", most = \"limit\")\nmachine(name = \"m\")\nvar(\"x\", range(most + 1))\nrule(\"up\", up)\n"
	const lib = "load(\"numbers.star\", \"three\")\nlimit = three\ndef up(s):\n    when(s.x < limit)\n    s.x += 1\n"
	for _, c := range []struct {
		name  string
		files folder
		want  string
	}{
		{"two files", folder{"lib.star": lib, "numbers.star": "three = 3"}, "4 states"},
		{"a struct", folder{"lib.star": "t = struct(most = [3])\nlimit = t.most[0]\ndef up(s):\n    when(s.x < t.most[0])\n    s.x += 1\n"}, "4 states"},
		{"a struct without that", folder{"lib.star": "limit = struct(three = 3).four\n"},
			"dir/lib.star:1:26: the struct has no four: it has [three] (called from dir/m.star:1:1)"},
		{"missing", folder{"lib.star": lib}, "dir/lib.star:1:1: cannot load numbers.star: no such file (called from dir/m.star:1:1)"},
		{"outside", folder{"lib.star": "load(\"../x.star\", \"y\")"},
			"dir/lib.star:1:1: cannot load ../x.star: invalid file \"../x.star\": want the name of a .star file in the same folder (called from dir/m.star:1:1)"},
		{"cycle", folder{"lib.star": "load(\"lib.star\", \"y\")"},
			"dir/lib.star:1:1: cannot load lib.star: it is being loaded: files load each other in a cycle (called from dir/m.star:1:1)"},
		{"syntax", folder{"lib.star": "limit = (\n"}, "dir/lib.star:1:9: this ( is never closed: close it, or indent the lines that continue it"},
		{"error", folder{"lib.star": "limit = 1 // 0\n"}, "dir/lib.star:1:11: floored division by zero (called from dir/m.star:1:1)"},
		{"no such name", folder{"lib.star": "limit = 1\n"}, "dir/m.star:1:1: load: name up not found in module lib.star"},
		{"error in a rule", folder{"lib.star": "limit = 3\ndef up(s):\n    s.y = 1\n"},
			"dir/lib.star:3:6: the state has no variable y: declare it with var(\"y\", ...) or fifo(\"y\", ...) (in rule \"up\")"},
		{"endless", folder{"lib.star": "for i in range(1 << 40):\n    pass\n"},
			"dir/lib.star:1:1: more than 1000000 steps: beyond the bound: is there a loop or a list that is far too long? (called from dir/m.star:1:1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := star.Load(context.Background(), "dir/m.star", []byte(main), star.Options{Open: c.files.open, MaxSteps: 1e6})
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d states", walk(t, f.Program).States)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	files := star.Loads([]byte(main), star.Options{Open: folder{"lib.star": lib, "numbers.star": "three = 3"}.open})
	if diff := cmp.Diff([]string{"lib.star", "numbers.star"}, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("loads (-want +got):\n%s", diff)
	}
}

// TestNetworkOf: errors about a network that a protocol runs over lead to its line; a
// packet goes where the network takes it; and the file is among those loaded.
func TestNetworkOf(t *testing.T) {
	const pair = "n = param(\"n\", 2)\nnetwork(classes = [\"a\", \"b\"], switching = param(\"switching\", \"saf\"))\nv = [node() for i in range(n)]\nboth(v[0], v[1])\ndef route(at, to):\n    return [hop(at.node.to(to))]\n"
	for _, c := range []struct{ name, net, machine, want string }{
		// One packet: not sent, in the channel, received; no others.
		{"one packet", pair,
			"net = network_of(\"net.star\")\nvar(\"sent\", bool)\ndef f(s):\n    when(not s.sent)\n    net.send(s, 0, 1, \"b\")\n    s.sent = True\ndef g(s):\n    net.receive(s, 1, \"b\")\n",
			"3 states"},
		{"another class", pair,
			"net = network_of(\"net.star\")\nvar(\"sent\", bool)\ndef f(s):\n    when(not s.sent)\n    net.send(s, 0, 1, \"b\")\n    s.sent = True\ndef g(s):\n    net.receive(s, 1, \"a\")\n",
			"2 states"},
		// sent or not, got or not
		{"data", pair,
			"net = network_of(\"net.star\", carries = range(3), name = \"wire\", switching = \"wormhole\")\nvar(\"got\", range(4))\ndef f(s):\n    net.send(s, 0, 1, \"a\", 2)\ndef g(s):\n    s.got = net.receive(s, 1).data + 1\n",
			"4 states"},
		{"no flow", pair, "net = network_of(\"net.star\")\ndef f(s):\n    net.send(s, 0, 0)\ndef g(s):\n    when(False)\n", "1 states"}, // the step is wrong
		{"no class", pair,
			"net = network_of(\"net.star\")\ndef f(s):\n    net.send(s, 0, 1)\ndef g(s):\n    net.receive(s, 1, \"c\")\n",
			"dir/m.star:6:8: invalid class \"c\" of the network: want one of [None, \"a\", \"b\"] (in rule \"g\")"},
		{"no node", pair,
			"net = network_of(\"net.star\")\ndef f(s):\n    net.send(s, 0, 2)\ndef g(s):\n    net.receive(s, 1)\n",
			"dir/m.star:4:8: invalid node 2 of the network: want one of [0, 1] (in rule \"f\")"},
		{"no file", pair, "net = network_of(\"other.star\")\n", "dir/m.star:2:7: no such file"},
		{"machine", "machine(name = \"m\")", "net = network_of(\"net.star\")\n", "dir/m.star:2:7: net.star is a protocol: want a network"},
		// Each of four flows has chosen one of two alternatives, or none yet; the packet is sent by the one with a hop only.
		{"oblivious",
			strings.Replace(pair, "return [hop(at.node.to(to))]", "return oblivious([hop(at.node.to(to)), []])", 1),
			"net = network_of(\"net.star\")\nvar(\"sent\", bool)\ndef f(s):\n    when(not s.sent)\n    net.send(s, 0, 1, \"b\")\n    s.sent = True\ndef g(s):\n    net.receive(s, 1, \"b\")\n",
			"243 states"},
		// A packet that is discarded is sent, and nowhere, as one that is received.
		{"discard", strings.Replace(pair, "return [hop(at.node.to(to))]", "return [hop(at.node.to(to)), discard()]", 1),
			"net = network_of(\"net.star\")\nvar(\"sent\", bool)\ndef f(s):\n    when(not s.sent)\n    net.send(s, 0, 1, \"b\")\n    s.sent = True\ndef g(s):\n    net.receive(s, 1, \"b\")\n",
			"3 states"},
		{"parameter", pair, "net = network_of(\"net.star\", k = 3)\n", "dir/m.star:2:7: net.star: invalid parameter \"k\": want n, switching"},
		{"relation", pair, "net = network_of(\"net.star\", n = 3)\n",
			"dir/net.star:6:13: hop into None: to(node) and port(name) return None if no such link leaves 2, and at.link is None when injecting; test it first, or return [] for a dead end (in route at inject 2 for 0)"},
		{"name", pair, "net = network_of(\"net.star\", name = \"1\")\n", "dir/m.star:2:7: the name \"1\": want letters, digits and _"},
		{"nothing carried", pair, "net = network_of(\"net.star\", carries = [])\n", "dir/m.star:2:7: carries: no values: want at least one"},
		{"records carried", pair, "net = network_of(\"net.star\", carries = record(x = [1]))\n", "dir/m.star:2:7: carries: network_of of records: want values"},
		{"nobody's", pair,
			"network_of(\"net.star\")\ndef f(s):\n    net.send(s, 0, 1)\ndef g(s):\n    net.receive(s, 1)\n",
			"dir/m.star:4:5: undefined: net: network_of returns it: write net = network_of(...)"},
		{"optional data", pair,
			"net = network_of(\"net.star\", carries = optional([7]))\nvar(\"sent\", bool)\ndef f(s):\n    when(not s.sent)\n    net.send(s, 0, 1, \"b\", 7)\n    s.sent = True\ndef g(s):\n    when(net.receive(s, 1).data != None)\n",
			"3 states"},
		{"class of none", strings.Replace(pair, "classes = [\"a\", \"b\"], ", "", 1),
			"net = network_of(\"net.star\")\ndef f(s):\n    net.send(s, 0, 1, \"a\")\ndef g(s):\n    net.receive(s, 1)\n",
			"dir/m.star:4:8: invalid class \"a\": the network names no classes; leave it out (in rule \"f\")"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "machine(name = \"m\")\n" + c.machine
			if strings.Contains(text, "def f") {
				text += "rule(\"f\", f)\nrule(\"g\", g)\n"
			}
			f, err := star.Load(context.Background(), "dir/m.star", []byte(text), star.Options{Open: folder{"net.star": c.net}.open})
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d states", walk(t, f.Program).States)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if files := star.Loads([]byte(text), star.Options{Open: folder{"net.star": c.net}.open}); len(files) != 1 && c.name != "no file" {
				t.Errorf("loads %v", slices.Sorted(maps.Keys(files)))
			}
		})
	}
}

// TestInline: a file with its libraries inlined, twice over, is the same machine as with the
// libraries next to it, and needs none.
func TestInline(t *testing.T) {
	files := folder{
		"a.star": "load(\"b.star\",\n    \"three\",\n)\nload(\"c.star\", \"up\")\nmachine(name = \"m\")\nvar(\"x\", range(three + 1))\nrule(\"up\", up)\n",
		"b.star": "load(\"c.star\", \"up\")\nthree = 3",
		"c.star": "def up(s):\n    when(s.x < 3)\n    s.x += 1\n",
	}
	text, err := star.Inline("a.star", []byte(files["a.star"]), files.open)
	if err != nil {
		t.Fatal(err)
	}
	const want = "def up(s):\n    when(s.x < 3)\n    s.x += 1\nthree = 3\n\nmachine(name = \"m\")\nvar(\"x\", range(three + 1))\nrule(\"up\", up)\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	apart, err := star.Load(t.Context(), "a.star", []byte(files["a.star"]), star.Options{Open: files.open})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := star.Load(t.Context(), "a.star", text, star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := walk(t, apart.Program), walk(t, alone.Program); x.States != 4 || y.States != 4 {
		t.Errorf("%d states with libraries, %d without: want 4", x.States, y.States)
	}
	for text, want := range map[string]string{
		"load(\"c.star\", mine = \"up\")":     "a.star:1:1: load of up as mine: want the same name",
		"\nload(\"d.star\", \"up\")":          "a.star:2:1: no such file",
		"load(\"b/c.star\", \"up\")":          "a.star:1:1: invalid file \"b/c.star\": want the name of a .star file in the same folder",
		"load(\"c.star\", \"up\")\nx = (1, 2": "a.star:2:10: got end of file, want ')'",
	} {
		if _, err := star.Inline("a.star", []byte(text), files.open); fmt.Sprint(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
