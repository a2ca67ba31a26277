// Package findings, internal to unknot, has as data what is said of a network or a machine: what goes wrong there, why
// a property holds, why it is unknown, what is assumed, and what a repair or a change comes to. It is the one package
// that words it.
//
// A [Fact] is a kind with its numbers, names and scenario. Engines fill in its fields, and [Say] makes a sentence of
// it, whose words come when somebody prints it. No other package can declare a fact, and a test keeps them from making
// sentences without one, so nobody words a finding twice, or recognises one by its words.
package findings

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Fact is something that is said: a constant of this package if it has neither numbers nor names, else a struct of
// them. Its String is the sentence, or a part of one that begins with its own punctuation.
type Fact interface {
	fmt.Stringer
	fact()
}

// Say makes a sentence of a fact and of what follows it.
func Say(facts ...Fact) words.Sentence {
	parts := make([]fmt.Stringer, len(facts))
	for i, f := range facts {
		parts[i] = f
	}
	return words.Of(parts...)
}

// Each makes a sentence of each fact; nil for none.
func Each(facts ...Fact) (all []words.Sentence) {
	for _, f := range facts {
		all = append(all, Say(f))
	}
	return all
}

// said makes a struct a fact.
type said struct{}

func (said) fact() {}

// kind is a fact that has neither numbers nor names: its name, a colon and its sentence. Other packages compare its
// constants, and can make no others.
type kind string

func (kind) fact() {}

func (k kind) String() string {
	_, sentence, _ := strings.Cut(string(k), ": ")
	return sentence
}

// Also joins to a sentence what else is known.
type Also struct {
	said
	Because words.Sentence
}

func (a Also) String() string { return "; " + a.Because.String() }
