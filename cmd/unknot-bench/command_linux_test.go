package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEndsGrandchildren: what a command has started ends with it.
func TestEndsGrandchildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- silent(ctx, t.TempDir(), "sh", "-c", fmt.Sprintf("sleep 300 & echo $! >%s.new; mv %s.new %s; wait", file, file, file))
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

func within(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 seconds not: %s", what)
		}
	}
}
