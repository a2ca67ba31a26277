package main

import (
	"os"
	"strings"
	"testing"
)

// counters is a program of 4^6 states, in all of which nothing is bad; with
// boom one step makes it bad.
func counters(boom string) string {
	var b strings.Builder
	b.WriteString(`{"format":"unknot-program-1","name":"counters","variables":[`)
	for _, x := range "abcdef" {
		b.WriteString(`{"name":"` + string(x) + `","values":["0","1","2","3"]},`)
	}
	b.WriteString(`{"name":"bad","values":["no","yes"]}],"invariants":[{"name":"never bad","holds":["=","bad",0]}],"rules":[`)
	for i, x := range "abcdef" {
		b.WriteString([]string{"", ","}[min(i, 1)])
		b.WriteString(`{"name":"up","guard":["<","` + string(x) + `",3],"do":[["set","` + string(x) + `",["+","` + string(x) + `",1]]]},`)
		b.WriteString(`{"name":"down","guard":["=","` + string(x) + `",3],"do":[["set","` + string(x) + `",0]]}`)
	}
	return b.String() + boom + "]}"
}

// TestResumeAfterEdit: results about a program say nothing about the
// program after an edit, though it has the same name.
func TestResumeAfterEdit(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("p.json", counters(""))
	if code, out, errs := unknot(t, "check", "p.json", "--explore=whole", "--checkpoint", "c", "--max-states",
		"3000"); code != exitUnknown || !strings.Contains(errs, "--resume c") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	write("p.json", counters(`,{"name":"boom","guard":["=","a",0],"do":[["set","bad",1]]}`))
	if code, out, errs := unknot(t, "check", "p.json", "--explore=whole", "--resume", "c"); code != exitUsage ||
		out != "" || errs != "unknot: checkpoint c is for another machine: resume it with the command that began it\n" {
		t.Errorf("after an edit: exit %d\n%s%s", code, out, errs)
	}
	write("p.json", counters(""))
	if code, out, errs := unknot(t, "check", "p.json", "--resume", "c"); code != exitUsage || out != "" ||
		errs != "unknot: checkpoint c is for another question (whole space): resume it with the command that began it\n" {
		t.Errorf("another question: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := unknot(t, "check", "p.json", "--explore=whole", "--resume", "c"); code != exitExpected || !strings.Contains(out, "never bad HOLDS") {
		t.Errorf("as it was: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := unknot(t, "check", "p.json", "--checkpoint", "missing/c"); code != exitUsage || out != "" ||
		errs != "unknot: invalid --checkpoint \"missing/c\": want a file in a folder that exists\n" {
		t.Errorf("a path that is not there: exit %d\n%s%s", code, out, errs)
	}
}

// TestDisk: states on disk outlast a bound, and the same command without the bound continues; a folder
// of another exploration is refused in one line and left untouched.
func TestDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p.json", []byte(counters("")), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(want int, says string, args ...string) {
		t.Helper()
		code, out, errs := unknot(t, append([]string{"check", "p.json", "--explore=whole", "--disk"}, args...)...)
		if code != want || !strings.Contains(out+errs, says) ||
			code == exitExpected && strings.Contains(errs, "saved") ||
			code == exitUsage && (out != "" || strings.Count(errs, "\n") != 1) {
			t.Errorf("%q: exit %d, want %d with %q\n%s%s", args, code, want, says, out, errs)
		}
	}
	check(exitUnknown, "unknot: saved in d; run the same command again with a higher --max-states to continue\n", "d", "--max-states", "3000")
	check(exitUsage,
		"unknot: checkpoint d is for another question (properties): resume it with the command that began it\n", "d",
		"--property", "deadlock-freedom")
	check(exitUsage, "unknot: --disk saves its own progress: want neither --checkpoint nor --resume\n", "d", "--checkpoint", "c")
	check(exitUsage, "liveness and compact storage need the states in memory", "d", "--compact")
	check(exitUsage, "unknot: checkpoint missing/d cannot be used: no such file or directory\n", "missing/d")
	check(exitUsage, "unknot: invalid --disk \"/dev/null\": want a folder, or the name of a new one\n", "/dev/null")
	check(exitUsage, "want an empty folder", ".")
	check(exitExpected, "never bad HOLDS", "d")
	if _, err := os.Stat("d/manifest"); err == nil {
		t.Error("the files are left")
	}
}
