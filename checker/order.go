package checker

import (
	"cmp"
	"slices"
)

func sortInt32(xs []int32) { slices.Sort(xs) }

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

func sortEdges(es []Edge) { slices.SortFunc(es, compareEdges) }

func sortDependencies(ds []Dependency) {
	slices.SortFunc(ds, func(a, b Dependency) int { return compareEdges(a.Edge, b.Edge) })
}
