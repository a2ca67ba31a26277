package main

import (
	"os"
	"strings"
	"testing"
)

// counters is a program of 4^6 states, which all say that nothing is bad; with
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

// TestResumeAfterEdit: what was found out about a program says nothing about the
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
	if code, out, errs := unknot(t, "check", "p.json", "--whole", "--checkpoint", "c", "--max-states", "3000"); code != exitUnknown || !strings.Contains(errs, "--resume c") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	write("p.json", counters(`,{"name":"boom","guard":["=","a",0],"do":[["set","bad",1]]}`))
	if code, out, errs := unknot(t, "check", "p.json", "--whole", "--resume", "c"); code != exitUsage || out != "" || errs != "unknot: checkpoint c is of another machine\n" {
		t.Errorf("after an edit: exit %d\n%s%s", code, out, errs)
	}
	write("p.json", counters(""))
	if code, out, errs := unknot(t, "check", "p.json", "--resume", "c"); code != exitUsage || out != "" || errs != "unknot: checkpoint c is of another question (whole space)\n" {
		t.Errorf("another question: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := unknot(t, "check", "p.json", "--whole", "--resume", "c"); code != exitExpected || !strings.Contains(out, "never bad HOLDS") {
		t.Errorf("as it was: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := unknot(t, "check", "p.json", "--checkpoint", "missing/c"); code != exitUsage || out != "" || errs != "unknot: checkpoint missing/c cannot be written: no such file or directory\n" {
		t.Errorf("a path that is not there: exit %d\n%s%s", code, out, errs)
	}
}
