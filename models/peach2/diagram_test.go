package peach2

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// smallRegister draws a register on a window of so many bits, mask and bounds of
// any form; bounds may lie beyond the window or the wrong way round.
func smallRegister(t *rapid.T, bits int) Register {
	n := rapid.Uint64Range(0, 1<<bits+3)
	r := Register{Port: Port(rapid.IntRange(0, int(ports)-1).Draw(t, "port")), Mask: n.Draw(t, "mask"), Lower: n.Draw(t, "lower"), Upper: n.Draw(t, "upper")}
	if rapid.Bool().Draw(t, "masked bounds") {
		r.Lower &= r.Mask
		r.Upper &= r.Mask
	}
	return r
}

// TestDiagramAgreesWithMatch: over every address of a small window, the diagram
// of several registers says which of them match; and count, lowest and interval are those of a plain list of the values.
func TestDiagramAgreesWithMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, 7).Draw(t, "bits")
		s := newSpace(bits)
		var rs []Register
		for range rapid.IntRange(0, 5).Draw(t, "registers") {
			rs = append(rs, smallRegister(t, bits))
		}
		pattern := func(m []bool) int {
			x := 0
			for i, yes := range m {
				if yes {
					x |= 1 << i
				}
			}
			return x
		}
		f, err := s.matches(rs, pattern)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]int, 1<<bits)
		counts := map[int]uint64{}
		for a := range values {
			m := make([]bool, len(rs))
			for i, r := range rs {
				m[i] = r.Match(uint64(a))
			}
			values[a] = pattern(m)
			counts[values[a]]++
			if got := s.at(f, uint64(a)); got != values[a] {
				t.Fatalf("address %#x: %b, want %b", a, got, values[a])
			}
		}
		for v, n := range counts {
			if got := s.count(f, func(x int) bool { return x == v }); got != n {
				t.Errorf("%d addresses have the value %b, want %d", got, v, n)
			}
		}
		wanted := rapid.IntRange(0, 31).Draw(t, "wanted")
		want := func(v int) bool { return v&wanted != 0 }
		from := rapid.Uint64Range(0, 1<<bits+1).Draw(t, "from")
		total := uint64(0)
		for v, n := range counts {
			if want(v) {
				total += n
			}
		}
		if got := s.count(f, want); got != total {
			t.Errorf("%d addresses are wanted, want %d", got, total)
		}
		lowest, first, last := -1, -1, -1
		for a, v := range values {
			if !want(v) {
				continue
			}
			if lowest < 0 && uint64(a) >= from {
				lowest = a
			}
			if first < 0 {
				first, last = a, a
			} else if a == last+1 {
				last = a
			}
		}
		check := func(what string, got uint64, ok bool, want int) {
			if ok != (want >= 0) || ok && got != uint64(want) {
				t.Errorf("%s: %#x, %t, want %#x", what, got, ok, want)
			}
		}
		a, ok := s.lowest(f, from, want)
		check("lowest", a, ok, lowest)
		a, b, ok := s.interval(f, want)
		check("first", a, ok, first)
		check("last", b, ok, last)
	})
}

// TestEqualFunctionsAreOneNode: the order of registers does not matter, nor does
// a range in one piece or in two.
func TestEqualFunctionsAreOneNode(t *testing.T) {
	s := newSpace(12)
	any := func(m []bool) int { return min(firstMatch(m), 1) }
	whole, err := s.matches([]Register{{Mask: 0xfff, Lower: 0x123, Upper: 0xabc}}, any)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.matches([]Register{{Mask: 0xfff, Lower: 0x700, Upper: 0xabc}, {Mask: 0xfff, Lower: 0x123, Upper: 0x6ff}}, any)
	if err != nil {
		t.Fatal(err)
	}
	if whole != parts {
		t.Errorf("one range is node %d, its two parts are node %d", whole, parts)
	}
}

// TestPolynomial: a bound on the states of a list that all mask the same low bits
// away, far below the number of addresses: at most two states a bound and level.
func TestPolynomial(t *testing.T) {
	const bits, registers = 62, 64
	s := newSpace(bits)
	s.limit = bits * (2*registers + 2)
	var rs []Register
	for i := range uint64(registers) {
		rs = append(rs, Register{Port: East, Mask: 1<<bits - 1, Lower: i<<50 + i*0x12345, Upper: i<<50 + i*0x54321})
	}
	if _, err := s.matches(rs, firstMatch); err != nil {
		t.Error(err)
	}
}

// TestBound: registers that mask different bits have too many states in the end;
// that is an error, not an answer. Register i compares bit i with bit 20+i, so
// the high half of an address has to be remembered whole: 2^20 states.
func TestBound(t *testing.T) {
	s := newSpace(40)
	s.limit = 1 << 12
	var rs []Register
	for i := range 20 {
		mask := uint64(1)<<i | uint64(1)<<(20+i)
		rs = append(rs, Register{Mask: mask}, Register{Mask: mask, Lower: mask, Upper: mask})
	}
	_, err := s.matches(rs, firstMatch)
	var size *spec.BoundError
	if !errors.As(err, &size) || size.Limit != s.limit {
		t.Errorf("error %v, want a *spec.BoundError", err)
	}
}

// TestPairIsBounded: pairing two diagrams fails if there is no room for the
// nodes of the result. One asks the even bits, the other one the odd bits, so
// that the pair has nodes that neither has.
func TestPairIsBounded(t *testing.T) {
	s := newSpace(16)
	var halves [2]ref
	for i, mask := range []uint64{0x5555, 0xaaaa} {
		f, err := s.matches([]Register{{Mask: mask, Lower: mask, Upper: mask}}, firstMatch)
		if err != nil {
			t.Fatal(err)
		}
		halves[i] = f
	}
	s.limit = len(s.nodes)
	_, err := s.pair(halves[0], halves[1], func(a, b int) int { return 2*a + b })
	var size *spec.BoundError
	if !errors.As(err, &size) {
		t.Errorf("error %v, want a *spec.BoundError", err)
	}
}
