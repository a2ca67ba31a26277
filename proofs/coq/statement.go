package coq

import (
	"regexp"
	"slices"
	"strings"
)

// A file in Coq is a row of sentences, each of which ends with a full stop. What a theorem states is in its own
// sentence, in those that declare its words, and in those that declare the words of these. Words are found as Coq finds
// them: the last declaration above in the file, then the files that it requires, the last first. What Coq's library
// declares is not found, and is left out. A bound variable counts as a word, so a declaration of that name is listed,
// too: the list can be longer than it must be. A test has coqc read it, so it is never too short.

// Part is what a statement needs of one file.
type Part struct{ File, Text string }

// Statement returns a theorem without its proof, at the end of the last part, after all definitions of this folder on
// which its words rest, and the hypotheses of its section. It returns nil if no file has the theorem.
func Statement(theorem string) ([]Part, error) {
	all, err := theorems()
	if err != nil || all[theorem] == "" {
		return nil, err
	}
	order, err := Order(all[theorem])
	if err != nil {
		return nil, err
	}
	s := statement{file: map[string][]sentence{}, needed: map[string]map[int]bool{}}
	for _, name := range order {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s.file[name], s.needed[name] = sentences(string(text)), map[int]bool{}
	}
	last := all[theorem]
	at := slices.IndexFunc(s.file[last], func(o sentence) bool { return o.kind == "Theorem" && o.names[0] == theorem })
	for i, h := range s.file[last][:at] {
		if strings.HasPrefix(h.kind, "Hypothes") && h.visible(s.file[last][at]) {
			s.need(last, i)
		}
	}
	s.need(last, at)
	var parts []Part
	for _, name := range order {
		if text := s.text(name); text != "" {
			parts = append(parts, Part{name, text})
		}
	}
	return parts, nil
}

// Theorems lists the names of all theorems in alphabetical order. Lemmas are not among them.
func Theorems() ([]string, error) {
	all, err := theorems()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

// theorems returns the file of each theorem.
func theorems() (map[string]string, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		for _, name := range begins.FindAllSubmatch(text, -1) {
			all[string(name[1])] = e.Name()
		}
	}
	return all, nil
}

// statement collects the sentences that a theorem needs, by file and number.
type statement struct {
	file   map[string][]sentence
	needed map[string]map[int]bool
}

func (s *statement) need(file string, i int) {
	if s.needed[file][i] {
		return
	}
	s.needed[file][i] = true
	user := s.file[file][i]
	for _, section := range user.sections {
		s.needed[file][section] = true
	}
	for at, word := range identifier.FindAllString(user.code, -1) {
		if slices.Contains(user.names, word) && (at == 1 || user.kind != "Definition" && user.kind != "Notation") {
			continue // itself: a definition that has its name in it is made of another one
		}
		if in, at := s.declares(file, i, word); at >= 0 {
			s.need(in, at)
		}
	}
}

// declares finds the declaration of a word that a sentence uses. The number is -1 if it is bound, or of Coq's library.
func (s *statement) declares(file string, i int, word string) (in string, at int) {
	if module, name, found := strings.Cut(word, "."); found {
		return module + ".v", s.exported(module+".v", name)
	}
	user := s.file[file][i]
	for at := i - 1; at >= 0; at-- {
		if d := s.file[file][at]; slices.Contains(d.names, word) && (!d.isLocal() || d.visible(user)) {
			return file, at
		}
	}
	for at := i - 1; at >= 0; at-- {
		d := s.file[file][at]
		for _, module := range slices.Backward(d.requires()) {
			if at := s.exported(module+".v", word); at >= 0 {
				return module + ".v", at
			}
		}
	}
	return "", -1
}

// exported finds the declaration that other files see, -1 if there is none.
func (s *statement) exported(file, name string) int {
	for at := len(s.file[file]) - 1; at >= 0; at-- {
		if d := s.file[file][at]; slices.Contains(d.names, name) && !d.isLocal() {
			return at
		}
	}
	return -1
}

// text returns what is needed of a file, with the scopes in which it is read, and which arguments it leaves out.
func (s *statement) text(file string) string {
	var b strings.Builder
	for i, o := range s.file[file] {
		wanted := s.needed[file][i]
		switch o.kind {
		case "End":
			wanted = s.needed[file][o.sections[len(o.sections)-1]]
		case "Open":
			unneeded := func(section int) bool { return !s.needed[file][section] }
			wanted = len(s.needed[file]) > 0 && !slices.ContainsFunc(o.sections, unneeded)
		case "Arguments":
			in, at := s.declares(file, i, strings.Fields(o.code)[1])
			wanted = at >= 0 && s.needed[in][at] && !strings.HasSuffix(o.code, ": simpl never.") // of proofs alone
		}
		if !wanted {
			continue
		}
		if b.Len() > 0 && strings.HasPrefix(o.text, "\n\n") {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Trim(o.text, "\n") + "\n")
	}
	return b.String()
}

// sentence is one of a file, but for those within proofs.
type sentence struct {
	text     string // with the comments above it and behind it
	code     string // without
	kind     string // its first word
	names    []string
	sections []int // the numbers of the sentences that open those that it is in
}

// isLocal reports whether only its section sees what the sentence declares.
func (s sentence) isLocal() bool {
	return len(s.sections) > 0 &&
		(s.kind == "Notation" || strings.HasPrefix(s.kind, "Variable") || strings.HasPrefix(s.kind, "Hypothes"))
}

// visible reports whether a later sentence is in all sections that s is in.
func (s sentence) visible(from sentence) bool {
	return len(s.sections) <= len(from.sections) && slices.Equal(s.sections, from.sections[:len(s.sections)])
}

// requires lists the modules that the sentence requires.
func (s sentence) requires() []string {
	modules, _ := strings.CutPrefix(s.code, "Require Import ")
	if s.kind != "Require" {
		return nil
	}
	return strings.Fields(strings.TrimSuffix(modules, "."))
}

var (
	begins      = regexp.MustCompile(`(?m)^ *Theorem (\w+)`)
	identifier  = regexp.MustCompile(`[A-Za-z_][\w']*(\.[A-Za-z_][\w']*)?`)
	constructor = regexp.MustCompile(`(?:^[^=]*:=|\|) ([A-Za-z_][\w']*)`)
	field       = regexp.MustCompile(`[{;]\s*([A-Za-z_][\w']*)[^:;]*:`)
)

// sentences cuts a file. Proofs are left out: what stands from Proof to Qed or Defined.
func sentences(text string) (all []sentence) {
	var open []int
	proof := false
	for len(text) > 0 {
		n, code := next(text)
		s := sentence{text: text[:n], code: strings.Join(strings.Fields(code), " ")}
		text = text[n:]
		words := identifier.FindAllString(s.code, -1)
		if len(words) == 0 {
			continue
		}
		s.kind = words[0]
		switch s.kind {
		case "Proof":
			proof = true
		case "Qed", "Defined":
			proof = false
			continue
		case "End":
			s.sections = slices.Clone(open)
			open = open[:len(open)-1]
		default:
			s.sections = slices.Clone(open)
		}
		if proof {
			continue
		}
		switch s.kind {
		case "Section":
			open = append(open, len(all))
		case "Variable", "Variables", "Hypothesis", "Hypotheses":
			declared, _, _ := strings.Cut(s.code, ":")
			s.names = identifier.FindAllString(declared, -1)[1:]
		case "Definition", "Fixpoint", "Theorem", "Lemma", "Corollary", "Notation":
			s.names = words[1:2]
		case "Inductive", "Record":
			s.names = words[1:2]
			pattern := constructor
			if s.kind == "Record" {
				pattern = field
			}
			for _, m := range pattern.FindAllStringSubmatch(s.code, -1) {
				s.names = append(s.names, m[1])
			}
		}
		all = append(all, s)
	}
	return all
}

// next returns the length of the first sentence, with the comment behind it in its line, and its code.
func next(text string) (n int, code string) {
	var b strings.Builder
	depth, ended := 0, false
	for n < len(text) {
		switch {
		case strings.HasPrefix(text[n:], "(*"):
			depth++
			n += 2
		case depth > 0 && strings.HasPrefix(text[n:], "*)"):
			depth--
			n += 2
			b.WriteByte(' ')
		case depth > 0:
			n++
		case ended && text[n] != ' ':
			return n, b.String() // the end of the line, or another sentence in it
		default:
			b.WriteByte(text[n])
			ended = ended || text[n] == '.' && (n+1 == len(text) || strings.ContainsRune(" \n", rune(text[n+1])))
			n++
		}
	}
	return n, b.String()
}
