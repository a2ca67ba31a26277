package words

import "testing"

// TestSentence: a sentence is written from its form and facts, and equals another by these, not by its words.
func TestSentence(t *testing.T) {
	s := Say("%s wait", Count{2, "packet"}).And(" in %s, %d%% full", Count{1, "channel"}, 50)
	if got, want := s.String(), "2 packets wait in 1 channel, 50% full"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	if !s.Equal(Say("%s wait", Count{2, "packet"}).And(" in %s, %d%% full", Count{1, "channel"}, 50)) {
		t.Error("a sentence differs from one of the same form and facts")
	}
	for _, other := range []Sentence{{}, Say("2 packets wait in 1 channel, 50%% full"), Say("%s wait", Count{3, "packet"}), Say("%s wait", Count{2, "packet"})} {
		if s.Equal(other) {
			t.Errorf("%q equals %q", s, other)
		}
	}
	if len(s.Facts()) != 3 || s.Facts()[0] != (Count{2, "packet"}) {
		t.Errorf("facts %v, want two counts and 50", s.Facts())
	}
	if !(Sentence{}).IsZero() || s.IsZero() || Written(nil) != nil {
		t.Error("what says nothing is not told from what says something")
	}
	one := Say("a")
	if one.And("b").String()+one.And("c").String() != "abac" || one.String() != "a" { // neither changes one
		t.Error("And changes the sentence that it continues")
	}
}
