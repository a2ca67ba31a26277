package catalogue

import (
	"io/fs"
	"regexp"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Source is the file in Starlark that describes a model, among those that it loads.
type Source struct {
	Text  func() string // with the files that it loads in their places
	files fs.FS
	name  string
}

// File returns the source in a package's file. Positions refer to lines of [Entry.Text].
func File(files fs.FS, name string) Source {
	return Source{Text: func() string { return inlined(files, name) }, files: files, name: name}
}

// WithFile gives a model that Go describes the file that stands beside its paper: the same network or machine for the
// parameters that they share, as a test of its package shows, and in the order of the paper.
func (e Entry) WithFile(s Source) Entry {
	e.source, e.beside = s, true
	return e
}

// IsBeside reports whether the file of a model that Go describes stands beside its paper, see [Entry.WithFile].
func (e Entry) IsBeside() bool { return e.beside }

// Quotation is a sentence of a paper that stands in a model's file.
type Quotation struct {
	Section  string // "" if the file does not say
	Sentence string // in translation
	File     string
	Line     int    // of File, at which the comment with the sentence begins
	Code     string // the line of code below or beside it
}

// shortest is the length of a sentence; what is shorter is a word or a name.
const shortest = 20

var (
	// quoted finds what the comments of a file quote, with the mark before that says where it stands; or that the next
	// quotation is not the paper's.
	quoted  = regexp.MustCompile(`(?:(?:paper, |; |^)(\d+(?:\.\d+)*)(?:, (?:steps?|figure) [\d.]+)?:|(\bours\b)|"([^"]*)")`)
	loading = regexp.MustCompile(`(?m)^load\(\s*"([^"]+)"`)
	heading = regexp.MustCompile(`[Ss]ections? (\d+(?:\.\d+)*)`)
)

// Quotations lists the sentences of its source that stand in a model's file and in those that it loads, which come last.
func (e Entry) Quotations() []Quotation {
	if e.source.files == nil {
		return nil
	}
	var all []Quotation
	bfs.Reach([]string{e.source.name}, func(name string, visit func(string)) {
		text, err := fs.ReadFile(e.source.files, name)
		if err != nil {
			panic("models: " + err.Error()) // a file of the program's own
		}
		all = append(all, quotations(name, string(text))...)
		for _, l := range loading.FindAllStringSubmatch(string(text), -1) {
			visit(l[1])
		}
	})
	return all
}

// quotations reads those of one file.
func quotations(file, text string) (all []Quotation) {
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		first, comment := i, ""
		var code string
		for ; i < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i]), "#"); i++ {
			comment += " " + strings.Trim(strings.TrimSpace(lines[i]), "# ")
		}
		if i == first {
			code, comment, _ = strings.Cut(lines[i], "  # ")
		} else {
			for _, l := range lines[i:] {
				if code, _, _ = strings.Cut(strings.TrimSpace(l), "  # "); code != "" {
					break
				}
			}
			i-- // the code may have a comment of its own
		}
		comment = strings.TrimSpace(comment)
		if s := heading.FindStringSubmatch(comment); s != nil && section == "" {
			section = s[1]
		}
		ours := false
		for _, m := range quoted.FindAllStringSubmatch(comment, -1) {
			switch {
			case m[1] != "":
				section, ours = m[1], false
			case m[2] != "":
				ours = true
			case !ours && len(m[3]) >= shortest:
				all = append(all, Quotation{section, m[3], file, first + 1, strings.TrimSpace(code)})
			}
		}
	}
	return all
}
