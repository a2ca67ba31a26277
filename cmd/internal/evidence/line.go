package evidence

import (
	"strconv"
	"strings"
	"unicode"
)

// Line keeps a text on its line: names in files may have line breaks, behind
// which a verdict could stand that is none.
func Line(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
