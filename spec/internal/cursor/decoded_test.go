package cursor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// TestTokensAsDecoded: a text of which only the keys are known is read as encoding/json
// decodes it, with integers for numbers and no key twice, and refused if encoding/json
// refuses it; also with a byte lost, added or changed.
func TestTokensAsDecoded(t *testing.T) {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r "})
	word := rapid.SampledFrom([]string{"0", "-7", "12", "true", "false", `""`, `"a"`, `"["`, `"a\"b\\"`, `"\u00e9\ud83d\ude00"`, `"é"`, `"\n, x"`,
		"null", "1.5", "-0", "1e3", "01", "+1", "nul", `"\x"`, "\"\x01\"", "\"\xff\"", "[]", "{}", "99999999999999999999"})
	var value func(t *rapid.T, depth int) string
	value = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			return space.Draw(t, "before") + word.Draw(t, "word") + space.Draw(t, "after")
		}
		var parts []string
		for i := range rapid.IntRange(0, 3).Draw(t, "parts") {
			part := value(t, depth-1)
			if kind == 1 {
				part = space.Draw(t, "before") + `"` + string("abc"[i]) + `"` + space.Draw(t, "after") + ":" + part
			}
			parts = append(parts, part)
		}
		if kind == 1 {
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(`{"a":` + value(t, 3) + "}")
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
			with := []byte(rapid.SampledFrom([]string{"", "", ",", ":", "]", "}", "[", "{", `"`, " ", "1", "a", `\`}).Draw(t, "with"))
			text = bytes.Join([][]byte{text[:at], text[at+rapid.IntRange(0, 1).Draw(t, "lost"):]}, with)
			if len(text) == 0 {
				return
			}
		}
		asDecoded(t, text)
	})
	for _, value := range []string{
		"[1,2]", "[1 2]", "[1,]", "[,1]", "[,]", "[1,,2]", "[]", "[[],[]]", "[[][]]", "[1}", "{]", "{}",
		`{"a":1,"b":2}`, `{"a":1 "b":2}`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{"a"::1}`, `{"a":}`, `{"a"}`,
		`{"a",1}`, `{1:2}`,
		`["\\"]`, `["\\","b"]`, `["a\"","b"]`, `["\\\"b"]`, `["\\\\","b"]`, `["a]`, `["a\"]`, `["a""b"]`, `["a"1]`,
		`[1"a"]`, "[true]", "[true false]", "[truefalse]", "[1true]", "[tru]", "[null]", "1]", "1}", "1,", "", " ",
		":", "1 2",
	} {
		asDecoded(t, []byte(`{"a":`+value+"}"))
		asDecoded(t, []byte(` { "a" : [ `+value+" ] } "))
		asDecoded(t, []byte(`{"a":`+value))
	}
}

// asDecoded reads a text both ways.
func asDecoded(t interface{ Fatalf(string, ...any) }, text []byte) {
	want, plain := decoded(text)
	c := cursor.New(context.Background(), text, func(line, col int, msg string) error {
		if line < 1 || col < 1 || line > 1+bytes.Count(text, []byte("\n")) || col > len(text)+1 {
			t.Fatalf("%q: line %d, column %d: %s", text, line, col, msg)
		}
		return errors.New(msg)
	}, strings.ToUpper)
	var got any
	err := c.InOrder([]string{"A"}, map[string]func(*cursor.Cursor) error{"A": func(c *cursor.Cursor) (err error) { got, err = anything(c, text); return err }})
	if (err == nil) != (plain == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: %v, %v; decoded %v, %v", text, got, err, want, plain)
	}
}

// anything reads a value of any kind, with the keys A, B and C.
func anything(c *cursor.Cursor, text []byte) (x any, err error) {
	at := c.NextOffset()
	if at == len(text) {
		return nil, errors.New("at the end")
	}
	switch text[at] {
	case '[':
		list := []any{}
		err = c.List(func() error {
			x, err := anything(c, text)
			list = append(list, x)
			return err
		})
		return list, err
	case '{':
		object, fields := map[string]any{}, map[string]func() error{}
		for _, key := range []string{"A", "B", "C"} {
			fields[key] = func() (err error) {
				object[key], err = anything(c, text)
				return err
			}
		}
		return object, c.Object(fields, "A", "B", "C")
	case '"':
		var s string
		err = c.String(&s)
		return s, err
	case 't', 'f':
		return cursor.As[bool](c, "true or false")
	}
	var n int
	err = cursor.Number(c, &n, -1000, 1000)
	return n, err
}

// decoded is the plain way: all at once, by encoding/json.
func decoded(text []byte) (any, error) {
	if !json.Valid(text) {
		return nil, errors.New("no JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	all, err := strict(dec)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("more after the end")
		}
	}
	object, is := all.(map[string]any)
	if err == nil && (!is || len(object) != 1) {
		err = errors.New("no object of one key")
	}
	value, known := object["A"]
	if err == nil && !known {
		err = errors.New("another key")
	}
	return value, err
}

func strict(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch x := token.(type) {
	case string:
		return strings.ToUpper(x), nil
	case bool:
		return x, nil
	case json.Number:
		n, err := strconv.Atoi(x.String())
		if err != nil || strconv.Itoa(n) != x.String() || n < -1000 || n > 1000 {
			return nil, errors.New("no such integer")
		}
		return n, nil
	case json.Delim:
		list, object := []any{}, map[string]any{}
		for dec.More() {
			key := ""
			if x == '{' {
				k, err := dec.Token()
				if err != nil {
					return nil, err
				}
				key = strings.ToUpper(k.(string))
				if _, twice := object[key]; twice || !strings.Contains("ABC", key) || len(key) != 1 {
					return nil, errors.New("wrong key")
				}
			}
			value, err := strict(dec)
			if err != nil {
				return nil, err
			}
			list, object[key] = append(list, value), value
		}
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
		if x == '{' {
			return object, nil
		}
		return list, nil
	}
	return nil, errors.New("null")
}
