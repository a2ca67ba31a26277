//go:build !linux

package main

import "testing"

func makePipe(t *testing.T, _ string) {
	t.Helper()
	t.Skip("makes a named pipe on Linux only")
}
