package changes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Bound is evidence that a change needs so many rounds, whichever routers each rewrites: fewer do not do. Its traces show
// which sets of routers cannot be rewritten next after which others. More rounds than routers differ are needed if no
// change in rounds does.
type Bound struct {
	Network spec.Digest // of the pair
	Manner
	Rounds int
	Traces []*Trace
}

// MostDiffering bounds the routers that differ: the check looks at all their sets.
const MostDiffering = 12

// Verify replays the traces, and follows all changes in fewer rounds by the sets of routers that have been rewritten. It
// takes 3^n steps for n routers whose tables differ. A nil error is the only acceptance.
//
// Soundness: a round is unsafe if a trace of it is replayed. Routers with the same row for both tables at each place may
// be rewritten at any time and change nothing, so a round is known by the others in it. A set that is reached in some
// rounds leads in one more to each larger one, unless a trace shows that round unsafe; if the set of all is not among
// those reached in fewer rounds, each such change has an unsafe round. Not covered: what [Replay] does not cover, and that
// so many rounds do.
func (b *Bound) Verify(n *spec.Network) error {
	p, err := NewPair(n)
	if err != nil {
		return err
	}
	if b.Network != n.Digest() {
		return fmt.Errorf("the bound is for another network: %s, not %s", b.Network, n.Digest())
	}
	if n := len(p.Differing()); n > MostDiffering {
		return fmt.Errorf("the tables of %d routers differ: want at most %d", n, MostDiffering)
	}
	for i, t := range b.Traces {
		if t.Manner != b.Manner {
			return fmt.Errorf("trace %d is of another change: %s", i+1, t.Manner)
		}
		if err := Replay(n, t); err != nil {
			return fmt.Errorf("trace %d: %w", i+1, err)
		}
	}
	return b.Follow(p)
}

// Follow is Verify for traces that have been replayed, of a pair with few routers that differ.
func (b *Bound) Follow(p *Pair) error {
	differ := p.Differing()
	set := func(nodes []spec.NodeID) (s uint32) {
		for _, v := range nodes {
			if i, is := slices.BinarySearch(differ, v); is {
				s |= 1 << i
			}
		}
		return s
	}
	unsafe := map[[2]uint32]bool{} // by routers rewritten before, and now
	for _, t := range b.Traces {
		unsafe[[2]uint32{set(t.Before), set(t.Now)}] = true
	}
	if b.Rounds < 1 || b.Rounds > len(differ)+1 {
		return fmt.Errorf("%d rounds: want 1 to %d", b.Rounds, len(differ)+1)
	}
	full := uint32(1)<<len(differ) - 1
	reached := make([]bool, full+1)
	reached[0] = true
	for round := range b.Rounds {
		if reached[full] {
			return fmt.Errorf("no trace shows that %d rounds do not do", round)
		}
		before := slices.Clone(reached)
		for s := range full + 1 {
			for now := full &^ s; now > 0 && before[s]; now = (now - 1) & (full &^ s) {
				reached[s|now] = reached[s|now] || !unsafe[[2]uint32{s, now}]
			}
		}
	}
	return nil
}

// Differing returns the routers that have different rows for old and new tables somewhere, ascending.
func (p *Pair) Differing() []spec.NodeID {
	topo := p.n.Topology()
	differs := make([]bool, topo.Nodes())
	for i := range p.n.Tables() {
		a := p.n.Stored(i)
		if a.Class >= p.after {
			continue
		}
		b := p.other(a.Target)
		for k, s := range a.Sources {
			differs[s.Node] = differs[s.Node] || s.Row != b.Sources[k].Row
		}
		for k, r := range a.Rows {
			if r != b.Rows[k] {
				differs[topo.Head(a.Channels[k])] = true
			}
		}
	}
	var nodes []spec.NodeID
	for v, is := range differs {
		if is {
			nodes = append(nodes, spec.NodeID(v))
		}
	}
	return nodes
}

// The written form of a bound is text, one field a line in this order, followed by the written form of each trace.
//
//	unknot-change-bound 1
//	network DIGEST
//	packets looked-up-again|committed
//	rewriting ends|may-stall
//	rounds COUNT
//	end
const boundLine = "unknot-change-bound 1"

// ReadBound reads the written form. Errors are *spec.PosError with the given file name.
func ReadBound(file string, text []byte) (*Bound, error) {
	const last = "\nend\n"
	head, rest, _ := bytes.Cut(text, []byte(last))
	l := lines.New(file, io.MultiReader(bytes.NewReader(head), strings.NewReader(last)), boundLine)
	b := &Bound{Network: l.Network(), Manner: readManner(l)}
	b.Rounds = l.Number(l.Field("rounds"), 1, math.MaxInt32)
	if _, err := lines.End(l, b); err != nil {
		return nil, err
	}
	for line := bytes.Count(head, []byte("\n")) + 2; len(rest) > 0; {
		one := rest
		if i := bytes.Index(rest, []byte(last)); i >= 0 {
			one = rest[:i+len(last)]
		}
		t, err := ReadTrace(file, bytes.NewReader(one))
		if at := new(spec.PosError); errors.As(err, &at) {
			at.Line += line
		}
		if err != nil {
			return nil, err
		}
		b.Traces, rest = append(b.Traces, t), rest[len(one):]
		line += bytes.Count(one, []byte("\n"))
	}
	return b, nil
}

// Write writes the written form, with the comments of each trace.
func (b *Bound) Write(w io.Writer, n *spec.Network) error {
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s\nnetwork %s\n", boundLine, b.Network)
	writeManner(&head, b.Manner)
	fmt.Fprintf(&head, "rounds %d\nend\n", b.Rounds)
	_, err := w.Write(head.Bytes())
	for _, t := range b.Traces {
		if err == nil {
			err = t.Write(w, t.Comments(n))
		}
	}
	return err
}

// Comments returns the comments of all traces.
func (b *Bound) Comments(n *spec.Network) (all []string) {
	for _, t := range b.Traces {
		all = append(all, t.Comments(n)...)
	}
	return all
}
