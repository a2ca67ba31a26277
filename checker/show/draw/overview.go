package draw

import "strconv"

// Overview is a picture of a large topology: nodes attached to a single node, such as hosts,
// become a number in that node's label, and the links between two nodes become one line.
// Rows become shorter, and their nodes move together.
func Overview(g *Graph) *Graph {
	type pair struct{ a, b int }
	lines := map[pair][]int{} // edges
	beside := make([]map[int]bool, len(g.Nodes))
	for i, e := range g.Edges {
		p := pair{min(e.From, e.To), max(e.From, e.To)}
		lines[p] = append(lines[p], i)
		for v, w := range map[int]int{e.From: e.To, e.To: e.From} {
			if beside[v] == nil {
				beside[v] = map[int]bool{}
			}
			beside[v][w] = true
		}
	}
	at := func(v int) int { // the node that v is attached to; v itself if it is not
		for w := range beside[v] {
			if len(beside[v]) == 1 && len(beside[w]) > 1 {
				return w
			}
		}
		return v
	}
	out := &Graph{Name: g.Name, EdgeGroups: g.EdgeGroups, NodeGroups: g.NodeGroups, Straight: g.Straight, Deep: g.Deep}
	number, hanging := map[int]int{}, make([]int, len(g.Nodes))
	for v := range g.Nodes {
		if w := at(v); w != v {
			hanging[w]++
			continue
		}
		number[v] = len(out.Nodes)
		out.Nodes = append(out.Nodes, g.Nodes[v])
	}
	scale := longestRow(out.Nodes) / longestRow(g.Nodes)
	for v, i := range number {
		n := &out.Nodes[i]
		if hanging[v] > 0 {
			n.Label += "\n+" + strconv.Itoa(hanging[v])
		}
		if n.At != nil {
			p := n.At.Times(scale)
			n.At = &p
		}
	}
	for i, e := range g.Edges {
		from, here := number[e.From]
		to, there := number[e.To]
		if all := lines[pair{min(e.From, e.To), max(e.From, e.To)}]; !here || !there || all[0] != i {
			continue
		} else if len(all) > 1 {
			e.Label, e.Tooltip = "", g.Nodes[e.From].Label+", "+g.Nodes[e.To].Label+": "+strconv.Itoa(len(all))+" links"
			for _, k := range all {
				e.Both = e.Both || g.Edges[k].From != e.From
			}
		}
		e.From, e.To = from, to
		if e.Stub != nil {
			half := e.Stub.Times(scale)
			e.Stub = &half
		}
		out.Edges = append(out.Edges, e)
	}
	return out
}

// longestRow returns the number of nodes in the longest row, at least 1.
func longestRow(nodes []Node) float64 {
	count, most := map[float64]int{}, 1
	for _, n := range nodes {
		if n.At != nil {
			count[n.At.Y]++
			most = max(most, count[n.At.Y])
		}
	}
	return float64(most)
}
