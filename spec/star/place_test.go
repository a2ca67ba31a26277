package star_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestPlacesOfTokens: a syntax error is where the token is that cannot stand there, marked by a bar; where the line
// ends too early, behind its last one.
func TestPlacesOfTokens(t *testing.T) {
	for _, marked := range []string{
		"x ==|\n", "x = |=1\n", "f(a = |= 1)\n", "f(1 |= 2)\n", "f(a.b |= 2)\n", "g = lambda s: f(s.x |= 2)\n", "x = 1 ==|\ny = 2\n",
		"f(|==1)\n", "f(a == |=1)\n", "f(x==|)\n", "d = {1 |= 2}\n", "x = [a |= 2]\n", "if x |= 2:\n    pass\n", "y = 1\nif x |= 2:\n    pass\n",
		"x =|\n", "x = 1 +|\n", "x = (1, |*)\n",
	} {
		before, _, _ := strings.Cut(marked, "|")
		line := 1 + strings.Count(before, "\n")
		col := len(before) - strings.LastIndex(before, "\n")
		_, err := star.Load(context.Background(), "n.star", []byte(strings.Replace(marked, "|", "", 1)), star.Options{})
		if want := fmt.Sprintf("n.star:%d:%d: ", line, col); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", marked, err, want)
		}
	}
}

// TestDigits: a text of more digits than a number may have is refused before it is read, as are more bits.
func TestDigits(t *testing.T) {
	for digits, refused := range map[int]string{18: "", 300: "", 1025: "1024 digits", 50_000: "1024 digits"} {
		_, err := star.Load(context.Background(), "n.star", []byte("x = int('"+strings.Repeat("7", digits)+"')\n"), star.Options{})
		if err == nil || !strings.Contains(err.Error(), "no node") == (refused == "") || !strings.Contains(err.Error(), refused) {
			t.Errorf("%d digits: %v, want %q", digits, err, refused)
		}
	}
}
