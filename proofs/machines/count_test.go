package machines_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// lampCount is the count of the three states that the lamp can reach, with its four
// steps among them (see lamp).
func lampCount() *machines.Count {
	c := &machines.Count{Machine: "lamp", Property: "whole", States: 3, Transitions: 4}
	for _, s := range of(0, 1, 2) {
		c.Digest.Add(s)
	}
	return c
}

func TestRecount(t *testing.T) {
	m := newLamp()
	all := func(_, _ []uint64) error { return nil }
	for _, tt := range []struct {
		name   string
		safe   func(s, next []uint64) error
		change func(*machines.Count)
		want   string // "" accepts
	}{
		{"right", all, func(*machines.Count) {}, ""},
		{"of another machine", all, func(c *machines.Count) { c.Machine = "bulb" }, "another machine"},
		{"a state too few", all, func(c *machines.Count) { c.States = 2 }, "more states"},
		{"a state too many", all, func(c *machines.Count) { c.States = 4 }, "3 states are reachable, not 4"},
		{"no states", all, func(c *machines.Count) { c.States = 0 }, "more states"},
		{"a step too few", all, func(c *machines.Count) { c.Transitions = 3 }, "4 steps, not 3"},
		{"another set", all, func(c *machines.Count) { c.Digest.Add([]uint64{3}) }, "the digest"},
		{"no digest", all, func(c *machines.Count) { c.Digest = machines.SetDigest{} }, "the digest"},
		{"an unsafe state", func(s, _ []uint64) error {
			if s[0] == 2 {
				return errors.New("too bright")
			}
			return nil
		}, func(*machines.Count) {}, "too bright"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, recount := range recounts {
				c := lampCount()
				tt.change(c)
				refusal(t, recount(context.Background(), m, tt.safe, c, 0), tt.want)
			}
		})
	}
	for _, recount := range recounts {
		refusal(t, recount(context.Background(), m, all, nil, 0), "no count")
		refusal(t, recount(context.Background(), nowhere{m}, all, &machines.Count{Machine: "lamp"}, 0), "has no initial state")
		refusal(t, recount(context.Background(), counter(t, 3, -1), all, &machines.Count{Machine: "counter", States: 3}, 0), "set to 3")
		var bound *spec.BoundError
		if err := recount(context.Background(), m, all, lampCount(), 10); !errors.As(err, &bound) {
			t.Errorf("with 10 bytes: %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := recount(ctx, m, all, lampCount(), 0); !errors.Is(err, context.Canceled) {
			t.Errorf("after its context ended: %v", err)
		}
	}
}

// recounts are the form for large spaces and that for readers, which accept the same counts.
var recounts = []func(context.Context, states.Machine, func(s, next []uint64) error, *machines.Count, int64) error{machines.Recount, machines.RecountPlain}

// TestRecountMany: with more states than one round takes, all are visited and none
// twice. A counter of two digits from 0 to 299, one of which goes up by one in each
// step, has 300*300 states; each has a step for every digit below 299: 2*300*299.
func TestRecountMany(t *testing.T) {
	const top = 299
	p := program.New("digits")
	for _, x := range []program.Var{p.Var("x", top+1), p.Var("y", top+1)} {
		p.Rule("up", program.Lt(x, top), program.Set(x, program.Add(x, 1)))
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	c := &machines.Count{Machine: "digits", States: (top + 1) * (top + 1), Transitions: 2 * top * (top + 1)}
	fields := m.Layout().Fields()
	for x := range uint64(top + 1) {
		for y := range uint64(top + 1) {
			s := make([]uint64, m.Layout().Words())
			fields[0].Put(s, x)
			fields[1].Put(s, y)
			c.Digest.Add(s)
		}
	}
	all := func(_, _ []uint64) error { return nil }
	for _, recount := range recounts {
		refusal(t, recount(t.Context(), m, all, c, 0), "")
		less := *c
		less.Transitions--
		refusal(t, recount(t.Context(), m, all, &less, 0), "179400 steps, not 179399")
	}
}

func TestCountForm(t *testing.T) {
	var b bytes.Buffer
	if err := write.Count(&b, lampCount()); err != nil {
		t.Fatal(err)
	}
	want := "unknot-count 3\nmachine \"lamp\"\nproperty \"whole\"\nstates 3\ntransitions 4\ndigest " + lampCount().Digest.String() + "\nend\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Fatal(diff)
	}
	got, err := machines.ReadCount("count", strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lampCount(), got); diff != "" {
		t.Error(diff)
	}
	refused := func(name, text string) {
		var pos *spec.PosError
		if _, err := machines.ReadCount("count", strings.NewReader(text)); !errors.As(err, &pos) {
			t.Errorf("%s: %v, want an error with a place", name, err)
		}
	}
	lines := strings.SplitAfter(want, "\n")
	for i := range lines[:len(lines)-1] {
		refused("without line "+lines[i], strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
	}
	for _, tt := range [][2]string{
		{"states 3", "states -3"}, {"states 3", "states 03"}, {"states 3", "states 3 3"}, {"states 3", "states"},
		{"digest ", "digest 0"}, {"digest ", "digest"}, {"digest " + lampCount().Digest.String(), "digest"},
		{lampCount().Digest.String(), strings.ToUpper(lampCount().Digest.String())},
		{"end\n", "end\nend\n"}, {`"lamp"`, `lamp`}, {"count 3", "count 2"},
	} {
		refused(tt[1], strings.Replace(want, tt[0], tt[1], 1))
	}
}

// TestRankingForm: what is written is read again and verifies; damaged it is refused.
func TestRankingForm(t *testing.T) {
	r := &machines.Ranking{
		ClosedSet: machines.ClosedSet{Machine: "lamp", Property: "lit", States: of(2, 1, 0)},
		Levels: [][]machines.Level{{{Rank: 0, Helpful: machines.NoAction}},
			{{Rank: 7, Helpful: light}, {Rank: 3, Helpful: light}}, {{Rank: 0, Helpful: machines.NoAction}}},
	}
	var b bytes.Buffer
	if err := write.Ranking(&b, r); err != nil {
		t.Fatal(err)
	}
	want := "unknot-ranking 3\nmachine \"lamp\"\nproperty \"lit\"\nstates 3 1\n0 - 0\n7 2 3 2 1\n0 - 2\nend\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Fatal(diff)
	}
	got, err := machines.ReadRanking("ranking", strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]machines.Level{{{Rank: 0, Helpful: machines.NoAction}},
		{{Rank: 7, Helpful: light}, {Rank: 3, Helpful: light}},
		{{Rank: 0, Helpful: machines.NoAction}}}, got.Levels); diff != "" {
		t.Error(diff)
	}
	lit := states.Response{Name: "lit", Pending: func(s []uint64) bool { return s[0] == 1 }}
	if err := machines.VerifyRanking(t.Context(), newLamp(), states.Claims{Strong: map[int]bool{light: true}}, lit, got); err != nil {
		t.Error(err)
	}
	refused := func(name, text string) {
		var pos *spec.PosError
		if _, err := machines.ReadRanking("ranking", strings.NewReader(text)); !errors.As(err, &pos) {
			t.Errorf("%s: %v, want an error with a place", name, err)
		}
	}
	lines := strings.SplitAfter(want, "\n")
	for i := range lines[:len(lines)-1] {
		refused("without line "+lines[i], strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
	}
	for _, tt := range [][2]string{
		{"7 2 3 2 1", "7 -2 3 2 1"}, {"7 2 3 2 1", "-7 2 3 2 1"}, {"7 2 3 2 1", "7 2"}, {"7 2 3 2 1", "7 2 3 2 1 1"}, {"7 2 3 2 1", "7 2 3 2 g"},
		{"7 2 3 2 1", "7 2 3 02 1"}, {"7 2 3 2 1", "7 2 -3 2 1"}, {"7 2 3 2 1", "1"}, {"7 2 3 2 1", "7 2 3 1"},
		{"ranking 3", "ranking 2"}, {"states 3", "states 999999999999"}, {"end\n", "end\n\n"},
	} {
		refused(tt[1], strings.Replace(want, tt[0], tt[1], 1))
	}
	r.Levels = r.Levels[:2]
	if err := write.Ranking(&b, r); err == nil {
		t.Error("a ranking without a rank for every state was written")
	}
}
