package walk

import (
	"bufio"
	"encoding/binary"
	"math/bits"
)

// shard is the part of a space whose hashes begin with the same six bits. It keeps what stands for its states, as the
// form of the space has it, in the order of discovery.
type shard struct {
	blocks [][]uint32 // entries
	arena  *arena     // of the blocks
	count  uint32     // states
	bare   bool       // no blocks are kept, so neither the order of discovery nor parents
	entry  int        // words of an entry: the state's, its fingerprint's or its slot's, and the parent
	bits   uint8      // of an entry's number in its block
}

const (
	blockBits  = 12 // of an entry's number in its block, if entries are small
	blockSize  = 1 << blockBits
	blockWords = 1 << 14 // at most, in blocks of larger entries that hold more than one
)

// bitsFor returns how many bits an entry's number in its block has.
func bitsFor(entry int) uint8 {
	return uint8(bits.Len(uint(min(max(1, blockWords/entry), blockSize))) - 1)
}

// size returns the number of entries in a block.
func (s *shard) size() int { return 1 << s.bits }

func (s *shard) entryAt(local uint32) []uint32 {
	i := int(local&(1<<(s.bits&31)-1)) * s.entry
	return s.blocks[local>>(s.bits&31)][i : i+s.entry : i+s.entry]
}

// add appends an entry, except for the parent.
func (s *shard) add(key []uint32) {
	if int(s.count>>s.bits) == len(s.blocks) {
		s.blocks = append(s.blocks, s.arena.begun(s.size()*s.entry))
	}
	copy(s.entryAt(s.count), key)
	s.count++
}

// setParent records the parent of the state added last.
func (s *shard) setParent(parent ID) { s.entryAt(s.count - 1)[s.entry-1] = uint32(parent) }

// write writes the entries to a checkpoint.
func (s *shard) write(b *bufio.Writer) {
	for k, block := range s.blocks {
		_ = binary.Write(b, binary.LittleEndian, block[:min(s.size(), int(s.count)-k*s.size())*s.entry])
	}
}

// read reads count entries.
func (s *shard) read(c *CheckpointReader, count uint32) error {
	s.count = count
	for from := 0; from < int(s.count); from += s.size() {
		block := make([]uint32, s.size()*s.entry)
		if err := c.Read(block[:min(s.size(), int(s.count)-from)*s.entry]); err != nil {
			return err
		}
		s.blocks = append(s.blocks, block)
	}
	return nil
}

// hashOf mixes the words of a key. The highest bits choose the shard, the lowest
// the slot, those above bit 32 the tag. It sums products of pairs of words, each word with a
// constant added (NH: Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC, 1999), so no product
// waits for another.
func hashOf(key []uint32) uint64 {
	h, add := uint64(len(key)), uint64(factor1)
	for ; len(key) >= 4; key = key[4:] {
		h += folded(uint64(key[0])|uint64(key[1])<<32, uint64(key[2])|uint64(key[3])<<32, add)
		add += factor3
	}
	var last [4]uint32
	if copy(last[:], key) > 0 {
		h += folded(uint64(last[0])|uint64(last[1])<<32, uint64(last[2]), add)
	}
	return mix(h)
}

// hashOfState is hashOf for the words of a state before it is packed.
func hashOfState(state []uint64, packed int) uint64 { return mix(sumOfState(state, packed)) }

// sumOfState is hashOfState before it is mixed.
func sumOfState(state []uint64, packed int) uint64 {
	h, add := uint64(packed), uint64(factor1)
	for ; len(state) >= 2; state = state[2:] {
		h += folded(state[0], state[1], add)
		add += factor3
	}
	if len(state) > 0 {
		h += folded(state[0], 0, add)
	}
	return h
}

// folded combines the two halves of a product.
func folded(a, b, add uint64) uint64 {
	hi, lo := bits.Mul64(a+add, b+add+factor2)
	return hi ^ lo
}

func mix(x uint64) uint64 {
	x *= 0xd1342543de82ef95
	x ^= x >> 32
	x *= 0xaf251af3b0f025b5
	return x ^ x>>29
}

// together is how many states are accessed at once, so that their cache misses
// overlap.
const together = 16
