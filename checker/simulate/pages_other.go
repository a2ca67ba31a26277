//go:build !linux

package simulate

func hugePages[T any]([]T) {}
