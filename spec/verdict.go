package spec

import "slices"

// Property is a question that unknot answers about a network. It is named by what should hold.
type Property uint8

const (
	// DeadlockFreedom: in no reachable state do packets wait for each other forever.
	DeadlockFreedom Property = iota
	// LivelockFreedom: no packet moves forever without arriving.
	LivelockFreedom
	// Delivery: from every site that a packet can reach, it can still arrive,
	// and it leaves the network nowhere but at its destination.
	Delivery
	// NoDiscard: no packet is ever discarded, which routers do on purpose. It is no fault unless it is asked for.
	NoDiscard
)

var propertyNames = [...]string{"deadlock-freedom", "livelock-freedom", "delivery", "no-discard"}

// String returns "deadlock-freedom", "livelock-freedom", "delivery" or "no-discard".
func (p Property) String() string { return nameOf(propertyNames[:], int(p), "property") }

// PropertyNames lists what [Property.String] writes.
func PropertyNames() []string { return slices.Clone(propertyNames[:]) }

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
