// Package prompt, internal to unknot, recognises the prompt of a shell or a switch above a text that was copied from a
// terminal.
package prompt

import (
	"bytes"
	"regexp"
	"sync"
)

// Advice completes the message of a reader that meets a prompt.
const Advice = "the prompt of a terminal, with the command that printed the rest: delete this line"

// prompts match a prompt and the beginning of its command. A bare # or % begins a comment in many formats, so it is
// no prompt.
var prompts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\$|\[?[\w.-]+@[\w.-]+[^#$%>\n]*[#$%>]|\[[^\]\n]*\]\s*[#$%>]|` +
		`[A-Za-z][\w.-]*(\([\w-]*\))?[#>])\s*[a-zA-Z./~]`)
})

// Above returns the text below a first line that is a prompt; ok is false if that line is none. Blank lines do not
// count, nor do prompts without an end of line. It reads the first lines alone.
func Above(text []byte) (below []byte, ok bool) {
	line, below, ended := bytes.Cut(bytes.TrimLeft(text, "\ufeff \t\r\n"), []byte("\n"))
	if !ended || len(line) > 4096 || !prompts().Match(line) {
		return nil, false
	}
	return below, true
}
