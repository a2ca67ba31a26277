package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
	"path/filepath"
	"strings"
)

// run is a file of ascending states. It consists of blocks; a block is a head and its states,
// each written as its difference from the one before, the first from 0: the number of the
// first word that differs, if there are several words, the increase of that word, and the
// bytes that differ in each later word. A block that is not needed is skipped by its head,
// which has its last state.
type run struct {
	Number int
	Level  int // of its states; mixed: each state is followed by a word with its level
	Least  int // lowest level of its states
	Most   int
	States int64
	Bytes  int64
}

const mixed = -1

// A block has at most this number of words of states. A head is the number of states and of bytes, a
// checksum of these, the last state, and a checksum of the head.
const (
	blockWords = 1 << 13
	headWords  = 4
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func headBytes(words int) int { return 4*headWords + 8*words }

// width returns the words of a state in the file.
func (r *run) width(words int) int {
	if r.Level == mixed {
		return words + 1
	}
	return words
}

func (r *run) path(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("%08d%s", r.Number, runSuffix))
}

const runSuffix = ".run"

// numberOf is the inverse of path.
func numberOf(name string) (number int, ok bool) {
	text, ok := strings.CutSuffix(name, runSuffix)
	if _, err := fmt.Sscanf(text, "%d", &number); err != nil || !ok {
		return 0, false
	}
	return number, (&run{Number: number}).path("") == name
}

// appendState appends the difference of a state from the lesser one before it.
func appendState(b []byte, before, s []uint64) []byte {
	first := 0
	for first < len(s)-1 && s[first] == before[first] {
		first++
	}
	if len(s) > 1 {
		b = binary.AppendUvarint(b, uint64(first))
	}
	b = binary.AppendUvarint(b, s[first]-before[first])
	for i := first + 1; i < len(s); i++ {
		differ := s[i] ^ before[i]
		at, which := len(b), uint8(0)
		b = append(b, 0)
		for k := range 8 {
			if x := uint8(differ >> (8 * k)); x != 0 {
				which |= 1 << k
				b = append(b, x)
			}
		}
		b[at] = which
	}
	return b
}

var errState = errors.New("a state cannot be read")

// nextState turns the state before into the next one, and returns the remaining bytes.
func nextState(b []byte, s []uint64) ([]byte, error) {
	first := 0
	if len(s) > 1 {
		x, n := binary.Uvarint(b)
		if n <= 0 || x >= uint64(len(s)) {
			return nil, errState
		}
		b, first = b[n:], int(x)
	}
	more, n := uvarint(b)
	if n <= 0 {
		return nil, errState
	}
	s[first], b = s[first]+more, b[n:]
	for i := first + 1; i < len(s); i++ {
		if len(b) == 0 || len(b) <= bits.OnesCount8(b[0]) {
			return nil, errState
		}
		which := b[0]
		b = b[1:]
		for ; which != 0; which &= which - 1 {
			s[i] ^= uint64(b[0]) << (8 * bits.TrailingZeros8(which))
			b = b[1:]
		}
	}
	return b, nil
}

// uvarint is binary.Uvarint without an unpredictable branch for each byte.
func uvarint(b []byte) (x uint64, n int) {
	if len(b) < 8 {
		return binary.Uvarint(b)
	}
	x = binary.LittleEndian.Uint64(b)
	stop := ^x & 0x8080808080808080
	if stop == 0 {
		return binary.Uvarint(b)
	}
	x &= (stop ^ (stop - 1)) & 0x7f7f7f7f7f7f7f7f
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	return x&0x000000000fffffff | x&0x0fffffff00000000>>4, bits.TrailingZeros64(stop)/8 + 1
}
