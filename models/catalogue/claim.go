package catalogue

import "github.com/seed-105a2da2/unknot/spec"

// LeftOut is a sentence of a model's source that no claim asks about, and the reason.
type LeftOut struct {
	Section, Sentence string // as in [Claim]
	Because           string
}

// Claim is a statement of a model's source, or a question of ours that it leaves open,
// and the command that decides it. It counts as the source's only if the sentence
// is there: either Section and Sentence are set, or Ours is.
type Claim struct {
	Section  string // of the source, such as "3.1", or "abstract", "figure 4"
	Sentence string // the text there, in translation
	Ours     bool   // the source does not say it

	Says     string       // what is decided, as a sentence or a question
	Command  []string     // arguments of unknot, such as check p3 --set variant=literal, or ask p3 distance-grows
	Property string       // of a check: the property whose verdict counts; "" after ask
	Want     spec.Verdict // the expected verdict of the command
	Finding  string       // what the verdict means: "confirmed", or an answer

	// Refuted is the reading of the sentence under which it is false; "" if it is not
	// refuted. Finding says why.
	Refuted string
}
