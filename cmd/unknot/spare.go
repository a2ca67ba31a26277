package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// spareMemory returns the memory, in bytes, that a process may take without --memory: seven eighths of what the computer has
// to spare when it begins, or of what the limits of its control groups let it have. 0 if the system does not tell.
func spareMemory(proc, groups string) int64 {
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
