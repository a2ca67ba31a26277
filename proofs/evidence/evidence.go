// Package evidence checks files of evidence of every kind against a network or
// machine, and folders of them. It is what the checker, unknot and unknot-verify have in
// common, and imports nothing that searches but the plain recount of proofs.
package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Subject is what evidence is about: a network, or a machine of its own.
type Subject struct {
	Network *spec.Network
	Machine states.Machine // if Network is nil
	Digest  spec.Digest    // of the closed form; zero if there is none

	visit *visit // the last recount, so that many properties take one
}

// visit is what a recount found: of the count, with its property left out, and
// of every property of states.
type visit struct {
	of     machines.Count
	err    error
	faults map[string]error // by property that was asked for: the first state that is not safe, or nil
}

// OfNetwork returns a network as the subject of evidence.
func OfNetwork(n *spec.Network) *Subject { return &Subject{Network: n, Digest: n.Digest()} }

// OfMachine returns a machine as the subject of evidence.
func OfMachine(m states.Machine) (*Subject, error) {
	// One that embeds a program's may step otherwise.
	if c, ok := m.(*program.Machine); ok {
		return OfProgram(c.Program())
	}
	return &Subject{Machine: m}, nil
}

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

// IsProgram reports whether a text begins as the closed form of a program does.
func IsProgram(text []byte) bool {
	const head = 256
	return programFormat.Match(text[:min(head, len(text))])
}

// programFormat is the key with its value: a name cannot look so, as quotes within it are escaped.
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
	if s.Network == nil {
		return s.Machine.Name()
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
}

// String is such as "deadlock holds (closed set of 12 states, whole packets)". What
// holds of bounded traffic is said of that: "deadlock holds of at most 1 packet, not
// shown of more (...)".
func (s Shown) String() string {
	by, of := s.By, ""
	if s.Under != nil {
		by += ", " + s.Under.String()
		if s.Verdict == spec.Holds {
			of = bounds(*s.Under)
		}
	}
	return fmt.Sprintf("%s %s%s (%s)", s.Property, s.Verdict, of, by)
}

// bounds says of how many packets something is shown, if not of any number.
func bounds(sc spec.Scenario) string {
	plural := func(n int, of string) string {
		if n == 1 {
			return fmt.Sprintf("%d %s", n, of)
		}
		return fmt.Sprintf("%d %ss", n, of)
	}
	switch {
	case sc.Packets > 0:
		return " of at most " + plural(sc.Packets, "packet") + ", not shown of more"
	case len(sc.Once) > 0:
		return " of " + plural(len(sc.Once), "single packet") + ", not shown of others"
	}
	return ""
}

// AsDefined refuses what is shown under a scenario that the network's definition
// does not speak of. A few packets, kept places and sinks may avoid a deadlock, or
// make one. What holds must hold of whole packets, with wormhole switching of
// messages of any length; messages of one length do to violate it.
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
	if s.Under.String() != defined.String() {
		return fmt.Errorf("it is shown with %s, not with %s as the network is defined", s.Under, defined)
	}
	return nil
}

// Options says how far a check may go.
type Options struct {
	// Recount has counts checked by visiting all states again.
	Recount bool
}

// UncountedError says that a count was not checked: because nobody asked for it,
// or because a bound was reached.
type UncountedError struct {
	File   string
	States int64
	Why    string
}

func (e *UncountedError) Error() string {
	return fmt.Sprintf("%s: a count of %d states is checked by visiting them again: %s", e.File, e.States, e.Why)
}

// Check checks the text of an evidence file about the subject. The error is an
// *UncountedError for a count without Recount; any other is a rejection.
func (s *Subject) Check(ctx context.Context, file string, text []byte, opt Options) (shown Shown, err error) {
	defer recovered(file, &err)
	check := checkFunc(s.certificate)
	for _, k := range []struct {
		first string
		check checkFunc
	}{
		{"unknot-closed-set ", s.closedSet},
		{"unknot-ranking ", s.ranking},
		{"unknot-count ", s.count},
		{"unknot-run ", s.run},
		{"unknot-trace ", s.trace},
		{"unknot-cycle ", s.cycle},
		{"unknot-regions ", s.regions},
	} {
		if bytes.HasPrefix(text, []byte(k.first)) {
			check = k.check
		}
	}
	if shown, err = check(ctx, file, text, opt); err != nil {
		return Shown{}, err
	}
	return shown, nil
}

// PanicError is a rejection because the check itself failed, which is a fault of
// this program.
type PanicError struct {
	File  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s: the check failed: %v", e.File, e.Value) }

// recovered makes a panic an error.
func recovered(file string, err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{file, v, debug.Stack()}
	}
}

// checkFunc checks one kind of evidence. What it returns beside an error means nothing.
type checkFunc func(ctx context.Context, file string, text []byte, opt Options) (Shown, error)

// machine returns the machine of that name, with what is claimed of it and what
// makes its states safe for a property.
func (s *Subject) machine(name string) (m states.Machine, claims states.Claims, safe func(property string) (func([]uint64) error, error), err error) {
	if s.Network != nil {
		t, err := states.TrafficNamed(s.Network, name)
		if err != nil {
			return nil, claims, nil, err
		}
		return t, t.Claims(), func(property string) (func([]uint64) error, error) { return machines.SafeTraffic(t, property) }, nil
	}
	if c, ok := s.Machine.(states.Claimer); ok {
		claims = c.Claims()
	}
	return s.Machine, claims, func(property string) (func([]uint64) error, error) {
		return machines.SafeMachine(s.Machine, claims, property)
	}, nil
}

// under returns the scenario under which a network is run, nil for other machines.
func under(m states.Machine) *spec.Scenario {
	if t, ok := m.(*states.Traffic); ok {
		sc := t.Scenario()
		return &sc
	}
	return nil
}

func rejected(file string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

func (s *Subject) closedSet(ctx context.Context, file string, text []byte, _ Options) (Shown, error) {
	set, err := machines.ReadClosedSet(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	m, _, safety, err := s.machine(set.Machine)
	if err != nil {
		return Shown{}, rejected(file, err)
	}
	safe, err := safety(set.Property)
	if err == nil {
		err = machines.VerifyClosed(ctx, m, safe, set)
	}
	return Shown{set.Property, spec.Holds, fmt.Sprintf("closed set of %d states", len(set.States)), under(m)}, rejected(file, err)
}

func (s *Subject) ranking(ctx context.Context, file string, text []byte, _ Options) (Shown, error) {
	r, err := machines.ReadRanking(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	m, claims, _, err := s.machine(r.Machine)
	if err != nil {
		return Shown{}, rejected(file, err)
	}
	i := slices.IndexFunc(claims.Responses, func(v states.Response) bool { return v.Name == r.Property })
	if i < 0 {
		return Shown{}, rejected(file, fmt.Errorf("the machine has no response %q", r.Property))
	}
	err = machines.VerifyRanking(ctx, m, claims, claims.Responses[i], r)
	return Shown{r.Property, spec.Holds, fmt.Sprintf("ranking of %d states", len(r.States)), under(m)}, rejected(file, err)
}

func (s *Subject) count(ctx context.Context, file string, text []byte, opt Options) (Shown, error) {
	c, err := machines.ReadCount(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	m, claims, safety, err := s.machine(c.Machine)
	if err != nil {
		return Shown{}, rejected(file, err)
	}
	if _, err := safety(c.Property); err != nil {
		return Shown{}, rejected(file, err)
	}
	if !opt.Recount {
		return Shown{}, &UncountedError{file, c.States, "ask for it with --recount"}
	}
	of := *c
	of.Property = ""
	if s.visit == nil || s.visit.of != of {
		properties := []string{spec.Deadlock.String()}
		if s.Network != nil {
			properties = append(properties, spec.Delivery.String())
		}
		for _, v := range claims.Invariants {
			properties = append(properties, v.Name)
		}
		s.visit = recount(ctx, m, of, properties, safety)
	}
	err = s.visit.err
	var bound *spec.BoundError
	if errors.As(err, &bound) {
		return Shown{}, &UncountedError{file, c.States, bound.Error()}
	}
	if err == nil {
		fault, asked := s.visit.faults[c.Property]
		if err = fault; !asked {
			err = fmt.Errorf("no state was asked about %q", c.Property)
		}
	}
	return Shown{c.Property, spec.Holds, fmt.Sprintf("%d states visited again", c.States), under(m)}, rejected(file, err)
}

// recount visits all states once and asks each for all properties.
func recount(ctx context.Context, m states.Machine, of machines.Count, properties []string, safety func(string) (func([]uint64) error, error)) *visit {
	v := &visit{of: of, faults: map[string]error{}}
	safe := map[string]func([]uint64) error{}
	for _, p := range properties {
		f, err := safety(p)
		if v.faults[p] = err; err == nil {
			safe[p] = f
		}
	}
	var mu sync.Mutex
	v.err = machines.Recount(ctx, m, func(s []uint64) error {
		for p, f := range safe {
			err := f(s)
			if err == nil {
				continue
			}
			err = fmt.Errorf("in %s: %w", m.Layout().Text(s), err)
			mu.Lock()
			if v.faults[p] == nil || err.Error() < v.faults[p].Error() { // whoever came first
				v.faults[p] = err
			}
			mu.Unlock()
		}
		return nil
	}, &of, machines.RecountOptions{})
	return v
}

func (s *Subject) run(ctx context.Context, file string, text []byte, _ Options) (Shown, error) {
	r, err := runs.Read(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	m, claims, _, err := s.machine(r.Machine)
	if err != nil {
		return Shown{}, rejected(file, err)
	}
	err = runs.Replay(ctx, m, claims, r)
	return Shown{r.Property, spec.Violated, fmt.Sprintf("%s, run of %d steps", r.Fault, len(r.Steps)), under(m)}, rejected(file, err)
}

func (s *Subject) trace(ctx context.Context, file string, text []byte, _ Options) (Shown, error) {
	if s.Network == nil {
		return Shown{}, rejected(file, fmt.Errorf("a trace is of a network, not of the machine %s", s.Machine.Name()))
	}
	t, err := counterexamples.Read(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	err = counterexamples.Replay(ctx, s.Network, t)
	shown := Shown{Property: t.Property.String(), Verdict: spec.Violated, By: t.Fault.String()}
	if t.Scenario.String() != (spec.Scenario{}).String() {
		shown.Under = &t.Scenario
	}
	return shown, rejected(file, err)
}

func (s *Subject) cycle(_ context.Context, file string, text []byte, _ Options) (Shown, error) {
	if s.Network == nil {
		return Shown{}, rejected(file, fmt.Errorf("a cycle of dependencies is of a network, not of the machine %s", s.Machine.Name()))
	}
	c, err := answers.ReadCycle(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	err = answers.VerifyCycle(s.Network, c)
	return Shown{answers.Acyclic, spec.Violated, fmt.Sprintf("cycle of %d dependencies", len(c.Sites)), nil}, rejected(file, err)
}

func (s *Subject) regions(_ context.Context, file string, text []byte, _ Options) (Shown, error) {
	if s.Network == nil {
		return Shown{}, rejected(file, fmt.Errorf("regions are of a network, not of the machine %s", s.Machine.Name()))
	}
	r, err := answers.ReadRegions(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	err = answers.VerifyRegions(s.Network, r)
	if r.Way != nil {
		return Shown{answers.Regions, spec.Violated, fmt.Sprintf("way of %d hops", len(r.Way)-1), nil}, rejected(file, err)
	}
	return Shown{answers.Regions, spec.Holds, fmt.Sprintf("%d regions", len(r.Regions)), nil}, rejected(file, err)
}

func (s *Subject) certificate(ctx context.Context, file string, text []byte, _ Options) (Shown, error) {
	c, err := proofs.Read(file, bytes.NewReader(text))
	if err != nil {
		return Shown{}, err
	}
	if s.Network == nil {
		return Shown{}, rejected(file, fmt.Errorf("a certificate is of a network, not of the machine %s", s.Machine.Name()))
	}
	return Shown{c.Property.String(), spec.Holds, c.Kind.String(), nil}, rejected(file, proofs.Verify(ctx, s.Network, c))
}
