package disk

import (
	"math/bits"
	"slices"
)

// States lie end to end in a slice of words, and are ordered word by word.

func compare(a, b []uint64) int {
	for i, x := range a {
		if y := b[i]; x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// hashOf scatters states; use its higher bits.
func hashOf(s []uint64) (h uint64) {
	const factor = 0x9e3779b97f4a7c15
	for _, x := range s {
		h = (h ^ h>>32 ^ x) * factor
	}
	return h
}

// sortStates sorts states of the given number of words in place: by the bytes in which any of them
// differ, from the first on (McIlroy, Bostic and McIlroy, Engineering radix sort, 1993).
func sortStates(a []uint64, words int) { sortStatesUntil(nil, a, words) }

// sortStatesUntil is sortStates unless stop returns true first: then the states are left in
// some order, and it returns false. stop may be nil.
func sortStatesUntil(stop func() bool, a []uint64, words int) (done bool) {
	differ := make([]uint64, words)
	for i := 0; i < len(a); i += words {
		for k := range words {
			differ[k] |= a[i+k] ^ a[k]
		}
	}
	var digits []digit
	for k, d := range differ {
		for d != 0 {
			shift := max(0, bits.Len64(d)-8)
			digits = append(digits, digit{k, uint(shift)})
			d &= 1<<shift - 1
		}
	}
	s := sorter{words: words, stop: stop}
	if words > 1 {
		s.keys, s.moved = make([]uint64, few), make([]uint64, few*words)
	}
	return s.sort(a, digits)
}

// sorter sorts states of a number of words.
type sorter struct {
	words int
	stop  func() bool // may be nil
	keys  []uint64    // scratch, as are those moved
	moved []uint64
}

const few = 96 // states that are not divided any more

// digit is eight bits of a state.
type digit struct {
	word  int
	shift uint
}

func (d digit) of(state []uint64) uint8 { return uint8(state[d.word] >> (d.shift & 63)) }

// sort sorts states that differ only in these digits, unless stop says so.
func (s *sorter) sort(a []uint64, digits []digit) (done bool) {
	words := s.words
	if len(digits) == 0 || len(a) <= words {
		return true
	}
	if len(a) <= few*words {
		s.sortFew(a, digits)
		return true
	}
	const often = 1 << 16 // words; for fewer, stop is not asked
	if s.stop != nil && len(a) >= often && s.stop() {
		return false
	}
	d := digits[0]
	var ends [257]int // words, shifted by one digit, so that each entry begins at its own start
	for i := 0; i < len(a); i += words {
		ends[int(d.of(a[i:]))+1] += words
	}
	for i := range 256 {
		ends[i+1] += ends[i]
	}
	begins := ends
	if words == 1 {
		for i := range 256 {
			for begins[i] < ends[i+1] {
				x := a[begins[i]]
				for {
					k := uint8(x >> (d.shift & 63))
					to := begins[k]
					begins[k]++
					if int(k) == i {
						a[to] = x
						break
					}
					a[to], x = x, a[to]
				}
			}
		}
	} else {
		for i := range 256 {
			for begins[i] < ends[i+1] {
				x := a[begins[i]:][:words]
				k := d.of(x)
				to := a[begins[k]:][:words]
				begins[k] += words
				if int(k) != i {
					for w := range words {
						x[w], to[w] = to[w], x[w]
					}
				}
			}
		}
	}
	for i := range 256 {
		if !s.sort(a[ends[i]:ends[i+1]], digits[1:]) {
			return false
		}
	}
	return true
}

// sortFew sorts the first seven digits of a few states with their places, as one number each, and then moves each state
// once. What agrees in these is compared word by word.
func (s *sorter) sortFew(a []uint64, digits []digit) {
	words := s.words
	if words == 1 {
		slices.Sort(a)
		return
	}
	const atOnce, least = 7, 8
	n := len(a) / words
	if n < least {
		insertStates(a, words)
		return
	}
	keys, moved := s.keys[:n], s.moved[:len(a)]
	for i := range keys {
		key := uint64(0)
		for _, d := range digits[:min(atOnce, len(digits))] {
			key = key<<8 | uint64(d.of(a[i*words:]))
		}
		keys[i] = key<<8 | uint64(i)
	}
	slices.Sort(keys)
	for i, key := range keys {
		copy(moved[i*words:][:words], a[int(key&0xff)*words:])
	}
	copy(a, moved)
	if len(digits) <= atOnce {
		return
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && keys[to]>>8 == keys[from]>>8 {
			to++
		}
		insertStates(a[from*words:to*words], words)
		from = to
	}
}

// insertStates sorts states by insertion.
func insertStates(a []uint64, words int) {
	for i := words; i < len(a); i += words {
		for k := i; k > 0 && compare(a[k-words:k], a[k:k+words]) > 0; k -= words {
			for w := k; w < k+words; w++ {
				a[w-words], a[w] = a[w], a[w-words]
			}
		}
	}
}

// distinct drops duplicates from sorted states, and returns how many.
func distinct(a []uint64, words int) (left []uint64, dropped int64) {
	if len(a) == 0 {
		return a, 0
	}
	n := words
	if words == 1 {
		n = len(slices.Compact(a))
	} else {
		for i := words; i < len(a); i += words {
			if compare(a[n-words:n], a[i:i+words]) != 0 {
				copy(a[n:n+words], a[i:i+words])
				n += words
			}
		}
	}
	return a[:n], int64(len(a)-n) / int64(words)
}
