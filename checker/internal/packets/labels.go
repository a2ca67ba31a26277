package packets

import "slices"

// Labels appends the number of the action of each successor that AppendSuccessors appends: moves
// by number, injections first, then the moves of every channel, then the steps of the
// sinks. 0 <= label < LabelCount().
func (m *Machine) Labels(dst []int32, s []uint64) []int32 {
	if m.word != nil {
		return m.word.label(dst, s[0])
	}
	label := int32(0)
	for i := range m.inject {
		if _, ok := m.possible(s, &m.inject[i]); ok {
			dst = append(dst, label)
		}
		label++
	}
	for i := range m.channels {
		ch := &m.channels[i]
		if v := ch.head(s); v > 0 {
			for k := ch.first[v-1]; k < ch.first[v]; k++ {
				if _, ok := m.possible(s, &ch.moves[k]); ok {
					dst = append(dst, label+int32(k))
				}
			}
		}
		label += int32(len(ch.moves))
	}
	for i, sink := range m.sinks {
		if sink.Value(s) > 0 {
			dst = append(dst, label+int32(i))
		}
	}
	return dst
}

// FairLabels reports, by label, whether the action is fair: everything but injections.
func (m *Machine) FairLabels() []bool {
	fair := make([]bool, len(m.inject), len(m.inject)+len(m.sinks))
	for i := range m.channels {
		for range m.channels[i].moves {
			fair = append(fair, true)
		}
	}
	for range m.sinks {
		fair = append(fair, true)
	}
	return fair
}

// AnswersByLabel returns, by label, the response of states.Traffic.Claims that steps with it
// answer, or -1: the first packet of its channel moves on, and no other one.
func (m *Machine) AnswersByLabel() []int32 {
	answers := slices.Repeat([]int32{-1}, len(m.inject))
	for i := range m.channels {
		answers = append(answers, slices.Repeat([]int32{int32(i)}, len(m.channels[i].moves))...)
	}
	return append(answers, slices.Repeat([]int32{-1}, len(m.sinks))...)
}
