package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/cmd/internal/evidence"
)

func verifyCommand(std streams) *cobra.Command {
	var f networkFlags
	c := &cobra.Command{
		Use:   "verify NETWORK EVIDENCE...",
		Short: "Check certificates and traces against a network",
		Long: `Verify compiles the network and checks evidence files against it: certificates
in one pass without search, traces by replaying them. unknot-verify does the
same from the closed form alone, without the rest of unknot.`,
		Example: `  unknot check star-channel --set k=4 --out evidence
  unknot verify evidence/network.json evidence/*.unknot`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			m := newMeter(std)
			defer m.clear()
			machine, n, err := f.loadMachine(c.Context(), args[0], m.show)
			if err != nil {
				return err
			}
			m.clear()
			return verifyFiles(c.Context(), func(file string, text []byte) (string, error) {
				if n == nil {
					return evidence.CheckMachine(machine, file, text)
				}
				return evidence.CheckNetwork(n, file, text)
			}, args[1:], std)
		},
	}
	f.register(c)
	return c
}

// verifyFiles prints a line a file; the worst one makes the exit code.
func verifyFiles(ctx context.Context, check func(file string, text []byte) (string, error), files []string, std streams) error {
	rejected := false
	for _, file := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		claim, err := check(file, text)
		if err != nil {
			rejected = true
			fmt.Fprintf(std.out, "REJECTED %s: %v\n", file, err)
			continue
		}
		fmt.Fprintf(std.out, "VERIFIED %s: %s\n", file, claim)
	}
	if rejected {
		return &codeError{code: exitInternal}
	}
	return nil
}
