package draw

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// shaping is a topology without directions.
type shaping struct {
	t      *spec.Topology
	beside [][]int // by node: its neighbors, ascending
	core   [][]int // without hosts; nil for a host
	host   []bool
	hosts  map[int][]int // by switch
	nodes  []int         // of the core
}

func newShaping(t *spec.Topology) *shaping {
	s := &shaping{
		t: t, beside: make([][]int, t.Nodes()), core: make([][]int, t.Nodes()), host: make([]bool, t.Nodes()),
		hosts: map[int][]int{},
	}
	for l := range spec.LinkID(t.Links()) {
		if k := t.Link(l); k.From != k.To {
			s.beside[k.From] = append(s.beside[k.From], int(k.To))
			s.beside[k.To] = append(s.beside[k.To], int(k.From))
		}
	}
	for v := range s.beside {
		slices.Sort(s.beside[v])
		s.beside[v] = slices.Compact(s.beside[v])
		s.host[v] = len(s.beside[v]) == 1
	}
	for v, ws := range s.beside {
		if s.host[v] {
			s.hosts[ws[0]] = append(s.hosts[ws[0]], v)
			continue
		}
		s.nodes = append(s.nodes, v)
		for _, w := range ws {
			if !s.host[w] {
				s.core[v] = append(s.core[v], w)
			}
		}
	}
	return s
}

// work estimates what finding dimensions and groups takes.
func (s *shaping) work() (steps int) {
	for _, ws := range s.core {
		steps += len(ws) * len(ws) * len(ws)
	}
	return steps
}

// named places a grid or a torus whose switches have their coordinates in their names, such
// as S2_3, if the links agree: each joins neighbors in one dimension, or its ends; or, if far, any
// two nodes of one dimension, as in a HyperX. (To [shaping.product], a ring of four is a square of two dimensions.)
func (s *shaping) named(unit float64, far bool) *Layout {
	l := &Layout{rank: make([][]int, len(s.beside))}
	seen := map[string]bool{}
	for _, v := range s.nodes {
		for _, text := range digits().FindAllString(s.t.Node(spec.NodeID(v)).Name, -1) {
			x, err := strconv.Atoi(text)
			if err != nil || x >= len(s.nodes) {
				return nil
			}
			l.rank[v] = append(l.rank[v], x)
		}
		if len(l.rank[v]) < 2 || len(l.rank[v]) != len(l.rank[s.nodes[0]]) {
			return nil
		}
		if l.size == nil {
			l.size = make([]int, len(l.rank[v]))
		}
		for d, x := range l.rank[v] {
			l.size[d] = max(l.size[d], x+1)
		}
		seen[routing.CoordinateName(l.rank[v]...)] = true
	}
	for _, v := range s.nodes {
		for _, w := range s.core[v] {
			apart := 0
			for d, x := range l.rank[v] {
				if y := l.rank[w][d]; x != y {
					apart++
					if gap := max(x-y, y-x); gap != 1 && gap != l.size[d]-1 && !far {
						return nil
					}
				}
			}
			if apart != 1 {
				return nil
			}
		}
	}
	return s.gridded(l, len(seen), unit)
}

// gridded places the core on a grid by its ranks, if it fills one.
func (s *shaping) gridded(l *Layout, places int, unit float64) *Layout {
	product := 1
	for _, n := range l.size {
		if product *= n; product > len(s.nodes) {
			return nil
		}
	}
	if places != len(s.nodes) || product != len(s.nodes) {
		return nil
	}
	for v, hs := range s.hosts {
		for _, h := range hs {
			l.rank[h] = l.rank[v]
		}
	}
	l.At = nil
	if len(l.size) == 1 && !isLine(s.t, l) {
		l.circle(unit)
	} else {
		l.grid(unit)
	}
	return l
}

// leaves returns the nodes with the fewest neighbors: the leaves of a fat tree described
// without its hosts, whose other switches have neighbors above and below.
func (s *shaping) leaves() []bool {
	fewest := len(s.beside)
	for _, ws := range s.beside {
		fewest = min(fewest, len(ws))
	}
	in := make([]bool, len(s.beside))
	for v, ws := range s.beside {
		in[v] = len(ws) == fewest
	}
	return in
}

// tiers places a fat tree above its lowest row, pod by pod.
func (s *shaping) tiers(lowest []bool, unit float64) *Layout {
	var first []int
	for v, is := range lowest {
		if is {
			first = append(first, v)
		}
	}
	rank, met := bfs.Levels(len(s.beside), first, func(v int, visit func(int)) {
		for _, w := range s.beside[v] {
			visit(w)
		}
	})
	if len(met) < len(s.beside) || len(met) == 0 {
		return nil
	}
	rows := make([][]int, 1+rank[met[len(met)-1]])
	for v, r := range rank {
		rows[r] = append(rows[r], v)
		for _, w := range s.beside[v] {
			if d := rank[w] - r; d != 1 && d != -1 {
				return nil
			}
		}
	}
	pods := make([]graph.Union[int], len(rows)) // by rank: what links at that rank and below join
	for r := range rows {
		pods[r] = graph.NewUnion[int](len(s.beside))
		for v, ws := range s.beside {
			for _, w := range ws {
				if max(rank[v], rank[w]) <= int32(r) {
					pods[r].Join(v, w)
				}
			}
		}
	}
	widest := 0
	for r, row := range rows {
		within := func(v int) (all []int) {
			for k := len(rows) - 2; k >= r; k-- {
				all = append(all, pods[k].Find(v))
			}
			return all
		}
		slices.SortStableFunc(row, func(a, b int) int { return slices.Compare(within(a), within(b)) })
		widest = max(widest, len(row))
	}
	l := &Layout{At: make([]Point, len(s.beside)), rows: true}
	high := max(1.6*unit, float64(widest)*unit/3/float64(len(rows))) // otherwise the lines of a wide tree would be flat
	for r, row := range rows {
		step := float64(widest) * unit / float64(len(row))
		for i, v := range row {
			l.At[v] = Point{(float64(i) + 0.5) * step, float64(r) * high}
		}
	}
	return l
}

// around returns the radius of a circle on which n things are unit apart.
func around(n int, unit float64) float64 {
	return unit / 2 / math.Sin(math.Pi/float64(max(n, 2)))
}

// inLine numbers the vertices of a path from one end, or of a cycle from the least; nil for
// anything else.
func inLine(next map[int][]int) map[int]int {
	begin, ends := -1, 0
	keys := slices.Sorted(maps.Keys(next))
	for _, v := range keys {
		slices.Sort(next[v])
		next[v] = slices.Compact(next[v])
		switch len(next[v]) {
		case 1:
			if ends++; begin < 0 {
				begin = v
			}
		case 2:
		default:
			return nil
		}
	}
	if begin < 0 {
		begin = keys[0]
	}
	place := map[int]int{begin: 0}
	for at := begin; ; {
		onward := -1
		for _, w := range next[at] {
			if _, been := place[w]; !been {
				onward = w
				break
			}
		}
		if onward < 0 {
			break
		}
		place[onward] = len(place)
		at = onward
	}
	if len(place) < len(next) {
		return nil
	}
	return place
}
