package spec

import "slices"

// Property is a question that unknot answers about a network.
type Property uint8

const (
	// Deadlock: can packets come to block each other permanently? The verdict
	// "holds" means they cannot.
	Deadlock Property = iota
	// Livelock: can a packet move forever without arriving? "Holds": it cannot.
	Livelock
	// Delivery: from every site that a packet can reach, can it still arrive,
	// and does it leave the network nowhere but at its destination? "Holds": yes.
	Delivery
)

var propertyNames = [...]string{"deadlock", "livelock", "delivery"}

// String returns "deadlock", "livelock" or "delivery".
func (p Property) String() string { return nameOf(propertyNames[:], int(p), "property") }

// ParseProperty reads what [Property.String] writes.
func ParseProperty(s string) (Property, bool) { return numberOf[Property](propertyNames[:], s) }

// Verdict is the answer to a property. The zero value is Unknown, so that a
// verdict never reached is not taken for success.
type Verdict uint8

const (
	Unknown  Verdict = iota // a bound, an interrupt, or a candidate that was not confirmed
	Holds                   // free of the fault; a certificate shows it
	Violated                // a trace shows the fault
)

var verdictNames = [...]string{"unknown", "holds", "violated"}

// String returns "unknown", "holds" or "violated".
func (v Verdict) String() string { return nameOf(verdictNames[:], int(v), "verdict") }

// ParseVerdict reads what [Verdict.String] writes.
func ParseVerdict(s string) (Verdict, bool) { return numberOf[Verdict](verdictNames[:], s) }

func nameOf(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return what + "(?)"
}

func numberOf[T ~uint8](names []string, name string) (T, bool) {
	i := slices.Index(names, name)
	return T(max(i, 0)), i >= 0
}
