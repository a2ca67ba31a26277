package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// FetchAdd is Fetch&Add through combining switches (Gottlieb et al. 1983): the
// request adds a number to the cell and is answered with what was there before;
// two of them combine into one with the sum. The numbers are different powers of
// two, so that a reply tells which requests were served before it.
//
// The levels that the paper foresees are 2 and 3: requests wait for partners. At
// level 1 the request that is recorded has been sent ahead without the addend
// of those that join it.
//
// Claims: each reply reaches a cluster that waits for one about its cell; at rest
// nothing is left in links and wait buffers; replies and cells are those of a
// serial order of all requests, and with several cells those of each alone are;
// every request is answered. At most 10 requests, and 1000 serial orders
// with different replies.
func FetchAdd(o MemoryOptions) (*Memory, error) {
	homes, requesters, err := o.start()
	if err != nil {
		return nil, err
	}
	targets := make([][]int, len(requesters))
	requests, longest := 0, 0
	for i := range requesters {
		targets[i] = o.script(i, 0, len(homes))
		requests, longest = requests+len(targets[i]), max(longest, len(targets[i]))
	}
	const mostRequests = 10
	if requests > mostRequests {
		return nil, fmt.Errorf("%d requests: want at most %d", requests, mostRequests)
	}
	scripts := make([][]call, homes[0].Clusters())
	sums := 1 // more than all addends together
	for i := range longest {
		for place, c := range requesters {
			if i < len(targets[place]) {
				scripts[c] = append(scripts[c], call{targets[place][i], sums})
				sums *= 2
			}
		}
	}
	return newMemory(o, homes, cell{
		name: "Fetch&Add", values: sums, replies: 2 * sums, mappings: sums, sets: true,
		plain:   func(v, f int) (int, int) { return v + f, v },
		apply:   func(f, v program.Expr) program.Expr { return program.Add(v, f) },
		compose: func(f, g program.Expr) program.Expr { return program.Add(f, g) },
	}, scripts)
}

// The requests to a lock.
const (
	testAndSet = iota
	unset      // a write of 0
)

// TestAndSet is Test&Set through combining switches: the request sets the cell
// and is answered with what was there before. Two of them combine into one, and
// the second is told that the cell was set.
//
// With unsets the last requester sends that many writes of 0 before its own
// Test&Set; they are level 0 and not combined. The claims are those of [FetchAdd].
func TestAndSet(o MemoryOptions, unsets int) (*Memory, error) {
	homes, requesters, err := o.start()
	if err != nil {
		return nil, err
	}
	scripts, err := o.withWrites(homes[0].Clusters(), len(homes), requesters, unsets)
	if err != nil {
		return nil, err
	}
	return newMemory(o, homes, cell{
		name: fmt.Sprintf("Test&Set, %d unsets", unsets), values: 2, replies: 2, mappings: 2,
		alone: func(f program.Expr) program.Expr { return program.Eq(f, unset) },
		plain: func(v, f int) (int, int) {
			if f == unset {
				return 0, 0
			}
			return 1, v
		},
		apply:   func(f, _ program.Expr) program.Expr { return program.Sub(1, f) },
		compose: func(f, _ program.Expr) program.Expr { return f },
	}, scripts)
}
