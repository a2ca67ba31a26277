package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// resultsVersion goes up whenever the format, or the meaning of a case or verdict, changes.
const resultsVersion = 3

// Header is the first line of a file of results: what they depend on.
type Header struct {
	Version  int    `json:"unknot-sweep"`
	Program  string `json:"version,omitempty"` // of unknot, if known
	Network  string `json:"network"`
	Content  string `json:"content"` // digest of what the networks are built from
	Question string `json:"question"`
	Cases    int    `json:"cases"` // of all shards
	Shard    int    `json:"shard"` // 1 <= Shard <= Shards
	Shards   int    `json:"shards"`
}

// Mine returns how many cases the shard has.
func (h Header) Mine() int { return (h.Cases - (h.Shard - 1) + h.Shards - 1) / h.Shards }

// other says how another header is from a different sweep; "" if it is not.
func (h Header) other(o Header) string {
	differs := ""
	switch {
	case h.Program != o.Program:
		differs = "the version of unknot"
	case h.Network != o.Network:
		differs = "the network"
	case h.Question != o.Question:
		differs = "the question"
	case h.Content != o.Content || h.Cases != o.Cases:
		differs = "the content of " + h.Network
	case h.Shards != o.Shards:
		differs = "the number of shards"
	default:
		return ""
	}
	return "another sweep: " + differs + " differs"
}

// Result is a line: a case and what was found. Nothing in it depends on time or
// machine.
type Result struct {
	Case  int               `json:"case"`
	Set   map[string]string `json:"set,omitempty"`
	Links []string          `json:"links,omitempty"` // that failed
	Nodes []string          `json:"nodes,omitempty"` // that failed
	Dests []string          `json:"dests,omitempty"`
	// the first case whose network is the same except for names; its verdicts are copied
	Like      *int    `json:"like,omitempty"`
	Deadlock  Verdict `json:"deadlock-freedom,omitzero"`
	Livelock  Verdict `json:"livelock-freedom,omitzero"`
	Delivery  Verdict `json:"delivery,omitzero"`
	NoDiscard Verdict `json:"no-discard,omitzero"`
	Method    string  `json:"method,omitempty"` // acyclic or cycle: without tables of all, and so without a digest
	Digest    string  `json:"digest,omitempty"` // of the network
	Error     string  `json:"error,omitempty"`  // why there is no such network
}

// Verdict is what was found of a property, if it was asked; the zero value if not.
type Verdict struct {
	Asked bool
	spec.Verdict
}

// MarshalText writes the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name of a verdict.
func (v *Verdict) UnmarshalText(text []byte) error {
	is, ok := spec.ParseVerdict(string(text))
	if !ok {
		return fmt.Errorf("invalid verdict %.40q", text)
	}
	*v = Verdict{true, is}
	return nil
}

// verdictOf says where a result keeps the verdict on a property.
type verdictOf struct {
	property string
	verdict  *Verdict
}

func (r *Result) verdicts() []verdictOf {
	return []verdictOf{
		{spec.DeadlockFreedom.String(), &r.Deadlock},
		{spec.LivelockFreedom.String(), &r.Livelock},
		{spec.Delivery.String(), &r.Delivery},
		{spec.NoDiscard.String(), &r.NoDiscard},
	}
}

// Verdict returns the worst of the verdicts: violated, then unknown, which is also that of a case without a network.
func (r *Result) Verdict() spec.Verdict {
	worst := spec.Holds
	for _, v := range r.verdicts() {
		if v.verdict.Asked && v.verdict.Verdict == spec.Violated {
			return spec.Violated
		}
		if v.verdict.Asked && v.verdict.Verdict == spec.Unknown {
			worst = spec.Unknown
		}
	}
	if r.Error != "" {
		return spec.Unknown
	}
	return worst
}

// unknown reports whether a property that was asked is unknown.
func (r *Result) unknown() bool {
	return slices.ContainsFunc(r.verdicts(), func(v verdictOf) bool { return v.verdict.Asked && v.verdict.Verdict == spec.Unknown })
}

// Verdicts returns the verdicts in a few words; equal verdicts give equal words.
func (r *Result) Verdicts() string {
	if r.Error != "" {
		return "no network"
	}
	var words []string
	for _, v := range r.verdicts() {
		if v.verdict.Asked {
			words = append(words, evidence.Freedom(v.property)+" "+v.verdict.String())
		}
	}
	return strings.Join(words, ", ")
}

// ErrNoHeader is the error for a file whose run was killed at once.
var ErrNoHeader = errors.New("line 1: no header")

// WriteHeader writes the first line.
func WriteHeader(w io.Writer, h Header) error { return writeLine(w, h) }

// writeLine writes a value as a line of JSON, at once.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// ReadResults reads a file of results. An incomplete last line, as a killed run leaves, is
// ignored; good is the number of bytes before it.
func ReadResults(r io.Reader) (h Header, results []Result, good int64, err error) {
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := lineOf(lines)
		if errors.Is(err, io.EOF) {
			if number == 1 {
				return h, nil, 0, ErrNoHeader
			}
			return h, results, good, nil
		}
		if err != nil {
			return h, nil, good, err
		}
		if number == 1 {
			if h, err = readHeader(line); err != nil {
				return Header{}, nil, 0, fmt.Errorf("line 1: %w", err)
			}
		} else {
			var res Result
			if err := res.read(line); err != nil {
				return h, nil, good, fmt.Errorf("line %d: %w", number, err)
			}
			if res.Case < 0 || res.Case >= h.Cases || res.Case%h.Shards != h.Shard-1 {
				return h, nil, good, fmt.Errorf("line %d: case %d does not belong to shard %d of %d of %d cases",
					number, res.Case, h.Shard, h.Shards, h.Cases)
			}
			if err := res.likeOneOf(results); err != nil {
				return h, nil, good, fmt.Errorf("line %d: %w", number, err)
			}
			if n := len(results); n > 0 && results[n-1].Case >= res.Case {
				return h, nil, good, fmt.Errorf("line %d: case %d comes after case %d",
					number, res.Case, results[n-1].Case)
			}
			results = append(results, res)
		}
		good += int64(len(line))
	}
}

// lineOf reads a line, which a file without line breaks does not have.
func lineOf(r *bufio.Reader) ([]byte, error) {
	const most = 8 << 20 // bytes
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > most {
			return nil, fmt.Errorf("a line of more than %d bytes: these are not results of a sweep", most)
		}
	}
}

func readHeader(line []byte) (h Header, err error) {
	var any struct {
		Version int `json:"unknot-sweep"`
	}
	if err := json.Unmarshal(line, &any); err != nil || any.Version < 1 {
		return h, errors.New("these are not results of a sweep")
	}
	if any.Version != resultsVersion {
		return h, errors.New("the results have another format: an older or newer unknot wrote them")
	}
	if err := canonical(line, &h); err != nil {
		return h, err
	}
	if h.Shard < 1 || h.Shard > h.Shards || h.Cases < 0 {
		return h, fmt.Errorf("invalid shard %d/%d of %d cases", h.Shard, h.Shards, h.Cases)
	}
	return h, nil
}

// read reads a line. A case must have an error, or verdicts and the digest of what they are about, or the method that
// needs none: a line without either would pass for a case without a fault.
func (r *Result) read(line []byte) error {
	if err := canonical(line, r); err != nil {
		return err
	}
	decided := false
	for _, v := range r.verdicts() {
		decided = decided || v.verdict.Asked
	}
	if (r.Error == "") != decided {
		return fmt.Errorf("case %d: want verdicts or an error", r.Case)
	}
	good := r.Method == "" || r.Digest == "" && r.Like == nil && r.Livelock.Verdict != spec.Violated &&
		r.Delivery.Verdict != spec.Violated && (r.Method == acyclicMethod && r.Verdict() == spec.Holds ||
		r.Method == cycleMethod && r.Verdict() == spec.Violated && r.Deadlock.Verdict == spec.Violated)
	if !good {
		return fmt.Errorf("case %d: invalid method %.40q, or not one for this case", r.Case, r.Method)
	}
	if _, err := spec.ParseDigest(r.Digest); (err != nil) != (r.Digest == "" && r.Error+r.Method != "") {
		return fmt.Errorf("case %d: invalid digest %.40q", r.Case, r.Digest)
	}
	return nil
}

// likeOneOf refuses a result that claims to be like another case but lacks the verdicts of
// a case decided before.
func (r *Result) likeOneOf(before []Result) error {
	if r.Like == nil {
		return nil
	}
	i, there := slices.BinarySearchFunc(before, *r.Like, func(b Result, number int) int { return b.Case - number })
	if !there || before[i].Like != nil || before[i].Error != "" || before[i].Verdicts() != r.Verdicts() {
		return fmt.Errorf("case %d is not like case %d", r.Case, *r.Like)
	}
	return nil
}

// canonical decodes a line that must be exactly as writeLine writes it.
func canonical(line []byte, v any) error {
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(v); err != nil {
		return err
	}
	var again bytes.Buffer
	if err := writeLine(&again, v); err != nil || !bytes.Equal(again.Bytes(), line) {
		return errors.New("this line is not in the form that unknot writes")
	}
	return nil
}

// called returns the name of a file of results, or its number.
func called(shards []io.Reader, i int) string {
	if f, ok := shards[i].(*os.File); ok {
		return f.Name()
	}
	return fmt.Sprintf("file %d", i+1)
}

// Merge writes the results of all shards as a single run would write them. Shards of
// different questions, missing or duplicate shards, and missing cases are
// errors.
func Merge(w io.Writer, shards []io.Reader) error {
	var first Header
	var all []Result
	seen := map[int]bool{}
	for i, r := range shards {
		h, results, _, err := ReadResults(r)
		if err != nil {
			return fmt.Errorf("%s: %w", called(shards, i), err)
		}
		if i == 0 {
			first = h
		}
		if part := first.other(h); part != "" {
			return fmt.Errorf("%s belongs to %s from %s", called(shards, i), part, called(shards, 0))
		}
		if seen[h.Shard] {
			return fmt.Errorf("%s: shard %d comes twice", called(shards, i), h.Shard)
		}
		seen[h.Shard] = true
		all = append(all, results...)
	}
	if len(all) != first.Cases {
		return fmt.Errorf("%d of %d cases: some shards are missing or incomplete%s",
			len(all), first.Cases, missing(seen, first.Shards))
	}
	slices.SortFunc(all, func(a, b Result) int { return a.Case - b.Case })
	first.Shard, first.Shards = 1, 1
	b := bufio.NewWriter(w)
	err := writeLine(b, first)
	for i := range all {
		err = errors.Join(err, writeLine(b, all[i]))
	}
	return errors.Join(err, b.Flush())
}

// missing names the first few shards that were not seen.
func missing(seen map[int]bool, shards int) string {
	var absent []string
	for i := 1; i <= shards && len(absent) < 5; i++ {
		if !seen[i] {
			absent = append(absent, strconv.Itoa(i))
		}
	}
	if len(absent) == 0 {
		return ""
	}
	return fmt.Sprintf(": %d of %d are there, without %s", len(seen), shards, strings.Join(absent, ", "))
}
