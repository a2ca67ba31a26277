package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// TestEvidenceFolder: of a folder that unknot check --out wrote, all evidence is checked
// against the closed form in it; of several, each.
func TestEvidenceFolder(t *testing.T) {
	folder := func(model string) string {
		network, files := evidenceFolder(t, model, nil)
		for _, file := range files {
			if err := os.Rename(file, file+".unknot"); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Dir(network)
	}
	free, stuck, empty := folder("star-channel"), folder("ring"), t.TempDir()
	both, bare := t.TempDir(), t.TempDir() // as of a fabric: a folder a scope, and nothing else
	for name, of := range map[string]string{"a/free": free, "b": stuck} {
		if err := os.CopyFS(filepath.Join(both, name), os.DirFS(of)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(bare, "b"), os.DirFS(stuck)); err != nil || os.Mkdir(filepath.Join(bare, "a"), 0o700) != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name           string
		args           []string
		code, verified int
		want           string
	}{
		{"a folder", []string{free}, exitVerified, 3, "VERIFIED: deadlock freedom holds (extended-escape) of star-channel (wormhole)\n"},
		{"two folders", []string{free, stuck}, exitVerified, 6, "VERIFIED: deadlock freedom violated (deadlock) of one-way ring"},
		{"folders below", []string{both}, exitVerified, 6, "VERIFIED: deadlock freedom violated (deadlock) of one-way ring"},
		{"one below without evidence", []string{bare}, exitUsage, 3, bare + "/a: want a folder that unknot check --out"},
		{"one without evidence", []string{free, empty}, exitUsage, 3, empty + ": want a folder that unknot check --out"},
		{"one that is not there", []string{free, empty + "/x"}, exitUsage, 3, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := run(tt.args, &out, &out); code != tt.code ||
				strings.Count(out.String(), "VERIFIED: ") != tt.verified || !strings.Contains(out.String(), tt.want) {
				t.Errorf("exit code %d, want %d with %d verified and %q\n%s", code, tt.code, tt.verified, tt.want, &out)
			}
		})
	}
	// Evidence for another network is not ignored.
	if err := os.Rename(filepath.Join(free, "livelock-freedom.unknot"), filepath.Join(stuck, "livelock-freedom.unknot")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{stuck}, &out, &out); code != exitRejected || !strings.Contains(out.String(), "REJECTED: ") {
		t.Errorf("exit code %d:\n%s", code, &out)
	}
}

// TestHalfAFolder: a folder that has a closed form or a result without evidence, or evidence
// without a closed form, is not one of folders to look into.
func TestHalfAFolder(t *testing.T) {
	for files, want := range map[string]string{
		"network.json":                        "network.json: no evidence (*.unknot) lies beside it",
		"deadlock-freedom.unknot":             ": the folder lacks the network.json or machine.json that the evidence is about",
		"result.json":                         "result.json: no evidence (*.unknot) lies beside it", // nobody would see what it says
		"network.json result.json":            "network.json: no evidence (*.unknot) lies beside it",
		"deadlock-freedom.unknot result.json": ": the folder lacks the network.json or machine.json that the evidence is about",
		"notes.txt":                           "below: want a folder that unknot check --out or unknot ask --out wrote",
	} {
		dir := t.TempDir()
		err := os.Mkdir(filepath.Join(dir, "below"), 0o700)
		for _, file := range strings.Fields(files) {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{dir}, &out, &out); code != exitUsage || !strings.Contains(out.String(), want) {
			t.Errorf("%s alone: exit code %d, %s", files, code, &out)
		}
	}
}

// vcAnswer writes an answer to a question about VCs: a ring with two is free of deadlock, one with one is not.
func vcAnswer(t *testing.T) (dir string, a evidence.Answer) {
	t.Helper()
	network, files := evidenceFolder(t, "ring", map[string]string{"n": "3", "variant": "dateline"}) // deadlock, livelock, delivery hold
	dir = filepath.Dir(network)
	dead, deadFiles := evidenceFolder(t, "ring", map[string]string{"n": "3"})
	if filepath.Base(files[0]) != "deadlock-freedom" || filepath.Base(files[1]) != "livelock-freedom" {
		t.Fatalf("the evidence is called %v", files)
	}
	for from, to := range map[string]string{dead: "ring.json", deadFiles[0]: "ring"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	part := func(subject, evidenceFile, verdict string) evidence.Part {
		name := filepath.Join(dir, subject)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Read(context.Background(), name, text)
		if err != nil {
			t.Fatal(err)
		}
		return evidence.Part{Shows: "that it is so", Subject: subject, Digest: s.Digest.String(),
			Property: "deadlock-freedom", Verdict: verdict, Evidence: evidenceFile, Case: 1, Needs: verdict}
	}
	q, _ := evidence.QuestionOf("rwc1 least-vcs")
	a = evidence.Answer{Format: evidence.AnswerFormat,
		Asked: q.Name + " --set n=2 --set topology=cccb --set vcs=2 --set border=over --set order=ccc-first",
		Asks:  q.Asks, Verdict: "holds",
		Because: "one is not enough", Believe: []string{q.Believe}, Parts: []evidence.Part{part("network.json",
			"deadlock-freedom", "holds"), part("ring.json", "ring", "violated")}}
	putAnswer(t, dir, &a)
	return dir, a
}

func putAnswer(t *testing.T, dir string, a *evidence.Answer) {
	t.Helper()
	var b bytes.Buffer
	if err := evidence.WriteAnswer(&b, a); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, evidence.AnswerFile), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFolder: the parts of an answer are checked one by one, and what has to be
// believed is printed, whatever the file says of it; the answer is printed only if the parts bear it out.
func TestFolder(t *testing.T) {
	dir, right := vcAnswer(t)
	free, dead := right.Parts[0], right.Parts[1]
	of := func(p evidence.Part, f func(*evidence.Part)) evidence.Part { f(&p); return p }
	other := of(free, func(p *evidence.Part) { p.Shows = "that it is so, too" })
	beside := of(free, func(p *evidence.Part) { p.Case, p.Needs = 0, "" })
	against := of(dead, func(p *evidence.Part) { p.Needs = "holds" })
	livelock := of(free, func(p *evidence.Part) { p.Property, p.Evidence = "livelock-freedom", "livelock-freedom" })
	for _, tt := range []struct {
		name  string
		vcs   string
		parts []evidence.Part
		code  int
		want  string
	}{
		{"two parts", "2", []evidence.Part{free, dead}, exitVerified, "2 of 2 parts verified\n"},
		{"the part that is enough", "1", []evidence.Part{free}, exitRejected, "network with 2 VCs in a link"},
		{"one of two", "2", []evidence.Part{free}, exitRejected, "does not call for 1 part like these"},
		{"more than two", "2", []evidence.Part{free, dead, livelock}, exitRejected, "does not call for 3 parts like these"},
		{"in another order", "2", []evidence.Part{dead, free}, exitRejected, "does not call for 2 parts like these"},
		{"another number of VCs", "3", []evidence.Part{free, dead}, exitRejected, "network with 1 VC in a link"},
		{"no number of VCs", "", []evidence.Part{free, dead}, exitRejected, "is missing or out of range"},
		{"the same twice", "2", []evidence.Part{free, free}, exitUsage, "part 2: it repeats part 1"},
		{"the same for another reason", "2", []evidence.Part{free, other}, exitRejected, "does not call for 2 parts like these"},
		{"the contrary of its part", "1", []evidence.Part{against}, exitRejected, `the answer "holds" does not follow from its parts`},
		{"nothing it rests on", "1", []evidence.Part{beside}, exitRejected, "does not call for 1 part like these"},
		{"no parts", "2", nil, exitUsage, "the answer has no parts"},
		{"another verdict", "2", []evidence.Part{of(free, func(p *evidence.Part) { p.Verdict = "violated" }), dead},
			exitRejected, "shows that deadlock freedom holds, not that deadlock freedom violated"},
		{"another property", "2",
			[]evidence.Part{of(free, func(p *evidence.Part) { p.Evidence = "livelock-freedom" }), dead}, exitRejected,
			"1 of 2 parts verified"},
		{"no such file", "2", []evidence.Part{of(free, func(p *evidence.Part) { p.Evidence = "nothing" }), dead}, exitRejected, "REJECTED: "},
		{"a file elsewhere", "2", []evidence.Part{of(free, func(p *evidence.Part) { p.Evidence = "../deadlock" }), dead}, exitUsage, "must lie in the folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, out := right, bytes.Buffer{}
			a.Parts, a.Asked = tt.parts, strings.Replace(right.Asked, "vcs=2", "vcs="+tt.vcs, 1)
			putAnswer(t, dir, &a)
			code := run([]string{dir}, &out, &out)
			if code != tt.code || !strings.Contains(out.String(), tt.want) {
				t.Errorf("exit code %d, want %d with %q\n%s", code, tt.code, tt.want, &out)
			}
			if code != exitUsage && !strings.Contains(out.String(),
				"unchecked: that the parts are about what is asked, \""+a.Asked+"\", and leave no case out\n") {
				t.Errorf("what is unchecked is not printed:\n%s", &out)
			}
			if says := strings.Contains(out.String(), right.Asks+": holds\n"); says != (code == exitVerified) {
				t.Errorf("exit code %d, and the answer is printed as such: %v\n%s", code, says, &out)
			}
		})
	}
}

// TestForgedAnswers: a forgery of each field of an answer. What is echoed as the file's claim is in quotes, or said to be
// unchecked; any other field is compared.
func TestForgedAnswers(t *testing.T) {
	dir, right := vcAnswer(t)
	const lie = "our production cluster never deadlocks"
	rows := map[string]struct {
		forge func(a *evidence.Answer)
		code  int
		want  string
	}{
		"format": {func(a *evidence.Answer) { a.Format = "unknot-answer-9" }, exitUsage, "format is"},
		"asked":  {func(a *evidence.Answer) { a.Asked = "any network" }, exitRejected, `"any network" is no question that this program knows`},
		"asked, a value": {func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "cccb", "any size", 1) },
			exitRejected, "want its parameters, each once, as NAME=VALUE"},
		"asked, a name": {func(a *evidence.Answer) { a.Asked += " --set sizes=all" }, exitRejected, "want its parameters, each once, as NAME=VALUE"},
		"asked, twice":  {func(a *evidence.Answer) { a.Asked += " --set vcs=3" }, exitRejected, "want its parameters, each once, as NAME=VALUE"},
		"asked, one less": {func(a *evidence.Answer) {
			a.Asked = strings.Replace(a.Asked, " --set border=over", "",
				1)
		}, exitRejected, "lacks the parameter border"},
		"asked, another": {func(a *evidence.Answer) {
			a.Asked = "rwc1 partitions --set n=2 --set topology=cccb --set order=ccc-first --set blocks=bits"
		}, exitRejected, "asks whether no packet between"},
		"asks":            {func(a *evidence.Answer) { a.Asks = lie }, exitRejected, "asks whether the given number of VCs"},
		"verdict":         {func(a *evidence.Answer) { a.Verdict = "violated" }, exitRejected, "does not follow"},
		"verdict unknown": {func(a *evidence.Answer) { a.Verdict = "unknown" }, exitUsage, "want holds or violated"},
		"because": {func(a *evidence.Answer) { a.Because = lie }, exitVerified,
			`unchecked: what answer.json says in parts (shows), and in because: "` + lie + `"`},
		"believe":         {func(a *evidence.Answer) { a.Believe = []string{lie} }, exitRejected, "it is to be believed that"},
		"believe more":    {func(a *evidence.Answer) { a.Believe = append(a.Believe, lie) }, exitRejected, "it is to be believed that"},
		"believe nothing": {func(a *evidence.Answer) { a.Believe = []string{} }, exitUsage, "believe is empty"},
		"shows":           {func(a *evidence.Answer) { a.Parts[0].Shows = lie }, exitVerified, `; the file says of it: "` + lie + `"`},
		"subject":         {func(a *evidence.Answer) { a.Parts[0].Subject = a.Parts[1].Subject }, exitRejected, "has the digest"},
		"digest":          {func(a *evidence.Answer) { a.Parts[0].Digest = strings.Repeat("0", 64) }, exitRejected, "has the digest"},
		"property": {func(a *evidence.Answer) { a.Parts[0].Property = "delivery" }, exitRejected,
			"shows that deadlock freedom holds, not that delivery holds"},
		"part's verdict": {func(a *evidence.Answer) { a.Parts[0].Verdict = "violated" }, exitRejected, "shows that"},
		"evidence":       {func(a *evidence.Answer) { a.Parts[0].Evidence = "livelock-freedom" }, exitRejected, "shows that livelock freedom holds"},
		"case":           {func(a *evidence.Answer) { a.Parts[1].Case = 2 }, exitRejected, "does not call for 2 parts like these"},
		"needs":          {func(a *evidence.Answer) { a.Parts[1].Needs = "holds" }, exitRejected, "does not call for 2 parts like these"},
	}
	for name, row := range rows {
		a := right
		a.Parts = append([]evidence.Part{}, right.Parts...)
		row.forge(&a)
		putAnswer(t, dir, &a)
		var out bytes.Buffer
		code := run([]string{dir}, &out, &out)
		if code != row.code || !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: exit %d, want %d with %q\n%s", name, code, row.code, row.want, &out)
		}
		if code == exitVerified && strings.Contains(strings.ReplaceAll(out.String(), `"`+lie+`"`, ""), lie) {
			t.Errorf("%s: a claim stands without quotes:\n%s", name, &out)
		}
	}
}

// TestForgedAnswersDrawn: whatever is changed in the index of an answer, it is refused, or the change stands in quotes.
func TestForgedAnswersDrawn(t *testing.T) {
	dir, right := vcAnswer(t)
	var b, was bytes.Buffer
	if code := run([]string{dir}, &was, &was); code != exitVerified {
		t.Fatalf("exit %d\n%s", code, &was)
	}
	if err := evidence.WriteAnswer(&b, &right); err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"(\\.|[^"\\])*"`)
	rapid.Check(t, func(t *rapid.T) {
		is := read(t, b.Bytes())
		forge(t, is)
		// The index has one form: keys in their order, as this type writes them.
		text, err := json.Marshal(is)
		var a evidence.Answer
		if err != nil || json.Unmarshal(text, &a) != nil {
			t.Skip("no index")
		}
		var index, out bytes.Buffer
		if err := evidence.WriteAnswer(&index, &a); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, evidence.AnswerFile), index.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if code := run([]string{dir}, &out, &out); code != exitVerified {
			return
		}
		if got, want := quoted.ReplaceAllString(out.String(), ""), quoted.ReplaceAllString(was.String(), ""); got != want {
			t.Fatalf("%s\nis accepted, and prints outside quotes\n%s\nwant\n%s", &index, got, want)
		}
	})
}
