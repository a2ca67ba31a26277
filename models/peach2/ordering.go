package peach2

// Ordering says which packets may leave a link ahead of older ones in other buffers of
// it. Within a buffer, packets keep their order.
type Ordering uint8

const (
	// Permitted is PCI Express, used to the full: all that its rules do not forbid
	// may happen (Base Specification 3.0, table 2-34: "yes" and "yes/no" there is
	// allowed here, "no" is not). Reads and completions do not pass posted writes.
	Permitted Ordering = iota
	// Required is PCI Express, used as little as it allows: only "yes" may happen, that
	// is, posted writes and completions may pass reads.
	Required
	// Strict: nothing passes anything, although the buffers are separate, which PCI
	// Express forbids.
	Strict
	// Relaxed: anything passes anything, as with the relaxed ordering and the
	// identifier-based ordering bits set in every packet.
	Relaxed
)

// OrderingNames are the names of the orderings, in order.
var OrderingNames = []string{"pcie", "required", "strict", "relaxed"}

// String returns the name.
func (o Ordering) String() string { return OrderingNames[o] }
