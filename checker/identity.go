package checker

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/revision"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// contentOf returns what tells apart machines that may step differently: the
// digest of a network with its scenario, or that of a program with the renamings
// that its symmetries come from. Other machines are Go code, which has no digest;
// a type that embeds a program's machine may also step differently.
func contentOf(m states.Machine) (string, error) {
	switch m := m.(type) {
	case *states.Traffic:
		return "network " + m.Name(), nil
	case *program.Machine:
		p := m.Program()
		digest, err := p.Digest()
		if err != nil {
			return "", err
		}
		renamings := sha256.Sum256(fmt.Append(nil, p.Renamings)) // package fmt sorts maps
		return fmt.Sprintf("program %s %x", digest, renamings), nil
	}
	return "", fmt.Errorf("%s is neither a network nor a program: its exploration cannot be saved or resumed", m.Name())
}

// identity is what a checkpoint depends on: everything that changes which states
// are found or how they are flagged. Budgets and workers do not.
func (s *subject) identity() ([]walk.Part, error) {
	content, err := contentOf(s.m)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, q := range s.questions {
		asked = append(asked, q.name)
	}
	if s.q.Liveness {
		for _, r := range s.claims.Responses {
			asked = append(asked, r.Name)
		}
	}
	option := func(name string, on bool) walk.Part {
		return walk.Part{Name: "question (" + name + ")", Value: strconv.FormatBool(on)}
	}
	return []walk.Part{
		{Name: "version of unknot", Value: revision.This()},
		{Name: "machine", Value: content},
		{Name: "question (notion of deadlock)", Value: s.q.Notion.String()},
		option("whole space", s.q.Whole),
		option("liveness", s.q.Liveness),
		option("compact storage", s.q.Compact),
		option("symmetry", s.q.Symmetry),
		option("partial-order reduction", s.q.PartialOrder),
		option("slicing", s.q.Slice || s.unsliced),
		{Name: "question (properties)", Value: fmt.Sprintf("%q", asked)},
	}, nil
}
