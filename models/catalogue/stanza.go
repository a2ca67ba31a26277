package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// stanza is the lines of a file up to an empty one. The key of the first says what kind it is.
type stanza struct {
	kind   string
	fields map[string][]field
}

// one returns the text behind a key, or no text.
func (s stanza) one(key string) field {
	if all := s.fields[key]; len(all) > 0 {
		return all[0]
	}
	return field{}
}

// text returns the text behind a key, "" without.
func (s stanza) text(key string) string { return s.one(key).text }

// field is the text behind a key, its lines joined by spaces, and the place of its first character.
type field struct {
	text      string
	line, col int
}

// grammar lists the keys of each kind of stanza, besides the first. Those that end in ? may be missing, those that end
// in * may be missing or repeated.
type grammar map[string][]string

// faults keeps the first fault of a file.
type faults struct {
	file string
	err  error
}

func (f *faults) add(line, col int, format string, args ...any) {
	if f.err == nil {
		f.err = &spec.PosError{File: f.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
	}
}

func (f *faults) of(x field, format string, args ...any) { f.add(x.line, x.col, format, args...) }

// stanzas splits a text into the stanzas that the grammar permits.
func (g grammar) stanzas(f *faults, text string) []stanza {
	var all []stanza
	var open *field // that an indented line continues
	within := false // a stanza
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		switch {
		case strings.TrimSpace(line) == "":
			open, within = nil, false
		case line[0] == '#':
		case line[0] == ' ':
			if open == nil {
				f.add(number, 1, "an indented line continues the text above: there is none")
				return nil
			}
			open.text = strings.TrimLeft(open.text+" "+strings.TrimSpace(line), " ")
		default:
			key, rest, found := strings.Cut(line, ":")
			if !found {
				f.add(number, 1,
					"want \"KEY: TEXT\", an indented line that continues one, an empty line, or a comment after #")
				return nil
			}
			if !within {
				all = append(all, stanza{key, map[string][]field{}})
			}
			s := all[len(all)-1]
			g.permits(f, s, key, number)
			within = true
			text := strings.TrimSpace(rest)
			s.fields[key] = append(s.fields[key], field{text, number, len(key) + 2 + strings.Index(rest, text)})
			open = &s.fields[key][len(s.fields[key])-1]
		}
	}
	for _, s := range all {
		for _, key := range g[s.kind] {
			if !strings.HasSuffix(key, "?") && !strings.HasSuffix(key, "*") && s.text(key) == "" {
				f.of(s.one(s.kind), "a stanza that begins with %s lacks %s", s.kind, key)
			}
		}
	}
	return all
}

// permits refuses a key that the stanza must not have, or not once more.
func (g grammar) permits(f *faults, s stanza, key string, line int) {
	keys, known := g[s.kind]
	if !known {
		kinds := slices.Sorted(maps.Keys(g))
		f.add(line, 1, "no stanza begins with %.40q: want %s%s",
			key, strings.Join(kinds, ", "), words.Suggestion(key, kinds))
		return
	}
	names := []string{s.kind}
	for _, k := range keys {
		names = append(names, strings.TrimRight(k, "?*"))
	}
	switch {
	case !slices.Contains(names, key):
		want := strings.Join(names[1:], ", ") + words.Suggestion(key, names[1:])
		f.add(line, 1, "a stanza that begins with %s has no key %.40q: want %s", s.kind, key, want)
	case len(s.fields[key]) > 0 && !slices.Contains(keys, key+"*"):
		f.add(line, 1, "a stanza has one %s", key)
	}
}
