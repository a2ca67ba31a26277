package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpareMemory: seven eighths of what is available, or of the least limit of a control group on the path to the process's own.
func TestSpareMemory(t *testing.T) {
	const available = "MemTotal:       24684092 kB\nMemFree: 8 kB\nMemAvailable:       16384 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64 // MiB
	}{
		"nothing is known":         {nil, 0},
		"no groups":                {map[string]string{"proc/meminfo": available}, 14},
		"no number":                {map[string]string{"proc/meminfo": "MemAvailable: many kB\n"}, 0},
		"no limit":                 {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "max\n"}, 14},
		"a limit":                  {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "8388608\n"}, 7},
		"a limit further up":       {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a/b\n", "groups/a/b/memory.max": "max\n", "groups/a/memory.max": "8388608\n"}, 7},
		"of the whole container":   {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/\n", "groups/memory.max": "8388608\n"}, 7},
		"version 1":                {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "3:cpu:/\n4:memory:/a\n0::/\n", "groups/memory/a/memory.limit_in_bytes": "8388608\n"}, 7},
		"of another group":         {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/b/memory.max": "8388608\n"}, 14},
		"more than there is":       {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "9223372036854771712\n"}, 14},
		"a line that is not known": {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "nothing\n0::a\n"}, 14},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := spareMemory(filepath.Join(dir, "proc"), filepath.Join(dir, "groups")); got != c.want<<20 {
			t.Errorf("%s: %d bytes, want %d MiB", name, got, c.want)
		}
	}
}

// TestWithoutMemoryFlag: without --memory a command takes what the computer has to spare, and says so when it is used up.
func TestWithoutMemoryFlag(t *testing.T) {
	var out, errs bytes.Buffer
	spare := resident() + 32<<20
	code := run(t.Context(), []string{"check", "torus", "--switching", "saf", "--explore"}, streams{in: strings.NewReader(""), out: &out, err: &errs, spare: spare})
	if !ended(code, out.String()) || !strings.Contains(out.String(), "the memory that this computer has to spare") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
	out.Reset()
	code = run(t.Context(), []string{"check", "ring", "--memory", "64GiB"}, streams{in: strings.NewReader(""), out: &out, err: &errs, spare: 1})
	if code != exitViolated {
		t.Errorf("with --memory: exit %d: %s%s", code, &out, &errs)
	}
}
