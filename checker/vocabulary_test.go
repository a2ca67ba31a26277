package checker_test

import (
	"fmt"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	literal     = `"(?:[^"\\\n]|\\.)*"`
	sentence    = regexp.MustCompile(`(?:\bSay|\.And)\(\s*(` + literal + `(?:\s*\+\s*` + literal + `)*)`) // in Go
	jsonKey     = regexp.MustCompile(`json:"([^",]+)`)
	schemaKey   = regexp.MustCompile(`"([\w-]+)": *\{`)
	wordInAName = regexp.MustCompile(`[A-Z]+[a-z]*`)
)

// texts calls do with all that users read, and all keys of JSON.
func texts(t *testing.T, do func(place, name, text string)) {
	t.Helper()
	pages, err := filepath.Glob("../cmd/unknot/guide/*.md") // the page of commands has all help
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, name := range append(pages, "../README.md") {
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
		}
		source := filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
		schema := strings.HasSuffix(name, ".schema.json")
		if !source && !schema {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if schema {
			for _, key := range schemaKey.FindAllStringSubmatch(string(text), -1) {
				do("json", name, key[1])
			}
			return nil
		}
		for _, said := range sentence.FindAllStringSubmatch(string(text), -1) {
			do("text", name, said[1])
		}
		for _, key := range jsonKey.FindAllStringSubmatch(string(text), -1) {
			do("json", name, key[1])
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
			if place == "go" {
				p := types.NewPackage("p", "p")
				p.Scope().Insert(types.NewVar(0, p, "Of"+capital, types.Typ[types.Int]))
				var faults []string
				exported(p, func(_, words string) { faults = append(faults, found(all, "go", words)...) })
				if len(faults) != 1 {
					t.Errorf("%s in a name: %q", w.word, faults)
				}
			}
		}
	}
	said := sentence.FindStringSubmatch("words.Say(\"a \" +\n\t\"worm\", n)")
	if said == nil || len(found(all, "text", said[1])) != 1 {
		t.Errorf("a sentence over two lines: %q", said)
	}
	if names := slices.Collect(maps.Keys(library)); len(names) == 0 {
		t.Error("no package is listed")
	}
}
