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
func (o Ordering) String() string { return OrderingNames[o] }
