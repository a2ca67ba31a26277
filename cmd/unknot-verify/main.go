// Command unknot-verify checks evidence against a network in the closed form.
//
//	unknot-verify NETWORK.json EVIDENCE...
//
// Each evidence file is a certificate or a closed set of states (a property
// holds), or a trace or a run (it is violated). For each the program prints VERIFIED and what is shown, or REJECTED
// and why. Exit codes: 0 all verified, 2 usage or unreadable input, 4 rejected.
//
// It shares with unknot the packages spec, proofs and counterexamples alone:
// nothing that searches.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed-105a2da2/unknot/cmd/internal/evidence"
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
		claim, err := evidence.CheckNetwork(n, file, text)
		if err != nil {
			fmt.Fprintf(out, "REJECTED: %v\n", err)
			code = exitRejected
			continue
		}
		fmt.Fprintf(out, "VERIFIED: %s of %s (%s)\n", claim, n.Name(), n.Definition().Switching)
	}
	return code
}
