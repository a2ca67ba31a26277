package checker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/revision"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// contentOf returns what tells apart machines that may step differently: the
// digest of a network with its scenario, or that of a program with the renamings
// that its symmetries come from. Other machines are Go code, which has no digest;
// a type that embeds a program's machine may also step differently.
func contentOf(m states.Machine) (string, error) {
	switch m := m.(type) {
	case *states.Traffic:
		return "network " + m.Name(), nil
	case *program.Machine:
		p := m.Program()
		digest, err := p.Digest()
		if err != nil {
			return "", err
		}
		renamings := sha256.Sum256(fmt.Append(nil, p.Renamings)) // package fmt sorts maps
		return fmt.Sprintf("program %s %x", digest, renamings), nil
	}
	return "", fmt.Errorf("%s is neither a network nor a program: its exploration cannot be saved or resumed", m.Name())
}

// identityOf is what a checkpoint depends on: everything that changes which states
// are found or how they are flagged. Budgets and workers do not.
func identityOf(s *subject) ([]walk.Part, error) {
	content, err := contentOf(s.m)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, q := range s.questions {
		asked = append(asked, q.name)
	}
	if s.q.Liveness {
		for _, r := range s.claims.Responses {
			asked = append(asked, r.Name)
		}
	}
	option := func(name string, on bool) walk.Part {
		return walk.Part{Name: "question (" + name + ")", Value: strconv.FormatBool(on)}
	}
	return []walk.Part{
		{Name: "version of unknot", Value: revision.This()},
		{Name: "machine", Value: content},
		{Name: "question (notion of deadlock)", Value: s.q.Notion.String()},
		option("whole space", s.q.Whole),
		option("liveness", s.q.Liveness),
		option("compact storage", s.q.Compact),
		option("symmetry", s.q.Symmetry),
		option("partial-order reduction", s.q.PartialOrder),
		option("slicing", s.q.Slice || s.unsliced),
		{Name: "question (properties)", Value: fmt.Sprintf("%q", asked)},
	}, nil
}

const mostQuestion = 4 << 30 // bytes: a closed form has half as many

// shipped is a question as it is stored for the workers.
type asked struct {
	Identity   []walk.Part
	Closed     []byte // form of the network or program
	Scenario   spec.Scenario
	Notion     Notion
	Whole      bool
	Properties []string
}

func shipped(s *subject, identity []walk.Part) ([]byte, error) {
	q := asked{Identity: identity, Notion: s.q.Notion, Whole: s.q.Whole, Properties: s.q.Properties}
	var b bytes.Buffer
	var err error
	if s.traffic != nil {
		q.Scenario = s.traffic.Scenario()
		err = spec.WriteClosed(&b, s.network)
	} else {
		err = program.WriteClosed(&b, s.m.(*program.Machine).Program()) // no other machine has an identity
	}
	if err != nil {
		return nil, err
	}
	q.Closed = b.Bytes()
	return json.Marshal(q)
}

// visitOnCluster explores the machine on other computers.
func visitOnCluster(ctx context.Context, s *subject, walk walk.Options) (*walked, error) {
	text, err := shipped(s, walk.Checkpoint.Identity)
	if err != nil {
		return nil, err
	}
	c, digest := s.q.Cluster, fmt.Sprintf("%x", sha256.Sum256(text))
	space, r, err := disk.ExploreOn(ctx, s.walk.Machine, disk.Cluster{
		Files: c.Files, Where: c.Where, Shards: c.Shards, Question: text, Digest: digest,
		Round: func(ctx context.Context, works [][]byte) error { return c.Round(ctx, digest, works) },
	}, walk)
	return &walked{space, r, nil}, err
}

// ClusterWorker does work on one of the computers of a [Cluster].
type ClusterWorker struct {
	files ClusterFiles
	walk  walk.Options
	m     walk.Machine
}

// NewClusterWorker reads a question and prepares its machine, which takes as long as reading it.
func NewClusterWorker(ctx context.Context, files ClusterFiles, question string) (*ClusterWorker, error) {
	name := disk.QuestionFile(question)
	damaged := func(err error) error { return &CheckpointError{name, "cannot be read: " + err.Error()} }
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, damaged(err)
	}
	defer f.Close()
	text, err := limited.ReadAll(name, f, mostQuestion)
	if err == nil && fmt.Sprintf("%x", sha256.Sum256(text)) != question {
		err = errors.New("it is for another question")
	}
	var q asked
	if err == nil {
		err = json.Unmarshal(text, &q)
	}
	if err != nil {
		return nil, damaged(err)
	}
	of, err := evidence.Read(ctx, name, q.Closed)
	if err != nil {
		return nil, err
	}
	m := of.Machine
	if of.Network != nil {
		if m, err = states.NewTraffic(of.Network, q.Scenario); err != nil {
			return nil, err
		}
	}
	s, err := newSubject(ctx, m, Question{Notion: q.Notion, Whole: q.Whole, Properties: q.Properties})
	if err != nil {
		return nil, err
	}
	identity, err := identityOf(s)
	if err != nil {
		return nil, err
	}
	if other := walk.Other(identity, q.Identity); other != "" {
		return nil, &CheckpointError{name, "is for another " + other + " than this computer makes of it"}
	}
	return &ClusterWorker{files, walk.Options{Inspect: s.walk.Inspect, Judge: s.walk.Judge}, s.walk.Machine}, nil
}

// Map does the first half of a work and emits the pieces for each shard.
func (w *ClusterWorker) Map(ctx context.Context, work []byte, emit func(shard int, piece []byte)) error {
	return disk.Map(ctx, w.m, w.walk, w.files, work, emit)
}

// ReduceShard does the second half of a work on all pieces emitted to one shard, in any order.
func ReduceShard(ctx context.Context, files ClusterFiles, next func() (piece []byte, ok bool)) error {
	return disk.Reduce(ctx, files, next)
}
