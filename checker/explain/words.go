package explain

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Text says what evidence is, and how it was checked; "" without evidence.
func Text(e evidence.Evidence) string {
	switch e := e.(type) {
	case nil:
		return ""
	case evidence.Certificate:
		return fmt.Sprintf("%s certificate, verified", e.Certificate.Kind)
	case evidence.Trace:
		return fmt.Sprintf("trace of %s from the empty network, replayed", Plural(len(e.Moves), "move"))
	case evidence.Run:
		return fmt.Sprintf("run of %s, replayed", Plural(len(e.Steps), "step"))
	case evidence.Count:
		return fmt.Sprintf("count of %s and %s with a digest; unknot-verify --recount or another engine (unknot export) reproduces it", Plural(int(e.States), "state"), Plural(int(e.Transitions), "transition"))
	}
	return e.Shown().By + ", verified"
}

// Plural counts things: "1 step", "2 steps", "2 switches", "2 dependencies".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, y := strings.CutSuffix(what, "cy"); y {
		return fmt.Sprintf("%d %scies", n, stem)
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Blocking says that n things block each other, or one blocks itself: "2 messages block each other".
func Blocking(n int, what string) string {
	if n == 1 {
		return "1 " + what + " blocks itself"
	}
	return Plural(n, what) + " block each other"
}

// CouldBlock says that n things could block each other, or one could block itself, though no trace leads there.
func CouldBlock(n int, what, how string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s could block itself%s, but no trace to that state was found", what, how)
	}
	return fmt.Sprintf("%s could block each other%s, but no order was found that brings them there one by one", Plural(n, what), how)
}

// Transcript describes a trace or run in sentences, one for each step, with the reasons of hops
// and, if changes, what each step changes; nil if e is neither. If there are more than most
// steps, it describes the first and the last ones, and says how many are left out.
func Transcript(e evidence.Evidence, changes bool, most int) []string {
	x, err := Follow(e)
	if err != nil {
		return []string{"it does not replay: " + err.Error()}
	}
	if x == nil {
		return nil
	}
	var lines []string
	if _, empty := x.Machine.(*states.Traffic); changes && !empty {
		lines = append(lines, "   "+x.Machine.Layout().Text(x.first()))
	}
	first, left := most/2, max(0, len(x.Steps)-most)
	tell := func(i int, before, after []uint64) error {
		switch {
		case left == 0 || i < first || i >= first+left:
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, x.Steps[i].Text))
			if changes {
				lines = append(lines, "   "+ChangesText(Changes(x.Machine.Layout(), before, after)))
			}
		case i == first:
			lines = append(lines, fmt.Sprintf("... %s left out", Plural(left, "step")))
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
	return lines
}

// moveText describes a move.
func moveText(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	if m.Kind != spec.Advance {
		return follower(n, m)
	}
	line := "packet for " + topo.Node(m.Header.Dest).Name
	switch {
	case m.From.IsInjection() && m.Hop.Channel == spec.Eject:
		line += " leaves at once at " + topo.Node(topo.Head(m.From)).Name
	case m.From.IsInjection():
		line += fmt.Sprintf(" enters at %s into %s", topo.Node(topo.Head(m.From)).Name, topo.ChannelName(m.Hop.Channel))
	case m.Hop.Channel == spec.Eject:
		line += fmt.Sprintf(" leaves %s at %s", topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
	default:
		line += fmt.Sprintf(" moves from %s to %s", topo.ChannelName(m.From), topo.ChannelName(m.Hop.Channel))
	}
	return line + by(n, spec.Site{Channel: m.From, Header: m.Header}, m.Hop)
}

// ending describes what the last state of a trace shows.
func ending(t evidence.Trace) string {
	topo := t.Network.Topology()
	switch t.Fault {
	case counterexamples.Loop:
		return fmt.Sprintf("and so on from move %d", t.Back+1)
	case counterexamples.DeadEnd:
		return fmt.Sprintf("at %s the routing function returns no hop towards %s", topo.Node(topo.Head(t.Site.Channel)).Name, topo.Node(t.Site.Header.Dest).Name)
	case counterexamples.Trap:
		return "from there it can move, but never arrive"
	case counterexamples.Unrouted:
		return fmt.Sprintf("at %s the routing function returns no first hop towards %s", topo.Node(topo.Head(t.Site.Channel)).Name, topo.Node(t.Site.Header.Dest).Name)
	case counterexamples.Misdelivery:
		return "that is not its destination"
	}
	return ""
}

func follower(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	switch {
	case m.Kind == spec.Consume:
		return fmt.Sprintf("the sink of %s consumes a packet", topo.Node(topo.Head(m.From)).Name)
	case m.Kind == spec.Finish:
		return fmt.Sprintf("the message for %s that enters %s ends", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.From.IsInjection():
		return fmt.Sprintf("the next flit for %s enters into %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.Hop.Channel == spec.Eject:
		return fmt.Sprintf("the next flit for %s leaves %s at %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
	}
	return fmt.Sprintf("the next flit for %s follows from %s to %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.ChannelName(m.Hop.Channel))
}

// WaitFor says who waits for whom at the end of a trace to a circular wait, a
// sentence for each packet, those of a cycle first; nil for other evidence.
func WaitFor(e evidence.Evidence) []string {
	t, ok := e.(evidence.Trace)
	if !ok || t.Fault != counterexamples.CircularWait {
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
		line := fmt.Sprintf("packet for %s holds %s", topo.Node(w.Site.Header.Dest).Name, strings.Join(holds, ", "))
		for _, want := range w.For {
			waits = append(waits, topo.ChannelName(want.Hop.Channel)+by(t.Network, w.Site, want.Hop))
		}
		if w.Behind > 0 {
			line += " behind the first packet of " + topo.ChannelName(w.Site.Channel)
		} else {
			line += " and waits for " + strings.Join(waits, " and for ")
		}
		lines = append(lines, line)
	}
	return lines
}

func by(n *spec.Network, s spec.Site, h spec.Hop) string {
	if why := n.Reason(s, h); why != "" {
		return ", by " + why
	}
	return ""
}
