package graph

// Union is a partition of the numbers from 0 (union-find with halving of paths).
type Union[T int | int32] []T

// NewUnion returns the partition of n numbers into single ones.
func NewUnion[T int | int32](n int) Union[T] {
	u := make(Union[T], n)
	for i := range u {
		u[i] = T(i)
	}
	return u
}

// Find returns the number that stands for i's part.
func (u Union[T]) Find(i T) T {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// Join unites the parts of i and j. The least number of both stands for what comes of it.
func (u Union[T]) Join(i, j T) {
	i, j = u.Find(i), u.Find(j)
	u[max(i, j)] = min(i, j)
}
