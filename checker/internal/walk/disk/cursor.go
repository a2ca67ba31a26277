package disk

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
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
	last   []uint64 // of the block whose head was read
	any    bool     // whether there was a block before
	// whether it is checked that states ascend: once a run has been audited, or was written by this walk, they do
	doubted bool
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
	c.last = make([]uint64, c.inFile)
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
	if cap(dst) < n+spare {
		dst = make([]byte, n, n+n/4+spare)
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

// decode appends the states of a block; the block must end with the last state given.
func (c *cursor) decode(dst []uint64, body []byte, count int, last []uint64) ([]uint64, error) {
	from, wanted := len(dst), min(c.words, c.inFile)
	dst, err := decodeBlock(dst, body, count, last, wanted, c.words)
	if err != nil {
		return nil, c.damaged("a block does not end where it must")
	}
	for i := from + wanted; wanted < c.words && i < len(dst); i += c.words {
		dst[i] = uint64(c.Level)
	}
	if c.doubted && !ascend(dst[from:], c.plain, c.words) {
		return nil, c.damaged("its states do not ascend")
	}
	return dst, nil
}

// load reads the states of the block whose head was read.
func (c *cursor) load() (err error) {
	if c.body, err = c.raw(c.body); err != nil {
		return err
	}
	c.buffer, err = c.decode(c.buffer[:0], c.body, c.count, c.last)
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
