package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Prove decides cases again, each from its tables, and calls keep with the line and the answer, whose evidence a
// second program checks: a line of results has none, and what sites show of a case is not checked by another program.
// Calls are made one after the other, in the order of the cases. Cases like others and those without a network are left
// out. A verdict other than that of the line is a *checker.EvidenceError.
func (p *Plan) Prove(
	ctx context.Context, results []Result, opt Options, keep func(line Result, r *checker.Result) error,
) error {
	lines := map[int]*Result{}
	for i, r := range results {
		if r.own() {
			lines[r.Case] = &results[i]
		}
	}
	opt.Tables = true
	var batch []*variant
	flush := func() error {
		err := each.Do(ctx, max(1, opt.Workers), len(batch), func(_, i int) error {
			one := opt
			one.Workers = 1
			if err := p.q.build(ctx, batch[i], one); err != nil {
				return err
			}
			return p.q.decide(ctx, batch[i], one)
		})
		for _, v := range batch {
			if err != nil {
				return err
			}
			line := lines[v.c.Number]
			if v.result.Verdicts() != line.Verdicts() {
				return &checker.EvidenceError{
					Name: fmt.Sprintf("case %d", v.c.Number),
					Err:  fmt.Errorf("its tables say %s, its line %s", v.result.Verdicts(), line.Verdicts()),
				}
			}
			err = keep(*line, v.report)
		}
		batch = batch[:0]
		return err
	}
	for c, err := range p.Each(ctx, func(number int) bool { return lines[number] != nil }) {
		if err != nil {
			return err
		}
		if batch = append(batch, &variant{c: c}); len(batch) == 2*max(1, opt.Workers) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// own reports whether a case has a network, and is decided by itself.
func (r *Result) own() bool { return r.Like == nil && r.Error == "" }

// CaseFile is the file, in the folder with the evidence of a case, that says which case it is: a file of results with
// its line alone, which names what failed.
const CaseFile = "case.jsonl"

const folderPrefix = "case-"

// Folder is the name of the folder with the evidence of a case.
func Folder(number int) string { return folderPrefix + strconv.Itoa(number) }

// WriteCase writes a [CaseFile].
func WriteCase(w io.Writer, h Header, r Result) error {
	if err := WriteHeader(w, h); err != nil {
		return err
	}
	return writeLine(w, r)
}

// Left returns the paths of the folders that earlier sweeps left in dir, of cases that a sweep with this header decides
// or does not have: without those of the results that are proved again, and without those of other shards.
func Left(dir string, h Header, prove []Result) (left []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		digits, of := strings.CutPrefix(e.Name(), folderPrefix)
		number, err := strconv.Atoi(digits)
		if !of || err != nil || Folder(number) != e.Name() || !e.IsDir() {
			continue
		}
		ours := number%h.Shards == h.Shard-1 || number >= h.Cases
		if ours && !slices.ContainsFunc(prove, func(r Result) bool { return r.Case == number && r.own() }) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left, nil
}
