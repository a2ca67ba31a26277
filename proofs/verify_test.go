package proofs_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// sample is a network with a certificate of each kind that exists for it.
type sample struct {
	name  string
	n     *spec.Network
	certs []*proofs.Certificate
}

// samples covers every kind that has numbers: XY meshes have ranks, the position ring has none
// but an escape for packets and one for worms.
func samples(t testing.TB) []sample {
	t.Helper()
	var out []sample
	for _, s := range []struct {
		name, model string
		set         map[string]string
		switching   spec.Switching
	}{
		{"XY mesh", "mesh", map[string]string{"k": "3"}, spec.Wormhole},
		{"position ring, packets", "ring", map[string]string{"variant": "position"}, spec.StoreAndForward},
		{"position ring, worms", "ring", map[string]string{"variant": "position"}, spec.Wormhole},
		{"star-channel", "star-channel", map[string]string{"k": "4"}, spec.Wormhole},
		{"Duato mesh", "mesh", map[string]string{"k": "3", "routing": "duato"}, spec.VirtualCutThrough},
	} {
		n := modeltest.SwitchedNetwork(t, s.model, s.set, s.switching)
		r, err := checker.Check(context.Background(), n, checker.Question{})
		if err != nil {
			t.Fatal(err)
		}
		x := sample{name: s.name, n: n}
		for _, res := range r.Findings {
			if res.Certificate() == nil {
				t.Fatalf("%s: %s is %s", s.name, res.Property, res.Verdict)
			}
			x.certs = append(x.certs, res.Certificate())
		}
		out = append(out, x)
	}
	return out
}

func TestSamplesCoverEveryKind(t *testing.T) {
	seen := map[proofs.Kind]bool{}
	for _, s := range samples(t) {
		for _, c := range s.certs {
			seen[c.Kind] = true
			if err := proofs.Verify(t.Context(), s.n, c); err != nil {
				t.Errorf("%s, %s: %v", s.name, c.Kind, err)
			}
		}
	}
	kinds := 0
	for k := proofs.Rank; k.String() != proofs.Kind(0).String(); k++ {
		kinds++
		if !seen[k] && k != proofs.NoDiscard { // which has no numbers to change: TestNoDiscard
			t.Errorf("no sample has a certificate of kind %s", k)
		}
	}
	if kinds < 6 {
		t.Errorf("%d kinds: want those of the format", kinds)
	}
}

func clone(c *proofs.Certificate) *proofs.Certificate {
	d := *c
	d.Rank, d.Held, d.Measure = slices.Clone(c.Rank), slices.Clone(c.Held), slices.Clone(c.Measure)
	return &d
}

// numbers returns the list on which a mutation acts.
func numbers(c *proofs.Certificate) *[]int32 {
	if c.Measure != nil {
		return &c.Measure
	}
	return &c.Rank
}

// TestWrongCertificates: changes after which a certificate must be rejected,
// whatever its kind.
func TestWrongCertificates(t *testing.T) {
	other := modeltest.SwitchedNetwork(t, "ring", map[string]string{"variant": "dateline"}, spec.StoreAndForward)
	mutations := []struct {
		name   string
		change func(n *spec.Network, c *proofs.Certificate)
		want   string
	}{
		{"empty", func(_ *spec.Network, c *proofs.Certificate) { *c = proofs.Certificate{} }, "another network"},
		{"no numbers", func(_ *spec.Network, c *proofs.Certificate) {
			c.Rank, c.Held, c.Measure = nil, nil, nil
			if c.Kind == proofs.Measure || c.Kind == proofs.Arrival { // without any, distances are meant
				c.Held = []int32{0}
			}
		}, " numbers "},
		{"another network", func(_ *spec.Network, c *proofs.Certificate) { c.Network = other.Digest() }, "another network"},
		{"one digest bit", func(_ *spec.Network, c *proofs.Certificate) { c.Network[31] ^= 1 }, "another network"},
		{"no kind", func(_ *spec.Network, c *proofs.Certificate) { c.Kind = 0 }, "invalid kind"},
		{"kind beyond", func(_ *spec.Network, c *proofs.Certificate) { c.Kind = proofs.NoDiscard + 1 }, "invalid kind"},
		{"another property", func(_ *spec.Network, c *proofs.Certificate) { c.Property = (c.Property + 1) % 3 }, "shows"},
		{"another switching", func(_ *spec.Network, c *proofs.Certificate) { c.Switching = (c.Switching + 1) % 3 }, "switching"},
		{"one missing", func(_ *spec.Network, c *proofs.Certificate) { l := numbers(c); *l = (*l)[:len(*l)-1] }, "numbers"},
		{"one too many", func(_ *spec.Network, c *proofs.Certificate) { l := numbers(c); *l = append(*l, 0) }, "numbers"},
		{"negative", func(_ *spec.Network, c *proofs.Certificate) { (*numbers(c))[0] = -1 }, "at least 0"},
		{"numbers of another kind", func(n *spec.Network, c *proofs.Certificate) {
			if c.Measure != nil {
				c.Rank = make([]int32, n.Topology().Channels())
			} else {
				c.Measure = make([]int32, n.SiteCount())
			}
		}, "want 0"},
		{"all equal", func(_ *spec.Network, c *proofs.Certificate) { clear(*numbers(c)) }, "at "},
		{"upside down", func(_ *spec.Network, c *proofs.Certificate) {
			l := *numbers(c)
			most := slices.Max(l)
			for i := range l {
				l[i] = most - l[i]
			}
		}, "at "},
	}
	for _, s := range samples(t) {
		for _, c := range s.certs {
			for _, m := range mutations {
				wrong := clone(c)
				m.change(s.n, wrong)
				err := proofs.Verify(t.Context(), s.n, wrong)
				if err == nil {
					t.Errorf("%s, %s, %s: accepted", s.name, c.Kind, m.name)
				} else if !strings.Contains(err.Error(), m.want) {
					t.Errorf("%s, %s, %s: %q, want it to contain %q", s.name, c.Kind, m.name, err, m.want)
				}
			}
		}
	}
	if proofs.Verify(t.Context(), other, nil) == nil {
		t.Error("no certificate at all was accepted")
	}
}

func TestEscapeShowsNothingAboutWorms(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"variant": "position"}, spec.Wormhole)
	c := &proofs.Certificate{Network: n.Digest(), Switching: spec.Wormhole, Kind: proofs.Escape, Rank: make([]int32, n.Topology().Channels())}
	if err := proofs.Verify(t.Context(), n, c); err == nil || !strings.Contains(err.Error(), "wormhole") {
		t.Errorf("got %v", err)
	}
}

// TestNetworksThatMustBeRefused: no ranks make a deadlocking network free.
func TestNetworksThatMustBeRefused(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "3"}, spec.StoreAndForward)
	rapid.Check(t, func(rt *rapid.T) {
		for _, kind := range []proofs.Kind{proofs.Rank, proofs.Escape, proofs.ExtendedEscape} {
			c := &proofs.Certificate{Network: n.Digest(), Kind: kind, Rank: rapid.SliceOfN(rapid.Int32Range(0, 5), 3, 3).Draw(rt, "ranks")}
			if kind == proofs.ExtendedEscape {
				c.Held = rapid.SliceOfN(rapid.Int32Range(0, 5), n.SiteCount(), n.SiteCount()).Draw(rt, "held")
			}
			if proofs.Verify(t.Context(), n, c) == nil {
				rt.Fatalf("%s with ranks %v makes a one-way ring free", kind, c.Rank)
			}
		}
	})
}

// holdsByDefinition checks a certificate's numbers from the definitions of its
// kind, site by site through maps, sharing nothing with Verify.
func holdsByDefinition(n *spec.Network, c *proofs.Certificate) bool {
	number := map[spec.Site]int{}
	_ = routing.Sites(n, func(s spec.Site, _ []spec.Hop) error {
		if !s.Channel.IsInjection() {
			number[s] = len(number)
		}
		return nil
	})
	ok := true
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		source := s.Channel.IsInjection()
		arrived := slices.Contains(hops, spec.Hop{Channel: spec.Eject})
		lower := false
		for _, h := range hops {
			if h.Channel == spec.Eject {
				continue
			}
			next := spec.Site{Channel: h.Channel, Header: s.Header}
			next.Header.Tag = h.Tag
			there := number[next]
			switch c.Kind {
			case proofs.Rank:
				ok = ok && (source || c.Rank[h.Channel] < c.Rank[s.Channel])
			case proofs.Escape:
				lower = lower || source || c.Rank[h.Channel] < c.Rank[s.Channel]
			case proofs.ExtendedEscape:
				ok = ok && c.Held[there] <= c.Rank[h.Channel] && (source || c.Held[there] <= c.Held[number[s]])
				lower = lower || source || c.Rank[h.Channel] < c.Held[number[s]]
			case proofs.Measure:
				ok = ok && (source || c.Measure[there] < c.Measure[number[s]])
			case proofs.Arrival:
				lower = lower || source || c.Measure[there] < c.Measure[number[s]]
			}
		}
		if c.Kind == proofs.Escape || c.Kind == proofs.ExtendedEscape || c.Kind == proofs.Arrival {
			ok = ok && (arrived || lower)
		}
		return nil
	})
	return ok
}

// TestMutationsAreRejectedOrValid: one number is changed, or two are exchanged.
func TestMutationsAreRejectedOrValid(t *testing.T) {
	all := samples(t)
	rejected := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := all[rapid.IntRange(0, len(all)-1).Draw(rt, "sample")]
		c := clone(s.certs[rapid.IntRange(0, len(s.certs)-1).Draw(rt, "certificate")])
		list := *numbers(c)
		if c.Held != nil && rapid.Bool().Draw(rt, "held") {
			list = c.Held
		}
		i := rapid.IntRange(0, len(list)-1).Draw(rt, "i")
		if rapid.Bool().Draw(rt, "exchange") {
			j := rapid.IntRange(0, len(list)-1).Draw(rt, "j")
			list[i], list[j] = list[j], list[i]
		} else {
			list[i] = rapid.Int32Range(0, slices.Max(list)+2).Draw(rt, "number")
		}
		err := proofs.Verify(t.Context(), s.n, c)
		if (err == nil) != holdsByDefinition(s.n, c) {
			rt.Fatalf("%s, %s: Verify says %v, the definition %v", s.name, c.Kind, err, holdsByDefinition(s.n, c))
		}
		if err != nil {
			rejected++
		}
	})
	if seedtest.Usual() && rejected == 0 {
		t.Error("no mutation was rejected: the mutations test nothing")
	}
}

func written(t testing.TB, c *proofs.Certificate) string {
	t.Helper()
	var b bytes.Buffer
	if err := write.Certificate(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrittenForm(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "2"}, spec.StoreAndForward)
	c := &proofs.Certificate{Network: n.Digest(), Kind: proofs.Rank, Rank: []int32{0, 7}}
	want := "unknot-certificate 2\nnetwork " + n.Digest().String() + `
property deadlock-freedom
switching store-and-forward
kind rank
rank 2
0 7
held 0
measure 0
end
`
	if diff := cmp.Diff(want, written(t, c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range samples(t) {
		for _, c := range s.certs {
			text := written(t, c)
			again, err := proofs.Read("c", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if text != written(t, again) || proofs.Verify(t.Context(), s.n, again) != nil {
				t.Errorf("%s, %s: reading and writing changed the certificate", s.name, c.Kind)
			}
		}
	}
}

const smallText = `unknot-certificate 2
network 0000000000000000000000000000000000000000000000000000000000000000
property deadlock-freedom
switching store-and-forward
kind rank
rank 3
0 1 2
held 0
measure 0
end
`

func TestReadRefuses(t *testing.T) {
	if _, err := proofs.Read("c", strings.NewReader(smallText)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty text", smallText, "", "c:1:1: unexpected end of file"},
		{"version", "certificate 2", "certificate 1", `c:1:1: want "unknot-certificate 2" here`},
		{"short digest", "network 00", "network 0", "c:2:9: "},
		{"capital digest", "network 00", "network 0A", "c:2:9: "},
		{"property", "deadlock-freedom", "gridlock", `c:3:10: invalid property "gridlock": want deadlock`},
		{"switching, short form", "store-and-forward", "saf", `c:4:11: invalid switching "saf": want`},
		{"kind", "kind rank", "kind guess", `c:5:6: invalid kind of certificate "guess"`},
		{"fields reordered", "held 0\nmeasure 0\n", "measure 0\nheld 0\n", `c:8:1: want "held ..." here`},
		{"field twice", "kind rank\n", "kind rank\nkind rank\n", `c:6:1: want "rank ..." here`},
		{"field missing", "held 0\n", "", `c:8:1: want "held ..." here`},
		{"too few numbers", "0 1 2\n", "0 1\n", "c:7:1: want 3 numbers in this line"},
		{"too many numbers", "0 1 2\n", "0 1 2 3\n", "c:7:1: want 3 numbers in this line"},
		{"no numbers", "0 1 2\n", "", "c:7:1: want 3 numbers in this line"},
		{"count", "rank 3", "rank three", "c:6:6: "},
		{"count too high", "rank 3", "rank 2147483647", "c:7:1: want 32 numbers in this line"},
		{"negative", "0 1 2", "0 -1 2", `c:7:1: invalid number "-1"`},
		{"out of range", "0 1 2", "0 2147483648 2", `c:7:1: invalid number "2147483648"`},
		{"leading zero", "0 1 2", "0 01 2", `c:7:1: invalid number "01"`},
		{"two blanks", "0 1 2", "0  1 2", "c:7:1: want 3 numbers in this line"},
		{"trailing blank", "0 1 2\n", "0 1 2 \n", "c:7:1: want 3 numbers in this line"},
		{"truncated", "end\n", "", "c:10:1: unexpected end of file"},
		{"no last newline", "end\n", "end", "c:10:1: unexpected end of file"},
		{"trailing text", "end\n", "end\nmore\n", "c:11:1: text after the end"},
		{"carriage returns", "\n", "\r\n", `c:1:1: want "unknot-certificate 2" here`},
	} {
		_, err := proofs.Read("c", strings.NewReader(strings.Replace(smallText, tt.old, tt.new, 1)))
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
		} else if !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %q, want it to begin with %q", tt.name, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(smallText)
	f.Add(strings.Replace(smallText, "rank 3\n0 1 2", "rank 33\n"+strings.TrimSpace(strings.Repeat("1 ", 32))+"\n5", 1))
	f.Fuzz(func(t *testing.T, text string) {
		var c *proofs.Certificate
		var err error
		costtest.Within(t, len(text), func() { c, err = proofs.Read("c", strings.NewReader(text)) })
		if err == nil && written(t, c) != text {
			t.Fatal("a text was accepted that Write would not write")
		}
	})
}

// TestEachCondition: on a line of three nodes with two VCs behind the first, each
// condition of a kind is broken alone. Channel 0 leads to node 1, channels 1 and 2 lead
// from there to node 2, to which everybody sends.
func TestEachCondition(t *testing.T) {
	const eject = spec.Eject
	line := func(source, first []spec.ChannelID) *spec.Network {
		topo := spec.NewTopology()
		for range 3 {
			topo.AddNode("")
		}
		topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
		topo.AddLink(spec.Link{From: 1, To: 2, VCs: 2})
		p := spec.Parts{Name: "line", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Switching: spec.Wormhole}
		number := func(hops []spec.ChannelID) spec.RowID {
			var row []spec.Hop
			for _, c := range hops {
				row = append(row, spec.Hop{Channel: c})
			}
			same := func(r []spec.Hop) bool { return slices.Equal(r, row) }
			return spec.RowID(slices.IndexFunc(p.Rows, same))
		}
		for _, hops := range [][]spec.ChannelID{{}, {eject}, {eject, 1}, {0}, {1, 2}} {
			var row []spec.Hop
			for _, c := range hops {
				row = append(row, spec.Hop{Channel: c})
			}
			p.Rows = append(p.Rows, row)
		}
		p.Tables = []spec.Table{{Target: spec.Target{Dest: 2}, Sources: []spec.Source{{Node: 0, Row: number(source)}}, Channels: []spec.ChannelID{0, 1, 2},
			Rows: []spec.RowID{number(first), number([]spec.ChannelID{eject}), number([]spec.ChannelID{eject})}}}
		n, err := spec.NewNetwork(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	type ids = []spec.ChannelID
	type xs = []int32
	for _, tt := range []struct {
		name          string
		source, first ids
		cert          proofs.Certificate
		want          string // "" accepts
	}{
		{"delivery", ids{0}, ids{1, 2}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{1, 0, 0}}, ""},
		{"no first hop", ids{}, ids{1, 2}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{1, 0, 0}}, "no first hop"},
		{"ejects at its source", ids{eject}, ids{1, 2}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{1, 0, 0}}, "ejects at a node"},
		{"ejects on its way", ids{0}, ids{eject, 1}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{1, 0, 0}}, "ejects at a node"},
		{"keeps its measure", ids{0}, ids{1, 2}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{0, 0, 0}}, "arrival 0, but no permitted hop is lower"},
		{"a dead end", ids{0}, ids{}, proofs.Certificate{Kind: proofs.Arrival, Measure: xs{1, 0, 0}}, "arrival 1, but no permitted hop is lower"},

		{"worms", ids{0}, ids{1, 2}, proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 9, 0}, Held: xs{1, 0, 0}}, ""},
		{"what ejects at its source holds nothing", ids{eject}, ids{1, 2},
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 9, 0}, Held: xs{1, 0, 0}}, ""},
		{"a dead end is not a deadlock", ids{0}, ids{}, proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 9, 0}, Held: xs{1, 0, 0}}, ""},
		{"held more than the first channel's rank", ids{0}, ids{1, 2},
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{0, 9, 0}, Held: xs{1, 0, 0}},
			"more is held after a hop than the rank of its channel"},
		{"held rises", ids{0}, ids{1, 2},
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 9, 0}, Held: xs{1, 2, 0}},
			"extended-escape 1, but 2 after a hop"},
		{"held more than a channel's rank", ids{0}, ids{1, 2},
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 0, 0}, Held: xs{1, 1, 0}},
			"more is held after a hop than the rank of its channel"},
		{"no escape", ids{0}, ids{1, 2},
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: xs{5, 9, 1}, Held: xs{1, 0, 0}},
			"extended-escape 1, but no permitted hop is lower"},
	} {
		n := line(tt.source, tt.first)
		c := tt.cert
		c.Network, c.Switching = n.Digest(), n.Switching()
		if c.Kind == proofs.Arrival {
			c.Property = spec.Delivery
		}
		err := proofs.Verify(t.Context(), n, &c)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	topo := spec.NewTopology()
	topo.AddNode("")
	silent, err := spec.NewNetwork(t.Context(), spec.Parts{Name: "silent", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := proofs.Verify(t.Context(), silent, &proofs.Certificate{Network: silent.Digest(), Kind: proofs.Rank}); err != proofs.ErrNoFlow {
		t.Errorf("a silent network: %v, want %v", err, proofs.ErrNoFlow)
	}
}

// TestVerifyInFragments: for a network that is stored in fragments the same certificates
// are accepted, and the others are refused for the same reason.
func TestVerifyInFragments(t *testing.T) {
	for _, s := range samples(t) {
		stored, err := routing.Compile(t.Context(), routing.FromNetwork(s.n), routing.CompileOptions{Fragments: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.certs {
			refused := 0
			rapid.Check(t, func(rt *rapid.T) {
				d := clone(c)
				if rapid.IntRange(0, 3).Draw(rt, "change") > 0 {
					list := rapid.SampledFrom(slices.DeleteFunc([][]int32{d.Rank, d.Held, d.Measure},
						func(l []int32) bool { return len(l) == 0 })).Draw(rt, "list")
					list[rapid.IntRange(0, len(list)-1).Draw(rt, "at")] = rapid.Int32Range(0, 1+slices.Max(list)).Draw(rt, "to")
				}
				want, got := proofs.Verify(t.Context(), s.n, d), proofs.Verify(t.Context(), stored, d)
				if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
					rt.Fatalf("%s, %s: %v, in fragments %v", s.name, c.Kind, want, got)
				}
				if want != nil {
					refused++
				}
			})
			if seedtest.Usual() && refused == 0 {
				t.Errorf("%s, %s: no change was refused", s.name, c.Kind)
			}
		}
	}
}

// TestKindWithoutCondition: a kind that is added to what kinds show, and not to the conditions on sites, is refused by
// both forms of the check. Once it passed with the condition of another kind.
func TestKindWithoutCondition(t *testing.T) {
	const added = proofs.NoDiscard + 1
	defer proofs.AdmitKind(added, spec.DeadlockFreedom)()
	for _, s := range samples(t) {
		for _, c := range s.certs {
			if c.Property != spec.DeadlockFreedom {
				continue
			}
			wrong := *c
			wrong.Kind = added
			if len(wrong.Rank) != s.n.Topology().Channels() || len(wrong.Held)+len(wrong.Measure) > 0 {
				continue // the head refuses its numbers
			}
			for form, err := range map[string]error{
				"Verify":      proofs.Verify(t.Context(), s.n, &wrong),
				"VerifyPlain": proofs.VerifyPlain(t.Context(), s.n, &wrong),
			} {
				if err == nil || !strings.Contains(err.Error(), "no condition") {
					t.Errorf("%s: %s: error %v, want that no condition is known", s.name, form, err)
				}
			}
		}
	}
}
