package walk

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A checkpoint is everything that a walk has found between two rounds, of whatever kind the walk is: a line that
// names the format, the identity of the walk, what walks of its kind need to go on, and the SHA-256 of all of that.
// A walk in memory needs its counts, states and queue; one on disk or in shards names the files that hold its states,
// in JSON. Tables are not in it: they are rebuilt.
//
// The invariant: a walk goes on from a checkpoint only if it would have written the same one itself. Whatever changes
// states, flags or their order is therefore part of the identity. The reader checks all that it reads, so a damaged or
// forged file can at worst hold unreachable states, never words that are not a state of the machine.

// Checkpoint says where to save a walk, and where to begin.
type Checkpoint struct {
	Save     string        // file; "" saves nothing
	Every    time.Duration // between saves; 0 saves only if the walk ends before it is complete
	Resume   string        // file to continue from; "" begins at the initial states
	Identity []Part        // what the walk depends on; a checkpoint of another identity is refused
	Saving   sync.Locker   // held during each save; may be nil

	// create opens the file to write; nil creates a temporary file that is renamed.
	create func(path string) (io.WriteCloser, error)
}

// Part is something that a checkpoint depends on, such as the machine. The name
// completes "the checkpoint is for another ...".
type Part struct{ Name, Value string }

// Kind is where a walk keeps its states, which says what follows the identity in a checkpoint.
type Kind string

const (
	InMemory Kind = "in memory"
	OnDisk   Kind = "on disk"
	InShards Kind = "in shards"
)

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	File string
	Msg  string
}

func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }

// identity writes the kind of a walk and the parts that it depends on, a line each.
func identity(kind Kind, parts []Part) string {
	var b strings.Builder
	for _, p := range kind.and(parts) {
		b.WriteString(p.line())
	}
	return b.String()
}

func (k Kind) and(parts []Part) []Part {
	return slices.Concat([]Part{{"kind of exploration", string(k)}}, parts)
}

func (p Part) line() string { return fmt.Sprintf("%q %q\n", p.Name, p.Value) }

// Other names a part in which a saved identity differs from that of a walk; "" if none.
func Other(parts, saved []Part) string { return other("", parts, identity("", saved)) }

// other is Other for an identity as it was written.
func other(kind Kind, parts []Part, saved string) string {
	if identity(kind, parts) == saved {
		return ""
	}
	lines := strings.SplitAfter(saved, "\n")
	for i, p := range kind.and(parts) {
		if i >= len(lines) || lines[i] != p.line() {
			return p.Name
		}
	}
	return "kind"
}

// The number goes up whenever the format, or the meaning of a state or a flag, changes.
const (
	formatNumber = 9
	formatLine   = "unknot-checkpoint 9\n"
)

// WriteCheckpoint writes a checkpoint; body writes what walks of its kind need, and leaves errors to the writer.
func WriteCheckpoint(out io.Writer, kind Kind, parts []Part, body func(b *bufio.Writer)) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<18)
	id := identity(kind, parts)
	b.WriteString(formatLine)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(id))))
	b.WriteString(id)
	body(b)
	if err := b.Flush(); err != nil { // a bufio.Writer keeps its first error
		return err
	}
	_, err := out.Write(sum.Sum(nil))
	return err
}

// CheckpointReader reads a checkpoint. It hashes what it reads and knows how many bytes are left, so that a damaged
// length cannot claim more memory than the file justifies. Its errors complete "the checkpoint ...".
type CheckpointReader struct {
	r        *bufio.Reader
	sum      hash.Hash
	left     int64
	identity string
}

// OpenCheckpoint reads the beginning of a checkpoint of size bytes, and refuses other formats.
func OpenCheckpoint(in io.Reader, size int64) (*CheckpointReader, error) {
	c := &CheckpointReader{r: bufio.NewReaderSize(in, 1<<18), sum: sha256.New(), left: size - sha256.Size}
	const longest = 40 // bytes of such a line
	line, _ := c.r.Peek(longest)
	text, _, _ := strings.Cut(string(line), "\n")
	if text+"\n" != formatLine {
		return nil, errors.New(otherFormat(text))
	}
	if err := c.Read(make([]byte, len(formatLine))); err != nil {
		return nil, inFull(err)
	}
	var length uint32
	if err := c.Read(&length); err != nil {
		return nil, inFull(err)
	}
	if int64(length) > c.left {
		return nil, inFull(io.ErrUnexpectedEOF)
	}
	id := make([]byte, length)
	err := c.Read(id)
	c.identity = string(id)
	return c, inFull(err)
}

// otherFormat says what a file is that begins with another line than a checkpoint. Before number 8 walks on disk and
// in shards had formats of their own.
func otherFormat(line string) string {
	name, text, _ := strings.Cut(line, " ")
	number, err := strconv.Atoi(text)
	age := "an older"
	switch name {
	case "unknot-checkpoint":
		if number > formatNumber {
			age = "a newer"
		}
	case "unknot-disk", "unknot-shards":
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		return "is not a checkpoint"
	}
	ours := strings.TrimSuffix(formatLine, "\n")
	return fmt.Sprintf("was written by %s unknot in format %q; this one reads %q", age, line, ours)
}

// Match refuses a checkpoint of a walk of another kind or identity.
func (c *CheckpointReader) Match(kind Kind, parts []Part) error {
	if part := other(kind, parts, c.identity); part != "" {
		return errors.New("is for another " + part + ": resume it with the command that began it")
	}
	return nil
}

// Read reads numbers, as binary.Read does.
func (c *CheckpointReader) Read(x any) error {
	size := int64(binary.Size(x))
	if size > c.left {
		return io.ErrUnexpectedEOF
	}
	c.left -= size
	return binary.Read(io.TeeReader(c.r, c.sum), binary.LittleEndian, x)
}

// End checks that nothing follows but the right checksum. Until then what was read may be damaged.
func (c *CheckpointReader) End() error {
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(c.r, want); err != nil {
		return inFull(err)
	}
	if c.left != 0 || string(want) != string(c.sum.Sum(nil)) {
		return damaged("its checksum differs")
	}
	return nil
}

// JSON reads all that is left into v.
func (c *CheckpointReader) JSON(v any) error {
	text := make([]byte, max(0, c.left))
	if err := c.Read(text); err != nil {
		return inFull(err)
	}
	if err := c.End(); err != nil {
		return err
	}
	if json.Unmarshal(text, v) != nil {
		return damaged("it is not JSON")
	}
	return nil
}

func damaged(why string) error { return errors.New("is damaged: " + why) }

// inFull says it in words if a checkpoint is too short.
func inFull(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ends too early")
	}
	return err
}
