package hierarchy

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// LeafSpine returns a two-level fat tree (Leiserson, 1985): every leaf has a
// link to every spine and some hosts. A packet goes up to any spine and down
// again, on one VC. Only hosts send and receive.
func LeafSpine(leaves, spines, hosts int) (routing.Definition, error) {
	if leaves*hosts < 2 {
		return routing.Definition{}, fmt.Errorf("%d leaves, %d hosts a leaf: want 2 hosts or more", leaves, hosts)
	}
	t := spec.NewTopology()
	var leaf, host []spec.NodeID
	for i := range leaves {
		leaf = append(leaf, t.AddNode(fmt.Sprintf("leaf%d", i), i*hosts, 1))
	}
	for i := range spines {
		t.AddNode(fmt.Sprintf("spine%d", i), i, 2)
	}
	for i := range leaves * hosts {
		host = append(host, t.AddNode(fmt.Sprintf("host%d", i), i, 0))
	}
	firstHost := host[0]
	down := make([]spec.LinkID, leaves*hosts)
	for i, h := range host {
		_, down[i] = t.AddPair(h, leaf[i/hosts], 1)
	}
	toLeaf := make([]spec.LinkID, spines*leaves)
	for s := range spines {
		for l := range leaves {
			_, toLeaf[s*leaves+l] = t.AddPair(leaf[l], spec.NodeID(leaves+s), 1)
		}
	}
	upDown := routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, hd spec.Header) []spec.Hop {
		to := int(hd.Dest - firstHost)
		switch {
		case v >= firstHost: // a host has one link, up
			return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(v)[0], 0)})
		case int(v) >= leaves:
			return append(dst, spec.Hop{Channel: t.Channel(toLeaf[(int(v)-leaves)*leaves+to/hosts], 0)})
		case to/hosts == int(v):
			return append(dst, spec.Hop{Channel: t.Channel(down[to], 0)})
		}
		for _, l := range t.OutLinks(v) {
			if s := t.Link(l).To; int(s) >= leaves && s < firstHost {
				dst = append(dst, spec.Hop{Channel: t.Channel(l, 0)})
			}
		}
		return dst
	}}
	return routing.Definition{Name: "leaf-spine", Topology: t, Switching: spec.Wormhole,
		Flows:   func(src, dst spec.NodeID, _ spec.Class) bool { return src >= firstHost && dst >= firstHost },
		Routing: routing.Deliver(t, routing.Named("up to any spine, then down", upDown))}, nil
}

// KaryTree returns a k-ary n-tree (Petrini and Vanneschi, 1997): k^n processors and n
// levels of k^(n-1) switches. Switches (w, l) and (u, l+1) are joined if the digits of
// w and u agree everywhere except in digit l; processor p is attached to the switch of
// the last level whose digits are the first n-1 of p. A packet goes up any link until
// the destination is below, then down the only path; one VC.
func KaryTree(k, n int) (routing.Definition, error) {
	power := make([]int, n+1)
	power[0] = 1
	for i := range n {
		power[i+1] = power[i] * k
		if power[i+1] > 1<<16 {
			return routing.Definition{}, fmt.Errorf("a %d-ary %d-tree has more than 65536 processors", k, n)
		}
	}
	width := power[n-1]
	t := spec.NewTopology()
	for p := range power[n] {
		t.AddNode(fmt.Sprintf("p%d", p), p, 0)
	}
	node := func(w, l int) spec.NodeID { return spec.NodeID(power[n] + l*width + w) }
	for l := range n {
		for w := range width {
			t.AddNode(fmt.Sprintf("s%d.%d", l, w), w*k, n-l)
		}
	}
	// Digit i of a switch or processor, i = 0 the most significant of the n-1
	// digits that both have; the last digit of a processor is its port.
	digit := func(w, i int) int { return w / power[n-2-i] % k }
	up := make([][]spec.LinkID, n*width) // by switch
	down := make([][]spec.LinkID, n*width)
	for l := range n - 1 {
		for w := range width {
			for d := range k {
				u := w + (d-digit(w, l))*power[n-2-l]
				below, above := t.AddPair(node(w, l), node(u, l+1), 1)
				down[l*width+w] = append(down[l*width+w], below)
				up[(l+1)*width+u] = append(up[(l+1)*width+u], above)
			}
		}
	}
	for p := range power[n] {
		_, to := t.AddPair(spec.NodeID(p), node(p/k, n-1), 1)
		down[(n-1)*width+p/k] = append(down[(n-1)*width+p/k], to)
	}
	upDown := routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, hd spec.Header) []spec.Hop {
		p := int(hd.Dest)
		if int(v) < power[n] {
			return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(v)[0], 0)})
		}
		l, w := (int(v)-power[n])/width, (int(v)-power[n])%width
		for i := range l {
			if digit(w, i) != digit(p/k, i) {
				for _, link := range up[l*width+w] {
					dst = append(dst, spec.Hop{Channel: t.Channel(link, 0)})
				}
				return dst
			}
		}
		port := p % k
		if l < n-1 {
			port = digit(p/k, l)
		}
		return append(dst, spec.Hop{Channel: t.Channel(down[l*width+w][port], 0)})
	}}
	return routing.Definition{Name: "k-ary n-tree", Topology: t, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
			return int(src) < power[n] && int(dst) < power[n]
		},
		Routing: routing.Deliver(t, routing.Named("up any link, then down", upDown))}, nil
}
