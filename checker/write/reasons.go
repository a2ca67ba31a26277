package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// The reasons of a closed network.
//
// The closed form says which hops are permitted, not which line of whose file permits
// them: its digest must not depend on that. So the reasons are in a file next to it, for
// people alone: no verdict and no second program reads it, and a network without it is
// the same network. It holds the digest of the network, for each table a list
// count,reason,count,reason,... over the hops of its sources and sites in canonical
// order, and the different reasons, which come last so that one pass writes them: a text, or an object with the text and
// the place in a file.

// ReasonsFile is the name of the file with the reasons, and ReasonsFormat the value of
// its key "format".
const (
	ReasonsFile   = "reasons.json"
	ReasonsFormat = "unknot-reasons-1"
)

// eachReason calls f with the hops of a table in canonical order and why they are
// permitted, until f returns false.
func eachReason(n *spec.Network, t *spec.Table, f func(reason spec.Reason) bool) bool {
	of := func(s spec.Site, row spec.RowID) bool {
		for _, hop := range n.Row(row) {
			if !f(n.Reason(s, hop)) {
				return false
			}
		}
		return true
	}
	for i, s := range t.Sources {
		if !of(t.SourceSite(i), s.Row) {
			return false
		}
	}
	for i := range t.Len() {
		if !of(t.Site(i), t.Rows[i]) {
			return false
		}
	}
	return true
}

// writtenReason is a reason as the file has it.
type writtenReason struct{ spec.Reason }

type placedReason struct {
	Text string `json:"text"`
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// MarshalJSON writes a text, or an object if the reason has a place.
func (r writtenReason) MarshalJSON() ([]byte, error) {
	if r.File == "" {
		return json.Marshal(r.Text)
	}
	return json.Marshal(placedReason(r.Reason))
}

// UnmarshalJSON reads either, and replaces what cannot be printed.
func (r *writtenReason) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &r.Text); err != nil {
			return err
		}
	} else {
		var p placedReason
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			return err
		}
		if p.File == "" || p.Line < 1 || p.Col < 1 {
			return fmt.Errorf("line %d, column %d of %q is no place", p.Line, p.Col, p.File)
		}
		r.Reason = spec.Reason(p)
	}
	r.Text, r.File = spec.Printable(r.Text), spec.Printable(r.File)
	return nil
}

// HasReasons reports whether any hop of a network has a reason.
func HasReasons(n *spec.Network) bool {
	for i := range n.Tables() {
		if !eachReason(n, n.Table(i), func(why spec.Reason) bool { return why.Text == "" }) {
			return true
		}
	}
	return false
}

// Reasons writes the reasons of all hops of n.
func Reasons(w io.Writer, n *spec.Network) error {
	const head = "{\"format\":%q,\n\"network\":%q,\n\"tables\":["
	if _, err := fmt.Fprintf(w, head, ReasonsFormat, n.Digest()); err != nil {
		return err
	}
	numbers := map[spec.Reason]int{}
	reasons := []writtenReason{}
	var line []byte
	for i := range n.Tables() {
		line = append(line[:0], []string{"\n[", ",\n["}[min(i, 1)]...)
		count, last := 0, -1
		end := func() {
			if count > 0 {
				line = append(strconv.AppendInt(line, int64(count), 10), ',')
				line = append(strconv.AppendInt(line, int64(last), 10), ',')
			}
		}
		eachReason(n, n.Table(i), func(why spec.Reason) bool {
			k, known := numbers[why]
			if !known {
				k = len(reasons)
				numbers[why], reasons = k, append(reasons, writtenReason{why})
			}
			if k != last {
				end()
				count, last = 0, k
			}
			count++
			return true
		})
		end()
		if _, err := w.Write(append(bytes.TrimSuffix(line, []byte(",")), ']')); err != nil {
			return err
		}
	}
	list, err := json.MarshalIndent(reasons, "", "")
	if err == nil {
		_, err = fmt.Fprintf(w, "],\n\"reasons\":%s}\n", list)
	}
	return err
}

// ReadReasons returns a network with the reasons that a file has for its hops; nil if they are another network's. An
// error names the place in the file.
func ReadReasons(file string, text []byte, n *spec.Network) (*spec.Network, error) {
	r := &reasonsReader{
		file: file, text: text, dec: json.NewDecoder(bytes.NewReader(text)), n: n,
		tables: make(map[spec.Target]*tableReasons, n.Tables()),
	}
	if of, err := r.read(); err != nil || of != n.Digest().String() {
		return nil, err
	}
	return n.WithReasons(r.reason), nil
}

// reasonsReader reads the reasons of a network, and answers from them.
type reasonsReader struct {
	file    string
	text    []byte
	dec     *json.Decoder
	n       *spec.Network
	tables  map[spec.Target]*tableReasons
	reasons []writtenReason
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
	if err := r.want(json.Delim('{'), "format", ReasonsFormat, "network"); err != nil {
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
		return "", r.errorf("want a list of reasons: %v", err)
	}
	if int(most) >= len(r.reasons) {
		return "", r.errorf("%d reasons: a table has reason %d", len(r.reasons), most)
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
func (r *reasonsReader) reason(s spec.Site, hop spec.Hop) spec.Reason {
	t, of := r.n.TableOf(s.Header.Target()), r.tables[s.Header.Target()]
	hops, ok := r.n.Hops(s)
	k, permitted := spec.FindHop(hops, hop)
	if !ok || !permitted {
		return spec.Reason{}
	}
	var site int
	if s.Channel.IsInjection() {
		site, _ = t.FindSource(s.Channel, s.Header.Tag)
	} else {
		site, _ = t.Find(s.Channel, s.Header.Tag)
		site += len(t.Sources)
	}
	run, _ := slices.BinarySearch(of.ends, of.first()[site]+int32(k)+1)
	return r.reasons[of.reasons[run]].Reason
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
