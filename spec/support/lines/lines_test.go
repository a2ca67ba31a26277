package lines_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// TestWrongLines: each line below differs from the one form in which evidence is
// written, and the reader says where and why.
func TestWrongLines(t *testing.T) {
	const digest = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	field := func(l *lines.Reader) { l.Field("name") }
	quoted := func(l *lines.Reader) { l.Quoted("text") }
	words := func(l *lines.Reader) { l.Words("hop", 2) }
	commented := func(l *lines.Reader) { l.Commented("hop", 2) }
	none := func(l *lines.Reader) { l.Words("hop", 0) }
	numbers := func(l *lines.Reader) { l.Numbers("sizes", 2) }
	network := func(l *lines.Reader) { l.Network() }
	property := func(l *lines.Reader) { l.Property() }
	site := func(l *lines.Reader) { l.Site(l.Words("site", 4)) }
	hex := func(l *lines.Reader) { l.Hexadecimal(l.Words("bits", -1)) }
	tests := []struct {
		name, text string
		read       func(*lines.Reader)
		want       string // "" if the line is right
	}{
		{"field", "name x y\n", field, ""},
		{"another field", "nam x\n", field, `2:1: want "name ..." here`},
		{"a former word", "messages 3\n", field, `2:1: want "name ..." here; messages is now called packets`},
		{"no line", "", field, "2:1: unexpected end of file"},
		{"half a line", "name x", field, "2:1: unexpected end of file within a line"},
		{"quoted", "text \"a\\tb\"\n", quoted, ""},
		{"no quotes", "text a\n", quoted, "2:6: want a text in double quotes here"},
		{"other quotes", "text `a`\n", quoted, "2:6: want a text in double quotes here"},
		{"a needless escape", "text \"\\x61\"\n", quoted, "2:6: want a text in double quotes here"},
		{"words", "hop a b\n", words, ""},
		{"a comment where there is none", "hop a b # why\n", words, `want "hop" with 2 words`},
		{"a comment", "hop a b # why\n", commented, ""},
		{"no comment", "hop a b\n", commented, ""},
		{"a comment in place of a word", "hop a # b\n", commented, `want "hop" with 2 words`},
		{"a word less", "hop a\n", words, `want "hop" with 2 words`},
		{"a word more", "hop a b c\n", words, `want "hop" with 2 words`},
		{"a word after the mark", "hop a # b\n", words, `want "hop" with 2 words`},
		{"no words", "hop\n", none, ""},
		{"a word where there is none", "hop a\n", none, `want "hop" with`},
		{"another name", "jump a b\n", words, `want "hop" with 2 words`},
		{"an empty line", "\n", words, `want "hop" with 2 words`},
		{"numbers", "sizes 0 12\n", numbers, ""},
		{"a number less", "sizes 0\n", numbers, "want 2 numbers here"},
		{"two spaces", "sizes 0  12\n", numbers, "want 2 numbers here"},
		{"a leading zero", "sizes 0 012\n", numbers, `invalid number "012"`},
		{"a sign", "sizes 0 +1\n", numbers, `invalid number "+1"`},
		{"below", "sizes 0 -1\n", numbers, `invalid number "-1"`},
		{"a letter", "sizes 0 1a\n", numbers, `invalid number "1a"`},
		{"above 64 bits", "sizes 0 9223372036854775808\n", numbers, `invalid number "9223372036854775808"`},
		{"property", "property delivery\n", property, ""},
		{"another property", "property acyclic\n", property, `2:10: invalid property "acyclic"`},
		{"network", "network " + digest + "\n", network, ""},
		{"half a digest", "network " + digest[:32] + "\n", network, "invalid"},
		{"site", "site -3 1 0 65535\n", site, ""},
		{"a tag above 16 bits", "site 0 1 0 65536\n", site, `invalid number "65536"`},
		{"a class above 16 bits", "site 0 1 65536 0\n", site, `invalid number "65536"`},
		{"no such destination", "site 0 -1 0 0\n", site, `invalid number "-1"`},
		{"bits", "bits 0 ff\n", hex, ""},
		{"upper case", "bits FF\n", hex, `invalid word "FF"`},
		{"leading zeros", "bits 00\n", hex, `invalid word "00"`},
		{"65 bits", "bits 1ffffffffffffffff\n", hex, `invalid word "1fffffffffffffff`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "first\n" + tt.text
			if strings.HasSuffix(tt.text, "\n") {
				text += "end\n"
				if tt.want != "" {
					text += strings.Repeat("more\n", 3) // which must not be read
				}
			}
			l := lines.New("e.unknot", strings.NewReader(text), "first")
			tt.read(l)
			_, err := lines.End(l, l)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if at := new(spec.PosError); !errors.As(err, &at) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			// After the first error nothing is read, and nothing else is reported.
			if l.ReadLine() != "" || l.Peek() != "" || len(l.Words("hop", 2)) != 2 || len(l.Numbers("sizes", 3)) != 3 || l.Err() != err {
				t.Errorf("the reader goes on after %v", err)
			}
		})
	}
}

// TestPeek: a line that was peeked at is read once more, and only once.
func TestPeek(t *testing.T) {
	l := lines.New("e", strings.NewReader("first\na\nb\nend\n"), "first")
	if got := [...]string{l.Peek(), l.Peek(), l.ReadLine(), l.ReadLine()}; got != [...]string{"a", "a", "a", "b"} {
		t.Errorf("%q", got)
	}
	if _, err := lines.End(l, l); err != nil {
		t.Error(err)
	}
}

// TestFrame: a text has its first line, its last line, and nothing after it.
func TestFrame(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"first\nend\n", ""},
		{"", "1:1: unexpected end of file"},
		{"First\nend\n", `1:1: want "first" here`},
		{"unknot-" + "run 2\nend\n", `1:1: want "first" here; unknot-run is now called unknot-machine-trace`},
		{"first\nEnd\n", `2:1: want "end" here`},
		{"first\nend", "2:1: unexpected end of file within a line"},
		{"first\nend\n\n", "3:1: text after the end"},
		{"first\nend\nx", "3:1: text after the end"},
		{"first\nend\r\n", `2:1: want "end" here`},
		{"first\n" + strings.Repeat("x", 1<<24+1) + "\n", "token too long"},
	} {
		l := lines.New("e", strings.NewReader(tt.text), "first")
		_, err := lines.End(l, l)
		if got := ""; err != nil {
			got = err.Error()
			if tt.want == "" || !strings.Contains(got, tt.want) {
				t.Errorf("%.20q: %v, want %q", tt.text, err, tt.want)
			}
		} else if tt.want != "" {
			t.Errorf("%.20q is read, want %q", tt.text, tt.want)
		}
	}
}
