package combining

import "fmt"

// Whether the answers of a memory could have come from one that serves one operation
// after another. The search does not know trees, switches or messages: it sees calls,
// results, and the effect of a single operation on the cell.
//
// The search (Wing and Gong 1993) takes, as the next in the order, any operation that
// no other remaining one must precede, and whose result is the object's; a set of taken
// operations with a state that has failed once is not tried again (Lowe 2017).

// Operation is an operation of a process on a shared object, as seen from outside.
// Times are any numbers that increase.
type Operation struct {
	Process int
	Call    int
	Return  int // Pending if it has not returned; it may then have taken effect or not
	Input   int
	Output  int // of an operation that has returned
	Cell    int // which of several like objects, 0 to 3
}

// Pending is the time of return of an operation that has not returned.
const Pending = -1

// Object is the effect of an operation that overlaps no other.
type Object struct {
	Initial int
	Apply   func(state, input int) (after, output int)
	// End reports whether an object, by its number, may be in a state at the end; nil
	// means any state.
	End func(cell, state int) bool
}

// RealTime says that a returned before b was called: the order that linearizability
// respects (Herlihy and Wing 1990).
func RealTime(a, b Operation) bool { return a.Return != Pending && a.Return < b.Call }

// ProgramOrder says that the same process called a before b: the order that sequential
// consistency respects (Lamport 1979).
func ProgramOrder(a, b Operation) bool { return a.Process == b.Process && a.Call < b.Call }

// mostCells bounds the objects, and mostOperations the operations in a set.
const (
	mostCells      = 4
	mostOperations = 63
)

// SerialOrder searches for an order of the operations, by their numbers in the history,
// in which the objects give the recorded answers, and in which a precedes b if
// before(a, b) is true. Every operation that has returned is in it; pending ones may
// be. ok is false if there is no such order. At most 63 operations on 4
// objects; the effort is exponential in the number of operations that overlap.
//
// Objects are not taken one by one: that would suffice for [RealTime] (locality:
// Herlihy and Wing 1990, theorem 1), but not for [ProgramOrder].
func SerialOrder(history []Operation, o Object, before func(a, b Operation) bool) (order []int, ok bool, err error) {
	if len(history) > mostOperations {
		return nil, false, fmt.Errorf("a history of %d operations: want at most %d", len(history), mostOperations)
	}
	s := search{history: history, object: o, failed: map[taken]bool{}}
	for i, a := range history {
		if a.Cell < 0 || a.Cell >= mostCells {
			return nil, false, fmt.Errorf("operation %d is on object %d: want 0 to %d", i, a.Cell, mostCells-1)
		}
		if a.Return != Pending {
			s.returned |= 1 << i
			if a.Return < a.Call {
				return nil, false, fmt.Errorf("operation %d is called at %d and returns at %d", i, a.Call, a.Return)
			}
		}
		var earlier uint64
		for k, b := range history {
			if k != i && before(b, a) {
				earlier |= 1 << k
			}
		}
		s.earlier = append(s.earlier, earlier)
	}
	start := taken{}
	for k := range start.states {
		start.states[k] = o.Initial
	}
	if !s.from(start) {
		return nil, false, nil
	}
	return s.order, true, nil
}

// taken is a set of operations, one bit for each, with the objects' states after them.
type taken struct {
	set    uint64
	states [mostCells]int
}

type search struct {
	history  []Operation
	object   Object
	returned uint64   // set of the operations that have returned
	earlier  []uint64 // by operation: set of those that must be taken before
	order    []int
	failed   map[taken]bool
}

// from completes the order; if that is impossible, it leaves the order unchanged.
func (s *search) from(at taken) bool {
	if at.set&s.returned == s.returned && s.mayEnd(at) {
		return true
	}
	if s.failed[at] {
		return false
	}
	for i, op := range s.history {
		if at.set>>i&1 == 1 || s.earlier[i]&^at.set != 0 {
			continue
		}
		after, output := s.object.Apply(at.states[op.Cell], op.Input)
		if op.Return != Pending && output != op.Output {
			continue
		}
		s.order = append(s.order, i)
		next := taken{at.set | 1<<i, at.states}
		next.states[op.Cell] = after
		if s.from(next) {
			return true
		}
		s.order = s.order[:len(s.order)-1]
	}
	s.failed[at] = true
	return false
}

// mayEnd reports whether the objects may be in these states at the end.
func (s *search) mayEnd(at taken) bool {
	for k, state := range at.states {
		if s.object.End != nil && !s.object.End(k, state) {
			return false
		}
	}
	return true
}
