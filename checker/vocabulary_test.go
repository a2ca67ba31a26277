package checker_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// unwantedWord is a row of the second table of .github/TERMS.md.
type unwantedWord struct {
	word  string
	notIn []string // text, go, json
	say   string
}

func unwantedWords(t *testing.T) []unwantedWord {
	t.Helper()
	text, err := os.ReadFile("../.github/TERMS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| word | not in | say |\n|---|---|---|\n")
	var all []unwantedWord
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			t.Fatalf("TERMS.md: %q: want a word, where it may not appear, and what to say", line)
		}
		all = append(all, unwantedWord{
			strings.TrimPrefix(cells[0], "| "), strings.Split(cells[1], ", "), strings.TrimSuffix(cells[2], " |"),
		})
	}
	if len(all) < 10 {
		t.Fatalf("TERMS.md lists %d words", len(all))
	}
	return all
}

// found lists the unwanted words of a text, of a place: text, go or json.
func found(all []unwantedWord, place, text string) (faults []string) {
	text = " " + strings.ToLower(text) + " "
	for _, w := range all {
		if !slices.Contains(w.notIn, place) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], w.word)
			if i < 0 {
				break
			}
			before, after := rune(text[at+i-1]), rune(text[at+i+len(w.word)])
			if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
				faults = append(faults, fmt.Sprintf("%q: say %s", w.word, w.say))
				break
			}
			at += i + len(w.word)
		}
	}
	return faults
}

var (
	paths       = regexp.MustCompile("`[^`\n]*/[^`\n]*`") // of files, in pages
	jsonKey     = regexp.MustCompile(`json:"([^",]+)`)
	schemaKey   = regexp.MustCompile(`"([\w-]+)": *\{`)
	wordInAName = regexp.MustCompile(`[A-Z]+[a-z]*`)
)

// literals calls do with each text in Go source: all strings, as each may be an error, a sentence, a flag or its help,
// and for keys of JSON with what their tags name. A text in pieces joined by + is one.
func literals(source []byte, do func(place string, line int, text string)) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, func(token.Position, string) {}, 0)
	var text strings.Builder
	line, joined := 0, false
	end := func() {
		if text.Len() > 0 {
			do("text", line, text.String())
			text.Reset()
		}
	}
	for {
		at, kind, literal := s.Scan()
		switch {
		case kind == token.STRING:
			for _, key := range jsonKey.FindAllStringSubmatch(literal, -1) {
				do("json", set.Position(at).Line, key[1])
			}
			if !joined {
				end()
				line = set.Position(at).Line
			}
			said, err := strconv.Unquote(literal)
			if err != nil {
				said = literal
			}
			text.WriteString(said)
			joined = false
		case kind == token.ADD && text.Len() > 0:
			joined = true
		default:
			end()
			joined = false
		}
		if kind == token.EOF {
			return
		}
	}
}

// texts calls do with all that users read, and all keys of JSON.
func texts(t *testing.T, do func(place, name, text string)) {
	t.Helper()
	pages, err := filepath.Glob("../cmd/unknot/guide/*.md") // the page of commands has all help
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	examples, err := filepath.Glob("../models/examples/*.star")
	if err != nil || len(examples) < 10 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, name := range slices.Concat(pages, examples, []string{"../README.md"}) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prose := strings.NewReplacer("virtual lanes", "VLs", "virtual lane", "VL").
			Replace(paths.ReplaceAllString(string(text), ""))
		for number, line := range strings.Split(prose, "\n") {
			do("text", fmt.Sprintf("%s:%d", name, number+1), line)
		}
	}
	err = filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".ci" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.Name() == "renamed.go": // has the former words, to refuse them
			return nil
		}
		source := filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
		schema := strings.HasSuffix(name, ".schema.json")
		catalogue := slices.Contains([]string{".entries", ".claims"}, filepath.Ext(name))
		if !source && !schema && !catalogue {
			return nil
		}
		text, err := os.ReadFile(name)
		switch {
		case err != nil:
			return err
		case schema:
			for _, key := range schemaKey.FindAllStringSubmatch(string(text), -1) {
				do("json", name, key[1])
			}
		case catalogue:
			do("text", name, string(text))
		default:
			literals(text, func(place string, line int, text string) {
				do(place, fmt.Sprintf("%s:%d", name, line), strings.ReplaceAll(text, "virtual lane", "VL"))
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// exported calls do with the names that a package exports, in words.
func exported(p *types.Package, do func(name, words string)) {
	say := func(name string) { do(p.Path()+"."+name, strings.Join(wordInAName.FindAllString(name, -1), " ")) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		say(name)
		of, is := o.Type().(*types.Named)
		if _, declares := o.(*types.TypeName); !is || !declares {
			continue
		}
		for m := range of.Methods() {
			if m.Exported() {
				say(m.Name())
			}
		}
		if fields, is := of.Underlying().(*types.Struct); is {
			for f := range fields.Fields() {
				if f.Exported() {
					say(f.Name())
				}
			}
		}
	}
}

// TestVocabulary: no text, exported name or key has a word that .github/TERMS.md replaces by another.
func TestVocabulary(t *testing.T) {
	all, seen := unwantedWords(t), map[string]int{}
	texts(t, func(place, name, text string) {
		seen[place]++
		for _, fault := range found(all, place, text) {
			t.Errorf("%s: %s", name, fault)
		}
	})
	var packages []string
	for name := range library {
		packages = append(packages, unknot+name)
	}
	for _, p := range exportData(t, packages) {
		exported(p, func(name, words string) {
			seen["go"]++
			for _, fault := range found(all, "go", words) {
				t.Errorf("%s: %s", name, fault)
			}
		})
	}
	// Far fewer would mean that they are not found any more.
	for place, least := range map[string]int{"text": 2000, "json": 200, "go": 500} {
		if seen[place] < least {
			t.Errorf("%s: %d looked at, want at least %d", place, seen[place], least)
		}
	}
}

// camel returns words as a name in Go has them.
func camel(words string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return !unicode.IsLetter(r) }) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// TestVocabularyFindsEachWord: the test would fail on every word of the table, wherever it may not appear, and on
// nothing that only contains it.
func TestVocabularyFindsEachWord(t *testing.T) {
	all := unwantedWords(t)
	for _, w := range all {
		for _, place := range w.notIn {
			if !slices.Contains([]string{"text", "go", "json"}, place) {
				t.Errorf("%s: no place %q", w.word, place)
			}
			capital := strings.ToUpper(w.word[:1]) + w.word[1:]
			for _, text := range []string{w.word, capital + ".", "the " + w.word + ", and", "a-" + w.word + "_b"} {
				if faults := found([]unwantedWord{w}, place, text); len(faults) != 1 {
					t.Errorf("%s in %q: %q", w.word, text, faults)
				}
			}
			if faults := found([]unwantedWord{w}, place, "un"+w.word+" "+w.word+"x"); len(faults) > 0 {
				t.Errorf("%s: %q", w.word, faults)
			}
			if place == "text" {
				for form, source := range map[string]string{
					"error":         `var x = errors.New("no WORD here")`,
					"format":        `return fmt.Errorf("%s: a WORD: %w", name, err)`,
					"finding":       `return fmt.Sprintf("the WORD of %s", f.Name)`,
					"over lines":    "const A kind = \"a \" +\n\t\"WORD\"",
					"help":          "Long: `Runs a\nWORD.`,",
					"flag":          `c.Flags().Bool("WORD", false, "")`,
					"usage of flag": `c.Flags().Bool("x", false, "print the WORD")`,
				} {
					var faults []string
					literals([]byte(strings.ReplaceAll(source, "WORD", w.word)), func(at string, _ int, said string) {
						faults = append(faults, found([]unwantedWord{w}, at, said)...)
					})
					if len(faults) != 1 {
						t.Errorf("%s in a %s: %q", w.word, form, faults)
					}
				}
			}
			if place == "json" {
				var faults []string
				literals([]byte("type x struct { A int `json:\""+w.word+",omitempty\"` }"), func(at string, _ int, said string) {
					if at == "json" {
						faults = append(faults, found([]unwantedWord{w}, at, said)...)
					}
				})
				if len(faults) != 1 {
					t.Errorf("%s in a key: %q", w.word, faults)
				}
			}
			if place == "go" {
				p := types.NewPackage("p", "p")
				p.Scope().Insert(types.NewVar(0, p, "Of"+camel(w.word), types.Typ[types.Int]))
				var faults []string
				exported(p, func(_, words string) { faults = append(faults, found(all, "go", words)...) })
				if len(faults) != 1 {
					t.Errorf("%s in a name: %q", w.word, faults)
				}
			}
		}
	}
	if names := slices.Collect(maps.Keys(library)); len(names) == 0 {
		t.Error("no package is listed")
	}
}
