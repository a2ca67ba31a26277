package disk

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
)

// run is a file of ascending states. It consists of blocks; a block is a head and its states (columns.go). One
// that is not needed is skipped by its head, which has its last state.
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
