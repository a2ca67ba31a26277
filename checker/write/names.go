package write

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names are the file names used in one folder, in lower case: some file systems do not
// distinguish case.
type Names map[string]bool

// Name makes a file name, without its extension, from a text such as a property, which may be
// a sentence: with hyphens for what a shell or any file system would stumble over, and a
// number if two texts give the same name.
func (taken Names) Name(text string) string {
	const most = 100 // bytes; file systems take 255
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return r
	}, text)
	if strings.HasPrefix(name, ".") { // *.unknot does not match hidden files
		name = "-" + name
	}
	for len(name) > most {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	free := name
	for k := 2; taken[strings.ToLower(free)]; k++ {
		free = fmt.Sprintf("%s-%d", name, k)
	}
	taken[strings.ToLower(free)] = true
	return free
}
