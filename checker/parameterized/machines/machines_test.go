package machines_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized/machines"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// solvers skips the test where a solver is not installed.
func solvers(t *testing.T) {
	t.Helper()
	for _, v := range smt.Solvers() {
		if _, err := exec.LookPath(v.Name); err != nil {
			t.Skipf("%s is not installed", v.Name)
		}
	}
}

func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../models/examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func prove(t *testing.T, file, text, size string) *machines.Proof {
	t.Helper()
	m, err := machines.Read(file, []byte(text), size, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Prove(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	commit = "protocols/12_two_phase_commit.star"
	token  = "protocols/10_token_ring.star"
	german = "coherence/german.star"
	each   = "coherence/invalidate_each.star"
	stages = "protocols/09_peterson.star"
	joint  = "coherence/invalidate_combined.star"
)

// TestExamples: protocols that their authors proved for any number of participants are proved here, too (Gray and
// Lamport 2006; Le Lann 1977; Chou, Mannava and Park 2004), and the file of conditions is one that both solvers decide.
func TestExamples(t *testing.T) {
	solvers(t)
	for _, c := range []struct{ file, size string }{
		{commit, "managers"}, {token, "n"}, {german, "n"}, {each, "n"}, {joint, "n"}, {"protocols/02_rule.star", "n"},
		{"protocols/06_symmetry.star", "n"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			p := prove(t, filepath.Base(c.file), example(t, c.file), c.size)
			if p.Verdict() != spec.Holds {
				t.Fatalf("%v: %s %v", p.Verdict(), p.Missing, p.Unproved)
			}
			script, err := smt.Parse("again.smt2", p.Script.Text)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range smt.Solvers() {
				if err := v.Run(t.Context(), script); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestWrong: protocols with one wrong line are refuted at the smallest size at which they can fail, by an argument beside
// each.
func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		file, size, old, new string
		want                 int
	}{
		// One manager alone agrees with itself; with two, the other one may have given up.
		"commits early": {commit, "managers", ") == n", ") >= 1", 2},
		// Managers 0 to 2 are asked: the fourth may have given up.
		"asks three": {
			commit, "managers", "count(managers, lambda i: s.received[i]) == n",
			"all([s.received[i] for i in managers if i < 3])", 4,
		},
		// Two nodes are the fewest here.
		"keeps entering": {token, "n", `s.at[i] = "critical"`, `s.at[i] = "critical"` + "\n        s.to[(i + 1) % n].push(\"token\")", 2},
		// A reader beside a writer needs two clients.
		"grants at once": {german, "n", `    when(s.right == "S" or not any([s.shares[x] for x in clients]))` + "\n", "", 2},
		"forgets to tell": {
			"protocols/06_symmetry.star", "n", `    when(s.at[i] == "away" and not any([s.at[k] == "writes" for k in people]))`,
			`    when(s.at[i] == "away")`, 2,
		},
		// With one Ack of two, the other cluster still has its copy. With two clusters there is one Ack.
		"replies early":  {each, "n", `param("early", False`, `param("early", True`, 3},
		"combines early": {joint, "n", `param("early", False`, `param("early", True`, 3},
		// The other cluster keeps its copy.
		"keeps its copy": {joint, "n", "        s.copy[c] = False\n", "", 2},
		// The turn is given away before the claim: the other one passes while nobody claims, then the turn lets this one pass.
		"Peterson, assignments swapped": {
			stages, "n",
			`        s.claimed[i], s.at[i] = s.stage[i], "yield"
    elif s.at[i] == "yield":  # a later one at this stage lets this one pass
        s.turn[s.stage[i]], s.at[i] = i, "wait"
`,
			`        s.turn[s.stage[i]], s.at[i] = i, "yield"
    elif s.at[i] == "yield":
        s.claimed[i], s.at[i] = s.stage[i], "wait"
`, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := prove(t, "wrong.star", replaced(t, example(t, c.file), c.old, c.new), c.size)
			if p.Verdict() != spec.Violated || p.Size != c.want || p.Result == nil {
				t.Errorf("%v at %d, want violated at %d", p.Verdict(), p.Size, c.want)
			}
		})
	}
}

// TestNoParticipants: at a size without participants that the invariant is about, a wrong step is found, also where a
// deadlock is nearer.
func TestNoParticipants(t *testing.T) {
	p := prove(t, "f.star", `n = param("n", 3, min = 1)
machine(name = "pairs")
procs = processes("process", n)
var("x", range(5))
def end(s):
    when(s.x == 0)
    s.x = 1
def up(s, i):
    when(s.x != 1)
    s.x += 2 if s.x == 0 else 1
rule("end", end)
rule("{} up", up, over = procs)
invariant("pairs", lambda s, a, b: s.x < 5, over = [(a, b) for a in procs for b in procs if a != b])
`, "n")
	if p.Verdict() != spec.Violated || p.Size != 1 {
		t.Errorf("%v at %d: %s", p.Verdict(), p.Size, p.Missing)
	}
}

func replaced(t *testing.T, text, old, new string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

// TestPeterson: the lock of n processes (Peterson 1981) is proved by counting, as a list of what is never true of a few
// processes has no end. Locks in which a second process passes are refuted, or not proved if that takes 40 processes.
func TestPeterson(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute with the race detector")
	}
	solvers(t)
	text := replaced(t, example(t, stages), ", max = 8", "")
	const next, passes = "s.stage[i] + 1, ", "s.turn[s.stage[i]] != i or"
	for name, c := range map[string]struct {
		old, new string
		whole    bool
		want     spec.Verdict
	}{
		"right":                {"", "", false, spec.Holds},
		"a stage less":         {`if s.stage[i] < n - 1 else`, `if s.stage[i] < n - 2 else`, false, spec.Violated},
		"no stage at many":     {passes, "n > 39 or " + passes, true, spec.Unknown},
		"a stage less at many": {next, "s.stage[i] + (2 if n > 39 and s.stage[i] == 1 else 1), ", true, spec.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			if c.whole {
				seedtest.InFull(t)
			}
			file := text
			if c.old != "" {
				file = replaced(t, text, c.old, c.new)
			}
			p := prove(t, "lock.star", file, "n")
			if p.Verdict() != c.want {
				t.Fatalf("%v, want %v: %s %v", p.Verdict(), c.want, p.Missing, p.Unproved)
			}
			counted := slices.ContainsFunc(p.Clauses, func(c machines.Clause) bool { return c.Own && c.Counts == "turn" })
			if counted != (c.want == spec.Holds) {
				t.Errorf("by counting: %v", counted)
			}
		})
	}
}

// TestLarge: what fails at sizes alone that are not checked one by one is not proved.
func TestLarge(t *testing.T) {
	solvers(t)
	for name, c := range map[string]struct{ file, size, old, new string }{
		"manager 20 is not asked": {
			commit, "managers", "count(managers, lambda i: s.received[i]) == n",
			"all([s.received[i] for i in managers if i != 20])",
		},
		"node 20 makes a token": {
			token, "n", "    s.to[i].pop()\n", "    if i != 20:\n        s.to[i].pop()\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := prove(t, "large.star", replaced(t, example(t, c.file), c.old, c.new), c.size)
			if p.Verdict() != spec.Unknown || p.Missing == "" {
				t.Errorf("%v, %q", p.Verdict(), p.Missing)
			}
		})
	}
}

// TestOutside: what an invariant says of some participants is no fact about another one. Participant 0 lets 34 in, so the
// invariant about the others fails from 35 participants on.
func TestOutside(t *testing.T) {
	solvers(t)
	for name, said := range map[string]string{
		"all":  `lambda s: all([not s.x[k] for k in range(1, n)])`,
		"over": `lambda s, k: not s.x[k], over = range(1, n)`,
	} {
		t.Run(name, func(t *testing.T) {
			p := prove(t, "f.star", `n = param("n", 3, min = 2)
machine(name = "outside")
procs = processes("process", n)
var("x", bool, over = procs)
def first(s):
    s.x[0] = True
def more(s, i):
    when(s.x[0] and i == 17 + 17)
    s.x[i] = True
rule("first", first)
rule("{} more", more, over = procs)
invariant("none", `+said+")\n", "n")
			if p.Verdict() != spec.Unknown || p.Missing == "" {
				t.Errorf("%v, %q", p.Verdict(), p.Missing)
			}
		})
	}
}

const lock = `n = param("n", 3, min = 2)
machine(name = "lock")
procs = processes("process", n)
var("at", ["idle", "critical"], over = procs)
var("owner", optional(procs))
`

const locked = `
def leave(s, i):
    when(s.at[i] == "critical")
    s.at[i], s.owner = "idle", None
rule("{} enters", enter, over = procs)
rule("{} leaves", leave, over = procs)
invariant("one", lambda s: count(procs, lambda i: s.at[i] == "critical") <= 1)
`

// TestLanguage: what Starlark means is what is read, or it is refused. Each condition below lets everybody in from 20
// participants on alone, where a reader that takes it otherwise would leave that out.
func TestLanguage(t *testing.T) {
	solvers(t)
	whole := "def enter(s, i):\n    when(s.owner == None)\n    s.at[i], s.owner = \"critical\", i\n"
	if p := prove(t, "lock.star", lock+whole+locked, "n"); p.Verdict() != spec.Holds {
		t.Fatalf("the lock itself: %v %s", p.Verdict(), p.Missing)
	}
	for name, c := range map[string]struct{ top, body, free string }{
		"plain":                 {"", "", "n > 19"},
		"one of them":           {"", "", "i == 19"},
		"empty range":           {"", "", "n > 19 and len(range(19 - n)) == 0"},
		"count of nobody":       {"", "", "n > 19 and count(range(19 - n), lambda k: False) != 19 - n"},
		"all of nobody":         {"", "", "all([False for k in range(20 - n)])"},
		"unassigned":            {"v = 1\n", "    if n < 20:\n        v = 1\n", "v != 1"},
		"assigned later":        {"def f():\n    return v\n", "", "n > 19 and f() == 1"},
		"assigned twice":        {"v = 0\nf = lambda: v\nv = 1\n", "", "n > 19 and f() == 1"},
		"default":               {"v = 0\ndef f(a = v):\n    return a\n", "", "n > 19 and f() == 0"},
		"what a lambda sees":    {"", "    v = 0\n    f = lambda: v\n    v = 1\n", "n > 19 and f() == 1"},
		"last of a loop":        {"", "    v = 0\n    for k in procs:\n        v = k\n", "v == 19"},
		"last of a top loop":    {"fs = []\nfor x in [0, 1]:\n    y = x\n", "", "n > 19 and y == 1"},
		"list of lambdas":       {"fs = [lambda: x for x in [0, 1]]\n", "", "n > 19 and fs[0]() == 1"},
		"negative remainder":    {"", "", "(0 - n) % 20 == 0"},
		"remainder":             {"", "", "n % 20 == 0"},
		"product":               {"", "", "n * n > 380"},
		"text":                  {"", "", "str(n) == \"20\""},
		"order of texts":        {"", "", "n > 19 and \"a\" < \"b\""},
		"truth of a number":     {"", "", "n - 19 if n > 18 else False"},
		"nested":                {"", "", "any([all([i >= k for k in procs]) for x in procs if x == 19])"},
		"two counts":            {"", "", "count(procs, lambda k: s.at[k] == \"idle\") > 20"},
		"a tuple":               {"", "", "(n, i) == (20, 0)"},
		"member":                {"", "", "19 in procs"},
		"choice":                {"", "    c = choose(procs)\n", "c == 19"},
		"an index that is none": {"", "    v = [0, 0][n // 20]\n", "v == 0 and n > 19"},
		"None and -1":           {"", "", "s.owner != i - 20 and s.owner == None and i == 19 or s.owner != None and s.owner == i - 20"},
		"not -1":                {"", "    when(s.owner == None or s.owner != i - 20)\n", "i == 19 and s.owner != i - 20"},
		"order with None":       {"", "", "n > 19 and s.owner < 1"},
		"what also assigns": {
			"var(\"v\", bool)\ndef g(s):\n    s.v = True\ndef clear(s):\n    s.v = False\nrule(\"clear\", clear)\n",
			"    also(g)\n", "n > 19 and not s.v",
		},
		"what also pops": {
			"fifo(\"q\", procs)\ndef put(s, i):\n    when(s.q.empty)\n    s.q.push(i)\nrule(\"put {}\", put, over = procs)\n" +
				"def pop(s):\n    also(s.q.pop)\n    if n > 19 and not s.q.empty:\n        fail(\"x\")\nrule(\"pop\", pop)\n",
			"", "False",
		},
		"two names of a list":      {"", "    a = [0]\n    b = a\n    b += [1]\n", "n > 19 and len(a) == 2"},
		"a list as parameter":      {"def add(l):\n    l += [1]\n", "    a = [0]\n    add(a)\n", "n > 19 and len(a) == 2"},
		"a list of the file":       {"g = [0]\n", "    b = g\n    if n > 19:\n        b += [1]\n", "False"},
		"+= reads first":           {"var(\"x\", range(10))\ndef f(s):\n    if n > 19:\n        s.x = 5\n    return 1\n", "    s.x = 0\n    s.x += f(s)\n", "n > 19 and s.x == 1"},
		"+= has one index":         {"var(\"x\", range(5), over = procs)\nvar(\"c\", range(4))\ndef f(s):\n    s.c += 1\n    return 0\n", "    s.c, s.x[0] = 0, 0\n    if n > 19:\n        s.x[f(s)] += 1\n", "n > 19 and s.c == 1"},
		"+= moves its index":       {"var(\"x\", range(5), over = procs)\nvar(\"c\", range(2))\ndef f(s):\n    if n > 19:\n        s.c = 1\n    return 1\n", "    s.c, s.x[0], s.x[1] = 0, 0, 0\n    s.x[s.c] += f(s)\n", "n > 19 and s.x[0] == 1"},
		"-1 is not None":           {"", "", "i == 19 and i - 20 != None"},
		"-1 is in no list of None": {"", "", "i == 19 and i - 20 not in [None]"},
		"-1 in a tuple":            {"", "", "i == 19 and (i - 20, 1) != (None, 1)"},
		"-1 is -1":                 {"", "", "i == 19 and i - 20 == 0 - 1"},
		"differences":              {"", "", "any([i - 20 == k - 20 for k in procs if k == 19])"},
		"below or None": {
			"var(\"f\", optional(procs), over = procs)\n", "    when(i > 0)\n    s.f[i] = i - 1\n", "n > 19 and s.f[0] == None",
		},
		"also a lambda": {
			"var(\"w\", bool)\ndef h(s, b):\n    s.w = b\ndef g(s):\n    s.w = False\nrule(\"g\", g)\n",
			"    v = False\n    if n > 19:\n        also(lambda s: h(s, v))\n        v = True\n", "s.w",
		},
		"-1 or an owner":            {"var(\"w\", optional(procs))\n", "", "any([(k - 20 if k < 19 else s.w) == None for k in procs if k == 19])"},
		"text or number":            {"", "", "not all([(\"idle\" if k < 19 else 4) == \"idle\" for k in procs])"},
		"text in a sum":             {"", "", "not all([(3 if k < 19 else \"idle\") + 0 >= 0 for k in procs])"},
		"None in an order":          {"", "", "not all([(3 if k < 19 else None) < 5 for k in procs])"},
		"text that is none of its":  {"", "", "n > 19 and s.at[i] == \"away\""},
		"variables that differ":     {"var(\"t\", [\"p\", \"q\"])\n", "", "n > 19 and s.at[i] == s.t"},
		"text for some":             {"", "", "n > 19 and any([(\"idle\" if k < 19 else \"away\") == s.at[k] for k in procs if k > 18])"},
		"number among texts":        {"var(\"t\", [\"p\", \"q\"], over = procs)\n", "    for k in procs:\n        s.t[k] = \"p\" if k < 19 else 8\n", "False"},
		"and is its operand":        {"", "", "n > 19 and (True and [0]) != True"},
		"or is its operand":         {"", "", "n > 19 and ([0] or False) != True"},
		"key None":                  {"var(\"x\", bool, over = range(-1, n))\n", "    if i >= 19:\n        s.x[s.owner] = True\n", "False"},
		"initial value":             {"var(\"x\", range(3), over = procs, init = lambda i: 0 if i < 19 else 5)\n", "", "s.x[i] == 5"},
		"initial text":              {"var(\"x\", [\"p\", \"r\"], over = procs, init = lambda i: \"p\" if i < 19 else \"q\")\n", "", "s.x[i] not in [\"p\", \"r\"]"},
		"initial message":           {"fifo(\"q\", [\"p\"], over = procs, init = lambda i: [] if i < 19 else [\"q\"])\n", "", "not s.q[i].empty"},
		"initial code of a message": {"fifo(\"q\", range(2), over = procs, init = lambda i: [] if i < 19 else [\"idle\"])\n", "", "False"},
		"no values":                 {"var(\"x\", range(20 - n), init = any(range(20 - n)))\n", "", "n > 19"},
		"recursion":                 {"def f(k):\n    return f(k - 1) if k > 0 else 1\n", "", "f(n - 19) == 1 if n > 19 else False"},
		// Only participants from 20 on keep True.
		"assigned for some":          {"def f(k):\n    v = True\n    if k < 20:\n        v = False\n    return v\n", "", "any([f(k) for k in procs])"},
		"assigned for some, counted": {"def f(k):\n    v = True\n    if k < 20:\n        v = False\n    return v\n", "", "count(procs, f) >= 1"},
		"assigned for some, initial": {"def f(k):\n    v = True\n    if k < 20:\n        v = False\n    return v\nvar(\"odd\", bool, over = procs, init = f)\n", "", "s.odd[i]"},
		"message for some": {
			"def f(i):\n    l = []\n    if i > 19:\n        l = [0]\n    if i < 20:\n        l = []\n    return l\nfifo(\"q\", procs, over = procs, init = f)\n",
			"", "not s.q[i].empty",
		},
		// Only participants below 20 have the one element.
		"filter":           {"", "", "any([len([x for x in [0] if k < 20]) == 0 for k in procs])"},
		"filter's truth":   {"", "", "any([not [x for x in [0] if k < 20] for k in procs])"},
		"filter, initial":  {"fifo(\"q\", procs, over = procs, init = lambda i: [x for x in [0] if i < 20])\n", "", "s.q[i].empty"},
		"filter in a loop": {"var(\"x\", bool, over = procs)\n", "    for k in procs:\n        s.x[k] = not [y for y in [0] if k < 20]\n", "any([s.x[k] for k in procs])"},
		// From 20 on these loops run for nobody, so nothing in them refuses.
		"loop over nobody":         {"", "    if s.owner != None:\n        for k in range(20 - n):\n            when(False)\n", "True"},
		"state, for nobody":        {"", "    for k in range(20 - n):\n        when(s.owner == None)\n", "True"},
		"contrary, for nobody":     {"", "    if s.owner != None:\n        for k in range(20 - n):\n            when(s.at[i] == \"critical\")\n            when(s.at[i] == \"idle\")\n", "True"},
		"all others, for nobody":   {"", "    if s.owner != None:\n        for k in range(n, 20):\n            for j in procs:\n                when(s.at[j] == \"idle\")\n", "True"},
		"fault after nobody":       {"def w(s):\n    for k in range(20 - n):\n        when(False)\n    fail(\"large\")\nrule(\"w\", w)\n", "", "False"},
		"fault after nobody, ever": {"def w(s):\n    for k in range(0):\n        when(False)\n    when(n > 19)\n    fail(\"large\")\nrule(\"w\", w)\n", "", "False"},
		// The pair (1, 0) comes after (0, 1), so it is the last to assign m[1, 0].
		"pairs both ways": {
			"var(\"m\", bool, over = [procs, procs])\n",
			"    if n > 19:\n        for a in procs:\n            for b in procs:\n                s.m[a, b] = False\n                s.m[b, a] = True\n",
			"n > 19 and not s.m[1, 0]",
		},
		// The pair (1, 0) reads m[1, 0], which the pair (0, 1) has made True.
		"pairs the other way": {
			"var(\"m\", bool, over = [procs, procs])\n",
			"    if n > 19:\n        for p in [(a, b) for a in procs for b in procs]:\n            s.m[p[0], p[1]] = False\n" +
				"        for p in [(a, b) for a in procs for b in procs]:\n            s.m[p[1], p[0]] = not s.m[p[0], p[1]]\n",
			"n > 19 and not s.m[0, 1]",
		},
		// Each participant reads its successor before that one has assigned.
		"assigned in a list": {
			"var(\"x\", bool, over = procs)\ndef f(s, k):\n    s.x[k] = True\n    return k == n - 1 or not s.x[(k + 1) % n]\n",
			"    ok = False\n    if n > 19:\n        for k in procs:\n            s.x[k] = False\n        ok = all([f(s, k) for k in procs])\n", "ok",
		},
		"assigned in a count": {
			"var(\"x\", bool, over = procs)\ndef f(s, k):\n    s.x[k] = True\n    return k == n - 1 or not s.x[(k + 1) % n]\n",
			"    ok = False\n    if n > 19:\n        for k in procs:\n            s.x[k] = False\n        ok = count(procs, lambda k: f(s, k)) == n\n", "ok",
		},
		// A message that is none of the values is an error, also where a full FIFO would wait. The sum is a size that is
		// near no number of the file.
		"no message, and no room": {
			"fifo(\"q\", procs, blocking = True)\ndef put(s):\n    when(s.q.empty)\n    s.q.push(0)\nrule(\"put\", put)\n" +
				"def more(s):\n    if n > 19 + 19 and not s.q.empty:\n        s.q.push(n)\nrule(\"more\", more)\n",
			"", "False",
		},
		// With 39 participants there is nothing to choose, and the error comes first.
		"fault before no choice": {"def w(s):\n    if n == 19 + 20:\n        s.owner = n\n    choose(range(19 + 20, n))\nrule(\"w\", w)\n", "", "False"},
		"list and tuple":         {"", "", "n > 38 and len([1] + (2,)) == 2"},
		"list and range":         {"", "", "n > 38 and len([1] + range(2)) == 3"},
		"tuple of a list":        {"", "", "n > 38 and len(tuple([1]) + [2]) == 2"},
		"never assigned":         {"for z in []:\n    any = z\n", "", "n > 38 and any([True])"},
		"large product":          {"", "", "n > 38 and 1048575 * 1048575 * 1048575 * 1048575 > 0"},
		"take of nothing":        {"fifo(\"q\", procs)\ndef w(s):\n    when(n > 19 + 19)\n    s.q.take()\nrule(\"w\", w)\n", "", "False"},
		"holds nothing":          {"fifo(\"q\", procs)\n", "", "n > 38 and not s.q.holds(0)"},
		"a choice in also":       {"def c(s):\n    choose([0, 1])\ndef w(s):\n    when(n > 19 + 19)\n    also(c)\nrule(\"w\", w)\n", "", "False"},
		"a sum of literals":      {"", "", "n > 19 + 19"},
		// Participant 20 fails before the last one refuses.
		"fault before a refusal": {
			"var(\"last\", bool, over = procs, init = lambda i: i == n - 1)\ndef w(s):\n    when(s.last[n - 1])\n    for k in procs:\n        when(not s.last[k])\n        if k == 20:\n            fail(\"twenty\")\nrule(\"w\", w)\n",
			"", "False",
		},
	} {
		t.Run(name, func(t *testing.T) {
			enter := "def enter(s, i):\n" + c.body + "    when(s.owner == None or " + c.free + ")\n    s.at[i], s.owner = \"critical\", i\n"
			if name == "assigned later" {
				enter += "v = 1\n"
			}
			m, err := machines.Read("f.star", []byte(lock+c.top+enter+locked), "n", nil)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "f.star:") {
					t.Error(err)
				}
				return
			}
			if p, err := m.Prove(t.Context()); err == nil && p.Verdict() == spec.Holds {
				t.Errorf("proved")
			}
		})
	}
}

// TestRefused: what formulas cannot say is refused at its place.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"FIFO of any size": {
			lock + "fifo(\"q\", procs, size = n)\n",
			"f.star:6:1: a FIFO whose size is no number from 1 to 8, which is not read for all sizes",
		},
		"record":     {lock + "r = record(a = bool)\n", "f.star:6:5: record is not read for all sizes"},
		"load":       {"load(\"lib.star\", \"f\")\n" + lock, "f.star:1:1: a statement that is not read for all sizes"},
		"initial":    {lock + "def f(s):\n    pass\ninitial(f)\n", "f.star:8:1: initial is not read for all sizes"},
		"no min":     {strings.Replace(lock, ", min = 2", "", 1) + "invariant(\"t\", lambda s: True)\n", "f.star:1:1: parameter n: want min = a number of at least 1, from which on the proof holds"},
		"nothing":    {lock, "f.star:1:1: the file has no invariant, so there is nothing to prove for all sizes"},
		"priority":   {lock + "def f(s):\n    pass\nrule(\"f\", f, priority = 1)\n", "f.star:8:1: a rule with priority, which is not read for all sizes"},
		"other size": {lock + "x = param(\"x\", 1)\n", `f.star: no parameter "k": want n or x`},
		"sum of all": {lock + "invariant(\"t\", lambda s: count(procs, lambda i: True) + 1 == 2)\n", "f.star:6:26: arithmetic with a number of participants"},
		"a few":      {lock + "invariant(\"t\", lambda s: count(procs, lambda i: True) == 3)\n", "f.star:6:26: a number of participants that is compared with something else than 0, 1 or all of them"},
		"also twice": {
			lock + "def f(s):\n    s.owner = 1\ndef g(s):\n    also(f)\n    s.owner = 0\nrule(\"g\", g)\n",
			"f.star:10:5: owner is assigned by also, and once more",
		},
		"name for some": {
			lock + "def g(k):\n    v = 0\n    if k > 1:\n        v = 1\n    return v == 1\ninvariant(\"t\", lambda s: any([g(k) for k in procs]))\n",
			"f.star:9:9: a name that is assigned for some participants",
		},
		"elements for some": {
			lock + "invariant(\"t\", lambda s: all([[x for x in [0] if k > 1] for k in procs]))\n",
			"f.star:6:31: a list whose elements, known one by one, are in it for some participants",
		},
		"elements of two kinds": {
			lock + "invariant(\"t\", lambda s: all([True for x in [procs, [0]] for y in x]))\n",
			"f.star:6:30: a list with more than one element for each participant",
		},
		"keys in two orders": {
			lock + "var(\"m\", bool, over = [procs, procs])\ndef f(s):\n    for a in procs:\n        for b in procs:\n" +
				"            s.m[a, b] = True\n            s.m[b, a] = False\nrule(\"f\", f)\n",
			"f.star:11:13: a loop over participants that assigns m twice, with other keys",
		},
		"reads the other order": {
			lock + "var(\"m\", bool, over = [procs, procs])\ndef f(s):\n    for p in [(a, b) for a in procs for b in procs]:\n" +
				"        s.m[p[1], p[0]] = not s.m[p[0], p[1]]\nrule(\"f\", f)\n",
			"f.star:8:5: a loop over participants that reads what it assigns for another one",
		},
		"assigned in a list": {
			lock + "def g(s, k):\n    s.at[k] = \"idle\"\n    return True\ndef f(s):\n    when(all([g(s, k) for k in procs]))\nrule(\"f\", f)\n",
			"f.star:7:5: an assignment to the state within a list or a count",
		},
		"fault after a refusal": {
			lock + "def f(s):\n    for k in procs:\n        when(k < 9)\n        if k == 1:\n            fail(\"x\")\nrule(\"f\", f)\n",
			"f.star:10:13: fail(...), in a loop after a condition that can refuse the step for another participant",
		},
		"some initial values": {
			lock + "var(\"x\", range(3), init = any(range(2)))\n",
			"f.star:6:1: init: any(...) of other values than x has, which is not read for all sizes",
		},
		"length of bool":    {lock + "invariant(\"t\", lambda s: len(bool) == 2)\n", "f.star:6:26: len is not read for all sizes"},
		"member of bool":    {lock + "invariant(\"t\", lambda s: True in bool)\n", "f.star:6:26: want a list, tuple or range whose elements do not depend on the size"},
		"element of bool":   {lock + "invariant(\"t\", lambda s: bool[1])\n", "f.star:6:26: an index that is not read for all sizes"},
		"loop over bool":    {lock + "invariant(\"t\", lambda s: all([b or not b for b in bool]))\n", "f.star:6:51: want a list, tuple or range whose elements do not depend on the size"},
		"choice of bool":    {lock + "def f(s):\n    choose(bool)\nrule(\"f\", f)\n", "f.star:7:5: want a list, tuple or range whose elements do not depend on the size"},
		"beyond the places": {lock + "fifo(\"q\", [\"u\"])\ninvariant(\"t\", lambda s: not s.q.holds(1, \"u\"))\n", "f.star:7:30: holds(...) is not read for all sizes"},
		"a name that is a function": {
			lock + "def f(s, i):\n    pass\nnames = [\"a\", \"b\", \"c\"]\nrule(lambda i: names[i], f, over = procs)\n",
			"f.star:9:1: rule: want a text for name that does not depend on the size",
		},
		"a rule with a result": {lock + "def f(s):\n    return 1\nrule(\"f\", f)\n", "f.star:8:1: a rule that returns a value: want None"},
		"a part with a result": {
			lock + "def g(s):\n    return 1\ndef f(s):\n    also(g)\nrule(\"f\", f)\n",
			"f.star:9:5: a rule that returns a value: want None",
		},
		"an invariant with a list": {lock + "invariant(\"t\", lambda s: [0])\n", "f.star:6:1: a condition that returns something else than True or False"},
		"a count of lists":         {lock + "invariant(\"t\", lambda s: count(procs, lambda k: []) == 0)\n", "f.star:6:26: a condition that returns something else than True or False"},
		"a key in a tuple":         {lock + "invariant(\"t\", lambda s: s.at[(0,)] == \"idle\")\n", "f.star:6:26: a key of at that is a tuple of one number"},
		"keys of one list":         {lock + "var(\"x\", bool, over = [procs])\n", "f.star:6:1: keys that are tuples of one number, which are not read for all sizes"},
		"why is a number":          {lock + "def f(s):\n    when(True, 5)\nrule(\"f\", f)\n", "f.star:7:5: when: want a text for why that does not depend on the size"},
		"given twice":              {lock + "def f(s):\n    when(True, condition = True)\nrule(\"f\", f)\n", "f.star:7:5: when with condition=, which is not read for all sizes"},
		"list by name":             {lock + "invariant(\"t\", lambda s: len(list(values = [])) == 0)\n", "f.star:6:30: list: want a list"},
		"count by another name":    {lock + "invariant(\"t\", lambda s: count(keys = procs, f = lambda k: True) == n)\n", "f.star:6:26: count: want over"},
		"also by name":             {lock + "def g(s):\n    pass\ndef f(s):\n    also(f = g)\nrule(\"f\", f)\n", "f.star:9:5: also: want a function"},
		"also with a list":         {lock + "def g(s, l):\n    pass\ndef f(s):\n    also(g, [])\nrule(\"f\", f)\n", "f.star:9:5: want a number, a text or a truth value here"},
		"also holds":               {lock + "fifo(\"q\", [\"u\"])\ndef f(s):\n    also(s.q.holds, 0, \"u\")\nrule(\"f\", f)\n", "f.star:8:5: also of holds, which changes nothing"},
		"a lambda in itself":       {lock + "def g(v):\n    return lambda h: True if v else h(0)\ninvariant(\"t\", lambda s: g(False)(g(True)))\n", "f.star:7:37: lambda calls itself"},
		"unbound in a list":        {lock + "y = [0]\ninvariant(\"t\", lambda s: all([y == 0 for x in [0] for y in y]))\n", "f.star:7:60: y before the comprehension gives it a value, which is not read for all sizes"},
		"condition before a name":  {lock + "y = True\ninvariant(\"t\", lambda s: all([y == 0 for x in [0] if y for y in [0]]))\n", "f.star:7:54: y before the comprehension gives it a value, which is not read for all sizes"},
		"rules in a list": {
			lock + "[rule(\"f\", lambda s: when(x == 0)) for x in [0]]\n",
			"f.star:6:2: rule in a loop, list, function or rule, which is not read for all sizes",
		},
		"a key twice":        {lock + "invariant(\"t\", lambda s, k: True, over = [k if k < 30 else 0 for k in procs])\n", "f.star:6:1: keys that may be equal at some size, which are not read for all sizes"},
		"a key twice at one": {lock + "invariant(\"t\", lambda s, k: True, over = [30, n - 6])\n", "f.star:6:1: keys that may be equal at some size, which are not read for all sizes"},
		"no protocol":        {"(", "f.star:1:2: got end of file, want primary expression"},
	} {
		t.Run(name, func(t *testing.T) {
			size := "n"
			if name == "other size" {
				size = "k"
			}
			if _, err := machines.Read("f.star", []byte(c.text), size, nil); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
