package explore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/revision"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What is saved of a machine, and sent to other computers.

// Identity is what tells apart machines that may step differently, in this version of unknot or another: the
// digest of a network with its scenario, or that of a program with the renamings
// that its symmetries come from. Other machines are Go code, which has no digest;
// a type that embeds a program's machine may also step differently.
func Identity(m states.Machine) ([]walk.Part, error) {
	content := ""
	switch m := m.(type) {
	case *states.Traffic:
		content = "network " + m.Name()
	case *program.Machine:
		p := m.Program()
		digest, err := p.Digest()
		if err != nil {
			return nil, err
		}
		renamings := sha256.Sum256(fmt.Append(nil, p.Renamings, p.Generators)) // package fmt sorts maps
		content = fmt.Sprintf("program %s %x", digest, renamings)
	default:
		return nil, fmt.Errorf("%s is neither a network nor a program: its exploration cannot be saved or resumed",
			m.Name())
	}
	return []walk.Part{{Name: "version of unknot", Value: revision.This()}, {Name: "machine", Value: content}}, nil
}

// Claimed keeps the claims among some properties; all, if there are none.
func Claimed(c states.Claims, properties []string) states.Claims {
	if len(properties) == 0 {
		return c
	}
	c.Invariants = slices.DeleteFunc(slices.Clone(c.Invariants), func(v states.Invariant) bool {
		return !slices.Contains(properties, cmp.Or(v.Cover, v.Name))
	})
	c.Responses = slices.DeleteFunc(slices.Clone(c.Responses), func(r states.Response) bool {
		return !slices.Contains(properties, r.Name)
	})
	c.Formulas = slices.DeleteFunc(slices.Clone(c.Formulas), func(f states.Formula) bool {
		return !slices.Contains(properties, f.Name)
	})
	return c
}

// shipped is a machine as other computers read it.
type shipped struct {
	Identity   []walk.Part // of the machine, then of what else is asked
	Closed     []byte      // form of the network or program
	Scenario   spec.Scenario
	Properties []string
}

// Ship writes a machine that has an identity for [ReadShipped].
func Ship(m states.Machine, identity []walk.Part, properties []string) ([]byte, error) {
	q := shipped{Identity: identity, Properties: properties}
	var b bytes.Buffer
	var err error
	if t, ok := m.(*states.Traffic); ok {
		q.Scenario = t.Scenario()
		err = spec.WriteClosed(&b, t.Network())
	} else {
		plain := *m.(*program.Machine).Program()
		plain.Renamings, plain.Generators = nil, nil // the closed form has none, and a cluster asks for none
		q.Identity, err = sameBut(&plain, identity)
		err = errors.Join(err, program.WriteClosed(&b, &plain))
	}
	if err != nil {
		return nil, err
	}
	q.Closed = b.Bytes()
	return json.Marshal(q)
}

// sameBut returns an identity for another program.
func sameBut(p *program.Program, identity []walk.Part) ([]walk.Part, error) {
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	of, err := Identity(m)
	return append(of, identity[len(of):]...), err
}

// ReadShipped prepares the walk of all states of a machine that [Ship] wrote on another computer. Errors name the file.
func ReadShipped(ctx context.Context, file string, text []byte) (*Walk, error) {
	var q shipped
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, &walk.CheckpointError{File: file, Msg: "cannot be read: " + err.Error()}
	}
	of, err := evidence.Read(ctx, file, q.Closed)
	if err != nil {
		return nil, err
	}
	m := of.Machine
	if of.Network != nil {
		if m, err = states.NewTraffic(of.Network, q.Scenario); err != nil {
			return nil, err
		}
	}
	identity, err := Identity(m)
	if err != nil {
		return nil, err
	}
	if other := walk.Other(identity, q.Identity[:min(len(identity), len(q.Identity))]); other != "" {
		return nil, &walk.CheckpointError{
			File: file,
			Msg:  "is for another " + other + " than this computer makes of it",
		}
	}
	if t, ok := m.(*states.Traffic); ok {
		return Traffic(ctx, t, Reductions{})
	}
	return Machine(m, func(c states.Claims) states.Claims { return Claimed(c, q.Properties) }), nil
}
