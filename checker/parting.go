package checker

import (
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
)

// parting notes in a deadlock whether two packets of one source and destination are committed to different alternatives
// of one site. Alternatives are chosen by packet; a hash of source and destination would send both the same way, so the
// trace is none of that network. A hash that looks at more, as ECMP looks at ports, does part them.
func (f *Finding) parting(n *spec.Network) {
	t := f.Trace()
	if f.Property != deadlock || f.Verdict != spec.Violated || t == nil || n.Alternatives() == 0 {
		return
	}
	type place struct {
		source  spec.NodeID
		channel spec.ChannelID
		header  spec.Header // with the tag of the routing
	}
	committed := map[place]spec.Tag{}
	sources := make([][]spec.NodeID, n.Topology().Channels()) // of the heads in a channel, first in first
	parts := func(source spec.NodeID, s spec.Site) bool {
		at := place{source, s.Channel, s.Header}
		if at.header.Tag = n.OwnTag(s.Header.Tag); s.Channel.IsInjection() {
			at.header.Tag = 0
		}
		before, met := committed[at]
		committed[at] = s.Header.Tag
		return met && before != s.Header.Tag
	}
	for _, m := range t.Moves {
		if m.Kind != spec.Advance {
			continue
		}
		from := spec.Site{Channel: m.From, Header: m.Header}
		source, apart := n.Topology().Head(m.From), false
		if m.From.IsInjection() {
			apart = parts(source, from)
		} else {
			source, sources[m.From] = sources[m.From][0], sources[m.From][1:]
		}
		if m.Hop.Channel != spec.Eject {
			sources[m.Hop.Channel] = append(sources[m.Hop.Channel], source)
			to := spec.Site{Channel: m.Hop.Channel, Header: m.Header}
			to.Header.Tag = m.Hop.Tag
			apart = parts(source, to) || apart
		}
		if apart {
			topo := n.Topology()
			f.Notes = append(f.Notes, findings.Say(findings.Parted{
				From: topo.Node(source).Name, For: topo.Node(m.Header.Dest).Name,
			}))
			return
		}
	}
}
