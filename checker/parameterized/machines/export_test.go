package machines

import "github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"

// Replaced has the formulas of m, which are compared with another text: a wrong reading of that.
func Replaced(m *Machine, text string) *Machine {
	wrong := *m
	wrong.text = []byte(text)
	return &wrong
}

// Work is how many operators a state takes.
func (m *Machine) Work(n int) int { return m.work(n) }

// Unbound reads a file whose invariant has been given a name.
func Unbound(name string) error {
	r := &reader{m: &Machine{Size: "n", Least: 1, file: "f.star"}}
	r.File = "f.star"
	holds := symbolic.Less(symbolic.Number(0), symbolic.Named(name))
	r.m.properties = []property{{name: "p", holds: holds}}
	return symbolic.Refused(r.finish)
}
