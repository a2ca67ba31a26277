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
// Claims: each reply reaches a cluster that waits for one; at rest nothing is
// left in links and wait buffers; replies and cell are those of a serial order;
// every request is answered.
func FetchAdd(o MemoryOptions) (*Memory, error) {
	t, clusters, err := o.start()
	if err != nil {
		return nil, err
	}
	const mostRequests = 10
	if n := len(clusters) * o.Each; n > mostRequests {
		return nil, fmt.Errorf("%d requests: want at most %d", n, mostRequests)
	}
	scripts := make([][]int, t.Clusters())
	addend := 1
	for range o.Each {
		for _, c := range clusters {
			scripts[c] = append(scripts[c], addend)
			addend *= 2
		}
	}
	// addend is now more than all of them together.
	return newMemory(o, t, cell{
		name: "Fetch&Add", values: addend, replies: 2 * addend, mappings: addend,
		show:    func(f int) string { return fmt.Sprintf("Fetch&Add %d", f) },
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
	t, clusters, err := o.start()
	if err != nil {
		return nil, err
	}
	scripts, err := withWrites(o, t, clusters, unsets)
	if err != nil {
		return nil, err
	}
	return newMemory(o, t, cell{
		name: fmt.Sprintf("Test&Set, %d unsets", unsets), values: 2, replies: 2, mappings: 2,
		alone: func(f program.Expr) program.Expr { return program.Eq(f, unset) },
		show:  func(f int) string { return [...]string{"Test&Set", "unset"}[f] },
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

// start checks options and returns the tree and the requesters.
func (o MemoryOptions) start() (*homeward, []int, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	tree, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, nil, err
	}
	if o.Levels != nil && len(o.Levels) != tree.Clusters() {
		return nil, nil, fmt.Errorf("levels of %d clusters: there are %d", len(o.Levels), tree.Clusters())
	}
	for c, level := range o.Levels {
		if level > Forever {
			return nil, nil, fmt.Errorf("waiting level %d of cluster %d: must be 0 to 3", level, c)
		}
	}
	t, err := turn(tree, o.Home)
	if err != nil {
		return nil, nil, err
	}
	clusters, err := o.requesters(t)
	return t, clusters, err
}

// withWrites returns scripts of the request 0, before which the last requester
// sends some of request 1.
func withWrites(o MemoryOptions, t *homeward, clusters []int, writes int) ([][]int, error) {
	const most = 4
	if writes < 0 || writes > most {
		return nil, fmt.Errorf("%d writes: must be 0 to %d", writes, most)
	}
	scripts := make([][]int, t.Clusters())
	for range writes {
		c := clusters[len(clusters)-1]
		scripts[c] = append(scripts[c], 1)
	}
	for range o.Each {
		for _, c := range clusters {
			scripts[c] = append(scripts[c], 0)
		}
	}
	return scripts, nil
}
