// Package words makes parts of sentences: numbers of things, lists of words, and the name that was probably meant.
package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Plural counts things: "1 step", "2 steps", "2 switches", "2 classes", "2 copies".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %s", n, Several(what))
}

// Several is the plural of a thing: "steps", "switches", "classes", "copies".
func Several(what string) string {
	if stem, y := strings.CutSuffix(what, "y"); y && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return stem + "ies"
	}
	if strings.HasSuffix(what, "ch") || strings.HasSuffix(what, "ss") {
		what += "e"
	}
	return what + "s"
}

// OneOf lists at least one word: "dot", "dot or svg", "dot, svg or png".
func OneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Quoted lists words, each in double quotes.
func Quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strconv.Quote(w)
	}
	return strings.Join(out, ", ")
}
