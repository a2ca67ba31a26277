// Package examples holds network files of real designs, each written to be
// read, changed and checked: see package star for the language. The first line
// of each says which verdicts to expect with the default parameters.
package examples

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

//go:embed *.star
var files embed.FS

// Names returns the names of all examples, such as "torus", sorted.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("examples: " + err.Error()) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".star"))
	}
	slices.Sort(names)
	return names
}

// Text returns the file of an example and its name with the ending ".star".
func Text(name string) (file string, text []byte, ok bool) {
	file = name + ".star"
	text, err := files.ReadFile(file)
	return file, text, err == nil
}

// Expect reads the first line of a network file, `# expect: deadlock=holds
// delivery=holds livelock=holds`, which may name some properties only.
func Expect(text []byte) (map[spec.Property]spec.Verdict, error) {
	line, _, _ := strings.Cut(string(text), "\n")
	rest, ok := strings.CutPrefix(line, "# expect:")
	if !ok {
		return nil, fmt.Errorf("the first line is %.60q: must be like # expect: deadlock=holds", line)
	}
	all := map[spec.Property]spec.Verdict{}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		p, known := spec.ParseProperty(name)
		v, alsoKnown := spec.ParseVerdict(value)
		if !known || !alsoKnown {
			return nil, fmt.Errorf("%.40q: must be a property and a verdict, such as deadlock=holds", word)
		}
		all[p] = v
	}
	return all, nil
}
