package disk

import (
	"encoding/binary"
	"hash/crc32"
	"os"
)

// encoder makes blocks of states.
type encoder struct {
	run
	put    func(block []byte) error
	words  int // of a state in the file
	before []uint64
	most   uint32 // states of a block
	count  uint32 // of the current block
	block  []byte
}

func newEncoder(r run, words int, put func(block []byte) error) *encoder {
	e := &encoder{run: r, put: put, words: r.width(words)}
	e.before, e.most = make([]uint64, e.words), uint32(max(1, blockWords/e.words))
	e.block = make([]byte, headBytes(e.words), 1<<12)
	return e
}

// write appends ascending states that follow those already written.
func (w *encoder) write(states []uint64) error {
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
		if w.count++; w.count == w.most {
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
	le.PutUint32(head[8:], crc32.Checksum(body, castagnoli()))
	for i, x := range w.before {
		le.PutUint64(head[12+8*i:], x)
	}
	le.PutUint32(head[len(head)-4:], crc32.Checksum(head[:len(head)-4], castagnoli()))
	if err := w.put(w.block); err != nil {
		return err
	}
	w.States += int64(w.count)
	w.Bytes += int64(len(w.block))
	w.block, w.count = w.block[:len(head)], 0
	clear(w.before)
	return nil
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
	w := &writer{newEncoder(r, s.words, func(block []byte) error { return s.put(f, block) }), s, f}
	w.most = min(w.most, s.most)
	return w, nil
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
