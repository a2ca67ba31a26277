//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// command returns a command that leads a process group: when ctx is done, it is killed
// with all processes that it has started.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}

// peakOf returns the most memory that a process held, in bytes, or 0 if the system does not
// report it.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10 // elsewhere it counts kilobytes
}
