//go:build unix

package main

import (
	"context"
	"os/exec"
	"syscall"
)

// command is one whose end, when ctx is done, is that of all processes that it
// has started: it leads a process group, which is killed whole.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}
