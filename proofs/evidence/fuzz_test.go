package evidence_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// FuzzEvidence: nothing made from the engines' evidence by edits is accepted without
// being true, takes long, or makes a check panic.
func FuzzEvidence(f *testing.F) {
	all := everySubject(f)
	for i := range all {
		if i%25 == 0 { // the others are drawn
			f.Add(uint16(i), uint16(i/25), []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, subject, which uint16, edits []byte) {
		s := all[int(subject)%len(all)]
		if s.texts == nil {
			s.texts = slices.Concat(s.evidence(t), s.lies(t))
		}
		_ = s.check(t, edited(s.texts[int(which)%len(s.texts)].text, edits))
	})
}

// edited makes an edit of every four bytes: what is done, in which line, at which word,
// and with what.
func edited(text string, edits []byte) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for e := range slices.Chunk(edits, 4) {
		if len(e) < 4 || len(lines) == 0 {
			break
		}
		i, with := int(e[1])%len(lines), int(e[3])
		words := strings.Split(lines[i], " ")
		k := int(e[2]) % len(words)
		switch e[0] % 6 {
		case 0:
			lines = slices.Delete(lines, i, i+1)
			continue
		case 1:
			lines = slices.Insert(lines, i, lines[with%len(lines)])
			continue
		case 2:
			lines[i], lines[with%len(lines)] = lines[with%len(lines)], lines[i]
			continue
		case 3:
			words[k] = strconv.Itoa(with - 3)
		case 4: // a bit of a state
			x, _ := strconv.ParseUint(words[k], 16, 64)
			words[k] = strconv.FormatUint(x^1<<(with%64), 16)
		case 5: // of those that scenarios are made of
			scenario := []string{"shared", "elastic", "length 1", "length 2", "length any", "sink 1", "packets 1", "packets 3", "bubble 2", ""}
			words[k] = scenario[with%len(scenario)]
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// check checks a text, and returns why it is refused. It fails unless the check is
// cheap, does not panic, and accepts only what is true.
func (s *judged) check(t *testing.T, text string) error {
	t.Helper()
	attempt := func(recount bool) (shown evidence.Shown, err error) {
		costtest.Within(t, len(text), func() {
			shown, err = s.Check(t.Context(), "f", []byte(text), evidence.Options{Recount: recount})
		})
		noPanic(t, err)
		return shown, err
	}
	shown, err := attempt(false)
	if unchecked := new(evidence.UncheckedError); errors.As(err, &unchecked) && s.space(s.counted(t, text)) != nil { // else it may well take long
		shown, err = attempt(true)
	}
	if err != nil {
		return err
	}
	is, known := violates(s.Network, shown)
	if g := s.space(s.machine(t, shown)); !known && g != nil {
		g.agrees(t, text)
		is, known = g.violated(shown.Property)
	}
	if known && is != (shown.Verdict == spec.Violated) {
		t.Fatalf("accepted: %s\n%s", shown, text)
	}
	return nil
}

// counted returns the machine of a count.
func (s *judged) counted(t *testing.T, text string) states.Machine {
	c, err := machines.ReadCount("f", strings.NewReader(text))
	m := s.Machine
	if err == nil && s.Network != nil {
		m, err = states.TrafficNamed(s.Network, c.Machine)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// machine returns the machine of which a text shows something.
func (s *judged) machine(t *testing.T, shown evidence.Shown) states.Machine {
	if s.Network == nil {
		return s.Machine
	}
	var sc spec.Scenario
	switch {
	case shown.Under != nil:
		sc = *shown.Under
	case shown.Verdict == spec.Holds && s.Network.Switching() == spec.Wormhole:
		sc.Length = spec.AnyLength
	}
	m, err := states.NewTraffic(s.Network, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// space returns the space of a machine; nil if it is too large.
func (s *judged) space(m states.Machine) *space {
	g, searched := s.spaces[m.Name()]
	if !searched {
		g = spaceOf(m, m.Start(nil), mostStates)
		s.spaces[m.Name()] = g
	}
	return g
}

// agrees compares what an accepted text lists with the space: all states and steps of a
// set or count, and a trace move by move.
func (g *space) agrees(t *testing.T, text string) {
	t.Helper()
	within := func(set *machines.ClosedSet) {
		in := map[string]bool{}
		for _, s := range set.States {
			in[fmt.Sprint(s)] = true
		}
		for _, s := range g.states {
			if !in[fmt.Sprint(s)] {
				t.Fatalf("accepted without the state %s:\n%s", g.m.Layout().Text(s), text)
			}
		}
	}
	in := strings.NewReader(text)
	if set, err := machines.ReadClosedSet("f", in); err == nil {
		within(set)
	}
	for one := range strings.SplitAfterSeq(text, "\nend\n") { // a network's rankings follow each other
		if r, err := machines.ReadRanking("f", strings.NewReader(one)); err == nil {
			within(&r.ClosedSet)
		}
	}
	in.Reset(text)
	if c, err := machines.ReadCount("f", in); err == nil {
		if want := g.count(c.Property); *c != *want {
			t.Fatalf("accepted: want %+v:\n%s", *want, text)
		}
	}
	in.Reset(text)
	if x, err := counterexamples.Read("f", in); err == nil {
		if err := g.replays(x); err != nil {
			t.Fatalf("accepted, but %v:\n%s", err, text)
		}
	}
}

// FuzzCheck: the same for any text about a ring and about a machine, and for texts
// without a subject; an answer's index that is read is written back as one that is
// read.
func FuzzCheck(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Add(`{"format":"unknot-answer-2","asked":"","asks":"","verdict":"holds","because":"","believe":[],"parts":[{"shows":"","property":"a","verdict":"holds","evidence":"b"}]}`)
	network, machine := subjects(f)
	all := []*judged{{Subject: network, spaces: map[string]*space{}}, {Subject: machine, spaces: map[string]*space{}}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range all {
			_ = s.check(t, text)
		}
		costtest.Within(t, len(text), func() {
			if _, err := (&evidence.Subject{}).Check(t.Context(), "f", []byte(text), evidence.Options{}); err != nil {
				noPanic(t, err)
			}
			a, err := evidence.ReadAnswer("f", []byte(text))
			if err != nil {
				return
			}
			var b bytes.Buffer
			if err := evidence.WriteAnswer(&b, a); err != nil {
				t.Fatal(err)
			}
			if _, err := evidence.ReadAnswer("f", b.Bytes()); err != nil {
				t.Fatalf("%v in\n%s", err, &b)
			}
		})
	})
}

// FuzzFolder: no index, with whatever evidence and closed form, makes the check of a
// folder panic, or expensive.
func FuzzFolder(f *testing.F) {
	network, machine := subjects(f)
	var ring, switched bytes.Buffer
	if err := errors.Join(spec.WriteClosed(&ring, network.Network), program.WriteClosed(&switched, toggle())); err != nil {
		f.Fatal(err)
	}
	for _, text := range texts(f) {
		f.Add(index, text, ring.String())
		f.Add(strings.ReplaceAll(index, "0f", network.Digest.String()), text, ring.String())
		f.Add(strings.ReplaceAll(index, "0f", machine.Digest.String()), text, switched.String())
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, index, text, subject string) {
		for name, text := range map[string]string{evidence.AnswerFile: index, "0001.unknot": text, "0002.unknot": text, "0002.json": subject} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		costtest.Within(t, len(index)+len(text)+len(subject), func() {
			folder, err := evidence.OpenFolder(dir, evidence.Options{})
			if err != nil {
				return
			}
			for i := range folder.Answer.Parts {
				_, _, err := folder.Check(t.Context(), i, evidence.Options{})
				noPanic(t, err)
			}
		})
	})
}

func noPanic(t *testing.T, err error) {
	t.Helper()
	if fault := new(evidence.PanicError); errors.As(err, &fault) {
		t.Fatalf("%v\n%s", fault, fault.Stack)
	}
}
