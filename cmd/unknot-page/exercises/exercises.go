// Package exercises, internal to unknot, has ten exercises on routing and protocols, each a file to mend. A solution is
// what the verifier accepts: unknot-page marks it.
package exercises

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// An exercise NAME has its task in NAME.md, with the title first and the hint last, and the file to begin with in
// NAME.star.
//
//go:embed *.star *.md
var files embed.FS

// Exercise asks for a change of a file.
type Exercise struct {
	Name   string
	Theory string // a page of the guide to read

	// Wanted are the verdicts, by property, each with evidence that the verifier accepts.
	Wanted []Verdict
	// Choices is how many sites must leave the router a choice of links.
	Choices int
}

// Verdict is what is wanted of a property.
type Verdict struct{ Property, Verdict string }

// End is the last line of what a solution must leave as it is.
const End = "# Your part. Leave the lines above as they are.\n"

// All returns the exercises, the easiest first.
func All() []Exercise {
	safe := []Verdict{{"deadlock-freedom", "holds"}, {"livelock-freedom", "holds"}, {"delivery", "holds"}}
	return []Exercise{
		{Name: "dimension-order", Theory: "first-network", Wanted: safe},
		{Name: "broken-link", Theory: "answers", Wanted: safe},
		{Name: "wandering", Theory: "answers", Wanted: safe},
		{Name: "dateline", Theory: "patterns", Wanted: safe},
		{
			Name: "one-turn-more", Theory: "methods",
			Wanted: []Verdict{{"deadlock-freedom", "violated"}, {"livelock-freedom", "holds"}, {"delivery", "holds"}},
		},
		{Name: "turn-model", Theory: "methods", Wanted: safe, Choices: 60}, // of 144; Glass and Ni's models leave 72
		{Name: "escape", Theory: "patterns", Wanted: safe, Choices: 200},   // Duato's leaves 216, two turn models fewer
		{Name: "bubble", Theory: "flow-control", Wanted: safe},
		{Name: "requests-and-replies", Theory: "replies", Wanted: safe},
		{
			Name: "one-at-a-time", Theory: "first-protocol",
			Wanted: []Verdict{
				{"deadlock-freedom", "holds"},
				{"never: both are critical", "holds"},
				{"0 enters while 1 asks", "holds"},
				{"1 enters while 0 asks", "holds"},
			},
		},
	}
}

// Find returns the exercise of a name.
func Find(name string) (Exercise, bool) {
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Exercise{}, false
}

// Text returns the file to begin with.
func (e Exercise) Text() (string, error) {
	text, err := fs.ReadFile(files, e.Name+".star")
	return string(text), err
}

// Given returns the part of the file that a solution must begin with.
func (e Exercise) Given() (string, error) {
	text, err := e.Text()
	given, _, is := strings.Cut(text, End)
	if err == nil && !is {
		err = fmt.Errorf("%s.star: there is no line %q", e.Name, End)
	}
	return given + End, err
}

// Task returns the title of the exercise, and in Markdown what is to be done, and a hint.
func (e Exercise) Task() (title, task, hint string, err error) {
	text, err := fs.ReadFile(files, e.Name+".md")
	if err != nil {
		return "", "", "", err
	}
	title, rest, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	task, hint, is := strings.Cut(rest, "\n## Hint\n")
	if !is {
		return "", "", "", fmt.Errorf("%s.md: there is no hint", e.Name)
	}
	return title, task, hint, nil
}
