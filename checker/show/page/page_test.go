package page_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// rowsOf returns the texts of the cells of the first table of a class, row by
// row.
func rowsOf(t *testing.T, text []byte, class string) [][]string {
	t.Helper()
	_, after, ok := bytes.Cut(text, []byte(`class="`+class+`"`))
	if !ok {
		t.Fatalf("there is no element of class %s", class)
	}
	_, after, _ = bytes.Cut(after, []byte("<tbody>"))
	body, _, _ := bytes.Cut(after, []byte("</tbody>"))
	all, err := elements(body)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, e := range all {
		switch e.name {
		case "tr":
			rows = append(rows, nil)
		case "th", "td":
			rows[len(rows)-1] = append(rows[len(rows)-1], strings.TrimSpace(e.text))
		}
	}
	return rows
}

// In a one-way ring of k nodes with one VC the only cycle of waits goes once around: a packet that holds
// i->i+1 waits for i+1->i+2, by the only rule.
func TestWaitsOfTheRing(t *testing.T) {
	for k := 3; k <= 6; k++ {
		text := written(t, decided(t, ring(t, k, plain)), page.Options{})
		rows := rowsOf(t, text, "waits")
		if len(rows) != k {
			t.Fatalf("%d rows for %d packets", len(rows), k)
		}
		holder := map[string]string{}
		for _, r := range rows {
			holder[r[2]] = strings.Fields(r[1])[0]
		}
		channel := func(i int) string { return fmt.Sprintf("%d->%d vc0", i%k, (i+1)%k) }
		var at int
		fmt.Sscanf(rows[0][2], "%d->", &at)
		for i, r := range rows {
			next := channel(at + i + 1)
			want := []string{fmt.Sprint(i + 1), r[1], channel(at + i), next + ", held by " + holder[next] + " (by ring.star:3:5)"}
			if diff := cmp.Diff(want, r); diff != "" {
				t.Errorf("k=%d row %d (-want +got):\n%s", k, i+1, diff)
			}
		}
		if bold := bytes.Count(text, []byte(`<path class="strong part"`)); bold != k {
			t.Errorf("k=%d: %d arrows of the dependency graph are of the cycle", k, bold)
		}
	}
}

// data returns what the players of a page read.
func data(t *testing.T, text []byte) (out []played) {
	t.Helper()
	all, err := elements(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.name == "script" && e.attr["type"] == "application/json" {
			var p played
			if err := json.Unmarshal([]byte(e.text), &p); err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
	}
	return out
}

type played struct {
	Fields []string
	Start  []setting
	Steps  []struct {
		Say string
		Set []setting
	}
	Back int
}

type setting struct {
	F    int
	L, S string
	B    bool
}

// TestAPart: a page about part of a state graph says so, what was left out, and no number of
// states without successors, which are left out unless deadlock is checked.
func TestAPart(t *testing.T) {
	p := program.New("two")
	x, y := p.Var("x", 2), p.Var("y", 3)
	p.Rule("x", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("y", program.Lt(y, 2), program.Set(y, program.Add(y, 1)))
	p.Invariant("x in range", program.Lt(x, 2))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, explored(t, nil, m, checker.Question{Slice: true, Properties: []string{"x in range"}}), page.Options{})
	for what, said := range map[string]bool{"2, all of the reduced state graph": true,
		"1 variable (y) and 1 rule left out": true, "all that can be reached": false,
		"states without successors": false} {
		if bytes.Contains(text, []byte(what)) != said {
			t.Errorf("the page says %q: %v", what, !said)
		}
	}
}

// TestOrbits: a page about representative states says that they stand for others.
func TestOrbits(t *testing.T) {
	e, ok := models.Find("peterson")
	if !ok {
		t.Fatal("no such model")
	}
	m, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, explored(t, nil, m, checker.Question{Symmetry: true}), page.Options{})
	for what, said := range map[string]bool{"172, all of the reduced state graph": true,
		"symmetry: one state of each orbit under 6 symmetries": true, "all that can be reached": false} {
		if bytes.Contains(text, []byte(what)) != said {
			t.Errorf("the page says %q: %v", what, !said)
		}
	}
}

// The machine counts 0, 1, 2 and halts: the invariant "at most one" breaks and
// the deadlock shows after two steps.
func TestPlayerOfARun(t *testing.T) {
	text := written(t, explored(t, nil, newStuckMachine(), checker.Question{Explore: checker.Whole}), page.Options{})
	players := data(t, text)
	if len(players) != 2 {
		t.Fatalf("%d players, want one for the deadlock and one for the invariant", len(players))
	}
	for _, p := range players {
		var counts []string
		for i, s := range p.Steps {
			if s.Say != fmt.Sprintf("%d. count", i+1) || len(s.Set) != 1 || p.Fields[s.Set[0].F] != "count" {
				t.Errorf("step %d: %+v", i+1, s)
				continue
			}
			counts = append(counts, s.Set[0].L)
		}
		if diff := cmp.Diff([]string{"1", "2"}, counts); diff != "" {
			t.Error(diff)
		}
		if p.Back != -1 || len(p.Start) != 1 || p.Start[0].L != "0" { // what changes is shown from the start
			t.Errorf("loop %d, start %v", p.Back, p.Start)
		}
	}
	if !bytes.Contains(text, []byte("the invariant &#34;at most one&#34; is violated")) || !bytes.Contains(text, []byte("no step is possible")) {
		t.Error("the page does not say what the runs show")
	}
}

// What the player shows after the last step is what the reference step says.
func TestPlayerOfATrace(t *testing.T) {
	t.Parallel()
	for _, s := range []*checker.Result{
		decided(t, ring(t, 4, plain)),
		decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor"})),
		decided(t, modeltest.Network(t, "mesh", map[string]string{"routing": "deflection"})),
		decided(t, modeltest.Network(t, "gadget", nil)),
	} {
		players := data(t, written(t, s, page.Options{}))
		for _, r := range s.Findings {
			if r.Trace() == nil {
				continue
			}
			p := players[0]
			players = players[1:]
			m := traffic(t, s.Network, r.Trace().Scenario)
			state := m.Empty()
			shown := map[string]string{}
			for i, move := range r.Trace().Moves {
				var err error
				if state, err = m.Step(state, move); err != nil {
					t.Fatal(err)
				}
				for _, x := range p.Steps[i].Set {
					if shown[p.Fields[x.F]] == x.L {
						t.Errorf("%s: step %d sets %s to what it was", s.Network.Name(), i+1, p.Fields[x.F])
					}
					shown[p.Fields[x.F]] = x.L
				}
				for c, pieces := range state.Channels {
					text := shown[s.Network.Topology().ChannelName(spec.ChannelID(c))]
					if (len(pieces) > 0) != (text != "") {
						t.Errorf("%s after step %d: channel %d has %v, shown %q", s.Network.Name(), i+1, c, pieces, text)
					}
					for _, piece := range pieces {
						if !strings.Contains(text, "for "+s.Network.Topology().Node(piece.Header.Dest).Name) {
							t.Errorf("%s after step %d: channel %d has %v, shown %q", s.Network.Name(), i+1, c, pieces, text)
						}
					}
				}
			}
		}
	}
}

// A run of a network that goes on forever is played in its picture, and its loop returns to what
// it began with, except for the numbers of the packets: later packets have later
// numbers.
func TestPlayerOfALoop(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"variant": "dateline"})
	s := explored(t, n, traffic(t, n, spec.Scenario{}), checker.Question{Liveness: true})
	text := written(t, s, page.Options{})
	found := false
	number := regexp.MustCompile(`P[0-9]+`)
	for _, p := range data(t, text) {
		if p.Back < 0 {
			continue
		}
		found = true
		shown := map[int]string{}
		var atBack map[int]string
		for i, step := range p.Steps {
			if i == p.Back {
				atBack = maps.Clone(shown)
			}
			for _, x := range step.Set {
				if delete(shown, x.F); x.L != "" {
					shown[x.F] = number.ReplaceAllString(x.L, "P")
				}
			}
		}
		if diff := cmp.Diff(atBack, shown); diff != "" || len(p.Steps) <= p.Back {
			t.Errorf("after step %d and at the end (-want +got):\n%s", p.Back, diff)
		}
	}
	if !found || !bytes.Contains(text, []byte("is never answered")) || !bytes.Contains(text, []byte(`class="slot`)) {
		t.Error("there is no loop in a picture")
	}
}

// The digest is that of the file.
func TestDigestOfTheCertificate(t *testing.T) {
	s := decided(t, modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"}))
	text := written(t, s, page.Options{})
	for _, r := range s.Findings {
		var b bytes.Buffer
		if err := write.Evidence(&b, r.Evidence); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b.Bytes())
		if !bytes.Contains(text, []byte(hex.EncodeToString(sum[:]))) {
			t.Errorf("%s: the digest of the certificate is not on the page", r.Property)
		}
	}
	if !bytes.Contains(text, []byte("escape goes on to")) {
		t.Error("the escape is not on the page")
	}
}

// The arrows marked as the escape's are those of the certificate, each to a channel of lower
// rank, for whole packets as for worms. Where the graph has no cycle, nothing escapes from one.
func TestEscapeInTheGraph(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model     string
		switching spec.Switching
		kind      proofs.Kind
	}{
		{"star-channel", spec.Wormhole, proofs.ExtendedEscape}, {"star-channel", spec.StoreAndForward, proofs.Escape},
		{"mesh", spec.StoreAndForward, proofs.Rank},
	} {
		n := modeltest.Network(t, tt.model, map[string]string{"k": "4", "n": "2"}, func(d *routing.Definition) { d.Switching = tt.switching })
		s := decided(t, n)
		c := s.Findings[0].Certificate()
		if c.Kind != tt.kind {
			t.Fatalf("%s, %s: the certificate is a %s, want a %s", tt.model, tt.switching, c.Kind, tt.kind)
		}
		var want []dependency.Edge
		if tt.kind != proofs.Rank {
			var err error
			if want, err = dependency.Escape(context.Background(), n, c); err != nil || len(want) == 0 {
				t.Fatal(want, err)
			}
		}
		for _, e := range want {
			if c.Rank[e.To] >= c.Rank[e.From] {
				t.Errorf("the escape goes from rank %d to %d", c.Rank[e.From], c.Rank[e.To])
			}
		}
		all, err := elements(written(t, s, page.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, e := range all {
			if e.name == "path" && strings.Contains(" "+e.attr["class"]+" ", " escape ") {
				got++
			}
		}
		if got != len(want) {
			t.Errorf("%s, %s: %d arrows of the escape, want %d", tt.model, tt.switching, got, len(want))
		}
	}
}

// 324 nodes: no more than 300 are drawn, but all of the cycle, and the size
// stays within bounds.
func TestLargeNetworks(t *testing.T) {
	t.Parallel()
	text := written(t, decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor", "k": "18"})), page.Options{})
	all, err := elements(text)
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]bool{}
	symbols := map[string]int{}
	within := ""
	for _, e := range all {
		switch {
		case e.name == "symbol":
			within = e.attr["id"]
		case e.name == "g" && e.attr["class"] == "node":
			symbols[within]++
			nodes[strings.TrimSpace(e.text)] = true
		}
	}
	for id, n := range symbols {
		if n > 300 {
			t.Errorf("%s draws %d nodes", id, n)
		}
	}
	if !bytes.Contains(text, []byte("Of 324 nodes and 1296 links the ")) {
		t.Error("the page does not say what it leaves out")
	}
	badges := bytes.Count(text, []byte(`class="badge"`))
	if rows := rowsOf(t, text, "waits"); badges != 2*len(rows) {
		t.Errorf("%d numbers in two pictures for %d packets", badges, len(rows))
	}
}

// Names so long that the full page would be larger than 2 MB: it shows less, and says so. Names
// with which nothing would fit are refused.
func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	named := func(letters int) func(int) string {
		return func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("x", letters)) }
	}
	text := written(t, decided(t, ring(t, 110, named(1200))), page.Options{})
	if !bytes.Contains(text, []byte("more packets are stuck")) {
		t.Error("the page does not say what it leaves out")
	}
	for _, fault := range faults(text) {
		t.Error(fault)
	}
	var b bytes.Buffer
	err := page.Write(context.Background(), &b, decided(t, ring(t, 4, named(40_000))), page.Options{})
	if bound := (*spec.BoundError)(nil); !errors.As(err, &bound) || b.Len() > 0 {
		t.Errorf("%v after %d bytes", err, b.Len())
	}
}

func TestRefused(t *testing.T) {
	s := decided(t, ring(t, 3, plain))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := page.Write(ctx, &bytes.Buffer{}, s, page.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	broken := errors.New("full")
	if err := page.Write(context.Background(), failing{broken}, s, page.Options{}); !errors.Is(err, broken) {
		t.Errorf("failing writer: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
