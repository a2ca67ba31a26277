package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCompletion: the command accepts what completion offers.
func TestCompletion(t *testing.T) {
	name := file(t, "own.star", "k = param(\"k\", 3, doc = \"routers\")\nwrap = param(\"wrap\", True)\n"+
		"kind = param(\"kind\", \"xy\", choices = [\"xy\", \"yx\"])\nnetwork(name = \"n\")\n")
	for _, tt := range []struct {
		args []string
		has  []string
		not  []string
	}{
		{[]string{"check", ""}, []string{"ring", "peterson"}, nil},
		{[]string{"ask", ""}, []string{"p3", "rwc1"}, []string{"ring"}}, // the ring has no questions
		{[]string{"ask", "p3", ""}, []string{"masks", "distance-grows"}, []string{"ring", "ties"}},
		{[]string{"ask", "p3", "masks", ""}, nil, []string{"masks"}},
		{[]string{"ask", "p3", "masks", "--set", ""}, []string{"variant=", "masks="}, nil},
		{[]string{"ask", "p3", "masks", "--set", "masks="}, []string{"masks=none", "masks=blocks"}, []string{"variant="}},
		{[]string{"check", "mesh", "--set", ""}, []string{"k=", "routing="}, []string{"masks="}},
		{[]string{"check", name, "--set", ""}, []string{"k=", "wrap=", "kind="}, []string{"routing="}}, // of one's own file
		{[]string{"check", name, "--set", "kind="}, []string{"kind=xy", "kind=yx"}, []string{"k="}},
		{[]string{"check", name, "--set", "wrap="}, []string{"wrap=true", "wrap=false"}, nil},
		{[]string{"sweep", name, "--range", ""}, []string{"k", "wrap", "kind"}, []string{"k=", "routing"}},
		{[]string{"sweep", name, "--range", "kind="}, []string{"kind=xy", "kind=yx"}, []string{"k"}},
		{[]string{"diff", name, "--to", ""}, []string{"k=", "wrap=", "kind="}, nil},
		{[]string{"export", name, "--to", ""}, []string{"promela"}, []string{"k="}},
		{[]string{"check", name + "x", "--set", ""}, nil, []string{"k="}}, // of no file
		{[]string{"check", "--set", ""}, nil, []string{"k="}},             // of no model yet
		{[]string{"check", "ring", "--property", ""}, []string{"deadlock-freedom", "livelock-freedom", "delivery"}, nil},
		{[]string{"check", "peterson", "--property", ""}, []string{"deadlock-freedom", "mutual exclusion"}, []string{"livelock-freedom"}},
		{[]string{"sweep", "ring", "--property", ""}, []string{"deadlock-freedom", "livelock-freedom", "delivery"}, nil},
	} {
		_, out, _ := unknot(t, append([]string{"__complete"}, tt.args...)...)
		var words []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			words = append(words, word)
		}
		for _, word := range tt.has {
			if !slices.Contains(words, word) {
				t.Errorf("%q does not offer %q: %q", tt.args, word, words)
			}
		}
		for _, word := range tt.not {
			if slices.Contains(words, word) {
				t.Errorf("%q offers %q", tt.args, word)
			}
		}
	}
}

// TestCompletionForFish: fish hands on a name with blanks as one word. A program that repeats its third argument stands for
// unknot.
func TestCompletionForFish(t *testing.T) {
	code, script, errs := unknot(t, "completion", "fish")
	if _, bare, _ := unknot(t, "completion", "fish", "--no-descriptions"); code != exitExpected || bare == script {
		t.Errorf("exit %d: %s", code, errs)
	}
	if n := strings.Count(script, "string escape -- (commandline -xpc 2>/dev/null; or commandline -opc)"); n != 1 {
		t.Errorf("words are quoted at %d places of the script, want 1: does cobra do so?", n)
	}
	fish, err := exec.LookPath("fish")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("fish is not installed")
		}
		t.Skip("fish is not installed")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("HOME", dir)
	for name, text := range map[string]string{"unknot": "#!/bin/sh\nprintf '%s\\n:4\\n' \"$3\"\n", "unknot.fish": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, word := range []string{"'my net.star'", `my\ net.star`, `"my net.star"`} {
		command := fmt.Sprintf("source %s/unknot.fish; complete -C %q", dir, "unknot check "+word+" --set ")
		out, err := exec.Command(fish, "--no-config", "-c", command).CombinedOutput()
		if err != nil || string(out) != "my net.star\n" {
			t.Errorf("%s: %q, %v", word, out, err)
		}
	}
}

// TestRunsAreForgotten: a hundred runs leave no command behind, as each would take 190 KiB and every
// collection of garbage would look at it.
func TestRunsAreForgotten(t *testing.T) {
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	unknot(t, "check", "--help")
	before := held()
	for range 100 {
		unknot(t, "help", "check")
	}
	if more := int64(held()) - int64(before); more > 1<<20 {
		t.Errorf("%d KiB more are held", more>>10)
	}
}
