// Package examples holds network files of real designs, each written to be
// read, changed and checked: see package star for the language. Each states the
// verdicts that are expected with the default parameters.
package examples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
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
