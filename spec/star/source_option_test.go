package star_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestSourceSeen: O1TURN on a 3x3 mesh, where the column of the source decides the order
// of dimensions: with at.src it is the same network, except for the tags, as with a tag
// that keeps the column's parity. So every site with a source is one with the parity of
// the source's column, with the same hops, and no site is missing.
func TestSourceSeen(t *testing.T) {
	const text = `network(%s)
at = {(x, y): node(at = (x, y)) for x in range(3) for y in range(3)}
for (x, y), n in at.items():
    if x < 2:
        both(n, at[(x + 1, y)], out = "+x", back = "-x")
    if y < 2:
        both(n, at[(x, y + 1)], out = "+y", back = "-y")
def route(at, to):
    if %s:
        fail(at.node, at.src)
    order = %s
    (x, y), (X, Y) = at.node.at, to.at
    along_x = x != X and (order == 0 or y == Y)
    port = ("+x" if x < X else "-x") if along_x else ("+y" if y < Y else "-y")
    return [hop(at.node.port(port), tag = %s)]
`
	compile := func(args ...any) (*spec.Network, int) {
		f, err := star.Load(context.Background(), "m.star", []byte(fmt.Sprintf(text, args...)), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n, f.OwnTags
	}
	byTag, own := compile("tags = 2", "False", "at.node.at[0] % 2 if at.injecting else at.tag", "order")
	if own != 0 {
		t.Errorf("%d tags of a source without sources", own)
	}
	bySource, own := compile("sources = True, tags = 3",
		"at.injecting and (at.src != at.node or at.tag != 0) or not at.injecting and at.tag != 2", "at.src.at[0] % 2",
		"2")
	if own != 3 || bySource.Tags() != 27 {
		t.Fatalf("%d tags of %d: want 3 of 27", own, bySource.Tags())
	}
	rows := func(n *spec.Network, parity func(tag spec.Tag) int) map[string]string {
		all := map[string]string{}
		topo := n.Topology()
		err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
			if s.Channel.IsInjection() {
				return nil
			}
			key := fmt.Sprint(topo.ChannelName(s.Channel), " ", s.Header.Dest, " ", parity(s.Header.Tag))
			var to []string
			for _, h := range hops {
				kept := ""
				if h.Channel != spec.Eject {
					kept = fmt.Sprint(" ", parity(h.Tag))
				}
				to = append(to, topo.ChannelName(h.Channel)+kept)
			}
			if old, ok := all[key]; ok && old != strings.Join(to, ",") {
				t.Errorf("%s takes %s, and %s", key, old, to)
			}
			all[key] = strings.Join(to, ",")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := rows(byTag, func(tag spec.Tag) int { return int(tag) })
	got := rows(bySource, func(tag spec.Tag) int {
		x := bySource.Topology().Node(spec.NodeID(int(tag) / 3)).At[0]
		return x % 2
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-tag +source)\n%s", diff)
	}
}

// TestSourceFaults: at.src without the option, with replies, and of too many nodes.
func TestSourceFaults(t *testing.T) {
	const route = "def route(at, to):\n    return [hop(at.node.to(to))] if at.src else []\n"
	for text, want := range map[string]string{
		"a = node()\nboth(a, node())\n" +
			route: "m.star:4:39: at.src is unknown: declare network(sources = True), which multiplies the sites by the sources (in route at inject 1 for 0)",
		"network(sources = True, classes = [\"q\", \"r\"])\nreplies(\"q\", \"r\")\na = node()\nboth(a, node())\n" +
			route: "m.star:1:1: sources cannot be combined with replies: a transaction has several sources; keep what matters in the tag",
		"network(sources = True, tags = 32769)\na = node()\nboth(a, node())\n" +
			route: "m.star:1:1: sources of 2 nodes with 32769 tags each: at most 65536 in all",
		"network(sources = True)\na = node()\nboth(a, node())\ndef route(at, to):\n    return [hop(at.node.to(to), tag = 1)]\n": "m.star:5:13: ",
	} {
		f, err := star.Load(context.Background(), "m.star", []byte(text), star.Options{})
		if err == nil {
			_, err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
