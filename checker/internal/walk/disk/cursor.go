package disk

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"path/filepath"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// cursor reads a run.
type cursor struct {
	run
	name   string
	file   io.Closer
	r      *bufio.Reader
	inFile int // words of a state in the file
	words  int // of a state as returned: one more than a state has if its level follows
	plain  int // words of a state
	head   []byte
	body   []byte
	count  int      // states of the block whose head was read; 0 once they are read, too
	buffer []uint64 // of states
	states []uint64 // those of the block not taken yet
	read   int64    // states of the blocks read or skipped
	before []uint64
	last   []uint64 // of the block whose head was read
	any    bool     // whether there was a block before
}

// open opens a run; levels says whether states come with their levels.
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

// newCursor reads the run from r, and closes the file it comes from.
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
	return &walk.CheckpointError{File: c.name, Msg: "is damaged: " + why}
}

// nextHead reads the head of the next block, or io.EOF.
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
	if crc32.Checksum(c.head[:len(c.head)-4], castagnoli()) != le.Uint32(c.head[len(c.head)-4:]) {
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
		return c.damaged("a block is impossible")
	}
	c.any = true
	c.read += int64(c.count)
	return nil
}

// pass skips the block whose head was read.
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
		return nil, c.damaged("a block is impossible")
	}
	if cap(dst) < n {
		dst = make([]byte, n, n+n/4)
	}
	dst = dst[:n]
	if _, err := io.ReadFull(c.r, dst); err != nil {
		return nil, c.damaged(err.Error())
	}
	if crc32.Checksum(dst, castagnoli()) != binary.LittleEndian.Uint32(c.head[8:]) {
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
		alone := uint8(0) // 1: only the level differs from the state before, as it may if that is 0
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

// window returns the next states in memory; none at the end.
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

// seek skips blocks that end before a state, then returns the window.
func (c *cursor) seek(ctx context.Context, s []uint64) ([]uint64, error) {
	for len(c.states) == 0 {
		if err := ctx.Err(); err != nil { // few states may follow many blocks
			return nil, err
		}
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
