package models_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// BenchmarkFloor times the least that a decision of west-first routing could do beside the whole check of the catalogue's
// model: it walks the sites of each destination, measures hops, and sorts the dependencies. It keeps no table, no digest
// and no evidence. Both count the same sites.
func BenchmarkFloor(b *testing.B) {
	const k = 64
	e, _ := models.Find("turn-model")
	sites := 0
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			n := routingtest.Network(b)(e.Define(map[string]string{"k": "64", "n": "2"}))
			if _, err := checker.Check(b.Context(), n, checker.Question{}); err != nil {
				b.Fatal(err)
			}
			sites = n.SiteCount()
		}
	})
	b.Run("naive walk", func(b *testing.B) {
		for b.Loop() {
			if walked, longest := naiveWestFirst(k); walked != sites && sites > 0 || longest != 2*(k-1) {
				b.Fatalf("%d sites, at most %d hops; the check counts %d", walked, longest, sites)
			}
		}
	})
}

// naiveWestFirst counts the sites of minimal west-first routing on a mesh of k x k, and the most hops of a packet.
func naiveWestFirst(k int) (sites, longest int) {
	const west, east, south, north = 0, 1, 2, 3
	step := [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	depends := make([]bool, 16*k*k) // by channel and the direction that follows
	met := make([]int, 4*k*k)       // by channel, which is named by its first node and a direction: the destination, and 1
	left := make([]int, 4*k*k)
	onward := func(x, y, dx, dy int) (to [4]bool) {
		if to[west] = dx < x; !to[west] {
			to[east], to[south], to[north] = dx > x, dy < y, dy > y
		}
		return to
	}
	for dest := range k * k {
		dx, dy := dest%k, dest/k
		var walk func(x, y int) int
		walk = func(x, y int) (most int) {
			for d, goes := range onward(x, y, dx, dy) {
				if !goes {
					continue
				}
				channel := 4*(y*k+x) + d
				if met[channel] != dest+1 {
					met[channel] = dest + 1
					sites++
					u, v := x+step[d][0], y+step[d][1]
					for after, follows := range onward(u, v, dx, dy) {
						if follows {
							depends[4*channel+after] = true
						}
					}
					left[channel] = walk(u, v)
				}
				most = max(most, left[channel]+1)
			}
			return most
		}
		for source := range k * k {
			longest = max(longest, walk(source%k, source/k))
		}
	}
	first := make([]int, 4*k*k+1) // the dependencies, sorted
	for edge, is := range depends {
		if is {
			first[edge/4+1]++
		}
	}
	for channel := range first[1:] {
		first[channel+1] += first[channel]
	}
	return sites, longest
}
