package peach2

// Ordering says which packets of a link, in different buffers of it, may leave
// it ahead of older ones. Within a buffer packets keep their order.
type Ordering uint8

const (
	// Permitted is PCI Express, used to the full: whatever its rules do not forbid
	// may happen (Base Specification 3.0, table 2-34: "yes" and "yes/no" there is
	// allowed here, "no" is not). Reads and completions do not pass posted writes.
	Permitted Ordering = iota
	// Required is PCI Express, used as little as it allows: only "yes" may happen,
	// which is that posted writes and completions pass reads.
	Required
	// Strict: nothing passes anything, although the buffers are apart. PCI Express
	// forbids that.
	Strict
	// Relaxed: anything passes anything, as with the relaxed ordering and the
	// identifier-based ordering bits set in every packet.
	Relaxed
)

// OrderingNames are the names of the orderings, in order.
var OrderingNames = []string{"pcie", "required", "strict", "relaxed"}

// String returns the name.
func (o Ordering) String() string {
	if int(o) < len(OrderingNames) {
		return OrderingNames[o]
	}
	return "ordering(?)"
}

// passes reports whether a packet of one kind may leave its link ahead of an
// older one of another kind, if they are in different buffers.
func (o Ordering) passes(later, earlier int) bool {
	switch o {
	case Permitted:
		return earlier != posted
	case Required:
		return later != nonPosted && earlier == nonPosted
	}
	return o == Relaxed
}

// join makes one buffer of those of a link whose packets wait for each other both
// ways, since neither may pass the other: as far as waiting goes they are one.
func (o Ordering) join(of [3]int, names []string) (joined [3]int, joinedNames []string) {
	number := make([]int, len(names)) // by buffer: that of what it is joined to
	for b := range names {
		number[b] = -1
		for a := range b {
			if o.waits(of, a, b) && o.waits(of, b, a) {
				number[b] = number[a]
				joinedNames[number[a]] += "+" + names[b]
				break
			}
		}
		if number[b] < 0 {
			number[b] = len(joinedNames)
			joinedNames = append(joinedNames, names[b])
		}
	}
	for kind, b := range of {
		joined[kind] = number[b]
	}
	return joined, joinedNames
}

// waits reports whether a packet in one buffer of a link may have to wait for an
// older one in another.
func (o Ordering) waits(of [3]int, later, earlier int) bool {
	for x := range of {
		for y := range of {
			if of[x] == later && of[y] == earlier && !o.passes(x, y) {
				return true
			}
		}
	}
	return false
}
