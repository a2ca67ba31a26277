package routing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// size checks that request buffers hold all requests outstanding at once, where Outstanding bounds them.
func (t *transactions) size() error {
	for i := range t.pools {
		p := &t.pools[i]
		need := 0
		for v := range spec.NodeID(t.def.Topology.Nodes()) {
			sum := 0
			for _, c := range p.classes {
				sum += t.outstanding(c) * len(t.to[spec.Target{Dest: v, Class: c}])
			}
			need = max(need, sum)
		}
		unit := t.unit()
		p.places = cmp.Or(p.places, (need+unit-1)/unit*unit, unit)
		switch {
		case p.places < need:
			return p.by.wrong(
				"request buffer %s has %d slots, but up to %d messages for it are outstanding at once: "+
					"it must hold them all",
				p.name, p.places, need)
		case p.places%unit > 0 || p.places/unit > 1<<16:
			return p.by.wrong(
				"request buffer %s has %d slots: want a multiple of the %d that a channel holds, at most 65536 times",
				p.name, p.places, unit)
		}
	}
	return nil
}

func (t *transactions) outstanding(c spec.Class) int {
	most := 0
	for _, r := range t.def.Replies {
		if r.Request == c {
			most = max(most, r.Outstanding)
		}
	}
	return most
}

// unit returns how many messages a channel holds.
func (t *transactions) unit() int {
	if t.def.Switching == spec.Wormhole {
		return 1
	}
	return t.def.Buffer
}

// definition returns the network of the transactions, once the plain one is compiled.
func (t *transactions) definition() (Definition, error) {
	def, whole := t.def, t.def
	whole.Replies, whole.transactions = nil, true
	t.whole = t.topology()
	whole.Topology = t.whole
	t.step = def.Tags * len(t.legs)
	if whole.alternatives = t.alternatives(); whole.alternatives > 0 {
		whole.apart = t.commit()
	}
	whole.Tags = t.step * max(1, whole.alternatives)
	if whole.Tags > 1<<16 {
		return def, &spec.BoundError{
			What: "tags, one for every message that a transaction can still have to send and every alternative", Limit: 1 << 16,
		}
	}
	whole.Routing = t
	whole.asks = func(f spec.Flow) int { return len(t.begin[f]) }
	whole.windows, whole.exchanges = t.bounds, t.exchanges()
	whole.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return whole.asks(spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: c}}) > 0
	}
	whole.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID { return append(dst, t.ends[to]...) }
	if def.Selection != nil {
		whole.Selection = &Selection{Name: def.Selection.Name} // the plain network has committed
	}
	return whole, nil
}

// alternatives returns how many alternatives a message may have in a channel or in a request buffer, where it is the
// next that its node sends; 0 if the routing never commits one.
func (t *transactions) alternatives() int {
	if t.plain.Alternatives() == 0 {
		return 0
	}
	most := t.plain.Alternatives()
	for f := range t.sent {
		if slices.ContainsFunc(t.def.Replies, func(r Reply) bool { return r.Reply == f.Target.Class }) {
			most = max(most, t.begins(f.Source, f.Target))
		}
	}
	return most
}

// begins returns the number of alternatives to one of which a message is committed as it begins.
func (t *transactions) begins(at spec.NodeID, to spec.Target) int {
	if t.plain.Alternatives() == 0 {
		return 1
	}
	table := t.plain.TableOf(to)
	if table == nil {
		return 1
	}
	return max(1, len(table.SourcesOf(at)))
}

// commit makes a source of each alternative with which a transaction may begin, and returns where, among the sources of
// a node, the next transaction begins.
func (t *transactions) commit() (apart []spec.Site) {
	for f, plans := range t.begin {
		var all []plan
		for _, p := range plans {
			at := source(f.Source, f.Target)
			if at.Header.Tag = spec.Tag(len(all)); len(all) > 0 {
				apart = append(apart, at)
			}
			for k := range t.begins(f.Source, t.target(p.leg, f.Target)) {
				p.alternative = spec.Tag(k)
				all = append(all, p)
			}
		}
		t.begin[f] = all
	}
	slices.SortFunc(apart, func(a, b spec.Site) int { return spec.Exchange{At: a}.Compare(spec.Exchange{At: b}) })
	return apart
}

// target returns the destination and class of the message of a leg, in a transaction with some target.
func (t *transactions) target(id int32, whole spec.Target) spec.Target {
	to := spec.Target{Dest: t.legs[id].to, Class: t.legs[id].class}
	if to.Dest == none {
		to.Dest = whole.Dest
	}
	if t.legs[id].only {
		to.Class = whole.Class
	}
	return to
}

// exchanges lists the flows that nodes count, or that answer those that they do.
func (t *transactions) exchanges() (all []spec.Exchange) {
	for f, plans := range t.begin {
		for k, p := range plans {
			if p.answers != none || p.asks != none {
				at := source(f.Source, f.Target)
				at.Header.Tag = spec.Tag(k)
				all = append(all, spec.Exchange{At: at, Answers: p.answers, Asks: p.asks, Window: p.window})
			}
		}
	}
	slices.SortFunc(all, spec.Exchange.Compare)
	return all
}

// topology returns the topology of the plain network, followed by the request buffers of all
// nodes that receive requests.
func (t *transactions) topology() *spec.Topology {
	old := t.def.Topology
	topo := spec.NewTopology(old.VCNames()...)
	for v := range spec.NodeID(old.Nodes()) {
		topo.AddNode(old.Node(v).Name, old.Node(v).At...)
	}
	for l := range spec.LinkID(old.Links()) {
		topo.AddLink(old.Link(l))
	}
	t.first = slices.Repeat([]spec.ChannelID{none}, old.Nodes()*len(t.pools))
	for v := range spec.NodeID(old.Nodes()) {
		for i, p := range t.pools {
			received := func(c spec.Class) bool { return len(t.to[spec.Target{Dest: v, Class: c}]) > 0 }
			if slices.ContainsFunc(p.classes, received) {
				l := topo.AddLink(spec.Link{From: v, To: v, VCs: p.places / t.unit(), Out: p.name})
				if l < 0 {
					return topo // its fault is reported
				}
				t.first[int(v)*len(t.pools)+i] = topo.Channel(l, 0)
			}
		}
	}
	return topo
}

// stands returns where the packet of a transaction stands in the plain network, and
// with which header, when leg id is under way; in a request buffer it is still to be sent.
func (t *transactions) stands(at spec.ChannelID, h spec.Header, id int32) spec.Site {
	to, alternative := t.target(id, h.Target()), int(h.Tag)/t.step
	s := spec.Site{Channel: at, Header: spec.Header{
		Dest: to.Dest, Class: to.Class, Tag: spec.Tag(alternative*t.def.Tags + int(h.Tag)%t.def.Tags),
	}}
	switch {
	case at.IsInjection():
		s.Header.Tag = t.begin[spec.Flow{Source: t.whole.Head(at), Target: h.Target()}][h.Tag].alternative
	case t.holds(at):
		s.Channel, s.Header.Tag = spec.Injection(t.whole.Head(at)), spec.Tag(alternative)
	}
	return s
}

// holds reports whether a channel is a place of a request buffer.
func (t *transactions) holds(at spec.ChannelID) bool { return int(at) >= t.def.Topology.Channels() }

// AppendHops asks the plain network. Where that ejects a message that is replied to, the
// packet goes into a place of the request buffer.
func (t *transactions) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	s := t.stands(at, h, t.leg(at, h))
	hops, _ := t.plain.Hops(s)
	return t.appendOf(dst, at, h, s, hops)
}

// appendOf appends what hops of a message, which stands at s in the plain network, are to its transaction.
func (t *transactions) appendOf(
	dst []spec.Hop, at spec.ChannelID, h spec.Header, s spec.Site, hops []spec.Hop,
) ([]spec.Hop, error) {
	id := t.leg(at, h)
	l := t.legs[id]
	for _, hop := range hops {
		switch {
		case hop.Discards(): // and with it whatever would have followed
			dst = append(dst, hop)
		case hop.Channel != spec.Eject:
			hop.Tag = t.tag(id, hop.Tag)
			dst = append(dst, hop)
		case t.whole.Head(at) != s.Header.Dest:
			return dst, fmt.Errorf(
				"a message for %s leaves the network at %s: with replies, messages must eject at their destination",
				t.whole.Node(s.Header.Dest).Name, t.whole.Node(t.whole.Head(at)).Name)
		case l.next == none:
			dst = append(dst, hop)
		default:
			p := t.pool(s.Header.Class)
			first := t.first[int(s.Header.Dest)*len(t.pools)+p]
			for i := range t.whole.Link(t.whole.LinkOf(first)).VCs {
				for k := range t.begins(s.Header.Dest, t.target(l.next, h.Target())) {
					tag := t.tag(l.next, spec.Tag(k*t.def.Tags))
					dst = append(dst, spec.Hop{Channel: first + spec.ChannelID(i), Tag: tag})
				}
			}
		}
	}
	return dst, nil
}

// tag returns the tag of a transaction whose leg id is under way, and has some tag in the plain network.
func (t *transactions) tag(id int32, plain spec.Tag) spec.Tag {
	alternative, own := int(plain)/t.def.Tags, int(plain)%t.def.Tags
	return spec.Tag(alternative*t.step + int(id)*t.def.Tags + own)
}

// leg returns the number of the leg that is under way, or, where the transaction begins or in a request buffer, that is
// to be sent.
func (t *transactions) leg(at spec.ChannelID, h spec.Header) int32 {
	if at.IsInjection() {
		return t.begin[spec.Flow{Source: t.whole.Head(at), Target: h.Target()}][h.Tag].leg
	}
	return int32(int(h.Tag) % t.step / t.def.Tags)
}

// Reason is that of the plain network, and says which message it is about.
func (t *transactions) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	plain := spec.Hop{Channel: hop.Channel, Tag: hop.Tag}
	if hop.Channel != spec.Eject {
		plain.Tag = spec.Tag(int(hop.Tag)/t.step*t.def.Tags + int(hop.Tag)%t.def.Tags)
	}
	if hop.Channel >= 0 && t.holds(hop.Channel) {
		plain = spec.Hop{Channel: spec.Eject}
	}
	as := t.Message(at, h)
	if why := t.plain.Reason(t.stands(at, h, t.leg(at, h)), plain); why.Text != "" {
		return why.And("as " + as)
	}
	return spec.Reason{Text: as}
}

// Message names the message that is under way, or is to be sent.
func (t *transactions) Message(at spec.ChannelID, h spec.Header) string {
	to := t.stands(at, h, t.leg(at, h)).Header
	return fmt.Sprintf("%s to %s", t.def.Classes[to.Class], t.whole.Node(to.Dest).Name)
}

// MessageClass returns the class of that message.
func (t *transactions) MessageClass(at spec.ChannelID, h spec.Header) (spec.Class, bool) {
	return t.stands(at, h, t.leg(at, h)).Header.Class, true
}
