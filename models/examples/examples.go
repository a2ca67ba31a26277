// Package examples holds files of networks of real designs and of protocols, each
// written to be read, changed and checked: see package star for the language. Each
// states the verdicts that are expected with the default parameters.
package examples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.star protocols/*.star
var files embed.FS

// Names returns the names of all networks, such as "torus", sorted.
func Names() []string { return names("*.star") }

// Protocols returns the names of all protocols, such as "protocols/14_msi", sorted: they
// are a course, in which each shows one idea more.
func Protocols() []string { return names("protocols/*.star") }

func names(pattern string) []string {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		panic("examples: " + err.Error()) // the files are part of the program
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".star")
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
