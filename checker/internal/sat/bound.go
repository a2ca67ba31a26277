package sat

import "math"

// Count adds a variable to those that Limit counts; it must be open.
func (s *Solver) Count(v int32) { s.counted[v], s.counts = true, append(s.counts, v) }

// Bound returns how many counted variables may be true now, and the literal that says so.
func (s *Solver) Bound() (most int, by Literal) {
	if s.limit.by < 0 || s.assigned[s.limit.by] <= 0 {
		return math.MaxInt, 0
	}
	return s.limit.most, Yes(s.limit.by)
}

// AtMost permanently lets at most most of the counted variables be true. It undoes all decisions.
func (s *Solver) AtMost(most int) { s.Require(s.Limit(most)) }

// Limit makes searches look for models in which at most most of the counted variables are
// true, until it is called again. The bound may rise and fall: what is learned under it contains
// the negation of its literal, which is returned. It undoes all decisions.
func (s *Solver) Limit(most int) Literal {
	s.BackTo(0)
	s.done = 0 // what is true already may exhaust the bound
	for _, b := range s.limits {
		if s.assigned[b.by] > 0 { // permanently
			most = min(most, b.most)
		}
	}
	s.limit = bound{most, -1}
	for _, b := range s.limits {
		s.saved[b.by] = -1 // searches must not try a bound that was in force before
		if b.most == most {
			s.limit = b
		}
	}
	if s.limit.by < 0 {
		s.limit.by = s.Add()
		for _, b := range s.limits { // each implies the higher ones
			if b.most < most {
				s.Require(No(b.by), Yes(s.limit.by))
			} else {
				s.Require(No(s.limit.by), Yes(b.by))
			}
		}
		s.limits = append(s.limits, s.limit)
	}
	return Yes(s.limit.by)
}
