package disk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// The walk of many computers. Each state belongs to a shard, by its hash. A level is a round:
// every shard is mapped, which sends its successors to their shards, and then every shard is
// reduced, which rewrites its visited states. That is one grouping by key, so any system that
// runs map and reduce can run the rounds, and may repeat any part.
//
// Invariants. A round reads files of its own level, which it does not change, and what it writes
// depends on these alone. The manifest names the level whose files count and how many states
// each holds, and is replaced when a round is complete: a round that was killed is done again.
// Each shard reports how many states it sent, and how many of those it received were new,
// visited or duplicates: the sums are equal, or something was lost.

// Cluster is the computers that do the rounds of a walk.
type Cluster struct {
	Files    Files
	Where    string // where the files are, for messages
	Shards   int
	Question []byte // read by the other computers to make the same machine
	Digest   string // of the question
	Round    func(ctx context.Context, works [][]byte) error
}

// QuestionFile returns the name of the file with a question.
func QuestionFile(digest string) string { return "question-" + digest }

const clusterManifest = "manifest"

// clusterState is the checkpoint of a walk in shards, without its identity.
type clusterState struct {
	Words    int
	Question string
	Held     []held // by shard
	State    state
}

// Shards is a space that is spread over shards.
type Shards struct {
	search
	Cluster
	held []held
	lost atomic.Bool // states or a trail could not be read
}

// ExploreOn is [Explore] on a cluster. It uses the options MaxStates, Until and Progress and
// the checkpoint's Identity; Inspect and Judge are those of the other computers.
func ExploreOn(ctx context.Context, m walk.Machine, c Cluster, opt walk.Options) (*Shards, *walk.Result, error) {
	opt.Leaves = false // the other computers do not look
	s := &Shards{search: search{m: m, opt: opt, words: m.Layout().Words(), began: time.Now()}, Cluster: c}
	err := s.begin(ctx)
	for err == nil {
		var more bool
		if more, err = s.round(ctx); !more {
			break
		}
	}
	if err != nil && ctx.Err() != nil {
		s.result.Reason, err = walk.Interrupted, nil // the manifest stands
	}
	if err != nil {
		return nil, nil, err
	}
	s.measure()
	s.result.Visited = "shards"
	return s, &s.result, nil
}

func (s *Shards) refuse(why string) error {
	return &walk.CheckpointError{File: s.Where, Msg: why}
}

// begin starts from the initial states, or continues from what the files hold.
func (s *Shards) begin(ctx context.Context) error {
	names, err := s.Files.Names(ctx)
	if err != nil {
		return s.refuse("cannot be used: " + err.Error())
	}
	if slices.Contains(names, clusterManifest) {
		return s.restore(ctx)
	}
	if slices.ContainsFunc(names, func(name string) bool { return !ours(name) }) {
		return s.refuse("cannot be used: want an empty folder, or one with an unfinished exploration")
	}
	start := s.m.Start(nil)
	parts := make([][]uint64, s.Shards)
	for ; len(start) > 0; start = start[s.words:] {
		to := shardOf(start[:s.words], s.Shards)
		parts[to] = append(parts[to], start[:s.words]...)
	}
	s.held = make([]held, s.Shards)
	for i, part := range parts {
		w := s.work(i)
		w.Level = -1
		r, err := w.merge(ctx, s.Files, part)
		if err != nil {
			return s.refuse("cannot be used: " + err.Error())
		}
		s.held[i], s.States = r.held, s.States+r.States
	}
	if s.States == 0 {
		return errNoStart
	}
	s.Levels, s.Widest = 1, s.States
	err = s.Files.Write(ctx, QuestionFile(s.Digest), func(out io.Writer) error {
		_, err := out.Write(s.Question)
		return err
	})
	if err != nil {
		return err
	}
	return s.commit(ctx)
}

// ours says whether a walk may have made the file, or was making it when it was killed; the
// files of anybody else are neither accepted nor removed.
func ours(name string) bool { return ourName().MatchString(name) }

var ourName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(manifest|question-[0-9a-f]{64}|(shard|report|before)-[0-9]{5,}-level-[0-9]+)(\.part-[A-Z2-7]+)?$`)
})

func (s *Shards) restore(ctx context.Context) error {
	text, err := s.read(ctx, clusterManifest)
	if err != nil {
		return err
	}
	var was clusterState
	if err := unseal(text, walk.InShards, s.opt.Checkpoint.Identity, &was); err != nil {
		return s.refuse(err.Error())
	}
	if was.Words != s.words || was.Question != s.Digest || len(was.Held) == 0 || was.State.Levels < 1 {
		return s.refuse("is damaged: its manifest is impossible")
	}
	s.Shards, s.held, s.state = len(was.Held), was.Held, was.State
	return nil
}

func (s *Shards) read(ctx context.Context, name string) ([]byte, error) {
	f, err := s.Files.Open(ctx, name)
	if err != nil {
		return nil, s.refuse("cannot be read: " + err.Error())
	}
	defer f.Close()
	text, err := limited.ReadAll(name, f, mostManifest)
	if err != nil {
		return nil, s.refuse("cannot be read: " + err.Error())
	}
	return text, nil
}

func (s *Shards) commit(ctx context.Context) error {
	body, err := json.Marshal(clusterState{s.words, s.Digest, s.held, s.state})
	if err != nil {
		return err
	}
	text, err := sealed(walk.InShards, s.opt.Checkpoint.Identity, body)
	if err != nil {
		return err
	}
	return s.Files.Write(ctx, clusterManifest, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}

// work is the work on a shard at the current level.
func (s *Shards) work(shard int) work {
	return work{
		Question: s.Digest, Shard: shard, Shards: s.Shards, Level: s.Levels - 1, Words: s.words,
		held: s.held[shard],
	}
}

// do runs a round on the cluster for all shards, and returns their reports.
func (s *Shards) do(ctx context.Context, look int, back []uint64) ([]report, error) {
	works, texts := make([]work, s.Shards), make([][]byte, s.Shards)
	var err error
	for i := range works {
		works[i] = s.work(i)
		works[i].Look, works[i].Back = look, back
		if texts[i], err = json.Marshal(works[i]); err != nil {
			return nil, err
		}
	}
	if err := s.Round(ctx, texts); err != nil {
		return nil, err
	}
	reports := make([]report, s.Shards)
	for i := range works {
		name := works[i].report()
		text, err := s.read(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &reports[i]); err != nil || !reflect.DeepEqual(reports[i].Told.Work, works[i]) {
			return nil, s.refuse("is damaged: " + name + " is not of this round")
		}
	}
	return reports, nil
}

// round expands a level. more says that the walk continues.
func (s *Shards) round(ctx context.Context) (more bool, err error) {
	if s.opt.MaxStates > 0 && s.States >= s.opt.MaxStates {
		s.result.Reason = walk.OutOfStates
		return false, nil
	}
	reports, err := s.do(ctx, s.Levels-1, nil)
	if err != nil {
		return false, err
	}
	before := s.state.clone()
	sent, arrived, found := int64(0), int64(0), int64(0)
	for i := range reports {
		r := &reports[i]
		s.count(r.Told.worker())
		sent += r.Told.Sent
		arrived += r.New + r.Known + r.Same
		found += r.New
		if r.States != s.held[i].States+r.New {
			return false, fmt.Errorf("%w: shard %d had %d states and %d new ones, but now has %d",
				errLost, i, s.held[i].States, r.New, r.States)
		}
	}
	if sent != arrived || s.Expanded != s.States {
		return false, fmt.Errorf("%w: %d of %d states arrived, %d of %d were expanded",
			errLost, arrived, sent, s.Expanded, s.States)
	}
	s.tell()
	s.Counted = s.Transitions
	switch {
	case s.result.Refusal != nil:
		s.result.Reason, s.New = walk.Refused, found
		return false, nil
	case s.opt.Until != nil && s.opt.Until(&s.Flagged, s.States):
		s.result.Reason, s.New = walk.Found, found
		return false, nil
	case found == 0:
		return false, nil
	}
	held := s.held
	s.held = nil
	for _, r := range reports {
		s.held = append(s.held, r.held)
	}
	s.States += found
	s.Widest = max(s.Widest, found)
	s.Levels++
	if err := s.commit(ctx); err != nil {
		s.state, s.held = before, held
		return false, err
	}
	for _, r := range reports { // a file that cannot be removed does no harm
		_ = s.Files.Remove(ctx, r.Told.Work.file())
		_ = s.Files.Remove(ctx, r.Told.Work.report())
	}
	return true, nil
}

// Each is [walk.Visited.Each].
func (s *Shards) Each(part, parts int, f func(state []uint64) bool) error {
	for i := part; i < s.Shards; i += parts {
		w := s.work(i)
		err := w.each(context.Background(), s.Files, func(state []uint64, _ int) error {
			if !f(state) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			s.lost.Store(true)
			return err
		}
	}
	return nil
}

var errEnough = errors.New("enough")

// Trail is like [Space.Trail]; it takes a round for each state on the path.
func (s *Shards) Trail(ctx context.Context, _ walk.Machine, id walk.ID) ([][]uint64, error) {
	trail, err := s.trail(id, func(level int, to []uint64) (before []uint64, err error) {
		reports, err := s.do(ctx, level, to)
		if err != nil {
			return nil, err
		}
		for _, r := range reports {
			if found := r.Told.Before; found != nil && (before == nil || compare(found, before) < 0) {
				before = found
			}
		}
		if before == nil {
			return nil, errNoPath
		}
		return before, nil
	})
	if err != nil {
		s.lost.Store(true)
	}
	return trail, err
}

// Release removes the files, unless they are needed to continue the walk or the search for a trail.
func (s *Shards) Release() {
	switch s.result.Reason {
	case walk.Complete, walk.Found, walk.Refused:
	default:
		return
	}
	if s.lost.Load() {
		return
	}
	ctx := context.Background()
	names, _ := s.Files.Names(ctx) // what cannot be listed stays
	slices.Sort(names)             // so that the manifest is not removed last
	for _, name := range names {
		if ours(name) {
			_ = s.Files.Remove(ctx, name)
		}
	}
}
