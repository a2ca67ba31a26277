package statespace

// Steps that need not be taken, since they lead to what others find earlier.
//
// If a and b are steps from p and a comes first, and if they commute, then b, a lead where
// a, b do. Behind b, a sleeps: what it leads to is found by b from where a leads, a state
// that is found earlier than the one where b leads (sleep sets: Godefroid, Partial-Order
// Methods for the Verification of Concurrent Systems, 1996; there in a search depth first,
// here in one breadth first, in which nothing is looked at twice).
//
// Claim: if a sleeps in t then where a leads from p, the state before t, was found before t
// (in the order of the walk). For those that come before the step c to t in p that is so
// since p steps there first. If a sleeps in p already, then where a leads from p was found by
// a step from a state before p, so before t, too. And a sleeps in t only if it commutes with c.
// So where a leads from t, c leads from a state before t. Therefore the step that first
// finds a state never sleeps: states, their order, their first parents and levels are those
// of the whole search. Steps that sleep are counted. (Where the machine refuses to step, fewer
// may be found in the round that is the last: one that sleeps there counts on a state
// whose steps are dropped.)
//
// Commutes means, of a that can step in t: a can step in p, and c where a leads, and both ways
// lead to the same state. A step with an error does not sleep either: it has had one in p.

// Sleep is a machine's part in this.
type Sleep struct {
	Words int // of a sleep set, which is the machine's; the empty one has zeros alone
	Kinds int // more than any kind of step
	// Notes says that Steps may change what it is told to sleep, for After to know more.
	Notes bool
	// Steps is that of Kinds without those that sleep or lead back to s, and tells how many these
	// are. Of what does not sleep it notes the kind.
	Steps func(dst []uint64, kinds []uint32, taken []bool, s, asleep []uint64) ([]uint64, []uint32, int, error)
	// After makes dst what sleeps behind a step of a kind from where these sleep: those of
	// them that commute with the step, and of the steps before it.
	After func(dst, asleep []uint64, kind uint32)
}

// asleep returns the sleep set in an entry of the queue.
func (q *queue) asleep(dst []uint64, entry []uint32) []uint64 {
	for words := entry[len(entry)-2*q.sleep:]; len(words) > 0; words = words[2:] {
		dst = append(dst, uint64(words[0])|uint64(words[1])<<32)
	}
	return dst
}
