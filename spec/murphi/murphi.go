// Package murphi, internal to unknot, reads protocols in the language of Murphi, as CMurphi 5.4 and Rumur have it, as programs
// (package program).
//
// A file goes through four hands: scan.go cuts it into tokens, parse.go makes a syntax tree, check.go gives names
// and types a meaning, and build.go translates each rule, for each value of its rulesets, into a guarded command,
// with evaluate.go for expressions, execute.go for statements, multiset.go and assume.go.
//
// Every simple value, also of the elements of arrays and the fields of records, becomes a variable. One that can be
// undefined has one value more, 0, and the others are counted from 1. Which can be is found by translating until
// nothing changes: a variable can be undefined if a startstate leaves it so, or a statement makes it so. Reading
// an undefined value, an index out of range, a value that does not fit its variable, error and a failing assert are
// steps that are wrong, as fail in a protocol file is: the property states.InRange is violated.
//
// Literature: Dill, Drexler, Hu, Yang, "Protocol verification as a hardware design aid" (1992), and the manuals of
// CMurphi and Rumur for the language; Ip and Dill, "Better verification through symmetry" (1996) for scalarsets.
package murphi

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// MostBytes is how long a file can be.
const MostBytes = 1 << 20

// Is reports whether a text looks like a protocol in Murphi, not in another language whose files end alike: one of
// its words is startstate.
func Is(text []byte) bool {
	tokens, _, err := scan("", text)
	return err == nil && slices.ContainsFunc(tokens, func(t token) bool { return t.kind == keyword && t.text == "startstate" })
}

// Load reads a file. Its name is used in positions, and as the name of the program. Errors are *spec.PosError, or the
// error of ctx. Time and memory are bounded.
func Load(ctx context.Context, file string, text []byte) (p *program.Program, err error) {
	if len(text) > MostBytes {
		return nil, wrong(file, position{1, 1}, "a file of %d bytes: at most %d are read", len(text), MostBytes)
	}
	tokens, expects, err := scan(file, text)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *spec.PosError:
			p, err = nil, fault
		case interrupted:
			p, err = nil, fault.cause
		default:
			panic(fault)
		}
	}()
	m := (&parser{file: file, tokens: tokens}).model()
	c := newChecker(file)
	c.model(m)
	name := strings.TrimSuffix(filepath.Base(file), ".m")
	p = build(ctx, file, spec.Printable(name), c, m)
	if err := expect(file, p, expects); err != nil {
		return nil, err
	}
	p.Source = &Source{p, c.globals}
	return p, nil
}

// interrupted ends a translation by a panic.
type interrupted struct{ cause error }
