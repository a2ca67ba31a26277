package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// VerifyFolder checks all evidence in a folder that unknot wrote, and that the result or the answer there agrees with
// it: the error is nil if everything is verified, an *[UncheckedError] if the worst is that something was left
// unchecked, and otherwise a rejection. [Verifier] tells what was checked, and what no evidence bears out.
func VerifyFolder(ctx context.Context, dir string, opt Options) error {
	var worst error
	v := Verifier{Options: opt, Report: func(o Outcome) error {
		var unchecked *UncheckedError
		if worst == nil || errors.As(worst, &unchecked) && o.Err != nil {
			worst = o.Err
		}
		return nil
	}}
	if err := v.Folders(ctx, dir); err != nil {
		return err
	}
	return worst
}

// Verifier checks files and folders of evidence, and reports each check as it ends.
type Verifier struct {
	Options

	// Report is called with every outcome. An error that it returns ends the work and is returned.
	Report func(Outcome) error

	// Remark, if not nil, is given lines about what no check bears out.
	Remark func(text string)

	// Subject reads a network or machine, and Evidence a file about it; nil: from the closed form, and as
	// [Options.ReadFile] does.
	Subject  func(ctx context.Context, file string) (*Subject, error)
	Evidence func(ctx context.Context, file string) ([]byte, error)
}

// Outcome is what came of one check.
type Outcome struct {
	File  string // what was checked: evidence; or a result or an index, of which nothing is said unless it is rejected
	Of    string // the name of the network or machine that the evidence is about; "" if it is self-contained
	Says  string // what the index of a folder of answers says of this part: the file's claim, not checked
	Part  bool   // the evidence is a part of an answer
	Shown Shown  // what is shown, if Err is nil
	Err   error  // nil: verified; an *[UncheckedError]; a *[PanicError], if the check failed; otherwise a rejection
}

// String says what is verified, or why it is not.
func (o Outcome) String() string {
	if o.Err != nil {
		return o.Err.Error()
	}
	text := o.Shown.String()
	if o.Of != "" {
		text += " of " + o.Of
	}
	if o.Part {
		text += fmt.Sprintf("; the file says of it: %q", o.Says)
	}
	return text
}

// Why says what is wrong, and leaves out the name of the file if the error says no more of it than that.
func (o Outcome) Why() string {
	switch e := o.Err.(type) {
	case *FileError:
		if e.File == o.File {
			return e.Err.Error()
		}
	case *PanicError:
		if e.File == o.File {
			return e.why()
		}
	}
	return o.Err.Error()
}

func (v *Verifier) remark(text string) {
	if v.Remark != nil {
		v.Remark(text)
	}
}

// Files checks evidence about a network or machine and, if all of it is verified, the result in the folder dir that
// holds both; "": there is none. The error says what cannot be read.
func (v *Verifier) Files(ctx context.Context, dir, subject string, files []string) error {
	s, err := v.subject(ctx, subject)
	if err != nil {
		return err
	}
	verified, all := 0, []Shown{}
	for _, file := range files {
		text, err := v.evidence(ctx, file)
		if err != nil {
			return err
		}
		shown, err := s.Check(ctx, file, text, v.Options)
		if err == nil {
			verified++
		}
		if err := v.Report(Outcome{File: file, Of: s.Name(), Shown: shown, Err: err}); err != nil {
			return err
		}
		all = append(all, shown)
	}
	if dir == "" || verified < len(files) {
		return nil
	}
	claims, err := bearsOut(ctx, dir, s, all, v.Options)
	if err != nil {
		return v.Report(Outcome{File: filepath.Join(dir, ResultFile), Err: err})
	}
	if claims != nil {
		v.remark(claimsLine(claims) + "\n")
	}
	return nil
}

func (v *Verifier) subject(ctx context.Context, file string) (*Subject, error) {
	if v.Subject != nil {
		return v.Subject(ctx, file)
	}
	text, err := v.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Read(ctx, file, text)
}

func (v *Verifier) evidence(ctx context.Context, file string) ([]byte, error) {
	if v.Evidence != nil {
		return v.Evidence(ctx, file)
	}
	return v.ReadFile(file)
}

// Folder checks what lies in a folder itself: evidence and a result, or the parts of an answer. It reports whether
// there was any of that, and returns the folders below.
func (v *Verifier) Folder(ctx context.Context, dir string) (found bool, below []string, err error) {
	f, err := openFolder(dir, v.Options)
	switch {
	case err == nil:
		return true, nil, v.answer(ctx, f)
	case !errors.Is(err, fs.ErrNotExist):
		return true, nil, err
	}
	subject, files, below, err := Files(dir)
	if subject == "" && files == nil {
		return false, below, err
	}
	if err != nil {
		return true, below, err
	}
	return true, below, v.Files(ctx, dir, subject, files)
}

// Folders checks what lies in folders, each of them as [Verifier.Folder] does; where there is nothing, it checks the
// folders below. It checks all folders, and returns the first error.
func (v *Verifier) Folders(ctx context.Context, dirs ...string) error {
	var first error
	for _, dir := range dirs {
		found, below, err := v.Folder(ctx, dir)
		if !found && below != nil {
			err = v.Folders(ctx, below...)
		}
		first = cmp.Or(first, err)
	}
	return first
}

// answer checks the parts of an answer one by one, and that it follows from them.
func (v *Verifier) answer(ctx context.Context, f *folder) error {
	verified := 0
	for i, p := range f.Answer.Parts {
		of, shown, err := f.Check(ctx, i, v.Options)
		if err == nil {
			verified++
		}
		if err := v.Report(Outcome{p.Evidence, of, p.Shows, true, shown, err}); err != nil {
			return err
		}
	}
	var text strings.Builder
	f.Summary(&text, verified)
	v.remark(text.String())
	if err := f.Verdict(); err != nil {
		file := filepath.Join(f.Dir, AnswerFile)
		return v.Report(Outcome{File: file, Err: &FileError{file, err}})
	}
	return nil
}
