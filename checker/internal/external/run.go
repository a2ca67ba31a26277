package external

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// run is a file of states that ascend. It consists of blocks; a block is a head and its
// states, each written as what distinguishes it from the one before, the first one from 0:
// the number of the first word that differs if there are several, how much that one is
// more, and of each later word the bytes that differ. A block that nobody needs is
// passed over by its head, which has its last state.
type run struct {
	Number int
	Level  int // of its states; mixed: each has one word more, which is its level
	Least  int // level that some state has
	Most   int
	States int64
	Bytes  int64
}

const mixed = -1

// Blocks have so many words of states. A head is the number of states and of bytes, a
// checksum of these, the last state, and a checksum of the head.
const (
	blockWords = 1 << 13
	headWords  = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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

// appendState writes what distinguishes a state from the lesser one before.
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

// nextState makes the state of the one before, and returns the bytes behind it.
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

// uvarint is binary.Uvarint without a branch for each byte, which could not be foreseen.
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

// encoder makes blocks of states.
type encoder struct {
	run
	put    func(block []byte) error
	words  int // of a state in the file
	before []uint64
	count  uint32 // states of the block
	block  []byte
}

func newEncoder(r run, words int, put func(block []byte) error) *encoder {
	e := &encoder{run: r, put: put, words: r.width(words)}
	e.before = make([]uint64, e.words)
	e.block = make([]byte, headBytes(e.words), 1<<12)
	return e
}

// writer writes a run.
type writer struct {
	*encoder
	shelf *shelf
	file  *os.File
}

func (s *shelf) writer(level int) (*writer, error) {
	s.mu.Lock()
	r := run{Number: s.next, Level: level, Least: level, Most: level}
	s.next++
	s.mu.Unlock()
	f, err := os.OpenFile(r.path(s.dir), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, &diskError{err}
	}
	return &writer{newEncoder(r, s.words, func(block []byte) error { return s.put(f, block) }), s, f}, nil
}

// write appends states that ascend and come behind those that are there.
func (w *encoder) write(states []uint64) error {
	most := uint32(max(1, blockWords/w.words))
	for ; len(states) > 0; states = states[w.words:] {
		s := states[:w.words]
		w.block = appendState(w.block, w.before, s)
		copy(w.before, s)
		if w.Level == mixed {
			level := int(s[w.words-1])
			if w.States == 0 && w.count == 0 {
				w.Least, w.Most = level, level
			}
			w.Least, w.Most = min(w.Least, level), max(w.Most, level)
		}
		if w.count++; w.count == most {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush ends the block.
func (w *encoder) flush() error {
	if w.count == 0 {
		return nil
	}
	head, body := w.block[:headBytes(w.words)], w.block[headBytes(w.words):]
	le := binary.LittleEndian
	le.PutUint32(head, w.count)
	le.PutUint32(head[4:], uint32(len(body)))
	le.PutUint32(head[8:], crc32.Checksum(body, castagnoli))
	for i, x := range w.before {
		le.PutUint64(head[12+8*i:], x)
	}
	le.PutUint32(head[len(head)-4:], crc32.Checksum(head[:len(head)-4], castagnoli))
	if err := w.put(w.block); err != nil {
		return err
	}
	w.States += int64(w.count)
	w.Bytes += int64(len(w.block))
	w.block, w.count = w.block[:len(head)], 0
	clear(w.before)
	return nil
}

// close ends the run. Whatever fails, no file is left.
func (w *writer) close() (run, error) {
	err := w.flush()
	if e := w.file.Close(); err == nil && e != nil {
		err = &diskError{e}
	}
	if err != nil {
		w.discard()
	}
	return w.run, err
}

// discard removes what was written.
func (w *writer) discard() {
	w.file.Close()
	w.shelf.remove(w.run)
}

// cursor reads a run.
type cursor struct {
	run
	name   string
	file   io.Closer
	r      *bufio.Reader
	inFile int // words of a state in the file
	words  int // of the states that it tells: one more than a state has, with the level behind
	plain  int // words of a state
	head   []byte
	body   []byte
	count  int      // states of the block whose head was read, 0 if its states were, too
	buffer []uint64 // of states
	states []uint64 // those of the block that were not taken
	read   int64    // states of the blocks read and passed over
	before []uint64
	last   []uint64 // of the block whose head was read
	any    bool     // whether there was a block before
}

// open opens a run, to be told with its levels or without.
func (s *shelf) open(r run, levels bool) (*cursor, error) {
	f, err := os.Open(r.path(s.dir))
	if err != nil {
		return nil, s.unreadable(err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != r.Bytes {
		err = fmt.Errorf("%s has %d bytes, not %d", filepath.Base(f.Name()), info.Size(), r.Bytes)
	}
	if err != nil {
		f.Close()
		return nil, s.unreadable(err)
	}
	return newCursor(r, f.Name(), f, bufio.NewReaderSize(f, int(min(1<<16, r.Bytes))), s.words, levels), nil
}

// newCursor reads the run from r, and closes the file that it comes from.
func newCursor(of run, name string, file io.Closer, r *bufio.Reader, words int, levels bool) *cursor {
	c := &cursor{run: of, name: name, file: file, r: r, inFile: of.width(words), words: words, plain: words}
	if levels {
		c.words++
	}
	c.head = make([]byte, headBytes(c.inFile))
	c.before, c.last = make([]uint64, c.inFile), make([]uint64, c.inFile)
	return c
}

func (c *cursor) close() { c.file.Close() }

func (c *cursor) damaged(why string) error {
	return &statespace.CheckpointError{File: c.name, Msg: "is damaged: " + why}
}

// nextHead reads the head of the next block; io.EOF if there is none.
func (c *cursor) nextHead() error {
	if c.read == c.States {
		if _, err := c.r.ReadByte(); err != io.EOF {
			return c.damaged("something follows its states")
		}
		return io.EOF
	}
	if _, err := io.ReadFull(c.r, c.head); err != nil {
		return c.damaged(err.Error())
	}
	le := binary.LittleEndian
	if crc32.Checksum(c.head[:len(c.head)-4], castagnoli) != le.Uint32(c.head[len(c.head)-4:]) {
		return c.damaged("a checksum differs")
	}
	c.count = int(le.Uint32(c.head))
	order := 0
	for i := range c.last {
		x := le.Uint64(c.head[12+8*i:])
		if order == 0 && x != c.last[i] {
			order = 1
			if x < c.last[i] {
				order = -1
			}
		}
		c.last[i] = x
	}
	if c.any && order <= 0 || c.count < 1 || c.count > max(1, blockWords/c.inFile) || int64(c.count) > c.States-c.read {
		return c.damaged("a block cannot be")
	}
	c.any = true
	c.read += int64(c.count)
	return nil
}

// pass leaves out the block whose head was read.
func (c *cursor) pass() error {
	c.count = 0
	if _, err := c.r.Discard(int(binary.LittleEndian.Uint32(c.head[4:]))); err != nil {
		return c.damaged(err.Error())
	}
	return nil
}

// raw reads the block whose head was read, as bytes.
func (c *cursor) raw(dst []byte) ([]byte, error) {
	n := int(binary.LittleEndian.Uint32(c.head[4:]))
	if int64(n) > c.Bytes {
		return nil, c.damaged("a block cannot be")
	}
	if cap(dst) < n {
		dst = make([]byte, n, n+n/4)
	}
	dst = dst[:n]
	if _, err := io.ReadFull(c.r, dst); err != nil {
		return nil, c.damaged(err.Error())
	}
	if crc32.Checksum(dst, castagnoli) != binary.LittleEndian.Uint32(c.head[8:]) {
		return nil, c.damaged("a checksum differs")
	}
	return dst, nil
}

// decode appends the states of a block to dst; the block must end with the last state given.
func (c *cursor) decode(dst []uint64, body []byte, count int, before, last []uint64) ([]uint64, error) {
	clear(before)
	var err error
	switch {
	case c.words == 1:
		dst, body, err = c.decodeWords(dst, body, count)
		if err == nil {
			before[0] = dst[len(dst)-1]
		}
	default:
		for range count {
			if body, err = nextState(body, before); err != nil {
				break
			}
			dst = append(dst, before[:c.plain]...)
			switch {
			case c.words == c.plain:
			case c.Level == mixed:
				dst = append(dst, before[c.plain])
			default:
				dst = append(dst, uint64(c.Level))
			}
		}
	}
	if err != nil || len(body) > 0 || compare(before[:c.plain], last) != 0 {
		return nil, c.damaged("a block does not end where it must")
	}
	return dst, nil
}

// decodeWords is decode for states of one word whose levels are not wanted.
func (c *cursor) decodeWords(dst []uint64, body []byte, count int) ([]uint64, []byte, error) {
	s := uint64(0)
	for range count {
		alone := uint8(0) // 1: of state and level the level alone differs, as it may if the state is 0
		if c.Level == mixed {
			if len(body) == 0 || body[0] > 1 {
				return nil, nil, errState
			}
			alone, body = body[0], body[1:]
		}
		more, n := uvarint(body)
		if n <= 0 {
			return nil, nil, errState
		}
		body = body[n:]
		if alone == 0 {
			s += more
		}
		dst = append(dst, s)
		if c.Level == mixed && alone == 0 {
			if len(body) == 0 || len(body) <= bits.OnesCount8(body[0]) {
				return nil, nil, errState
			}
			body = body[1+bits.OnesCount8(body[0]):]
		}
	}
	return dst, body, nil
}

// load reads the states of the block whose head was read.
func (c *cursor) load() (err error) {
	if c.body, err = c.raw(c.body); err != nil {
		return err
	}
	c.buffer, err = c.decode(c.buffer[:0], c.body, c.count, c.before, c.last)
	c.states, c.count = c.buffer, 0
	return err
}

// window returns the states that come next and are in memory, none at the end.
func (c *cursor) window() ([]uint64, error) {
	if len(c.states) > 0 {
		return c.states, nil
	}
	if c.count == 0 {
		if err := c.nextHead(); err == io.EOF {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	err := c.load()
	return c.states, err
}

func (c *cursor) take(words int) { c.states = c.states[words:] }

// from passes over blocks that end before a state, and returns the window then.
func (c *cursor) from(s []uint64) ([]uint64, error) {
	for len(c.states) == 0 {
		if c.count == 0 {
			if err := c.nextHead(); err == io.EOF {
				return nil, nil
			} else if err != nil {
				return nil, err
			}
		}
		if compare(s, c.last) > 0 {
			if err := c.pass(); err != nil {
				return nil, err
			}
			continue
		}
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	return c.states, nil
}
