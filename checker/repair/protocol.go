package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// A protocol over its network: which sets of VCs do its message classes need there?
//
// Two answers. The first is a candidate, from the tables alone: a step that takes one class and puts another is a reply
// (routing.Reply), so the protocol's steps make the chains of a network with replies, which the scheme classes decides.
// It neither knows how many messages there are at once nor what a rule waits for besides room, so it can ask for too
// many sets, and for too few.
//
// Before the second, the protocol runs alone: what fails there is no matter of VCs, and is the answer. In FIFOs that wait
// for room it has as much as it needs, as far as doubling shows. Whether a message may rest while only unfair rules go on,
// as a token does, is seen there, too: over the network it may then do so as well.
//
// The second decides: the protocol with its FIFOs as routes of the network (star.Routes) is a machine for each way in
// which the classes can share sets, and every way is explored, fewest sets first, until one is free. A way that is not
// has a run to the state in which nothing moves. Nothing is concluded from one way about another.

// Protocol is a protocol to run over a network.
type Protocol struct {
	Name     string
	Messages *star.Messages
	// Over loads it again, with its FIFOs as routes of a network.
	Over func(context.Context, *star.Routes) (*program.Program, error)
	// Home is the node of each agent of Messages that sends or receives.
	Home map[string]spec.NodeID
}

// Composition is what a protocol needs of a network.
type Composition struct {
	Network *spec.Network   // with a class for each message class, which all share the VCs
	Alone   *checker.Result // the protocol by itself; nil if it was not decided
	Replies *Result         // the candidate by the chains; nil if they have none
	NoChain words.Sentence  // why Replies is nil
	Ways    []Way           // in the order in which they were explored; if one is free, it is the last

	// Roomy is the protocol by itself in FIFOs for Room messages, if none of the ways is free and an invariant that
	// the last one violates is violated there, too: what breaks it is how many messages are under way, not who shares
	// what.
	Roomy *checker.Result
	Room  int

	moves bool // alone, some fair rule is possible wherever a message waits
}

// Way is one way in which message classes share sets of VCs, with the answer about the composed machine.
type Way struct {
	Sets    []int // by message class: the number of its set
	Network *spec.Network
	Check   *checker.Result // nil if time ended before there was a machine
}

// Verdict says whether the composed machine has all its properties.
func (w Way) Verdict() spec.Verdict {
	if w.Check == nil {
		return spec.Unknown
	}
	return w.Check.Verdict()
}

// Count returns the number of sets.
func (w Way) Count() int { return slices.Max(w.Sets) + 1 }

// Verdict is Holds if the last way is free, Violated if none is or the protocol fails by itself, and otherwise Unknown.
func (c *Composition) Verdict() spec.Verdict {
	if c.Alone != nil && c.Alone.Verdict() == spec.Violated {
		return spec.Violated
	}
	v := spec.Violated
	for _, w := range c.Ways {
		switch w.Verdict() {
		case spec.Holds:
			return spec.Holds
		case spec.Unknown:
			v = spec.Unknown
		}
	}
	if len(c.Ways) == 0 {
		return spec.Unknown
	}
	return v
}

// IsLeast reports whether every way with fewer sets than the last one was refuted.
func (c *Composition) IsLeast() bool {
	if len(c.Ways) == 0 {
		return false
	}
	last := c.Ways[len(c.Ways)-1]
	for _, w := range c.Ways {
		if w.Count() < last.Count() && w.Verdict() != spec.Violated {
			return false
		}
	}
	return true
}

// Compose finds the fewest sets of VCs with which a protocol runs over a network. The network has one class, or all
// classes of the protocol by name; it has no replies, as the protocol says who answers. It explores up to as many
// machines as there are ways to share, see [sharing.All]. Of a time limit no search has all: the chains and the protocol
// alone have a quarter each, and so has every way of what is left.
func Compose(ctx context.Context, n *spec.Network, p Protocol, opt Options) (*Composition, error) {
	def, err := carrying(n, p)
	if err != nil {
		return nil, err
	}
	compile := routing.CompileOptions{Workers: opt.Workers}
	c := &Composition{}
	if c.Network, err = routing.Compile(ctx, def, compile); err != nil {
		return nil, err
	}
	r, err := checker.Check(ctx, c.Network, checker.Question{
		Properties: []string{spec.LivelockFreedom.String(), spec.Delivery.String()},
		Workers:    opt.Workers, Explore: checker.Never,
	})
	if err != nil {
		return nil, err
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Holds {
			return nil, fmt.Errorf("%s: %s of the messages is %s: repair that first, as more VCs cannot", n.Name(),
				f.Property, f.Verdict)
		}
	}
	if err := c.alone(ctx, p, opt); err != nil || c.Verdict() == spec.Violated {
		return c, err
	}
	if err := c.byChains(ctx, def, p, opt); err != nil {
		return nil, err
	}
	tags := make([]sharing.Tags, len(def.Classes))
	for k := range tags {
		tags[k] = sharing.Tags{Class: spec.Class(k), Last: spec.Tag(c.Network.Tags() - 1), Message: k}
	}
	table, err := sharing.NewTable(c.Network, tags)
	if err != nil {
		return nil, err
	}
	left := 0
	for range sharing.All(len(def.Classes), len(def.Classes)) {
		left++
	}
	for sets := 1; sets <= len(def.Classes); sets++ {
		for of := range sharing.All(len(def.Classes), sets) {
			if slices.Max(of)+1 < sets {
				continue
			}
			if ctx.Err() != nil {
				return c, nil
			}
			part, end := share(ctx, min(left, searches))
			w, err := c.explore(part, table, of, p, opt)
			end()
			if left--; err != nil {
				return nil, err
			}
			if c.Ways = append(c.Ways, *w); w.Verdict() == spec.Holds {
				return c, nil
			}
		}
	}
	return c, c.roomy(ctx, p, opt)
}

// roomy looks for Roomy.
func (c *Composition) roomy(ctx context.Context, p Protocol, opt Options) error {
	if c.Verdict() != spec.Violated {
		return nil
	}
	ctx, end := share(ctx, searches)
	defer end()
	for room := 2; room <= mostRoom; room *= 2 {
		prog, err := p.Over(ctx, &star.Routes{Room: room, Messages: p.Messages})
		if err != nil {
			return undecided(ctx, err)
		}
		broken := slices.IndexFunc(c.Ways[len(c.Ways)-1].Check.Findings, func(f checker.Finding) bool {
			return f.Verdict == spec.Violated &&
				slices.ContainsFunc(prog.Invariants, func(v program.Invariant) bool { return v.Name == f.Property })
		})
		if broken < 0 {
			return nil
		}
		r, err := ask(ctx, prog, opt, c.Ways[len(c.Ways)-1].Check.Findings[broken].Property)
		if err != nil || ctx.Err() != nil {
			return undecided(ctx, err)
		}
		if r.Verdict() == spec.Violated {
			c.Roomy, c.Room = r, room
			return nil
		}
	}
	return nil
}

// mostRoom is how many messages a FIFO holds, at most, where the protocol runs alone.
const mostRoom = 8

// searches is how many shares of the time there are for one of several searches.
const searches = 4

// alone explores the protocol without a network, with twice the room as often as more may help. If it still fails with the
// most, and only because steps wait for room, it is not decided: the channels of a long path may hold more.
func (c *Composition) alone(ctx context.Context, p Protocol, opt Options) error {
	ctx, end := share(ctx, searches)
	defer end()
	for room := 1; room <= mostRoom; room *= 2 {
		prog, err := p.Over(ctx, &star.Routes{Room: room, Messages: p.Messages})
		if err != nil {
			return undecided(ctx, err)
		}
		r, err := decide(ctx, prog, opt, false)
		if err != nil || ctx.Err() != nil {
			return undecided(ctx, err)
		}
		switch r.Verdict() {
		case spec.Holds:
			c.Alone = r
			moving, err := ask(ctx, prog, opt, star.MessagesMove)
			c.moves = err == nil && moving.Verdict() == spec.Holds
			return undecided(ctx, err)
		case spec.Violated:
			left, err := ask(ctx, prog, opt, star.RoomLeft)
			if err != nil || ctx.Err() != nil {
				return undecided(ctx, err)
			}
			if left.Verdict() == spec.Holds {
				c.Alone = r
				return nil
			}
		}
	}
	return nil
}

// undecided leaves out an error because the time of one search has ended.
func undecided(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// explore explores the protocol over the network with some sets: first whether messages move, if they must, at which most
// ways fail soon, and then everything.
func (c *Composition) explore(
	ctx context.Context, table sharing.Table, of []int, p Protocol, opt Options,
) (*Way, error) {
	s, err := sharing.Separate(ctx, c.Network, table, of)
	if err != nil {
		return nil, err
	}
	w := &Way{Sets: of, Network: s.Network}
	prog, err := p.Over(ctx, &star.Routes{Network: s.Network, Sets: of, Home: p.Home, Messages: p.Messages})
	if err != nil {
		return w, undecided(ctx, err)
	}
	prog.Name = fmt.Sprintf("%s, VC set by class: %s", c.Network.Name(), strings.Trim(fmt.Sprint(of), "[]"))
	if opt.Progress != nil {
		opt.Progress(routing.Progress{Stage: "the protocol with VC sets " + strings.Trim(fmt.Sprint(of), "[]")})
	}
	if c.moves {
		if w.Check, err = ask(ctx, prog, opt, star.MessagesMove); err != nil || w.Verdict() != spec.Holds {
			return w, undecided(ctx, err)
		}
	}
	w.Check, err = decide(ctx, prog, opt, c.moves)
	return w, undecided(ctx, err)
}

// ask explores a program for one property.
func ask(ctx context.Context, prog *program.Program, opt Options, property string) (*checker.Result, error) {
	m, err := prog.Machine()
	if err != nil {
		return nil, err
	}
	return checker.Explore(ctx, m, checker.Question{
		Properties: []string{property}, Workers: opt.Workers, Memory: opt.Memory,
	})
}

// decide explores a program for all properties but the temporal ones of the protocol: that packets of others pass for
// ever is no matter of VCs.
func decide(ctx context.Context, prog *program.Program, opt Options, moves bool) (*checker.Result, error) {
	m, err := prog.Machine()
	if err != nil {
		return nil, err
	}
	asked := slices.DeleteFunc(checker.Properties(m), func(name string) bool {
		return name == star.MessagesMove && !moves || name == star.RoomLeft ||
			slices.ContainsFunc(prog.Responses, func(r program.Response) bool { return r.Name == name }) ||
			slices.ContainsFunc(prog.Formulas, func(f program.Formula) bool { return f.Name == name && !f.Possible })
	})
	return checker.Explore(ctx, m, checker.Question{
		Properties: asked, Liveness: true, Workers: opt.Workers, Memory: opt.Memory,
	})
}

// carrying returns a network with the flows of a protocol's messages and a class for each of theirs.
func carrying(n *spec.Network, p Protocol) (routing.Definition, error) {
	own, classes := n.Classes(), p.Messages.Classes
	switch {
	case len(classes) > sharing.Most:
		return routing.Definition{}, fmt.Errorf("%s has %d message classes: want at most %d, by classes= of its FIFOs",
			p.Name, len(classes), sharing.Most)
	case routing.HasReplies(n):
		return routing.Definition{}, fmt.Errorf(
			"%s has replies: leave them out, as the protocol says who answers what", n.Name())
	case n.Discards():
		return routing.Definition{}, fmt.Errorf(
			"%s discards packets, so it may lose a message: leave the discards out", n.Name())
	case n.Asks() || n.Alternatives() > 0:
		return routing.Definition{}, fmt.Errorf(
			"%s commits packets to alternatives, which a protocol over it does not yet: leave out oblivious", n.Name())
	}
	of := make([]spec.Class, len(classes)) // by message class: the network's own
	for k, name := range classes {
		i := slices.Index(own, name)
		if i < 0 && len(own) > 1 {
			return routing.Definition{}, fmt.Errorf("%s has no class %q: want one class, or all of %v", n.Name(), name, classes)
		}
		of[k] = spec.Class(max(0, i))
	}
	type flow struct {
		from, to spec.NodeID
		class    spec.Class
	}
	flows, crosses := map[flow]bool{}, false
	all := routing.FromNetwork(n)
	for _, x := range p.Messages.Sent {
		from, to, k := p.Home[x.Agent], p.Home[x.Receiver], slices.Index(classes, x.Class)
		if from != to && !all.Flows(from, to, of[k]) {
			return routing.Definition{}, fmt.Errorf("%s has no flow from %s to %s, where %s sends to %s",
				n.Name(), n.Topology().Node(from).Name, n.Topology().Node(to).Name, x.Agent, x.Receiver)
		}
		crosses = crosses || from != to
		flows[flow{from, to, spec.Class(k)}] = from != to
	}
	if !crosses {
		return routing.Definition{}, fmt.Errorf(
			"%s: all messages stay at one node, so none crosses %s: place those who send and receive at different nodes",
			p.Name, n.Name())
	}
	def := routing.Definition{
		Name: p.Name + " over " + n.Name(), Topology: n.Topology(), Classes: classes, Tags: n.Tags(),
		Switching: n.Switching(), Buffer: n.Buffer(), Selection: all.Selection,
		Routing: asClass{all.Routing, of},
		Flows:   func(src, dst spec.NodeID, c spec.Class) bool { return flows[flow{src, dst, c}] },
	}
	if def.Switching == spec.Wormhole {
		def.Buffer = 1 // a channel belongs to one message, and messages are whole here
	}
	return def, nil
}

// asClass routes message classes as the classes of another network.
type asClass struct {
	routing.Relation
	of []spec.Class
}

func (r asClass) header(h spec.Header) spec.Header { h.Class = r.of[h.Class]; return h }

// AppendHops implements [routing.Relation].
func (r asClass) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return r.Relation.AppendHops(dst, at, r.header(h))
}

// Reason implements [routing.Reasoner].
func (r asClass) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return routing.Reason(r.Relation, at, r.header(h), hop)
}

// byChains decides the network with the protocol's chains as replies.
func (c *Composition) byChains(ctx context.Context, def routing.Definition, p Protocol, opt Options) error {
	class := func(name string) spec.Class { return spec.Class(slices.Index(def.Classes, name)) }
	receiver := map[string]spec.NodeID{} // by FIFO
	for _, x := range p.Messages.Sent {
		receiver[x.FIFO] = p.Home[x.Receiver]
	}
	caused := make([]bool, len(def.Classes))
	to := map[[2]spec.Class]map[spec.NodeID][]spec.NodeID{} // by both classes and the node that answers
	for _, x := range p.Messages.Chains {
		key, at := [2]spec.Class{class(x.Takes), class(x.Puts)}, p.Home[x.Agent]
		caused[key[1]] = true
		if to[key] == nil {
			to[key] = map[spec.NodeID][]spec.NodeID{}
			answered := to[key]
			buffer, _, _ := strings.Cut(x.From, "[") // classes of one FIFO share its place
			def.Replies = append(def.Replies, routing.Reply{
				Request: key[0], Reply: key[1], RequestBuffer: buffer,
				To: func(dst []spec.NodeID, _, by spec.NodeID) ([]spec.NodeID, error) {
					return append(dst, answered[by]...), nil
				},
			})
		}
		if dest := receiver[x.Into]; dest != at && !slices.Contains(to[key][at], dest) {
			to[key][at] = append(to[key][at], dest)
		}
	}
	flows := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return !caused[c] && flows(src, dst, c) }
	ctx, end := share(ctx, searches)
	defer end()
	n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: opt.Workers, MaxSites: mostChainSites})
	if err != nil && ctx.Err() == nil {
		var large *spec.BoundError
		if c.NoChain = findings.Say(findings.Exceeded{By: err}); errors.As(err, &large) {
			c.NoChain = findings.Say(findings.TooManySites{Limit: mostChainSites})
		}
		return nil
	}
	if err != nil {
		c.NoChain = ended(ctx)
		return nil
	}
	if n.FlowCount() == 0 {
		c.NoChain = findings.Say(findings.TakesAnother)
		return nil
	}
	opt.Schemes = []Scheme{Classes}
	if c.Replies, err = Propose(ctx, n, opt); err != nil && ctx.Err() != nil {
		c.NoChain, err = ended(ctx), nil
	}
	return err
}

const mostChainSites = 1 << 22
