package disk

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
)

// encoder makes blocks of states.
type encoder struct {
	run
	put    func(block []byte) error
	words  int // of a state in the file
	most   uint32
	states []uint64 // of the current block, fewer than most
	block  []byte
}

func newEncoder(r run, words int, put func(block []byte) error) *encoder {
	e := &encoder{run: r, put: put, words: r.width(words)}
	e.most = uint32(max(1, blockWords/e.words))
	return e
}

// write appends ascending states that follow those already written.
func (w *encoder) write(states []uint64) error {
	most := int(w.most) * w.words
	for len(states) > 0 {
		n := min(len(states), most-len(w.states))
		w.states = append(w.states, states[:n]...)
		states = states[n:]
		if len(w.states) == most {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush ends the block.
func (w *encoder) flush() error {
	if len(w.states) == 0 {
		return nil
	}
	if w.Level == mixed {
		if w.States == 0 {
			w.Least, w.Most = math.MaxInt, 0
		}
		for i := w.words - 1; i < len(w.states); i += w.words {
			w.Least, w.Most = min(w.Least, int(w.states[i])), max(w.Most, int(w.states[i]))
		}
	}
	count := len(w.states) / w.words
	w.block = appendBlock(append(w.block[:0], make([]byte, headBytes(w.words))...), w.states, w.words)
	head, body := w.block[:headBytes(w.words)], w.block[headBytes(w.words):]
	le := binary.LittleEndian
	le.PutUint32(head, uint32(count))
	le.PutUint32(head[4:], uint32(len(body)))
	le.PutUint32(head[8:], crc32.Checksum(body, castagnoli()))
	for i, x := range w.states[len(w.states)-w.words:] {
		le.PutUint64(head[12+8*i:], x)
	}
	le.PutUint32(head[len(head)-4:], crc32.Checksum(head[:len(head)-4], castagnoli()))
	if err := w.put(w.block); err != nil {
		return err
	}
	w.States += int64(count)
	w.Bytes += int64(len(w.block))
	w.states = w.states[:0]
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
