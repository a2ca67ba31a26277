package checker

import (
	"context"
	"encoding/binary"
	"iter"
	"math/bits"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/proofs/machines"
)

// visited is what a walk leaves behind: in memory, on disk or on other computers.
type visited interface {
	Each(f func(id walk.ID, state []uint64) bool)
	EachSomehow(part, parts int, f func(state []uint64) bool)
	Trail(ctx context.Context, m walk.Machine, id walk.ID) ([][]uint64, error)
	Err() error // why states could not be read
	Release()
}

// each yields the states until ctx ends.
func each(ctx context.Context, space visited) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		count := 0
		space.Each(func(_ walk.ID, state []uint64) bool {
			count++
			return yield(state) && (count&1023 != 0 || ctx.Err() == nil)
		})
	}
}

// sums are a machines.SetDigest that a walk adds states to, as numbers, in cache lines of its own.
type sums struct {
	of [4]uint64
	_  [12]uint64
}

// add is machines.SetDigest.Add for states that are stored one after the other.
func (d *sums) add(states []uint64, words int) {
	const rounds, start, factor = 8, 0xff51afd7ed558ccd, 0x9e3779b97f4a7c15
	sum := d.of
	for ; len(states) >= words; states = states[words:] {
		a, b := uint64(words), uint64(start)
		for i, x := range states[:words] {
			hi, lo := bits.Mul64(a^x, factor)
			a, b = b^hi, lo
			sum[i&3] += a
		}
		for i := words; i < words+rounds; i++ {
			hi, lo := bits.Mul64(a, factor)
			a, b = b^hi, lo
			sum[i&3] += a
		}
	}
	d.of = sum
}

// joined is the digest of the states of all workers.
func joined(all []sums) (digest machines.SetDigest) {
	for i := range all {
		var part machines.SetDigest
		for k, x := range all[i].of {
			binary.BigEndian.PutUint64(part[8*k:], x)
		}
		digest.Join(part)
	}
	return digest
}

// digest adds up the states, all cores side by side, unless ctx ends.
func digest(ctx context.Context, space visited, workers int) (machines.SetDigest, bool) {
	const often = 1 << 12
	sums := make([]machines.SetDigest, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var sum machines.SetDigest // here, since those of all would share a cache line
			count := 0
			space.EachSomehow(w, workers, func(s []uint64) bool {
				sum.Add(s)
				count++
				return count%often != 0 || ctx.Err() == nil
			})
			sums[w] = sum
		})
	}
	wg.Wait()
	for _, sum := range sums[1:] {
		sums[0].Join(sum)
	}
	return sums[0], ctx.Err() == nil
}
