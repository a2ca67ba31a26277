package machines

// Replaced has the formulas of m, which are compared with another text: a wrong reading of that.
func Replaced(m *Machine, text string) *Machine {
	wrong := *m
	wrong.text = []byte(text)
	return &wrong
}
