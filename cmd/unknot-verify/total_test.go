package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// ringOfThree is the closed form of a one-way ring a, b, c with one VC and worms, by
// the name of a program.
const ringOfThree = `{"format":"unknot-network-1",
"name":"unknot-program-1",
"switching":"wormhole","buffer":1,"tags":1,"selection":"",
"classes":[""],
"vcs":["v"],
"nodes":[
{"name":"a","at":[]},
{"name":"b","at":[]},
{"name":"c","at":[]}],
"links":[
{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},
{"from":1,"to":2,"vcs":1,"out":"","in":"","dim":0},
{"from":2,"to":0,"vcs":1,"out":"","in":"","dim":0}],
"rows":[
[-1,0],
[0,0],
[1,0],
[2,0]],
"tables":[
{"dest":0,"class":0,"sources":[1,2,2,3],"sites":[1,0,3,2,0,0]},
{"dest":1,"class":0,"sources":[0,1,2,3],"sites":[0,0,0,2,0,1]},
{"dest":2,"class":0,"sources":[0,1,1,2],"sites":[0,0,2,1,0,0]}]}
`

// TestImpossibleStates: a set in which each state of the fields' values stands is
// closed, and refused in one line, whatever the messages: no step from a state
// that cannot be is taken. Among them are worms without a flit, which is what a
// step would have gone on with forever, and heads that are nowhere.
func TestImpossibleStates(t *testing.T) {
	dir := t.TempDir()
	network := filepath.Join(dir, "network.json") // its name is not a format
	if err := os.WriteFile(network, []byte(ringOfThree), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(t.Context(), network, []byte(ringOfThree))
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"length 2", "length 2 elastic", "length any", "length 3 shared", "length 2 packets 1"} {
		var states []string
		for s := range uint64(1 << 12) {
			states = append(states, fmt.Sprintf("%x\n", s))
		}
		text := fmt.Sprintf("unknot-closed-set 2\nmachine %q\nproperty \"deadlock-freedom\"\nstates %d 1\n%send\n",
			n.Digest().String()+" under "+scenario, len(states), strings.Join(states, ""))
		set := filepath.Join(dir, "set")
		if err := os.WriteFile(set, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{network, set}, &out, &errs); code != exitRejected || !strings.Contains(out.String(), "invalid state") {
			t.Errorf("%s: exit %d, %s%s", scenario, code, &out, &errs)
		}
	}
}

// TestDeepBuffers: a buffer of 2^30 packets is refused before it takes memory.
func TestDeepBuffers(t *testing.T) {
	dir := t.TempDir()
	network, set := filepath.Join(dir, "network.json"), filepath.Join(dir, "set")
	text := strings.Replace(strings.Replace(ringOfThree, "wormhole", "store-and-forward", 1), `"buffer":1`, `"buffer":1073741824`, 1)
	n, err := spec.ReadClosed(t.Context(), network, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	closed := fmt.Sprintf("unknot-closed-set 2\nmachine %q\nproperty \"deadlock-freedom\"\nstates 1 1\n0\nend\n", n.Digest().String()+" under whole packets")
	for file, text := range map[string]string{network: text, set: closed} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{network, set}, &out, &errs); code != exitRejected || !strings.Contains(out.String(), "beyond the bound") {
		t.Errorf("exit %d, %s%s", code, &out, &errs)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOutputThatIsLost: a verdict that cannot be written is not a success.
func TestOutputThatIsLost(t *testing.T) {
	network, files := evidenceFolder(t, "star-channel", nil)
	var errs bytes.Buffer
	if code := run(append([]string{network}, files...), full{}, &errs); code != exitUsage || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("exit %d, %s", code, &errs)
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("a fault\x1b of ours") }

// TestPanics: whatever fails in this program itself is REJECTED, exit 1: in a
// check, which the next ones survive, and anywhere else.
func TestPanics(t *testing.T) {
	var out bytes.Buffer
	fault := &evidence.PanicError{File: "f", Value: "a fault\x1b of ours"}
	if code := tell(bufio.NewWriter(&out), evidence.Outcome{Err: fmt.Errorf("wrapped: %w", fault)}); code != exitPanic ||
		out.String() != "REJECTED: wrapped: f: the check failed: a fault\\x1b of ours\n" {
		t.Errorf("in a check: exit %d, %s", code, &out)
	}
	network, files := evidenceFolder(t, "star-channel", nil)
	var errs bytes.Buffer
	if code := run(append([]string{network}, files...), panics{}, &errs); code != exitPanic ||
		!strings.HasPrefix(errs.String(), "REJECTED: the check failed: a fault\\x1b of ours\n") {
		t.Errorf("elsewhere: exit %d, %s", code, &errs)
	}
}

// TestDevices: what is not a regular file may never end, and is not read.
func TestDevices(t *testing.T) {
	network, _ := evidenceFolder(t, "star-channel", nil)
	for _, args := range [][]string{{os.DevNull, "x"}, {network, os.DevNull}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "is not a regular file") {
			t.Errorf("%v: exit %d, %s", args, code, &errs)
		}
	}
}
