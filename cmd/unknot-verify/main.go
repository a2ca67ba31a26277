// Command unknot-verify checks evidence against a network in the closed form.
//
//	unknot-verify NETWORK.json EVIDENCE...
//
// Each evidence file is a certificate (a property holds) or a trace (it is
// violated). For each the program prints VERIFIED and what is shown, or REJECTED
// and why. Exit codes: 0 all verified, 2 usage or unreadable input, 4 rejected.
//
// It shares with unknot the packages spec, proofs and counterexamples alone:
// nothing that searches.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

const (
	exitVerified = 0
	exitUsage    = 2
	exitRejected = 4
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	if len(args) < 2 {
		fmt.Fprintln(errs, "usage: unknot-verify NETWORK.json EVIDENCE...")
		return exitUsage
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(errs, "unknot-verify:", err)
		return exitUsage
	}
	n, err := spec.ReadClosed(context.Background(), args[0], text, spec.CompileOptions{})
	if err != nil {
		fmt.Fprintln(errs, "unknot-verify:", err)
		return exitUsage
	}
	code := exitVerified
	for _, file := range args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(errs, "unknot-verify:", err)
			return exitUsage
		}
		claim, err := verify(n, file, text)
		if err != nil {
			fmt.Fprintf(out, "REJECTED: %v\n", err)
			code = exitRejected
			continue
		}
		fmt.Fprintf(out, "VERIFIED: %s of %s (%s)\n", claim, n.Name(), n.Definition().Switching)
	}
	return code
}

// verify checks one piece of evidence and says in words what it shows.
func verify(n *spec.Network, file string, text []byte) (string, error) {
	if bytes.HasPrefix(text, []byte("unknot-trace ")) {
		t, err := counterexamples.Read(file, bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		if err := counterexamples.Replay(n, t); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return fmt.Sprintf("%s violated (%s)", t.Property, t.Fault), nil
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
