package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// FuzzFolder: a folder whose checksums are right, whatever else its manifest and one of its files
// hold, is refused, or a walk continues from it, within the layout and without a panic, and
// reconstructs its trails.
func FuzzFolder(f *testing.F) {
	m := counter(3, 5)
	files := map[string][]byte{}
	var names []string
	var dir string
	var s *Space
	for most := 60; s == nil || len(s.w.Found)*len(s.w.Left) == 0; most++ { // until there are runs of each kind
		dir = f.TempDir()
		ctx, cancel := context.WithCancel(f.Context())
		seen := 0
		var r *walk.Result
		var err error
		s, r, err = explore(ctx, m, dir, walk.Options{Inspect: func(s []uint64, n int) walk.Flags {
			if seen++; seen == most {
				cancel()
			}
			return flags(s, n)
		}}, tuning{buffer: 16, runs: 4})
		cancel()
		if err != nil || r.Reason != walk.Interrupted {
			f.Fatal(err, r)
		}
	}
	left := s.w.Left[0].path("")
	s.Release()
	list, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range list {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			f.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), runSuffix) {
			names = append(names, e.Name())
		}
	}
	body := files["manifest"] // its JSON: what is before has no brace, and a checksum of 32 bytes follows
	body = body[bytes.IndexByte(body, '{') : len(body)-32]
	for i, name := range names {
		f.Add(string(body), uint8(i), files[name])
	}
	f.Fuzz(func(t *testing.T, body string, which uint8, text []byte) {
		dir := t.TempDir()
		name := names[int(which)%len(names)]
		for other, text := range files {
			if err := os.WriteFile(filepath.Join(dir, other), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		mend := mendRun
		if name == left {
			mend = mendLeft
		}
		if err := os.WriteFile(filepath.Join(dir, name), mend(text), 0o600); err != nil {
			t.Fatal(err)
		}
		manifest, err := sealed(walk.OnDisk, nil, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "manifest"), manifest, 0o600); err != nil {
			t.Fatal(err)
		}
		var space *Space
		var r *walk.Result
		costtest.Within(t, len(text)+len(body), func() {
			space, r, err = explore(t.Context(), within{m, t}, dir, walk.Options{Inspect: flags, MaxStates: 5000}, tuning{buffer: 64, runs: 4})
		})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("refused in several lines: %v", err)
			}
			return
		}
		defer space.Release()
		if r.Expanded > r.States || r.Flagged[0] > r.Expanded {
			t.Errorf("counts that cannot be: %+v", r)
		}
		if r.Flagged[0] > 0 {
			_, _ = space.Trail(t.Context(), m, r.First[0]) // it may fail, but then with an error
		}
	})
}

// mendRun corrects the checksums of a run of one-word states.
func mendRun(text []byte) []byte {
	le := binary.LittleEndian
	head := headBytes(1)
	for left := text; len(left) >= head; {
		n := int(min(int64(le.Uint32(left[4:])), int64(len(left)-head)))
		le.PutUint32(left[8:], crc32.Checksum(left[head:head+n], castagnoli()))
		le.PutUint32(left[head-4:], crc32.Checksum(left[:head-4], castagnoli()))
		left = left[head+n:]
	}
	return text
}

// mendLeft is mendRun for a file of states that were left.
func mendLeft(text []byte) []byte {
	le := binary.LittleEndian
	for left := text; len(left) >= leftHead; {
		n := leftHead + int(min(8*int64(le.Uint32(left)), int64(len(left)-leftHead)))
		le.PutUint32(left[4:], sumOfLeft(left[:n]))
		left = left[n:]
	}
	return text
}

// within fails when it is given words that are not a state.
type within struct {
	*maze
	t testing.TB
}

func (m within) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, f := range m.layout.Fields() {
		if f.Of(s) >= f.Values {
			m.t.Errorf("asked about %v, where %s is %d", s, f.Name, f.Of(s))
		}
	}
	return m.maze.AppendSuccessors(dst, s)
}
