package words

import (
	"strings"
	"testing"
)

func TestTypos(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"torus", "torus", 0}, {"tours", "torus", 1}, {"", "abc", 3}, {"mesh", "mess", 1},
		{"pech2", "peach2", 1}, {"ring", "torus", 5}, // no letter in place, one more
	} {
		if got := typos(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := typos(tt.b, tt.a); got != tt.want {
			t.Errorf("%s, %s: %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

// TestSuggestion: a third of the letters, or a beginning.
func TestSuggestion(t *testing.T) {
	for name, want := range map[string]string{
		"routng": "; did you mean routing?", "rout": "; did you mean routing?", "kk": "", "": "", "switching": "",
		"deadlok": "; did you mean deadlock-freedom?", "dead-lok-fredom": "; did you mean deadlock-freedom?",
		"dedlok": "", "freedom": "",
		"stor-and": "; did you mean store-and-forward?", "store-an": "; did you mean store-and-forward?",
	} {
		if got := Suggestion(name, []string{"k", "routing", "deadlock-freedom", "store-and-forward"}); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestNowCalled: a former word is answered with the new one, where that fits.
func TestNowCalled(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []string
		want  string
	}{
		{"deadlock", []string{"deadlock-freedom", "delivery"}, "; it is now called deadlock-freedom"},
		{"deadlock", []string{"delivery", "deadlok"}, "; did you mean deadlok?"},
		{"deliver", []string{"deadlock-freedom", "delivery"}, "; did you mean delivery?"},
		{"speed", []string{"deadlock-freedom", "delivery"}, ""},
	} {
		if got := NowCalled(tt.name, tt.names); got != tt.want {
			t.Errorf("%q of %q: %q, want %q", tt.name, tt.names, got, tt.want)
		}
	}
	for former, now := range renamed() {
		scope := former[:strings.LastIndex(former, " ")+1] // as of a keyword, behind its function
		if former == scope+now || Renamed(former) != now || Renamed(scope+now) != "" {
			t.Errorf("%q is now called %q: want a new word that is no former one", former, now)
		}
	}
}
