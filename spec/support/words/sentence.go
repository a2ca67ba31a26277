package words

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Sentence is a sentence that is not written yet: facts, each of a type that has the words for it. The code that
// establishes something keeps the facts; the words come last, by String, where they are printed. There is no other way
// to them, so that no code recognises a finding by its words, or edits them.
type Sentence struct{ facts []fmt.Stringer }

// Of makes a sentence of facts whose words follow each other. What unknot says of networks and machines it says in the
// words of one package, checker/internal/findings.
func Of(facts ...fmt.Stringer) Sentence { return Sentence{facts} }

// And returns the sentence followed by another, whose words begin with the punctuation between them.
func (s Sentence) And(other Sentence) Sentence {
	return Sentence{append(slices.Clip(s.facts), other.facts...)}
}

// String writes the sentence.
func (s Sentence) String() string {
	var b strings.Builder
	for _, f := range s.facts {
		b.WriteString(f.String())
	}
	return b.String()
}

// Facts are what the sentence says, by type.
func (s Sentence) Facts() []fmt.Stringer { return s.facts }

// IsZero reports whether nothing is said.
func (s Sentence) IsZero() bool { return len(s.facts) == 0 }

// Equal reports whether two sentences say the same facts.
func (s Sentence) Equal(other Sentence) bool {
	return slices.EqualFunc(s.facts, other.facts, func(a, b fmt.Stringer) bool { return reflect.DeepEqual(a, b) })
}

// Written writes sentences; nil for none.
func Written(all []Sentence) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.String())
	}
	return out
}

// Count is a number of things, written as [Plural] does.
type Count struct {
	N  int
	Of string // in the singular
}

// String returns the number and the noun, in the plural unless N is 1.
func (c Count) String() string { return Plural(c.N, c.Of) }
