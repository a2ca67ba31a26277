package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk/disktest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

type inMap = disktest.InMap

// question is a digest of one.
var question = strings.Repeat("c", 64)

// cluster does rounds one shard after the other. meddle, if not nil, replaces the pieces sent to
// a shard.
func cluster(m *maze, files inMap, shards int, meddle func(to int, pieces [][]byte) [][]byte) Cluster {
	return Cluster{Files: files, Where: "there", Shards: shards, Digest: question, Round: func(ctx context.Context, works [][]byte) error {
		sent := make(map[int][][]byte)
		for _, w := range works {
			err := Map(ctx, m, walk.Options{Inspect: flags}, files, w, func(to int, piece []byte) { sent[to] = append(sent[to], piece) })
			if err != nil {
				return err
			}
		}
		for to, pieces := range sent {
			if meddle != nil {
				pieces = meddle(to, pieces)
			}
			for range 2 { // repeating it writes the same
				left := pieces
				err := Reduce(ctx, files, func() (piece []byte, ok bool) {
					if len(left) > 0 {
						piece, left, ok = left[0], left[1:], true
					}
					return piece, ok
				})
				if err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// TestShards: a walk in shards finds what one in memory finds, with paths equally short, and leaves no file.
func TestShards(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		m := mazes(rt)
		want := inMemory(t, m)
		if want.Count > 10_000 {
			return
		}
		files := inMap{}
		s, r, err := ExploreOn(t.Context(), m, cluster(m, files, rapid.IntRange(1, 5).Draw(rt, "shards"), nil), walk.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		got := outcomeOf(t, m, s, r)
		if diff := cmp.Diff(want, got, alike); diff != "" {
			rt.Errorf("in memory (-), in shards (+):\n%s", diff)
		}
		if s.Release(); len(files) > 0 {
			rt.Errorf("left: %q", slices.Collect(maps.Keys(files)))
		}
	})
}

// TestShardsKilled: whatever work a walk is killed in, before or after any file is written, the
// next one continues, with what the killed one left, to the same end.
func TestShardsKilled(t *testing.T) {
	m := counter(3, 4)
	want := inMemory(t, m)
	files := inMap{}
	killed := errors.New("killed")
	for deaths, writes := 0, 0; ; deaths++ {
		c := cluster(m, files, 3, nil)
		writes = 0
		c.Files = dying{files, func() error {
			if writes++; writes > 3+deaths {
				return killed
			}
			return nil
		}}
		round := c.Round
		c.Round = func(ctx context.Context, works [][]byte) error {
			if err := round(ctx, works); err != nil {
				return err
			}
			return c.Files.(dying).dead() // what reduces writes, too
		}
		s, r, err := ExploreOn(t.Context(), m, c, walk.Options{})
		if err != nil {
			if !errors.Is(err, killed) && !strings.Contains(err.Error(), killed.Error()) {
				t.Fatal(err)
			}
			continue
		}
		if deaths < 5 {
			t.Errorf("killed %d times", deaths)
		}
		writes = -1 << 20 // it survives
		if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
			t.Errorf("in memory (-), in shards (+):\n%s", diff)
		}
		return
	}
}

// dying are files of a process that dies before it writes one.
type dying struct {
	inMap
	dead func() error
}

func (d dying) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	if err := d.dead(); err != nil {
		return err
	}
	return d.inMap.Write(ctx, name, write)
}

// TestShardsMeddling: a stale shard, one of another question, shards exchanged, lost, cut or
// changed, pieces lost or duplicated: all are detected before there is a result.
func TestShardsMeddling(t *testing.T) {
	m := counter(4, 4)
	stale := map[string][]byte{} // the first file of each shard
	shard := func(files inMap, i int) (name string) {
		for name = range files {
			if strings.HasPrefix(name, fmt.Sprintf("shard-%05d-", i)) {
				return name
			}
		}
		t.Fatal("no such shard")
		return ""
	}
	head := func(text []byte) int { return bytes.IndexByte(text, '\n') + 1 }
	for name, meddle := range map[string]func(files inMap, name string){
		"stale": func(files inMap, name string) { files[name] = stale[name[:11]] },
		"stale, named anew": func(files inMap, name string) {
			f, old := files[name], stale[name[:11]]
			files[name] = slices.Concat(f[:head(f)], old[head(old):])
		},
		"of another question": func(files inMap, name string) {
			files[name] = bytes.Replace(files[name], []byte("question c"), []byte("question d"), 1)
		},
		"exchanged": func(files inMap, name string) {
			other := shard(files, 1)
			files[name], files[other] = files[other], files[name]
		},
		"lost":            func(files inMap, name string) { delete(files, name) },
		"cut":             func(files inMap, name string) { files[name] = files[name][:len(files[name])-1] },
		"cut to nothing":  func(files inMap, name string) { files[name] = nil },
		"cut to its head": func(files inMap, name string) { files[name] = files[name][:head(files[name])] },
		"longer":          func(files inMap, name string) { files[name] = append(slices.Clone(files[name]), 0) },
		"changed":         func(files inMap, name string) { b := slices.Clone(files[name]); b[len(b)-1] ^= 4; files[name] = b },
	} {
		t.Run(name, func(t *testing.T) {
			files, rounds := inMap{}, 0
			c := cluster(m, files, 3, nil)
			round := c.Round
			c.Round = func(ctx context.Context, works [][]byte) error {
				name := shard(files, 0)
				switch rounds++; rounds {
				case 1:
					stale[name[:11]] = files[name]
				case 4:
					meddle(files, name)
				}
				return round(ctx, works)
			}
			_, r, err := ExploreOn(t.Context(), m, c, walk.Options{})
			if err == nil || rounds != 4 {
				t.Errorf("after %d rounds %+v, %v", rounds, r, err)
			}
		})
	}
	for name, meddle := range map[string]func(pieces [][]byte) [][]byte{
		"lost":  func(p [][]byte) [][]byte { return p[1:] },
		"twice": func(p [][]byte) [][]byte { return append(p, p[0]) },
		"told nothing": func(p [][]byte) [][]byte {
			return slices.DeleteFunc(p, func(b []byte) bool { return b[0] == toldPiece })
		},
		"told twice": func(p [][]byte) [][]byte {
			return append(p, p[slices.IndexFunc(p, func(b []byte) bool { return b[0] == toldPiece })])
		},
		"all lost": func([][]byte) [][]byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			done := false
			c := cluster(m, inMap{}, 3, func(to int, pieces [][]byte) [][]byte {
				if to == 0 && len(pieces) > 2 && !done {
					done = true
					return meddle(pieces)
				}
				return pieces
			})
			_, r, err := ExploreOn(t.Context(), m, c, walk.Options{})
			if !done || !errors.Is(err, errLost) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

const olderShards = `was written by an older unknot in format "unknot-shards 1"; this one reads "unknot-checkpoint 9"`

// TestShardsOfAnother: files of another walk, or foreign files, are refused and stay.
func TestShardsOfAnother(t *testing.T) {
	m := counter(3, 4)
	files := inMap{}
	opt := walk.Options{MaxStates: 10, Checkpoint: walk.Checkpoint{Identity: []walk.Part{{Name: "machine", Value: "this"}}}}
	s, r, err := ExploreOn(t.Context(), m, cluster(m, files, 2, nil), opt)
	if err != nil || r.Reason != walk.OutOfStates {
		t.Fatal(r, err)
	}
	s.Release()
	kept := maps.Clone(files)
	refused := func(change func(inMap, *walk.Options), want string) {
		t.Helper()
		now, opt := maps.Clone(kept), opt
		change(now, &opt)
		before := maps.Clone(now)
		_, _, err := ExploreOn(t.Context(), m, cluster(m, now, 2, nil), opt)
		var refused *walk.CheckpointError
		if !errors.As(err, &refused) || refused.Msg != want {
			t.Errorf("%v, want %s", err, want)
		}
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("%s: changed:\n%s", want, diff)
		}
	}
	refused(func(_ inMap, opt *walk.Options) {
		opt.Checkpoint.Identity = []walk.Part{{Name: "machine", Value: "that"}}
	}, "is for another machine: resume it with the command that began it")
	refused(func(f inMap, _ *walk.Options) { f[clusterManifest] = []byte("{}") }, "is not a checkpoint")
	refused(func(f inMap, _ *walk.Options) { f[clusterManifest] = []byte("unknot-shards 1\n") }, olderShards)
	refused(func(f inMap, _ *walk.Options) {
		f[clusterManifest] = append(slices.Clone(f[clusterManifest]), ' ')
	}, "is damaged: its checksum differs")
	mine := []string{"mine.txt", "report-2026.txt", "before-work", "shard-1", "question-1", "manifest.md", "manifest.part-1.txt"}
	for _, name := range mine {
		refused(func(f inMap, _ *walk.Options) {
			delete(f, clusterManifest)
			f[name] = nil
		}, "cannot be used: want an empty folder, or one with an unfinished exploration")
	}
	opt.MaxStates = 0
	s, r, err = ExploreOn(t.Context(), m, cluster(m, files, 2, nil), opt)
	if err != nil || r.States != 64 { // 4 values of 3 digits
		t.Fatal(r, err)
	}
	for _, name := range mine { // they came during the walk
		files[name] = nil
	}
	files["report-00001-level-12.part-ABCDEFGHIJKLMNOPQRSTUVWX27"] = nil // of a killed one
	if s.Release(); !slices.Equal(slices.Sorted(maps.Keys(files)), slices.Sorted(slices.Values(mine))) {
		t.Errorf("left: %q", slices.Collect(maps.Keys(files)))
	}
}
