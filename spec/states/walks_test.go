package states_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawTraffic draws a network and how it is run, with flits or packets.
func drawTraffic(rt *rapid.T) *states.Traffic {
	return netgen.Traffic(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Classes: 2, Buffer: 3, MayFail: true}, spec.Wormhole)
}

// TestReachableStatesAreValid: along random walks, every state is valid.
func TestReachableStatesAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		words := m.Layout().Words()
		s := m.Start(nil)
		for range 60 {
			if err := m.Valid(s); err != nil {
				rt.Fatalf("under %s, %s is reached: %v", m.Scenario(), m.Layout().Text(s), err)
			}
			next, err := m.AppendSuccessors(nil, s)
			if err != nil {
				rt.Fatal(err)
			}
			if len(next) == 0 {
				return
			}
			// Prefer what fills the network: injections come first.
			k := len(next)/words - 1
			i := min(rapid.IntRange(0, k).Draw(rt, "i"), rapid.IntRange(0, k).Draw(rt, "j"))
			s = next[i*words : (i+1)*words]
		}
	})
}

// TestMovesKeepToQuotas: along random walks, the moves are those of the unbounded step
// whose flow has quota left.
func TestMovesKeepToQuotas(t *testing.T) {
	used := 0
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		s := m.Empty()
		for range 30 {
			want := m.Traffic.Moves(nil, &s, func(f spec.Flow) bool {
				field, limit, ok := m.Quota(f)
				left := ok && (field < 0 || s.Sent[field] < limit)
				if !left {
					used++
				}
				return left
			})
			if diff := cmp.Diff(want, m.Moves(s)); diff != "" {
				rt.Fatalf("under %s, with %v sent (-want +got):\n%s", m.Scenario(), s.Sent, diff)
			}
			if len(want) == 0 {
				return
			}
			after, err := m.Step(s, rapid.SampledFrom(want).Draw(rt, "move"))
			if err != nil {
				rt.Fatal(err)
			}
			s = after
		}
	})
	if seedtest.Usual() && used == 0 {
		t.Error("no quota was ever used up")
	}
}

// TestClaimsAlongWalks: in the decoded states, the claim of a channel is pending while a
// message is in it, unless that is a packet at a dead end, and is answered by a step after
// which its first message is gone, has sent its head on, or has fewer flits to send.
func TestClaimsAlongWalks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		words, claims, s := m.Layout().Words(), m.Claims().Responses, m.Start(nil)
		for range 30 {
			next, err := m.AppendSuccessors(nil, s)
			if err != nil {
				rt.Fatal(err)
			}
			if len(next) == 0 {
				return
			}
			i := rapid.IntRange(0, len(next)/words-1).Draw(rt, "i")
			after := next[i*words : (i+1)*words]
			for c, was := range m.Decode(s).Channels {
				at := slices.IndexFunc(claims, func(r states.Response) bool { return strings.Contains(r.Name, fmt.Sprintf("(channel %d)", c)) })
				if at < 0 {
					if len(was) > 0 {
						rt.Fatalf("nothing is claimed of channel %d, which is not empty", c)
					}
					continue
				}
				pending, answered := false, false
				if len(was) > 0 {
					hops, _ := m.Network().Hops(spec.Site{Channel: spec.ChannelID(c), Header: was[0].Header})
					pending = m.Scenario().Flits() || len(hops) > 0
					is := m.Decode(after).Channels[c]
					answered = len(is) < len(was) || was[0].Left != is[0].Left || was[0].Flits+was[0].Rest > is[0].Flits+is[0].Rest
				}
				if got := claims[at].Pending(s); got != pending {
					rt.Fatalf("%s, in %s: pending %v, want %v", claims[at].Name, m.Layout().Text(s), got, pending)
				}
				if got := claims[at].Answered(s, 0, after); got != answered {
					rt.Fatalf("%s, from %s to %s: answered %v, want %v", claims[at].Name, m.Layout().Text(s), m.Layout().Text(after), got, answered)
				}
			}
			s = after
		}
	})
}

// TestValidStatesStep: whatever values the fields of a state have, it is refused, or
// its steps, their actions and what is stuck can be asked for, and the steps lead to
// valid states.
func TestValidStatesStep(t *testing.T) {
	valid := 0
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		words := m.Layout().Words()
		s := m.Start(nil)
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			next, err := m.AppendSuccessors(nil, s)
			if err != nil || len(next) == 0 {
				break
			}
			i := rapid.IntRange(0, len(next)/words-1).Draw(rt, "i")
			s = next[i*words : (i+1)*words]
		}
		fields := m.Layout().Fields()
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			f := fields[rapid.IntRange(0, len(fields)-1).Draw(rt, "field")]
			f.Put(s, rapid.Uint64Range(0, f.Values-1).Draw(rt, "value"))
		}
		if m.Valid(s) != nil {
			return
		}
		valid++
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			rt.Fatal(err)
		}
		m.Stuck(m.Decode(s))
		for i := 0; (i+1)*words <= len(next); i++ {
			m.Action(s, i)
			if err := m.Valid(next[i*words : (i+1)*words]); err != nil {
				rt.Fatalf("under %s, from %s: %v", m.Scenario(), m.Layout().Text(s), err)
			}
		}
	})
	if seedtest.Usual() && valid == 0 {
		t.Error("no state was valid")
	}
}

// TestActionsOfMoves: injections are one action, of which no fairness is required. Other
// moves are the same action if and only if they are of the same kind and take the same hop
// from the same site, or consume at the same node: a packet that moves on answers for no
// other.
func TestActionsOfMoves(t *testing.T) {
	kinds := map[spec.MoveKind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		words, s := m.Layout().Words(), m.Start(nil)
		moves, numbers := map[int]spec.Move{}, map[spec.Move]int{}
		for range 40 {
			for i, move := range m.Moves(m.Decode(s)) {
				kinds[move.Kind]++
				got := m.Action(s, i).Number
				switch {
				case move.Kind == spec.Advance && move.From.IsInjection():
					if got != 0 {
						rt.Fatalf("%s is action %d", m.Describe(move), got)
					}
					continue
				case move.Kind == spec.Consume:
					move = spec.Move{Kind: move.Kind, From: move.From}
				}
				is, known := moves[got]
				number, numbered := numbers[move]
				if got == 0 || known != numbered || known && (is != move || number != got) {
					rt.Fatalf("%s is action %d, as is %v; it was %d", m.Describe(move), got, is, number)
				}
				moves[got], numbers[move] = move, got
			}
			next, err := m.AppendSuccessors(nil, s)
			if err != nil {
				rt.Fatal(err)
			}
			if len(next) == 0 {
				return
			}
			i := rapid.IntRange(0, len(next)/words-1).Draw(rt, "i")
			s = next[i*words : (i+1)*words]
		}
	})
	for _, kind := range []spec.MoveKind{spec.Advance, spec.Follow, spec.Finish, spec.Consume} {
		if seedtest.Usual() && kinds[kind] == 0 {
			t.Errorf("no move of kind %d was drawn", kind)
		}
	}
}
