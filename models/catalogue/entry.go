// Package catalogue, internal to unknot, defines how a model describes itself: its parameters with
// their ranges, its source, the expected verdicts, and the claims of the source. So the checker
// checks the models, and the models check the checker.
//
// # Entries and claims are files
//
// A family of models has a file FAMILY.entries, and FAMILY.claims if its source says something; Go only builds what
// they describe, see [Read]. A file is stanzas with an empty line between them. A line is KEY: TEXT; an indented line
// continues the text above, with one space between them; a line that begins with # is a comment.
//
//	network: ring
//	summary: rings: one-way, dateline, position (cA, cH), two-way
//	source: Dally and Seitz 1987; Duato 1993
//	param: n = 4 (2..16384): nodes
//	param: variant = one-way (one-way|dateline|position): VCs and their use
//
//	expect: n=5 variant=two-way
//	violated: deadlock-freedom
//	because: five packets two hops from home
//
// An entry begins with network: or machine:, and its expectations follow. A parameter has its default and, in
// parentheses, its range: least and most, choices, or the form of a text ([Param]). A model that a file in Starlark
// describes has the parameters of that file, except for those that the entry sets for good with fixed: NAME=VALUE.
//
// An expectation names the parameters that differ from their defaults, or says defaults. The properties listed behind
// violated: and unknown:, with commas between them, have that verdict, and all others hold. Those of a network are
// deadlock-freedom (of whole packets, of packets of any length, if the two differ), livelock-freedom and delivery; a machine has its own,
// and states: the number of its reachable states, if it is known beforehand. because: is an oracle, a theorem, or a
// short argument, never the program's own output.
//
//	model: p3
//
//	said: 3
//	sentence: so the distance between the regions of the PEs on the way and the target coordinate of the packet
//	  never increases
//
//	claim: The distance between region and target never increases (8 x 8, 500 moves, all targets)
//	command: ask p3 distance-grows --set columns=8 --set rows=8 --set moves=500
//	verdict: holds
//	finding: confirmed: the edge crossed contains the nearest point, and belongs to the neighbour, too
//
// Claims stand below their model:, and below said: with the section and the sentence of the source that makes them,
// in translation, or below ours: if the source does not say it. The verdict is that of a property of the command's
// subject, as in verdict: deadlock-freedom holds; the answer to a question has a verdict alone. refuted-if: is the
// reading of the sentence under which it is false, varied: what changes nothing, as in varied: link=1; link=4 keys=2;
// see [Claim].
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
			return fmt.Errorf("invalid %s %.40q: want one of %s%s", p.Name, value, strings.Join(p.Choices, ", "),
				words.Suggestion(value, p.Choices))
		}
		return nil
	}
	if p.Form != "" {
		const longest = 1 << 16
		if len(value) > longest {
			return fmt.Errorf("invalid %s of %d characters: want at most %d", p.Name, len(value), longest)
		}
		// A device may have no end, a pipe no writer.
		if info, err := os.Stat(value); p.IsFile() && err == nil && !info.Mode().IsRegular() {
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

// Context interrupts long computations, see [Entry.WithContext].
func (a Args) Context() context.Context { return a.ctx }

// Int returns the value of an integer parameter.
func (a Args) Int(name string) int {
	x, err := strconv.Atoi(a.Text(name))
	if err != nil {
		// A wrong catalogue, found by its test.
		panic(fmt.Sprintf("models: %s=%q is not an integer parameter", name, a.values[name]))
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
	Livelock spec.Verdict
	Delivery spec.Verdict
	Because  string // the source: an oracle, a theorem, a short argument
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
	Claimed func() []Claim   // what its source says and the model finds, read on demand; nil: nothing
	LeftOut func() []LeftOut // what else its source says; nil: nothing is listed

	Build        func(Args) (routing.Definition, error)
	BuildMachine func(Args) (states.Machine, error)

	described func() Description // see Read; nil: nothing is said
	written   func() file        // nil if Go describes the model
	source    Source             // of a file that describes the model, or stands beside its paper
	beside    bool               // see WithFile
	ctx       context.Context    // see Within
}

// Description is what an entry's file says of a model.
type Description struct {
	Summary string
	Source  string  // author and year
	Params  []Param // of a model that Go describes, see [Entry.Parameters]
	// Fixed are the values of those parameters of its file (see [Protocol]) that the entry does not have: several
	// entries may share a file.
	Fixed Set

	Expect   []Expectation        // of a network
	Machines []MachineExpectation // of a machine
}

// Described returns what the entry's file says, which it reads when first asked.
func (e Entry) Described() Description {
	if e.described == nil {
		return Description{}
	}
	return e.described()
}

// Parameters lists the parameters that can be set.
func (e Entry) Parameters() []Param {
	if e.written == nil {
		return e.Described().Params
	}
	return e.written().params
}

// file is the content of a model's file.
type file struct {
	text   string
	script *star.Script
	params []Param
}

// WithContext returns the entry with a context that interrupts slow building.
func (e Entry) WithContext(ctx context.Context) Entry {
	e.ctx = ctx
	return e
}

// MachineExpectation states the verdicts known beforehand for one choice of parameters
// of an entry that is a machine of its own: a protocol. Violated lists the properties
// that do not hold, "deadlock-freedom" among them; all others hold.
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
	def.Origin = e.Described().Source
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
			want := strings.Join(names, ", ") + words.Suggestion(name, names)
			return Args{}, fmt.Errorf("%s: invalid parameter %.40q: want %s", e.Name, name, want)
		}
		if err := params[i].check(value); err != nil {
			return Args{}, fmt.Errorf("%s: %w", e.Name, err)
		}
		args.values[name] = value
	}
	return args, nil
}

// BuiltBy completes the entry of a network that Go describes.
func (e Entry) BuiltBy(build func(Args) (routing.Definition, error)) Entry {
	e.Build = build
	return e
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
	i := slices.Index(names, a.Text(name))
	if i < 0 {
		// A wrong catalogue, found by its test.
		panic(fmt.Sprintf("models: %s=%q has no value in Go", name, a.values[name]))
	}
	return T(i)
}

// Set holds the parameters of an expectation that differ from their defaults.
type Set map[string]string
