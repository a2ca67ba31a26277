package lock

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestMain holds a lock until it is killed, where TestStale asks for that.
func TestMain(m *testing.M) {
	if path := os.Getenv("UNKNOT_HOLD_LOCK"); path != "" {
		l, err := Acquire(path)
		if err != nil {
			panic(err)
		}
		defer l.Release() // keeps it: a file that is garbage is closed, and its lock gone
		os.Stdout.WriteString("held\n")
		select {}
	}
	os.Exit(m.Run())
}

// TestExclusive: of many who want a lock at once one gets it, and finally nothing is left in
// the folder.
func TestExclusive(t *testing.T) {
	needsLocks(t)
	path := filepath.Join(t.TempDir(), "file")
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				l, err := Acquire(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				holders.Add(-1)
				l.Release()
			}
		})
	}
	wg.Wait()
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) > 0 || taken.Load() == 0 {
		t.Errorf("taken %d times, %v left", taken.Load(), files)
	}
}

// TestStale: the lock of a killed process is released.
func TestStale(t *testing.T) {
	needsLocks(t)
	path := filepath.Join(t.TempDir(), "file")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "UNKNOT_HOLD_LOCK="+path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil { // "held"
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrHeld) {
		t.Errorf("while another process holds it: %v", err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	l, err := Acquire(path)
	if err != nil {
		t.Fatalf("after that process was killed: %v", err)
	}
	l.Release()
}

func needsLocks(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("this system has no file locks")
	}
}
