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
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
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
	return extracted(t, "Packets Wormhole Measures Step Stuck WormStep Checker Certified Pools Extract", "uint63.ml checker.mli checker.ml reader.ml")
}

// questions collects networks and certificates for the extracted checker, with what Verify says of each.
type questions struct {
	text  bytes.Buffer
	want  []bool
	kinds []string // words of reader.ml
	about []string
	spent time.Duration // by Verify
}

// network writes a network as it is run with a bubble of a scenario, or with none.
func (q *questions) network(t *testing.T, n *spec.Network, bubble int) {
	t.Helper()
	index, topo := n.NewIndex(), n.Topology()
	traffic, err := n.Traffic(spec.Scenario{Bubble: bubble})
	if err != nil {
		t.Fatal(err)
	}
	sources := 0
	for i := range n.Tables() {
		sources += len(n.Table(i).Sources)
	}
	fmt.Fprintf(&q.text, "n %d %d %d\n", topo.Channels(), n.SiteCount(), sources)
	for i := range n.Tables() {
		table := n.Table(i)
		index.Load(table)
		row := func(at spec.ChannelID, r spec.RowID) {
			for _, h := range n.Row(r) {
				switch {
				case h.Discards():
					fmt.Fprint(&q.text, " d")
				case h.Channel == spec.Eject:
					fmt.Fprint(&q.text, " e")
				default:
					fmt.Fprint(&q.text, " ", table.First+index.Site(h))
					if need := traffic.Need(at, h); need > 1 {
						fmt.Fprint(&q.text, ":", need)
					}
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
			row(table.Channels[s], table.Rows[s])
		}
		for _, src := range table.Sources {
			fmt.Fprint(&q.text, "q")
			row(spec.Injection(src.Node), src.Row)
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
	q.answered(kinds[c.Kind], err, about)
}

func (q *questions) answered(kind string, err error, about string) {
	q.want, q.kinds = append(q.want, err == nil), append(q.kinds, kind)
	q.about = append(q.about, fmt.Sprintf("%s, %s: %v", about, kind, err))
}

// pools asks about a certificate of bubbles.
func (q *questions) pools(t *testing.T, n *spec.Network, c *bubbles.Certificate, about string) {
	t.Helper()
	fmt.Fprint(&q.text, "c pools ", n.Capacity())
	for _, level := range c.Levels {
		fmt.Fprint(&q.text, " ", level)
	}
	for _, set := range c.Sets {
		fmt.Fprint(&q.text, " / ", set.Free)
		for _, channel := range set.Channels {
			fmt.Fprint(&q.text, " ", channel)
		}
	}
	fmt.Fprintln(&q.text)
	q.answered("pools", bubbles.Verify(t.Context(), n, c), about)
}

// changedPools changes a level, or a set.
func changedPools(r *rand.Rand, c *bubbles.Certificate) *bubbles.Certificate {
	m := *c
	m.Levels, m.Sets = slices.Clone(c.Levels), slices.Clone(c.Sets)
	if len(m.Sets) == 0 || r.IntN(3) == 0 {
		i := r.IntN(len(m.Levels))
		m.Levels[i] = max(0, m.Levels[i]+int32(r.IntN(5)-2))
		return &m
	}
	i := r.IntN(len(m.Sets))
	set := &m.Sets[i]
	switch channel := spec.ChannelID(r.IntN(len(m.Levels))); r.IntN(4) {
	case 0:
		m.Sets = slices.Delete(m.Sets, i, i+1)
	case 1:
		set.Free = 1 + r.IntN(3)
	case 2: // one more, or less
		at, found := slices.BinarySearch(set.Channels, channel)
		if set.Channels = slices.Clone(set.Channels); found {
			set.Channels = slices.Delete(set.Channels, at, at+1)
		} else {
			set.Channels = slices.Insert(set.Channels, at, channel)
		}
	default:
		set.Channels = slices.Clone(set.Channels)
		set.Channels = slices.Delete(set.Channels, 0, min(1, len(set.Channels)))
	}
	return &m
}

// drawnPools draws a certificate, which is seldom right.
func drawnPools(r *rand.Rand, n *spec.Network) *bubbles.Certificate {
	c := &bubbles.Certificate{Network: n.Digest(), Levels: make([]int32, n.Topology().Channels())}
	for i := range c.Levels {
		c.Levels[i] = int32(r.IntN(3))
	}
	for range r.IntN(4) {
		set := bubbles.Set{Free: 1 + r.IntN(2)}
		for channel := range c.Levels {
			if r.IntN(2) == 0 {
				set.Channels = append(set.Channels, spec.ChannelID(channel))
			}
		}
		c.Sets = append(c.Sets, set)
	}
	return c
}

// askPools adds the certificate of bubbles that unknot finds of a network, or one that is drawn, and mutants.
func (q *questions) askPools(t *testing.T, r *rand.Rand, n *spec.Network, bubble int, about string, mutants int) {
	t.Helper()
	result, err := checker.Check(t.Context(), n, checker.Question{
		Scenario: spec.Scenario{Bubble: bubble}, Explore: checker.Never, Properties: []string{"deadlock-freedom"},
	})
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	found := drawnPools(r, n)
	if e, ok := result.Findings[0].Evidence.(evidence.Bubbles); ok {
		found = e.Certificate
	} else if about != "random" {
		t.Fatalf("%s has no certificate of bubbles", about)
	}
	q.network(t, n, bubble)
	q.pools(t, n, found, about)
	for range mutants {
		q.pools(t, n, changedPools(r, found), about+", mutant")
	}
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
			q.network(t, n, 0)
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
	accepted, refused, differ := map[string]int{}, map[string]int{}, 0
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
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(q.kinds))) {
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

// TestVerifiedPools: the checker of bubbles that is proved in Coq accepts the certificates that bubbles.Verify accepts, and
// nothing else: on tori, rings and random networks, with mutants of each.
func TestVerifiedPools(t *testing.T) {
	seedtest.InFull(t)
	program := verifier(t)
	r := rand.New(rand.NewPCG(3, 4))
	var q questions
	for _, c := range []struct {
		model  string
		set    map[string]string
		bubble int
	}{
		{"torus", map[string]string{"routing": "bubble", "adaptive": "0", "k": "4", "n": "2"}, 0},
		{"torus", map[string]string{"routing": "bubble", "k": "4", "n": "2"}, 0},
		{"torus", map[string]string{"routing": "bubble", "k": "5", "n": "2"}, 0},
		{"ring", map[string]string{"variant": "two-way", "buffer": "2", "n": "8"}, 2},
		{"torus", map[string]string{"routing": "bubble", "k": "6", "n": "2"}, 0},
	} {
		n := modeltest.Network(t, c.model, c.set)
		q.askPools(t, r, n, c.bubble, fmt.Sprint(c.model, c.set), 100)
	}
	rapid.Check(t, func(rt *rapid.T) {
		if len(q.want) > 20_000 {
			return
		}
		o := netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Ring: true, Sparse: true, Buffer: 3, Rooms: true}
		if n := netgen.Network(rt, o, spec.StoreAndForward); n.FlowCount() > 0 {
			q.askPools(t, r, n, 0, "random", 300)
		}
	})
	if seedtest.Usual() && len(q.want) < 10_000 {
		t.Errorf("%d certificates", len(q.want))
	}
	q.compare(t, program)
}
