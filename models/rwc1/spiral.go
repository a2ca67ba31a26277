package rwc1

import (
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// routersOf returns the network of the routers with its relation.
func routersOf(o Options) (routing.Definition, error) {
	def, err := mdce.New(o.ring())
	if err != nil || o.Border == Over {
		return def, err
	}
	def.Routing = after{def.Topology, def.Routing, o.N, o.VCs}
	return def, nil
}

// after assigns the VCs of the other reading to the links that mdce permits: the links
// do not depend on the VC.
type after struct {
	t      *spec.Topology
	r      routing.Relation
	n, vcs int
}

// AppendHops implements routing.Relation.
func (a after) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	before := len(dst)
	dst, err := a.r.AppendHops(dst, at, h)
	vc := 0
	if !at.IsInjection() {
		vc = a.t.VC(at)
		if from, to := a.t.Node(a.t.Tail(at)).At[0], a.t.Node(a.t.Head(at)).At[0]; from == a.n-1 && to == 0 {
			vc = min(vc+1, a.vcs-1)
		}
	}
	for i := before; i < len(dst); i++ {
		if dst[i].Channel != spec.Eject {
			dst[i].Channel = a.t.Channel(a.t.LinkOf(dst[i].Channel), vc)
		}
	}
	return dst, err
}

// Reason says what the hop corrects, as mdce does.
func (a after) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return routing.Reason(a.r, at, h, hop)
}
