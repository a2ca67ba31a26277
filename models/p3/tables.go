package p3

// cpu stands in for the neighbour that a packet comes from if it comes from the PE itself.
const cpu = -2

// table is a Path Table: that of the channel from a neighbour; or, with cpu, that of all channels of a PE, or what
// its CPU decides by, which has none (paper, 4: its packets bear the direction in two more bits).
type table struct{ pe, from int }

// tables numbers the Path Tables of a plane.
type tables struct {
	all       []table // first one for each PE, in their order
	byChannel map[table]int
}

// tablesOf lists one table for each PE and, by channel, one for each of its neighbours: four inside a grid.
func tablesOf(p *Plane, byChannel bool) tables {
	t := tables{byChannel: map[table]int{}}
	for pe := range p.Across {
		t.all = append(t.all, table{pe, cpu})
	}
	for pe, across := range p.Across {
		for _, to := range across {
			x := table{pe, to}
			if _, known := t.byChannel[x]; !byChannel || to == Outside || known {
				continue
			}
			t.byChannel[x] = len(t.all)
			t.all = append(t.all, x)
		}
	}
	return t
}

// number returns that of the table which decides for packets at a PE from a neighbour, or from its CPU.
func (t *tables) number(pe, from int) int {
	if i, ok := t.byChannel[table{pe, from}]; ok {
		return i
	}
	return pe
}
