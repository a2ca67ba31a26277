// Package examples holds files of networks of real designs and of protocols, each
// written to be read, changed and checked: see package star for the language. Each
// states the verdicts that are expected with the default parameters.
package examples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/star"
)

//go:embed *.star protocols/*.star
var files embed.FS

// Names returns the names of all networks, such as "torus", sorted.
func Names() []string { return names(false) }

// Protocols returns the names of all protocols, such as "protocols/14_msi", sorted: they
// are a course, in which each shows one idea more.
func Protocols() []string { return names(true) }

func names(machines bool) []string {
	var names []string
	for _, pattern := range []string{"*.star", "protocols/*.star"} {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			panic("examples: " + err.Error()) // the files are part of the program
		}
		for _, file := range found {
			name := strings.TrimSuffix(file, ".star")
			if _, text, _ := Text(name); star.IsMachine(text) == machines {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Open returns the text of a file in the folder of protocols, for one that loads it.
func Open(name string) ([]byte, error) { return files.ReadFile("protocols/" + name) }

// Text returns the file of an example and its name with the ending ".star".
func Text(name string) (file string, text []byte, ok bool) {
	file = name + ".star"
	text, err := files.ReadFile(file)
	return file, text, err == nil
}
