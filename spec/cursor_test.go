package spec

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbersAsTokens: a list of integers read digit by digit is what it is token
// by token, and one is refused
// exactly if the other one is.
func TestNumbersAsTokens(t *testing.T) {
	element := rapid.OneOf(
		rapid.SampledFrom([]string{"0", "-1", "7", "70000", "999999999999999999", "9223372036854775807", "99999999999999999999",
			"-0", "1.0", "1e2", "-", `"1"`, `"]"`, "null", "[1]", `{"a":[1]}`, "01", ""}),
		rapid.StringMatching(`-?[1-9][0-9]{0,5}`),
	)
	space := rapid.SampledFrom([]string{"", "", " ", "\n", "\t \r\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"[", "[", "[", "[", "[", "", "{", "3"}).Draw(t, "begin")
		for i := range rapid.IntRange(0, 4).Draw(t, "length") {
			if i > 0 {
				text += ","
			}
			text += space.Draw(t, "before") + element.Draw(t, "element") + space.Draw(t, "after")
		}
		text += rapid.SampledFrom([]string{"]", "]", "]", "]", "]", "", "}"}).Draw(t, "end")
		c := cursor{ctx: context.Background(), file: "f", text: []byte(text)}
		var fast, plain []int
		const least, most = -1000, 100_000
		err := c.within(0, len(text)).rows(func(x []int) { fast = append(fast, x...) }, bounds{least, most})
		tokens := c.within(0, len(text))
		want := tokens.list(func() error {
			var x int
			err := number(tokens, &x, least, most)
			plain = append(plain, x)
			return err
		})
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, token by token %v", text, err, want)
		}
		if err == nil && !slices.Equal(fast, plain) {
			t.Fatalf("%q: %v, token by token %v", text, fast, plain)
		}
		if err != nil && err.(*PosError).Line < 1 {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
