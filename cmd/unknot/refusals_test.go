package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusalsHavePlaces: what untie does not know about alternatives, discards and room, and change about replies, and a bound on
// outstanding requests beside discards, is refused at the line that has it, with the reason; nothing is written.
func TestRefusalsHavePlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	const ring = `network(name = "n", switching = "virtual-cut-through", buffer = 2)
n = [node() for _ in range(4)]
l = [link(n[i], n[(i + 1) % 4], vcs = 2) for i in range(4)]
def route(at, to):
    return ` // column 12 of line 5
	const asking = `network(name = "n", switching = "virtual-cut-through", classes = ["req", "rsp"])
n = [node() for _ in range(4)]
l = [link(n[i], n[(i + 1) % 4], vcs = 2) for i in range(4)]
replies("req", "rsp", buffer = 8)
flows(lambda s, d, c: c == 0)
def route(at, to):
    return ` // column 12 of line 7
	const a, b = "hop(l[at.node.id], 0)", "hop(l[at.node.id], 1)"
	for name, text := range map[string]string{
		"plain":     ring + "[" + a + "]\n",
		"hashed":    ring + "oblivious([" + a + ", " + b + "])\n",
		"dropped":   ring + "oblivious([" + a + ", discard()])\n",
		"lossy":     ring + "[discard(), " + a + "]\n",
		"shed":      ring + "[discard()] if to.id == 0 else [" + a + "]\n",
		"asks":      asking + "[" + a + "]\n",
		"asks_both": asking + "oblivious([" + a + ", " + b + "])\n",
		"asks_lost": asking + "[discard(), " + a + "]\n",
		"other":     strings.Replace(asking, "buffer = 8", "buffer = 7", 1) + "[" + a + "]\n",
		"bound":     strings.Replace(asking, "buffer = 8", "buffer = 8, outstanding = 2", 1) + "[" + a + "]\n",
		"window":    strings.Replace(asking, "buffer = 8", "buffer = 8, outstanding = 2", 1) + "[discard(), " + a + "]\n",
	} {
		if err := os.WriteFile(name+".star", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"hashed", "asks"} {
		if code, out, errs := unknot(t, "check", name+".star", "--out", name); code != exitViolated {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		if err := os.Remove(filepath.Join(name, "reasons.json")); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"untie hashed.star --scheme turns --scheme classes", "hashed.star:5:23: scheme classes would not keep the alternatives"},
		{"untie hashed/network.json --scheme classes", "hashed/network.json:"},
		{"untie asks.star --scheme bubble", "asks.star:7:13: scheme bubble needs channels that hold two whole packets: want "},
		{"untie shed.star --scheme order", "shed.star:5:13: scheme order would have packets arrive that are always discarded: " +
			"want the scheme turns, hops, dateline, hop-index, layers or bubble"},
		{"untie shed.star --scheme escape", "shed.star:5:13: scheme escape would have packets arrive that are always discarded"},
		{"untie asks_both.star --scheme turns",
			"asks_both.star:7:23: scheme turns does not tell alternatives of the routing (oblivious) from those that replies choose: want the scheme " +
				"dateline, hop-index, layers or classes"},
		{"untie asks_both.star --scheme order", "asks_both.star:7:23: scheme order would not keep the replies"},
		{"untie asks_lost.star --scheme classes", "asks_lost.star:7:13: scheme classes would not keep the discards"},
		{"change plain.star asks_both.star", `classes [""], now ["req" "rsp"]: a change rewrites routing tables, and all else must be the same`},
		{"change asks/network.json plain.star", "asks/network.json: a change of nodes that answer requests is decided from the file"},
		{"change asks.star other.star", "the networks differ in their replies: a change"},
		{"change asks.star bound.star", "bound.star:4:1: a change is not decided with a bound on outstanding requests, as "},
		{"check window.star", "window.star:4:1: a bound on outstanding requests in a network that discards packets is not decided: a node would wait"},
	} {
		args := strings.Fields(tt.args)
		if args[0] != "check" {
			args = append(args, "--out", "made")
		}
		code, out, errs := unknot(t, args...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "unknot: "+tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.args, code, exitUsage, tt.want, out, errs)
		}
		if _, err := os.Stat("made"); err == nil {
			t.Fatalf("%s: wrote a folder", tt.args)
		}
	}
}
