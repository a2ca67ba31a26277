package cursor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// TestNumbersAsTokens: a list of integers read digit by digit is what it is token
// by token, and one is refused exactly if the other one is; every fault has its place.
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
		at := func() *cursor.Cursor {
			return cursor.New(context.Background(), []byte(text), func(line, col int, msg string) error {
				if line < 1 || col < 1 {
					t.Fatalf("%q: line %d, column %d: %s", text, line, col, msg)
				}
				return errors.New(msg)
			}, strings.ToUpper)
		}
		var fast, plain []int
		const least, most = -1000, 100_000
		err := at().Rows(func(x []int) { fast = append(fast, x...) }, cursor.Bounds{least, most})
		tokens := at()
		want := tokens.List(func() error {
			var x int
			err := cursor.Number(tokens, &x, least, most)
			plain = append(plain, x)
			return err
		})
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, token by token %v", text, err, want)
		}
		if err == nil && !slices.Equal(fast, plain) {
			t.Fatalf("%q: %v, token by token %v", text, fast, plain)
		}
	})
}

// TestStringsAreClean: every text goes through what cleans it, keys too.
func TestStringsAreClean(t *testing.T) {
	c := cursor.New(t.Context(), []byte(`{"a": "b", "c": ["d", "e"]}`), func(_, _ int, msg string) error { return errors.New(msg) }, strings.ToUpper)
	var b string
	var ds []string
	err := c.Object(map[string]func() error{
		"A": func() error { return c.String(&b) },
		"C": func() error { return c.Strings(&ds) },
	})
	if err != nil || b != "B" || !slices.Equal(ds, []string{"D", "E"}) {
		t.Errorf("%q, %q, %v", b, ds, err)
	}
}

// TestFaultOfAText: a text that is no JSON is refused where it ceases to be.
func TestFaultOfAText(t *testing.T) {
	for text, want := range map[string]string{
		"[1,\n  x]":         "2:3: invalid character 'x'",
		"[1,\n 2":           "2:3: unexpected end of file",
		"[1,\n 2}":          "2:3: invalid character '}'",
		"[\"a\", 3]":        "1:7: want a string here",
		"[\"a\", \"\x01\"]": "1:8: invalid character",
	} {
		c := cursor.New(t.Context(), []byte(text), func(line, col int, msg string) error { return fmt.Errorf("%d:%d: %s", line, col, msg) }, strings.ToUpper)
		err := c.List(func() error {
			if c.Next() < len(text) && text[1] == '"' {
				var s string
				return c.String(&s)
			}
			var x int
			return cursor.Number(c, &x, 0, 9)
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
