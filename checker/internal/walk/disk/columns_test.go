package disk

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestColumns: a block of any states is read as it was written, whole or without its last words, with or without room
// after each state, after what is there already.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words, count := rapid.IntRange(1, 4).Draw(t, "words"), rapid.IntRange(1, 20).Draw(t, "states")
		var states []uint64
		masks := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 1, 0xff, 0xff00, 0xff0000ff00, 1 << 63, ^uint64(0)}), words, words).Draw(t, "masks")
		base := rapid.SliceOfN(rapid.Uint64(), words, words).Draw(t, "base")
		for range count {
			for w := range words {
				states = append(states, base[w]^rapid.Uint64().Draw(t, "word")&masks[w])
			}
		}
		all := slices.Collect(slices.Chunk(states, words))
		slices.SortFunc(all, slices.Compare[[]uint64])
		all = slices.CompactFunc(all, slices.Equal[[]uint64]) // in a block no two are equal
		states, count = slices.Concat(all...), len(all)
		body := appendBlock(nil, states, words)
		plain := rapid.IntRange(1, words).Draw(t, "plain")
		stride := plain + rapid.IntRange(0, 1).Draw(t, "room")
		got, err := decodeBlock([]uint64{7}, body[:len(body):len(body)], count, states[len(states)-words:], plain, stride)
		if err != nil || len(got) != 1+count*stride || got[0] != 7 {
			t.Fatalf("%x of %d words: %x, error %v", states, words, got, err)
		}
		for i, s := range all {
			if !slices.Equal(got[1+i*stride:][:plain], s[:plain]) {
				t.Fatalf("%x of %d words: state %d is %x", states, words, i, got[1+i*stride:][:plain])
			}
		}
		if !ascend(states, words, words) {
			t.Fatalf("%x do not ascend", states)
		}
		if count > 1 {
			i := rapid.IntRange(0, count-2).Draw(t, "exchanged")
			copy(states[i*words:], slices.Concat(all[i+1], all[i]))
			if ascend(states, words, words) {
				t.Fatalf("%x ascend", states)
			}
		}
		wrong := slices.Clone(body)
		switch rapid.IntRange(0, 2).Draw(t, "wrong") {
		case 0:
			wrong = wrong[:rapid.IntRange(0, len(wrong)-1).Draw(t, "cut")]
		case 1:
			wrong = append(wrong, 0)
		case 2: // more bytes in a column than its word has left
			wrong[rapid.IntRange(0, words-1).Draw(t, "shape")] = rapid.SampledFrom([]uint8{9, 0x18, 0x81, 0xff}).Draw(t, "is")
		}
		if _, err := decodeBlock(nil, wrong, count, states[len(states)-words:], plain, stride); err == nil {
			t.Fatalf("%x is read as a block of %d states, like %x", wrong, count, body)
		}
	})
	if _, err := decodeBlock(nil, []byte{0}, 2, []uint64{5}, 1, 1); err == nil {
		t.Error("a state twice is read")
	}
}
