//go:build !unix

package main

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// command ends when ctx is done. Without process groups, processes that it has started
// may continue, but are not waited for.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = time.Second
	return c
}

// peakOf returns 0: the system does not report how much memory a process held.
func peakOf(*os.ProcessState) int64 { return 0 }
