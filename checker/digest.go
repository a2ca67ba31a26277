package checker

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"
	"sync"

	"github.com/seed-105a2da2/unknot/proofs/machines"
)

// The digest of a space, in half the time that machines.SetDigest.Add takes.
//
// A state of up to six words and what SHA-256 pads it with are one block. Hashed as data,
// the block leaves its digest in the hash's inner state, which the hash tells when asked to
// be saved; closing it, which costs more than the block, is not needed. Nobody promises
// where the digest stands there, so what is read is compared with Sum256 once. States
// that are longer, or a hash that saves something else, are added by SetDigest.Add.

// digester adds up the digests of states of so many words.
type digester struct {
	sum   machines.SetDigest
	hash  savedHash // nil: SetDigest.Add
	block [sha256.BlockSize]byte
	saved []byte
}

type savedHash interface {
	hash.Hash
	encoding.BinaryAppender
}

const savedAt = 4 // of the digest in what the hash saves

func newDigester(words int) *digester {
	d := &digester{}
	h, saves := sha256.New().(savedHash)
	if size := words * 8; saves && size <= len(d.block)-9 {
		d.hash = h
		d.block[size] = 0x80
		binary.BigEndian.PutUint64(d.block[len(d.block)-8:], uint64(size)*8)
		if sum, ok := d.ofBlock(); !ok || sum != sha256.Sum256(d.block[:size]) {
			d.hash = nil
		}
	}
	return d
}

// ofBlock returns the digest of the state in the block.
func (d *digester) ofBlock() (sum machines.SetDigest, ok bool) {
	d.hash.Reset()
	d.hash.Write(d.block[:])
	var err error
	d.saved, err = d.hash.AppendBinary(d.saved[:0])
	if err != nil || len(d.saved) < savedAt+len(sum) {
		return sum, false
	}
	return machines.SetDigest(d.saved[savedAt:]), true
}

func (d *digester) add(s []uint64) {
	if d.hash != nil {
		for i, x := range s {
			binary.LittleEndian.PutUint64(d.block[i*8:], x)
		}
		if sum, ok := d.ofBlock(); ok {
			d.sum.Join(sum)
			return
		}
	}
	d.sum.Add(s)
}

// digest adds up the states, all cores side by side, unless ctx ends.
func digest(ctx context.Context, space visited, words, workers int) (machines.SetDigest, bool) {
	const often = 1 << 12
	sums := make([]*digester, workers)
	var wg sync.WaitGroup
	for w := range workers {
		sums[w] = newDigester(words)
		wg.Go(func() {
			count := 0
			space.EachSomehow(w, workers, func(s []uint64) bool {
				sums[w].add(s)
				count++
				return count%often != 0 || ctx.Err() == nil
			})
		})
	}
	wg.Wait()
	for _, d := range sums[1:] {
		sums[0].sum.Join(d.sum)
	}
	return sums[0].sum, ctx.Err() == nil
}
