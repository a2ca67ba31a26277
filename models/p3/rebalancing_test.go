package p3

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// Parameters of p3-rebalance as Go has them: values by number, in the order of the file.

type (
	Order uint8
	Wait  uint8
	Hold  uint8
	Again uint8
)

const (
	AnyOrder Order = iota
	GiverFirst
	TakerFirst
	AtOnce
)

const (
	Nothing Wait = iota
	Inputs
	OfTarget
	OfNetwork
)

const (
	Nobody Hold = iota
	TargetsOwn
	Everybody
)

const (
	Once Again = iota
	Forever
)

// Discipline is a way to rewrite Path Tables. The zero value requires nothing.
type Discipline struct {
	Order Order
	Wait  Wait
	Hold  Hold
}

// Rebalancing is a choice of parameters.
type Rebalancing struct {
	columns, rows int
	dx, dy        int64
	Move
	Discipline Discipline
	Kinds      []int
	Packets    int
	From       []int // nil: any PE
	Again      Again
	Notice     bool
}

// Program is the machine.
func (r Rebalancing) Program(context.Context) (*program.Program, error) {
	e := RebalanceEntry()
	choice := func(param string, i int) string {
		for _, p := range e.Parameters() {
			if p.Name == param {
				return p.Choices[i]
			}
		}
		panic("no parameter " + param)
	}
	var kinds []string
	for i, k := range r.Kinds {
		word := strconv.Itoa(k)
		if r.From != nil {
			word = fmt.Sprintf("%d@%d", k, r.From[i])
		}
		kinds = append(kinds, word)
	}
	notice := "no"
	if r.Notice {
		notice = "yes"
	}
	return programtest.Of(e.Machine(catalogue.Set{
		"columns": strconv.Itoa(r.columns), "rows": strconv.Itoa(r.rows), "dx": fmt.Sprint(r.dx), "dy": fmt.Sprint(r.dy),
		"variant": RuleNames[r.Rule], "discipline": choice("discipline", int(r.Discipline.Order)), "wait": choice("wait", int(r.Discipline.Wait)),
		"hold": choice("hold", int(r.Discipline.Hold)), "again": choice("again", int(r.Again)), "notice": notice,
		"kinds": strings.Join(kinds, ","), "packets": strconv.Itoa(r.Packets),
	}))
}
