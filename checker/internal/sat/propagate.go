package sat

func (s *Solver) assign(l Literal, why reason) {
	v := l.Variable()
	s.assigned[v] = 1
	if l.Negative() {
		s.assigned[v] = -1
	} else if s.counted[v] {
		s.count++
	}
	s.levels[v] = int32(s.level())
	s.reasons[v] = why
	s.trail = append(s.trail, l)
	if s.trace != nil && s.level() == 0 {
		s.settle(v, why)
	}
}

// fill draws the conclusions of an exhausted bound: no other counted variable is true.
// It returns a false clause if too many are.
func (s *Solver) fill() []Literal {
	if s.count < s.limit.most || s.assigned[s.limit.by] <= 0 {
		return nil
	}
	full := []Literal{No(s.limit.by)}
	for _, v := range s.counts {
		if s.assigned[v] > 0 {
			full = append(full, No(v))
		}
	}
	if s.count > s.limit.most {
		return full
	}
	why := reason{clause: &clause{literals: full}}
	for _, v := range s.counts {
		if s.assigned[v] == 0 {
			s.assign(No(v), why)
		}
	}
	return nil
}

// propagate draws all conclusions and returns a clause that has become false,
// or nil. The clause may be made up for a group.
func (s *Solver) propagate() []Literal {
	for s.done < len(s.trail) {
		l := s.trail[s.done]
		s.done++
		s.Visits++
		if g := s.groupOf[l.Variable()]; g >= 0 && !l.Negative() {
			for _, v := range s.groups[g] {
				switch {
				case v == l.Variable() || s.assigned[v] < 0:
				case s.assigned[v] > 0:
					return s.wrong(&clause{literals: []Literal{No(v), l.not()}})
				default:
					s.assign(No(v), reason{other: l, group: true})
				}
			}
		}
		if !l.Negative() && (s.counted[l.Variable()] || l.Variable() == s.limit.by) {
			if full := s.fill(); full != nil {
				return s.wrong(&clause{literals: full})
			}
		}
		if c := s.propagateClauses(l); c != nil {
			return s.wrong(c)
		}
	}
	return nil
}

// wrong returns the literals of a clause that is false.
func (s *Solver) wrong(c *clause) []Literal {
	if s.trace != nil {
		s.trace.conflict = c.node
	}
	return c.literals
}

// propagateClauses visits the clauses that watch the negation of l, which has
// become true.
func (s *Solver) propagateClauses(l Literal) *clause {
	list := s.watches[l]
	keep := list[:0]
	for i, w := range list {
		if s.of(w.other) > 0 {
			keep = append(keep, w)
			continue
		}
		c := w.clause
		ls := c.literals
		if ls[0] == l.not() {
			ls[0], ls[1] = ls[1], ls[0]
		}
		if s.of(ls[0]) > 0 {
			keep = append(keep, watch{c, ls[0]})
			continue
		}
		if s.rewatch(c) {
			continue
		}
		keep = append(keep, watch{c, ls[0]})
		if s.of(ls[0]) < 0 {
			keep = append(keep, list[i+1:]...)
			s.watches[l] = keep
			return c
		}
		s.assign(ls[0], reason{clause: c})
	}
	s.watches[l] = keep
	return nil
}

// rewatch finds a literal that is not false to watch in second place.
func (s *Solver) rewatch(c *clause) bool {
	ls := c.literals
	for k := 2; k < len(ls); k++ {
		if s.of(ls[k]) >= 0 {
			ls[1], ls[k] = ls[k], ls[1]
			s.watches[ls[1].not()] = append(s.watches[ls[1].not()], watch{c, ls[0]})
			return true
		}
	}
	return false
}
