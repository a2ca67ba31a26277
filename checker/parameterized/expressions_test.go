package parameterized_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestDrawnExpressions: drawn expressions mean what Starlark makes of them, for every packet of two sizes, or are refused:
// arithmetic below 0 and above the size, comparisons, lists, tuples, texts, functions and conditional operands. Which VC
// a packet takes tells the truth of one.
func TestDrawnExpressions(t *testing.T) {
	const top = `
def half(a, b):
    c = a // 2
    if c > b:
        return b
    c += 1
    return c - b
def first(l):
    for v in l:
        if v > 1:
            return v
    return 0 - 1
def grown(l, v):
    l.append(v)
    return len(l)
table = [3, 1, 4, 1, 5]
names = {"a": 2, "b": 0 - 3, (1, 2): 7}
wide = k // 3 if k > 4 else k + 1
`
	read := 0
	rapid.Check(t, func(r *rapid.T) {
		text := line + top + "def route(at, to):\n    (x,), (d,) = at.node.at, to.at\n    l = [x, d, 2]\n    m = l\n"
		for range rapid.IntRange(0, 2).Draw(r, "statements") {
			text += rapid.SampledFrom([]string{
				"    m.append(" + number(r, 1) + ")\n", "    m += [1, 2]\n", "    m = m + [" + number(r, 1) + "]\n", "    x, d = d, x\n",
				"    if " + truth(r, 1) + ":\n        l = [0]\n", "    for i in range(3):\n        if i == 1:\n            continue\n        m.append(i)\n",
				"    for i, v in enumerate([4, 5, 6]):\n        if " + truth(r, 1) + ":\n            break\n        x += i * v\n",
				"    v = half(" + number(r, 1) + ", x)\n    d -= v\n",
			}).Draw(r, "statement")
		}
		text += "    vc = 1 if " + truth(r, 3) + " else 0\n" +
			"    return [hop(at.node.port(\"up\" if to.at > at.node.at else \"down\"), vc)]\n"
		f, err := parameterized.Read("f.star", []byte(text), []string{"k"}, nil)
		if err != nil {
			return
		}
		for _, k := range []int{2, 6} {
			v, err := f.VerdictAt(t.Context(), map[string]int{"k": k})
			if errors.Is(err, parameterized.ErrDisagree) || err == nil && v != spec.Holds {
				r.Fatalf("k = %d: %v, %v\n%s", k, v, err, text)
			}
			if err != nil {
				return // an index out of range, say
			}
		}
		read++
	})
	if t.Logf("%d read", read); seedtest.Usual() && read < 10 {
		t.Error("few of what was drawn were read")
	}
}

func number(r *rapid.T, depth int) string {
	of := func(all ...string) string { return rapid.SampledFrom(all).Draw(r, "of") }
	if depth == 0 {
		return of("x", "d", "k", "0", "1", "3", "(0 - 2)", "len(m)", "at.node.id", "wide", "names[\"b\"]", "table[2]", "x", "d")
	}
	a, b := number(r, depth-1), number(r, depth-1)
	c := of("1", "2", "3", "5")
	return of(
		"("+a+" + "+b+")", "("+a+" - "+b+")", "("+a+" * "+c+")", "(-"+a+")", "("+a+" // "+c+")", "("+a+" % "+c+")", "((x + 1) % k)", "((d - x) % k)",
		"abs("+a+")", "min("+a+", "+b+")", "max("+a+", "+b+", 1)", "max(["+a+", "+b+"])", "("+a+" if "+truth(r, depth-1)+" else "+b+")",
		"half("+a+", "+b+")", "first(["+a+", "+b+", x])", "first(l)", "grown(m, "+a+")", "len([i for i in range(4) if i != 2])",
		"(l[0] + l[-1])", "(l[1:] + [7])[1]", "[i * 2 for i in [x, d]][1]", "(x, d, "+a+")[2]", "len(l[:2] + m)",
		"[p + q for p, q in zip([x, d], (1, 2))][0]", "[v for i, v in enumerate([x, d]) if i == 1][0]", "list(reversed([x, d]))[0]",
		"names[(1, 2)]", "len(\"ab\" + \"c%d\" % 12)",
	)
}

func truth(r *rapid.T, depth int) string {
	of := func(all ...string) string { return rapid.SampledFrom(all).Draw(r, "of") }
	if depth == 0 {
		return of("at.injecting", "x < d", "True", "x == 0", "not at.injecting and at.vc == 1", "k % 2 == 0", "at.node.port(\"up\") != None",
			"(not at.injecting and at.link.out == \"up\")")
	}
	a, b := number(r, depth-1), number(r, depth-1)
	compare := of("<", "<=", ">", ">=", "==", "!=")
	return of(
		a+" "+compare+" "+b, a+" "+compare+" "+b, "("+truth(r, depth-1)+" and "+truth(r, depth-1)+")", "("+truth(r, depth-1)+" or "+truth(r, depth-1)+")",
		"not "+"("+truth(r, depth-1)+")", a+" in ["+b+", 3, d]", a+" not in (x, "+b+")", "("+a+", x) "+compare+" ("+b+", d)",
		"("+truth(r, depth-1)+" if "+truth(r, depth-1)+" else "+truth(r, depth-1)+")", "at.node == to", "to.at "+compare+" at.node.at",
		"(("+a+",) == ("+b+",)) == "+"("+truth(r, depth-1)+")", strings.Repeat("(", 1)+fmt.Sprintf("(%s, (x, %s)) == (d, (x, 1))", a, b)+")",
		"\"a\" in [\"b\", \"a\"[0:] if False else \"a\"]", "(None == at.node.port(\"down\"))",
	)
}
