package spec_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// exchanging is a one-way ring of four nodes that ask each other, with so many requests of a node outstanding. Class 2 is
// no part of that.
func exchanging(outstanding, buffer int, switching spec.Switching) routing.Definition {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(4) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 4, VCs: 1})
	}
	return routing.Definition{Name: "exchange", Topology: topo, Classes: []string{"request", "reply", "other"}, Switching: switching, Buffer: buffer,
		Replies: []routing.Reply{{Request: 0, Reply: 1, Outstanding: outstanding}},
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
		}))}
}

// counted is a run as one would count it by hand: a message has arrived when as many flits as it has were ejected, a
// tracker of another package tells whose they are, and classes tell requests from replies.
type counted struct {
	length  int
	open    map[spec.NodeID]int
	waiting map[[2]spec.NodeID]int // by who asked and who answers
	of      map[int]spec.Flow
	left    map[int]int // flits not ejected
}

// may reports whether a message may be sent.
func (x *counted) may(f spec.Flow, outstanding int) bool {
	switch f.Target.Class {
	case 0:
		return x.open[f.Source] < outstanding
	case 1:
		return x.waiting[[2]spec.NodeID{f.Target.Dest, f.Source}] > 0
	}
	return true
}

func (x *counted) step(m spec.Move, packet int) {
	if m.Kind == spec.Advance && m.From.IsInjection() {
		f := spec.Flow{Source: spec.NodeID(-2 - m.From), Target: m.Header.Target()}
		x.of[packet], x.left[packet] = f, x.length
		if f.Target.Class == 0 {
			x.open[f.Source]++
		} else if f.Target.Class == 1 {
			x.waiting[[2]spec.NodeID{f.Target.Dest, f.Source}]--
		}
	}
	if m.Hop.Channel != spec.Eject || m.Kind == spec.Finish {
		return
	}
	if x.left[packet]--; x.left[packet] > 0 {
		return
	}
	switch f := x.of[packet]; f.Target.Class {
	case 0:
		x.waiting[[2]spec.NodeID{f.Source, f.Target.Dest}]++
	case 1:
		x.open[f.Target.Dest]--
	}
}

// TestOutstandingIsCounted: along random runs of packets and of worms exactly those injections are refused that exceed a
// window or answer nothing, and a copy goes its own way.
func TestOutstandingIsCounted(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		outstanding, buffer := rapid.IntRange(1, 2).Draw(rt, "outstanding"), rapid.IntRange(1, 2).Draw(rt, "buffer")
		sc, switching := spec.Scenario{}, spec.StoreAndForward
		length := rapid.IntRange(0, 3).Draw(rt, "length")
		if length > 0 {
			switching = spec.Wormhole
			sc = spec.Scenario{Length: length, Elastic: rapid.Bool().Draw(rt, "elastic"), Shared: rapid.Bool().Draw(rt, "shared")}
		}
		n, err := routing.Compile(context.Background(), exchanging(outstanding, buffer, switching), routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		traffic, err := n.Traffic(sc)
		if err != nil {
			rt.Fatal(err)
		}
		want := &counted{max(1, length), map[spec.NodeID]int{}, map[[2]spec.NodeID]int{}, map[int]spec.Flow{}, map[int]int{}}
		tracker, o := explain.Track(traffic), n.Outstanding()
		for range 80 {
			s := tracker.State()
			moves := traffic.Moves(nil, &s, nil)
			if len(moves) == 0 || rapid.IntRange(0, 3).Draw(rt, "inject") == 0 {
				moves = traffic.Moves(moves, &s, func(spec.Flow) bool { return true })
			}
			if len(moves) == 0 {
				break
			}
			m := moves[rapid.IntRange(0, len(moves)-1).Draw(rt, "move")]
			var after spec.Occupancy
			after.Copy(s)
			if err := traffic.Apply(&after, m); err != nil {
				rt.Fatal(err)
			}
			before, tried := o.Append(nil), o.Copy()
			if !bytes.Equal(before, tried.Append(nil)) {
				rt.Fatal("a copy is told from what was copied")
			}
			err := tried.Step(&after, m)
			may := m.Kind != spec.Advance || !m.From.IsInjection() ||
				want.may(spec.Flow{Source: n.Topology().Head(m.From), Target: m.Header.Target()}, outstanding)
			if (err == nil) != may {
				rt.Fatalf("move %v: %v, want it possible: %t", m, err, may)
			}
			if !bytes.Equal(before, o.Append(nil)) {
				rt.Fatal("a step of the copy has changed what was copied")
			}
			if err != nil {
				seen[strings.Fields(err.Error())[0]]++
				continue
			}
			o = tried
			packet, _, err := tracker.Step(m)
			if err != nil {
				rt.Fatal(err)
			}
			want.step(m, packet)
			if m.Kind == spec.Advance && m.From.IsInjection() {
				seen[fmt.Sprintf("%s, flits: %t", n.Classes()[m.Header.Class], length > 0)]++
			}
		}
	})
	t.Log(seen)
	if seedtest.Usual() && (seen["no"] == 0 || seen["reply, flits: true"] == 0 || seen["reply, flits: false"] == 0 || seen["other, flits: true"] == 0) {
		t.Errorf("%v: the draws are too tame", seen)
	}
}

// TestWindowsOfAChain: a request counts until the last message that follows from it has arrived, and so does one
// that is sent because of another. 0 asks 1, which forwards to 2, which replies to 0.
func TestWindowsOfAChain(t *testing.T) {
	def := exchanging(1, 1, spec.StoreAndForward)
	def.Classes = []string{"request", "forward", "reply"}
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && (dst == 1 || dst == 3) }
	to2 := func(dst []spec.NodeID, _, _ spec.NodeID) ([]spec.NodeID, error) { return append(dst, 2), nil }
	def.Replies = []routing.Reply{{Request: 0, Reply: 1, Outstanding: 1, To: to2}, {Request: 1, Reply: 2, Outstanding: 1}}
	n := routingtest.Compile(t, def)
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	s, o := traffic.Empty(), n.Outstanding()
	send := func(from, to spec.NodeID, class spec.Class) error { // all the way
		at := spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to, Class: class}}
		for at.Channel != spec.Eject {
			hops, _ := n.Hops(at)
			if len(hops) == 0 {
				t.Fatalf("no hop at %v", at)
			}
			m := spec.Move{From: at.Channel, Header: at.Header, Hop: hops[0]}
			var after spec.Occupancy
			after.Copy(s)
			if err := traffic.Apply(&after, m); err != nil {
				t.Fatal(err)
			}
			if err := o.Step(&after, m); err != nil {
				return err
			}
			s, at.Channel, at.Header.Tag = after, m.Hop.Channel, m.Hop.Tag
		}
		return nil
	}
	for i, tt := range []struct {
		from, to spec.NodeID
		class    spec.Class
		want     string
	}{
		{1, 2, 1, "no request has arrived at 1"},
		{0, 1, 0, ""},
		{0, 3, 0, "0 has 1 requests outstanding already"},
		{2, 0, 2, "no request has arrived at 2"},
		{1, 2, 1, ""},
		{1, 2, 1, "1 has 1 requests outstanding already"},
		{0, 3, 0, "0 has 1 requests outstanding already"},
		{2, 0, 2, ""},
		{2, 0, 2, "no request has arrived at 2"},
		{0, 3, 0, ""},
		{1, 2, 1, "no request has arrived at 1"},
		{3, 2, 1, ""},
	} {
		if err := send(tt.from, tt.to, tt.class); (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("message %d, %d to %d: %v, want %q", i, tt.from, tt.to, err, tt.want)
		}
	}
	if err := o.Step(&s, spec.Move{Kind: spec.Consume}); err == nil {
		t.Error("a sink consumes, although it is not told when a request has arrived")
	}
}

// TestExchangesAreChecked: every number of an exchange, whatever made it.
func TestExchangesAreChecked(t *testing.T) {
	good := routingtest.Compile(t, exchanging(1, 1, spec.StoreAndForward))
	for _, tt := range []struct {
		name   string
		change func(p *spec.Parts, x *spec.Exchange)
		want   string
	}{
		{"unchanged", func(*spec.Parts, *spec.Exchange) {}, ""},
		{"a window of 0", func(p *spec.Parts, _ *spec.Exchange) { p.Windows[0] = 0 }, "window 0 allows 0 requests: want at least 1"},
		{"answers -2", func(_ *spec.Parts, x *spec.Exchange) { x.Answers = -2 }, "answers requests of kind -2"},
		{"asks -2", func(_ *spec.Parts, x *spec.Exchange) { x.Asks = -2 }, "asks one of kind -2"},
		{"window -2", func(_ *spec.Parts, x *spec.Exchange) { x.Window = -2 }, "has window -2"},
		{"no source", func(_ *spec.Parts, x *spec.Exchange) { x.At.Channel = 0 }, "is no flow"},
		{"nobody sends", func(_ *spec.Parts, x *spec.Exchange) { x.At.Header.Dest = 9 }, "no node sends to its destination"},
	} {
		p := spec.Parts{Name: "x", Topology: good.Topology(), Classes: good.Classes(), Tags: 1, Switching: good.Switching(), Buffer: 1}
		for r := range good.RowCount() {
			p.Rows = append(p.Rows, good.Row(spec.RowID(r)))
		}
		for i := range good.Tables() {
			p.Tables = append(p.Tables, *good.Table(i))
		}
		p.Windows, p.Exchanges = append(p.Windows, good.Windows()...), append(p.Exchanges, good.Exchanges()...)
		tt.change(&p, &p.Exchanges[0])
		if _, err := spec.NewNetwork(t.Context(), p); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
