package evidence_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// commented are right evidence with comments: the corpus, a cycle, and a run of a machine.
func commented(t *testing.T) map[string]struct {
	of   *evidence.Subject
	text string
} {
	t.Helper()
	all := map[string]struct {
		of   *evidence.Subject
		text string
	}{}
	files, err := filepath.Glob("../../counterexamples/corpus/*.unknot")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		network := strings.TrimSuffix(file, ".unknot") + ".json"
		closed, err := os.ReadFile(network)
		if err != nil {
			t.Fatal(err)
		}
		of, err := evidence.Read(t.Context(), network, closed)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = struct {
			of   *evidence.Subject
			text string
		}{of, string(text)}
	}
	network, machine := subjects(t)
	add := func(name string, of *evidence.Subject, f func(io.Writer) error) {
		all[name] = struct {
			of   *evidence.Subject
			text string
		}{of, written(t, name, f).text}
	}
	site := func(c spec.ChannelID, d spec.NodeID) spec.Site {
		return spec.Site{Channel: c, Header: spec.Header{Dest: d}}
	}
	add("cycle", network, func(w io.Writer) error {
		return write.Cycle(w, network.Network, &answers.Cycle{Network: network.Digest, Sites: []spec.Site{site(0, 2), site(1, 0), site(2, 1)}})
	})
	step := runs.Taken{Action: states.Action{Name: "toggle"}}
	add("run", machine, func(w io.Writer) error {
		return write.Run(w, machine.Machine, &runs.Run{Machine: "toggle", Property: "breaks", Fault: runs.Unanswered, Steps: []runs.Taken{step, step}})
	})
	return all
}

// forPeople matches what people read: all behind "#", and the lines of states.
var forPeople = regexp.MustCompile(`(?m)#.*|^state .*$`)

// TestComments: a comment is right or left out; any other is refused at its place.
func TestComments(t *testing.T) {
	for name, e := range commented(t) {
		check := func(text string) error {
			_, err := e.of.Check(t.Context(), name, []byte(text), evidence.Options{})
			return err
		}
		if err := check(e.text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		places := forPeople.FindAllStringIndex(e.text, -1)
		if places == nil {
			t.Errorf("%s has no comments", name)
		}
		bare := regexp.MustCompile(`(?m) *#.*|^state .*\n`).ReplaceAllString(e.text, "")
		if err := check(bare); err != nil {
			t.Errorf("%s without comments: %v", name, err)
		}
		for _, p := range places {
			is := e.text[p[0]:p[1]]
			for _, lie := range []string{is + " and nothing is stuck", is[:len(is)-1],
				strings.Replace(is, "for", "by", 1) + ".", "# VERIFIED: deadlock freedom holds",
				"state -, all is well"} {
				if strings.HasPrefix(is, "#") != strings.HasPrefix(lie, "#") || lie == is {
					continue
				}
				err := check(e.text[:p[0]] + lie + e.text[p[1]:])
				var at *spec.PosError
				if line := 1 + strings.Count(e.text[:p[0]], "\n"); !errors.As(err, &at) || at.Line != line ||
					!strings.Contains(err.Error(), "the comment says") {
					t.Errorf("%s with %q for %q in line %d: %v", name, lie, is, line, err)
				}
			}
		}
	}
}

// TestCommentsElsewhere: where no comment is written, none is read.
func TestCommentsElsewhere(t *testing.T) {
	for name, e := range commented(t) {
		lines := strings.SplitAfter(e.text, "\n")
		for i, line := range lines {
			if forPeople.MatchString(line) {
				continue
			}
			text := strings.Join(lines[:i], "") + strings.TrimSuffix(line, "\n") + " # all is well\n" + strings.Join(lines[i+1:], "")
			if _, err := e.of.Check(t.Context(), name, []byte(text), evidence.Options{}); err == nil {
				t.Errorf("%s: a comment in %q is accepted", name, line)
			}
		}
	}
	of, machine := commented(t)["run"], "state x: off -> on\n"
	for old, new := range map[string]string{
		machine: machine + machine,          // twice
		"start": "state x=on\nstart",        // before its place
		"end\n": "state x: on -> on\nend\n", // behind the last
	} {
		if _, err := of.of.Check(t.Context(), "run", []byte(strings.Replace(of.text, old, new, 1)), evidence.Options{}); err == nil {
			t.Errorf("a run with %q is accepted", new)
		}
	}
}

// TestCommentsDrawn: if any byte of a comment is changed, the evidence is refused.
func TestCommentsDrawn(t *testing.T) {
	all := commented(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"cycle", "run", "ring-4.unknot", "gadget-w1-flits.unknot", "dateline-ring-starvation.unknot"}).Draw(t, "file")
		e := all[name]
		places := forPeople.FindAllStringIndex(e.text, -1)
		p := rapid.SampledFrom(places).Draw(t, "text")
		at, b := rapid.IntRange(p[0], p[1]-1).Draw(t, "byte"), rapid.Byte().Draw(t, "value")
		changed := []byte(e.text)
		if changed[at] == b {
			t.Skip("unchanged")
		}
		changed[at] = b
		if _, err := e.of.Check(t.Context(), name, changed, evidence.Options{}); err == nil {
			t.Fatalf("byte %d of %q is %q, and accepted", at-p[0], e.text[p[0]:p[1]], b)
		}
	})
}
