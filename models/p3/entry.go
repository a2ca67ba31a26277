package p3

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "p3").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		o := RuledOf(a)
		o.Masks, o.VCs = catalogue.Chosen[Masks](a, "masks", MasksNames), a.Int("vcs")
		o.Numbers = catalogue.Chosen[Numbers](a, "numbers", NumbersNames)
		f, err := NewForwarding(a.Context(), o)
		if err != nil {
			return routing.Definition{}, err
		}
		return f.Definition(), nil
	}).WithFile(catalogue.File(files, "p3.star"))
}

func MoveEntry() catalogue.Entry {
	return catalogue.Read(files, "p3-move").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		m, err := MoveOf(a)
		if err != nil {
			return routing.Definition{}, err
		}
		m.Tables = catalogue.Chosen[Tables](a, "tables", TablesNames)
		m.Numbers = catalogue.Chosen[Numbers](a, "numbers", NumbersNames)
		m.Masks = catalogue.Chosen[Masks](a, "masks", MasksNames)
		return Moved(a.Context(), m)
	})
}

func RebalanceEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "p3-rebalance"), catalogue.File(files, "p3-rebalance.star"))
}

func GoalsEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "p3-goals"), catalogue.File(files, "p3-goals.star"))
}

func planeOf(a catalogue.Args) *Plane {
	shapes := map[string]func() *Plane{"bent": Bent, "bow": Bow, "brick": Brick, "notch": Notch}
	if shape, ok := shapes[a.Text("shape")]; ok {
		return shape()
	}
	o := GridOptions{
		Columns: a.Int("columns"), Rows: a.Int("rows"), Pitch: int64(a.Int("pitch")), Moves: a.Int("moves"),
	}
	if o.Moves > 0 {
		o.Seed = uint64(a.Int("seed"))
	}
	return Grid(o)
}

// RuledOf is forwarding by a rule, without masks and with links of one buffer class.
func RuledOf(a catalogue.Args) Options {
	return Options{
		Plane:  planeOf(a),
		Border: catalogue.Chosen[Border](a, "border", BorderNames),
		Rule:   catalogue.Chosen[Rule](a, "variant", RuleNames),
	}
}

// Move is a plane before and after a boundary has moved, and what packets meet meanwhile.
type Move struct {
	Before, After *Plane
	Rule          Rule
	Tables        Tables
	Numbers       Numbers
	Masks         Masks
}

func MoveOf(a catalogue.Args) (m Move, err error) {
	m.Rule = catalogue.Chosen[Rule](a, "variant", RuleNames)
	m.Before, m.After, err = Moving(a.Int("columns"), a.Int("rows"), int64(a.Int("dx")), int64(a.Int("dy")))
	return m, err
}
