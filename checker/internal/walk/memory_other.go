//go:build !unix

package walk

func allocate(words int) []uint32 { return make([]uint32, words) }

func release([]uint32) {}
