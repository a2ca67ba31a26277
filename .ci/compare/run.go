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
	unnamed := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(dir), []byte("DIR")) }
	a.out, a.errors, a.files = unnamed(stdout.Bytes()), unnamed(stderr.Bytes()), map[string][]byte{}
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no evidence
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(out, path)
			a.files[name], err = os.ReadFile(path)
		}
		return err
	})
	return a, err
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

// sentences are the keys of a result whose values are words for people.
var sentences = []string{"because", "assumptions"}

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
			if slices.Contains(sentences, key) || key == "argument" && (x[key] == nil || y[key] == nil) {
				continue // results name the argument since House only
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
