package program

import (
	"strconv"
	"strings"
)

// Names of a program are written for people; engines want identifiers.

// names hands out identifiers of one language, unique without regard to case
// (CMurphi does not tell cases apart).
type names struct {
	taken map[string]bool
}

// newNames returns names that avoid the reserved words of a language, given as
// one text of words in lower case.
func newNames(reserved string) *names {
	n := &names{taken: map[string]bool{}}
	for _, w := range strings.Fields(reserved) {
		n.taken[w] = true
	}
	return n
}

// identifier makes a name one: letters, digits and "_" stay, runs of anything
// else become one "_", and it begins with a letter. A name that is taken gets
// a number.
func (n *names) identifier(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		switch {
		case r == '-' || r == '+' || r == '>' || r == '<':
			// The signs of directions are what tells ports apart; words keep names legible.
			gap = true
			if r == '+' || r == '-' {
				b.WriteString(map[rune]string{'+': "_p", '-': "_m"}[r])
			}
		case r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	_ = strconv.Itoa
	return b.String()
}
