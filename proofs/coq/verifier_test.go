package coq_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// extracted builds a program of functions that Coq makes OCaml of: modules in Coq, the last of which extracts, and files in
// OCaml.
func extracted(t *testing.T, modules, files string) (program string) {
	t.Helper()
	installed(t)
	if _, err := exec.LookPath("ocamlopt"); err != nil {
		t.Skip("OCaml is not installed")
	}
	dir := t.TempDir()
	for _, command := range []string{
		"cp *.v *.ml " + dir,
		"cd " + dir + " && for f in " + modules + "; do coqc -q -w -extraction-opaque-accessed $f.v; done",
		"cd " + dir + " && ocamlopt -O3 -w -a " + files + " -o extracted 2>&1",
	} {
		if out, err := exec.CommandContext(t.Context(), "sh", "-e", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(dir, "extracted")
}

// verifier builds the program of the checker of certificates.
func verifier(t *testing.T) (program string) {
	t.Helper()
	return extracted(t, "Packets Wormhole Measures Checker Extract", "uint63.ml checker.mli checker.ml reader.ml")
}

// questions collects networks and certificates for the extracted checker, with what Verify says of each.
type questions struct {
	text  bytes.Buffer
	want  []bool
	kinds []proofs.Kind
	about []string
	spent time.Duration // by Verify
}

func (q *questions) network(n *spec.Network) {
	index, topo := n.NewIndex(), n.Topology()
	sources := 0
	for i := range n.Tables() {
		sources += len(n.Table(i).Sources)
	}
	fmt.Fprintf(&q.text, "n %d %d %d\n", topo.Channels(), n.SiteCount(), sources)
	for i := range n.Tables() {
		table := n.Table(i)
		index.Load(table)
		row := func(r spec.RowID) {
			for _, h := range n.Row(r) {
				switch {
				case h.Discards():
					fmt.Fprint(&q.text, " d")
				case h.Channel == spec.Eject:
					fmt.Fprint(&q.text, " e")
				default:
					fmt.Fprint(&q.text, " ", table.First+index.Site(h))
				}
			}
			fmt.Fprintln(&q.text)
		}
		for s := range table.Len() {
			home := 0
			if topo.Head(table.Channels[s]) == table.Dest {
				home = 1
			}
			fmt.Fprintf(&q.text, "s %d %d", table.Channels[s], home)
			row(table.Rows[s])
		}
		for _, src := range table.Sources {
			fmt.Fprint(&q.text, "q")
			row(src.Row)
		}
	}
}

// kinds are the words of reader.ml.
var kinds = map[proofs.Kind]string{
	proofs.Rank: "rank", proofs.Escape: "escape", proofs.ExtendedEscape: "extended", proofs.Measure: "measure", proofs.Arrival: "arrival",
}

func (q *questions) certificate(t *testing.T, n *spec.Network, c *proofs.Certificate, about string) {
	t.Helper()
	write := func(l []int32) {
		for _, x := range l {
			fmt.Fprint(&q.text, " ", x)
		}
	}
	fmt.Fprint(&q.text, "c ", kinds[c.Kind])
	switch {
	case c.Kind == proofs.ExtendedEscape:
		write(c.Rank)
		fmt.Fprint(&q.text, " /")
		write(c.Held)
	case c.Kind != proofs.Measure && c.Kind != proofs.Arrival:
		write(c.Rank)
	case len(c.Rank) > 0: // the rank of its channel is the measure of a site
		for i := range n.Tables() {
			for _, channel := range n.Table(i).Channels {
				fmt.Fprint(&q.text, " ", c.Rank[channel])
			}
		}
	default:
		write(c.Measure)
	}
	fmt.Fprintln(&q.text)
	start := time.Now()
	err := proofs.Verify(t.Context(), n, c)
	q.spent += time.Since(start)
	q.want, q.kinds = append(q.want, err == nil), append(q.kinds, c.Kind)
	q.about = append(q.about, fmt.Sprintf("%s, %s: %v", about, c.Kind, err))
}

// mutant changes one number.
func mutant(r *rand.Rand, c *proofs.Certificate) *proofs.Certificate {
	m := *c
	for _, l := range []*[]int32{&m.Rank, &m.Held, &m.Measure} {
		*l = slices.Clone(*l)
	}
	lists := slices.DeleteFunc([][]int32{m.Rank, m.Held, m.Measure}, func(l []int32) bool { return len(l) == 0 })
	if len(lists) > 0 {
		l := lists[r.IntN(len(lists))]
		i := r.IntN(len(l))
		l[i] = max(0, l[i]+int32(r.IntN(7)-3))
	}
	return &m
}

// ask adds all certificates of a network, and mutants of each.
func (q *questions) ask(t *testing.T, r *rand.Rand, n *spec.Network, about string, mutants int) {
	t.Helper()
	result, err := checker.Check(t.Context(), n, checker.Question{Explore: checker.Never})
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	told := false
	for _, f := range result.Findings {
		c := f.Certificate()
		if c == nil || kinds[c.Kind] == "" {
			continue
		}
		if !told {
			q.network(n)
			told = true
		}
		q.certificate(t, n, c, about)
		for range mutants {
			q.certificate(t, n, mutant(r, c), about+", mutant")
		}
	}
}

// compare runs the extracted checker.
func (q *questions) compare(t *testing.T, program string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program)
	c.Stdin = bytes.NewReader(q.text.Bytes())
	var problems bytes.Buffer
	c.Stderr = &problems
	start := time.Now()
	out, err := c.Output()
	spent := time.Since(start)
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	answers := strings.Fields(string(out))
	if len(answers) != len(q.want) {
		t.Fatalf("%d answers to %d certificates", len(answers), len(q.want))
	}
	accepted, refused, differ := map[proofs.Kind]int{}, map[proofs.Kind]int{}, 0
	for i, a := range answers {
		if (a == "1") != q.want[i] {
			if differ++; differ < 10 {
				t.Errorf("%s: Coq's checker says %s", q.about[i], a)
			}
		}
		if q.want[i] {
			accepted[q.kinds[i]]++
		} else {
			refused[q.kinds[i]]++
		}
	}
	t.Logf("%d certificates: %v by the extracted checker with reading, %v by Verify", len(answers), spent, q.spent)
	for kind := range kinds {
		t.Logf("%s: %d accepted, %d refused", kind, accepted[kind], refused[kind])
		if seedtest.Usual() && (accepted[kind] == 0 || refused[kind] == 0) { // other draws may have no escape
			t.Errorf("%s: %d accepted, %d refused: want some of each", kind, accepted[kind], refused[kind])
		}
	}
}

// TestVerifiedChecker: the checker that is proved in Coq accepts what Verify accepts, and nothing else: on the catalogue,
// and on random networks, with mutants of each certificate, 100,000 in all.
func TestVerifiedChecker(t *testing.T) {
	seedtest.InFull(t)
	program := verifier(t)
	r := rand.New(rand.NewPCG(1, 2))
	t.Run("catalogue", func(t *testing.T) {
		var q questions
		networks := 0
		for _, e := range models.Catalogue() {
			if e.IsMachine() {
				continue
			}
			sets := []map[string]string{nil}
			for _, x := range e.Described().Expect {
				sets = append(sets, x.Set)
			}
			for _, set := range sets {
				def, err := e.Define(set)
				if err != nil {
					t.Fatal(err)
				}
				n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
				if err != nil {
					t.Fatal(err)
				}
				const most = 50_000
				if n.FlowCount() == 0 || n.SiteCount() > most {
					continue
				}
				networks++
				q.ask(t, r, n, fmt.Sprint(e.Name, set), 3)
			}
		}
		if networks < 50 {
			t.Errorf("%d networks", networks)
		}
		q.compare(t, program)
	})
	t.Run("large", func(t *testing.T) { // at most 10 times as long as reading and verifying in Go
		var q questions
		n := modeltest.Network(t, "torus", map[string]string{"k": "18", "n": "2", "routing": "dateline"})
		if n.SiteCount() < 100_000 {
			t.Fatalf("%d sites", n.SiteCount())
		}
		q.ask(t, r, n, "torus", 0)
		var text bytes.Buffer
		if err := spec.WriteClosed(&text, n); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := spec.ReadClosed(t.Context(), "torus", text.Bytes()); err != nil {
			t.Fatal(err)
		}
		inGo := q.spent + time.Since(start)
		start = time.Now()
		c := exec.CommandContext(t.Context(), program)
		c.Stdin = bytes.NewReader(q.text.Bytes())
		if out, err := c.Output(); err != nil || strings.Trim(string(out), "1\n") != "" {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%d sites, %d certificates: %v, in Go %v", n.SiteCount(), len(q.want), time.Since(start), inGo)
		if user := c.ProcessState.UserTime(); user > 10*inGo {
			t.Errorf("%v of CPU, in Go %v", user, inGo)
		}
	})
	t.Run("random", func(t *testing.T) {
		var q questions
		rapid.Check(t, func(rt *rapid.T) {
			if len(q.want) > 100_000 {
				return
			}
			o := netgen.Options{Nodes: 5, Channels: 8, Tags: 2, Discards: rapid.Bool().Draw(rt, "discards"),
				Commits: rapid.Bool().Draw(rt, "commits"), MayFail: rapid.Bool().Draw(rt, "may fail")}
			n := netgen.Network(rt, o, rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(rt, "switching"))
			if n.FlowCount() > 0 {
				q.ask(t, r, n, "random", 800)
			}
		})
		if seedtest.Usual() && len(q.want) < 100_000 {
			t.Errorf("%d certificates", len(q.want))
		}
		q.compare(t, program)
	})
}
