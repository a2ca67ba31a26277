package star_test

import (
	"strings"
	"testing"
)

// TestRoutesPlainly: what route and flows may do with their arguments, and what they may not, is
// the same with symbolic values: comparing, hashing, formatting and sorting values, and errors.
func TestRoutesPlainly(t *testing.T) {
	const head = `network(tags = 2, vcs = 2)
nodes = [node(at = (x,)) for x in range(6)]
for a, b in zip(nodes, nodes[1:]):
    both(a, b, out = "+x", back = "-x")
def step(at, to):
    return at.node.port("+x" if to.id > at.node.id else "-x")
`
	for _, text := range []string{
		"flows(lambda s, d, c: 1 // (s.id - 3 + 10*(d.id-2)) >= -100)\ndef route(at, to):\n\treturn [hop(step(at, to))]",
		"flows(lambda s, d, c: fail('no') if (s.id, d.id) == (3, 1) else True)\ndef route(at, to):\n\treturn [hop(step(at, to))]",
		"def route(at, to):\n\tx = at.node.id\n\tfor _ in range(40):\n\t\tx = min(x, x)\n\treturn [hop(step(at, to), x % 2)]",
		"def route(at, to):\n\tx = at.tag\n\tfor _ in range(30):\n\t\tx = x ^ (x >> 1)\n\treturn [hop(step(at, to), x % 2)]",
		"def route(at, to):\n\tx = [0] * (at.node.id * 1000000)\n\treturn [hop(step(at, to), len(x) % 2)]",
		"def route(at, to):\n\tx = 'a' * (at.node.id * 1000000)\n\treturn [hop(step(at, to), len(x) % 2)]",
		"def route(at, to):\n\th = [hop(step(at, to))]\n\treturn h if h[0] in h and h[0] == h[0] and hop(step(at,to)) not in h else []",
		"def route(at, to):\n\ts = {at.node: 1}\n\treturn [hop(step(at, to), s[at.node])]",
		"def route(at, to):\n\ts = {}\n\ts[at.node.at] = 1\n\treturn [hop(step(at, to), s[at.node.at])]",
		"def route(at, to):\n\ts = {}\n\ts[at] = 1\n\treturn [hop(step(at, to))]",
		"def route(at, to):\n\tx = at.node.id\n\tx <<= 2\n\tx |= 1\n\tx *= x\n\tx -= 3\n\treturn [hop(step(at, to), x % 7 % 2)]",
		"def route(at, to):\n\tx = [at.node.id]\n\tx[0] += to.id\n\treturn [hop(step(at, to), x[0] % 2)]",
		"def route(at, to):\n\ta, b, = at.node.at + to.at\n\treturn [hop(step(at, to), (a + b) % 2)]",
		"def route(at, to):\n\tat.tag = 3\n\treturn [hop(step(at, to))]",
		"def route(at, to):\n\tnodes.append(3)\n\treturn [hop(step(at, to))]",
		"def route(at, to, z = [1, 2, 3, 4, 5, 6]):\n\treturn [hop(step(at, to), z[at.node.id] % 2)]",
		"def mk():\n\tq = [1, 0, 1, 1, 0, 0]\n\treturn lambda i: q[i]\nq = mk()\ndef route(at, to):\n\treturn [hop(step(at, to), q(at.node.id))]",
		"def route(at, to):\n\tq = [at.node.id, to.id, 3, 4]\n\tq[at.tag] = 7\n\treturn [hop(step(at, to), q[0] % 2)]",
		"def route(at, to):\n\tq = list(reversed([at.node.id, to.id]))\n\treturn [hop(step(at, to), q[0] % 2, any(q) and 1 or 0)]",
		"def route(at, to):\n\tq = [i for i, n in enumerate(nodes) if n == at.node]\n\treturn [hop(step(at, to), q[0] % 2)]",
		"def route(at, to):\n\tq = nodes.index(at.node)\n\treturn [hop(step(at, to), q % 2)]",
		"def route(at, to):\n\tfor i in range(at.node.id):\n\t\tpass\n\treturn [hop(step(at, to), len(range(to.id, at.node.id, -1)) % 2)]",
		"def route(at, to):\n\td = dict([(at.node.id, 2)])\n\treturn [hop(step(at, to), d.get(0, 1) % 2)]",
		"def route(at, to):\n\tf = lambda *a, **k: len(a) + k['x']\n\treturn [hop(step(at, to), f(*at.node.at, **dict(x = to.id)) % 2)]",
		"def route(at, to):\n\tx = bool(at.node.id) == True\n\treturn [hop(step(at, to), 1 if x else 0)]",
		"def route(at, to):\n\tx = to.id\n\tfor i in range(400):\n\t\tif x == i + 7:\n\t\t\treturn []\n\treturn [hop(step(at, to))]",
	} {
		sameNetwork(t, "n.star", head+strings.ReplaceAll(text, "\t", "    ")+"\n", nil)
	}
	for _, hops := range []string{
		`''`,
		`range(0)`,
		`[hop(step(at, to))] if at.injecting else 'x'[1:]`,
		`[hop(step(at, to), 'a')]`,
		`[hop(step(at, to), True)]`,
		`[hop(step(at, to), None)]`,
		`[hop(step(at, to), 0, None)]`,
		`[hop(step(at, to), at.vc)]`,
		`[hop(step(at, to), 1.0)]`,
		`[hop(None)]`,
		`[hop(at.link or step(at, to))]`,
		`[hop(step(at, to), (at.node.id * 1.5) // 2 < 3 and 1 or 0)]`,
		`[hop(step(at, to))] if (at, 1) not in {} else []`,
		`[hop(step(at, to))] if struct(n = at.node).n == at.node else []`,
		`[hop(step(at, to))] if at.node.to == at.node.to else []`,
		`[hop(step(at, to))] if at.node.port == nodes[0].port else [hop(step(at, to), 1)]`,
		`[hop(step(at, to))] if str(at.node.port) == '<built-in method port of node value>' else [hop(step(at, to), 1)]`,
		`[hop(step(at, to))] if type(at.node.port)== 'x' else [hop(step(at, to), len(type(at.node)) % 2)]`,
		`[hop(step(at, to), len('%r' % at.node.port) % 2)]`,
		`[hop(step(at, to), len('%r' % [at.node, at.link]) % 2)]`,
		`[hop(step(at, to), 1 if at.node < to else 0)]`,
		`[hop(step(at, to), 1 if at.node.at < to.at else 0)]`,
		`[hop(step(at, to), 1 if [at.node.at[0]] == [0] else 0)]`,
		`[hop(step(at, to), 1 if at.node.id in {0: 1} else 0)]`,
		`[hop(step(at, to), sorted(nodes, key = lambda n: abs(n.id - at.node.id))[1].id % 2)]`,
		`[hop(step(at, to), max(nodes, key = lambda n: abs(n.id - at.node.id)).id % 2)]`,
		`[hop(step(at, to), min(at.node.id, to.id, key = lambda n: -n) % 2)]`,
		`[hop(step(at, to), min(at.node.id, True) % 2)]`,
		`[hop(step(at, to), min(at.node.id, 2.5) // 1 == 2.0 and 1 or 0)]`,
		`[hop(step(at, to), min(at.node, to).id % 2)]`,
		`[hop(step(at, to), int(at.node.id / 2) % 2)]`,
		`[hop(step(at, to), (at.node.id * (1 << 60) + (1 << 70) * to.id) >> 61 & 1)]`,
		`[hop(step(at, to), (at.node.id << 3) % 5 % 2)]`,
		`[hop(step(at, to), +at.node.id % 2)]`,
		`[hop(step(at, to), (at.node.id - 10) % 4 // 2)]`,
		`[hop(step(at, to), (at.node.id - 10) >> 1 & 1)]`,
		`[hop(step(at, to), (at.node.id - 10 | 2) // 3 % 2)]`,
		`fail('x', at.node, to.at, at)`,
		`route(at, to)`,
		`[hop(l) for l in at.node.out if l.dst in nodes[2:4] or l.src == to]`,
		`[hop(step(at, to), {n.id: n for n in at.node.out} and 1)]`,
		`[hop(step(at, to), nodes[at.node.id:][0].id % 2)]`,
		`[hop(step(at, to), 'abcdef'[to.id] in 'ace' and 1 or 0)]`,
		`[hop(step(at, to), 'abcdef'.find('d', to.id) % 2)]`,
		`[hop(at.node.out[-1] if at.node.out[to.id % -2] else None)]`,
		`[hop(at.node.out[to.id - 3])]`,
		`[hop(nodes[to.id - 3].out[0])]`,
		`[hop(step(at, to), link = at.link)]`,
		`[hop(link = step(at, to), tag = at.tag + 1)]`,
		`[hop(step(at, to), 0 if at.vc == None else 1 - at.vc)]`,
		`[hop(step(at, to), 0 if None == at.link else 1)]`,
		`[hop(step(at, to), 0 if at.link in (None, 3) else 1)]`,
		`[hop(step(at, to), 0 if at.link in [None] else at.channel % 2)]`,
		`[hop(step(at, to), 0 if (at.link, 1) == (None, 1) else 1)]`,
		`[hop(step(at, to), 0 if (at.node, (at.node.id, 'x')) == (nodes[1], (1, 'x')) else 1)]`,
		`[hop(step(at, to), 0 if (at.node, (at.node.id, 'x')) != (nodes[1], (1.0, 'x')) else 1)]`,
		`[hop(step(at, to), 0 if at.node.id == 1.0 else 1)]`,
		`[hop(step(at, to), 0 if at.node.id < 2.5 else 1)]`,
		`[hop(step(at, to), 0 if 2.5 >= at.node.id else 1)]`,
		`[hop(step(at, to), 0 if True == at.node.id else 1)]`,
		`[hop(step(at, to), 0 if at.node.id < 'a' else 1)]`,
		`[hop(step(at, to), 0 if at.node.id < None else 1)]`,
		`[hop(step(at, to), at.foo)]`,
		`[hop(step(at, to), at.node.foo)]`,
		`[hop(step(at, to), at.src.id % 2)]`,
		`[hop(step(at, to), len(at.node.data))]`,
		`[hop(at.node.to(to.at))]`,
		`[hop(at.node.to(to) or at.node.to(nodes[at.node.id + 1]))]`,
		`[hop(at.node.port(to))]`,
		`(hop(step(at, to)), )`,
		`{}`,
		`hop(step(at, to))`,
		`None`,
		`[step(at, to)]`,
		`[hop(step(at, to), at.node.at[at.tag])]`,
		`[hop(step(at, to), ('%d' % at.node.id) in ['1', '2'] and 1 or 0)]`,
		`[hop(step(at, to), len(at.node.name + str(to)) % 2)]`,
		`[hop(step(at, to), int(str(at.node.id)) % 2)]`,
		`[hop(step(at, to), len('{} {!r} {0}'.format(at.node.id)) % 2)]`,
		`[hop(step(at, to), len('{} {!r}'.format(at.node.id, to)) % 2)]`,
		`[hop(step(at, to), len(', '.join([str(x) for x in to.at])) % 2)]`,
		`[hop(step(at, to), at.node.id in range(2, 4) and 1 or 0)]`,
		`[hop(step(at, to), 3 in [at.node.id, to.id] and 1 or 0)]`,
		`[hop(step(at, to), at.node.id % 2 if at.node.id else not at.node.id and 1)]`,
		`[hop(l, l.vcs - 1, l.dim) for l in at.node.out if l.into == '' or l.out == '+x']`,
		`[hop(l, l.id // 2 % 2) for l in at.node.out if l.src.id + l.dst.id != 5]`,
		`[hop(l, 0) for l in at.node.out if '%s' % l == '(1)->(2)[+x]' or l == step(at, to)]`,
		`[hop(step(at, to))] if at.foo == None else []`,
		`[hop(at.node.to(to), at.foo)]`,
	} {
		sameNetwork(t, "n.star", head+"def route(at, to):\n    return "+hops+"\n", nil)
	}
	// No link leads onward from the node of the packet: only injections exist.
	sameNetwork(t, "n.star", `a, b = node("a"), node("b")
both(a, b)
def route(at, to):
    return [hop(at.node.to(to))] if at.foo == None else []
`, nil)
}
