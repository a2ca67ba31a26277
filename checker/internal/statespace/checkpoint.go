package statespace

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"
)

// A checkpoint is a file with everything that a walk has found between two
// rounds: a line that names the format, the identity of the machine and of what
// is asked of it, the counts, and the shards; at the end the SHA-256 of all of
// that. The tables are not in it, they are made again. It is written under
// another name and renamed when it is complete, so the last good one survives
// whatever happens.

// Checkpoint says where to save a walk, and where to begin.
type Checkpoint struct {
	Save     string        // file; "" saves nothing
	Every    time.Duration // between saves; 0 saves only when the walk is interrupted
	Resume   string        // file to begin with; "" begins at the initial states
	Identity string        // of the machine and the question: a checkpoint with another one is refused

	// create opens the file to write; nil means a temporary file that is renamed.
	create func(path string) (io.WriteCloser, error)
}

const checkpointLine = "unknot-checkpoint 2\n"

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	File string
	Msg  string
}

func (e *CheckpointError) Error() string { return e.File + ": " + e.Msg }

// save writes a checkpoint. One that could not be written is an error only
// where the walk ends; otherwise the walk goes on and says so.
func (w *walk) save(last bool) error {
	path := w.opt.Checkpoint.Save
	if path == "" {
		return nil
	}
	w.saved = time.Now()
	err := w.write(path)
	if err == nil {
		w.note = ""
		return nil
	}
	err = fmt.Errorf("saving a checkpoint: %w", err)
	if last {
		return err
	}
	w.note = err.Error()
	return nil
}

func (w *walk) write(path string) (err error) {
	if w.opt.Checkpoint.create != nil {
		f, err := w.opt.Checkpoint.create(path)
		if err != nil {
			return err
		}
		return errors.Join(w.encode(f), f.Close())
	}
	f, err := os.Create(path + ".part") // what a killed run leaves of it the next one overwrites
	if err != nil {
		return err
	}
	err = w.encode(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// counts is what a checkpoint holds beside the shards.
type counts struct {
	Compact               bool
	Packed, Shards        uint32
	Expanded, Transitions int64
	Levels, Widest        int64
	Flagged               [FlagBits]int64
	First                 [FlagBits]ID
}

func (w *walk) encode(f io.Writer) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18)
	put := func(x any) {
		_ = binary.Write(b, binary.LittleEndian, x) // a bufio.Writer keeps its first error for Flush
	}
	b.WriteString(checkpointLine)
	put(uint32(len(w.opt.Checkpoint.Identity)))
	b.WriteString(w.opt.Checkpoint.Identity)
	put(counts{w.space.compact, uint32(w.space.packed), shards, w.result.Expanded, w.result.Transitions,
		int64(w.result.Levels), w.result.Widest, w.result.Flagged, w.result.First})
	for i := range w.space.shards {
		sh := &w.space.shards[i]
		put([5]uint32{sh.count, sh.expand, sh.level, uint32(len(sh.current)), uint32(len(sh.next))})
		for k, block := range sh.blocks {
			put(block[:min(blockSize, int(sh.count)-k*blockSize)*sh.entry])
		}
		put(sh.current)
		put(sh.next)
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := f.Write(sum.Sum(nil))
	return err
}

// resume reads a checkpoint into the empty space.
func (w *walk) resume() error {
	path := w.opt.Checkpoint.Resume
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.decode(f, info.Size()); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends too early")
		}
		return &CheckpointError{path, err.Error()}
	}
	return nil
}

// checkedReader hashes what is read, and knows how much may still come, so that
// a damaged length cannot ask for memory that the file does not justify.
type checkedReader struct {
	r    *bufio.Reader
	sum  hash.Hash
	left int64
}

func (c *checkedReader) read(x any) error {
	size := int64(binary.Size(x))
	if size > c.left {
		return io.ErrUnexpectedEOF
	}
	c.left -= size
	return binary.Read(io.TeeReader(c.r, c.sum), binary.LittleEndian, x)
}

func (c *checkedReader) words(n uint32) ([]uint32, error) {
	if int64(n)*4 > c.left {
		return nil, io.ErrUnexpectedEOF
	}
	x := make([]uint32, n)
	return x, c.read(x)
}

func (w *walk) decode(f io.Reader, size int64) error {
	c := &checkedReader{r: bufio.NewReaderSize(f, 1<<18), sum: sha256.New(), left: size - sha256.Size}
	line := make([]byte, len(checkpointLine))
	if err := c.read(line); err != nil || string(line) != checkpointLine {
		return errors.New("this is no checkpoint")
	}
	var length uint32
	if err := c.read(&length); err != nil {
		return err
	}
	if int64(length) > c.left {
		return io.ErrUnexpectedEOF
	}
	identity := make([]byte, length)
	if err := c.read(identity); err != nil {
		return err
	}
	if string(identity) != w.opt.Checkpoint.Identity {
		return fmt.Errorf("the checkpoint is of another exploration:\n  %q, not\n  %q", identity, w.opt.Checkpoint.Identity)
	}
	var n counts
	if err := c.read(&n); err != nil {
		return err
	}
	if n.Compact != w.space.compact || int(n.Packed) != w.space.packed || n.Shards != shards {
		return errors.New("the checkpoint stores states in another way")
	}
	for i := range w.space.shards {
		if err := w.decodeShard(c, &w.space.shards[i]); err != nil {
			return err
		}
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(c.r, want); err != nil {
		return err
	}
	if c.left != 0 || string(want) != string(c.sum.Sum(nil)) {
		return errors.New("the checkpoint is damaged: its checksum is another")
	}
	w.result = Result{Expanded: n.Expanded, Transitions: n.Transitions, Levels: int(n.Levels), Widest: n.Widest, Flagged: n.Flagged, First: n.First}
	for i := range w.space.shards {
		sh := &w.space.shards[i]
		if sh.form == byMarks {
			for local := range sh.count {
				key := sh.at(local)[0]
				if int(key>>5) >= len(w.space.marks) {
					return errors.New("the checkpoint is damaged: a state is too large")
				}
				w.space.marks[key>>5] |= 1 << (key & 31)
			}
			continue
		}
		sh.grow(tableFor(sh.count))
	}
	return nil
}

func (w *walk) decodeShard(c *checkedReader, sh *shard) error {
	var n [5]uint32
	if err := c.read(&n); err != nil {
		return err
	}
	if n[0] > mostLocal || n[1] > n[2] || n[2] > n[0] || int64(n[0])*int64(sh.entry)*4 > c.left {
		return errors.New("the checkpoint is damaged: its counts cannot be")
	}
	sh.count, sh.expand, sh.level = n[0], n[1], n[2]
	for from := 0; from < int(sh.count); from += blockSize {
		block := make([]uint32, blockSize*sh.entry)
		if err := c.read(block[:min(blockSize, int(sh.count)-from)*sh.entry]); err != nil {
			return err
		}
		sh.blocks = append(sh.blocks, block)
	}
	var err error
	if sh.current, err = c.words(n[3]); err == nil {
		sh.next, err = c.words(n[4])
	}
	return err
}
