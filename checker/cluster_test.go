package checker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/cluster"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk/disktest"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

type inMap = disktest.InMap

// clusterOf is a cluster of one computer, whose workers know the question only from its file.
func clusterOf(files inMap, shards int) *cluster.Engine {
	return &cluster.Engine{Files: files, Where: "there", Shards: shards, Round: func(ctx context.Context, question string, works [][]byte) error {
		w, err := cluster.NewWorker(ctx, files, question)
		if err != nil {
			return err
		}
		sent := map[int][][]byte{}
		for _, work := range works {
			if err := w.Map(ctx, work, func(to int, piece []byte) { sent[to] = append(sent[to], piece) }); err != nil {
				return err
			}
		}
		for _, pieces := range sent {
			next := func() (piece []byte, ok bool) {
				if len(pieces) > 0 {
					piece, pieces, ok = pieces[0], pieces[1:], true
				}
				return piece, ok
			}
			if err := cluster.Reduce(ctx, files, next); err != nil {
				return err
			}
		}
		return nil
	}}
}

// TestClusterRefuses: what a cluster does not support is refused, and so is a question that a
// worker does not find, or finds changed.
func TestClusterRefuses(t *testing.T) {
	ring := trafficOf(t, ringOf(t, nil), spec.Scenario{})
	refused := func(m states.Machine, opt checker.Question, want string) {
		t.Helper()
		if _, err := checker.Explore(t.Context(), m, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	const all = "a cluster explores all states in its own files"
	on := func() *cluster.Engine { return clusterOf(inMap{}, 2) }
	refused(ring, checker.Question{Cluster: on(), Symmetry: true}, all)
	refused(ring, checker.Question{Cluster: on(), PartialOrder: true}, all)
	refused(ring, checker.Question{Cluster: on(), Slice: true}, all)
	refused(ring, checker.Question{Cluster: on(), Compact: true}, all)
	refused(ring, checker.Question{Cluster: on(), Liveness: true}, all)
	refused(ring, checker.Question{Cluster: on(), Disk: t.TempDir()}, all)
	refused(ring, checker.Question{Cluster: on(), Save: "x"}, "saves its own progress")
	refused(ring, checker.Question{Cluster: clusterOf(inMap{}, 0)}, "invalid number of shards 0")
	files := inMap{}
	for want, change := range map[string]func(name string){
		"cannot be read":             func(name string) { delete(files, name) },
		"it is for another question": func(name string) { files[name] = append(files[name], ' ') },
	} {
		c := clusterOf(files, 2)
		clear(files)
		round := c.Round
		c.Round = func(ctx context.Context, question string, works [][]byte) error {
			change("question-" + question)
			return round(ctx, question, works)
		}
		refused(ring, checker.Question{Cluster: c}, want)
	}
}

// TestClusterLosesWay: if the cluster fails on the way to a violation, that is an error and not
// rejected evidence; the same search continues after its last level, and finds the way.
func TestClusterLosesWay(t *testing.T) {
	ring := trafficOf(t, ringOf(t, nil), spec.Scenario{})
	files := inMap{}
	c := clusterOf(files, 2)
	round, rounds := c.Round, 0
	c.Round = func(ctx context.Context, question string, works [][]byte) error {
		if rounds++; rounds == 7 {
			return errors.New("no worker is left")
		}
		return round(ctx, question, works)
	}
	opt := checker.Question{Explore: checker.Whole, Cluster: c}
	_, err := checker.Explore(t.Context(), ring, opt)
	if rejected := new(checker.EvidenceError); err == nil || errors.As(err, &rejected) || !strings.Contains(err.Error(), "no worker is left") {
		t.Fatal(err)
	}
	x := explore(t, ring, opt)
	// 5 levels and 2 steps back, the last of which fails; then the last level, and 4 steps back
	if rounds != 7+1+4 || x.Verdict() != spec.Violated || len(files) > 0 {
		t.Errorf("%d rounds, %s, %d files left", rounds, x.Verdict(), len(files))
	}
}

// TestClusterOfSymmetric: a program whose symmetries are known is explored, although its closed form, which is what
// other computers read, names none. One computer finds the same states.
func TestClusterOfSymmetric(t *testing.T) {
	e, ok := models.Find("two-phase-commit")
	if !ok {
		t.Fatal("not in the catalogue")
	}
	m, err := e.Machine(map[string]string{"managers": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.(*program.Machine).Program().Renamings) == 0 {
		t.Fatal("it names no symmetries")
	}
	here := explore(t, m, checker.Question{Explore: checker.Whole})
	there := explore(t, m, checker.Question{Explore: checker.Whole, Cluster: clusterOf(inMap{}, 2)})
	if here.States != there.States || here.Verdict() != there.Verdict() {
		t.Errorf("%d states, %s; on a cluster %d, %s", here.States, here.Verdict(), there.States, there.Verdict())
	}
}
