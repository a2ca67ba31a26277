package words

import (
	"fmt"
	"reflect"
	"slices"
)

// Sentence is a sentence that is not written yet: a form in the manner of package fmt, and the facts that stand in
// it. The code that establishes something keeps the facts; the words come last, by String, where they are printed.
// There is no other way to them, so that no code recognises a finding by its words, or edits them.
type Sentence struct {
	form  string
	facts []any
}

// Say makes a sentence.
func Say(form string, facts ...any) Sentence { return Sentence{form, facts} }

// And returns the sentence with a further part.
func (s Sentence) And(form string, facts ...any) Sentence {
	return Sentence{s.form + form, append(slices.Clip(s.facts), facts...)}
}

// String writes the sentence.
func (s Sentence) String() string { return fmt.Sprintf(s.form, s.facts...) }

// Facts are what stands in the sentence: numbers, names, a [Count], or another sentence.
func (s Sentence) Facts() []any { return s.facts }

// IsZero reports whether nothing is said.
func (s Sentence) IsZero() bool { return s.form == "" }

// Equal reports whether two sentences have the same form and facts.
func (s Sentence) Equal(other Sentence) bool {
	return s.form == other.form && slices.EqualFunc(s.facts, other.facts, reflect.DeepEqual)
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
