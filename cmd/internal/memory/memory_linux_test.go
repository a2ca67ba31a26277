package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestSpare: seven eighths of what is available, or of the least limit of a control group on the path to the process's own.
func TestSpare(t *testing.T) {
	const available = "MemTotal:       24684092 kB\nMemFree: 8 kB\nMemAvailable:       16384 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64 // MiB
	}{
		"nothing is known": {nil, 0},
		"no groups":        {map[string]string{"proc/meminfo": available}, 14},
		"no number":        {map[string]string{"proc/meminfo": "MemAvailable: many kB\n"}, 0},
		"no limit":         {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "max\n"}, 14},
		"a limit":          {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "8388608\n"}, 7},
		"a limit further up": {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a/b\n",
			"groups/a/b/memory.max": "max\n", "groups/a/memory.max": "8388608\n"}, 7},
		"of the whole container": {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/\n", "groups/memory.max": "8388608\n"}, 7},
		"version 1": {map[string]string{"proc/meminfo": available,
			"proc/self/cgroup":                      "3:cpu:/\n4:memory:/a\n0::/\n",
			"groups/memory/a/memory.limit_in_bytes": "8388608\n"}, 7},
		"of another group": {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n", "groups/b/memory.max": "8388608\n"}, 14},
		"more than there is": {map[string]string{"proc/meminfo": available, "proc/self/cgroup": "0::/a\n",
			"groups/a/memory.max": "9223372036854771712\n"}, 14},
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
		if got := Spare(filepath.Join(dir, "proc"), filepath.Join(dir, "groups")); got != c.want<<20 {
			t.Errorf("%s: %d bytes, want %d MiB", name, got, c.want)
		}
	}
}

// TestParse: sizes in bytes, or with a unit of powers of 1024.
func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "1000000": 1000000, "512MiB": 512 << 20, "8 GiB": 8 << 30, "1KiB": 1 << 10, "1024TiB": 1 << 50,
		"": 0, "0": 0, "-1": 0, "8GB": 0, "GiB": 0, "1025TiB": 0, "1.5GiB": 0, "99999999999999999999": 0} {
		if got, err := Parse(text); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestResident: memory that was written to counts.
func TestResident(t *testing.T) {
	const more = 64 << 20
	debug.FreeOSMemory() // else the block of an earlier run, which is garbage, would be given out again
	before, block := Resident(), make([]byte, more)
	for i := 0; i < more; i += 1 << 10 {
		block[i] = 1
	}
	if after := Resident(); after < before+more/2 {
		t.Errorf("%d bytes after %d and %d more, of which the last is %d", after, before, more, block[more-1])
	}
}

// TestBound: a process that takes more than it may is told, once it is far beyond its bound finally; one that takes less is left
// alone, and afterwards Go's memory limit is what it was.
func TestBound(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for _, tt := range []struct {
		most      int64
		over, far bool
	}{{1 << 20, true, true}, {1 << 50, false, false}} { // no Go process takes as little as a megabyte, even once its garbage is returned
		over, far := make(chan bool, 1000), make(chan bool, 1000)
		end := Bound(tt.most, time.Millisecond, func() { over <- true }, func() { far <- true })
		if tt.far {
			<-far
		} else {
			time.Sleep(20 * time.Millisecond)
		}
		end()
		if (len(over) > 0) != tt.over || len(far) > 0 {
			t.Errorf("%d bytes: told %d times that it is over, and %d times more that it is far beyond", tt.most, len(over), len(far))
		}
		if after := debug.SetMemoryLimit(-1); after != before {
			t.Errorf("%d bytes: afterwards Go's limit is %d, not %d", tt.most, after, before)
		}
	}
}

// TestBoundForesees: next to a small bound, a slice counts as soon as it is allocated, before a byte of it is written.
func TestBoundForesees(t *testing.T) {
	const slice = 256 << 20
	over := make(chan bool, 1000)
	end := Bound(committed()+slice/2, time.Millisecond, func() { over <- true }, func() {})
	defer end()
	block := make([]byte, slice)
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Errorf("%d bytes are resident, %d committed, and nothing was said", Resident(), committed())
	}
	runtime.KeepAlive(block)
}
