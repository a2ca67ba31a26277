// Package evidence checks files of evidence of every kind. It is what unknot
// and unknot-verify have in common, and imports nothing that searches.
package evidence

import (
	"bytes"
	"fmt"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// CheckNetwork checks the text of an evidence file against a network and says
// in words what it shows: a certificate, a trace, or a closed set or a run of
// the network's traffic.
func CheckNetwork(n *spec.Network, file string, text []byte) (string, error) {
	switch {
	case bytes.HasPrefix(text, []byte("unknot-trace ")):
		t, err := counterexamples.Read(file, bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		if err := counterexamples.Replay(n, t); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return fmt.Sprintf("%s violated (%s)", t.Property, t.Fault), nil
	case bytes.HasPrefix(text, []byte("unknot-closed-set ")):
		set, err := proofs.ReadClosedSet(file, bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		t, err := spec.TrafficNamed(n, set.Machine)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		safe, err := proofs.SafeTraffic(t, set.Property)
		if err == nil {
			err = proofs.VerifyClosed(t, safe, set)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return fmt.Sprintf("%s holds (closed set of %d states, %s)", set.Property, len(set.States), t.Scenario()), nil
	case bytes.HasPrefix(text, []byte("unknot-run ")):
		r, err := counterexamples.ReadRun(file, bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		t, err := spec.TrafficNamed(n, r.Machine)
		if err == nil {
			err = counterexamples.ReplayRun(t, t.Claims(), r)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return fmt.Sprintf("%q violated (%s)", r.Property, r.Fault), nil
	}
	c, err := proofs.Read(file, bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	if err := proofs.Verify(n, c); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Sprintf("%s holds (%s)", c.Property, c.Kind), nil
}

// CheckMachine checks the text of an evidence file against a machine: a run or
// a closed set.
func CheckMachine(m spec.Machine, file string, text []byte) (string, error) {
	var claims spec.Claims
	if c, ok := m.(spec.Claimer); ok {
		claims = c.Claims()
	}
	if bytes.HasPrefix(text, []byte("unknot-closed-set ")) {
		set, err := proofs.ReadClosedSet(file, bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		safe, err := proofs.SafeMachine(m, claims, set.Property)
		if err == nil {
			err = proofs.VerifyClosed(m, safe, set)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return fmt.Sprintf("%s holds (closed set of %d states)", set.Property, len(set.States)), nil
	}
	r, err := counterexamples.ReadRun(file, bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	if err := counterexamples.ReplayRun(m, claims, r); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Sprintf("%q violated (%s)", r.Property, r.Fault), nil
}
