package spec

// Switching is how packets occupy channels.
type Switching uint8

const (
	// StoreAndForward: a packet is in one channel at a time; a channel holds
	// Buffer packets.
	StoreAndForward Switching = iota
	// VirtualCutThrough: a packet may stretch over several channels while it
	// moves, but a blocked one is taken up whole by the channel that its head
	// is in. Which packets block each other is therefore the same as with
	// StoreAndForward, and so is the reference step, which moves whole packets.
	VirtualCutThrough
	// Wormhole: a blocked packet of any length stays stretched over the
	// channels it has entered and not left; a channel belongs to one packet
	// from its first flit to its last.
	Wormhole
)

var switchingNames = [...]string{"store-and-forward", "virtual-cut-through", "wormhole"}

// String returns "store-and-forward", "virtual-cut-through" or "wormhole".
func (s Switching) String() string { return nameOf(switchingNames[:], int(s), "switching") }

// ParseSwitching reads what [Switching.String] writes.
func ParseSwitching(s string) (Switching, bool) { return numberOf[Switching](switchingNames[:], s) }
