package studies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// peach2Cables is a cluster in which routes do not matter. A cable that joins two
// ports of one role is an answer, not an error.
func peach2Cables(a catalogue.Args) (peach2Cabling, error) {
	if a.Text("registers") != "" {
		c, err := peach2.ClusterOf(a)
		return peach2Cabling{c, nil}.or(err)
	}
	o, err := peach2.BoardsOf(a)
	if err != nil {
		return peach2Cabling{}, err
	}
	c, err := peach2.Generate(o)
	return peach2Cabling{c, nil}.or(err)
}

type peach2Cabling struct {
	*peach2.Cluster
	wrong *peach2.RoleError // instead of a cluster
}

// or takes the error for a part of the cabling if it is about roles.
func (c peach2Cabling) or(err error) (peach2Cabling, error) {
	if errors.As(err, &c.wrong) {
		return c, nil
	}
	return c, err
}

// peach2Tied are rings whose rule for ties is left open.
func peach2Tied(a catalogue.Args) (peach2.Options, error) {
	if name := a.Text("registers"); name != "" {
		return peach2.Options{}, fmt.Errorf("registers=%.40s: the question is about generated rings, and a file has one routing", name)
	}
	return peach2.RingsOf(a)
}

// peach2Waits are the buffers of a cluster, and what passes what in them.
type peach2Waits struct {
	*peach2.Cluster
	peach2.WaitsOptions
}

func peach2Waited(a catalogue.Args) (peach2Waits, error) {
	c, err := peach2.ClusterOf(a)
	return peach2Waits{c, peach2WaitsOptions(a)}, err
}

func peach2WaitsOptions(a catalogue.Args) peach2.WaitsOptions {
	o := peach2.WaitsOptions{Reads: peach2.ReadsOf(a)}
	if o.Reads != peach2.NoReads {
		o.Ordering = peach2.OrderingOf(a)
	}
	return o
}

// peach2Bounded is a cluster and a number of cables to compare with.
type peach2Bounded struct {
	*peach2.Cluster
	hops int
}

func peach2Hops(a catalogue.Args) (peach2Bounded, error) {
	c, err := peach2.ClusterOf(a)
	return peach2Bounded{c, a.Int("hops")}, err
}

func peach2Questions() []Question {
	return []Question{
		{"addresses", "every address of the window takes one port at every board and gets to its own device", about(peach2.ClusterOf, answerAddresses)},
		{"links", "every cable joins a root complex and an endpoint", about(peach2Cables, answerLinks)},
		{"ties", "some rule for ties frees minimal routing with one buffer class", about(peach2Tied, answerTies)},
		{"routings", "of rings of 3 to 7 boards, no routing by address that is free with one buffer class has shorter ways than cut-board", about(nothing, answerRoutings)},
		{"waits", "no buffers wait for each other in a cycle, waits by the ordering rules included", about(peach2Waited, answerWaits)},
		{"hops", "no way has more than so many cables (parameter hops)", about(peach2Hops, answerHops)},
		{"registers", "the registers, written as a register file and read back, are the same", about(peach2.ClusterOf, answerRegisters)},
	}
}

func peach2ReadsQuestions() []Question {
	return []Question{
		{"waits", "on that ring, no buffers wait for each other in a cycle", about(peach2ReadsWaits, answerWaits)},
	}
}

// verdictOf is Holds if ok.
func verdictOf(ok bool) spec.Verdict {
	if ok {
		return spec.Holds
	}
	return spec.Violated
}

func answerAddresses(_ context.Context, c *peach2.Cluster) (Answer, error) {
	in, err := peach2.Inspect(c)
	var size *spec.BoundError
	switch {
	case errors.As(err, &size):
		return Answer{Because: size.Error()}, nil
	case err != nil:
		return Answer{}, err
	}
	answer := Answer{
		Verdict: verdictOf(len(in.Faults) == 0 && in.Unowned == 0),
		Because: fmt.Sprintf("decided for all %#x addresses at %d boards with %d registers, at most %d for one port", c.Map.Window, len(c.Boards), in.Registers, in.Longest),
		Evidence: []string{
			fmt.Sprintf("%#x addresses belong to devices, %#x to nobody (%d parts of %#x bytes, %d nodes)", in.Owned, in.Unowned, c.Map.Window/c.Map.Part, c.Map.Part, len(c.Boards)),
			fmt.Sprintf("%d sets of addresses are told apart by owner and way", in.Cells),
		},
	}
	if in.Unowned > 0 {
		answer.Because = fmt.Sprintf("%d GiB of the window belong to no node, and match no port at any board: %d parts of %d, from address %#x on",
			in.Unowned>>30, c.Map.Window/c.Map.Part-uint64(len(c.Boards)), c.Map.Window/c.Map.Part, c.Map.Base(len(c.Boards)))
	}
	if len(in.Faults) > 0 {
		answer.Because = in.Faults[0].String()
		if more := len(in.Faults) - 1; more > 0 {
			answer.Because = fmt.Sprintf("%d faults, the first: %s", more+1, answer.Because)
		}
	}
	const most = 100
	for i, f := range in.Faults {
		if i == most {
			answer.Evidence = append(answer.Evidence, fmt.Sprintf("and %d more", len(in.Faults)-most))
			break
		}
		answer.Evidence = append(answer.Evidence, f.String())
	}
	answer.Picture = func(w io.Writer) error { return peach2.Draw(w, c, nil) }
	shows := "all addresses that belong to a device come there"
	if len(in.Faults) > 0 {
		shows = "an address that does not come where it belongs: " + in.Faults[0].String()
	}
	answer.Parts = addressParts(c, len(c.Boards)-1, in.Faults, shows)
	if answer.Parts != nil {
		answer.Believe = []string{"the registers, cables and areas in the part are those of the cluster; the counts above, and that no address is left over, are the model's alone"}
	}
	return answer, nil
}

// addressParts is the table of a cluster with cases that show that all addresses
// come where they belong over so many cables, or with its first fault; none if the
// registers need too many cases.
func addressParts(c *peach2.Cluster, most int, faults []peach2.Fault, shows string) []Part {
	if len(faults) > 0 {
		return []Part{{
			Shows:    shows,
			Table:    func(w io.Writer) error { return peach2.WriteTable(w, c, most, nil, faults[0]) },
			Property: "addresses", Verdict: spec.Violated,
		}}
	}
	cases, err := peach2.CasesOf(c)
	if err != nil {
		return nil
	}
	return []Part{{
		Shows:    shows,
		Table:    func(w io.Writer) error { return peach2.WriteTable(w, c, most, cases, peach2.Fault{}) },
		Property: "addresses", Verdict: spec.Holds,
	}}
}

func answerLinks(_ context.Context, cabling peach2Cabling) (Answer, error) {
	if cabling.wrong != nil {
		return Answer{Verdict: spec.Violated, Because: cabling.wrong.Error()}, nil
	}
	c := cabling.Cluster
	answer := Answer{
		Verdict: spec.Holds,
		Because: fmt.Sprintf("all %d cables join a root complex and an endpoint", len(c.Cables)),
		Picture: func(w io.Writer) error { return peach2.Draw(w, c, nil) },
	}
	for _, k := range c.Cables {
		answer.Evidence = append(answer.Evidence, fmt.Sprintf("%s (%s) - %s (%s)", k.A, c.Boards[k.A.Board].Role(k.A.Port), k.B, c.Boards[k.B.Board].Role(k.B.Port)))
	}
	return answer, nil
}

// answerTies counts for the given n and, beside it, for the usual sizes.
func answerTies(ctx context.Context, o peach2.Options) (Answer, error) {
	drawn, err := peach2.Generate(o) // what is wrong with them is said once, here
	if err != nil {
		return Answer{}, err
	}
	asked, err := peach2.CountTies(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Verdict: verdictOf(asked.Free > 0), Because: tiesLine(asked), Believe: []string{
		fmt.Sprintf("the rules in the parts are all rules for ties of n=%d", o.Boards),
	}}
	answer.Parts, err = tiesParts(o, asked)
	if err != nil {
		return Answer{}, err
	}
	if answer.Parts == nil {
		answer.Believe = nil
	}
	given := o.Boards
	for n := 3; n <= 8; n++ {
		o.Boards = n
		if !coupledFit(o) {
			continue
		}
		count, err := peach2.CountTies(ctx, o)
		if err != nil {
			return Answer{}, err
		}
		if n != given {
			more, err := tiesParts(o, count)
			if err != nil {
				return Answer{}, err
			}
			answer.Parts = append(answer.Parts, more...)
		}
		line := tiesLine(count)
		for _, mend := range []peach2.Variant{peach2.Cut, peach2.CutBoard, peach2.Dateline} {
			o.Ties, o.Variant = nil, mend
			c, err := peach2.Generate(o)
			if err != nil {
				continue // cut-board leaves no way if not all boards are coupled
			}
			r, err := peach2.Waits(c, peach2.WaitsOptions{})
			if err != nil {
				return Answer{}, err
			}
			free := "not free"
			if len(r.Cycle) == 0 {
				free = "free"
			}
			line += fmt.Sprintf("; %s: %s", peach2.VariantNames[mend], free)
			answer.Parts = append(answer.Parts, clusterPart(fmt.Sprintf("n=%d, %s: %s", n, peach2.VariantNames[mend], free),
				verdictOf(len(r.Cycle) == 0), func() (*peach2.Cluster, error) { return c, nil }))
		}
		answer.Evidence = append(answer.Evidence, line)
	}
	answer.Picture = drawWaits(drawn, peach2.NoReads)
	return answer, nil
}

// mostTieParts bounds the parts of one size: more rules than that have none.
const mostTieParts = 1024

// tiesParts are the verdicts that a count of rules for ties comes down to: that
// on each rule, or on packets that meet no tie, if those deadlock under every
// rule.
func tiesParts(o peach2.Options, count peach2.TieCount) ([]Part, error) {
	o.Variant = peach2.Minimal
	size := fmt.Sprintf("n=%d", count.Boards)
	if count.Rings > 1 {
		size += fmt.Sprintf(", %d rings", count.Rings)
	}
	if count.Forced && count.Tied {
		part := networkPart(size+": packets that meet no tie deadlock, so every rule does", spec.Deadlock.String(), spec.Violated, func() (routing.Definition, error) {
			return peach2.Untied(o)
		})
		return []Part{part}, nil
	}
	if count.Rules > mostTieParts {
		return nil, nil
	}
	total := o.Boards * max(1, o.Rings)
	free := map[string]bool{}
	for _, rule := range count.FreeRules {
		free[peach2.TiesText(rule)] = true
	}
	var parts []Part
	for number := range count.Rules {
		rule := peach2.TieRule(number, total)
		verdict, is := spec.Violated, "deadlocks"
		if free[peach2.TiesText(rule)] {
			verdict, is = spec.Holds, "is free"
		}
		with := o
		with.Ties = rule
		shows := fmt.Sprintf("%s: the rule %s %s", size, peach2.TiesText(rule), is)
		if !count.Tied {
			shows = fmt.Sprintf("%s: minimal routing, which meets no ties, %s", size, is)
		}
		parts = append(parts, clusterPart(shows, verdict, func() (*peach2.Cluster, error) { return peach2.Generate(with) }))
	}
	return parts, nil
}

// clusterPart is the verdict on deadlock of a cluster with one packet a buffer
// and posted writes alone.
func clusterPart(shows string, v spec.Verdict, cluster func() (*peach2.Cluster, error)) Part {
	return networkPart(shows, spec.Deadlock.String(), v, func() (routing.Definition, error) {
		c, err := cluster()
		if err != nil {
			return routing.Definition{}, err
		}
		return peach2.New(c, peach2.NetworkOptions{})
	})
}

// coupledFit reports whether the coupled boards exist in rings of this size.
func coupledFit(o peach2.Options) bool {
	for _, i := range o.Coupled {
		if i >= o.Boards {
			return false
		}
	}
	return true
}

func tiesLine(c peach2.TieCount) string {
	line := fmt.Sprintf("n=%d", c.Boards)
	if c.Rings > 1 {
		line += fmt.Sprintf(", %d rings", c.Rings)
	}
	rules := "the only minimal routing (no ties) is"
	if c.Tied {
		rules = fmt.Sprintf("of %d rules for ties", c.Rules)
	}
	switch {
	case !c.Tied && c.Free == 1:
		return line + ": " + rules + " free with one buffer class"
	case !c.Tied:
		return line + ": " + rules + " not free"
	case c.Forced:
		return line + ": " + rules + " none is free: packets that meet no tie already wait in a cycle"
	case c.Free == 0:
		return line + ": " + rules + " none is free"
	}
	line += fmt.Sprintf(": %s %d are free, such as %s", rules, c.Free, peach2.TiesText(c.FirstFree))
	if c.FirstBound != nil {
		line += ", not " + peach2.TiesText(c.FirstBound)
	}
	return line
}

// answerRoutings counts all routings of the smaller rings and compares their
// lengths with those of cut-board.
func answerRoutings(ctx context.Context, _ struct{}) (Answer, error) {
	answer := Answer{Verdict: spec.Holds, Because: "all routings of rings of 3 to 7 boards were tried"}
	for n := 3; n <= 7; n++ {
		count, err := peach2.CountRoutings(ctx, n)
		if err != nil {
			return Answer{}, err
		}
		c, err := peach2.Generate(peach2.Options{Boards: n, Variant: peach2.CutBoard})
		if err != nil {
			return Answer{}, err
		}
		h, err := peach2.CountHops(c)
		if err != nil {
			return Answer{}, err
		}
		answer.Evidence = append(answer.Evidence, fmt.Sprintf("n=%d: of %d routings %d are free, of %d minimal ones %d; free ones have a longest way of %d cables or more and %d or more in all (minimal %d); cut-board %d and %d",
			n, count.All, count.Free, count.Minimal, count.MinimalFree, count.LeastLongest, count.LeastTotal, count.MinimalLength, h.Most(), h.Total()))
		if h.Most() > count.LeastLongest || h.Total() > count.LeastTotal {
			answer.Verdict, answer.Because = spec.Violated, fmt.Sprintf("a ring of %d boards has a shorter one", n)
		}
	}
	return answer, nil
}

// drawWaits draws a cluster with its cycle of waits.
func drawWaits(c *peach2.Cluster, reads peach2.Reads) func(io.Writer) error {
	return func(w io.Writer) error {
		r, err := peach2.Waits(c, peach2.WaitsOptions{Reads: reads})
		if err != nil {
			return err
		}
		return peach2.Draw(w, c, r)
	}
}

func answerWaits(_ context.Context, w peach2Waits) (Answer, error) {
	c, o := w.Cluster, w.WaitsOptions
	r, err := peach2.Waits(c, o)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{
		Verdict: verdictOf(len(r.Cycle) == 0),
		Picture: func(w io.Writer) error { return peach2.Draw(w, c, r) },
	}
	answer.Parts = waitsParts(c, o, answer.Verdict)
	if answer.Parts != nil {
		answer.Believe = []string{"that reads and completions do not pass posted writes adds no cycle, since those have buffers of their own or share them with everything"}
	}
	if len(r.Cycle) > 0 {
		answer.Because = fmt.Sprintf("%d buffers, %d waits; %d of the buffers in a cycle", len(r.Buffers), r.Waits, len(r.Cycle))
		answer.Evidence = cycleLines(r)
		return answer, nil
	}
	byRank := map[int][]string{}
	most := 0
	for i, b := range r.Buffers {
		byRank[r.Ranks[i]] = append(byRank[r.Ranks[i]], b.String())
		most = max(most, r.Ranks[i])
	}
	answer.Because = fmt.Sprintf("%d buffers, %d waits, each for a buffer of lower rank; ranks 0 to %d", len(r.Buffers), r.Waits, most)
	for rank := range most + 1 {
		answer.Evidence = append(answer.Evidence, fmt.Sprintf("rank %d: %s", rank, strings.Join(byRank[rank], ", ")))
	}
	return answer, nil
}

// waitsParts are the verdicts on the cluster's network that waits come down to;
// none if a network cannot express the order that is kept within links.
func waitsParts(c *peach2.Cluster, o peach2.WaitsOptions, v spec.Verdict) []Part {
	build := func() (routing.Definition, error) {
		return peach2.New(c, peach2.NetworkOptions{Reads: o.Reads, Ordering: o.Ordering})
	}
	if _, err := build(); err != nil {
		return nil
	}
	if v == spec.Holds {
		return []Part{networkPart("the cluster's network is free of deadlock", spec.Deadlock.String(), v, build)}
	}
	return []Part{networkPart("the cluster's network has a cycle of dependencies", acyclic, v, build)}
}

func cycleLines(r *peach2.Waiting) []string {
	var lines []string
	for _, x := range r.Cycle {
		lines = append(lines, fmt.Sprintf("%s waits for %s: %s", x.From, x.To, x.Because))
	}
	return lines
}

func answerHops(_ context.Context, b peach2Bounded) (Answer, error) {
	c := b.Cluster
	h, err := peach2.CountHops(c)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{
		Verdict: verdictOf(h.Most() <= b.hops),
		Because: fmt.Sprintf("%d boards, at most %d cables, as from board %d to board %d", len(c.Boards), h.Most(), h.From, h.To),
	}
	var longer []peach2.Fault
	shows := fmt.Sprintf("all addresses come where they belong over at most %d cables", b.hops)
	if answer.Verdict == spec.Violated {
		shows = fmt.Sprintf("an address of node %d does not come there from board %d over at most %d cables", h.To, h.From, b.hops)
		longer = []peach2.Fault{{Board: h.From, First: c.Map.Base(h.To) + c.Map.Areas[0].Start}}
	}
	answer.Parts = addressParts(c, min(b.hops, len(c.Boards)), longer, shows)
	answer.Believe = []string{"the registers, cables and areas in the part are those of the cluster"}
	for hops, pairs := range h.Pairs {
		if pairs > 0 {
			answer.Evidence = append(answer.Evidence, fmt.Sprintf("%d pairs of boards: cables %d", pairs, hops))
		}
	}
	return answer, nil
}

func answerRegisters(_ context.Context, c *peach2.Cluster) (Answer, error) {
	var text bytes.Buffer
	if err := peach2.Write(&text, c); err != nil {
		return Answer{}, err
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	back, err := peach2.Read("registers", &text)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Verdict: verdictOf(reflect.DeepEqual(c, back)), Because: "the file is below", Evidence: lines}, nil
}

func peach2ReadsWaits(a catalogue.Args) (peach2Waits, error) {
	c, err := peach2.ReadsClusterOf(a)
	return peach2Waits{c, peach2WaitsOptions(a)}, err
}
