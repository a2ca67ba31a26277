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
func (p Property) String() string {
	if int(p) < len(propertyNames) {
		return propertyNames[p]
	}
	return "property(?)"
}

// ParseProperty reads what [Property.String] writes.
func ParseProperty(s string) (Property, bool) {
	i := slices.Index(propertyNames[:], s)
	return Property(max(i, 0)), i >= 0
}

// Verdict answers a property. The zero value is Unknown, so that a verdict
// that nobody reached is never taken for success.
type Verdict uint8

const (
	Unknown  Verdict = iota // a bound, an interrupt, or a candidate that was not confirmed
	Holds                   // free of the fault; a certificate shows it
	Violated                // a trace shows the fault
)

var verdictNames = [...]string{"unknown", "holds", "violated"}

// String returns "unknown", "holds" or "violated".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "verdict(?)"
}

// ParseVerdict reads what [Verdict.String] writes.
func ParseVerdict(s string) (Verdict, bool) {
	i := slices.Index(verdictNames[:], s)
	return Verdict(max(i, 0)), i >= 0
}
