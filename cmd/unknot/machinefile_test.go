package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// counter is a machine as its author writes it: it stops at 3, where a "reset"
// was forgotten, which the author expects.
const counter = `{"format": "unknot-program-1", "name": "counter",
 "expect": [{"property": "deadlock-freedom", "verdict": "violated"}],
 "variables": [{"name": "x", "values": 4}],
 "rules": [{"name": "up", "guard": ["<", "x", 3], "do": [["set", "x", ["+", "x", 1]]]}],
 "invariants": [{"name": "small", "holds": ["<=", "x", 3]}]}
`

// TestMachineFile: every command that takes a machine of the catalogue takes a file.
func TestMachineFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	file, out := write("counter.json", counter), filepath.Join(dir, "out")
	strict := write("strict.json", strings.Replace(counter, "violated", "holds", 1))
	later := write("later.json", strings.Replace(counter, "program-1", "program-2", 1))
	never := write("never.json", strings.Replace(counter, `["<=", "x", 3]`, `["<", 3, "x"]`, 1))
	broken := write("broken.json", strings.Replace(counter, `"set"`, `"put"`, 1))
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"check", []string{"check", file, "--explore=whole", "--out", out}, exitViolated, "counter: deadlock freedom VIOLATED, small HOLDS"},
		{"what check wrote, by file",
			[]string{"verify", file, filepath.Join(out, "deadlock-freedom.unknot"), filepath.Join(out, "small.unknot")},
			exitExpected, "closed set of 4 states"},
		{"by the closed form beside it",
			[]string{"verify", filepath.Join(out, machineFile), filepath.Join(out, "deadlock-freedom.unknot")},
			exitExpected, "deadlock freedom violated (halt, trace of 3 steps)"},
		{"for another machine", []string{"verify", "peterson", filepath.Join(out, "deadlock-freedom.unknot")}, exitInternal, "another machine"},
		{"expected", []string{"check", file, "--expected"}, exitExpected, "1 of 1 as expected"},
		{"violated before any step", []string{"check", never}, exitViolated, "small violated: in an initial state\n"},
		{"not expected", []string{"check", strict, "--expected"}, exitViolated, "deadlock freedom is violated, not holds as expected"},
		{"a folder", []string{"check", dir}, exitUsage, "counter.json (machine): deadlock freedom violated, small holds\n"},
		{"show", []string{"show", file}, exitExpected, "rule:      up\n    when x < 3\n    then x := x + 1\ninvariant: small"},
		{"show closed", []string{"show", file, "--closed"}, exitExpected, `{"name":"up","guard":["<","x",3],"do":[["set","x",["+","x",1]]]}]`},
		{"show a model closed", []string{"show", "peterson", "--closed"}, exitExpected, `"format":"unknot-program-1"`},
		{"export", []string{"export", file, "--to", "promela"}, exitExpected, "d_step"},
		{"replay", []string{"replay", file, filepath.Join(out, "deadlock-freedom.unknot")}, exitExpected, "x: 2 -> 3"},
		{"a fault in it", []string{"check", broken}, exitUsage, `broken.json:4:59: invalid statement "put"`},
		{"of another version", []string{"check", later}, exitUsage, `later.json:1:12: invalid value "unknot-program-2": want one of ["unknot-program-1"]`},
		{"parameters", []string{"check", file, "--set", "n=3"}, exitUsage, "no parameters"},
		{"switching", []string{"check", file, "--switching", "saf"}, exitUsage, "it has no switching or flows to set"},
		{"as a network", []string{"graph", file}, exitUsage, "is a protocol, not a network"},
		{"sites", []string{"show", file, "--sites"}, exitUsage, "it has no sites"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, text, errs := unknot(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, text, errs)
			}
			if !strings.Contains(text+errs, tt.want) {
				t.Errorf("%q does not contain %q", text+errs, tt.want)
			}
		})
	}
}

// TestPropertyNames: properties are named as their author likes; each has a file
// of evidence of its own, which the pattern that check prints finds.
func TestPropertyNames(t *testing.T) {
	named := func(name string) string {
		return fmt.Sprintf(`{"name": %q, "holds": ["<=", "x", 3]}`, name)
	}
	long := strings.Repeat("long ", 100)
	names := []string{"a b", "a-b", "A/B", "../up", ".hidden", "two\nlines", long + "one", long + "two"}
	var invariants []string
	for _, name := range names {
		invariants = append(invariants, named(name))
	}
	text := strings.Replace(counter, named("small"), strings.Join(invariants, ","), 1)
	dir := t.TempDir()
	out := filepath.Join(dir, "evidence")
	if code, _, errs := unknot(t, "check", file(t, "names.json", text), "--explore=whole", "--out", out); code != exitViolated {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.unknot"))
	if err != nil || len(files) != len(names)+1 { // and of the deadlock
		t.Errorf("%d files for %d properties: %v", len(files), len(names)+1, err)
	}
	code, lines, errs := unknot(t, append([]string{"verify", filepath.Join(out, machineFile)}, files...)...)
	if code != exitExpected {
		t.Errorf("exit code %d\n%s%s", code, lines, errs)
	}
	for _, name := range names {
		if strings.Count(lines, ": "+spec.Printable(name)+" holds (") != 1 {
			t.Errorf("no evidence for %q in\n%s", name, lines)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files beside the folder: %v", left)
	}
	// Names that verdicts could not tell apart are refused where they stand.
	for _, tt := range []struct{ text, want string }{
		{strings.Replace(counter, `"small"`, `"deadlock-freedom"`, 1), `:5:17: invariant "deadlock-freedom": duplicate name "deadlock-freedom"`},
		{strings.Replace(counter, "]}]}", `]}],"responses":[{"name":"small","pending":["<","x",3]}]}`, 1), `duplicate name "small"`},
	} {
		if code, _, errs := unknot(t, "check", file(t, "twice.json", tt.text)); code != exitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("exit code %d: %q does not contain %q", code, errs, tt.want)
		}
	}
}

// TestExportedModule: TLC reads a module only from a file with its name.
func TestExportedModule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "M1.tla")
	code, _, errs := unknot(t, "export", "peterson", "--to", "tla", "--out", file)
	text, err := os.ReadFile(file)
	if code != exitExpected || err != nil || !strings.HasPrefix(string(text), "---- MODULE M1 ----\n") {
		t.Errorf("exit %d, %v:\n%.100s%s", code, err, text, errs)
	}
}

// TestEvidenceOfAnother: a folder that is used again, for another network or a
// machine, holds evidence about that one alone, and keeps files of others.
func TestEvidenceOfAnother(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mesh"}, // deadlock, livelock, delivery
		{"peterson"},
		{"mesh", "--set", "k=3", "--property", "deadlock-freedom"},
	} {
		if code, _, errs := unknot(t, append(append([]string{"check"}, args...), "--out", dir)...); code != exitExpected {
			t.Fatalf("%v: exit code %d\n%s", args, code, errs)
		}
		subject, err := filepath.Glob(filepath.Join(dir, "[mn]*[ek].json")) // machine.json or network.json
		if err != nil || len(subject) != 1 {
			t.Fatalf("%v: closed forms %v, %v", args, subject, err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.unknot"))
		if code, out, errs := unknot(t, append([]string{"verify", subject[0]}, files...)...); code != exitExpected || len(files) == 0 {
			t.Errorf("%v: %d files, exit code %d\n%s%s", args, len(files), code, out, errs)
		}
	}
	if _, err := os.Stat(notes); err != nil {
		t.Error(err)
	}
}

// TestCounts: what is too large to be kept as a set is a count, which is left
// unchecked unless it is asked for; a set that was reduced has none.
func TestCounts(t *testing.T) {
	dir := t.TempDir()
	check := []string{"check", "ring", "--set", "n=6", "--set", "variant=dateline", "--explore=always", "--out", dir}
	code, out, errs := unknot(t, append(check, "--packets", "4")...)
	if code != exitExpected {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	deadlock := filepath.Join(dir, "deadlock-freedom.unknot")
	text, err := os.ReadFile(deadlock)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "unknot-count 3\n") {
		t.Fatalf("the space is small enough to be kept: %.40s", text)
	}
	network := filepath.Join(dir, networkFile)
	if code, out, _ := unknot(t, "verify", network, deadlock); code != exitUnknown || !strings.Contains(out, "UNCHECKED") {
		t.Errorf("not asked for: exit code %d\n%s", code, out)
	}
	if code, out, _ := unknot(t, "verify", network, deadlock, "--recount"); code != exitExpected || !strings.Contains(out, "visited again, packets 4") {
		t.Errorf("asked for: exit code %d\n%s", code, out)
	}
	kept := t.TempDir()
	if code, out, _ := unknot(t, "check", "ring", "--set", "n=5", "--set", "variant=dateline", "--explore=always",
		"--keep", "15000", "--out",
		kept); code != exitExpected || !strings.Contains(out, "closed set of 14400 states") {
		t.Errorf("with --keep: exit code %d\n%s", code, out)
	}
	if code, out, _ := unknot(t, append(check, "--packets", "4", "--symmetry", "--no-sample")...); code != exitExpected || !strings.Contains(out, "unchecked") {
		t.Errorf("with symmetry: exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(deadlock); !os.IsNotExist(err) {
		t.Errorf("the count of the run before is still there: %v", err)
	}
}

// TestMurphiFile: commands take a protocol in Murphi as they take others, and what is wrong in it stands at its place.
func TestMurphiFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const text = "var x: 0..3;\nstartstate x := 0; end;\nrule \"up\" x < 3 ==> x := x + 1; end;\nrule \"down\" x > 0 ==> x := x - 1; end;\n" +
		"invariant \"small\" x < 3;\n"
	file, out := write("all/counter.m", text), filepath.Join(dir, "out")
	write("all/more/plot.m", "x = linspace(0, 1); % of another language\n")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"check", []string{"check", file, "--out", out}, exitViolated, "3. up, by " + file + ":3:1\n"},
		{"verify", []string{"verify", file, filepath.Join(out, "small.unknot")}, exitExpected, "small violated"},
		{"replay", []string{"replay", file, filepath.Join(out, "small.unknot")}, exitExpected, "x: 2 -> 3"},
		{"show", []string{"show", file}, exitExpected, "rule:      up, by " + file + ":3:1\n"},
		{"export", []string{"export", file, "--to", "tla"}, exitExpected, "EXTENDS"},
		{"a folder, without what is of another language", []string{"check", filepath.Join(dir, "all"), "--expected"}, exitViolated, "0 of 1 as expected"},
		{"parameters", []string{"check", file, "--set", "n=3"}, exitUsage, "whose constants are in the file"},
		{"as a network", []string{"graph", file}, exitUsage, "is a protocol, not a network"},
		{"sweep", []string{"sweep", file}, exitUsage, "counter.m is a protocol, not a network"},
		{"another language", []string{"check", filepath.Join(dir, "all/more/plot.m")}, exitUsage, "plot.m:1:1: "},
		{"no token", []string{"check", write("a.m", strings.Replace(text, "x - 1", "x § 1", 1))}, exitUsage, "a.m:4:30: unexpected character '§'"},
		{"unknown", []string{"check", write("b.m", strings.Replace(text, "x - 1", "y - 1", 1))}, exitUsage, `b.m:4:28: unknown name "y"`},
		{"a type", []string{"check", write("c.m", strings.Replace(text, "x > 0", "x", 1))}, exitUsage, "c.m:4:13: this is of type 0..3: want boolean"},
		{"not read", []string{"check", write("d.m", text+"process x;")}, exitUsage, "d.m:6:1: process is not read"},
		{"an error", []string{"check", write("f.m", text+"rule \"two\" x = 2 ==> error \"bad\"; end;")}, exitViolated,
			"the next step is wrong: f.m:6:22: error: bad (rule \"two\")\n"},
		{"its headline", []string{"check", filepath.Join(dir, "f.m")}, exitViolated, "no rule ends with an error VIOLATED"},
		{"undefined", []string{"check", write("g.m", text+"var y: 0..1; rule \"read\" x = 1 ==> x := y; end;")},
			exitViolated, "the next step is wrong: g.m:6:41: y is undefined (rule \"read\")\n"},
		{"empty", []string{"check", write("e.m", "")}, exitUsage, "e.m:1:1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, text, errs := unknot(t, tt.args...)
			if code != tt.code || !strings.Contains(text+errs, tt.want) {
				t.Errorf("exit code %d, want %d; %q does not contain %q", code, tt.code, text+errs, tt.want)
			}
		})
	}
}
