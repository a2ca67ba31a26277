// Package lines, internal to unknot, reads evidence, a field a line.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Reader reads evidence, a field a line in a fixed order. Each kind of evidence
// has one written form and no other is read, so no variant needs a thought.
// After the first error every method does nothing.
type Reader struct {
	file   string
	text   *bufio.Scanner
	line   int
	col    int  // of what is being read
	peeked bool // the line was read already, and next returns it once more
	err    error
}

// New returns a reader of a text whose first line must be first.
func New(file string, r io.Reader, first string) *Reader {
	l := &Reader{file: file, text: bufio.NewScanner(r)}
	l.text.Buffer(nil, 1<<24)
	l.text.Split(wholeLine)
	l.Exactly(first)
	return l
}

// wholeLine splits at line feeds and nothing else: each line must have one.
func wholeLine(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, errors.New("unexpected end of file within a line")
	}
	return 0, nil, nil
}

// Fail records a fault of the line read last, unless there was one before.
func (l *Reader) Fail(format string, args ...any) {
	if l.err == nil {
		l.err = &spec.PosError{
			File: l.file, Line: max(1, l.line), Col: max(1, l.col), Msg: fmt.Sprintf(format, args...),
		}
	}
}

// ReadLine returns the next line, or "".
func (l *Reader) ReadLine() string {
	if l.err != nil {
		return ""
	}
	l.col = 1
	if l.peeked {
		l.peeked = false
		return l.text.Text()
	}
	l.line++
	if !l.text.Scan() {
		if err := l.text.Err(); err != nil {
			l.Fail("%v", err)
		}
		l.Fail("unexpected end of file")
	}
	return l.text.Text()
}

// Peek returns the line that ReadLine will return.
func (l *Reader) Peek() string {
	text := l.ReadLine()
	l.peeked = true
	return text
}

// Exactly reads a line that must be the given one.
func (l *Reader) Exactly(want string) {
	if line := l.ReadLine(); line != want {
		l.Fail("want %q here%s", want, nowCalled(line))
	}
}

// nowCalled says which word stands now for the first one of a line, if that was renamed.
func nowCalled(line string) string {
	former, _, _ := strings.Cut(line, " ")
	if now := words.Renamed(former); now != "" {
		return fmt.Sprintf("; %s is now called %s", former, now)
	}
	return ""
}

// Field reads a name and the rest of its line.
func (l *Reader) Field(name string) string {
	line := l.ReadLine()
	text, ok := strings.CutPrefix(line, name+" ")
	if !ok {
		l.Fail("want \"%s ...\" here%s", name, nowCalled(line))
	}
	l.col = len(name) + 2
	return text
}

// Network reads the digest of the network that the evidence is about.
func (l *Reader) Network() spec.Digest {
	d, err := spec.ParseDigest(l.Field("network"))
	if err != nil {
		l.Fail("%v", err)
	}
	return d
}

// Property reads a network's property.
func (l *Reader) Property() spec.Property {
	name := l.Field("property")
	p, ok := spec.ParseProperty(name)
	if known := spec.PropertyNames(); !ok {
		l.Fail("invalid property %.40q: want %s%s", name, words.OneOf(known), words.NowCalled(name, known))
	}
	return p
}

// Quoted reads a name and a text in double quotes.
func (l *Reader) Quoted(name string) string { return l.Unquoted(l.Field(name)) }

// Words reads a name and count words, any number if count is negative.
func (l *Reader) Words(name string, count int) []string { return l.words(name, count, l.ReadLine()) }

// Commented reads what [Reader.Words] does, without the comment after a #. The checker of the evidence compares
// comments separately.
func (l *Reader) Commented(name string, count int) []string {
	text, _, _ := strings.Cut(l.ReadLine(), "#")
	return l.words(name, count, text)
}

func (l *Reader) words(name string, count int, text string) []string {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != name || count >= 0 && len(words) != count+1 {
		l.Fail("want \"%s\" with %d words here, not %.60q", name, max(count, 1), text)
	}
	if l.err != nil {
		return make([]string, max(count, 0))
	}
	return words[1:]
}

// Unquoted returns the text within double quotes.
func (l *Reader) Unquoted(text string) string {
	s, _ := strconv.Unquote(text) // "" if it is not one
	if strconv.Quote(s) != text {
		l.Fail("want a text in double quotes here, not %.60q", text)
	}
	return s
}

// Numbers reads a name and count numbers of at least 0.
func (l *Reader) Numbers(name string, count int) []int {
	words := strings.Split(l.Field(name), " ")
	if len(words) != count {
		l.Fail("want %d numbers here", count)
	}
	if l.err != nil {
		return make([]int, count)
	}
	return l.Integers(words)
}

// Integers reads numbers of at least 0.
func (l *Reader) Integers(words []string) []int {
	all := make([]int, len(words))
	for i, w := range words {
		all[i] = l.Number(w, 0, math.MaxInt)
	}
	return all
}

// perLine is how many numbers of a list stand in a line.
const perLine = 32

// List reads a name with a count, and that many numbers in lines of 32. Its memory grows with the text actually read,
// not with the count.
func (l *Reader) List(name string) []int32 {
	count := l.Number(l.Field(name), 0, math.MaxInt32)
	var xs []int32
	for len(xs) < count && l.Err() == nil {
		words := strings.Split(l.ReadLine(), " ")
		if want := min(perLine, count-len(xs)); len(words) != want {
			l.Fail("want %d numbers in this line", want)
		}
		for _, w := range words {
			xs = append(xs, int32(l.Number(w, 0, math.MaxInt32)))
		}
	}
	return xs
}

// Number reads a number in its one form.
func (l *Reader) Number(word string, least, most int) int {
	x, err := strconv.Atoi(word)
	if err != nil || x < least || x > most || word != "0" && strings.TrimPrefix(word, "-")[0] < '1' {
		l.Fail("invalid number %.20q: want an integer from %d to %d", word, least, most)
		return 0
	}
	return x
}

// Site reads the numbers of a channel, a destination, a class and a tag.
func (l *Reader) Site(words []string) spec.Site {
	return spec.Site{Channel: spec.ChannelID(l.Number(words[0], math.MinInt32, math.MaxInt32)), Header: spec.Header{
		Dest:  spec.NodeID(l.Number(words[1], 0, math.MaxInt32)),
		Class: spec.Class(l.Number(words[2], 0, math.MaxUint16)),
		Tag:   spec.Tag(l.Number(words[3], 0, math.MaxUint16)),
	}}
}

// Hexadecimal reads words in hexadecimal digits.
func (l *Reader) Hexadecimal(words []string) []uint64 {
	all := make([]uint64, len(words))
	for i, w := range words {
		x, _ := strconv.ParseUint(w, 16, 64) // 0 or the largest if it is not one
		if strconv.FormatUint(x, 16) != w {
			l.Fail("invalid word %.20q: want hexadecimal digits", w)
		}
		all[i] = x
	}
	return all
}

// Err returns the first thing that was wrong.
func (l *Reader) Err() error { return l.err }

// End reads the last line, and returns what was read, or the first fault.
func End[T any](l *Reader, read *T) (*T, error) {
	l.Exactly("end")
	// A last line that is too long or has no end makes Scan false, too.
	if l.text.Scan() || l.text.Err() != nil {
		l.line++
		l.Fail("text after the end")
	}
	if l.err != nil {
		return nil, l.err
	}
	return read, nil
}
