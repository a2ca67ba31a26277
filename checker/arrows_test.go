package checker_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// arrows is a machine given by a list of steps: state 0 is the initial one.
type arrows struct {
	layout  states.Layout
	field   states.Field
	steps   [][]arrow // by state
	pending []bool    // by state
	unfair  string    // actions that are not fair
	strong  string    // actions that are strongly fair
	answers bool      // some steps answer, whatever they lead to
}

type arrow struct {
	to      int
	action  string
	answers bool
}

func (a *arrows) Name() string                { return "arrows" }
func (a *arrows) Layout() *states.Layout      { return &a.layout }
func (a *arrows) Start(dst []uint64) []uint64 { return append(dst, 0) }

func (a *arrows) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, x := range a.steps[a.field.Of(s)] {
		dst = append(dst, uint64(x.to))
	}
	return dst, nil
}

func (a *arrows) Action(s []uint64, i int) states.Action {
	action := a.steps[a.field.Of(s)][i].action
	number := 0 // of "a" its letter
	for _, b := range []byte(action) {
		number = (number<<7 | int(b)) & (math.MaxInt >> 1)
	}
	return states.Action{Number: number, Name: action}
}

func (a *arrows) Claims() states.Claims {
	r := states.Response{Name: "answered", Pending: func(s []uint64) bool { return a.pending[a.field.Of(s)] }}
	if a.answers {
		r.Answered = func(s []uint64, i int, after []uint64) bool {
			return a.steps[a.field.Of(s)][i].answers || !a.pending[a.field.Of(after)]
		}
	}
	strong := map[int]bool{}
	for _, action := range a.strong {
		strong[int(action)] = true
	}
	return states.Claims{
		Responses: []states.Response{r},
		Final:     func([]uint64) bool { return true },
		Fair:      func(action int) bool { return action > 127 || !strings.ContainsRune(a.unfair, rune(action)) },
		Strong:    strong,
	}
}

// arrowNames are the names of actions. The number of the last one has the same 32 low bits as
// that of the first.
var arrowNames = []string{"a", "b", "c", "d", "\x10\x00\x00\x00a"}

func drawArrows(t *rapid.T) *arrows {
	n := rapid.IntRange(1, 9).Draw(t, "states")
	a := &arrows{answers: rapid.Bool().Draw(t, "steps answer"), unfair: rapid.SampledFrom([]string{"", "a", "ab", "abcd"}).Draw(t, "unfair")}
	a.field = a.layout.Field("at", uint64(n))
	if rapid.Bool().Draw(t, "wide") { // states of many bits are found otherwise
		a.layout.Field("always 0", 1<<40)
	}
	for i := range n {
		// Mostly pending, so that parts are large.
		a.pending = append(a.pending, rapid.IntRange(0, 5).Draw(t, fmt.Sprint("pending ", i)) > 0)
		var steps []arrow
		for range rapid.IntRange(0, 4).Draw(t, fmt.Sprint("steps of ", i)) {
			steps = append(steps, arrow{rapid.IntRange(0, n-1).Draw(t, "to"),
				rapid.SampledFrom(arrowNames).Draw(t, "action"), rapid.IntRange(0, 4).Draw(t, "answers") == 0})
		}
		a.steps = append(a.steps, steps)
	}
	return a
}

// drawLeaving draws a machine in which each state but the last, where nothing is pending, has a
// step "a" inside; strongly fair actions are possible here and there, and mostly lead out. So
// parts are divided by one after the other.
func drawLeaving(t *rapid.T) *arrows {
	n := rapid.IntRange(3, 8).Draw(t, "states")
	a := &arrows{strong: rapid.SampledFrom([]string{"b", "bc", "bcd", "abcd"}).Draw(t, "strongly fair"),
		unfair: rapid.SampledFrom([]string{"", "d"}).Draw(t, "unfair")}
	if strings.Contains(a.strong, "d") {
		a.unfair = ""
	}
	a.field = a.layout.Field("at", uint64(n))
	for i := range n - 1 {
		steps := []arrow{{to: (i + 1) % (n - 1), action: "a"}}
		for range rapid.IntRange(0, 2).Draw(t, fmt.Sprint("more of ", i)) {
			steps = append(steps, arrow{to: rapid.IntRange(0, n-2).Draw(t, "to"), action: rapid.SampledFrom([]string{"a", "d"}).Draw(t, "action")})
		}
		for _, action := range []string{"b", "c", "d"} {
			if rapid.IntRange(0, 2).Draw(t, action) == 0 {
				to := n - 1
				if rapid.IntRange(0, 5).Draw(t, "stays") == 0 {
					to = rapid.IntRange(0, n-2).Draw(t, "to")
				}
				steps = append(steps, arrow{to: to, action: action})
			}
		}
		a.steps, a.pending = append(a.steps, steps), append(a.pending, true)
	}
	a.steps, a.pending = append(a.steps, []arrow{{to: rapid.IntRange(0, n-1).Draw(t, "from the last"), action: "a"}}), append(a.pending, false)
	return a
}

// edit changes one thing of a machine.
func (a *arrows) edit(t *rapid.T) {
	actions := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	i := rapid.IntRange(0, len(a.steps)-1).Draw(t, "at")
	if len(a.steps[i]) == 0 || rapid.IntRange(0, 2).Draw(t, "fairness") == 0 {
		action := actions.Draw(t, "action")
		fairness := rapid.IntRange(0, 2).Draw(t, "how fair")
		a.strong, a.unfair = strings.ReplaceAll(a.strong, action, ""), strings.ReplaceAll(a.unfair, action, "")
		if fairness == 0 {
			a.strong += action
		} else if fairness == 1 {
			a.unfair += action
		}
		return
	}
	x := &a.steps[i][rapid.IntRange(0, len(a.steps[i])-1).Draw(t, "step")]
	switch rapid.IntRange(0, 2).Draw(t, "edit") {
	case 0:
		x.to = rapid.IntRange(0, len(a.steps)-1).Draw(t, "to")
	case 1:
		x.action = actions.Draw(t, "action")
	default:
		a.steps[i] = append(a.steps[i], arrow{to: rapid.IntRange(0, len(a.steps)-1).Draw(t, "to"), action: actions.Draw(t, "action")})
	}
}

// starves decides from the definition and nothing else: for every set of states, whether a run can
// go around all of it without an answer, so that every fair action is taken within it or impossible
// in some state of it, and every strongly fair one taken or impossible in all. Going around a set
// means that each of its states can be reached from each by steps within. It returns the least
// number of steps after which such a run, or one that may end, begins; -1 if there is
// none.
func (a *arrows) starves() int {
	n := len(a.steps)
	depth := slices.Repeat([]int{-1}, n)
	depth[0] = 0
	queue := []int{0}
	for k := 0; k < len(queue); k++ {
		for _, x := range a.steps[queue[k]] {
			if depth[x.to] < 0 {
				depth[x.to] = depth[queue[k]] + 1
				queue = append(queue, x.to)
			}
		}
	}
	least := -1
	begins := func(i int) {
		if depth[i] >= 0 && (least < 0 || depth[i] < least) {
			least = depth[i]
		}
	}
	for i := range n {
		rests := a.pending[i]
		for _, x := range a.steps[i] {
			rests = rests && strings.Contains(a.unfair, x.action)
		}
		if rests {
			begins(i)
		}
	}
	for set := 1; set < 1<<n; set++ {
		if a.fairlyRound(set) {
			for i := range n {
				if set>>i&1 == 1 {
					begins(i)
				}
			}
		}
	}
	return least
}

func (a *arrows) fairlyRound(set int) bool {
	n := len(a.steps)
	in := func(i int) bool { return set>>i&1 == 1 }
	taken := map[string]bool{}
	var reach [9][9]bool
	for i := range n {
		if in(i) && !a.pending[i] {
			return false
		}
		for _, x := range a.steps[i] {
			if in(i) && in(x.to) && !(a.answers && x.answers) {
				reach[i][x.to] = true
				taken[x.action] = true
			}
		}
	}
	for k := range n { // Warshall 1962
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range n {
		for j := range n {
			if in(i) && in(j) && !reach[i][j] {
				return false
			}
		}
	}
	for _, action := range arrowNames {
		throughout, somewhere := true, false
		for i := range n {
			can := slices.ContainsFunc(a.steps[i], func(x arrow) bool { return x.action == action })
			throughout = throughout && (!in(i) || can)
			somewhere = somewhere || in(i) && can
		}
		if !taken[action] && (throughout && !strings.Contains(a.unfair, action) || somewhere && strings.Contains(a.strong, action)) {
			return false
		}
	}
	return true
}
