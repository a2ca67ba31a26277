// Package memory says how much memory a process takes and may take.
package memory

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Spare returns the memory, in bytes, that a process may take without --memory: seven eighths of what the computer has
// to spare when it begins, or of what the limits of its control groups let it have. 0 if the system does not tell.
func Spare(proc, groups string) int64 {
	text, _ := os.ReadFile(filepath.Join(proc, "meminfo"))
	_, after, _ := bytes.Cut(text, []byte("MemAvailable:"))
	spare := number(after)
	if spare < 0 || spare > math.MaxInt64>>10 {
		return 0
	}
	spare <<= 10
	text, _ = os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	for line := range strings.Lines(string(text)) { // NUMBER:CONTROLLERS:/PATH
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 || part[1] != "" && part[1] != "memory" {
			continue
		}
		root, file := groups, "memory.max" // version 2
		if part[1] != "" {
			root, file = filepath.Join(groups, "memory"), "memory.limit_in_bytes"
		}
		for dir := filepath.Join("/", part[2]); ; dir = filepath.Dir(dir) {
			limit, _ := os.ReadFile(filepath.Join(root, dir, file))
			if most := number(limit); most >= 0 { // not "max"
				spare = min(spare, most)
			}
			if dir == "/" {
				break
			}
		}
	}
	return spare / 8 * 7
}

// number reads the number that a text begins with, or -1.
func number(text []byte) (n int64) {
	if _, err := fmt.Sscan(string(text), &n); err != nil {
		return -1
	}
	return n
}

// Resident returns the bytes of memory that the process takes, by the system or, if
// that does not tell, by the Go runtime.
func Resident() int64 {
	if taken := statm(resident); taken > 0 {
		return taken
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.Sys - s.HeapReleased)
}

// Fields of Linux's statm, see proc(5).
const (
	resident = 1
	shared   = 2 // of the resident: pages of files, such as the program itself
)

// statm returns a field in bytes, 0 where the system has none.
func statm(field int) int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); field < len(fields) {
		n, _ := strconv.ParseInt(fields[field], 10, 64)
		return n * int64(os.Getpagesize())
	}
	return 0
}

// Parse reads a size such as 512MiB, 8GiB or 1000000.
func Parse(s string) (int64, error) {
	number, shift := s, 0
	for _, unit := range []struct {
		name  string
		shift int
	}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}} {
		if n, ok := strings.CutSuffix(s, unit.name); ok {
			number, shift = n, unit.shift
		}
	}
	x, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || x < 1 || x > 1<<50>>shift {
		return 0, errors.New("a size such as 512MiB or 8GiB")
	}
	return x << shift, nil
}
