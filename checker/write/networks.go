// Package write, internal to unknot, writes evidence for its checkers to read: each form is
// described where it is read, in packages proofs and counterexamples and those below them. Each is
// written in one way only.
package write

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

const perLine = 32 // numbers of a certificate, cases of a table

// Certificate writes a certificate.
func Certificate(w io.Writer, c *proofs.Certificate) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "unknot-certificate 2\nnetwork %s\nproperty %s\nswitching %s\nkind %s\n",
		c.Network, c.Property, c.Switching, c.Kind)
	if len(c.Once) > 0 {
		var flows []int32
		for _, f := range c.Once {
			flows = append(flows, int32(f.Source), int32(f.Target.Dest), int32(f.Target.Class))
		}
		list(b, "once", flows)
	}
	for _, l := range []struct {
		name    string
		numbers []int32
	}{{"rank", c.Rank}, {"held", c.Held}, {"measure", c.Measure}} {
		list(b, l.name, l.numbers)
	}
	b.WriteString("end\n")
	return b.Flush()
}

// list writes numbers as lines.Reader.List reads them.
func list[N ~int32](b *bufio.Writer, name string, numbers []N) {
	fmt.Fprintf(b, "%s %d\n", name, len(numbers))
	for i, x := range numbers {
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(x), 10))
		end := byte(' ')
		if (i+1)%perLine == 0 || i == len(numbers)-1 {
			end = '\n'
		}
		b.WriteByte(end)
	}
}

// Bubbles writes a certificate of bubbles.
func Bubbles(w io.Writer, c *bubbles.Certificate) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "unknot-bubbles 1\nnetwork %s\nscenario %s\n", c.Network, c.Scenario())
	list(b, "levels", c.Levels)
	fmt.Fprintf(b, "sets %d\n", len(c.Sets))
	for _, s := range c.Sets {
		fmt.Fprintf(b, "free %d\n", s.Free)
		list(b, "channels", s.Channels)
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Unsatisfiability writes an unsatisfiability proof.
func Unsatisfiability(w io.Writer, r *unsat.Proof) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-unsatisfiability-proof 2\nnetwork %s\n", r.Network)
	if r.Under != nil {
		fmt.Fprintf(b, "scenario %s\n", r.Under)
	}
	if r.Bound.Of != unsat.Unbounded {
		fmt.Fprintf(b, "%s %d\n", r.Bound.Of, r.Bound.Most)
	}
	for _, step := range r.Steps {
		switch {
		case step.Clause:
			b.WriteString("clause")
		case step.Condition:
			b.WriteString("condition")
		default:
			b.WriteString("sites")
		}
		for i, list := range append([][]int32{step.List}, step.Sum...) {
			if i > 0 {
				b.WriteString(" some")
			}
			for _, x := range list {
				fmt.Fprintf(b, " %d", x)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Trace writes a trace, with comments in the names of n.
func Trace(w io.Writer, n *spec.Network, t *counterexamples.Trace) error {
	return traceWith(w, t, evidence.Trace{Network: n, Trace: t}.Comments())
}

// Sharing writes evidence that message classes must not share, with traces without comments.
func Sharing(w io.Writer, e evidence.Sharing) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-sharing 1\nnetwork %s\nsets %d\n", e.Of, e.Sets)
	for _, x := range e.Tags {
		fmt.Fprintf(b, "tags %d %d %d %d\n", x.Class, x.First, x.Last, x.Message)
	}
	for _, s := range e.Cases {
		b.WriteString("case")
		for _, set := range s.Sets {
			fmt.Fprintf(b, " %d", set)
		}
		b.WriteByte('\n')
	}
	b.WriteString("end\n")
	for _, s := range e.Cases {
		if err := traceWith(b, s.Trace, nil); err != nil {
			return err
		}
	}
	return b.Flush()
}

// traceWith writes a trace with comments for its site and moves, or without any.
func traceWith(w io.Writer, t *counterexamples.Trace, comments []string) error {
	b := bufio.NewWriter(w)
	comment := func() (text string) {
		if len(comments) > 0 {
			text, comments = " # "+comments[0], comments[1:]
		}
		return text
	}
	fmt.Fprintf(b, "unknot-trace 2\nnetwork %s\nproperty %s\nfault %s\n", t.Network, t.Property, t.Fault)
	switch t.Fault {
	case counterexamples.Deadlock:
		b.WriteString("stuck")
		for _, c := range t.Stuck {
			fmt.Fprintf(b, " %d", c)
		}
		b.WriteByte('\n')
		if t.Notion != counterexamples.Local {
			fmt.Fprintf(b, "notion %s\n", t.Notion)
		}
	case counterexamples.Loop:
		fmt.Fprintf(b, "back %d\n", t.Back)
	case counterexamples.DeadEnd, counterexamples.Unrouted, counterexamples.Trap:
		h := t.Site.Header
		fmt.Fprintf(b, "site %d %d %d %d%s\n", t.Site.Channel, h.Dest, h.Class, h.Tag, comment())
	}
	if sc := t.Scenario.Steps(); !sc.Equal(spec.Scenario{}) {
		fmt.Fprintf(b, "scenario %s\n", sc)
	}
	for _, m := range t.Moves {
		if m.Kind == spec.Consume {
			fmt.Fprintf(b, "consume %d%s\n", m.From, comment())
			continue
		}
		fmt.Fprintf(b, "%s %d %d %d %d -> %d %d%s\n", moveNames[m.Kind], m.From, m.Header.Dest, m.Header.Class,
			m.Header.Tag, m.Hop.Channel, m.Hop.Tag, comment())
	}
	b.WriteString("end\n")
	return b.Flush()
}

var moveNames = [...]string{spec.Advance: "move", spec.Follow: "follow", spec.Finish: "finish"}
