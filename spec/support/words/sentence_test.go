package words

import (
	"fmt"
	"testing"
)

// full is a fact.
type full struct{ share int }

func (f full) String() string { return fmt.Sprintf(", %d%% full", f.share) }

func TestSentence(t *testing.T) {
	s := Of(Count{2, "packet"}).And(Of(full{50}))
	if got, want := s.String(), "2 packets, 50% full"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	if !s.Equal(Of(Count{2, "packet"}, full{50})) {
		t.Error("a sentence differs from one of the same facts")
	}
	for _, other := range []Sentence{{}, Of(full{50}), Of(Count{2, "packet"}), Of(Count{3, "packet"}, full{50}), Of(full{50}, Count{2, "packet"})} {
		if s.Equal(other) {
			t.Errorf("%q equals %q", s, other)
		}
	}
	if len(s.Facts()) != 2 || s.Facts()[0] != (Count{2, "packet"}) {
		t.Errorf("facts %v, want a count and a share", s.Facts())
	}
	if !(Sentence{}).IsZero() || s.IsZero() || Written(nil) != nil {
		t.Error("what says nothing is not told from what says something")
	}
	one := Of(Count{1, "a"})
	if one.And(Of(full{1})).String()+one.And(Of(full{2})).String() != "1 a, 1% full1 a, 2% full" || one.String() != "1 a" { // neither changes one
		t.Error("And changes the sentence that it continues")
	}
}
