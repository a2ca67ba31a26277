package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// The requests of readers.
const (
	readCell  = iota
	writeCell // of 1
)

// ReadCombining is the combining of read requests: the reply is multicast to all
// requesters that were combined. The paper uses level 1: a read is forwarded at
// once and recorded, and those that come before its reply join it.
//
// With writes the last requester sends that many writes of 1, not combined,
// before its own read. The paper combines reads of blocks that are cached, where
// a write must first invalidate; what a write does to a read on its way is left
// open there.
//
// The claims are those of [FetchAdd]; that each request gets one reply is what
// they come to without writes.
func ReadCombining(o MemoryOptions, writes int) (*Memory, error) {
	homes, requesters, err := o.start()
	if err != nil {
		return nil, err
	}
	scripts, err := o.withWrites(homes[0].Clusters(), len(homes), requesters, writes)
	if err != nil {
		return nil, err
	}
	return newMemory(o, homes, cell{
		name: fmt.Sprintf("reads, %d writes", writes), values: 2, replies: 2, mappings: 2,
		alone: func(f program.Expr) program.Expr { return program.Eq(f, writeCell) },
		plain: func(v, f int) (int, int) {
			if f == writeCell {
				return 1, 0
			}
			return v, v
		},
		apply: func(f, v program.Expr) program.Expr {
			return program.IfElse(program.Eq(f, writeCell), program.Const(1), v)
		},
		compose: func(f, _ program.Expr) program.Expr { return f },
	}, scripts)
}
