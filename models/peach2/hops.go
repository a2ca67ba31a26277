package peach2

// Hops counts the cables on the way from board to board.
type Hops struct {
	Pairs    []int // by number of cables: ordered pairs of boards
	From, To int   // a pair that is farthest apart, the first one
}

// Most returns the largest number of cables.
func (h Hops) Most() int { return len(h.Pairs) - 1 }

// Total returns the number of cables of all ways together.
func (h Hops) Total() int {
	total := 0
	for hops, pairs := range h.Pairs {
		total += hops * pairs
	}
	return total
}

// CountHops follows the registers from every board to every node's addresses. It
// fails if [Inspect] finds faults.
func CountHops(c *Cluster) (Hops, error) {
	ways, err := faultless(c)
	if err != nil {
		return Hops{}, err
	}
	w := c.wiring()
	var h Hops
	for start := range c.Boards {
		for end := range c.Boards {
			if start == end {
				continue
			}
			for _, way := range ways[end] {
				hops := 0
				for b := start; b != end; b = w[b][way[b].first()].jack.Board {
					hops++
				}
				for len(h.Pairs) <= hops {
					h.Pairs = append(h.Pairs, 0)
					h.From, h.To = start, end
				}
				h.Pairs[hops]++
			}
		}
	}
	return h, nil
}
