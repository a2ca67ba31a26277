package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// The machines of reduction.star with the parameters of tests.

var reductionEntry = ReductionEntry()

// Order is the order in which a switch combines two operands.
type Order uint8

const (
	ByPosition Order = iota
	ByArrival
)

// ReduceOptions are parameters of reduction.star; zero values stand for its defaults.
type ReduceOptions struct {
	FanOut, Depth, Capacity, Rounds int
	Home                            Home
	Level                           Waiting
	Order                           Order
	Commutative, Two, Eager         bool
}

func Reduce(o ReduceOptions) (*program.Program, error) {
	yes := map[bool]string{false: "no", true: "yes"}
	return programtest.Of(reductionEntry.Machine(catalogue.Set{
		"fan-out": fmt.Sprint(o.FanOut), "depth": fmt.Sprint(o.Depth), "link": fmt.Sprint(o.Capacity), "rounds": fmt.Sprint(o.Rounds),
		"home": HomeNames[o.Home], "level": fmt.Sprint(o.Level), "order": []string{"position", "arrival"}[o.Order], "eager": yes[o.Eager],
		"operation": map[bool]string{false: "any", true: "commutative"}[o.Commutative], "partners": map[bool]string{false: "expected", true: "two"}[o.Two],
	}))
}

// HomeWord reads the word that the home has in a state, as a number whose digits are the
// letters, or how often each occurs, the first cluster's last; and the number of
// operands in it.
func HomeWord(p *program.Program, values []int) (word, operands int) {
	named := map[string]int{}
	for x, v := range p.Variables {
		named[v.Name] = values[x]
	}
	clusters := 0
	for _, is := named[fmt.Sprintf("sent[cluster %d]", clusters)]; is; _, is = named[fmt.Sprintf("sent[cluster %d]", clusters)] {
		clusters++
	}
	for c := clusters - 1; c >= 0; c-- {
		if times, commutative := named[fmt.Sprintf("word[cluster %d].has", c)]; commutative {
			word = word*(clusters+1) + times
		}
	}
	for i := range clusters {
		if letter := named[fmt.Sprintf("word[%d].has", i)]; letter > 0 { // 0 is none
			word = word*(clusters+1) + letter
		}
	}
	return word, named["taken"]
}
