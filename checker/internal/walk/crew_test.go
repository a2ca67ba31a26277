package walk

import (
	"testing"
	"time"
)

// TestCrew: everything is done once, by a worker that does nothing else meanwhile, and is done when
// each returns, whether the waiting worker is spinning or asleep.
func TestCrew(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		want := 0
		c := newCrew(workers)
		busy, total := make([]int, workers), make([]int, workers) // not atomic: the race detector looks on
		for round := range 400 {
			count := round % 7
			if round%100 == 99 {
				time.Sleep(40 * time.Millisecond) // they fall asleep
			}
			want += count
			done := make([]int, count)
			c.each(count, func(worker, i int) {
				busy[worker]++
				if busy[worker] != 1 {
					t.Errorf("worker %d is not done with what it was given before", worker)
				}
				if round%50 == 0 {
					time.Sleep(20 * time.Millisecond) // the others wait until they sleep
				}
				done[i]++
				total[worker]++
				busy[worker]--
			})
			for i, n := range done {
				if n != 1 {
					t.Fatalf("%d workers, round %d: %d was done %d times", workers, round, i, n)
				}
			}
		}
		c.dismiss()
		sum := 0
		for _, n := range total {
			sum += n
		}
		if sum != want {
			t.Errorf("%d workers did %d pieces of work, want %d", workers, sum, want)
		}
	}
}
