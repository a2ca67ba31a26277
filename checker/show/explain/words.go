package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Text says what evidence is, and how it was checked; "" without evidence.
func Text(e evidence.Evidence) string {
	switch e := e.(type) {
	case nil:
		return ""
	case evidence.Certificate:
		return fmt.Sprintf("%s certificate, verified", e.Certificate.Kind)
	case evidence.Trace:
		return fmt.Sprintf("trace of %s from the empty network, replayed", words.Plural(len(e.Moves), "move"))
	case evidence.Run:
		return fmt.Sprintf("trace of %s, replayed", words.Plural(len(e.Steps), "step"))
	case evidence.Count:
		return fmt.Sprintf("count of %s and %s with a digest; unknot-verify --recount or another model checker (unknot "+
			"export) reproduces it", words.Plural(int(e.States), "state"),
			words.Plural(int(e.Transitions), "transition"))
	}
	return e.Shown().By + ", verified"
}

// Packet names a packet by its number, see [Tracker], and by where it goes.
func Packet(number int, dest string) string { return fmt.Sprintf("P%d for %s", number, dest) }

// HeldBy says who is first in a channel that another packet waits for; "" if nobody is: the room that the hop demands
// is not there.
func HeldBy(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf(" (held by P%d)", number)
}

// Showing says what a transcript has below each step.
type Showing uint8

// Below a step stands nothing, what it changes, or the whole state after it.
const (
	StepsOnly Showing = iota
	StepChanges
	WholeStates
)

// Transcript describes a trace or run in sentences, one for each step, with the reasons of hops
// and what is shown below it; nil if e is neither. If there are more than most
// steps, it describes the first and the last ones, and says how many are left out.
func Transcript(e evidence.Evidence, showing Showing, most int) []string {
	changes := showing != StepsOnly
	x, err := Follow(e)
	if err != nil {
		return []string{"it does not replay: " + err.Error()}
	}
	if x == nil {
		return nil
	}
	var lines []string
	digits := len(strconv.Itoa(len(x.Steps))) // so that steps are below each other, and their states
	below := strings.Repeat(" ", digits+len(". "))
	if _, empty := x.Machine.(*states.Traffic); changes && !empty {
		first := x.Machine.Layout().Text(x.initial())
		if showing == WholeStates {
			first = StateText(x.Machine, x.initial())
		}
		lines = append(lines, below+first)
	}
	end := x.initial()
	first, left := most/2, max(0, len(x.Steps)-most)
	tell := func(i int, before, after []uint64) error {
		end = after
		switch {
		case left == 0 || i < first || i >= first+left:
			lines = append(lines, fmt.Sprintf("%*d. %s", digits, i+1, x.Steps[i].Named()))
			switch showing {
			case StepChanges:
				lines = append(lines, below+StepText(x.Machine, before, after, x.Steps[i].choice))
			case WholeStates:
				lines = append(lines, below+StateText(x.Machine, after))
			}
		case i == first:
			lines = append(lines, fmt.Sprintf("... %s left out", words.Plural(left, "step")))
		}
		return nil
	}
	for i := 0; i < len(x.Steps) && !changes; i++ {
		_ = tell(i, nil, nil)
	}
	if changes {
		if err := x.Each(tell); err != nil {
			return []string{"it does not replay: " + err.Error()}
		}
	}
	if x.Ending != "" {
		lines = append(lines, x.Ending)
	}
	r, ok := e.(evidence.Run)
	switch {
	case !ok || !changes:
	case r.Fault == runs.Halt:
		lines = append(lines, Halted(x.Machine, end)...)
	case x.Back >= 0:
		lines = append(lines, PassedOver(x.Machine, r.Run)...)
		lines = append(lines, Resting(x.Machine, r.Run)...)
	case r.Fault == runs.Falsified:
		lines = append(lines, Afterwards(x.Machine, end)...)
	}
	return lines
}

// Heading names the property that evidence is about as people read it. Of a wrong step it says which kind: fail(...) and a
// full FIFO are no numbers that leave their range.
func Heading(property string, e evidence.Evidence) string {
	r, ok := e.(evidence.Run)
	if !ok || property != states.InRange {
		return evidence.Freedom(property)
	}
	pm, ok := r.Machine.(programMachine)
	switch {
	case !ok:
		return property
	case murphi.SourceOf(pm.Program()) != nil:
		return star.InError.String() // an undefined value that is read, error, assert, or a value out of range
	case star.SourceOf(pm.Program()) == nil:
		return property
	}
	through, err := Through(r.Machine, r.Run)
	if err != nil {
		return property
	}
	return cmp.Or(star.SourceOf(pm.Program()).FaultKind(pm.Values(through[len(through)-1])).String(), property)
}

// Below returns what a transcript shows below each step: changes of machines, and nothing of networks.
func Below(machine bool) Showing {
	if machine {
		return StepChanges
	}
	return StepsOnly
}

// WaitFor says who waits for whom at the end of a trace to a deadlock, a
// sentence for each packet, those of a cycle first; nil for other evidence.
func WaitFor(e evidence.Evidence) []string {
	t, ok := e.(evidence.Trace)
	if !ok || t.Fault != counterexamples.Deadlock {
		return nil
	}
	waiting, err := Waits(t)
	if err != nil {
		return []string{"it does not replay: " + err.Error()}
	}
	topo := t.Network.Topology()
	var lines []string
	for _, w := range waiting {
		var holds, waits []string
		for _, c := range w.Holds {
			holds = append(holds, topo.ChannelName(c))
		}
		packet := Packet(w.Packet, topo.Node(w.Site.Header.Dest).Name)
		line := packet + " holds " + strings.Join(holds, ", ") + t.Network.CommitmentText(w.Site)
		for _, want := range w.For {
			why := t.Network.Reason(w.Site, want.Hop).Clause()
			waits = append(waits, topo.ChannelName(want.Hop.Channel)+HeldBy(want.Holder)+why)
		}
		if w.Behind > 0 {
			line += fmt.Sprintf(" behind P%d in %s", w.Behind, topo.ChannelName(w.Site.Channel))
		} else {
			line += " and waits for " + strings.Join(waits, " and for ")
		}
		lines = append(lines, line)
	}
	return lines
}
