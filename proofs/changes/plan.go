package changes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Plan is evidence that a change in rounds is free of a fault, with a certificate for the mixture of each round.
//
//   - Deadlock, [Union] with ranks: whatever tables are in force, every hop that a packet takes or waits for leads to a lower
//     rank (Dally and Seitz 1987). It covers all manners and every switching.
//   - Deadlock, [Final], whole packets that are looked up again, a rewriting that ends: what blocks packets for good
//     still does once the round has ended, as a stuck packet stays where it is. Then the last tables alone are in force,
//     and packets stand where mixed tables may have brought them: the mixture's own configurations, none of which is stuck.
//   - Deadlock, [Committed]: its sites are what packets committed to one table can do. With whole packets it covers a rewriting that
//     stalls, too: whichever table is in force, a packet has a lower hop in it.
//   - Deadlock, [Committed] with bubbles ([bubbles.Verify]), all manners of whole packets: moves of either table keep the
//     free places of the sets, a packet that is looked up again does not move, and no rows of any tables, as they are in
//     force at the routers, leave a stuck set.
//   - Livelock: a packet that moves forever does so after the rewriting has ended, in the last tables ([Final]); if it may
//     stall, in some mixture ([Union]).
//   - Delivery: no table in force ejects a packet elsewhere. If the rewriting ends, the last tables lead home from wherever a packet
//     is ([Final]), and for committed ones no table in force is a dead end. Or, whether it ends or not, no table in force is
//     a dead end, and no packet moves forever in any mixture ([Union] with a measure).
type Plan struct {
	Network  spec.Digest // of the pair
	Property spec.Property
	Manner
	Rounds       [][]spec.NodeID // every router once
	Mixtures     []Mixture       // by round: what its certificate is about
	Certificates []Certificate
}

// Certificate is that of one round: ranks and the like, or bubbles. The other one is nil.
type Certificate struct {
	*proofs.Certificate
	Bubbles *bubbles.Certificate
}

// kind names the kind of certificate.
func (c Certificate) kind() string {
	if c.Bubbles != nil {
		return "bubbles"
	}
	return c.Kind.String()
}

// verify checks the certificate against the network of a mixture; plain: in the way for readers.
func (c Certificate) verify(ctx context.Context, n *spec.Network, plain bool) error {
	switch {
	case c.Bubbles != nil && plain:
		return bubbles.VerifyPlain(ctx, n, c.Bubbles)
	case c.Bubbles != nil:
		return bubbles.Verify(ctx, n, c.Bubbles)
	case plain:
		return proofs.VerifyPlain(ctx, n, c.Certificate)
	}
	return proofs.Verify(ctx, n, c.Certificate)
}

// covers says why a certificate about a mixture does not show the property, if it does not.
func (p *Plan) covers(m Mixture, c Certificate, switching spec.Switching) error {
	if c.Bubbles == nil && c.Certificate == nil {
		return errors.New("a round without a certificate")
	}
	var kind proofs.Kind // none of bubbles
	if c.Bubbles == nil {
		kind = c.Kind
	}
	rank, escape := kind == proofs.Rank, kind == proofs.Escape || kind == proofs.Rank
	looked := !p.Committed && !p.Stalls
	is := false
	switch whole := switching != spec.Wormhole; {
	case c.Bubbles != nil:
		is = p.Property == spec.DeadlockFreedom && m == Committed && whole && c.Bubbles.Bubble == 0
	case p.Property == spec.DeadlockFreedom:
		is = m == Union && rank || m == Final && looked && whole && escape ||
			m == Committed && (escape || kind == proofs.ExtendedEscape && !p.Stalls)
	case p.Property == spec.LivelockFreedom:
		is = kind == proofs.Measure && (m == Union || m == Final && !p.Stalls)
	case p.Property == spec.Delivery:
		is = m == Union && kind == proofs.Measure || m == Final && !p.Stalls && kind == proofs.Arrival
	}
	if !is {
		return fmt.Errorf("a certificate of kind %s for the %s mixture does not show %s with %s switching where %s",
			c.kind(), m, p.Property, switching, p.Manner)
	}
	return nil
}

// Verify checks plans in the same rounds: it makes the networks of each round, and verifies their certificates; plain: in
// the way for readers. Rounds are checked on all processors. A nil error is the only acceptance.
//
// Soundness: with [Plan]. Not covered: that the rows are what the routers of the old and of the new network say at
// sites that neither of them reaches alone, that the two differ in nothing else, and that a round waits until older
// packets have left.
func Verify(ctx context.Context, n *spec.Network, plain bool, plans ...*Plan) error {
	p, err := NewPair(n)
	if err != nil {
		return err
	}
	var rounds []Round
	for i, plan := range plans {
		all := slices.Concat(plan.Rounds...)
		switch slices.Sort(all); {
		case plan.Network != n.Digest():
			return fmt.Errorf("the plan is for another network: %s, not %s", plan.Network, n.Digest())
		case len(all) != n.Topology().Nodes():
			return fmt.Errorf("the rounds rewrite %d routers of %d", len(all), n.Topology().Nodes())
		case len(plan.Rounds) != len(plan.Certificates) || len(plan.Rounds) != len(plan.Mixtures):
			return errors.New("a plan has a certificate for each round")
		case i > 0 && !slices.EqualFunc(plan.Rounds, plans[0].Rounds, slices.Equal):
			return errors.New("the plans have different rounds")
		}
		rounds = Rounds(plan.Rounds)
	}
	return each.Do(ctx, runtime.GOMAXPROCS(0), len(rounds), func(_, i int) error {
		if err := p.verifyRound(ctx, i, rounds[i], plain, plans); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		return nil
	})
}

// verifyRound checks what plans say of round i.
func (p *Pair) verifyRound(ctx context.Context, i int, r Round, plain bool, plans []*Plan) error {
	mix, err := p.Mix(ctx, r)
	if err != nil {
		return err
	}
	var made [len(mixtureNames)]*spec.Network
	for _, plan := range plans {
		c, m := plan.Certificates[i], plan.Mixtures[i]
		if err := plan.covers(m, c, p.n.Switching()); err != nil {
			return err
		}
		if made[m] == nil {
			if made[m], err = mix.Network(ctx, m); err != nil {
				return err
			}
		}
		if err := c.verify(ctx, made[m], plain); err != nil {
			return err
		}
		if plan.Property == spec.Delivery {
			if err := mix.CheckRows(m == Union || plan.Committed || plan.Stalls); err != nil {
				return err
			}
		}
	}
	return nil
}

// RowError says that a table that may be in force in a round faults a packet at a site.
type RowError struct {
	Site     spec.Site // with the class of the table
	Property string    // what the table does there, such as to eject the packet at a wrong node
}

// Error returns Property.
func (e *RowError) Error() string { return e.Property }

// CheckRows refuses a round in which a table that may be in force ejects a packet that is not at its destination or, if
// each must lead on, has no hop for it. The error is a *RowError for the first such site.
func (x *Mix) CheckRows(leadOn bool) error {
	n, topo := x.p.n, x.p.n.Topology()
	fault := func(at spec.Site, rows []spec.RowID) error {
		v := topo.Head(at.Channel)
		for i, row := range rows {
			at.Header.Class = x.p.classIn(at.Header.Class, i > 0 || !x.s[v].old)
			switch {
			case n.Arrives(row) && (v != at.Header.Dest || at.Channel.IsInjection()):
				return &RowError{at,
					fmt.Sprintf("%s ejects a packet for %s", topo.Node(v).Name, topo.Node(at.Header.Dest).Name)}
			case len(n.Row(row)) == 0 && leadOn:
				return &RowError{at, fmt.Sprintf("%s has no hop for a packet for %s that came by %s",
					topo.Node(v).Name, topo.Node(at.Header.Dest).Name, topo.ChannelName(at.Channel))}
			}
		}
		return nil
	}
	var rows []spec.RowID
	for i := range x.walks {
		w := &x.walks[i]
		for k := range w.before.Sources {
			rows = w.atSource(rows[:0], k)
			if err := fault(w.before.SourceSite(k), rows); err != nil {
				return err
			}
		}
		for k, reached := range w.reached {
			if !reached {
				continue
			}
			rows = w.atSite(rows[:0], k)
			if err := fault(w.before.Site(k), rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// The written form of a plan is text, one field a line in this order, followed by the written form of the certificate
// of each round.
//
//	unknot-change 1
//	network DIGEST
//	property deadlock-freedom|livelock-freedom|delivery
//	packets looked-up-again|committed
//	rewriting ends|may-stall
//	rounds COUNT
//	round union|final|committed NODE ...
//	end
const planLine = "unknot-change 1"

// Words of the written forms, by whether a manner is Committed, and Stalls.
var packetWords, rewritingWords = [...]string{"looked-up-again", "committed"}, [...]string{"ends", "may-stall"}

func choice(l *lines.Reader, name string, words []string) int {
	word := l.Field(name)
	i := slices.Index(words, word)
	if i < 0 {
		l.Fail("invalid %s %.40q: want one of %s", name, word, strings.Join(words, ", "))
	}
	return max(i, 0)
}

func readManner(l *lines.Reader) Manner {
	return Manner{choice(l, "packets", packetWords[:]) == 1, choice(l, "rewriting", rewritingWords[:]) == 1}
}

func writeManner(b *bytes.Buffer, m Manner) {
	word := func(words [2]string, second bool) string {
		if second {
			return words[1]
		}
		return words[0]
	}
	fmt.Fprintf(b, "packets %s\nrewriting %s\n", word(packetWords, m.Committed), word(rewritingWords, m.Stalls))
}

func readNodes(l *lines.Reader, words []string) []spec.NodeID {
	var nodes []spec.NodeID
	for _, w := range words {
		nodes = append(nodes, spec.NodeID(l.Number(w, 0, math.MaxInt32)))
	}
	return nodes
}

func writeNodes(b *bytes.Buffer, name string, nodes []spec.NodeID) {
	b.WriteString(name)
	for _, v := range nodes {
		fmt.Fprintf(b, " %d", v)
	}
	b.WriteByte('\n')
}

// ReadPlan reads the written form. Errors are *spec.PosError with the given file name.
func ReadPlan(file string, text []byte) (*Plan, error) {
	const last = "\nend\n"
	head, rest, _ := bytes.Cut(text, []byte(last))
	l := lines.New(file, io.MultiReader(bytes.NewReader(head), strings.NewReader(last)), planLine)
	p := &Plan{Network: l.Network(), Property: l.Property(), Manner: readManner(l)}
	count := l.Number(l.Field("rounds"), 1, math.MaxInt32)
	for len(p.Rounds) < count && l.Err() == nil {
		m := max(0, slices.IndexFunc(mixtureNames[:], func(name string) bool { return strings.HasPrefix(l.Peek(), "round "+name) }))
		p.Mixtures = append(p.Mixtures, Mixture(m))
		nodes := l.Words("round", -1)
		if len(nodes) == 0 || nodes[0] != mixtureNames[m] {
			l.Fail("want \"round\", then one of %s, then nodes", strings.Join(mixtureNames[:], ", "))
			nodes = []string{""}
		}
		p.Rounds = append(p.Rounds, readNodes(l, nodes[1:]))
	}
	if _, err := lines.End(l, p); err != nil {
		return nil, err
	}
	line := bytes.Count(head, []byte("\n")) + 2
	for len(rest) > 0 {
		one := rest
		if i := bytes.Index(rest, []byte(last)); i >= 0 {
			one = rest[:i+len(last)]
		}
		var c Certificate
		var err error
		if bytes.HasPrefix(one, []byte("unknot-bubbles ")) {
			c.Bubbles, err = bubbles.Read(file, bytes.NewReader(one))
		} else {
			c.Certificate, err = proofs.Read(file, bytes.NewReader(one))
		}
		if at := new(spec.PosError); errors.As(err, &at) {
			at.Line += line
		}
		if err != nil {
			return nil, err
		}
		p.Certificates, rest = append(p.Certificates, c), rest[len(one):]
		line += bytes.Count(one, []byte("\n"))
	}
	return p, nil
}

// WriteHead writes the fields of a plan; the certificates follow it.
func (p *Plan) WriteHead(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nnetwork %s\nproperty %s\n", planLine, p.Network, p.Property)
	writeManner(&b, p.Manner)
	fmt.Fprintf(&b, "rounds %d\n", len(p.Rounds))
	for i, r := range p.Rounds {
		writeNodes(&b, "round "+p.Mixtures[i].String(), r)
	}
	b.WriteString("end\n")
	_, err := w.Write(b.Bytes())
	return err
}

// Kind returns the kinds of the certificates, such as "rank of the union mixture".
func (p *Plan) Kind() string {
	var kinds []string
	for i, c := range p.Certificates {
		if k := c.kind() + " of the " + p.Mixtures[i].String() + " mixture"; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return cmp.Or(strings.Join(slices.Sorted(slices.Values(kinds)), " and "), "none")
}
