package spec

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable is a text from a file as it may be printed anywhere: without
// control characters and marks that turn the direction of writing, which are
// escaped as in Go, so that it stays on its line and cannot move on the screen.
// What would begin a line as a verdict of unknot-verify or as a command to a CI
// system is quoted. Readers of files apply it to every name, once, and names
// are compared in this form.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(b.String(), "##[", `#\x23[`), "##vso[", `#\x23vso[`)
	for _, lead := range []string{"VERIFIED", "REJECTED", "UNCHECKED", "::"} {
		if strings.HasPrefix(strings.TrimLeft(text, " "), lead) {
			return `"` + text + `"`
		}
	}
	return text
}
