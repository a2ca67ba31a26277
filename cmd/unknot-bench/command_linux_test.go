package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEndsGrandchildren: processes that a command has started end with it.
func TestEndsGrandchildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- silent(ctx, t.TempDir(), nil, "sh", "-c", fmt.Sprintf("sleep 300 & echo $! >%s.new; mv %s.new %s; wait", file, file, file))
	}()
	var pid string
	within(t, "the grandchild starts", func() bool {
		text, err := os.ReadFile(file)
		pid = strings.TrimSpace(string(text))
		return err == nil
	})
	cancel()
	select {
	case <-done: // the grandchild held the output open
	case <-time.After(10 * time.Second):
		t.Fatal("the command has not ended")
	}
	within(t, "the grandchild ends", func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ") // ended, and not yet waited for
	})
}

// TestLeavesNothing: neither shared memory that a command made, nor a file that a compiler
// was killed over, outlives it.
func TestLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := silent(t.Context(), dir, nil, "sh", "-c", "echo >$TMPDIR/left.s"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "left.s")); err != nil {
		t.Error(err) // it is elsewhere
	}
	for _, program := range []string{"ipcmk", "ipcrm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	size := fmt.Sprint(1<<20 + os.Getpid()) // nobody else's
	if err := silent(t.Context(), dir, nil, "ipcmk", "--shmem", size); err != nil {
		t.Skip(err) // there is none
	}
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 3 && f[3] == size {
			t.Errorf("left: %s", line)
		}
	}
}

func within(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 seconds not: %s", what)
		}
	}
}
