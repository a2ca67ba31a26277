package spec

import "fmt"

// Expectation states what the author of a network expects of it: a verdict on a
// property under an assumption about switching. It is not part of what the
// network is, and the digest leaves it out.
type Expectation struct {
	Property  Property
	Verdict   Verdict // Unknown, too, may be expected
	Switching Switching
}

// checkExpectations refuses two expectations of the same thing.
func checkExpectations(all []Expectation) error {
	seen := map[Expectation]bool{} // with no verdict
	for _, x := range all {
		if int(x.Property) >= len(propertyNames) || int(x.Verdict) >= len(verdictNames) ||
			int(x.Switching) >= len(switchingNames) {
			return fmt.Errorf("an expectation of %s, %s with %s: one of them does not exist",
				x.Property, x.Verdict, x.Switching)
		}
		x.Verdict = Unknown
		if seen[x] {
			return fmt.Errorf("%s with %s is expected twice", x.Property, x.Switching)
		}
		seen[x] = true
	}
	return nil
}
