package report

import (
	"regexp"
	"strconv"
	"sync"
)

// Rule says why a relation permits a hop: in words, or by a place in a file.
type Rule struct {
	Text      string // as the relation says it; "" if it says nothing
	File      string // "" if Text is not a place
	Line, Col int    // 1-based; columns count bytes; 0 if Text is not a place
}

var placePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?):([1-9][0-9]{0,8}):([1-9][0-9]{0,8})(?:, (?:called from|as) .+)?$`)
})

// ruleOf finds the place in a reason such as "ring.star:14:13" or
// "ring.star:3:13, called from ring.star:14:9".
func ruleOf(reason string) Rule {
	r := Rule{Text: reason}
	// File names may contain colons; a reason in words has spaces and no place.
	if m := placePattern().FindStringSubmatch(reason); m != nil {
		r.File = m[1]
		r.Line, _ = strconv.Atoi(m[2])
		r.Col, _ = strconv.Atoi(m[3])
	}
	return r
}

// clause ends a sentence with the rule.
func (r Rule) clause() string {
	if r.Text == "" {
		return ""
	}
	return ", by " + r.Text
}
