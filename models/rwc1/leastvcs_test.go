package rwc1_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/models/graph/census"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestLeastVCs: a packet of CCCB or of the c-Banyan makes at most 2n-1 ring
// hops, n to correct all bits and n-1 to get home, so it passes x=n-1 at most
// twice and three indices are enough; the ring 0..0 can be closed in VC 1 by
// packets that have passed the border once. A packet of the CCC corrects while
// it stands, 2n-2 ring hops in all, which for n=2 pass the border but once.
func TestLeastVCs(t *testing.T) {
	for _, topology := range []rwc1.Topology{rwc1.CCCB, rwc1.Banyan, rwc1.CCC} {
		for n := 2; n <= 4; n++ {
			if testing.Short() && n == 4 && topology == rwc1.CCCB {
				continue
			}
			want := 3
			if topology == rwc1.CCC && n == 2 {
				want = 2
			}
			for vcs := 1; vcs <= 4; vcs++ {
				o := rwc1.Options{N: n, Topology: topology, VCs: vcs, Levels: 1}
				d, err := rwc1.Depend(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if got := len(d.Cycle) == 0; got != (vcs >= want) {
					t.Errorf("%s, n=%d, %d VCs: free %t, want %d VCs to be the least", rwc1.TopologyNames[topology], n, vcs, got, want)
				}
				if len(d.Cycle) > 0 {
					replay(t, o, d)
				}
			}
		}
	}
}

// replay sends the packets of a cyclic wait, one after the other, with the
// reference step from the empty network: afterwards all of them are stuck. With
// deeper buffers, each is sent as many times as a buffer holds.
func replay(t *testing.T, o rwc1.Options, d *rwc1.Dependencies) {
	t.Helper()
	if !d.Filled() {
		t.Errorf("%+v: the cycle cannot be filled", o)
		return
	}
	if o.N == 4 && o.Topology == rwc1.CCCB {
		return // a million sites in the reference's tables, for what n=3 shows as well
	}
	for depth := 1; depth <= 2; depth++ {
		def, err := rwc1.New(o)
		def.Buffer = depth
		n := compiled(t, def, err)
		m, err := n.Traffic(spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Empty()
		byTurn := slices.Clone(d.Cycle)
		slices.SortFunc(byTurn, func(a, b rwc1.Wait) int { return a.Turn - b.Turn })
		var cycle []spec.ChannelID
		for _, x := range byTurn {
			cycle = append(cycle, x.Holds)
			for range depth {
				at := spec.Site{Channel: spec.Injection(x.From), Header: spec.Header{Dest: x.To}}
				for at.Channel != x.Holds {
					hops, _ := n.Hops(at)
					if len(hops) != 1 {
						t.Fatalf("%+v: %d hops", o, len(hops))
					}
					if s, err = m.Step(s, spec.Move{From: at.Channel, Header: at.Header, Hop: hops[0]}); err != nil {
						t.Fatalf("%+v: %v", o, err)
					}
					at.Channel = hops[0].Channel
				}
			}
		}
		slices.Sort(cycle)
		if stuck := m.Stuck(s); !slices.Equal(stuck, cycle) {
			t.Errorf("%+v, depth %d: stuck %v, want %v", o, depth, stuck, cycle)
		}
	}
}

// TestDependCounts: the same counts as by a walk over the compiled network.
func TestDependCounts(t *testing.T) {
	for _, o := range []rwc1.Options{
		{N: 2, VCs: 2, Levels: 1}, {N: 3, VCs: 3, Levels: 1},
		{N: 4, Topology: rwc1.Banyan, VCs: 2, Levels: 1}, {N: 3, Topology: rwc1.CCC, VCs: 3, Levels: 1},
	} {
		d, err := rwc1.Depend(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		def, err := rwc1.New(o)
		n := compiled(t, def, err)
		want := census.Count(n)
		if d.Channels != want.Channels || d.Edges != want.Edges || (len(d.Cycle) == 0) != want.Acyclic || d.Packets != n.FlowCount() {
			t.Errorf("%+v: %d ways, %d channels, %d edges, cycle of %d; want %+v", o, d.Packets, d.Channels, d.Edges, len(d.Cycle), want)
		}
		if (d.Longest == 0) != (len(d.Cycle) > 0) {
			t.Errorf("%+v: longest chain %d, cycle of %d", o, d.Longest, len(d.Cycle))
		}
	}
}

func TestPicture(t *testing.T) {
	d, err := rwc1.Depend(t.Context(), rwc1.Options{N: 3, VCs: 2, Levels: 1})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := d.Picture(&svg); err != nil {
		t.Fatal(err)
	}
	arrows := 0
	for x := xml.NewDecoder(&svg); ; {
		token, err := x.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "line" {
			arrows++
		}
	}
	if arrows != len(d.Cycle) {
		t.Errorf("%d arrows for %d channels", arrows, len(d.Cycle))
	}
	if err := d.Picture(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a writer that fails: %v", err)
	}
	p, err := rwc1.Leaks(t.Context(), rwc1.Options{N: 3, VCs: 3, Levels: 1}, rwc1.Unaligned)
	if err != nil {
		t.Fatal(err)
	}
	svg.Reset()
	if err := p.Picture(&svg); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(svg.Bytes(), new(struct{})); err != nil || bytes.Count(svg.Bytes(), []byte("<line ")) != len(p.First.Way)-1 {
		t.Errorf("%v in\n%s", err, svg.Bytes())
	}
	if p, err = rwc1.Leaks(t.Context(), rwc1.Options{N: 2, VCs: 3, Levels: 1}, rwc1.Aligned); err != nil || p.Picture(io.Discard) == nil {
		t.Errorf("a picture without a leak; %v", err)
	}
	if d, err = rwc1.Depend(t.Context(), rwc1.Options{N: 3, VCs: 3, Levels: 1}); err != nil || d.Picture(io.Discard) == nil {
		t.Errorf("a picture without a cycle; %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := rwc1.Options{N: 2, VCs: 2, Levels: 1}
	if _, err := rwc1.Depend(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := rwc1.Leaks(ctx, o, rwc1.Aligned); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
