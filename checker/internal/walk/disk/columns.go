package disk

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// How the states of a block are written: as records of one size, in columns.
//
// A level is compared with all visited states, so these are read many times for each time that they are written, and
// what counts is the time to read one. A byte of a state that is the same in all states of the block is left out: it is
// that of the last state, which the head of the block has. Neighbours in a run agree in many of their first bytes. Of each
// word the bytes between the first and the last that differ are a column: one after the other for all states. So no
// state depends on the one before, no length is looked up, and each word takes a load, a mask and a shift. Differences
// between neighbours, in as few bytes as each needs, take a third of the room less and three times as long to read.

// A body is a byte for each word, its shape, then the columns. A shape is how many bytes of the word are left out
// below its column, in its upper half, and how many the column has, in its lower.
type shape uint8

func (s shape) shift() uint { return uint(s>>4) * 8 }
func (s shape) bytes() int  { return int(s & 15) }
func (s shape) mask() uint64 {
	return ^uint64(0) >> (64 - 8*uint(s.bytes())) // 0 for none
}

// spare is how many bytes beyond a column may be read or written with its last value.
const spare = 8

var errState = errors.New("a state cannot be read")

// appendBlock appends the body of a block of states.
func appendBlock(b []byte, states []uint64, words int) []byte {
	last, at := states[len(states)-words:], len(b)
	for w, x := range last {
		differ := uint64(0)
		for i := w; i < len(states); i += words {
			differ |= states[i] ^ x
		}
		below, end := bits.TrailingZeros64(differ)/8, (bits.Len64(differ)+7)/8
		if differ == 0 {
			below = 0
		}
		b = append(b, uint8(below<<4|end-below))
	}
	for w := range words {
		s := shape(b[at+w])
		if s.bytes() == 0 {
			continue
		}
		from, length := len(b), len(states)/words*s.bytes()
		b = slices.Grow(b, length+spare)[:from+length+spare]
		column := b[from:]
		for i := w; i < len(states); i += words {
			binary.LittleEndian.PutUint64(column, states[i]>>s.shift())
			column = column[s.bytes():]
		}
		b = b[:from+length]
	}
	return b
}

// decodeBlock appends the first plain words of each state of a block, which ends with last, and leaves room for a word
// after each if stride says so. It is quicker if the body has a capacity of spare bytes more.
func decodeBlock(dst []uint64, body []byte, count int, last []uint64, plain, stride int) ([]uint64, error) {
	if len(body) < len(last) {
		return nil, errState
	}
	record := 0
	for _, x := range body[:len(last)] {
		if s := shape(x); s.bytes() > 8 || s.bytes()+int(s>>4) > 8 {
			return nil, errState
		}
		record += shape(x).bytes()
	}
	if len(body)-len(last) != record*count || record == 0 && count > 1 {
		return nil, errState
	}
	if cap(body) < len(body)+spare {
		body = append(slices.Clip(body), make([]byte, spare)...)[:len(body)]
	}
	from := len(dst)
	dst = slices.Grow(dst, count*stride)[:from+count*stride]
	states, columns := dst[from:], body[len(last):len(body)+spare]
	for w := range plain {
		s := shape(body[w])
		mask, shift := s.mask(), s.shift()
		same, size, column := last[w]&^(mask<<shift), s.bytes(), columns
		columns = columns[size*count:]
		for i := w; i < len(states); i += stride {
			states[i] = binary.LittleEndian.Uint64(column)&mask<<(shift&63) | same
			column = column[size:]
		}
	}
	if end := states[len(states)-stride:]; compare(last[:plain], end) != 0 {
		return nil, errState
	}
	return dst, nil
}

// ascend reports whether states ascend by their first plain words.
func ascend(states []uint64, plain, stride int) bool {
	for i := stride; i < len(states); i += stride {
		if compare(states[i-stride:][:plain], states[i:]) >= 0 {
			return false
		}
	}
	return true
}
