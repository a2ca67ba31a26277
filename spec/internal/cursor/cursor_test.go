package cursor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// TestNumbersAsTokens: a list of integers read digit by digit is the same as read token by
// token, and one is refused if and only if the other is; every fault has its place. The same
// holds for lists in objects, and what follows them is read.
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
		before, behind := "", ""
		within := rapid.Bool().Draw(t, "within")
		if within { // white space before the list or not
			before = rapid.SampledFrom([]string{`{"A":`, `{"A":`, `{"A": `, `{"A"::`, `{"A",`}).Draw(t, "key")
			behind = rapid.SampledFrom([]string{`,"B":[{"A":[1,2]},{"A":[]}],"C":["x]"]}`, `,"B":[]}`,
				` , "B":[{"A": [3 ]}],"C":[]}`, `}`, `]`, `,}`, ``, `,"B":[{"A":[1}]]}`}).Draw(t, "behind")
		}
		text = before + text + behind
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
		numbers := at()
		err := whole(numbers, within, func() error {
			return numbers.Rows(func(x []int) { fast = append(fast, x...) }, cursor.Bounds{least, most})
		}, &fast)
		tokens := at()
		want := whole(tokens, within, func() error {
			return tokens.List(func() error {
				var x int
				err := cursor.Number(tokens, &x, least, most)
				plain = append(plain, x)
				return err
			})
		}, &plain)
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, token by token %v", text, err, want)
		}
		if err == nil && !slices.Equal(fast, plain) {
			t.Fatalf("%q: %v, token by token %v", text, fast, plain)
		}
	})
}

// TestListsThatTheDecoderDoesNotSee: a list of integers that follows its key at once is
// refused if and only if its text is not JSON, and one whose next list is wrong is refused
// there.
func TestListsThatTheDecoderDoesNotSee(t *testing.T) {
	for _, list := range []string{
		"[]", "[1]", "[1,-2]", "[ ]", "[ 1 , 2\n]", "[0]", "[10]",
		"[,]", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[ ,1]", "[1 ,]", "[1\v,2]", "[\v1]", "[01]", "[1,00]", "[-01]", "[-0 1]", "[+1]", "[1_0]", "[", "[1", "[1,",
	} {
		for _, text := range []string{`{"a":` + list + "}", `{"b":[{"a":[7]},{"a":` + list + `,"b":[]}],"a":[]}`} {
			c := cursor.New(t.Context(), []byte(text), func(_, _ int, msg string) error { return errors.New(msg) }, strings.ToUpper)
			var seen []int
			err := whole(c, true, func() error { return c.Rows(func([]int) {}, cursor.Bounds{-9, 10}) }, &seen)
			if (err == nil) != json.Valid([]byte(text)) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// TestNumbersThatNoIntHolds: in rows whose bounds are those of an int, too, such a number is
// out of range, and not read as the nearest one.
func TestNumbersThatNoIntHolds(t *testing.T) {
	for _, text := range []string{"[99999999999999999999]", "[-99999999999999999999]"} {
		c := cursor.New(t.Context(), []byte(text), func(_, _ int, msg string) error { return errors.New(msg) }, strings.ToUpper)
		err := c.Rows(func(x []int) { t.Errorf("%s is read as %d", text, x) }, cursor.Bounds{math.MinInt, math.MaxInt})
		if err == nil || !strings.HasPrefix(err.Error(), text[1:len(text)-1]+" is out of range") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// whole reads a list, or an object with such lists under the key A, at any depth, and
// records where each value begins.
func whole(c *cursor.Cursor, within bool, list func() error, seen *[]int) error {
	if !within {
		return list()
	}
	return c.Object(map[string]func() error{
		"A": list,
		"B": func() error {
			*seen = append(*seen, c.NextOffset())
			return c.List(func() error { return whole(c, true, list, seen) })
		},
		"C": func() error { var texts []string; *seen = append(*seen, c.NextOffset()); return c.Strings(&texts) },
	}, "B", "C")
}

// TestStringsAreClean: every string is made printable, keys too.
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

// TestFaultOfAText: a text that is not JSON is refused where it ceases to be JSON.
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
			if c.NextOffset() < len(text) && text[1] == '"' {
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
