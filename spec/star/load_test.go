package star_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// pair is a network of two nodes; tests append to it or break it.
const pair = `a = node("a")
b = node("b")
link(a, b)
link(b, a)
`

const direct = `def route(at, to):
    return [hop(at.node.to(to))]
`

// torus is the example of the README.
const torus = `k = param("k", 8, min = 3, max = 64)
network(name = "torus", switching = "wormhole", vcs = ["lo", "hi"])
at = {(x, y): node(at = (x, y)) for x in range(k) for y in range(k)}
for (x, y), n in at.items():
    both(n, at[((x + 1) % k, y)], out = "+x", back = "-x", dim = 1)
    both(n, at[(x, (y + 1) % k)], out = "+y", back = "-y", dim = 2)

def route(at, to):
    for axis, here, there in zip(["x", "y"], at.node.at, to.at):
        if here == there:
            continue
        if (there - here) % k <= k // 2:
            return [hop(at.node.port("+" + axis), "lo" if here > there else "hi")]
        return [hop(at.node.port("-" + axis), "lo" if here < there else "hi")]
`

func load(t testing.TB, text string, set map[string]string) *star.File {
	t.Helper()
	f, err := star.Load(context.Background(), "torus.star", []byte(text), star.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compile(t testing.TB, f *star.File, workers int) *spec.Network {
	t.Helper()
	n, err := routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDigestDoesNotDependOnWorkers(t *testing.T) {
	want := compile(t, load(t, torus, nil), 1).Digest()
	for _, workers := range []int{2, 3, 8} {
		f := load(t, torus, nil)
		for range 2 { // the second time, everything is remembered
			if got := compile(t, f, workers).Digest(); got != want {
				t.Errorf("%d workers: digest %s, want %s", workers, got, want)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	n := compile(t, load(t, torus, map[string]string{"k": "5"}), 2)
	count := map[string]int{}
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			count[n.Reason(s, h).Text]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// For each of 25 destinations there are 24 injection channels and 24 network
	// channels in use, 4 of which end there; the ways up and down are symmetric.
	want := map[string]int{"torus.star:13:21": 550, "torus.star:14:17": 550, "arrived": 100}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestDefinition(t *testing.T) {
	f := load(t, `network(name = "n", paper = "s", switching = "vct", buffer = 3, tags = 4, classes = ["rq", "rp"], vcs = ["CH", "CA"])
a = node("a", at = (1, 2))
b = node()
l = link(a, b, vcs = 1, out = "east", into = "west", dim = 1)
m, _ = both(b, "a", out = "p", back = "q", dim = 2)
flows([(a, b), (b, a, "rp")])
check = [a.name, a.id, a.at, a.out[0] == l, l.src == a, l.dst == b, l.vcs, l.out, l.into, l.dim, l.id, b.to(a) == m, a.port("z"), b.name]
if check != ["a", 0, (1, 2), True, True, True, 1, "east", "west", 1, 0, True, None, "1"]:
    fail(check)

def route(at, to):
    if at.injecting and (at.link, at.vc, at.channel) != (None, None, None):
        fail("injecting")
    if at.cls_name != ["rq", "rp"][at.cls]:
        fail("class")
    return (hop(at.node.out[0], tag = at.tag + 1), hop(at.node.to(to), vc = 0, tag = 3))
`, nil)
	n := compile(t, f, 1)
	def, topo := routing.FromNetwork(n), n.Topology()
	type said struct {
		Name, Origin  string
		Switching     spec.Switching
		Buffer, Tags  int
		Classes, VCs  []string
		Nodes         []spec.Node
		Links         []spec.Link
		Flows, Tables int
	}
	got := said{def.Name, def.Origin, def.Switching, def.Buffer, def.Tags, def.Classes, topo.VCNames(), nil, nil, n.FlowCount(), n.Tables()}
	for i := range topo.Nodes() {
		got.Nodes = append(got.Nodes, topo.Node(spec.NodeID(i)))
	}
	for i := range topo.Links() {
		got.Links = append(got.Links, topo.Link(spec.LinkID(i)))
	}
	want := said{"n", "s", spec.VirtualCutThrough, 3, 4, []string{"rq", "rp"}, []string{"CH", "CA"},
		[]spec.Node{{Name: "a", At: []int{1, 2}}, {Name: "1"}},
		[]spec.Link{{From: 0, To: 1, VCs: 1, Out: "east", In: "west", Dim: 1},
			{From: 1, To: 0, VCs: 2, Out: "p", In: "q", Dim: 2}, {From: 0, To: 1, VCs: 2, Out: "q", In: "p", Dim: 2}},
		3, 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
}

func TestParams(t *testing.T) {
	const text = `k = param("k", 4, min = 2, max = 64, doc = "size")
free = param("free", -1)
on = param("on", True)
order = param("order", "xy", choices = ["xy", "yx"])
` + pair + direct + "if (k, free, on, order) != WANT:\n    fail([k, free, on, order])\n"
	for _, c := range []struct {
		name string
		set  map[string]string
		saw  string
		want string
	}{
		{"defaults", nil, `(4, -1, True, "xy")`, ""},
		{"set", map[string]string{"k": "64", "free": "-7", "on": "no", "order": "yx"}, `(64, -7, False, "yx")`, ""},
		{"too large", map[string]string{"k": "100000"}, "0", "n.star:1:5: invalid k \"100000\": want 2..64"},
		{"too small", map[string]string{"k": "1"}, "0", "n.star:1:5: invalid k \"1\": want 2..64"},
		{"no number", map[string]string{"k": "4x"}, "0", "n.star:1:5: invalid k \"4x\": want 2..64"},
		{"no bool", map[string]string{"on": "maybe"}, "0", "n.star:3:6: invalid on \"maybe\": want true|false"},
		{"no choice", map[string]string{"order": "yz"}, "0", "n.star:4:9: invalid order \"yz\": want xy|yx"},
		{"unknown", map[string]string{"kk": "1"}, `(4, -1, True, "xy")`, `n.star:1:1: invalid parameter "kk": want k, free, on, order`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := attempt(strings.Replace(text, "WANT", c.saw, 1), c.set); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
	const none = `n.star:1:1: invalid parameter "k": the file declares none; k = param("k", ...) declares one`
	const plain = "k = 4\nnetwork()\nnode('a')\ndef route(at, to):\n    return []\n"
	if err := attempt(plain, map[string]string{"k": "5"}); err == nil || err.Error() != none {
		t.Errorf("a file whose k is no parameter: %v, want %s", err, none)
	}
	f := load(t, strings.Replace(text, "WANT", `(5, -1, True, "xy")`, 1), map[string]string{"k": "5"})
	want := []star.Param{
		{Name: "k", Kind: "int", Default: "4", Value: "5", Min: 2, Max: 64, Doc: "size"},
		{Name: "free", Kind: "int", Default: "-1", Value: "-1", Min: math.MinInt, Max: math.MaxInt},
		{Name: "on", Kind: "bool", Default: "true", Value: "true", Min: math.MinInt, Max: math.MaxInt},
		{Name: "order", Kind: "string", Default: "xy", Value: "xy", Min: math.MinInt, Max: math.MaxInt, Choices: []string{"xy", "yx"}},
	}
	if diff := cmp.Diff(want, f.Params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

// TestScript: runs of a script, one beside the other, are those of its file, each with its own parameters.
func TestScript(t *testing.T) {
	const machine = `
n = param("n", 2, min = 2, max = 9)
machine(name = "counter")
var("x", range(n))
seen = []
def step(s):
    s.x = (s.x + 1) % n
rule("step", step)
seen.append(n)
if len(seen) > 1:
    fail("a list of another run")
`
	for name, text := range map[string]string{"machine": machine, "network": torus} {
		script, err := star.Compile("m.star", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		param := map[string]string{"machine": "n", "network": "k"}[name]
		meaning := func(f *star.File, err error) string {
			if err != nil {
				return err.Error()
			}
			if f.Program != nil {
				return fmt.Sprint(f.Program.Name, f.Params, f.Program.Variables)
			}
			n, err := routing.Compile(t.Context(), f.Definition, routing.CompileOptions{Workers: 1})
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(f.Params, n.Digest())
		}
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				opt := star.Options{Set: map[string]string{param: fmt.Sprint(3 + i%4)}}
				want := meaning(star.Load(t.Context(), "m.star", []byte(text), opt))
				if got := meaning(script.Load(t.Context(), opt)); got != want {
					t.Errorf("%s with %v: %s, want %s", name, opt.Set, got, want)
				}
				if params, err := script.Params(opt); err != nil || params[0].Value != opt.Set[param] {
					t.Errorf("%s with %v: parameters %v, %v", name, opt.Set, params, err)
				}
			})
		}
		wait.Wait()
	}
}

// TestMeteredOperatorsKeepTheirMeaning computes with every operator, function
// and method that is charged for.
func TestMeteredOperatorsKeepTheirMeaning(t *testing.T) {
	const text = `def f(a, b = 1 + 1, *rest, **named):
    return (a + b, rest, named)

l = [1]
alias = l
l += [2]
m = {"a": 1}
same = m
m |= {"b": 2}
n = 3
n *= 4
n <<= 2
n %= 13
s = "ab"
s += "c"
box = [1, [2]]
box[0] += 5
box[1] += [3]
got = [
    f(1), f(*[1, 2, 3], **{"x": 4}), alias, same, n, s, box,
    1 + 2 * 3 % 4, "a" * 3, 2 * [0], (1,) + (2,), [1] + [2], 1 << 3, 6 | 1, {"a": 1} | {"b": 2},
    "%s-%d" % ("x", 5), "%(k)s" % {"k": 7}, "{}{x}".format(1, x = 2), ",".join(["a", "b"]), "aXb".replace("X", "Y"),
    "abc"[1:], [1, 2, 3][::-1], "a b".split(), [x + y for x, y in zip([1, 2], (3, 4)) if x + y > 4],
    {k: v * 2 for k, v in {"a": 1}.items()}, sorted([3, 1, 2], reverse = True), list(range(5, 0, -2)), max(1, 2), int("12"),
    (lambda x, y = 2 * 2: x * y)(3), dict(a = 1), str([1, "x"]), 1.5 * 2, 7 % -3, 1 << 70 >> 69, -5 % 3, "a" in "abc",
]
want = [
    (3, (), {}), (3, (3,), {"x": 4}), [1, 2], {"a": 1, "b": 2}, 9, "abc", [6, [2, 3]],
    3, "aaa", [0, 0], (1, 2), [1, 2], 8, 7, {"a": 1, "b": 2},
    "x-5", "7", "12", "a,b", "aYb",
    "bc", [3, 2, 1], ["a", "b"], [6],
    {"a": 2}, [3, 2, 1], [5, 3, 1], 2, 12,
    12, {"a": 1}, '[1, "x"]', 3.0, -2, 2, 1, True,
]
for i in range(len(want)):
    if got[i] != want[i]:
        fail("%d: got %s, want %s" % (i, got[i], want[i]))
if len(got) != len(want):
    fail(len(got))
`
	load(t, text+pair+direct, nil)
}

func TestBoundsAreBoundErrors(t *testing.T) {
	for _, text := range []string{"for i in range(1 << 40):\n    pass", "x = [0] * (1 << 40)", pair + "def route(at, to):\n    return list(range(1 << 40))\n"} {
		var met *spec.BoundError
		if err := attempt(text, nil); !errors.As(err, &met) || met.What != "steps" {
			t.Errorf("%q: %v, want a bound on steps", text, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	f, err := star.Load(ctx, "n.star", []byte(pair+direct), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("enough")
	cancel(reason)
	if _, err := f.Definition.Routing.AppendHops(nil, spec.Injection(0), spec.Header{Dest: 1}); !errors.Is(err, reason) {
		t.Errorf("the relation answers %v, want %v", err, reason)
	}
	if _, err := star.Load(ctx, "n.star", []byte("for i in range(1 << 40):\n    pass"), star.Options{MaxSteps: math.MaxInt64}); !errors.Is(err, reason) {
		t.Errorf("Load answers %v, want %v", err, reason)
	}
}

// FuzzLoad looks for texts that make Load panic or answer with more than a line.
func FuzzLoad(f *testing.F) {
	f.Add(torus)
	f.Add("machine(\rlambda :0)") // the parser ends a line at a lone carriage return
	f.Add(pair + direct)
	f.Add("x = [1]\nx[0] += 1\ny = x[0:1] * 3\nfail('%s' % y)")
	f.Add("a = node()\nb = node(at = (1, 2))\nfor l in both(a, b, vcs = 2): flows([(a, b)])\nnetwork()")
	f.Add("machine(name = 'm')\nmsg = record(k = ['a', 'b'], v = range(3))\nvar('e', ['a', 'b', 'c'])\nvar('r', msg, over = range(2))\nfifo('q', msg, size = 2)\ndef f(s, i):\n    m = s.q.pop()\n    when(m.v == i, 'v')\n    s.r[i] = m\n    s.e = choose(['a', m.k])\nrule('f', f, over = range(2))\nfinal(lambda s: s.q.full)\nexpect(deadlock_freedom = 'holds')")
	f.Add("machine(name = 'm')\np = processes('p', 2)\nvar('x', optional(p), over = [p, ['l', 'r']], init = lambda i, side: i)\nfifo('q', record(a = bool), over = p, lossy = True, unordered = True, init = [])\nreach('a', lambda s, i: s.q[i].head == None, over = p)\neventually('b', lambda s: s.x[0, 'l'] in (1, None))\nrule('r', lambda s: s.q[0].push(a = s.x[1, 'r'] == 0))")
	f.Fuzz(func(t *testing.T, text string) {
		var file *star.File
		var err error
		costtest.Within(t, len(text), func() {
			if file, err = star.Load(context.Background(), "n.star", []byte(text),
				star.Options{MaxSteps: 1e4, MaxRouteSteps: 1e3}); err == nil && file.Program == nil {
				_, err = routing.Compile(context.Background(), file.Definition, routing.CompileOptions{Workers: 1, MaxSites: 1000})
			}
		})
		if err != nil && (err.Error() == "" || strings.ContainsAny(err.Error(), "\n\r")) {
			t.Errorf("%q: error %q is not one line", text, err)
		}
	})
}

// BenchmarkMachine builds a directory protocol of four caches; leaves are the runs of
// its functions.
func BenchmarkMachine(b *testing.B) {
	text, err := os.ReadFile("../../models/examples/protocols/14_msi.star")
	if err != nil {
		b.Fatal(err)
	}
	rules := 0
	for b.Loop() {
		f, err := star.Load(context.Background(), "msi.star", text, star.Options{Set: map[string]string{"n": "4"}})
		if err != nil {
			b.Fatal(err)
		}
		rules = len(f.Program.Rules)
	}
	b.ReportMetric(float64(rules), "rules")
}

func BenchmarkStarTorus8x8(b *testing.B) {
	sites := 0
	for b.Loop() {
		sites = compile(b, load(b, torus, nil), 0).SiteCount()
	}
	b.ReportMetric(float64(sites), "sites")
}

// TestIsLibrary: whatever gives route a meaning describes a network, and is checked with its folder.
func TestIsLibrary(t *testing.T) {
	for text, want := range map[string]bool{
		"def next(i):\n    return i + 1\n":            true,
		"lines = [route for route in [1]]\n":          true,
		direct:                                        false,
		"route = lambda at, to: []\n":                 false,
		`load("lib.star", "route")` + "\n":            false,
		`load("lib.star", route = "next")`:            false,
		"machine(name = \"m\")\n":                     false,
		"paths(\"routes.csv\")\n":                     false,
		"t = tables(\"*.csv\")\n":                     false,
		"def paths(f):\n    return f\npaths(\"x\")\n": true,
		"def route(:":                                 false,
	} {
		if got := star.IsLibrary([]byte(text)); got != want {
			t.Errorf("%s\nis a library: %t, want %t", text, got, want)
		}
	}
}
