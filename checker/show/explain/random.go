package explain

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Violation says what is violated in a state, and why, line by line.
type Violation struct {
	Text string
	Why  []string
}

// Violations says what is violated in a state with the given number of successors, or whose step is refused:
// invariants, without covers, and deadlock. Responses are about whole runs.
func Violations(m states.Machine, s []uint64, successors int, refused error) (all []Violation) {
	claims := states.ClaimsOf(m)
	for _, v := range claims.Invariants {
		if v.Cover == "" && v.Broken(s) {
			all = append(all, Violation{Text: fmt.Sprintf("%s is violated: %s", v.Name,
				cmp.Or(Broken(m, v.Name, s), "it does not hold"))})
		}
	}
	t, network := m.(*states.Traffic)
	switch {
	case refused != nil:
		all = append(all, Violation{Text: fmt.Sprintf("%s is violated: %s", states.InRange,
			cmp.Or(Wrong(m, s), refused.Error()))})
	case network && len(t.Stuck(t.Decode(s))) > 0:
		all = append(all, Violation{Text: fmt.Sprintf("deadlock: %s", Stuck())})
	case !network && successors == 0 && (claims.Final == nil || !claims.Final(s)):
		all = append(all, Violation{"deadlock: no step is possible", Halted(m, s)})
	}
	return all
}

// Draw draws one of the successors of a state, of which there must be one: first the action, so that an action with
// many successors is no more likely than others.
func Draw(m states.Machine, s []uint64, successors int, random *rand.Rand) int {
	var actions []int
	of := map[int][]int{}
	for k := range successors {
		a := m.Action(s, k).Number
		if of[a] == nil {
			actions = append(actions, a)
		}
		of[a] = append(of[a], k)
	}
	same := of[actions[random.IntN(len(actions))]]
	return same[random.IntN(len(same))]
}
