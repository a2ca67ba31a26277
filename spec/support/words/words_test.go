package words_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestPlural: English; words in y after a consonant, and in ch or ss, are not regular.
func TestPlural(t *testing.T) {
	for _, tt := range []struct {
		n          int
		what, want string
	}{
		{0, "step", "0 steps"}, {1, "step", "1 step"}, {2, "step", "2 steps"}, {1, "copy", "1 copy"}, {2, "copy", "2 copies"},
		{2, "dependency", "2 dependencies"}, {2, "way", "2 ways"}, {2, "key", "2 keys"}, {2, "switch", "2 switches"},
		{1, "switch", "1 switch"}, {2, "class", "2 classes"},
	} {
		if got := words.Plural(tt.n, tt.what); got != tt.want {
			t.Errorf("%d %s: %q, want %q", tt.n, tt.what, got, tt.want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		words         []string
		oneOf, quoted string
	}{
		{[]string{"a"}, "a", `"a"`}, {[]string{"a", "b"}, "a or b", `"a", "b"`}, {[]string{"a", "b", `c"`}, `a, b or c"`, `"a", "b", "c\""`},
	} {
		if got := words.OneOf(tt.words); got != tt.oneOf {
			t.Errorf("%q: %s, want %s", tt.words, got, tt.oneOf)
		}
		if got := words.Quoted(tt.words); got != tt.quoted {
			t.Errorf("%q: %s, want %s", tt.words, got, tt.quoted)
		}
	}
	if got := words.Quoted(nil); got != "" {
		t.Errorf("no words: %q", got)
	}
}
