package repair

import (
	"context"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
)

// Bounds by weights.
//
// Each condition demands one of its literals. If the weights of the conditions that demand a
// unit add up to at most 1, for every unit, every repair costs at least the sum of all weights. The
// greatest sum is a linear program, which falls into parts that share no unit. Its dual, how much of
// each unit to forbid, tells which further conditions would raise the sum.

// relaxation is conditions with their best weights.
type relaxation struct {
	weight   []float64 // By condition
	fraction []float64 // by unit: the fraction forbidden
	bound    int       // no repair costs less
	times    []int     // by condition: how often it occurs in a sum that shows the bound
}

const (
	mostCells    = 1 << 20 // of the table of one part
	cellsPastEnd = 1 << 22 // cells examined after ctx has ended: some milliseconds
)

// relax finds the best weights of clauses about units, as far as the parts are small enough and
// the number of cells suffices; it stops soon after ctx has ended. It returns how many cells it has examined.
func relax(ctx context.Context, units int, clauses [][]sat.Literal, most int64) (w *relaxation, cells int64) {
	w = &relaxation{weight: make([]float64, len(clauses)), fraction: make([]float64, units)}
	// of units, except those that stay, which ask for nothing: most of them where a network has no choice
	number := map[int32]int32{}
	for _, c := range clauses {
		for _, x := range c {
			if _, known := number[x.Variable()]; !known && (len(c) > 1 || !x.Negative()) {
				number[x.Variable()] = int32(len(number))
			}
		}
	}
	parts := graph.NewUnion[int32](len(number))
	for _, c := range clauses {
		for _, x := range c[min(1, len(c)):] {
			parts.Join(number[c[0].Variable()], number[x.Variable()])
		}
	}
	of := make([][]int, len(number)) // by the unit that represents a part: its clauses
	var order []int32
	for i, c := range clauses {
		if len(c) == 0 {
			continue
		}
		u, known := number[c[0].Variable()]
		if !known {
			continue
		}
		p := parts.Find(u)
		if of[p] == nil {
			order = append(order, p)
		}
		of[p] = append(of[p], i)
	}
	for _, p := range order {
		if most > cells+cellsPastEnd && ctx.Err() != nil {
			most = cells + cellsPastEnd
		}
		cells += w.solve(ctx, clauses, of[p], most-cells)
	}
	w.roundWeights(clauses)
	return w, cells
}

// solve solves the program of some clauses.
func (w *relaxation) solve(ctx context.Context, clauses [][]sat.Literal, some []int, most int64) (cells int64) {
	row := map[int32]int{}
	var units []int32
	for _, i := range some {
		for _, x := range clauses[i] {
			if _, known := row[x.Variable()]; !known {
				row[x.Variable()] = len(units)
				units = append(units, x.Variable())
			}
		}
	}
	if len(units)*len(some) > mostCells || most <= 0 {
		w.packDisjoint(clauses, some)
		return 0
	}
	t := newTableau(len(units), len(some))
	for k, i := range some {
		gain := 1.0
		for _, x := range clauses[i] {
			if x.Negative() {
				t.at[row[x.Variable()]][k]--
				gain--
			} else {
				t.at[row[x.Variable()]][k]++
			}
		}
		t.at[len(units)][k] = -gain
	}
	cells = t.maximise(ctx, most)
	for r, name := range t.basic {
		if name < len(some) {
			w.weight[some[name]] = t.at[r][len(some)]
		}
	}
	for k, name := range t.other {
		if name >= len(some) {
			// negative where the program was left before its optimum: nothing is forbidden less than not at all
			w.fraction[units[name-len(some)]] = max(0, t.at[len(units)][k])
		}
	}
	return cells
}

// packDisjoint weighs clauses that have no unit in common, the shortest ones first.
func (w *relaxation) packDisjoint(clauses [][]sat.Literal, some []int) {
	some = slices.Clone(some)
	slices.SortStableFunc(some, func(a, b int) int { return len(clauses[a]) - len(clauses[b]) })
	used := map[int32]bool{}
	for _, i := range some {
		if !slices.ContainsFunc(clauses[i], func(x sat.Literal) bool { return x.Negative() || used[x.Variable()] }) {
			w.weight[i] = 1
			for _, x := range clauses[i] {
				used[x.Variable()] = true
			}
		}
	}
}

// satisfies reports whether a fractional solution satisfies a clause.
func (w *relaxation) satisfies(c []sat.Literal) bool {
	sum := 0.0
	for _, x := range c {
		if s := w.fraction[x.Variable()]; x.Negative() {
			sum += 1 - s
		} else {
			sum += s
		}
	}
	return sum > 1-1e-6
}

// mostMultiple bounds how often one clause is added.
const mostMultiple = 60

// roundWeights finds how often to add each clause so that the sum bounds the cost as well as the weights do: the
// smallest such multiples.
func (w *relaxation) roundWeights(clauses [][]sat.Literal) {
	sum := 0.0
	for i, c := range clauses {
		for _, x := range c {
			if x.Negative() {
				sum -= w.weight[i]
			}
		}
		sum += w.weight[i]
	}
	best := int(math.Ceil(sum - 1e-3))
	for scale := 1; scale <= mostMultiple && w.bound < best; scale++ {
		times := make([]int, len(clauses))
		for i, x := range w.weight {
			times[i] = int(x*float64(scale) + 1e-3)
		}
		if bound := demand(clauses, times); bound > w.bound {
			w.bound, w.times = bound, times
		}
	}
}

// demand returns the cost that a sum of clauses demands: a unit satisfies at most as many of them as
// the unit that occurs most often, and the negative literals of a unit satisfy those in which
// they occur.
func demand(clauses [][]sat.Literal, times []int) int {
	occurs, most, left := map[sat.Literal]int{}, 0, 0
	for i, n := range times {
		left += n
		for _, x := range clauses[i] {
			if occurs[x] += n; x.Negative() {
				left -= n
			} else {
				most = max(most, occurs[x])
			}
		}
	}
	if left <= 0 || most == 0 {
		return 0
	}
	return (left + most - 1) / most
}

// tableau is a linear program: maximise a sum of variables, each at least 0, under one upper
// bound for each row (Dantzig 1947). The last column holds the bounds, the last row the negated
// gains.
type tableau struct {
	at    [][]float64
	basic []int // By row: a variable, or, with the number of the columns added, what is left of a row
	other []int // by column
}

func newTableau(rows, columns int) *tableau {
	t := &tableau{basic: make([]int, rows), other: make([]int, columns), at: make([][]float64, rows+1)}
	for r := range t.at {
		t.at[r] = make([]float64, columns+1)
		// Without this all rows become tight at once, and steps gain nothing.
		t.at[r][columns] = 1 + 1e-7*float64((r*7919)%1009)
	}
	t.at[rows][columns] = 0
	for r := range t.basic {
		t.basic[r] = columns + r
	}
	for c := range t.other {
		t.other[c] = c
	}
	return t
}

// maximise goes from vertex to vertex until the number of cells is used up, or soon after ctx has ended. Any
// vertex that it ends at is a valid choice of weights.
func (t *tableau) maximise(ctx context.Context, most int64) (cells int64) {
	const tiny = 1e-9
	rows, columns := len(t.basic), len(t.other)
	for steps := 0; cells < most && steps < 4*(rows+columns) && (cells < cellsPastEnd || ctx.Err() == nil); steps++ {
		column, row := -1, -1
		for c, x := range t.at[rows][:columns] {
			if x < -tiny && (column < 0 || x < t.at[rows][column]) {
				column = c
			}
		}
		if column < 0 {
			break
		}
		for r := range rows {
			if x := t.at[r][column]; x > tiny &&
				(row < 0 || t.at[r][columns]/x < t.at[row][columns]/t.at[row][column]) {
				row = r
			}
		}
		if row < 0 {
			break // no bound: no repair
		}
		t.pivot(row, column)
		cells += int64(rows * columns)
	}
	return cells
}

// pivot exchanges a basic variable for another.
func (t *tableau) pivot(row, column int) {
	p := t.at[row][column]
	pivot := t.at[row]
	pivot[column] = 1
	for c := range pivot {
		pivot[c] /= p
	}
	for r, cells := range t.at {
		x := cells[column]
		if r == row || x == 0 {
			continue
		}
		cells[column] = 0
		for c, y := range pivot {
			cells[c] -= x * y
		}
	}
	t.basic[row], t.other[column] = t.other[column], t.basic[row]
}
