package walk

// Steps that need not be taken, since they lead to states that other steps find earlier.
//
// If a and b are steps from p, a comes first, and they commute, then b, a leads where a, b
// does. So after b, a sleeps: its target is found by b from the target of a, a state found
// earlier than the target of b (sleep sets: Godefroid, Partial-Order Methods for the
// Verification of Concurrent Systems, 1996; there in depth-first search, here in
// breadth-first search, where nothing is looked at twice).
//
// Claim: if a sleeps in t, reached by the step c from p, then the target of a in p was found
// before t (in the order of the walk). If a comes before c in p, that is so since p steps there
// first. If a sleeps in p already, then the target of a in p was found by a step from a state
// before p, so before t, too. And a sleeps in t only if it commutes with c, so the target of a in t
// is the target of c in a state before t. Therefore the step that first finds a state never sleeps:
// states, their order, their first parents and levels are those of the whole search. Steps that sleep
// are counted. (If the machine refuses to step, the last round may find fewer states: a step that
// sleeps there relies on a state whose steps are dropped.)
//
// Commuting means, for an a that can step in t: a can step in p, c can step where a leads, and both
// orders lead to the same state. A step with an error does not sleep either: it had one in p.

// Sleep is what a machine provides for this.
type Sleep struct {
	Words int // of a sleep set, which the machine defines; the empty set is all zeros
	Notes int // words of what Steps notes of a state
	Kinds int // greater than any kind of step
	// Steps is Kinds.Steps without the steps that sleep or lead back to s; it returns how many
	// those are. It marks in taken the kinds of the steps that do not sleep, and notes in notes,
	// which is all zeros, what After has to know of s.
	Steps func(dst []uint64, kinds []uint32, taken []bool, notes, s, asleep []uint64) ([]uint64, []uint32, int, error)
	// After sets dst to what sleeps after a step of the given kind from a state with the given notes: of
	// what sleeps there, and of the steps before it, those that commute with it.
	After func(dst, notes []uint64, kind uint32)
}
