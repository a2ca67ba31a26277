package sat

func (h *heap) precedes(s *Solver, a, b int32) bool {
	if s.activity[a] != s.activity[b] {
		return s.activity[a] > s.activity[b]
	}
	return a < b
}

func (h *heap) push(s *Solver, v int32) {
	for len(h.at) <= int(v) {
		h.at = append(h.at, 0)
	}
	if h.at[v] != 0 {
		return
	}
	h.items = append(h.items, v)
	h.at[v] = int32(len(h.items))
	h.siftUp(s, len(h.items)-1)
}

func (h *heap) pop(s *Solver) int32 {
	top := h.items[0]
	h.at[top] = 0
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	if len(h.items) > 0 {
		h.items[0] = last
		h.at[last] = 1
		h.siftDown(s, 0)
	}
	return top
}

// raised restores the order after v has become more active.
func (h *heap) raised(s *Solver, v int32) {
	if at := h.at[v]; at != 0 {
		h.siftUp(s, int(at)-1)
	}
}

func (h *heap) siftUp(s *Solver, i int) {
	v := h.items[i]
	for i > 0 {
		p := (i - 1) / 2
		if !h.precedes(s, v, h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		h.at[h.items[i]] = int32(i) + 1
		i = p
	}
	h.items[i] = v
	h.at[v] = int32(i) + 1
}

func (h *heap) siftDown(s *Solver, i int) {
	v := h.items[i]
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			break
		}
		if c+1 < len(h.items) && h.precedes(s, h.items[c+1], h.items[c]) {
			c++
		}
		if !h.precedes(s, h.items[c], v) {
			break
		}
		h.items[i] = h.items[c]
		h.at[h.items[i]] = int32(i) + 1
		i = c
	}
	h.items[i] = v
	h.at[v] = int32(i) + 1
}
