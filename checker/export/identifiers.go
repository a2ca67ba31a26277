package export

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// identifiers makes identifiers of one language from names written for readers. They
// are unique without regard to case, which some engines ignore.
type identifiers struct {
	taken map[string]bool // in lower case
}

// newIdentifiers returns identifiers that avoid the words of a text, which must
// be in lower case.
func newIdentifiers(reserved string) *identifiers {
	ids := &identifiers{taken: map[string]bool{}}
	for _, word := range strings.Fields(reserved) {
		ids.taken[word] = true
	}
	return ids
}

// longest bounds an identifier, apart from its number: SPIN 6.5 crashes on one of 2,000 letters.
const longest = 200

// identifier keeps letters and digits (ASCII), and makes one "_" of each run of anything
// else. It puts prefix and "_" before a name that does not begin with a letter or has no
// lower-case letter (it might be a C macro), cuts a long one, and numbers a name that is taken.
func (ids *identifiers) identifier(prefix, name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	id := strings.Join(words, "_")
	if id == "" || id[0] <= '9' || id == strings.ToUpper(id) ||
		strings.HasPrefix(id, "WF_") || strings.HasPrefix(id, "SF_") {
		id = strings.TrimSuffix(prefix+"_"+id, "_")
	}
	id = strings.TrimRight(id[:min(len(id), longest)], "_")
	free := id
	for i := 2; ids.taken[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s_%d", id, i)
	}
	ids.taken[strings.ToLower(free)] = true
	return free
}

// variables returns an identifier for every variable.
func (ids *identifiers) variables(p *program.Program) []string {
	out := make([]string, len(p.Variables))
	for i, v := range p.Variables {
		out[i] = ids.identifier("v", v.Name)
	}
	return out
}

// oneLine makes a name fit for a comment or double quotes in all of the languages: it
// leaves no marker of a comment's begin or end, and replacing creates none.
func oneLine(name string) string {
	name = strings.NewReplacer(`"`, "'", `\`, "/", "\n", " ", "\r", " ", "\x00", " ").Replace(name)
	apart := strings.NewReplacer("*/", "* /", "/*", "/ *", "*)", "* )", "(*", "( *")
	return apart.Replace(apart.Replace(name)) // twice: /*/ and (*) have two overlapping ones
}

// described says what a variable is called and what its values mean, if they
// are few.
func described(v *program.Variable) string {
	text := oneLine(v.Name)
	if len(v.Names) == 0 || len(v.Names) > 32 {
		return text
	}
	sep := ": "
	for value, name := range v.Names {
		text += fmt.Sprintf("%s%d %s", sep, value, oneLine(name))
		sep = ", "
	}
	return text
}
