package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Header is the first line of a file of results.
type Header struct {
	Version  int    `json:"unknot-sweep"` // 1
	Network  string `json:"network"`
	Question string `json:"question"`
	Cases    int    `json:"cases"` // of all shards
	Shard    int    `json:"shard"` // 1 <= Shard <= Shards
	Shards   int    `json:"shards"`
}

// Result is a line: a case and what was found. There is nothing in it that
// depends on time or machine.
type Result struct {
	Case     int               `json:"case"`
	Set      map[string]string `json:"set,omitempty"`
	Links    []string          `json:"links,omitempty"` // that failed
	Nodes    []string          `json:"nodes,omitempty"` // that failed
	Dests    []string          `json:"dests,omitempty"`
	Deadlock string            `json:"deadlock,omitempty"` // verdicts
	Livelock string            `json:"livelock,omitempty"`
	Delivery string            `json:"delivery,omitempty"`
	Digest   string            `json:"digest,omitempty"` // of the network
	Error    string            `json:"error,omitempty"`  // there is no such network
}

// Verdicts returns the verdicts in a few words, the same for the same verdicts.
func (r *Result) Verdicts() string {
	if r.Error != "" {
		return "no network"
	}
	text := ""
	for _, v := range []struct{ property, verdict string }{{"deadlock", r.Deadlock}, {"livelock", r.Livelock}, {"delivery", r.Delivery}} {
		if v.verdict == "" {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += v.property + " " + v.verdict
	}
	return text
}

// ErrNoHeader is that of a file that a run was killed in at once.
var ErrNoHeader = errors.New("line 1: there is no header")

// WriteHeader writes the first line.
func WriteHeader(w io.Writer, h Header) error {
	line, err := appendLine(nil, h)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// appendLine appends a value as a line of JSON.
func appendLine(b []byte, v any) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return append(b, line.Bytes()...), err
}

// ReadResults reads a file of results. A last line that is not complete, as a
// killed run leaves it, is left out; good is the number of bytes before it.
func ReadResults(r io.Reader) (h Header, results []Result, good int64, err error) {
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if number == 1 {
				return h, nil, 0, ErrNoHeader
			}
			return h, results, good, nil
		}
		if err != nil {
			return h, nil, good, err
		}
		strict := json.NewDecoder(bytes.NewReader(line))
		strict.DisallowUnknownFields()
		if number == 1 {
			if err := strict.Decode(&h); err != nil || h.Version != 1 || h.Shard < 1 || h.Shard > h.Shards || h.Cases < 0 {
				return h, nil, 0, errors.New("line 1: these are no results of a sweep")
			}
		} else {
			var res Result
			if err := strict.Decode(&res); err != nil {
				return h, nil, good, fmt.Errorf("line %d: %w", number, err)
			}
			if res.Case < 0 || res.Case >= h.Cases || res.Case%h.Shards != h.Shard-1 {
				return h, nil, good, fmt.Errorf("line %d: case %d does not belong to shard %d of %d of %d cases", number, res.Case, h.Shard, h.Shards, h.Cases)
			}
			if n := len(results); n > 0 && results[n-1].Case >= res.Case {
				return h, nil, good, fmt.Errorf("line %d: case %d comes after case %d", number, res.Case, results[n-1].Case)
			}
			results = append(results, res)
		}
		good += int64(len(line))
	}
}

// Merge writes the results of all shards as one run without shards writes them.
// Shards of different questions, missing or doubled ones, and missing cases are
// errors.
func Merge(w io.Writer, shards []io.Reader) error {
	var first Header
	var all []Result
	seen := map[int]bool{}
	for i, r := range shards {
		h, results, _, err := ReadResults(r)
		if err != nil {
			return fmt.Errorf("file %d: %w", i+1, err)
		}
		if i == 0 {
			first = h
		}
		if h.Network != first.Network || h.Question != first.Question || h.Cases != first.Cases || h.Shards != first.Shards {
			return fmt.Errorf("file %d is of another sweep than file 1: %s %s", i+1, h.Network, h.Question)
		}
		if seen[h.Shard] {
			return fmt.Errorf("shard %d comes twice", h.Shard)
		}
		seen[h.Shard] = true
		all = append(all, results...)
	}
	if len(all) != first.Cases {
		return fmt.Errorf("%d of %d cases: not all shards are there and complete", len(all), first.Cases)
	}
	slices.SortFunc(all, func(a, b Result) int { return a.Case - b.Case })
	first.Shard, first.Shards = 1, 1
	text, err := appendLine(nil, first)
	for i := range all {
		if err != nil {
			return err
		}
		text, err = appendLine(text, all[i])
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
