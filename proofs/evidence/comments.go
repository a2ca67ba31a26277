package evidence

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Some evidence repeats in names what its numbers say: a trace and a cycle behind "#", a run
// in lines "state ...". A reader looks at nothing else, so a check that ignored them would let
// a file claim anything. Each may be left out; otherwise it must be what is written here.

// Comments returns what a trace says behind "#", an entry for its site, if it has one, and one for each move.
// The trace must replay.
func (e Trace) Comments() (all []string) {
	topo := e.Network.Topology()
	switch e.Fault {
	case counterexamples.DeadEnd, counterexamples.Unrouted, counterexamples.Trap:
		all = append(all, oneLine(topo.ChannelName(e.Site.Channel)))
	}
	for _, m := range e.Moves {
		if m.Kind == spec.Consume {
			all = append(all, oneLine(topo.Node(topo.Head(m.From)).Name))
			continue
		}
		all = append(all, fmt.Sprintf("for %s: %s -> %s", oneLine(topo.Node(m.Header.Dest).Name),
			oneLine(topo.ChannelName(m.From)), oneLine(topo.HopName(m.Hop))))
	}
	return all
}

// Comments returns what a cycle says behind "#", an entry for each site. The sites must exist.
func (e Cycle) Comments() (all []string) {
	topo := e.Network.Topology()
	for _, s := range e.Sites {
		all = append(all,
			fmt.Sprintf("for %s in %s", oneLine(topo.Node(s.Header.Dest).Name), oneLine(topo.ChannelName(s.Channel))))
	}
	return all
}

// Comments returns what a run says in its lines "state ...": the initial state, then what each step changes.
func (e Run) Comments(ctx context.Context) (all []string, err error) {
	layout, before := e.Machine.Layout(), []uint64(nil)
	_, err = e.Walk(ctx, e.Machine, func(_ int, s []uint64) error {
		text := layout.Text(s)
		if before != nil {
			text = states.ChangesText(states.Changes(layout, before, s))
		}
		all, before = append(all, oneLine(text)), slices.Clone(s)
		return nil
	})
	return all, err
}

// oneLine keeps a comment on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkComments refuses comments that say something else than the evidence, which has been verified.
// Errors are *spec.PosError.
func checkComments(ctx context.Context, file string, text []byte, e Evidence) (err error) {
	var want []string
	switch e := e.(type) {
	case Trace:
		want = e.Comments()
	case Cycle:
		want = e.Comments()
	case ChangeTrace:
		want = e.Comments(e.Network)
	case ChangeBound:
		want = e.Comments(e.Network)
	case Run:
		if !bytes.Contains(text, []byte("\nstate ")) {
			return nil
		}
		if want, err = e.Comments(ctx); err != nil {
			return err
		}
	default: // has none
		return nil
	}
	_, run := e.(Run)
	items := []string{"site ", "move ", "follow ", "finish ", "consume ", "rewrite "}
	next, number := 0, 0 // the entry to come; the line
	refuse := func(col int, given, want string) error {
		return &spec.PosError{File: file, Line: number, Col: col, Msg: fmt.Sprintf(
			"the comment says %.200q: want %.200q, as the numbers say", given, want)}
	}
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch given, is := strings.CutPrefix(line, "state "); {
		case run && is && (next == len(want) || given != want[next]):
			return refuse(len("state ")+1, given, strings.Join(want[min(next, len(want)):min(next+1, len(want))], ""))
		case run && is:
			want[next] = "" // a second line of this state is refused
		case run && strings.HasPrefix(line, "step "):
			next++
		case !run && slices.ContainsFunc(items, func(name string) bool { return strings.HasPrefix(line, name) }):
			if _, given, is := strings.Cut(line, "#"); is && given != " "+want[next] {
				return refuse(strings.IndexByte(line, '#')+1, given, want[next])
			}
			next++
		}
	}
	return nil
}
