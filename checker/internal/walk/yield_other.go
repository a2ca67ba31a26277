//go:build !linux

package walk

func yield() {}
