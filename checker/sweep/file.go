package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/lock"
)

// Continue resumes a file of results, or starts one, and returns all results of the shard; if ctx ends, those so far
// with the error.
// Each line is in the file as soon as it is written, so a killed run loses little. A file
// that holds anything other than a beginning of these results is refused and left alone,
// as is one that another process is writing.
func (p *Plan) Continue(ctx context.Context, path string, opt Options) ([]Result, error) {
	l, err := lock.Acquire(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	defer l.Release()
	return p.write(ctx, path, opt)
}

func (p *Plan) write(ctx context.Context, path string, opt Options) ([]Result, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	results, err := p.writeResults(ctx, f, opt)
	return results, errors.Join(err, f.Close())
}

// ContinueIn is Continue with the shard's own file, shard-03-of-20.jsonl, in a folder that
// it makes. The file's name ends in .part until the shard is complete, so that nobody
// merges half of one.
func (p *Plan) ContinueIn(ctx context.Context, folder string, opt Options) ([]Result, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	shards := max(1, opt.Shards)
	path := filepath.Join(folder,
		fmt.Sprintf("shard-%0*d-of-%d.jsonl", len(strconv.Itoa(shards)), max(1, opt.Shard), shards))
	l, err := lock.Acquire(path) // until it has its name: another process sees the whole shard or none
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	defer l.Release()
	if _, err := os.Stat(path); err == nil {
		return p.write(ctx, path, opt)
	}
	results, err := p.write(ctx, path+".part", opt)
	if err != nil {
		return results, err
	}
	return results, os.Rename(path+".part", path)
}

func (p *Plan) writeResults(ctx context.Context, f *os.File, opt Options) ([]Result, error) {
	h := p.Header(opt)
	old, results, good, err := ReadResults(f)
	switch {
	case errors.Is(err, ErrNoHeader):
		if err := beginsLike(f, h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	case old != h:
		part := h.other(old)
		if part == "" {
			return nil, fmt.Errorf("%s holds the results of another shard; name another file, or the folder of all "+
				"shards (an existing one, or a name that ends in /)", f.Name())
		}
		return nil, fmt.Errorf("%s holds the results of %s; name another file, or remove it", f.Name(), part)
	}
	if err := f.Truncate(good); err != nil {
		return nil, err
	}
	if _, err := f.Seek(good, io.SeekStart); err != nil {
		return nil, err
	}
	if good == 0 {
		if err := WriteHeader(f, h); err != nil {
			return nil, err
		}
	}
	ended := p.Run(ctx, f, results, opt)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, cmp.Or(ended, err)
	}
	_, results, _, err = ReadResults(f)
	return results, cmp.Or(ended, err)
}

// beginsLike refuses a file without a complete line, unless it is a killed run's incomplete
// header.
func beginsLike(f *os.File, h Header) error {
	var header bytes.Buffer
	if err := writeLine(&header, h); err != nil {
		return err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, int64(header.Len())+1))
	if err == nil && !bytes.HasPrefix(header.Bytes(), text) {
		err = errors.New("line 1: these are not results of a sweep")
	}
	return err
}
