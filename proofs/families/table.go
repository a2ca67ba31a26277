package families

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

var ties = map[string][]string{"tie": {"positive", "negative", "adaptive", "parity"}}

// All lists the families, in the order of the guide.
func All() []Family {
	return []Family{
		xy(),
		turnModel("west-first", "Routing without turns to west", "Glass and Ni 1992", "NW"),
		turnModel("north-last", "Routing without turns away from north", "Glass and Ni 1992", "NW"),
		turnModel("negative-first", "Routing without turns from east or north to west or south", "Glass and Ni 1992", "NW"),
		turnModel("odd-even", "Odd-even routing", "Chiu 2000", ""),
		duatoMesh(),
		dateline(),
		crossing(),
		starChannel(),
		duatoTorus(),
		bubble(),
		bubbleAdaptive(),
		eCube(),
		pCube(),
		cccb(),
		upDown(),
		hopIndex(),
		peach2(),
	}
}

func xy() Family {
	return Family{
		Name: "xy",
		Theorem: "Dimension order on every mesh of k^n nodes, k >= 2, n >= 1, is deadlock-free under every " +
			"switching.",
		Reading: "A packet goes in the lowest dimension that has hops left. Every hop lowers the rank of the " +
			"channel: the dimension rises, or the end of the row comes nearer.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Sullivan and Bashkow 1977",
		SMT:       "xy.smt2",
		Coq:       theorems("Mesh.v", "xy_lowered", "xy_never_stuck"),
		Kind:      proofs.Rank,
		variables: onGrid,
		Members: []Network{{
			Model: "mesh", Set: []string{"routing=xy"},
			Sizes: map[string][]int{"k": {2, 3, 5}, "n": {1, 2, 3}},
		}},
		Refuted: []Network{{
			Model: "mesh", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"k": {2, 3}}, Why: "dimensions in any order",
		}},
	}
}

// turnModel is the family of a turn model. half names one of its two forbidden turns, which is permitted in a network that
// is refuted; "" if there is none.
func turnModel(model, what, source, half string) Family {
	f := Family{
		Name:    model,
		Theorem: what + " on every mesh of k x k nodes, k >= 2, is deadlock-free under every switching.",
		Reading: "Every hop that is no forbidden turn, and does not turn back on the spot, lowers the rank of " +
			"the channel. So the channel dependency graph is acyclic, whichever of those hops the router " +
			"permits.",
		Sizes:     "k >= 2",
		Source:    source,
		SMT:       model + ".smt2",
		Coq:       theorems("Turns.v", strings.ReplaceAll(model, "-", "_")+"_never_stuck"),
		Kind:      proofs.Rank,
		variables: turning,
		Members: []Network{{
			Model: "turn-model", Set: []string{"model=" + model},
			Sizes: map[string][]int{"k": {2, 3, 4, 5, 7}},
		}},
		Refuted: []Network{{
			Model: "mesh", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"k": {3}}, Why: "every turn is permitted",
		}},
	}
	if half != "" {
		f.Refuted = append(f.Refuted, Network{
			Model: "turn-model", Set: []string{"model=chosen", "forbid=" + half},
			Sizes: map[string][]int{"k": {3}}, Why: "one of its two forbidden turns is permitted",
		})
	}
	return f
}

func duatoMesh() Family {
	return Family{
		Name: "duato-mesh",
		Theorem: "Any minimal hop on VC 1 with dimension order on VC 0 as the escape, on every mesh of k^n " +
			"nodes, k >= 2, n >= 1, is deadlock-free under every switching.",
		Reading: "A waiting packet is offered a channel of the escape whose rank is below those of all " +
			"channels that it may still hold. So among packets that wait for each other there is none " +
			"whose escape ranks lowest.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Duato 1993",
		SMT:       "duato-mesh.smt2",
		Coq:       theorems("DuatoMesh.v", "duato_escapes", "duato_never_stuck"),
		Kind:      proofs.ExtendedEscape,
		Escape:    1,
		variables: onGrid,
		Members: []Network{{
			Model: "mesh", Set: []string{"routing=duato"},
			Sizes: map[string][]int{"k": {2, 3, 4}, "n": {1, 2, 3}},
		}},
		Refuted: []Network{{
			Model: "mesh", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"k": {3}}, Why: "one VC fewer",
		}},
	}
}

// withoutDatelines are networks of dimension order that lose its ranks: with one VC, and with dimensions in any order.
func withoutDatelines() []Network {
	return []Network{
		{
			Model: "torus", Set: []string{"routing=dor"},
			Sizes: map[string][]int{"k": {5}}, Why: "one VC fewer",
		},
		{
			Model: "torus", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"k": {4}}, Why: "dimensions in any order",
		},
	}
}

func dateline() Family {
	return Family{
		Name: "dateline",
		Theorem: "Dimension order with datelines on every k-ary n-cube, k >= 2, n >= 1, is deadlock-free under " +
			"every switching, for every rule at distance k/2.",
		Reading: "A packet goes in the lowest dimension that has hops left, along a shortest way, on VC 0 " +
			"while the wrap-around link lies ahead and on VC 1 otherwise. Every hop lowers the rank of " +
			"the channel.",
		Sizes:  "k >= 2, n >= 1",
		Source: "Dally and Seitz 1987",
		SMT:    "dateline.smt2",
		Coq: slices.Concat(theorems("Dateline.v", "dateline_lowered", "dateline_never_stuck"),
			theorems("DatelineStates.v", "dateline_states", "dateline_wormhole", "dateline_no_packet_waits")),
		Kind:      proofs.Rank,
		variables: onGrid,
		Members: []Network{{
			Model: "torus", Set: []string{"routing=dateline"},
			Sizes: map[string][]int{"k": {2, 3, 4, 5, 6}, "n": {1, 2, 3}}, Vary: ties,
		}},
		Refuted: withoutDatelines(),
	}
}

func crossing() Family {
	return Family{
		Name: "crossing",
		Theorem: "Dimension order with VC 1 from the wrap-around link on, on every k-ary n-cube, k >= 2, n >= " +
			"1, is deadlock-free under every switching, for every rule at distance k/2.",
		Reading: "The VC depends on the channel that the packet holds. An invariant is proved with the rank: " +
			"on VC 1, behind the wrap-around link, none lies ahead. Every hop between places where " +
			"packets can be lowers the rank.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "after Dally and Seitz 1987",
		SMT:       "crossing.smt2",
		Coq:       theorems("Crossing.v", "crossing_lowered", "crossing_never_stuck"),
		Kind:      proofs.Rank,
		variables: onGrid,
		Members: []Network{{
			Model: "torus", Set: []string{"routing=crossing"},
			Sizes: map[string][]int{"k": {2, 3, 4, 5, 6}, "n": {1, 2, 3}}, Vary: ties,
		}},
		Refuted: withoutDatelines(),
	}
}

func starChannel() Family {
	return Family{
		Name: "star-channel",
		Theorem: "The *-channel scheme on every k-ary n-cube, k >= 2, n >= 1, is deadlock-free under every " +
			"switching, for every rule at distance k/2.",
		Reading: "CA in the lowest dimension with hops left, and CH there where no wrap-around link lies " +
			"ahead, are the escape; CF takes any minimal hop. A waiting packet is offered a channel of " +
			"the escape whose rank is below those of all channels that it may still hold.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Sugiyama and Funahashi",
		SMT:       "star-channel.smt2",
		Coq:       theorems("StarChannel.v", "star_escapes", "star_never_stuck"),
		Kind:      proofs.ExtendedEscape,
		Escape:    2,
		variables: onGrid,
		Members: []Network{{
			Model: "star-channel",
			Sizes: map[string][]int{"k": {2, 3, 4, 5}, "n": {1, 2, 3}}, Vary: ties,
		}},
		Refuted: []Network{
			{
				Model: "star-channel", Set: []string{"ch=never"},
				Sizes: map[string][]int{"k": {4, 5}}, Why: "one VC fewer",
			},
			{
				Model: "star-channel", Set: []string{"ch=always"},
				Sizes: map[string][]int{"k": {4, 5}}, Why: "CH before the wrap-around link",
			},
			{
				Model: "star-channel", Set: []string{"ca=always"},
				Sizes: map[string][]int{"k": {4}}, Why: "the escape in any dimension",
			},
		},
	}
}

func duatoTorus() Family {
	return Family{
		Name: "duato-torus",
		Theorem: "Any minimal hop on VC 2 with datelines on VC 0 and VC 1 as the escape, on every k-ary " +
			"n-cube, k >= 2, n >= 1, is deadlock-free under every switching, for every rule at distance k/2.",
		Reading: "A waiting packet is offered a channel of the escape whose rank is below those of all " +
			"channels that it may still hold.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Duato 1993",
		SMT:       "duato-torus.smt2",
		Coq:       theorems("DuatoTorus.v", "duato_torus_escapes", "duato_torus_never_stuck"),
		Kind:      proofs.ExtendedEscape,
		Escape:    2,
		variables: onGrid,
		Members: []Network{{
			Model: "torus", Set: []string{"routing=duato"},
			Sizes: map[string][]int{"k": {2, 3, 4, 5}, "n": {1, 2, 3}}, Vary: ties,
		}},
		Refuted: []Network{{
			Model: "torus", Set: []string{"routing=adaptive"}, Sizes: map[string][]int{"k": {4}}, Why: "no escape",
		}},
	}
}

func bubble() Family {
	return Family{
		Name: "bubble",
		Theorem: "Dimension order with bubbles and one VC on every k-ary n-cube, k >= 2, n >= 1, is " +
			"deadlock-free for whole packets, for every rule at distance k/2, if every channel has two places.",
		Reading: "A packet enters a ring only if two places of the channel are free, so one of the ring stays " +
			"free, and its packets can go round or to a lower level. The conditions are those of the ring theorem.",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Carrión et al. 1997; Puente et al. 2001",
		SMT:       "bubble.smt2",
		Coq:       theorems("BubbleTorus.v", "bubble_drains", "bubble_never_stuck"),
		Escape:    1,
		variables: onGrid,
		Members: []Network{
			{
				Model: "torus", Set: []string{"routing=bubble", "adaptive=0"},
				Sizes: map[string][]int{"k": {2, 3, 4, 5}, "n": {1, 2, 3}}, Vary: ties,
			},
			{
				Model: "ring", Set: []string{"variant=two-way", "buffer=2"}, Flags: "--bubble 2",
				Sizes: map[string][]int{"n": {2, 3, 4, 5, 8}}, Vary: ties,
			},
		},
		Refuted: []Network{{
			Model: "ring", Set: []string{"variant=two-way", "buffer=2"},
			Sizes: map[string][]int{"n": {4, 5}}, Why: "no bubbles",
		}},
	}
}

func bubbleAdaptive() Family {
	return Family{
		Name: "bubble-adaptive",
		Theorem: "Dimension order with bubbles on VC 0, and any minimal hop on any number of other VCs, on every k-ary " +
			"n-cube, k >= 2, n >= 1, is deadlock-free for whole packets, for every rule at distance k/2, if every " +
			"channel of VC 0 has two places.",
		Reading: "A packet on another VC is always offered a hop on VC 0, which lies below. There a ring keeps a " +
			"free place, and its packets can go round or to a lower level. Coq also proves that without " +
			"bubbles a packet can be stuck for good, for every k >= 5, and for k = 4 if the way up is permitted (bubbles_needed).",
		Sizes:     "k >= 2, n >= 1",
		Source:    "Puente et al. 2001",
		SMT:       "bubble-adaptive.smt2",
		Coq:       theorems("BubbleTorus.v", "bubble_drains", "bubble_never_stuck", "bubbles_needed"),
		Escape:    1,
		variables: onGrid,
		Members: []Network{{
			Model: "torus", Set: []string{"routing=bubble"},
			Sizes: map[string][]int{"k": {2, 3, 4, 5}, "n": {1, 2, 3}, "adaptive": {1, 2}}, Vary: ties,
		}},
		Refuted: []Network{{
			Model: "torus", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"k": {4}}, Why: "no VC with bubbles",
		}},
	}
}

func eCube() Family {
	return Family{
		Name:    "e-cube",
		Theorem: "E-cube on every binary n-cube, n >= 1, is deadlock-free under every switching.",
		Reading: "A packet goes in the lowest dimension in which it differs from its destination; each hop is " +
			"in a higher one.",
		Sizes:  "n >= 1",
		Source: "Sullivan and Bashkow 1977",
		SMT:    "e-cube.smt2",
		Coq:    theorems("Ecube.v", "ecube_lowered", "ecube_never_stuck"),
		Kind:   proofs.Rank,
		variables: func(t *spec.Topology) variables {
			return func(c spec.ChannelID) map[string]int {
				l := t.Link(t.LinkOf(c))
				return map[string]int{"n": len(t.Node(l.From).At), "dim": l.Dim - 1}
			}
		},
		Members: []Network{{
			Model: "hypercube", Set: []string{"routing=e-cube"},
			Sizes: map[string][]int{"n": {1, 2, 3, 4, 5, 6}},
		}},
		Refuted: []Network{{
			Model: "hypercube", Set: []string{"routing=adaptive"},
			Sizes: map[string][]int{"n": {2, 3}}, Why: "dimensions in any order",
		}},
	}
}

func pCube() Family {
	return Family{
		Name:    "p-cube",
		Theorem: "P-cube on every binary n-cube, n >= 1, is deadlock-free under every switching.",
		Reading: "A packet clears bits in any order, then sets bits in any order. Every hop lowers the rank.",
		Sizes:   "n >= 1",
		Source:  "Glass and Ni 1992",
		SMT:     "p-cube.smt2",
		Coq:     theorems("Pcube.v", "pcube_lowered", "pcube_never_stuck"),
		Kind:    proofs.Rank,
		variables: func(t *spec.Topology) variables {
			return func(c spec.ChannelID) map[string]int {
				l := t.Link(t.LinkOf(c))
				v := map[string]int{"n": len(t.Node(l.From).At), "up": truth(t.Node(l.To).At[l.Dim-1] == 1)}
				for _, bit := range t.Node(l.From).At {
					v["ones"] += bit
				}
				return v
			}
		},
		Members: []Network{{
			Model: "hypercube", Set: []string{"routing=p-cube"}, Sizes: map[string][]int{"n": {1, 2, 3, 4, 5, 6}},
		}},
		Refuted: []Network{{
			Model: "hypercube", Set: []string{"routing=adaptive"}, Sizes: map[string][]int{"n": {2, 3}},
			Why: "bits set before all are cleared",
		}},
	}
}

func cccb() Family {
	return Family{
		Name: "cccb",
		Theorem: "CCCB with spiral buffers and 3 VCs is deadlock-free under every switching for every length n " +
			">= 1 of its rings, if bit x of z is corrected before bit x of y.",
		Reading: "A bit is corrected at the first visit of its position, so no packet passes the border " +
			"between n-1 and 0 three times, and none needs a fourth VC. Every hop lowers the rank. Coq also " +
			"proves that 2 VCs deadlock for every n >= 3 (two_vcs_deadlock).",
		Sizes:  "n >= 1",
		Source: "Yokota et al.: the RWC-1 router",
		SMT:    "cccb.smt2",
		Coq: append(theorems("CCCB.v", "cccb_three_vcs", "cccb_lowered", "cccb_never_stuck"),
			theorems("CCCBTwo.v", "two_vcs_deadlock")...),
		Kind: proofs.Rank,
		variables: func(t *spec.Topology) variables {
			n := t.Node(spec.NodeID(t.Nodes() - 1)).At[0] + 1
			return func(c spec.ChannelID) map[string]int {
				l := t.Link(t.LinkOf(c))
				return map[string]int{"n": n, "x": t.Node(l.From).At[0], "vc": t.VC(c), "ccc": truth(l.Dim == 3)}
			}
		},
		Members: []Network{{Model: "cccb", Sizes: map[string][]int{"n": {2, 3, 4}}}},
		Refuted: []Network{
			{
				Model: "cccb", Set: []string{"vcs=2"},
				Sizes: map[string][]int{"n": {2, 3}}, Why: "one VC fewer",
			},
			{
				Model: "cccb", Set: []string{"order=banyan-first"},
				Sizes: map[string][]int{"n": {3}}, Why: "y before z",
			},
		},
	}
}

func upDown() Family {
	return Family{
		Name: "up-down",
		Theorem: "Up*/down* on every graph whose links have one back, with every order of its nodes, is " +
			"deadlock-free under every switching.",
		Reading: "A link to a node that comes earlier is up; no packet goes up after it has gone down. Up " +
			"channels rank by the place of their tail, and above all down channels.",
		Sizes:     "graph with links both ways, order of its nodes",
		Source:    "Schroeder et al. 1991",
		SMT:       "up-down.smt2",
		Coq:       theorems("UpDown.v", "updown_lowered", "updown_never_stuck", "updown_connected"),
		Kind:      proofs.Rank,
		variables: ordered,
		Members: []Network{
			{
				Model: "graph", Set: []string{"routing=up-down"},
				Vary: map[string][]string{"graph": {"petersen", "complete", "torus"}},
			},
			{
				Model: "graph", Set: []string{"routing=up-down-any", "graph=random"},
				Sizes: map[string][]int{"n": {8, 13}, "seed": {1, 2, 3}},
			},
		},
		Refuted: []Network{{Model: "graph", Set: []string{"routing=minimal"}, Why: "up after down"}},
	}
}

func hopIndex() Family {
	return Family{
		Name: "hop-index",
		Theorem: "Hop number i on VC i, on every graph with as many VCs as the longest path has hops, is " +
			"deadlock-free under every switching.",
		Reading: "The VC rises at every hop.",
		Sizes:   "graph with a VC for each hop of its longest path",
		Source:  "Günther 1981",
		SMT:     "hop-index.smt2",
		Coq:     theorems("HopIndex.v", "hopindex_lowered", "hopindex_never_stuck"),
		Kind:    proofs.Rank,
		variables: func(t *spec.Topology) variables {
			return func(c spec.ChannelID) map[string]int {
				return map[string]int{"n": t.Link(t.LinkOf(c)).VCs, "vc": t.VC(c)}
			}
		},
		Members: []Network{
			{
				Model: "graph", Set: []string{"routing=hop-indexed"},
				Vary: map[string][]string{"graph": {"petersen", "complete", "torus"}},
			},
			{
				Model: "graph", Set: []string{"routing=hop-indexed", "graph=random"},
				Sizes: map[string][]int{"n": {8, 13}, "seed": {1, 2, 3}},
			},
			{Model: "detour"},
		},
		Refuted: []Network{{Model: "detour", Set: []string{"vcs=1"}, Why: "one VC fewer"}},
	}
}

// theorems names those of a file.
func theorems(file string, names ...string) []Statement {
	var all []Statement
	for _, t := range names {
		all = append(all, Statement{file, t})
	}
	return all
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// variables gives the values of a formula's variables for a channel.
type variables = func(spec.ChannelID) map[string]int

// onGrid gives for a channel of a mesh or torus: k and n, its dimension from 0 on, its direction, the position of its
// tail in the dimension, and its VC.
func onGrid(t *spec.Topology) variables {
	far := t.Node(spec.NodeID(t.Nodes() - 1)).At // the corner
	return func(c spec.ChannelID) map[string]int {
		l := t.Link(t.LinkOf(c))
		return map[string]int{
			"k": far[0] + 1, "n": len(far), "dim": l.Dim - 1, "up": truth(strings.HasPrefix(l.Out, "+")),
			"x": t.Node(l.From).At[l.Dim-1], "vc": t.VC(c),
		}
	}
}

// turning gives for a channel of a plane mesh: k, its dimension and direction, and the node that it leaves.
func turning(t *spec.Topology) variables {
	k := t.Node(spec.NodeID(t.Nodes() - 1)).At[0] + 1
	return func(c spec.ChannelID) map[string]int {
		l := t.Link(t.LinkOf(c))
		from, to := t.Node(l.From).At, t.Node(l.To).At
		return map[string]int{
			"k": k, "dim": l.Dim - 1, "up": truth(to[l.Dim-1] > from[l.Dim-1]), "x": from[0], "y": from[1],
		}
	}
}

// ordered gives for a channel of any graph: its number of nodes, and the places of tail and head in the order of the
// distances from node 0, then of the numbers.
func ordered(t *spec.Topology) variables {
	level, _ := bfs.Levels(t.Nodes(), []spec.NodeID{0}, func(v spec.NodeID, visit func(spec.NodeID)) {
		for _, l := range t.InLinks(v) {
			visit(t.Link(l).From)
		}
	})
	nodes := make([]int, t.Nodes())
	for v := range nodes {
		nodes[v] = v
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(level[a], level[b]) })
	place := make([]int, len(nodes))
	for i, v := range nodes {
		place[v] = i
	}
	return func(c spec.ChannelID) map[string]int {
		return map[string]int{"n": len(nodes), "tail": place[t.Tail(c)], "head": place[t.Head(c)]}
	}
}

func peach2() Family {
	return Family{
		Name: "peach2",
		Theorem: "PEACH2 boards in one ring or two, joined by S at every board, with minimal routing along the ring " +
			"first and VC 1 from the cable between the last board and board 0 on, are deadlock-free under every " +
			"switching, for every number of boards >= 2 and every rule at half the ring.",
		Reading: "Along a ring the proof is that of crossing. A cable S is the last of a path, so its channels " +
			"rank below those of both rings.",
		Sizes:     "number of boards >= 2",
		Source:    "network: Hanawa, Kodama, Boku and Sato 2013; rank: after Dally and Seitz 1987",
		SMT:       "peach2.smt2",
		Coq:       theorems("Boards.v", "boards_lowered", "boards_never_stuck"),
		Kind:      proofs.Rank,
		variables: boards,
		Members: []Network{{
			Model: "peach2", Set: []string{"variant=dateline"}, Sizes: map[string][]int{"n": {2, 3, 4, 5, 8, 16}},
			Vary: map[string][]string{"rings": {"1", "2"}, "tie": {"east", "west", "alternate"}},
		}},
		Refuted: []Network{{
			Model: "peach2", Set: []string{"rings=2"}, Sizes: map[string][]int{"n": {4, 5}}, Why: "one VC fewer",
		}},
	}
}

// boards gives for a channel of PEACH2 boards: the boards of a ring, its port, and the board that it leaves.
func boards(t *spec.Topology) variables {
	k := t.Nodes()
	for l := range spec.LinkID(t.Links()) {
		if t.Link(l).Out == "S" {
			k = t.Nodes() / 2
		}
	}
	return func(c spec.ChannelID) map[string]int {
		l := t.Link(t.LinkOf(c))
		return map[string]int{
			"k": k, "south": truth(l.Out == "S"), "up": truth(l.Out == "E"), "x": int(l.From) % k, "vc": t.VC(c),
		}
	}
}
