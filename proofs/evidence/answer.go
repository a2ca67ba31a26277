package evidence

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-105a2da2/unknot/spec"
)

// An answer to a question about a model consists of verdicts on networks and machines,
// each with its evidence, and an argument why they imply the answer. A folder holds
// all of it: the closed forms, the evidence, and an index that says which part shows
// what, and which verdict the answer needs of it. The parts are checked, and that the
// answer's verdict follows from theirs: it holds if in some case all parts have the
// verdict they need, and is violated if there is no such case. So is that the question calls
// for such parts. That they are about what is asked has to be believed, and is printed.
//
// An index must not mean one thing to a program and another to its reader. So it
// has one form, white space apart: the keys in order, each once, and nothing after
// them; its texts have no control characters, so they are printed as they are; no
// part is repeated; and its files are in the folder itself.

// AnswerFormat is the value of the key "format" in an index.
const AnswerFormat = "unknot-answer-2"

// AnswerFile is the name of the index in a folder.
const AnswerFile = "answer.json"

// The files of a folder that unknot check wrote, beside the evidence: the closed form that this is about, and the
// result.
const (
	NetworkFile = "network.json"
	MachineFile = "machine.json"
	ResultFile  = "result.json"
)

// Answer is the index of a folder.
type Answer struct {
	Format  string   `json:"format"`
	Asked   string   `json:"asked"`   // such as "MODEL ties --set n=4 --set rings=1", see Asked
	Asks    string   `json:"asks"`    // the sentence that the verdict is about
	Verdict string   `json:"verdict"` // holds or violated
	Because string   `json:"because"` // the file's claim
	Believe []string `json:"believe"` // what no part shows; at least one sentence
	Parts   []Part   `json:"parts"`
}

// Part is one verdict with evidence. Files are names within the folder.
type Part struct {
	Shows    string `json:"shows"`             // what it means for the answer: the file's claim
	Subject  string `json:"subject,omitempty"` // a closed form; "" if the evidence is self-contained
	Digest   string `json:"digest,omitempty"`  // of the closed form
	Property string `json:"property"`
	Verdict  string `json:"verdict"` // holds or violated
	Evidence string `json:"evidence"`
	Case     int    `json:"case,omitempty"`  // from 1; 0: the answer does not rest on it
	Needs    string `json:"needs,omitempty"` // holds or violated; "" without a case
}

// WriteAnswer writes an index.
func WriteAnswer(w io.Writer, a *Answer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(a)
}

// ReadAnswer reads an index and checks its form, and that all files lie within
// the folder. Errors are *spec.PosError with the given file name.
func ReadAnswer(file string, text []byte) (*Answer, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	a := &Answer{}
	if err := d.Decode(a); err != nil {
		at := int(d.InputOffset())
		if s := new(json.SyntaxError); errors.As(err, &s) {
			at = max(0, int(s.Offset)-1)
		}
		return nil, posError(file, text, at, err.Error())
	}
	wrong := func(format string, args ...any) error { return posError(file, text, 0, fmt.Sprintf(format, args...)) }
	switch {
	case a.Format != AnswerFormat:
		return nil, wrong("format is %.40q: want %q", a.Format, AnswerFormat)
	case !a.writtenAs(text):
		return nil, wrong(
			"want the keys in the order of the schema, each key once, texts without needless escapes, and nothing " +
				"after the end")
	case len(a.Parts) == 0:
		return nil, wrong("the answer has no parts: nothing is shown")
	}
	texts := append([]string{a.Asked, a.Asks, a.Because}, a.Believe...)
	for _, p := range a.Parts {
		texts = append(texts, p.Shows, p.Subject, p.Property, p.Evidence)
	}
	for _, s := range texts {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			return nil, wrong("%.60q has control characters", s)
		}
	}
	if v, _ := spec.ParseVerdict(a.Verdict); v == spec.Unknown {
		return nil, wrong("invalid verdict %.40q: want holds or violated", a.Verdict)
	}
	if len(a.Believe) == 0 || slices.Contains(a.Believe, "") {
		return nil, wrong("believe is empty: what no part shows must be said")
	}
	first := map[Part]int{}
	for i, p := range a.Parts {
		if j, twice := first[p]; twice {
			return nil, wrong("part %d: it repeats part %d", i+1, j+1)
		}
		first[p] = i
		if problem := p.problem(); problem != "" {
			return nil, wrong("part %d: %s", i+1, problem)
		}
	}
	return a, nil
}

// problem says what is wrong with a part; "" if nothing is.
func (p *Part) problem() string {
	v, _ := spec.ParseVerdict(p.Verdict) // unknown if it is not one
	switch {
	case p.Property == "":
		return "names no property"
	case v == spec.Unknown:
		return fmt.Sprintf("the verdict is %.40q: want holds or violated", p.Verdict)
	case !inside(p.Evidence) || p.Subject != "" && !inside(p.Subject):
		return "files must lie in the folder"
	case p.Case < 0 || (p.Case == 0) != (p.Needs == "") ||
		p.Case > 0 && p.Needs != spec.Holds.String() && p.Needs != spec.Violated.String():
		return fmt.Sprintf("case %d needs %.40q: want a case from 1 that needs holds or violated, or neither",
			p.Case, p.Needs)
	case (p.Subject == "") != (p.Digest == ""):
		return "want a digest with a subject, and none without"
	}
	return ""
}

// Agrees refuses an answer if it does not follow from the verdicts of its parts.
func (a *Answer) Agrees() error {
	lacking := map[int]bool{} // by case: some part has another verdict than it needs
	for _, p := range a.Parts {
		lacking[p.Case] = lacking[p.Case] || p.Verdict != p.Needs
	}
	delete(lacking, 0)
	holds := slices.Contains(slices.Collect(maps.Values(lacking)), false)
	want := map[bool]spec.Verdict{true: spec.Holds, false: spec.Violated}[holds]
	if len(lacking) == 0 || a.Verdict != want.String() {
		return fmt.Errorf("the answer %q does not follow from its parts", a.Verdict)
	}
	return nil
}

// writtenAs reports whether a text is the written form of the answer, white space apart.
func (a *Answer) writtenAs(text []byte) bool {
	var want, b, got bytes.Buffer
	return WriteAnswer(&b, a) == nil && json.Compact(&want, b.Bytes()) == nil &&
		json.Compact(&got, text) == nil && bytes.Equal(got.Bytes(), want.Bytes())
}

// inside reports whether a name is that of a file directly in a folder.
func inside(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
}

func posError(file string, text []byte, offset int, msg string) error {
	offset = min(offset, len(text))
	line := 1 + bytes.Count(text[:offset], []byte("\n"))
	return &spec.PosError{File: file, Line: line, Col: offset - bytes.LastIndexByte(text[:offset], '\n'), Msg: msg}
}

// Files returns the closed form in a folder that unknot check wrote, and the evidence
// beside it, and the folders below.
func Files(dir string) (subject string, files, below []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		switch name := filepath.Join(dir, e.Name()); {
		case e.Name() == NetworkFile || e.Name() == MachineFile ||
			e.Name() == ResultFile && subject == "" && files == nil:
			subject = name
		case filepath.Ext(name) == ".unknot":
			files = append(files, name)
		case e.IsDir():
			below = append(below, name)
		}
	}
	switch {
	case err != nil || subject != "" && files != nil:
	case subject != "":
		err = fmt.Errorf("%s: no evidence (*.unknot) lies beside it: nothing to check", subject)
	case files != nil:
		err = fmt.Errorf("%s: the folder lacks the network.json or machine.json that the evidence is about", dir)
	default:
		err = fmt.Errorf("%s: want a folder that unknot check --out or unknot ask --out wrote", dir)
	}
	return subject, files, below, err
}

// folder checks the parts of an answer in a folder one by one.
type folder struct {
	Dir    string
	Answer *Answer

	subject *Subject // the one read last, and its file
	file    string
}

// openFolder reads the index of a folder.
func openFolder(dir string, opt Options) (*folder, error) {
	name := filepath.Join(dir, AnswerFile)
	text, err := opt.readFile(name)
	if err != nil {
		return nil, err
	}
	a, err := ReadAnswer(name, text)
	if err != nil {
		return nil, err
	}
	return &folder{Dir: dir, Answer: a}, nil
}

// readFile reads a regular file, not a link: a link may lead out of the folder, and a
// device or pipe may never end.
func (o Options) readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file of the folder", name)
	}
	return o.ReadFile(name)
}

// ReadFile reads a regular file, or one that a link leads to, of at most 4 GiB. A
// device or pipe may never end.
func ReadFile(name string) ([]byte, error) { return Options{}.ReadFile(name) }

// ReadFile is like the function [ReadFile], but a file larger than o.Memory is an *UncheckedError. It looks at the size
// first, reads no more than that, and stops at a byte 0, which no text has: so a sparse file is read up to its first
// hole.
func (o Options) ReadFile(name string) ([]byte, error) {
	const most, piece = 4 << 30, 1 << 20
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes: want at most %d", name, info.Size(), int64(most))
	case o.Memory > 0 && info.Size() > o.Memory:
		return nil, &UncheckedError{fmt.Sprintf("%s has %d bytes, more than the memory of %d",
			name, info.Size(), o.Memory)}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int(info.Size())
	text := make([]byte, min(size, piece)) // all of it only once its beginning is text
	for read := 0; read < size; {
		if read == piece {
			text = append(make([]byte, 0, size), text...)[:size]
		}
		n, err := io.ReadFull(f, text[read:min(read+piece, len(text))])
		if i := bytes.IndexByte(text[read:read+n], 0); i >= 0 {
			return nil, posError(name, text[:read+n], read+i, "the file is binary: want text")
		}
		if read += n; err != nil {
			return nil, fmt.Errorf("%s: it has become shorter while it was read: %w", name, err)
		}
	}
	return text, nil
}

// Verdict refuses an answer that is none to its question, or does not follow from its parts, all of them verified.
func (f *folder) Verdict() error { return cmp.Or(f.Answer.AsAsked(), f.Answer.Agrees()) }

// Summary says how many parts were verified, the answer, if they bear it out, and what a reader has to believe in any
// case.
func (f *folder) Summary(w io.Writer, verified int) {
	a := f.Answer
	fmt.Fprintf(w, "%d of %d parts verified\n\n", verified, len(a.Parts))
	if verified == len(a.Parts) && f.Verdict() == nil {
		fmt.Fprintf(w, "%s: %s\n", a.Asks, a.Verdict)
	}
	fmt.Fprintf(w, "unchecked: that the parts are about what is asked, %q, and leave no case out\n", a.Asked)
	if q, _, err := a.question(); err == nil {
		fmt.Fprintf(w, "unchecked: %s\n", q.Believe)
	}
	fmt.Fprintf(w, "unchecked: what %s says in parts (shows), and in because: %q\n", AnswerFile, a.Because)
}

// Check checks part i: that the closed form has the digest, and that the evidence
// shows the verdict on the property that the index names. It returns the
// subject's name, "" without one. The error is an *UncheckedError, or a rejection.
func (f *folder) Check(ctx context.Context, i int, opt Options) (name string, shown Shown, err error) {
	p := f.Answer.Parts[i]
	file := filepath.Join(f.Dir, p.Evidence)
	defer recovered(file, &err)
	text, err := opt.readFile(file)
	if err != nil {
		return "", shown, err
	}
	of := &Subject{}
	if p.Subject != "" {
		if err := f.open(ctx, p, opt); err != nil {
			return "", shown, err
		}
		of, name = f.subject, f.subject.Name()
	}
	if shown, err = of.Check(ctx, file, text, opt); err != nil {
		return name, shown, err
	}
	if err := f.Answer.partAsAsked(i, of, shown.told.table); err != nil {
		return name, shown, fmt.Errorf("%s is about %w", file, err)
	}
	if of.Network != nil {
		if err := shown.AsDefined(of.Network.Switching()); err != nil {
			return name, shown, &FileError{file, err}
		}
	}
	if shown.Property != p.Property || shown.Verdict.String() != p.Verdict {
		return name, shown, fmt.Errorf("%s shows that %s %s, not that %s %s",
			file, Freedom(shown.Property), shown.Verdict, Freedom(p.Property), p.Verdict)
	}
	return name, shown, nil
}

// open reads the subject of a part, unless it was read last.
func (f *folder) open(ctx context.Context, p Part, opt Options) error {
	if f.subject == nil || f.file != p.Subject {
		name := filepath.Join(f.Dir, p.Subject)
		text, err := opt.readFile(name)
		if err != nil {
			return err
		}
		if f.subject, err = Read(ctx, name, text); err != nil {
			return err
		}
		f.file = p.Subject
	}
	if got := f.subject.Digest.String(); got != p.Digest {
		return fmt.Errorf("%s has the digest %s, not %s", filepath.Join(f.Dir, p.Subject), got, p.Digest)
	}
	return nil
}
