package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// answer is what a program says about a subject.
type answer struct {
	code        int
	out, errors []byte
	files       map[string][]byte // evidence, by path
	late        bool
}

// run runs both programs, and compares.
func (o *options) run(ctx context.Context, s subject, programs [2]string) (differences []string, late bool, err error) {
	var answers [2]answer
	for i, program := range programs {
		if answers[i], err = o.answer(ctx, s, program); err != nil || answers[i].late {
			return nil, true, err
		}
	}
	return o.differences(&answers[0], &answers[1]), false, nil
}

// formerFlags puts a command into the words of before --explore took one.
func formerFlags(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		switch arg {
		case "--explore=always":
			args[i] = "--explore"
		case "--explore=whole":
			args[i] = "--whole"
		}
	}
	return args
}

func (o *options) answer(ctx context.Context, s subject, program string) (a answer, err error) {
	dir, err := os.MkdirTemp(o.keep, "evidence")
	if err != nil {
		return a, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out") // by the same name for both
	args := append([]string{"check"}, s.args...)
	if o.former && strings.HasSuffix(program, "old") {
		args = formerFlags(args)
	}
	args = append(args, "--json", "--out", out, "--workers", "1", "--timeout", o.timeout.String(), "--memory", o.memory, "--max-states", o.states)
	const grace = 2 // a program that does not heed its limit
	ctx, cancel := context.WithTimeout(ctx, grace*o.timeout)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	begun := time.Now()
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return a, err
	}
	a.code, a.late = c.ProcessState.ExitCode(), time.Since(begun) > o.timeout*9/10
	unnamed := func(b []byte) []byte { return o.newWords(bytes.ReplaceAll(b, []byte(dir), []byte("DIR"))) }
	a.out, a.errors, a.files = unnamed(stdout.Bytes()), unnamed(stderr.Bytes()), map[string][]byte{}
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no evidence
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(out, path)
			name = formerProperty.ReplaceAllString(name, "${1}${2}-freedom.")
			a.files[name], err = os.ReadFile(path)
			a.files[name] = o.newWords(a.files[name])
		}
		return err
	})
	return a, err
}

// formerProperty is a property in the name of a file of before properties were named by what should hold.
var formerProperty = regexp.MustCompile(`(^|[^-\w])(deadlock|livelock|starvation)\.`)

// renamed are words of before the first release, in results and evidence, and what they are now: so that a comparison
// over a renaming shows what else differs. Where flags were renamed the closed form was, too, and so digests differ.
var renamed = []struct {
	former *regexp.Regexp
	now    string
}{
	{regexp.MustCompile(`("property": *"|\bproperty "?)(deadlock|livelock|starvation)("|\n)`), "${1}${2}-freedom${3}"},
	{regexp.MustCompile(`"(deadlock|livelock|starvation)"(: *")`), `"${1}-freedom"${2}`},
	{regexp.MustCompile(`(^|[^-\w])(deadlock|livelock|starvation)\.unknot`), "${1}${2}-freedom.unknot"},
	{regexp.MustCompile(`("fault": *"|\nfault )circular-wait\b`), "${1}deadlock"},
	{regexp.MustCompile(`("evidence": *")run"`), `${1}machine-trace"`},
	{regexp.MustCompile(`("evidence": *")refutation"`), `${1}unsatisfiability-proof"`},
	{regexp.MustCompile(`unknot-run 2\b`), "unknot-machine-trace 2"},
	{regexp.MustCompile(`unknot-(certificate|trace) 1\b`), "unknot-$1 2"},
	{regexp.MustCompile(`unknot-refutation 1\b`), "unknot-unsatisfiability-proof 2"},
	{regexp.MustCompile(`(?m)^messages ([0-9]+)$`), "packets $1"},
	{regexp.MustCompile(`unknot-network-1\b`), "unknot-network-2"},
	{regexp.MustCompile(`"source":( *"[^"]*")`), `"paper":$1`},
}

var digest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

func (o *options) newWords(text []byte) []byte {
	for _, w := range renamed {
		text = w.former.ReplaceAll(text, []byte(w.now))
	}
	if o.former {
		text = digest.ReplaceAll(text, []byte("DIGEST"))
	}
	return text
}

// differences lists how two answers differ.
func (o *options) differences(a, b *answer) (all []string) {
	if a.code != b.code {
		all = append(all, fmt.Sprintf("exit %d before, %d now: %.200s", a.code, b.code, bytes.TrimSpace(b.errors)))
	}
	all = append(all, o.texts("--json", a.out, b.out, true)...)
	if o.words {
		all = append(all, o.texts("messages", a.errors, b.errors, false)...)
	}
	names := maps.Clone(a.files)
	maps.Copy(names, b.files)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, was := a.files[name]
		now, is := b.files[name]
		switch {
		case !was:
			all = append(all, name+": is new")
		case !is:
			all = append(all, name+": is not written")
		default:
			all = append(all, o.texts(name, before, now, name == "result.json" || strings.HasSuffix(name, "/result.json"))...)
		}
	}
	return all
}

// texts compares two texts: as data if they are results, and otherwise byte for byte.
func (o *options) texts(name string, before, now []byte, result bool) []string {
	if bytes.Equal(before, now) {
		return nil
	}
	if x, y := any(nil), any(nil); result && !o.words && json.Unmarshal(before, &x) == nil && json.Unmarshal(now, &y) == nil {
		return values(name, x, y)
	}
	return []string{name + ": " + firstLine(string(before), string(now))}
}

// firstLine shows the first line that differs.
func firstLine(before, now string) string {
	x, y := strings.Split(before, "\n"), strings.Split(now, "\n")
	for i := range max(len(x), len(y)) {
		of := func(lines []string) string {
			if i < len(lines) {
				return fmt.Sprintf("%.200q", lines[i])
			}
			return "nothing"
		}
		if of(x) != of(y) || i >= len(x) || i >= len(y) || x[i] != y[i] {
			return fmt.Sprintf("line %d: %s before, %s now", i+1, of(x), of(y))
		}
	}
	return "differs"
}

// sentences are the keys of a result whose values are sentences.
var sentences = []string{"because", "assumptions", "notes"}

// added are the keys that results have since House only.
var added = []string{"argument", "facts"}

// values compares two values of JSON, and names where they differ.
func values(at string, x, y any) (all []string) {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if slices.Contains(sentences, key) || slices.Contains(added, key) && (x[key] == nil || y[key] == nil) {
				continue
			}
			all = append(all, values(at+"."+key, x[key], y[key])...)
		}
		return all
	case []any:
		y, ok := y.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			all = append(all, values(fmt.Sprintf("%s[%d]", at, i), x[i], y[i])...)
		}
		return all
	default:
		if x == y {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %.100s before, %.100s now", at, text(x), text(y))}
}

func text(x any) string {
	b, _ := json.Marshal(x)
	return string(b)
}
