package booksim

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

const (
	mostRouters  = 1 << 20
	mostChannels = 1 << 24
	mostVCs      = 1 << 10
)

// graph is a topology with BookSim's numbers: of routers, of the nodes at them, and of the ports of routers. Where each
// router has one node they are one node here, as in meshes and tori; elsewhere a node is a node of its own, with a link
// to its router, whose VCs are the buffers that it injects into, and a link from a router.
type graph struct {
	topology *spec.Topology
	k, n, c  int
	vcs      int

	router []spec.NodeID   // by router
	node   []spec.NodeID   // by node
	number []int32         // by [spec.NodeID]: the router, or the node if it is none
	out    [][]spec.LinkID // by router and port; -1: no link
	port   []int32         // by link: the port at which it enters its router
	inject []spec.LinkID   // by node: its link to a router; nil if nodes are routers
	at     []int32         // by node: the router that delivers to it

	latency map[spec.LinkID]int // of an anynet
}

const none = spec.LinkID(-1)

// newGraph adds routers and, if they are of their own, nodes.
func newGraph(k, n, c, vcs, routers, ports, nodes int, name func(router int) (string, []int)) *graph {
	g := &graph{topology: spec.NewTopology(), k: k, n: n, c: c, vcs: vcs}
	for r := range routers {
		text, at := name(r)
		g.router = append(g.router, g.topology.AddNode(text, at...))
		g.number = append(g.number, int32(r))
		row := make([]spec.LinkID, ports)
		for p := range row {
			row[p] = none
		}
		g.out = append(g.out, row)
	}
	if nodes == 0 {
		g.node = g.router
		g.at = g.number
		return g
	}
	g.inject, g.at = make([]spec.LinkID, nodes), make([]int32, nodes)
	for i := range nodes {
		g.node = append(g.node, g.topology.AddNode(fmt.Sprint("n", i)))
		g.number = append(g.number, int32(i))
	}
	return g
}

func (g *graph) add(l spec.Link, port int) spec.LinkID {
	l.VCs = g.vcs
	g.port = append(g.port, int32(port))
	return g.topology.AddLink(l)
}

// link joins port out of a router to port in of another.
func (g *graph) link(from, out, to, in int, name, other string, dim int) {
	g.out[from][out] = g.add(spec.Link{From: g.router[from], To: g.router[to], Out: name, In: other, Dim: dim}, in)
}

// attach joins a node to port of a router, and port of another one to it.
func (g *graph) attach(node, from, in, to, out int) {
	g.inject[node] = g.add(spec.Link{From: g.node[node], To: g.router[from]}, in)
	g.out[to][out] = g.add(spec.Link{From: g.router[to], To: g.node[node]}, 0)
	g.at[node] = int32(to)
}

// digit returns digit d of a number to the base k, from 0.
func (g *graph) digit(x, d int) int { return x / power(g.k, d) % g.k }

// power returns k to the power of n, at most mostChannels+1.
func power(k, n int) int {
	x := 1
	for range n {
		if x *= k; x > mostChannels {
			return mostChannels + 1
		}
	}
	return x
}

// cube returns a mesh or torus (kncube.cpp): out port 2d leads up in dimension d, 2d+1 down, and a packet from above
// comes in at port 2d. A router's number has its place in dimension 0 as its lowest digit.
func cube(k, n, vcs int, wraps bool) *graph {
	routers := power(k, n)
	g := newGraph(k, n, 1, vcs, routers, 2*n, 0, func(r int) (string, []int) {
		at := make([]int, n)
		for d := range at {
			at[d] = r / power(k, d) % k
		}
		return routing.CoordinateName(at...), at
	})
	for r := range routers {
		for d := range n {
			step, x := power(k, d), g.digit(r, d)
			up, down := fmt.Sprintf("+%d", d), fmt.Sprintf("-%d", d)
			if x < k-1 || wraps {
				g.link(r, 2*d, r-x*step+(x+1)%k*step, 2*d+1, up, down, d+1)
			}
			if x > 0 || wraps {
				g.link(r, 2*d+1, r-x*step+(x+k-1)%k*step, 2*d, down, up, d+1)
			}
		}
	}
	return g
}

func plain(name string) func(int) (string, []int) {
	return func(r int) (string, []int) { return fmt.Sprint(name, r), nil }
}

// fly returns a butterfly (fly.cpp) of n stages.
func fly(k, n, vcs int) *graph {
	stage := power(k, n-1)
	g := newGraph(k, n, 1, vcs, n*stage, k, k*stage, func(r int) (string, []int) {
		return fmt.Sprintf("r%d.%d", r/stage, r%stage), nil
	})
	for s := 1; s < n; s++ {
		shift := power(k, n-s-1)
		for a := range stage {
			for p := range k {
				zero := a / shift % k
				g.link((s-1)*stage+a-zero*shift+p*shift, zero, s*stage+a, p, fmt.Sprint(zero), fmt.Sprint(p), 0)
			}
		}
	}
	for i := range k * stage {
		g.attach(i, i/k, i%k, (n-1)*stage+i/k, i%k)
	}
	return g
}

// fatTree returns a fat tree (fattree.cpp) of n levels, of which 0 is the top: ports up to k lead down, the others up.
func fatTree(k, n, vcs int) *graph {
	level := power(k, n-1)
	g := newGraph(k, n, 1, vcs, n*level, 2*k, k*level, func(r int) (string, []int) {
		return fmt.Sprintf("r%d.%d", r/level, r%level), nil
	})
	for l := 1; l < n; l++ {
		hood, branch := power(k, n-l), power(k, n-1-l) // routers of a neighbourhood above, and of its branch
		for pos := range level {
			for p := range k {
				// Both ways: port p of the lower router, and port (own place in the neighbourhood) / branch of the upper.
				other := pos/hood*hood + p*branch + pos%branch
				q := pos % hood / branch
				up, down := fmt.Sprint("up", p), fmt.Sprint("down", q)
				g.link(l*level+pos, k+p, (l-1)*level+other, q, up, down, 0)
				g.link((l-1)*level+other, q, l*level+pos, k+p, down, up, 0)
			}
		}
	}
	for i := range k * level {
		bottom := (n-1)*level + i/k
		g.attach(i, bottom, i%k, bottom, i%k)
	}
	return g
}

// concentratedMesh returns a mesh of k x k routers with four nodes each and express channels along its edges
// (cmesh.cpp): port 4 leads right, 5 left, 6 up, 7 down.
func concentratedMesh(k, vcs int) *graph {
	const c, half = 4, 2
	names := []string{"+x", "-x", "+y", "-y"}
	g := newGraph(k, 2, c, vcs, k*k, c+4, c*k*k, func(r int) (string, []int) {
		return fmt.Sprintf("r(%d,%d)", r%k, r/k), []int{r % k, r / k}
	})
	for r := range k * k {
		x, y := r%k, r/k
		across := func(at int) int { return (at + k/2) % k }
		for p, to := range []struct {
			x, y int
			edge bool
		}{{x + 1, y, x == k-1}, {x - 1, y, x == 0}, {x, y + 1, y == k-1}, {x, y - 1, y == 0}} {
			in := p ^ 1
			switch { // what leaves at an edge goes half of the edge along, and comes in where it left
			case to.edge && p < 2:
				to.x, to.y, in = x, across(y), p
			case to.edge:
				to.x, to.y, in = across(x), y, p
			}
			g.link(r, c+p, to.y*k+to.x, c+in, names[p], names[in], 1+p/2)
		}
	}
	for i := range c * k * k {
		x, y := i%(half*k), i/(half*k)
		r := y/half*k + x/half
		g.attach(i, r, y%half*half+x%half, r, y%half*half+x%half)
	}
	return g
}

// flattenedButterfly returns a flattened butterfly (flatfly_onchip.cpp): in each dimension a link to every other
// router. The nodes of a chip of x times y routers stand in rows, xr times yr at each router.
func flattenedButterfly(k, n, c, vcs, x, xr int) *graph {
	routers := power(k, n)
	g := newGraph(k, n, c, vcs, routers, c+(k-1)*n, c*routers, plain("r"))
	for r := range routers {
		for d := range n {
			own := g.digit(r, d)
			for other := range k {
				if other != own {
					g.link(r, g.across(d, own, other), r+(other-own)*power(k, d), g.across(d, other, own),
						fmt.Sprintf("%d.%d", d, other), fmt.Sprintf("%d.%d", d, own), d+1)
				}
			}
		}
	}
	for i := range c * routers {
		column, row := i%(x*xr), i/(x*xr)
		r := row/xr*x + column/xr
		g.attach(i, r, row%xr*xr+column%xr, r, row%xr*xr+column%xr)
	}
	return g
}

// across returns the port of a router of a flattened butterfly that leads in dimension d from its own place to another.
func (g *graph) across(d, own, other int) int {
	if other > own {
		other--
	}
	return g.c + (g.k-1)*d + other
}

// dragonfly returns a dragonfly (dragonfly.cpp): groups of 2k routers with k nodes each, a link between any two routers
// of a group, then k links to other groups, one between any two groups.
func dragonfly(k, vcs int) *graph {
	group := 2 * k
	groups := group*k + 1
	g := newGraph(k, 1, k, vcs, group*groups, k+group-1+k, k*group*groups, func(r int) (string, []int) {
		return fmt.Sprintf("g%d.%d", r/group, r%group), nil
	})
	skip := func(own, i int) int { // place i of those without the own one
		if i < own {
			return i
		}
		return i + 1
	}
	left := func(own, other int) int { // its inverse
		if other > own {
			return other - 1
		}
		return other
	}
	for r := range group * groups {
		in, own := r/group, r%group
		for i := range group - 1 {
			to := skip(own, i)
			g.link(r, k+i, in*group+to, k+left(to, own), fmt.Sprint("local", to), fmt.Sprint("local", own), 0)
		}
		for i := range k {
			to := skip(in, own*k+i)
			back := left(to, in)
			g.link(r, k+group-1+i, to*group+back/k, k+group-1+back%k, fmt.Sprint("global", i), fmt.Sprint("global", back%k), 0)
		}
	}
	for i := range k * group * groups {
		g.attach(i, i/k, i%k, i/k, i%k)
	}
	return g
}
