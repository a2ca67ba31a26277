// Package mdce, internal to unknot, models Multidimensional Directed Cycles Ensemble networks and
// CCCB, the network of the RWC-1 machine, as described by Yokota et al.
//
// A Directed Cycles Ensemble has 2^n unidirectional rings of n nodes. Node
// (x, y) has a parallel link to (x+1, y) along its ring and a cross link that
// flips bit x of y: to (x+1, y xor 2^x) in a circular banyan, to (x, y xor 2^x)
// in (directed-ring) cube-connected cycles. A (B,C,P)-MDCE is the product of B
// banyan and C CCC dimensions over the same rings, with P parallel links.
// CCCB is the (1,1,1)-MDCE; RWC-1 has n = 4, so 4 x 16 x 16 nodes.
//
// Deadlock is avoided by spiral buffers, as in the circular omega network of the EM-4:
// the VC index goes up by one when a packet passes from x = n-1 to x = 0. The channel
// across that border already has the higher index, a cross link at one x has the index
// of the channel before it, and packets are injected with index 0.
//
// The paper leaves open where the index goes up (here: as in the EM-4), in which order
// bits are corrected, whether a cross link at one x changes the index, and what happens
// when there are too few VCs. Here a packet first corrects bit x of every CCC dimension
// without leaving x; then, if bit x of a banyan dimension is wrong, it corrects one of
// them on its way to x+1; otherwise it takes a parallel link, any of them. So a bit is
// corrected at the first visit, no packet returns over a cross link, and only banyan
// dimensions beyond the first cost additional rounds. Options has the other choices; with
// them, paths are longer, and may need a VC more (see Precedence).
//
// A path then has at most (B+1)n - 1 ring links (at most 2n-2 if B = 0), so it passes the
// border at most B+1 times, and B+2 VCs (3 if B = 0) suffice for every n; fewer leave a
// ring of the last VC closed, except that the CCC with n = 2 needs only 2. CCCB needs
// 3 in this order, as the paper states, which gives none; in the others it needs 4 from
// n = 3 on.
package mdce

import (
	"fmt"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Overflow says what becomes of a packet in the last VC that passes the border.
type Overflow uint8

const (
	Saturate Overflow = iota // it stays in the last VC
	Wrap                     // it continues in VC 0
)

// Order says which of several wrong bits at the same x, all of CCC or all of banyan
// dimensions, a packet corrects first.
type Order uint8

const (
	Ascending Order = iota // of the lowest dimension
	AnyOrder               // any: at one x, CCC dimensions close cycles as on an adaptive mesh
)

// Precedence says which kind of dimension a packet corrects first. The paper gives no order.
type Precedence uint8

const (
	// CCCFirst: at each x the bits of CCC dimensions, before a banyan dimension leads away.
	CCCFirst Precedence = iota
	// BanyanFirst: at each x the bit of a banyan dimension; a CCC bit that was left comes one round later. So the
	// border is passed once more, and one more VC is needed from n = 3 on.
	BanyanFirst
	CCCWhole    // all bits of CCC dimensions, then those of banyan dimensions
	BanyanWhole // all bits of banyan dimensions, then those of CCC dimensions
	AnyFirst    // at each x any wrong bit
)

// PrecedenceNames are the names of the orders, in order.
var PrecedenceNames = []string{"ccc-first", "banyan-first", "ccc-whole", "banyan-whole", "any"}

// whole reports whether one kind of dimension is done before the other begins.
func (p Precedence) whole() bool { return p == CCCWhole || p == BanyanWhole }

// Options describes a network.
type Options struct {
	N          int // length of the rings and number of bits in each dimension
	Banyan     int // B
	CCC        int // C
	Parallel   int // P, at least 1
	VCs        int
	Overflow   Overflow
	Precedence Precedence // between the two kinds of dimensions
	Order      Order      // within a kind
	Switching  spec.Switching
}

// CCCB is the (1,1,1)-MDCE with virtual cut-through switching.
func CCCB(n, vcs int, p Precedence) (routing.Definition, error) {
	def, err := New(Options{
		N: n, Banyan: 1, CCC: 1, Parallel: 1, VCs: vcs, Precedence: p, Switching: spec.VirtualCutThrough,
	})
	if err != nil {
		return routing.Definition{}, err
	}
	def.Name = "CCCB"
	return def, nil
}

// net is the network under construction.
type net struct {
	Options
	t     *spec.Topology
	dims  int
	first []spec.LinkID // by node: its parallel links, then its cross links by dimension
	kinds func() *routing.Kinds
}

// New returns the definition.
func New(o Options) (routing.Definition, error) {
	if o.N*(o.Banyan+o.CCC) > 16 {
		return routing.Definition{}, fmt.Errorf("%d banyan and %d CCC dimensions of %d bits make more than 2^16 rings",
			o.Banyan, o.CCC, o.N)
	}
	const mostChannels = 1 << 24
	links := o.Parallel + o.Banyan + o.CCC // of each node
	if channels := o.N << (o.N * (o.Banyan + o.CCC)) * links * o.VCs; channels > mostChannels {
		return routing.Definition{}, fmt.Errorf("%d channels: want at most %d", channels, mostChannels)
	}
	m := &net{Options: o, t: spec.NewTopology(), dims: o.Banyan + o.CCC}
	m.build()
	m.kinds = sync.OnceValue(m.kindsOf)
	var relation routing.Relation = m
	if o.Precedence.whole() {
		relation = unsorted{m}
	}
	return routing.Definition{
		Name: fmt.Sprintf("(%d,%d,%d)-MDCE", o.Banyan, o.CCC, o.Parallel), Topology: m.t,
		Routing: routing.Deliver(m.t, relation), Switching: o.Switching,
	}, nil
}

// A node's number is x + n * (its coordinates, n bits a dimension, dimension 0
// lowest); dimensions 0..B-1 are banyan, the others CCC.

func (m *net) x(v spec.NodeID) int       { return int(v) % m.N }
func (m *net) rings(v spec.NodeID) int   { return int(v) / m.N }
func (m *net) bit(x, dim int) int        { return 1 << (dim*m.N + x) }
func (m *net) node(x, r int) spec.NodeID { return spec.NodeID(r*m.N + x) }

func (m *net) build() {
	nodes := m.N << (m.N * m.dims)
	for v := range spec.NodeID(nodes) {
		at := []int{m.x(v)}
		for d := range m.dims {
			at = append(at, m.rings(v)>>(d*m.N)&(1<<m.N-1))
		}
		m.t.AddNode(routing.CoordinateName(at...), at...)
	}
	for v := range spec.NodeID(nodes) {
		x, r := m.x(v), m.rings(v)
		next := (x + 1) % m.N
		m.first = append(m.first, spec.LinkID(m.t.Links()))
		for p := range m.Parallel {
			m.t.AddLink(spec.Link{From: v, To: m.node(next, r), VCs: m.VCs, Dim: 1, Out: fmt.Sprintf("parallel%d", p)})
		}
		for d := range m.dims {
			to := m.node(x, r^m.bit(x, d))
			if d < m.Banyan {
				to = m.node(next, r^m.bit(x, d))
			}
			m.t.AddLink(spec.Link{From: v, To: to, VCs: m.VCs, Dim: d + 2, Out: fmt.Sprintf("cross%d", d)})
		}
	}
}

// AppendHops implements routing.Relation.
func (m *net) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v := m.t.Head(at)
	x, wrong := m.x(v), m.rings(v)^m.rings(h.Dest)
	vc := 0
	if !at.IsInjection() {
		vc = m.t.VC(at)
	}
	onward := vc // on a ring link
	if x == m.N-1 {
		onward = m.wrappedVC(vc)
	}
	if ccc := wrong >> (m.Banyan * m.N); m.Precedence == CCCWhole && ccc != 0 {
		wrong = ccc << (m.Banyan * m.N)
	} else if banyan := wrong & (1<<(m.Banyan*m.N) - 1); m.Precedence == BanyanWhole && banyan != 0 {
		wrong = banyan
	}
	before := len(dst)
	if m.Precedence != BanyanFirst {
		dst = m.correct(dst, v, wrong, m.Banyan, m.dims, vc)
	}
	if len(dst) == before || m.Precedence == AnyFirst {
		dst = m.correct(dst, v, wrong, 0, m.Banyan, onward)
	}
	if len(dst) == before && m.Precedence == BanyanFirst {
		dst = m.correct(dst, v, wrong, m.Banyan, m.dims, vc)
	}
	if len(dst) > before {
		return dst, nil
	}
	vc = onward
	for p := range m.Parallel {
		dst = append(dst, spec.Hop{Channel: m.t.Channel(m.first[v]+spec.LinkID(p), vc)})
	}
	return dst, nil
}

// correct appends the cross links at v, on the given VC, that correct bit x of a
// dimension from low up to high-1.
func (m *net) correct(dst []spec.Hop, v spec.NodeID, wrong, low, high, vc int) []spec.Hop {
	for d := low; d < high; d++ {
		if wrong&m.bit(m.x(v), d) == 0 {
			continue
		}
		dst = append(dst, spec.Hop{Channel: m.t.Channel(m.first[v]+spec.LinkID(m.Parallel+d), vc)})
		if m.Order == Ascending {
			break
		}
	}
	return dst
}

// wrappedVC returns the VC of a packet, now in the given one, after it has passed from x =
// n-1 to x = 0.
func (m *net) wrappedVC(vc int) int {
	switch {
	case vc+1 < m.VCs:
		return vc + 1
	case m.Overflow == Wrap:
		return 0
	}
	return vc
}

// Reason says what the hop corrects.
func (m *net) Reason(_ spec.ChannelID, _ spec.Header, hop spec.Hop) spec.Reason {
	l := m.t.LinkOf(hop.Channel)
	switch d := m.t.Link(l).Dim - 2; {
	case d < 0:
		return spec.Reason{Text: "parallel link: nothing to correct at this x"}
	case d < m.Banyan:
		return spec.Reason{Text: fmt.Sprintf("cross link: bit x of banyan dimension %d", d)}
	default:
		return spec.Reason{Text: fmt.Sprintf("cross link: bit x of CCC dimension %d", d-m.Banyan)}
	}
}
