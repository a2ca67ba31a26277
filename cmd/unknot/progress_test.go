package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec"
)

func TestMeter(t *testing.T) {
	p := spec.Progress{Stage: "routing", Done: 25, Total: 100, Count: 5000, Unit: "sites"}
	var quiet bytes.Buffer
	m := &meter{w: &quiet}
	m.show(p)
	m.clear()
	if quiet.Len() > 0 {
		t.Errorf("off a terminal it says %q", quiet.String())
	}
	var shown bytes.Buffer
	m = &meter{w: &shown, terminal: true}
	m.show(p)
	m.began = m.began.Add(-10 * time.Second) // as if a quarter had taken ten seconds: thirty remain
	m.last = time.Time{}
	m.show(p)
	m.show(p) // too soon after the last one: nothing more
	for _, want := range []string{"routing 25 %, 5000 sites", "(500/s), 30s left"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q does not contain %q", shown.String(), want)
		}
	}
	if n := strings.Count(shown.String(), "routing"); n != 2 {
		t.Errorf("drawn %d times, want 2", n)
	}
	m.clear()
	if !strings.HasSuffix(shown.String(), "\r\x1b[K") {
		t.Error("the line is not cleared")
	}
}
