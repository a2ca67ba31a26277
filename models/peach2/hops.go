package peach2

// Hops is the greatest number of cables between two boards.
type Hops struct {
	Most     int
	From, To int // the first pair that far apart
}

// CountHops follows the registers from every board to every node's addresses. It
// fails if [Inspect] finds faults.
func CountHops(c *Cluster) (Hops, error) {
	routes, err := faultless(c)
	if err != nil {
		return Hops{}, err
	}
	w := c.wiring()
	var h Hops
	for start := range c.Boards {
		for end := range c.Boards {
			for _, route := range routes[end] {
				hops := 0
				for b := start; b != end; b = w[b][route[b].lowest()].jack.Board {
					hops++
				}
				if hops > h.Most {
					h = Hops{hops, start, end}
				}
			}
		}
	}
	return h, nil
}
