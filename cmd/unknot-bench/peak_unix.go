//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the most memory that a process held, in bytes, 0 if the system
// does not tell.
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
