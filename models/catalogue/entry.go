// Package catalogue defines how a model describes itself: its parameters with their
// ranges, its source, the expected verdicts, and the claims of the source. So the checker
// checks the models, and the models check the checker.
package catalogue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Param is a parameter of an entry. With Choices it takes one of them; with Form it is
// text of that form, which the model checks; otherwise it is an integer from Min to
// Max.
type Param struct {
	Name     string
	Default  string
	Min, Max int
	Choices  []string
	Form     string // such as "NW,SW"
	Doc      string
}

// check returns an error if a value is invalid.
func (p Param) check(value string) error {
	if len(p.Choices) > 0 {
		if !slices.Contains(p.Choices, value) {
			return fmt.Errorf("invalid %s %.40q: want one of %s", p.Name, value, strings.Join(p.Choices, ", "))
		}
		return nil
	}
	if p.Form != "" {
		const longest = 1 << 16
		if len(value) > longest {
			return fmt.Errorf("invalid %s of %d characters: want at most %d", p.Name, len(value), longest)
		}
		if info, err := os.Stat(value); p.IsFile() && err == nil && !info.Mode().IsRegular() { // a device may have no end, a pipe no writer
			return fmt.Errorf("invalid %s %.40q: want a regular file", p.Name, value)
		}
		return nil
	}
	if x, err := strconv.Atoi(value); err != nil || x < p.Min || x > p.Max {
		return fmt.Errorf("invalid %s %.40q: want an integer from %d to %d", p.Name, value, p.Min, p.Max)
	}
	return nil
}

// IsFile reports whether the values of p name files.
func (p Param) IsFile() bool { return p.Form == "FILE" }

// Range describes the values that p takes, such as "2..64" or "xy|yx".
func (p Param) Range() string {
	if len(p.Choices) > 0 {
		return strings.Join(p.Choices, "|")
	}
	if p.Form != "" {
		return p.Form
	}
	return fmt.Sprintf("%d..%d", p.Min, p.Max)
}

// Args holds a checked value for every parameter of an entry, and notes which are read.
type Args struct {
	ctx    context.Context
	values map[string]string
	read   map[string]bool
}

// Context interrupts long computations, see [Entry.Within].
func (a Args) Context() context.Context { return a.ctx }

// Int returns the value of an integer parameter.
func (a Args) Int(name string) int {
	x, err := strconv.Atoi(a.Text(name))
	if err != nil {
		panic(fmt.Sprintf("models: %s=%q is not an integer parameter", name, a.values[name])) // a wrong catalogue, found by its test
	}
	return x
}

// Text returns the value of a parameter with choices or a form.
func (a Args) Text(name string) string {
	a.read[name] = true
	return a.values[name]
}

// Used returns a parameter's value, and whether it has been read.
func (a Args) Used(name string) (value string, read bool) { return a.values[name], a.read[name] }

// Bool reports whether a parameter with the choices yes and no is yes.
func (a Args) Bool(name string) bool { return a.Text(name) == "yes" }

// Expectation states the verdicts known beforehand for one choice of parameters.
// Packets is the verdict on deadlock under store-and-forward and virtual cut-through,
// Worms the one under wormhole switching, where the static decision may stop at
// unknown. Livelock and Delivery do not depend on the switching.
type Expectation struct {
	Set      map[string]string // parameters that differ from their defaults
	Packets  spec.Verdict
	Worms    spec.Verdict
	Livelock spec.Verdict // zero means Holds
	Delivery spec.Verdict // zero means Holds
	Because  string       // the source: an oracle, a theorem, a short argument
}

// Deadlock returns the verdict on deadlock under a switching mode.
func (x Expectation) Deadlock(s spec.Switching) spec.Verdict {
	if s == spec.Wormhole {
		return x.Worms
	}
	return x.Packets
}

// Entry is a model of the catalogue.
type Entry struct {
	Name    string
	Summary string
	Source  string  // author and year
	Params  []Param // of a model that Go describes, see Parameters
	Expect  []Expectation

	Claimed func() []Claim // what its source says and the model finds, made on demand; nil: nothing

	Machines []MachineExpectation // of an entry that is a machine; it has no Expect then

	Build        func(Args) (routing.Definition, error)
	BuildMachine func(Args) (states.Machine, error)

	Fixed Set // values of parameters of the file (see [Protocol]) that the entry does not have: several entries may share a file

	described func() file     // nil if Go describes the model
	ctx       context.Context // see Within
}

// Parameters lists the parameters that can be set.
func (e Entry) Parameters() []Param {
	if e.described == nil {
		return e.Params
	}
	return e.described().params
}

// file is the content of a model's file.
type file struct {
	text   string
	script *star.Script
	params []Param
}

// Within returns the entry with a context that interrupts slow building.
func (e Entry) Within(ctx context.Context) Entry {
	e.ctx = ctx
	return e
}

// MachineExpectation states the verdicts known beforehand for one choice of parameters
// of an entry that is a machine of its own: a protocol. Violated lists the properties
// that do not hold, "deadlock" among them; all others hold.
type MachineExpectation struct {
	Set      map[string]string
	Violated []string
	States   int64 // reachable; 0: not known beforehand
	Because  string
}

// Claims lists what the source says and the model finds.
func (e Entry) Claims() []Claim {
	if e.Claimed == nil {
		return nil
	}
	return e.Claimed()
}

// IsMachine reports whether the entry is a machine of its own, not a network.
func (e Entry) IsMachine() bool { return e.BuildMachine != nil }

// Machine returns the machine for the given parameters, see Define.
func (e Entry) Machine(set map[string]string) (states.Machine, error) {
	args, err := e.Args(set)
	if err != nil {
		return nil, err
	}
	m, err := e.BuildMachine(args)
	if err != nil {
		return nil, e.Named(err)
	}
	return m, nil
}

// Define returns the definition for the given parameters; the others have their
// defaults. Unknown names and values out of range are errors that say which ones are
// valid.
func (e Entry) Define(set map[string]string) (routing.Definition, error) {
	args, err := e.Args(set)
	if err != nil {
		return routing.Definition{}, err
	}
	def, err := e.Build(args)
	if err != nil {
		return routing.Definition{}, e.Named(err)
	}
	def.Source = e.Source
	if def.Name == "" {
		def.Name = e.Name
	}
	return def, nil
}

// Named puts the entry's name before an error, unless the error has a place in a file.
func (e Entry) Named(err error) error {
	var pos *spec.PosError
	if errors.As(err, &pos) {
		return err
	}
	return fmt.Errorf("%s: %w", e.Name, err)
}

// Args checks parameters and fills in the defaults.
func (e Entry) Args(set map[string]string) (Args, error) {
	args := Args{e.ctx, map[string]string{}, map[string]bool{}}
	if e.ctx == nil {
		args.ctx = context.Background()
	}
	params := e.Parameters()
	for _, p := range params {
		args.values[p.Name] = p.Default
	}
	for name, value := range set {
		i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			var names []string
			for _, p := range params {
				names = append(names, p.Name)
			}
			return Args{}, fmt.Errorf("%s: invalid parameter %.40q: want %s%s", e.Name, name, strings.Join(names, ", "), words.Suggestion(name, names))
		}
		if err := params[i].check(value); err != nil {
			return Args{}, fmt.Errorf("%s: %w", e.Name, err)
		}
		args.values[name] = value
	}
	return args, nil
}

// Compiled compiles a program into the machine of an entry; an error is passed on.
func Compiled(p *program.Program, err error) (states.Machine, error) {
	if err != nil {
		return nil, err
	}
	return p.Machine()
}

// Chosen converts the value of a parameter to a type whose values have the given names,
// in order. The choices of the parameter are among them.
func Chosen[T ~uint8 | ~int](a Args, name string, names []string) T {
	return T(slices.Index(names, a.Text(name)))
}

// Integer is a parameter that takes integers from least to most.
func Integer(name string, preset, least, most int, doc string) Param {
	return Param{Name: name, Default: strconv.Itoa(preset), Min: least, Max: most, Doc: doc}
}

// Choice is a parameter that takes one of choices, by default the first.
func Choice(name string, choices []string, doc string) Param {
	return Param{Name: name, Default: choices[0], Choices: choices, Doc: doc}
}

// Set holds the parameters of an expectation that differ from their defaults.
type Set map[string]string
