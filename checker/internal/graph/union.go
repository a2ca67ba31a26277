package graph

// Identity returns the numbers below n, in order.
func Identity[T ~int | ~int32](n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}

// Union is a partition of the numbers from 0 on (union-find with path halving).
type Union[T ~int | ~int32] []T

// NewUnion returns the partition of n numbers into singletons.
func NewUnion[T ~int | ~int32](n int) Union[T] { return Identity[T](n) }

// Find returns the number that represents the part of i.
func (u Union[T]) Find(i T) T {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// Join unites the parts of i and j. The lesser of their representatives represents the result.
func (u Union[T]) Join(i, j T) {
	i, j = u.Find(i), u.Find(j)
	u[max(i, j)] = min(i, j)
}
