package page

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// certificate is the evidence for a verdict "holds" as a page shows it.
type certificate struct {
	Kind    string
	Meaning string
	Digest  string // SHA-256 of its written form, and so of a file with it

	Escape   bool       // the order has escape hops
	Order    []orderRow // ranks
	Measures []sitesRow // measures
	States   int        // of a closed set or ranking
	Set      string     // digest of the set of states
	Few      []stateRow // the states, if few
	More     string     // what was left out
}

type orderRow struct {
	Rank    int32
	Channel string
	Escape  []string // where the escape continues from here
}

type sitesRow struct {
	Measure int32
	Sites   int
}

type stateRow struct {
	Text string
	Rank string
}

func meaning(k proofs.Kind) string {
	switch k {
	case proofs.Rank:
		return "Every hop leads into a channel of lower rank, so the channel dependency graph is acyclic (Dally and " +
			"Seitz 1987)."
	case proofs.Escape:
		return "Wherever a packet stands that has not arrived, some hop, its escape, leads into a channel of lower " +
			"rank; among blocked packets the one in the channel of lowest rank would find it free (Duato 1996, " +
			"Verbeek and Schmaltz 2011)."
	case proofs.ExtendedEscape:
		return "Wherever a head stands that has not arrived, some hop, its escape, leads into a channel of lower " +
			"rank than any that the packet may still occupy (Duato 1993, 1995)."
	case proofs.Measure:
		return "Every hop lowers the measure of the packet's site, so no packet moves forever."
	case proofs.Arrival:
		return "From every site some hop lowers the measure, and packets leave at their destination alone, so the " +
			"destination stays within reach."
	}
	return ""
}

// certificateOf shows the evidence that a property holds; nil if a page has nothing to
// show of it.
func certificateOf(ctx context.Context, e evidence.Evidence, l limits) (out *certificate, err error) {
	switch e := e.(type) {
	case evidence.Certificate:
		out = &certificate{Kind: e.Certificate.Kind.String() + " certificate", Meaning: meaning(e.Certificate.Kind)}
		err = out.numbers(ctx, e.Network, e.Certificate, l)
	case evidence.Unsatisfiability:
		out = &certificate{
			Kind: "unsatisfiability proof",
			Meaning: "Every set of packets that block each other would satisfy certain clauses, which contradict " +
				"each other (Verbeek and Schmaltz 2011).",
		}
		if len(e.Steps) == 0 {
			out.Meaning = "In each such set, some packet waits for a channel that no packet of the set can hold " +
				"(Verbeek and Schmaltz 2011)."
		}
	case evidence.Bubbles:
		out = &certificate{
			Kind: "certificate of free places",
			Meaning: "Hops into each of some sets of channels always leave places free there, so a set in which all " +
				"places are taken, as packets that wait for each other would have it, is never reached (Carrión et al. " +
				"1997, Puente et al. 2001).",
		}
	case evidence.ClosedSet:
		out = &certificate{
			Kind:    "closed set of states",
			Meaning: "The initial states are in the set, no step leaves it, and every state of it is safe.",
		}
		out.states(e.Machine, e.States, nil)
	case evidence.Ranking:
		out = &certificate{
			Kind: "ranking of states",
			Meaning: "As long as an answer is pending no step raises the rank, and a step that has to happen lowers " +
				"it (Lehmann, Pnueli and Stavi 1981, Manna and Pnueli 1984).",
		}
		out.states(e.Machine, e.States, e.Levels)
	case evidence.FormulaRanking:
		if slices.ContainsFunc(states.ClaimsOf(e.Machine).Formulas, func(f states.Formula) bool {
			return f.Possible && f.Name == e.Property
		}) {
			out = &certificate{
				Kind:    "ranking of states by distance",
				Meaning: "From each state some step leads to a lower rank, until the condition is true.",
			}
			break
		}
		out = &certificate{
			Kind: "ranking of states with what is left of a formula",
			Meaning: "What a run that violates the formula still has to do is followed along all runs: no step raises the " +
				"rank, and a step that has to happen lowers it, or something is put off forever (Vardi and Wolper 1986, " +
				"Manna and Pnueli 1984).",
		}
	case evidence.Rankings:
		out = &certificate{
			Kind: "rankings of states",
			Meaning: "For each channel: as long as a packet waits at its head no step raises the rank, and a step " +
				"that has to happen lowers it (Lehmann, Pnueli and Stavi 1981, Manna and Pnueli 1984).",
		}
		out.states(e.Machine, e.Rankings[0].States, nil)
	default:
		return nil, nil
	}
	if err == nil {
		h := sha256.New()
		err = write.Evidence(h, e)
		out.Digest = hex.EncodeToString(h.Sum(nil))
	}
	return out, err
}

// numbers shows the ranks or measures of a certificate.
func (out *certificate) numbers(ctx context.Context, n *spec.Network, c *proofs.Certificate, l limits) error {
	if c.Rank == nil {
		out.Measures = measures(c.Measure)
		if len(out.Measures) > l.rows {
			out.More = fmt.Sprintf("%d more measures are in the certificate.", len(out.Measures)-l.rows)
			out.Measures = out.Measures[:l.rows]
		}
		return nil
	}
	return out.order(ctx, n, c, l)
}

// order lists the channels in use by rank, each with where the escape
// continues.
func (out *certificate) order(ctx context.Context, n *spec.Network, c *proofs.Certificate, l limits) error {
	out.Escape = c.Kind == proofs.Escape || c.Kind == proofs.ExtendedEscape
	next := map[spec.ChannelID][]string{}
	if out.Escape {
		edges, err := dependency.Escape(ctx, n, c)
		if err != nil {
			return err
		}
		for _, e := range edges {
			next[e.From] = append(next[e.From], n.Topology().ChannelName(e.To))
		}
	}
	var used []spec.ChannelID
	in := make([]bool, len(c.Rank))
	for i := range n.Tables() {
		for _, ch := range n.Table(i).Channels {
			if !in[ch] {
				in[ch] = true
				used = append(used, ch)
			}
		}
	}
	slices.SortFunc(used, func(a, b spec.ChannelID) int {
		return cmp.Or(cmp.Compare(c.Rank[a], c.Rank[b]), cmp.Compare(a, b))
	})
	for i, ch := range used {
		if i == l.rows {
			out.More = fmt.Sprintf("%d more channels are in the certificate.", len(used)-l.rows)
			break
		}
		out.Order = append(out.Order, orderRow{c.Rank[ch], n.Topology().ChannelName(ch), next[ch]})
	}
	return nil
}

// measures counts sites by measure, ascending.
func measures(by []int32) []sitesRow {
	count := map[int32]int{}
	for _, m := range by {
		count[m]++
	}
	var rows []sitesRow
	for _, m := range slices.Sorted(maps.Keys(count)) {
		rows = append(rows, sitesRow{m, count[m]})
	}
	return rows
}

// states shows a set of states and their ranks, if any, outermost first.
func (out *certificate) states(m states.Machine, states [][]uint64, levels [][]machines.Level) {
	const few = 64
	out.States = len(states)
	var sum machines.SetDigest
	for i, s := range states {
		sum.Add(s)
		if len(states) > few {
			continue
		}
		row := stateRow{Text: m.Layout().Text(s)}
		if levels != nil {
			var ranks []string
			for _, l := range levels[i] {
				ranks = append(ranks, strconv.Itoa(l.Rank))
			}
			row.Rank = strings.Join(ranks, ", ")
		}
		out.Few = append(out.Few, row)
	}
	out.Set = sum.String()
	if len(states) > few {
		out.More = "The states themselves are in the evidence that --out writes."
	}
}
