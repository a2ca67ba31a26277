package checker

import "context"

// frame is a state on the way of the search, the least order that is known to be
// reached from it, and its next step.
type frame struct {
	state int32
	least int32
	step  uint32
}

// components finds the strongly connected parts of what is kept, those that
// others lead to first (Tarjan 1972, without recursion), in time and memory
// proportional to the graph.
//
// One array holds both the states of finished parts, from its beginning on, and
// Tarjan's stack, which grows down from its end: no state is in both, so they
// never meet. A state's least order is needed only while it is on the way.
func (g *flowGraph) components(ctx context.Context) error {
	top := len(g.members) // of the stack
	done := 0             // states of finished parts
	g.bounds = append(g.bounds[:0], 0)
	g.path = g.path[:0]
	seen := int32(0)
	visit := func(i int32) {
		g.order[i], g.part[i] = seen, onStack
		seen++
		top--
		g.members[top] = i
		g.path = append(g.path, frame{i, g.order[i], g.first[i]})
	}
	for root := range int32(g.states) {
		if !goesOn(ctx, int(root)) {
			return ctx.Err()
		}
		if g.part[root] != unseen {
			continue
		}
		visit(root)
		for len(g.path) > 0 {
			f := &g.path[len(g.path)-1]
			if f.step < g.first[f.state+1] {
				e := f.step
				f.step++
				switch j := g.to[e]; {
				case g.part[j] != unseen && g.part[j] != onStack || g.kept != nil && !g.kept[e]:
				case g.part[j] == unseen:
					if visit(j); !goesOn(ctx, int(seen)) {
						return ctx.Err()
					}
				default:
					f.least = min(f.least, g.order[j])
				}
				continue
			}
			i, least := f.state, f.least
			g.path = g.path[:len(g.path)-1]
			if len(g.path) > 0 {
				up := &g.path[len(g.path)-1]
				up.least = min(up.least, least)
			}
			if least == g.order[i] {
				p := int32(g.parts())
				for {
					j := g.members[top]
					top++
					g.part[j] = p
					g.members[done] = j
					done++
					if j == i {
						break
					}
				}
				g.bounds = append(g.bounds, int32(done))
			}
		}
	}
	return nil
}
