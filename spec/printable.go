package spec

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable makes a text from a file safe to print anywhere: control characters
// and marks that change the direction of writing are escaped as in Go, so that it
// stays on its line and cannot move on the screen. A text that would begin a line
// like a verdict of unknot-verify or a command to a CI system is quoted. Readers of
// files apply it to every name, once, and names are compared in this form.
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
