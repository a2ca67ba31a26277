package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestAsk: answers, exit codes, and what is written when something is wrong.
func TestAsk(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "picture.svg")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
		svg  bool
	}{
		{"holds", []string{"peach2", "addresses"}, exitExpected, "peach2: addresses holds\n", false},
		{"violated", []string{"p3", "distance-shrinks", "--set", "shape=bent"}, exitViolated, "p3: distance-shrinks violated\n", false},
		{"what is drawn", []string{"p3-rebalance", "settles", "--set", "rows=2", "--picture", picture}, exitViolated, "drawn in " + picture, true},
		{"no picture", []string{"rwc1", "partitions", "--picture", picture}, exitUsage, "has no picture", false},
		{"no model", []string{"nothing", "classes"}, exitUsage, `invalid model "nothing"`, false},
		{"no question", []string{"rwc1", "speed"}, exitUsage, `rwc1 has no question "speed": it has least-vcs,`, false},
		{"no questions at all", []string{"ring", "speed"}, exitUsage, "it has none", false},
		{"a wrong parameter", []string{"peach2", "addresses", "--set", "n=99"}, exitUsage, "peach2: invalid n \"99\"", false},
		{"what it is about", []string{"peach2", "addresses", "--set", "n=16"}, exitExpected,
			"peach2: addresses holds\nfor n=16, rings=1, tie=east, variant=minimal\n", false},
		{"a gap", []string{"peach2", "addresses", "--set", "n=12"}, exitViolated,
			"128 GiB of the window belong to no node, and match no port at any board: 4 parts of 16, from address 0x6000000000 on",
			false},
		{"a parameter that does not matter", []string{"peach2", "links", "--set", "tie=west"}, exitUsage,
			`peach2 links does not depend on parameter "tie": here it depends on n, rings`, false},
		{"no place to draw",
			[]string{"p3-rebalance", "settles", "--set", "rows=2", "--picture", filepath.Join(picture, "x", "y.svg")},
			exitUsage, "invalid --picture ", false},
		{"two arguments", []string{"p3"}, exitUsage, "want a question about p3: distance-grows, ", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.name, "draw") {
				needsDot(t)
			}
			os.Remove(picture)
			code, out, errs := unknot(t, append([]string{"ask"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit %d, want %d with %q:\n%s%s", code, tt.code, tt.want, out, errs)
			}
			text, err := os.ReadFile(picture)
			if drawn := err == nil && strings.Contains(string(text), "<svg"); drawn != tt.svg {
				t.Errorf("drawn: %v, want %v", drawn, tt.svg)
			}
		})
	}
}

// TestAnswers: answers are written with as many parts as the question has, each
// decided again; what was written is accepted, and the answer's argument printed;
// the contrary answer of the same parts is rejected.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		asked string
		code  int
		parts string
	}{
		{"rwc1 least-vcs", exitExpected, "2 of 2 parts"},                                                  // 3 VCs are free, 2 are not
		{"rwc1 least-vcs --set vcs=2", exitViolated, "1 of 1 parts"},                                      // 2 VCs deadlock
		{"peach2 ties --set n=4", exitExpected, "16 of 16 parts"},                                         // a rule each
		{"peach2 addresses --set n=16", exitExpected, "1 of 1 parts"},                                     // cases
		{"peach2 hops --set n=8 --set hops=4", exitExpected, "1 of 1 parts"},                              // cases
		{"peach2 hops --set n=8 --set hops=3", exitViolated, "1 of 1 parts"},                              // an address of the node opposite
		{"rwc1 partitions", exitExpected, "1 of 1 parts"},                                                 // regions
		{"rwc1 partitions --set blocks=cut-x", exitViolated, "1 of 1 parts"},                              // a way that leaves one
		{"p3-rebalance settles --set rows=2", exitViolated, "1 of 1 parts"},                               // a cycle of dependencies
		{"p3-rebalance settles --set rows=2 --set variant=beyond-vertical", exitExpected, "1 of 1 parts"}, // freedom
		{"p3-rebalance settles-quietly --set rows=2", exitExpected, "1 of 1 parts"},                       // freedom
		{"p3-rebalance settles-quietly --set rows=3", exitViolated, "1 of 1 parts"},                       // a cycle of dependencies
	} {
		t.Run(tt.asked, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "answer")
			args := append([]string{"ask"}, strings.Fields(tt.asked)...)
			if code, out, errs := unknot(t, append(args, "--out", dir)...); code != tt.code || !strings.Contains(out, "unchecked: ") {
				t.Fatalf("exit code %d, want %d\n%s%s", code, tt.code, out, errs)
			}
			code, out, errs := unknot(t, "verify", dir, "--recount")
			if code != exitExpected || !strings.Contains(out, tt.parts+" verified") || !strings.Contains(out, "unchecked: ") {
				t.Errorf("exit code %d, want %s\n%s%s", code, tt.parts, out, errs)
			}
			contrary(t, filepath.Join(dir, "answer.json"))
			if code, out, errs := unknot(t, "verify", dir, "--recount"); code != exitInternal ||
				!strings.Contains(out, tt.parts+" verified") ||
				!strings.Contains(out, "REJECTED "+filepath.Join(dir, "answer.json")+": the answer \"") {
				t.Errorf("the contrary: exit code %d\n%s%s", code, out, errs)
			}
		})
	}
}

// contrary negates the answer in an index, and changes nothing else.
func contrary(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	index, err := evidence.ReadAnswer(name, text)
	if err != nil {
		t.Fatal(err)
	}
	index.Verdict = map[string]string{"holds": "violated", "violated": "holds"}[index.Verdict]
	var b bytes.Buffer
	if err := evidence.WriteAnswer(&b, index); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnswersWithoutParts say so, and there is nothing to write.
func TestAnswersWithoutParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answer")
	if code, out, _ := unknot(t, "ask", "peach2", "links"); code > exitViolated || !strings.Contains(out, "unchecked") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, _, errs := unknot(t, "ask", "peach2", "links", "--out", dir); code != exitUsage || !strings.Contains(errs, "no parts") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
}

// TestWrongAnswers: a folder that differs in anything relevant is rejected.
func TestWrongAnswers(t *testing.T) {
	dir := t.TempDir()
	if code, out, errs := unknot(t, "ask", "rwc1", "least-vcs", "--out", dir); code != exitExpected {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	original := map[string]string{}
	for _, name := range []string{"answer.json", "0001.json", "0001.unknot", "0002.json", "0002.unknot"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		original[name] = string(text)
	}
	for _, tt := range []struct {
		name, file, old, new string
		code                 int
		want                 string
	}{
		{"as it is", "answer.json", "{", "{", exitExpected, "2 of 2 parts verified"},
		{"holds for violated", "answer.json", `"verdict": "violated"`, `"verdict": "holds"`, exitInternal,
			"shows that deadlock freedom violated, not that deadlock freedom holds"},
		{"another property", "answer.json", `"property": "deadlock-freedom"`, `"property": "livelock-freedom"`,
			exitInternal, "not that livelock freedom holds"},
		{"the other's network", "answer.json", `"subject": "0002.json"`, `"subject": "0001.json"`, exitInternal, "has the digest"},
		{"the other's evidence", "answer.json", `"evidence": "0002.unknot"`, `"evidence": "0001.unknot"`, exitInternal, "another network"},
		{"another digest", "answer.json", `"digest": "`, `"digest": "0`, exitInternal, "has the digest"},
		{"no digest", "answer.json", `"digest": "`, `"digests": "`, exitUsage, "unknown field"},
		{"no subject", "answer.json", `"subject": "0001.json",`, ``, exitUsage, "want a digest with a subject, and none without"},
		{"a file elsewhere", "answer.json", `"subject": "0001.json"`, `"subject": "../0001.json"`, exitUsage, "must lie in the folder"},
		{"a file that is the folder", "answer.json", `"evidence": "0001.unknot"`, `"evidence": "."`, exitUsage, "must lie in the folder"},
		{"a file that is not there", "answer.json", `"evidence": "0001.unknot"`, `"evidence": "0003.unknot"`, exitInternal, "no such file"},
		{"an unknown verdict of a part", "answer.json", `"verdict": "violated"`, `"verdict": "unknown"`, exitUsage, "want holds or violated"},
		{"not a verdict", "answer.json", `"verdict": "holds"`, `"verdict": "fine"`, exitUsage, "invalid verdict"},
		{"another format", "answer.json", "answer-2", "answer-3", exitUsage, "format is"},
		{"no JSON", "answer.json", `"asked":`, `"asked"`, exitUsage, "answer.json:3:"},
		{"no parts", "answer.json", original["answer.json"],
			`{"format":"unknot-answer-2","asked":"","asks":"","verdict":"holds","because":"","believe":[],"parts":[]}`,
			exitUsage, "the answer has no parts"},
		{"a network that differs", "0001.json", `"buffer":1`, `"buffer":2`, exitInternal, "has the digest"},
		{"a rank that differs", "0001.unknot", "\nrank ", "\nrank 9", exitInternal, "REJECTED"},
		{"a move left out", "0002.unknot", "\nmove ", "\n# ", exitInternal, "REJECTED"},
		{"no evidence", "0002.unknot", original["0002.unknot"], "", exitInternal, "REJECTED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(original[tt.file], tt.old, tt.new, 1)
			if tt.old != tt.new && changed == original[tt.file] {
				t.Fatalf("%s has no %q", tt.file, tt.old)
			}
			write := func(text string) {
				if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(changed)
			defer write(original[tt.file])
			code, out, errs := unknot(t, "verify", dir)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit code %d, want %d with %q\n%s%s", code, tt.code, tt.want, out, errs)
			}
		})
	}
}

// TestAnswerFolder: an answer replaces the previous one, and nothing else; one that
// is interrupted leaves no files.
func TestAnswerFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"2026.json", "0099.unknot", "notes.txt"} { // the user's, though named like parts
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	ask := func(want int, args ...string) {
		t.Helper()
		if code, out, errs := unknot(t, append(append([]string{"ask"}, args...), "--out", dir)...); code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, code, want, out, errs)
		}
	}
	ask(exitExpected, "rwc1", "least-vcs")
	if got, want := files(), "0001.json 0001.unknot 0002.json 0002.unknot 0099.unknot 2026.json answer.json notes.txt"; got != want {
		t.Errorf("two parts: %s\nwant %s", got, want)
	}
	ask(exitViolated, "rwc1", "least-vcs", "--set", "vcs=2")
	if got, want := files(), "0001.json 0001.unknot 0099.unknot 2026.json answer.json notes.txt"; got != want {
		t.Errorf("one part in place of two: %s\nwant %s", got, want)
	}

	e, _ := models.Find("rwc1")
	a, err := all.Ask(context.Background(), e, "least-vcs", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	second := a.Parts[1].Network
	a.Parts[1].Network = func(ctx context.Context) (routing.Definition, error) { stop(); return second(ctx) }
	if err := writeAnswer(ctx, dir, "", "", &a); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted in the second part: %v", err)
	}
	if got, want := files(), "0099.unknot 2026.json notes.txt"; got != want {
		t.Errorf("interrupted: %s\nwant %s", got, want)
	}
	made := filepath.Join(dir, "made") // by the command itself: nothing is left of it
	if err := writeAnswer(ctx, made, "", "", &a); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted at once: %v", err)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("a folder is left: %v", err)
	}

	// A file with the name of an index that is not one is not overwritten.
	if err := os.WriteFile(filepath.Join(dir, "answer.json"), []byte("42"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(exitUsage, "rwc1", "least-vcs", "--set", "vcs=2")
}

// TestForgedAnswers: an answer with fewer parts than its question calls for, with one network for several, or about
// another size than its parts is rejected, though every part is right.
func TestForgedAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, asked string
		forge       func(a *evidence.Answer)
		want        string
	}{
		{"one rule of 16", "peach2 ties", func(a *evidence.Answer) { a.Parts = a.Parts[1:2]; a.Parts[0].Case = 1 }, "does not call for 1 part like these"},
		{"15 rules of 16", "peach2 ties", func(a *evidence.Answer) { a.Parts = a.Parts[:15] }, "does not call for 15 parts like these"},
		{"a rule twice", "peach2 ties", func(a *evidence.Answer) {
			a.Parts[2].Subject, a.Parts[2].Digest, a.Parts[2].Evidence = a.Parts[1].Subject, a.Parts[1].Digest, a.Parts[1].Evidence
		}, "part 3 is about the network of another part"},
		{"rules of a smaller ring", "peach2 ties",
			func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "n=4", "n=2", 1) },
			"does not call for 16 parts like these"},
		{"a larger cluster", "peach2 addresses", func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "n=4", "n=16", 1) }, "a table of 4 boards"},
		{"fewer cables", "peach2 hops", func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "hops=3", "hops=1", 1) }, "paths of at most 3 cables"},
		{"another question", "peach2 hops",
			func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "hops", "links", 1) },
			"is no question that this program knows"},
		{"fewer VCs", "rwc1 least-vcs", func(a *evidence.Answer) { a.Asked = strings.Replace(a.Asked, "vcs=3", "vcs=2", 1) }, "a network with 3 VCs in a link"},
		{"regions for a table", "rwc1 partitions", func(a *evidence.Answer) {
			a.Asked = strings.Replace(a.Asked, "n=2", "n=two", 1)
			a.Parts[0].Property = "addresses"
		}, "REJECTED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "answer")
			if code, out, errs := unknot(t, append(append([]string{"ask"}, strings.Fields(tt.asked)...), "--out", dir)...); code != exitExpected {
				t.Fatalf("exit code %d\n%s%s", code, out, errs)
			}
			name := filepath.Join(dir, evidence.AnswerFile)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a, err := evidence.ReadAnswer(name, text)
			if err != nil {
				t.Fatal(err)
			}
			tt.forge(a)
			var b bytes.Buffer
			if err := evidence.WriteAnswer(&b, a); err != nil || os.WriteFile(name, b.Bytes(), 0o600) != nil {
				t.Fatal(err)
			}
			code, out, errs := unknot(t, "verify", dir)
			if code != exitInternal || !strings.Contains(out, tt.want) || strings.Contains(out, a.Asks+": holds") {
				t.Errorf("exit code %d, want %d with %q\n%s%s", code, exitInternal, tt.want, out, errs)
			}
		})
	}
}

// TestUnknownAnswer: an answer that is unknown is not written, as it would show nothing.
func TestUnknownAnswer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answer")
	a := &studies.Answer{Because: "too many", Parts: make([]studies.Part, 1)}
	var code *codeError
	if err := writeAnswer(t.Context(), dir, "", "", a); !errors.As(err, &code) || code.code != exitUnknown ||
		!strings.Contains(err.Error(), "the answer is unknown, so there is nothing to write: too many") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
}
