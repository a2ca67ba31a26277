// Package evidence puts all kinds of evidence behind one interface ([Evidence]), with one table of readers, and checks
// folders of evidence.
//
// [VerifyFolder] checks a folder that unknot wrote, and [Verifier] does so and tells what each file shows. To check one
// file, [Read] its [Subject], a network or machine in the closed form, and ask that: [Subject.Check].
//
// These, the kinds of evidence and their errors are for everybody. The rest is how unknot and unknot-verify agree on what
// stands in a folder: names of files, answers to questions ([Answer], [Part], [Question]), and a result beside its
// evidence. This package imports nothing of the checker.
package evidence

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Evidence is evidence for a verdict, with the network or machine that it is about.
type Evidence interface {
	Kind() string // such as "certificate" or "closed-set"
	Shown() Shown // what it shows, once it is verified
	Verify(ctx context.Context, opt Options) error
}

// Options says how far a check may go.
type Options struct {
	// Recount has counts checked by visiting all states again.
	Recount bool
	// Plain has networks, certificates and counts checked in the form that is for readers, which takes longer. All
	// other evidence has but one.
	Plain bool
	// Memory bounds the size of a file and the memory for revisiting states, in bytes. 0: files have at most 4 GiB, and
	// states 8 GiB.
	Memory int64
}

// Read reads the written form of evidence about the subject or, if that is empty, of
// evidence that is self-contained. Evidence about another machine is an error.
func (s *Subject) Read(file string, text []byte) (e Evidence, err error) {
	of, read := s.reader(file, text)
	if e, err = read(); err != nil {
		return nil, err
	}
	n := s.Network
	if of == aNetwork && n == nil || of == aMachine && n == nil && s.Machine == nil ||
		of == nothing && (n != nil || s.Machine != nil) {
		return nil, &FileError{file, fmt.Errorf("%q evidence is about %s, not about %s", e.Kind(), of, s.Name())}
	}
	switch u := e.(type) {
	case ClosedSet:
		u.Machine, err = s.machine(u.ClosedSet.Machine)
		e = u
	case Ranking:
		u.Machine, err = s.machine(u.Ranking.Machine)
		e = u
	case FormulaRanking:
		u.Machine, err = s.machine(u.FormulaRanking.Machine)
		e = u
	case Rankings:
		u.Machine, err = s.machine(u.Rankings[0].Machine)
		e = u
	case Count:
		u.Machine, err = s.machine(u.Count.Machine)
		e = u
	case Run:
		u.Machine, err = s.machine(u.Run.Machine)
		e = u
	}
	if err != nil {
		return nil, &FileError{file, err}
	}
	return e, nil
}

// What evidence is about.
const aNetwork, aMachine, nothing = "a network", "a machine", "nothing else"

// reader says, by the first words of a text, what the evidence in it is about, and how it is read.
func (s *Subject) reader(file string, text []byte) (of string, read func() (Evidence, error)) {
	in, n := bytes.NewReader(text), s.Network
	of, read = aNetwork, func() (Evidence, error) { c, err := proofs.Read(file, in); return Certificate{n, c}, err }
	for _, k := range append(s.readMachines(file, text), []reading{
		{"unknot-trace ", aNetwork, func() (Evidence, error) {
			t, err := counterexamples.Read(file, in)
			return Trace{n, t}, err
		}},
		{"unknot-bubbles ", aNetwork, func() (Evidence, error) {
			c, err := bubbles.Read(file, in)
			return Bubbles{n, c}, err
		}},
		{"unknot-unsatisfiability-proof ", aNetwork, func() (Evidence, error) {
			r, err := unsat.Read(file, in)
			return Unsatisfiability{n, r}, err
		}},
		{"unknot-cycle ", aNetwork, func() (Evidence, error) {
			c, err := answers.ReadCycle(file, in)
			return Cycle{n, c}, err
		}},
		{"unknot-regions ", aNetwork, func() (Evidence, error) {
			r, err := answers.ReadRegions(file, in)
			return Regions{n, r}, err
		}},
		{"unknot-sharing ", aNetwork, func() (Evidence, error) { return readSharing(file, n, text) }},
		{"unknot-change ", aNetwork, func() (Evidence, error) {
			p, err := changes.ReadPlan(file, text)
			return ChangePlan{n, p}, err
		}},
		{"unknot-change-bound ", aNetwork, func() (Evidence, error) {
			b, err := changes.ReadBound(file, text)
			return ChangeBound{n, b}, err
		}},
		{"unknot-change-trace ", aNetwork, func() (Evidence, error) {
			t, err := changes.ReadTrace(file, in)
			return ChangeTrace{n, t}, err
		}},
		{"unknot-addresses ", nothing, func() (Evidence, error) {
			t, err := addresses.Read(file, in)
			return Addresses{t}, err
		}},
	}...) {
		if bytes.HasPrefix(text, []byte(k.first)) {
			of, read = k.of, k.read
		}
	}
	return of, read
}

// reading is how a text is read that begins with some words, and what it is about.
type reading struct {
	first, of string
	read      func() (Evidence, error)
}

// readMachines are the readings of evidence about machines.
func (s *Subject) readMachines(file string, text []byte) []reading {
	in := bytes.NewReader(text)
	return []reading{
		{"unknot-closed-set ", aMachine, func() (Evidence, error) {
			c, err := machines.ReadClosedSet(file, in)
			return ClosedSet{nil, c}, err
		}},
		{"unknot-ranking ", aMachine, func() (Evidence, error) { return s.readRanking(file, text) }},
		{"unknot-formula-ranking ", aMachine, func() (Evidence, error) {
			r, err := machines.ReadFormulaRanking(file, in)
			return FormulaRanking{nil, r}, err
		}},
		{"unknot-count ", aMachine, func() (Evidence, error) {
			c, err := machines.ReadCount(file, in)
			return Count{nil, c, &s.last}, err
		}},
		{"unknot-machine-trace ", aMachine, func() (Evidence, error) { r, err := runs.Read(file, in); return Run{nil, r}, err }},
	}
}

// machine returns the machine with a name: the subject, or the network's traffic.
func (s *Subject) machine(name string) (states.Machine, error) {
	if s.Network != nil {
		return states.TrafficNamed(s.Network, name)
	}
	if name != s.Machine.Name() {
		return nil, fmt.Errorf("it is for another machine: %.100q, not %s", name, s.Machine.Name())
	}
	return s.Machine, nil
}

// Check reads an evidence file about the subject and verifies it. The error is an
// *UncheckedError for a count without Recount; any other is a rejection.
func (s *Subject) Check(ctx context.Context, file string, text []byte, opt Options) (shown Shown, err error) {
	defer recovered(file, &err)
	e, err := s.Read(file, text)
	if err != nil {
		return Shown{}, err
	}
	if opt.Plain && s.Network != nil {
		if err := proofs.CheckTables(ctx, s.Network); err != nil {
			return Shown{}, &FileError{file, err}
		}
	}
	if err := e.Verify(ctx, opt); err != nil {
		return Shown{}, &FileError{file, err}
	}
	if err := checkComments(ctx, file, text, e); err != nil {
		return Shown{}, err
	}
	shown = e.Shown()
	shown.told = toldBy(e)
	return shown, nil
}

// FileError says which file an error is about, where the error itself does not.
type FileError struct {
	File string // name, as the caller gave it
	Err  error  // what is wrong
}

// Error begins with the name of the file.
func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// PanicError is a rejection because the check itself failed, which is a bug in this
// program.
type PanicError struct {
	File  string // that was checked
	Value any    // of the panic
	Stack []byte // where it began, as [debug.Stack] writes it
}

// Error names the file and the value of the panic, without the stack.
func (e *PanicError) Error() string { return e.File + ": " + e.why() }

func (e *PanicError) why() string { return fmt.Sprintf("the check failed: %v", e.Value) }

// recovered turns a panic into an error.
func recovered(file string, err *error) {
	switch v := recover().(type) {
	case nil:
	case *each.Panic:
		*err = &PanicError{file, v.Value, v.Stack}
	default:
		*err = &PanicError{file, v, debug.Stack()}
	}
}

// Subject is what evidence is about: a network, or a machine of its own; neither, for
// evidence that is self-contained.
type Subject struct {
	Network *spec.Network
	Machine states.Machine // if Network is nil
	Digest  spec.Digest    // of the closed form; zero if there is none

	last *visit // of all states, so that many properties take one
}

// OfNetwork returns a network as the subject of evidence.
func OfNetwork(n *spec.Network) *Subject { return &Subject{Network: n, Digest: n.Digest()} }

// OfProgram returns a program as the subject of evidence.
func OfProgram(p *program.Program) (*Subject, error) {
	s := &Subject{}
	var err error
	if s.Digest, err = p.Digest(); err != nil {
		return nil, err
	}
	s.Machine, err = p.Machine()
	return s, err
}

// IsProgram reports whether a text begins like the closed form of a program.
func IsProgram(text []byte) bool {
	const head = 256
	return programFormat.Match(text[:min(head, len(text))])
}

// programFormat is the key with its value: no name can look like it, since quotes in names are escaped.
var programFormat = regexp.MustCompile(`"format"\s*:\s*"` + program.ClosedFormat + `"`)

// Read reads the closed form of a network or of a program.
func Read(ctx context.Context, file string, text []byte) (*Subject, error) {
	if IsProgram(text) {
		p, err := program.ReadClosed(file, text)
		if err != nil {
			return nil, err
		}
		return OfProgram(p)
	}
	n, err := spec.ReadClosed(ctx, file, text)
	if err != nil {
		return nil, err
	}
	return OfNetwork(n), nil
}

// Name returns the network's name and switching, or the machine's name.
func (s *Subject) Name() string {
	switch {
	case s.Machine != nil:
		return s.Machine.Name()
	case s.Network == nil:
		return "nothing"
	}
	return fmt.Sprintf("%s (%s)", s.Network.Name(), s.Network.Switching())
}

// Shown is what evidence shows.
type Shown struct {
	Property string
	Verdict  spec.Verdict
	By       string // such as "rank" or "closed set of 12 states"

	// Under is the scenario under which a network was run; nil for machines, and for
	// evidence that is about the network itself.
	Under *spec.Scenario

	// told is what a result says of the evidence; set by [Subject.Check].
	told *told
}

// Freedom returns a property's name as people read it: "deadlock freedom holds" cannot
// be taken to say that there is a deadlock.
func Freedom(property string) string {
	switch property {
	case "deadlock-freedom", "livelock-freedom", starvation:
		return strings.Replace(property, "-", " ", 1)
	}
	return property
}

// String returns, say, "deadlock freedom holds (closed set of 12 states, whole packets)".
// If traffic is bounded, it says so: "deadlock freedom holds of at most 1 packet, not
// shown of more (...)".
func (s Shown) String() string {
	by, of := s.By, ""
	if s.Under != nil {
		by += ", " + s.Under.String()
		if s.Verdict == spec.Holds {
			of = bounds(*s.Under)
		}
	}
	return fmt.Sprintf("%s %s%s (%s)", Freedom(s.Property), s.Verdict, of, by)
}

// bounds says for how many packets something is shown, if not for any number.
func bounds(sc spec.Scenario) string {
	switch {
	case sc.Packets > 0:
		return " of at most " + words.Plural(sc.Packets, "packet") + ", not shown of more"
	case len(sc.Once) > 0:
		return " of " + words.Plural(len(sc.Once), "single packet") + ", not shown of others"
	}
	return ""
}

// AsDefined refuses what is shown under a scenario that is not part of the network's
// definition: a bound on packets, bubbles and sinks may avoid a deadlock, or cause one.
// What holds must hold for whole packets or, with wormhole switching, packets of any
// length; packets of one length suffice to violate it.
func (s Shown) AsDefined(switching spec.Switching) error {
	if s.Under == nil {
		return nil
	}
	var defined spec.Scenario
	switch {
	case s.Verdict == spec.Violated:
		defined.Length, defined.Elastic = s.Under.Length, s.Under.Elastic
	case switching == spec.Wormhole:
		defined.Length = spec.AnyLength
	}
	if !s.Under.Equal(defined) {
		return fmt.Errorf("it is shown with %s, not with %s as the network is defined", s.Under, defined)
	}
	return nil
}
