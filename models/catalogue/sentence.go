package catalogue

import "strings"

// Sentence is what a paper says, and where it is answered.
type Sentence struct {
	Paper   string   // title of the group of models
	Says    string   // in our words
	Files   []string // that model it
	Rows    []string // claims: "MODEL: the beginning of what is decided"
	LeftOut []string // "MODEL: the beginning of a sentence that its claims leave out"
}

// ReadSentences reads a list of sentences: stanzas as in a file of claims, below paper: TITLE. A stanza begins with
// sentence: and has in: FILE, row: MODEL: CLAIM or left-out: MODEL: SENTENCE, each any number of times, and at least
// one. Errors are *spec.PosError.
func ReadSentences(file, text string) ([]Sentence, error) {
	f := &faults{file: file}
	var all []Sentence
	paper := ""
	keys := grammar{"paper": nil, "sentence": {"in*", "row*", "left-out*"}}
	for _, s := range keys.stanzas(f, text) {
		if s.kind == "paper" {
			paper = s.text("paper")
			continue
		}
		x := Sentence{Paper: paper, Says: s.text("sentence")}
		for _, in := range s.fields["in"] {
			x.Files = append(x.Files, in.text)
		}
		refer := func(key, want string) (all []string) {
			for _, to := range s.fields[key] {
				if !strings.Contains(to.text, ": ") {
					f.of(to, "want MODEL: %s", want)
				}
				all = append(all, to.text)
			}
			return all
		}
		x.Rows, x.LeftOut = refer("row", "CLAIM"), refer("left-out", "SENTENCE")
		switch {
		case paper == "":
			f.of(s.one("sentence"), "a sentence without a paper above")
		case len(x.Files)+len(x.Rows)+len(x.LeftOut) == 0:
			f.of(s.one("sentence"), "want in:, row: or left-out:")
		}
		all = append(all, x)
	}
	return all, f.err
}
