package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// The reasons of a closed network, see [write.Reasons], are read again from the file
// next to it.

const mostReasons = 1 << 30 // bytes of a file

// withReasons returns a network read from a file with the reasons in the file
// next to it. A warning says why a file of reasons is ignored. A file that is not
// ours is an error with a place.
func withReasons(
	ctx context.Context, network string, n *spec.Network, memory int64,
) (with *spec.Network, warning string, err error) {
	name := filepath.Join(filepath.Dir(network), write.ReasonsFile)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, "", nil
	case err != nil:
		return nil, "", err
	case !info.Mode().IsRegular():
		return n, name + " is ignored: it is not a regular file", nil
	case info.Size() > mostReasons || memory > 0 && info.Size() > memory/4: // its text, a table of it, and the numbers
		return n, fmt.Sprintf("%s is ignored: %d bytes are too many", name, info.Size()), nil
	}
	text, err := limited.ReadFile(name, mostReasons)
	if err != nil {
		return nil, "", err
	}
	r := &reasonsReader{
		file: name, text: text, dec: json.NewDecoder(bytes.NewReader(text)), n: n,
		tables: make(map[spec.Target]*tableReasons, n.Tables()),
	}
	of, err := r.read()
	switch {
	case err != nil:
		return nil, "", err
	case of != n.Digest().String():
		return n, fmt.Sprintf("%s is ignored: it is for another network than %s", name, network), nil
	}
	return n.WithReasons(r.reason), "", overwritingOf(ctx).reads(name)
}

// reasonsReader reads the reasons of a network, and answers from them.
type reasonsReader struct {
	file    string
	text    []byte
	dec     *json.Decoder
	n       *spec.Network
	tables  map[spec.Target]*tableReasons
	reasons []string
}

// tableReasons are the reasons of a table: runs of hops with the same reason, each
// given by the number of hops up to its end, and its reason.
type tableReasons struct {
	ends, reasons []int32
	first         func() []int32 // by source and site: the number of its first hop
}

// read returns the digest of the network that the reasons belong to, and reads no
// further if that is another network.
func (r *reasonsReader) read() (digest string, err error) {
	if err := r.want(json.Delim('{'), "format", write.ReasonsFormat, "network"); err != nil {
		return "", err
	}
	if err := r.dec.Decode(&digest); err != nil {
		return "", r.errorf("want the digest of a network")
	}
	if digest != r.n.Digest().String() {
		return digest, nil
	}
	if err := r.want("tables", json.Delim('[')); err != nil {
		return "", err
	}
	var most int32 // reason
	for i := range r.n.Tables() {
		t, err := r.table(r.n.Table(i))
		if err != nil {
			return "", err
		}
		most = max(most, slices.Max(append(t.reasons, 0)))
	}
	if err := r.want(json.Delim(']'), "reasons"); err != nil {
		return "", err
	}
	if err := r.dec.Decode(&r.reasons); err != nil {
		return "", r.errorf("want a list of reasons")
	}
	if int(most) >= len(r.reasons) {
		return "", r.errorf("%d reasons: a table has reason %d", len(r.reasons), most)
	}
	for i, why := range r.reasons {
		r.reasons[i] = spec.Printable(why)
	}
	if err := r.want(json.Delim('}')); err != nil {
		return "", err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return "", r.errorf("text after the end of the reasons")
	}
	r.text, r.dec = nil, nil
	return digest, nil
}

// table reads the reasons of a table.
func (r *reasonsReader) table(t *spec.Table) (*tableReasons, error) {
	var numbers []int32
	offset := r.dec.InputOffset()
	if err := r.dec.Decode(&numbers); err != nil {
		return nil, r.errorf("want a list of numbers for every one of %d tables", r.n.Tables())
	}
	hops := 0
	for _, s := range t.Sources {
		hops += len(r.n.Row(s.Row))
	}
	for _, row := range t.Rows {
		hops += len(r.n.Row(row))
	}
	out := &tableReasons{}
	end := 0
	for i := 0; i+1 < len(numbers); i += 2 {
		count, why := numbers[i], numbers[i+1]
		if count < 1 || why < 0 {
			return nil, r.errorAt(offset,
				"%d hops with reason %d: want at least one hop, and reasons from 0", count, why)
		}
		end += int(count)
		out.ends, out.reasons = append(out.ends, int32(min(end, hops))), append(out.reasons, why)
	}
	if len(numbers)%2 != 0 || end != hops {
		return nil, r.errorAt(offset, "reasons of %d hops: the table has %d", end, hops)
	}
	out.first = sync.OnceValue(func() []int32 { return firstHops(r.n, t) })
	r.tables[t.Target] = out
	return out, nil
}

// firstHops numbers the first hops of the sources and sites of a table.
func firstHops(n *spec.Network, t *spec.Table) []int32 {
	first := make([]int32, 0, len(t.Sources)+t.Len())
	next := int32(0)
	for _, s := range t.Sources {
		first = append(first, next)
		next += int32(len(n.Row(s.Row)))
	}
	for _, row := range t.Rows {
		first = append(first, next)
		next += int32(len(n.Row(row)))
	}
	return first
}

// reason finds the reason of a hop by bisection, once its table has been numbered.
func (r *reasonsReader) reason(s spec.Site, hop spec.Hop) string {
	t, of := r.n.TableOf(s.Header.Target()), r.tables[s.Header.Target()]
	hops, ok := r.n.Hops(s)
	k := slices.Index(hops, hop)
	if !ok || k < 0 {
		return ""
	}
	var site int
	if s.Channel.IsInjection() {
		site, _ = t.FindSource(s.Channel, s.Header.Tag)
	} else {
		site, _ = t.Find(s.Channel, s.Header.Tag)
		site += len(t.Sources)
	}
	run, _ := slices.BinarySearch(of.ends, of.first()[site]+int32(k)+1)
	return r.reasons[of.reasons[run]]
}

// want reads tokens that must come next.
func (r *reasonsReader) want(tokens ...json.Token) error {
	for _, want := range tokens {
		offset := r.dec.InputOffset()
		if got, err := r.dec.Token(); err != nil || got != want {
			return r.errorAt(offset, "want %q here", fmt.Sprint(want))
		}
	}
	return nil
}

func (r *reasonsReader) errorf(format string, args ...any) error {
	return r.errorAt(r.dec.InputOffset(), format, args...)
}

// errorAt is an error at the first token from an offset on.
func (r *reasonsReader) errorAt(offset int64, format string, args ...any) error {
	at := min(int(offset), len(r.text))
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	line := 1 + bytes.Count(r.text[:at], []byte("\n"))
	return &spec.PosError{
		File: r.file, Line: line, Col: at - bytes.LastIndexByte(r.text[:at], '\n'), Msg: fmt.Sprintf(format, args...),
	}
}
