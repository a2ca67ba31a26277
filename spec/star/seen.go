package star

import "github.com/seed-105a2da2/unknot/spec/program"

// observations is what a run meets.
type observations struct {
	whens     []whenCall
	reasons   []reason
	transfers *[]Transfer // nil: they are not wanted, so no message is looked at
}

// whenCall is a call of when.
type whenCall struct {
	at    position
	holds bool
	why   string // of a part of network_of, or a FIFO
}

// reason is a part of a condition whose value decides.
type reason struct {
	at     position
	text   string
	holds  bool // the value that it gives the whole
	looked []program.Var
	depth  int // of calls
}

// Transfer is a message that a step puts into a FIFO, or takes out of it.
type Transfer struct {
	FIFO    string
	Sent    bool
	Copies  int  // sent: 0: it is lost
	Place   int  // taken: 0 is the head
	Cleared bool // all are taken out
	Text    string
}

// decidingReason returns the part that made a condition what it is: of those that agree, in the fewest calls, the last.
func (s *observations) decidingReason(holds bool) *reason {
	return deciding(s.reasons, func(r *reason) bool { return r.holds == holds })
}

func deciding(all []reason, agrees func(*reason) bool) (by *reason) {
	for i := range all {
		if r := &all[i]; agrees(r) && (by == nil || r.depth <= by.depth) {
			by = r
		}
	}
	return by
}
