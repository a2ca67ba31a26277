//go:build !unix

package statespace

func allocate(words int) []uint32 { return make([]uint32, words) }

func release([]uint32) {}
