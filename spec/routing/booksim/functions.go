package booksim

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// step is a packet at a router that asks where to go.
type step struct {
	*graph
	at, dest int // a router; a node
	in       int // the port at which it came in; -1: from its node
	vc       int // it is in; of no account if it comes from its node
	tag      int
	lo, hi   int // the VCs of its class
}

// function is a routing function as BookSim has it in routefunc.cpp and with the networks.
type function struct {
	vcs     func(g *graph) int // least VCs of a class
	tags    func(g *graph) int
	choices func(s step) routing.Choice
}

func atLeast(vcs int) func(*graph) int { return func(*graph) int { return vcs } }
func oneTag(*graph) int                { return 1 }
func perNode(g *graph) int             { return len(g.node) }

// functions lists what is read, by function and topology.
var functions = map[string]function{
	"dor_mesh":             {atLeast(1), oneTag, step.dimensionOrder},
	"dim_order_mesh":       {atLeast(1), oneTag, step.dimensionOrder},
	"dim_order_ni_mesh":    {perNode, oneTag, func(s step) routing.Choice { return s.perDest(s.next(s.dest, false)) }},
	"dim_order_pni_mesh":   {func(g *graph) int { return g.k }, oneTag, step.perCoordinate},
	"xy_yx_mesh":           {atLeast(2), oneTag, step.eitherOrder},
	"adaptive_xy_yx_mesh":  {atLeast(2), oneTag, step.eitherOrder},
	"romm_mesh":            {atLeast(2), viaRouters, func(s step) routing.Choice { return s.via(s.between, s.meshPhase) }},
	"romm_ni_mesh":         {perNode, viaRouters, func(s step) routing.Choice { return s.via(s.between, s.meshPerDest) }},
	"valiant_mesh":         {atLeast(2), viaRouters, func(s step) routing.Choice { return s.via(s.anywhere, s.meshPhase) }},
	"min_adapt_mesh":       {atLeast(1), oneTag, step.minimalMesh},
	"planar_adapt_mesh":    {atLeast(3), oneTag, step.planar},
	"dim_order_torus":      {atLeast(2), twoTags, func(s step) routing.Choice { return s.ring(false) }},
	"dim_order_bal_torus":  {atLeast(2), twoTags, func(s step) routing.Choice { return s.ring(true) }},
	"dim_order_ni_torus":   {perNode, oneTag, step.ringPerDest},
	"min_adapt_torus":      {atLeast(4), oneTag, step.minimalTorus},
	"dest_tag_fly":         {atLeast(1), oneTag, step.destTag},
	"nca_fattree":          {atLeast(1), oneTag, step.upDown},
	"anca_fattree":         {atLeast(1), oneTag, step.upDown},
	"dor_cmesh":            {atLeast(1), oneTag, func(s step) routing.Choice { return s.concentrated(s.k/2, false) }},
	"dor_no_express_cmesh": {atLeast(1), oneTag, func(s step) routing.Choice { return s.concentrated(s.k, false) }},
	"xy_yx_cmesh":          {atLeast(2), oneTag, func(s step) routing.Choice { return s.concentrated(2, true) }},
	"xy_yx_no_express_cmesh": {atLeast(2), oneTag, func(s step) routing.Choice {
		return s.concentrated(s.k, true)
	}},
	"ran_min_flatfly":       {atLeast(1), oneTag, step.flatOrder},
	"xyyx_flatfly":          {atLeast(2), oneTag, step.flatEitherOrder},
	"adaptive_xyyx_flatfly": {atLeast(2), oneTag, step.flatEitherOrder},
	"valiant_flatfly":       {atLeast(2), viaRouters, func(s step) routing.Choice { return s.via(s.anywhere, s.flatPhase) }},
	"min_dragonflynew":      {atLeast(2), oneTag, step.minimalDragonfly},
	"min_anynet":            {atLeast(1), oneTag, nil}, // made with its network
}

func twoTags(*graph) int { return 2 }

// viaRouters: on its way to an intermediate router, a packet's tag is that router's number; then it is the number of
// routers.
func viaRouters(g *graph) int { return len(g.router) + 1 }

// home returns the router that delivers to the destination.
func (s step) home() int { return int(s.graph.at[s.dest]) }

// eject is the port for arrival in networks whose nodes are routers.
const eject = -1

// to permits some VCs of the link at a port.
func (s step) to(port, lo, hi, tag int) routing.Choice {
	return routing.Adaptive(s.hops(nil, port, lo, hi, tag)...)
}

func (s step) hops(dst []spec.Hop, port, lo, hi, tag int) []spec.Hop {
	if port == eject {
		return append(dst, spec.Hop{Channel: spec.Eject})
	}
	l := s.out[s.at][port]
	if l == none {
		return dst // a dead end
	}
	if s.number[s.topology.Link(l).To] == int32(s.dest) && s.inject != nil && int(s.graph.at[s.dest]) == s.at {
		tag = 0 // to its node, where nothing is told apart any more
	}
	for vc := lo; vc <= hi; vc++ {
		dst = append(dst, spec.Hop{Channel: s.topology.Channel(l, vc), Tag: spec.Tag(tag)})
	}
	return dst
}

// next returns the port of dimension order in a mesh: the lowest dimension first, or the highest.
func (s step) next(dest int, descending bool) int {
	for i := range s.n {
		d := i
		if descending {
			d = s.n - 1 - i
		}
		if a, b := s.digit(s.at, d), s.digit(dest, d); a < b {
			return 2 * d
		} else if a > b {
			return 2*d + 1
		}
	}
	return eject
}

func (s step) dimensionOrder() routing.Choice { return s.to(s.next(s.dest, false), s.lo, s.hi, 0) }

func (s step) flatOrder() routing.Choice { return s.to(s.flat(s.home(), false), s.lo, s.hi, 0) }

// halves splits VCs in two for two kinds of packets. With an odd number, both kinds have the one in the middle.
func halves(lo, hi, second int) (int, int) {
	half := (hi - lo + 1) / 2
	if second == 0 {
		return lo, hi - half
	}
	return lo + half, hi
}

// share returns share i of so many of some VCs.
func share(lo, hi, i, of int) (int, int) {
	each := (hi - lo + 1) / of
	return lo + i*each, lo + (i+1)*each - 1
}

func (s step) perDest(port int) routing.Choice {
	lo, hi := share(s.lo, s.hi, s.dest, len(s.node))
	return s.to(port, lo, hi, s.tag)
}

func (s step) perCoordinate() routing.Choice {
	port := s.next(s.dest, false)
	if port == eject {
		return routing.Arrive()
	}
	lo, hi := share(s.lo, s.hi, s.digit(s.dest, port/2), s.k)
	return s.to(port, lo, hi, 0)
}

// either commits a packet from its node to one of two orders of dimensions; later its VC tells which. Of an odd number
// of VCs the one in the middle tells the second, also of packets that began with the first.
func (s step) either(first, second int) routing.Choice {
	order := func(i, port int) routing.Choice {
		lo, hi := halves(s.lo, s.hi, i)
		return s.to(port, lo, hi, 0)
	}
	switch {
	case s.in < 0:
		return routing.Oblivious(order(0, first), order(1, second))
	case s.vc < s.lo+(s.hi-s.lo+1)/2:
		return order(0, first)
	}
	return order(1, second)
}

func (s step) eitherOrder() routing.Choice {
	if s.at == s.dest {
		return routing.Arrive()
	}
	return s.either(s.next(s.dest, false), s.next(s.dest, true))
}

// via routes to an intermediate router, to which the packet is committed at its source, and then to the destination.
func (s step) via(routers func() []int, toward func(s step, target, phase int) routing.Choice) routing.Choice {
	last := len(s.router)
	if s.in >= 0 {
		if s.tag == s.at {
			s.tag = last
		}
		return toward(s, min(s.tag, last), s.tag/last)
	}
	var all []routing.Choice
	for _, r := range routers() {
		s.tag = r
		if r == s.at {
			s.tag = last
		}
		all = append(all, toward(s, s.tag, s.tag/last))
	}
	return routing.Oblivious(all...)
}

func (s step) anywhere() []int {
	all := make([]int, len(s.router))
	for r := range all {
		all[r] = r
	}
	return all
}

// between lists the routers in the box between the packet and its destination.
func (s step) between() []int {
	var all []int
	for r := range s.router {
		inside := true
		for d := range s.n {
			a, b, x := s.digit(s.at, d), s.digit(s.dest, d), s.digit(r, d)
			inside = inside && min(a, b) <= x && x <= max(a, b)
		}
		if inside {
			all = append(all, r)
		}
	}
	return all
}

// meshPhase has a packet that passes its destination on the way to its intermediate router take any VC, as BookSim
// does.
func (s step) meshPhase(at step, target, phase int) routing.Choice {
	lo, hi := at.lo, at.hi
	if phase == 1 {
		target = at.dest
	}
	if at.at != at.dest {
		lo, hi = halves(lo, hi, phase)
	}
	return at.to(at.next(target, false), lo, hi, at.tag)
}

func (s step) meshPerDest(at step, target, phase int) routing.Choice {
	if phase == 1 {
		target = at.dest
	}
	if at.at == at.dest {
		return at.to(at.next(target, false), at.lo, at.hi, at.tag)
	}
	return at.perDest(at.next(target, false))
}

// minimalMesh is minimal adaptive routing with dimension order on the first VC as the escape, in which a packet stays.
func (s step) minimalMesh() routing.Choice {
	if s.at == s.dest {
		return routing.Arrive()
	}
	hops := s.hops(nil, s.next(s.dest, false), s.lo, s.lo, 0)
	if s.in >= 0 && s.vc == s.lo || s.in < 0 && s.hi == s.lo {
		return routing.Adaptive(hops...)
	}
	for d := range s.n {
		if a, b := s.digit(s.at, d), s.digit(s.dest, d); a < b {
			hops = s.hops(hops, 2*d, s.lo+1, s.hi, 0)
		} else if a > b {
			hops = s.hops(hops, 2*d+1, s.lo+1, s.hi, 0)
		}
	}
	return routing.Adaptive(hops...)
}

// planar is planar adaptive routing (Chien and Kim 1992): the lowest dimension left on the last third of the VCs, or
// the next on the first third if it goes up in the lowest, and on the second if it goes down.
func (s step) planar() routing.Choice {
	port := s.next(s.dest, false)
	if port == eject {
		return routing.Arrive()
	}
	third := (s.hi - s.lo + 1) / 3
	hops := s.hops(nil, port, s.lo+2*third, s.hi, 0)
	d := port/2 + 1
	if d == s.n {
		return routing.Adaptive(hops...)
	}
	lo := s.lo + port%2*third
	other := eject
	if a, b := s.digit(s.at, d), s.digit(s.dest, d); a < b {
		other = 2 * d
	} else if a > b {
		other = 2*d + 1
	}
	if other != eject && other != s.in { // it does not turn round
		hops = s.hops(hops, other, lo, lo+third-1, 0)
	}
	return routing.Adaptive(hops...)
}

// turn is a way on along a ring: a port, and the half of the VCs.
type turn struct{ port, part int }

// turns lists the ways of dimension order in a torus, between which chance decides. A packet keeps its direction in a
// ring, and its half, if it does not enter the ring as new.
func (s step) turns(in, part int, balanced bool) []turn {
	for d := range s.n {
		a, b := s.digit(s.at, d), s.digit(s.dest, d)
		if a == b {
			continue
		}
		if in >= 0 && in/2 == d {
			return []turn{{in ^ 1, part}}
		}
		var all []turn
		ahead := (b - a + s.k) % s.k
		if 2*ahead <= s.k {
			all = s.parted(all, 2*d, a, b, balanced)
		}
		if 2*ahead >= s.k {
			all = s.parted(all, 2*d+1, a, b, balanced)
		}
		return all
	}
	return []turn{{port: eject}}
}

// parted adds a way with the half of the VCs that it has. Balanced, there are datelines at both ends of the ring, and
// who crosses neither may be in either half.
func (s step) parted(all []turn, port, a, b int, balanced bool) []turn {
	middle, down := (s.k-1)/2, port%2 == 1
	switch {
	case !balanced && a > b:
		return append(all, turn{port, 1})
	case !balanced:
		return append(all, turn{port, 0})
	case !down && a > b, down && a < b:
		return append(all, turn{port, 1})
	case !down && a <= middle && b > middle, down && a > middle && b <= middle:
		return append(all, turn{port, 0})
	}
	return append(all, turn{port, 0}, turn{port, 1})
}

// ring is dimension order in a torus, on one half of the VCs in each ring.
func (s step) ring(balanced bool) routing.Choice {
	var all []routing.Choice
	for _, t := range s.turns(s.in, s.tag, balanced) {
		if t.port == eject {
			return routing.Arrive()
		}
		lo, hi := halves(s.lo, s.hi, t.part)
		all = append(all, s.to(t.port, lo, hi, t.part))
	}
	return routing.Oblivious(all...)
}

func (s step) ringPerDest() routing.Choice {
	var all []routing.Choice
	for _, t := range s.turns(s.in, 0, false) {
		if t.port == eject {
			return routing.Arrive()
		}
		all = append(all, s.perDest(t.port))
	}
	return routing.Oblivious(all...)
}

// minimalTorus is minimal adaptive routing on the fourth VC, with dimension order on the first two as the escape, in
// which a packet stays.
func (s step) minimalTorus() routing.Choice {
	if s.at == s.dest {
		return routing.Arrive()
	}
	var adaptive []spec.Hop
	in, part := s.in, s.vc-s.lo
	if s.in < 0 || s.vc > s.lo+1 {
		in, part = -1, 0 // as if it came from its node here
		for d := range s.n {
			a, b := s.digit(s.at, d), s.digit(s.dest, d)
			if a == b {
				continue
			}
			port := 2 * d
			if 2*((b-a+s.k)%s.k) >= s.k {
				port++
			}
			adaptive = s.hops(adaptive, port, s.lo+3, s.lo+3, 0)
		}
	}
	var all []routing.Choice
	for _, t := range s.turns(in, part, false) {
		escape := s.hops(nil, t.port, s.lo+t.part, s.lo+t.part, 0)
		all = append(all, routing.Adaptive(append(escape, adaptive...)...))
	}
	return routing.Oblivious(all...)
}

// destTag takes the port that a digit of the destination names at each stage.
func (s step) destTag() routing.Choice {
	stage := s.at / power(s.k, s.n-1)
	return s.to(s.digit(s.dest, s.n-1-stage), s.lo, s.hi, 0)
}

// upDown goes up by any port, to which chance commits it, until the destination is below.
func (s step) upDown() routing.Choice {
	level := power(s.k, s.n-1)
	depth, pos := s.at/level, s.at%level
	below := power(s.k, s.n-depth) // nodes below the router's neighbourhood
	first := pos / power(s.k, s.n-depth-1) * below
	if s.dest >= first && s.dest < first+below {
		return s.to((s.dest-first)/(below/s.k), s.lo, s.hi, 0)
	}
	all := make([]routing.Choice, s.k)
	for p := range all {
		all[p] = s.to(s.k+p, s.lo, s.hi, 0)
	}
	return routing.Oblivious(all...)
}

// concentrated is dimension order in a concentrated mesh, X first, or either by choice. From the edge of the mesh, a
// packet takes an express channel if it has at least so far to go in its dimension.
func (s step) concentrated(far int, either bool) routing.Choice {
	home := s.home()
	if s.at == home {
		x, y := s.dest%(2*s.k), s.dest/(2*s.k)
		return s.to(y%2*2+x%2, s.lo, s.hi, 0)
	}
	at, dest := []int{s.at % s.k, s.at / s.k}, []int{home % s.k, home / s.k}
	along := func(d int) int {
		port := s.c + 2*d
		if at[d] > dest[d] {
			port++
		}
		if max(at[d]-dest[d], dest[d]-at[d]) >= far {
			switch at[1-d] {
			case 0:
				return s.c + 2*(1-d) + 1
			case s.k - 1:
				return s.c + 2*(1-d)
			}
		}
		return port
	}
	xy, yx := along(0), along(1)
	if at[0] == dest[0] {
		xy = yx
	}
	if at[1] == dest[1] {
		yx = along(0)
	}
	if either {
		return s.either(xy, yx)
	}
	return s.to(xy, s.lo, s.hi, 0)
}

// flat returns the port of dimension order in a flattened butterfly toward a router, or to the node.
func (s step) flat(target int, descending bool) int {
	for i := range s.n {
		d := i
		if descending {
			d = s.n - 1 - i
		}
		if a, b := s.digit(s.at, d), s.digit(target, d); a != b {
			return s.across(d, a, b)
		}
	}
	return s.delivery()
}

// delivery returns the port of the router at which the destination is.
func (s step) delivery() int {
	for p, l := range s.out[s.at] {
		if l != none && s.topology.Link(l).To == s.node[s.dest] {
			return p
		}
	}
	return eject
}

func (s step) flatEitherOrder() routing.Choice {
	if s.at == s.home() {
		return s.to(s.delivery(), s.lo, s.hi, 0)
	}
	return s.either(s.flat(s.home(), false), s.flat(s.home(), true))
}

// flatPhase has a packet that passes the router of its destination stay there.
func (s step) flatPhase(at step, target, phase int) routing.Choice {
	home := at.home()
	if at.at == home {
		return at.to(at.delivery(), at.lo, at.hi, 0)
	}
	if phase == 1 {
		target = home
	}
	lo, hi := halves(at.lo, at.hi, phase)
	return at.to(at.flat(target, false), lo, hi, at.tag)
}

// minimalDragonfly is on VC 0 up to the link between groups, and then on VC 1.
func (s step) minimalDragonfly() routing.Choice {
	group := 2 * s.k
	in, own, home := s.at/group, s.at%group, s.home()
	vc := 0
	if s.in >= 0 {
		vc = s.vc
	}
	if home == s.at {
		return s.to(s.delivery(), vc, vc, 0)
	}
	target := home % group
	if to := home / group; to != in {
		if to > in {
			to--
		}
		if target = to / s.k; target == own {
			return s.to(s.k+group-1+to%s.k, 1, 1, 0)
		}
	}
	if target > own {
		target--
	}
	return s.to(s.k+target, vc, vc, 0)
}
