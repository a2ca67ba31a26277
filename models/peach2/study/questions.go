package study

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// peach2Cables parses a cluster for which routes do not matter. A cable that joins two
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

// or keeps an error about roles as the answer, and returns any other.
func (c peach2Cabling) or(err error) (peach2Cabling, error) {
	if errors.As(err, &c.wrong) {
		return c, nil
	}
	return c, err
}

// peach2Tied parses rings whose rule for ties is left open.
func peach2Tied(a catalogue.Args) (peach2.Options, error) {
	if name := a.Text("registers"); name != "" {
		return peach2.Options{}, fmt.Errorf(
			"invalid registers %.40q: the question is about generated rings, and a file has one routing", name)
	}
	return peach2.RingsOf(a)
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

// Questions are those about a cluster.
func Questions() []studies.Question {
	return []studies.Question{
		studies.Known("peach2", "addresses", studies.About(peach2.ClusterOf, answerAddresses)),
		studies.Open("links",
			"every cable joins a root complex and an endpoint", studies.About(peach2Cables, answerLinks)),
		studies.Known("peach2", "ties", studies.About(peach2Tied, answerTies)),
		studies.Known("peach2", "hops", studies.About(peach2Hops, answerHops)),
		studies.Open("registers",
			"the registers, written as a register file and read back, are the same",
			studies.About(peach2.ClusterOf, answerRegisters)),
	}
}

func answerAddresses(ctx context.Context, c *peach2.Cluster) (studies.Answer, error) {
	in, err := peach2.Inspect(c)
	var size *spec.BoundError
	switch {
	case errors.As(err, &size):
		return studies.Answer{Because: size.Error()}, nil
	case err != nil:
		return studies.Answer{}, err
	}
	const (
		right = "every address of the window of %#x bytes is routed correctly at each of %d boards, " +
			"by %d registers, at most %d a port"
		owned = "%#x addresses belong to devices, %#x to nobody (%d parts of %#x bytes, %d nodes)"
		left  = "%d GiB of the window belong to no node, and match no port at any board: " +
			"%d parts of %d, from address %#x on"
	)
	answer := studies.Answer{
		Verdict: studies.VerdictOf(len(in.Faults) == 0 && in.Unowned == 0),
		Because: fmt.Sprintf(right, c.Map.Window, len(c.Boards), in.Registers, in.Longest),
		Numbers: map[string]int{
			"boards": len(c.Boards), "registers": in.Registers, "registers-of-a-port": in.Longest, "faults": len(in.Faults),
			"window": int(c.Map.Window), "owned": int(in.Owned), "unowned": int(in.Unowned), "part": int(c.Map.Part),
		},
		Evidence: []string{
			fmt.Sprintf(owned, in.Owned, in.Unowned, c.Map.Window/c.Map.Part, c.Map.Part, len(c.Boards)),
			fmt.Sprintf("%d cases of addresses, in which every comparison is settled", (len(in.Cases)+1)/2),
		},
	}
	if in.Unowned > 0 {
		answer.Because = fmt.Sprintf(left,
			in.Unowned>>30, c.Map.Window/c.Map.Part-uint64(len(c.Boards)), c.Map.Window/c.Map.Part,
			c.Map.Base(len(c.Boards)))
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
	drawn := clusterPart("the cluster", c)
	answer.Picture = drawn.Drawing(ctx)
	shows := "every address of a device reaches it"
	if len(in.Faults) > 0 {
		shows = "an address that does not arrive where it belongs: " + in.Faults[0].String()
	}
	if in.Unowned == 0 || len(in.Faults) > 0 { // no table can show that an address has no owner
		answer.Parts = []studies.Part{addressPart(c, len(c.Boards)-1, in.Cases, in.Faults, "addresses", shows)}
		answer.Believe = studies.Believed("peach2 addresses")
	}
	return answer, nil
}

// addressPart is the table of a cluster with cases which show that all addresses reach their
// destination over at most the given number of cables; or with its first fault, which
// violates a property.
func addressPart(
	c *peach2.Cluster, most int, cases peach2.Cases, faults []peach2.Fault, violates, shows string,
) studies.Part {
	part := studies.Part{Shows: shows, Property: "addresses", Verdict: spec.Holds}
	fault := peach2.Fault{}
	if len(faults) > 0 {
		part.Property, part.Verdict, cases, fault = violates, spec.Violated, nil, faults[0]
	}
	part.Table = func(w io.Writer) error { return peach2.WriteTable(w, c, most, cases, fault) }
	return part
}

func answerLinks(ctx context.Context, cabling peach2Cabling) (studies.Answer, error) {
	if cabling.wrong != nil {
		return studies.Answer{Verdict: spec.Violated, Because: cabling.wrong.Error()}, nil
	}
	c := cabling.Cluster
	drawn := clusterPart("the cluster", c)
	answer := studies.Answer{
		Verdict: spec.Holds, Picture: drawn.Drawing(ctx),
		Because: fmt.Sprintf("all %d cables join a root complex and an endpoint", len(c.Cables)),
		Numbers: map[string]int{"cables": len(c.Cables)},
	}
	for _, k := range c.Cables {
		a, b := c.Boards[k.A.Board].Role(k.A.Port), c.Boards[k.B.Board].Role(k.B.Port)
		answer.Evidence = append(answer.Evidence, fmt.Sprintf("%s (%s) - %s (%s)", k.A, a, k.B, b))
	}
	return answer, nil
}

// answerTies has the checker decide every rule for ties, unless packets without ties
// already deadlock among themselves, as every rule then does.
func answerTies(ctx context.Context, o peach2.Options) (studies.Answer, error) {
	const most = 1024
	given, err := peach2.Generate(o)
	if err != nil {
		return studies.Answer{}, err
	}
	drawn := clusterPart("the cluster", given)
	o.Variant = peach2.Minimal
	def, tied, err := peach2.Untied(o)
	if err != nil {
		return studies.Answer{}, err
	}
	size, total := fmt.Sprintf("n=%d", o.Boards), o.Boards*max(1, o.Rings)
	if o.Rings > 1 {
		size += fmt.Sprintf(", %d rings", o.Rings)
	}
	a := studies.Answer{Verdict: spec.Violated, Picture: drawn.Drawing(ctx), Believe: studies.Believed("peach2 ties")}
	untied := studies.Part{
		Shows: size + ": packets that meet no tie", Property: spec.DeadlockFreedom.String(),
		Network: func(context.Context) (routing.Definition, error) { return def, nil },
	}
	if _, err := untied.Settle(ctx); err != nil {
		return studies.Answer{}, err
	}
	switch {
	case !tied:
		a.Parts, a.Verdict = []studies.Part{untied}, untied.Verdict
		if a.Because = size + ": the only minimal routing (no ties) is not free"; untied.Verdict == spec.Holds {
			a.Because = size + ": the only minimal routing (no ties) is deadlock-free with one buffer class"
		}
		return a, nil
	case untied.Verdict == spec.Violated:
		a.Parts = []studies.Part{untied}
		a.Because = fmt.Sprintf("%s: of 2^%d rules for ties none is deadlock-free: packets that meet no tie deadlock",
			size, total)
		return a, nil
	case 1<<total > most:
		return studies.Answer{Because: fmt.Sprintf("%s: 2^%d rules for ties, of which at most %d are tried",
			size, total, most)}, nil
	}
	count, example := map[spec.Verdict]int{}, map[spec.Verdict]string{}
	for number := range 1 << total {
		o.Ties = peach2.TieRule(number, total)
		cluster, err := peach2.Generate(o)
		if err != nil {
			return studies.Answer{}, err
		}
		rule := peach2.TiesText(o.Ties)
		part := clusterPart(fmt.Sprintf("%s: the rule %s", size, rule), cluster)
		part.Case = number
		if _, err := part.Settle(ctx); err != nil {
			return studies.Answer{}, err
		}
		count[part.Verdict]++
		example[part.Verdict] = cmp.Or(example[part.Verdict], rule)
		a.Parts = append(a.Parts, part)
	}
	a.Numbers = map[string]int{"rules": 1 << total, "deadlock-free": count[spec.Holds], "undecided": count[spec.Unknown]}
	if a.Because = fmt.Sprintf("%s: of %d rules for ties none is deadlock-free", size, 1<<total); count[spec.Holds] > 0 {
		const some = "%s: of %d rules for ties %d are free, such as %s"
		a.Verdict, a.Because = spec.Holds, fmt.Sprintf(some, size, 1<<total, count[spec.Holds], example[spec.Holds])
		if bound := example[spec.Violated]; bound != "" {
			a.Because += ", not " + bound
		}
	} else if count[spec.Unknown] > 0 {
		a.Verdict = spec.Unknown
	}
	return a, nil
}

// clusterPart asks for freedom from deadlock of a cluster with one packet a buffer and only
// posted writes.
func clusterPart(shows string, c *peach2.Cluster) studies.Part {
	return studies.Part{
		Shows: shows, Property: spec.DeadlockFreedom.String(),
		Network: func(context.Context) (routing.Definition, error) { return peach2.New(c, peach2.NetworkOptions{}) },
	}
}

func answerHops(_ context.Context, b peach2Bounded) (studies.Answer, error) {
	c := b.Cluster
	h, err := peach2.CountHops(c)
	if err != nil {
		return studies.Answer{}, err
	}
	answer := studies.Answer{
		Verdict: studies.VerdictOf(h.Most <= b.hops),
		Because: fmt.Sprintf("%d boards, at most %d cables, as from board %d to board %d",
			len(c.Boards), h.Most, h.From, h.To),
		Numbers: map[string]int{"boards": len(c.Boards), "cables": h.Most, "from": h.From, "to": h.To},
	}
	var longer []peach2.Fault
	shows := fmt.Sprintf("every address arrives where it belongs over at most %d cables", b.hops)
	if answer.Verdict == spec.Violated {
		shows = fmt.Sprintf("an address of node %d does not arrive there from board %d over at most %d cables",
			h.To, h.From, b.hops)
		longer = []peach2.Fault{{Board: h.From, First: c.Map.Base(h.To) + c.Map.Areas[0].Start}}
	}
	in, err := peach2.Inspect(c)
	if err != nil {
		return studies.Answer{}, err
	}
	answer.Parts = []studies.Part{addressPart(c, min(b.hops, len(c.Boards)), in.Cases, longer, "hops", shows)}
	answer.Believe = studies.Believed("peach2 hops")
	return answer, nil
}

func answerRegisters(_ context.Context, c *peach2.Cluster) (studies.Answer, error) {
	var text bytes.Buffer
	if err := peach2.Write(&text, c); err != nil {
		return studies.Answer{}, err
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	back, err := peach2.Read("registers", &text)
	if err != nil {
		return studies.Answer{}, err
	}
	return studies.Answer{
		Verdict: studies.VerdictOf(reflect.DeepEqual(c, back)), Because: "the file is below", Evidence: lines,
	}, nil
}
