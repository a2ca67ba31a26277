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
	text = withoutCommands(b.String())
	for _, lead := range []string{"VERIFIED", "REJECTED", "UNCHECKED", "::"} {
		if strings.HasPrefix(strings.TrimLeft(text, " "), lead) {
			return `"` + text + `"`
		}
	}
	return text
}

// withoutCommands escapes what CI systems take for a command wherever it stands in a line: ##[, ##vso[, ##teamcity[,
// and whatever word another one writes there.
func withoutCommands(text string) string {
	const lead = "##"
	var b strings.Builder
	for {
		i := strings.Index(text, lead)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		word := strings.TrimLeft(text[i+len(lead):], letters)
		if strings.HasPrefix(word, "[") {
			b.WriteString(text[:i] + `#\x23`)
			text = text[i+len(lead):]
		} else { // the second # may begin one
			b.WriteString(text[:i+1])
			text = text[i+1:]
		}
	}
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_."
