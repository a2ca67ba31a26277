package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// step is a step of a workflow or an action.
type step struct {
	Uses, Shell, Run, If string
	Env, With            map[string]string
}

// readYAML reads a file below .github.
func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../.github", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(name, err)
	}
}

// TestAction runs the reusable action as a runner does: its command with
// GitHub's flags of bash, its inputs as environment, in a folder that is not
// this repository; and looks at what it hands to the step that uploads.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []step }
	}
	readYAML(t, "actions/check/action.yml", &action)
	if len(action.Runs.Steps) != 3 {
		t.Fatalf("%d steps, want Go, the check, the upload", len(action.Runs.Steps))
	}
	setup, check, upload := action.Runs.Steps[0], action.Runs.Steps[1], action.Runs.Steps[2]
	path, err := filepath.Abs("../../.github/actions/check")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.ReplaceAll(setup.With["go-version-file"], "${{ github.action_path }}", path)); err != nil {
		t.Error(err)
	}
	if want := "always() && inputs.upload == 'true' && hashFiles('unknot.sarif') != ''"; !strings.Contains(upload.If, want) {
		t.Errorf("uploads if %s: want %s, as a failed check is what is worth uploading, and wrong flags write no file", upload.If, want)
	}

	const one = "network(name = 'pair')\nexpect(deadlock_freedom = 'holds')\nlink(node('a'), node('b'))\nflows([('a', 'b')])\ndef route(at, to):\n    return [hop(at.node.out[0])]\n"
	// Every node sends all the way round: with one VC, four packets wait for each other.
	const ring = "network(name = 'ring')\nexpect(deadlock_freedom = 'holds')\nn = [node() for i in range(4)]\nfor i in range(4):\n    link(n[i], n[(i + 1) % 4])\ndef route(at, to):\n    return [hop(at.node.out[0])]\n"
	temporary := t.TempDir() // one for all: the command is built once
	search := "PATH=" + os.Getenv("PATH")
	if !seedtest.Whole() && runtime.GOOS == "linux" { // linking takes seconds, so this Go links nothing
		first := t.TempDir()
		text := fmt.Sprintf("#!%s\n[ -f go.mod ] && [ \"$*\" = 'build -o %s/unknot ./cmd/unknot' ] && ln -sf '%s' \"$3\"\n", bash, temporary, built(t))
		if err := os.WriteFile(filepath.Join(first, "go"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		search = "PATH=" + first + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	for _, tt := range []struct {
		name, flags string
		files       map[string]string
		code        int
		faults      string // where SARIF says that something is wrong
		said        string // on standard output, from which GitHub takes annotations
		summary     string
		uploads     bool
	}{
		{"good", "", map[string]string{"one.star": one}, exitExpected, "", "", "1 of 1 as expected", true},
		{"violated", "", map[string]string{"one.star": one, "ring.star": ring}, exitViolated,
			"-my%20nets/ring.star:7 deadlock-freedom", "::error file=-my nets/ring.star,line=7,", "1 of 2 as expected",
			true},
		{"flags", "--property delivery\n--workers 1", map[string]string{"ring.star": ring}, exitExpected, "", "", "1 of 1 as expected", true},
		{"broken file", "", map[string]string{"one.star": one, "bad.star": "foo(\n"}, exitUsage, "",
			"::error file=-my nets/bad.star,line=", "1 of 2 as expected", true},
		{"release", "", map[string]string{"one.star": one}, exitExpected, "", "", "1 of 1 as expected", true},
		{"changed release", "", map[string]string{"one.star": one}, 1, "", "FAILED", "", false},
		{"no such flag", "--propertie x", map[string]string{"one.star": one}, exitUsage, "", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workspace := t.TempDir()
			if err := os.Mkdir(filepath.Join(workspace, "-my nets"), 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(workspace, "-my nets", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			inputs := map[string]string{"path": "-my nets", "flags": tt.flags}
			releases, temporary := "", temporary
			if strings.HasSuffix(tt.name, "release") {
				inputs["release"], temporary = "v1", t.TempDir()
				releases = "file://" + releaseOf(t, "v1", tt.name == "changed release")
			}
			for name, input := range action.Inputs {
				if _, given := inputs[name]; !given {
					inputs[name] = input.Default
				}
			}
			c := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", check.Run)
			c.Dir = workspace
			summary := filepath.Join(t.TempDir(), "summary.md")
			c.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+path, "RUNNER_TEMP="+temporary, search, "GITHUB_STEP_SUMMARY="+summary)
			for name, value := range check.Env {
				if name == "RELEASES" {
					value = releases
				}
				value = regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`).ReplaceAllStringFunc(value, func(s string) string {
					name := strings.TrimSuffix(strings.TrimPrefix(s, "${{ inputs."), " }}")
					if _, found := inputs[name]; !found {
						t.Errorf("%s is not an input", name)
					}
					return inputs[name]
				})
				c.Env = append(c.Env, name+"="+value)
			}
			var out, errs bytes.Buffer
			c.Stdout, c.Stderr = &out, &errs
			if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
			if code := c.ProcessState.ExitCode(); code != tt.code || !strings.Contains(out.String()+errs.String(), tt.said) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, tt.code, tt.said, &out, &errs)
			}
			if text, _ := os.ReadFile(summary); !strings.Contains(string(text), tt.summary) || tt.uploads && len(text) == 0 {
				t.Errorf("summary %s, want %s", text, tt.summary)
			}
			faults, err := sarifFaults(filepath.Join(workspace, upload.With["sarif_file"]))
			if (err == nil) != tt.uploads || faults != tt.faults {
				t.Errorf("SARIF has faults %q (%v), want %q", faults, err, tt.faults)
			}
		})
	}
}

// releaseOf writes what the action takes of a release, as .ci/release packs it, into a folder; changed, the archive is not
// the one of SHA256SUMS.
func releaseOf(t *testing.T, version string, changed bool) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a runner has uname, curl and sha256sum")
	}
	all := t.TempDir()
	name := fmt.Sprintf("unknot-%s-%s-%s", version, runtime.GOOS, runtime.GOARCH)
	script := `mkdir -p "$1/$2" "$3" && ln "$4" "$3/unknot" 2>/dev/null || cp "$4" "$3/unknot"
tar -C "$(dirname "$3")" -czf "$1/$2/$(basename "$3").tar.gz" "$(basename "$3")" && cd "$1/$2" && sha256sum -- *.tar.gz > SHA256SUMS`
	if changed {
		script += " && echo x >> *.tar.gz"
	}
	c := exec.Command("bash", "-ec", script, "release", all, version, filepath.Join(t.TempDir(), name), built(t))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	return all
}

// sarifFaults lists what code scanning would show of a file: where, which rule.
func sarifFaults(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID    string
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		return "", err
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		return "", errors.New("not one run of SARIF 2.1.0")
	}
	var faults []string
	for _, r := range log.Runs[0].Results {
		if len(r.Locations) == 0 {
			return "", errors.New("a result without a place")
		}
		p := r.Locations[0].PhysicalLocation
		faults = append(faults, fmt.Sprintf("%s:%d %s", p.ArtifactLocation.URI, p.Region.StartLine, r.RuleID))
	}
	return strings.Join(faults, "; "), nil
}

// TestPinned: what a workflow, an action or an example in the guide uses of others is named by its digest, with its version in a
// comment, or is unknot at a commit; no checkout leaves its credentials to what runs later; no file may write more than it must.
func TestPinned(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"../../.github/workflows/*.yml", "../../.github/actions/*/action.yml", "guide/*.md", "../../README.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
	}
	pinned := regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+@([0-9a-f]{40} # v\d+(\.\d+)+|COMMIT # .+)$`)
	used := 0
	for name, text := range texts {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			_, uses, found := strings.Cut(line, "uses: ")
			if !found {
				continue
			}
			if used++; !pinned.MatchString(uses) {
				t.Errorf("%s:%d: %s: want OWNER/NAME@DIGEST # vVERSION", name, i+1, uses)
			}
			if strings.Contains(uses, "/checkout@") && !strings.Contains(lines[i+1], "persist-credentials: false") {
				t.Errorf("%s:%d: want persist-credentials: false", name, i+2)
			}
		}
		if strings.Contains(name, "/workflows/") && !strings.Contains(text, "\npermissions: { contents: read }\n") {
			t.Errorf("%s: want permissions for all jobs, to read", name)
		}
	}
	if used < 8 { // four in the workflow, two each in the action and the tutorial
		t.Errorf("%d uses were found", used)
	}
	for _, uses := range []string{"actions/checkout@v6", "actions/checkout@main # v6.1.0",
		"actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803", "actions/checkout@d23441a # v6.1.0"} {
		if pinned.MatchString(uses) {
			t.Errorf("%s counts as pinned", uses)
		}
	}
}

// TestWorkflow: the steps of CI are commands of this tree, and it may take the
// half hour that .ci/run promises twice.
func TestWorkflow(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Minutes int `yaml:"timeout-minutes"`
			Steps   []step
		}
	}
	readYAML(t, "workflows/ci.yml", &workflow)
	var ran []string
	for _, s := range workflow.Jobs["run"].Steps {
		if name := s.With["go-version-file"]; name != "" {
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Error(err)
			}
		}
		if s.Run == "" {
			continue
		}
		ran = append(ran, s.Run)
		if info, err := os.Stat(filepath.Join("../..", s.Run)); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s cannot be run: %v", s.Run, err)
		}
	}
	if len(ran) != 1 || ran[0] != ".ci/run" || workflow.Jobs["run"].Minutes < 60 {
		t.Errorf("CI runs %q in %d minutes", ran, workflow.Jobs["run"].Minutes)
	}
}

// TestBench: .ci/bench writes a table in Markdown over commits, of which one has a
// benchmark less, in a package that has moved since, above it the machine, the date and the commits; beside them the medians
// of the ratios, in which a benchmark of one commit only has no part; and leaves the repository as it was. A program in place of go compiles what prints the times of the
// commit in whose tree it stands. With KEEP a later run compiles nothing.
func TestBench(t *testing.T) {
	for _, needed := range []string{"bash", "git", "awk"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(err)
		}
	}
	script, err := filepath.Abs("../../.ci/bench")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	const fake = `#!/bin/sh
case $1 in
env) echo "go of $2" ;;
test) printf '#!/bin/sh\n%s\n' 'case $1 in -test.list) sed -n "s/^func //p" times_test.go ;; *) grep -v ^func times_test.go | grep "${4%?}" ;; esac' > "$4"
	chmod +x "$4" ;; # -c -o FILE PACKAGE
esac
`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	sh := func(command string) string {
		t.Helper()
		c := exec.Command("bash", "-ec", command)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL="+os.DevNull, "BENCH=.", "GOMAXPROCS=2")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	sh(`git init -q; git config user.name a; git config user.email a@example.org; mkdir .ci states
cp ` + script + ` .ci/bench
printf '%s\n' '# OLD NEW.' 'states spec' > .ci/moved
printf '%s\n' 'func BenchmarkStep' 'BenchmarkStep/ring-7-2 1 9000000 ns/op 90 B/op' 'BenchmarkStep/ring-7-2 1 6000000 ns/op 80 B/op' > states/times_test.go
git add .; git commit -qm 'one benchmark'; git tag old; git mv states spec
printf '%s\n' 'func BenchmarkWide' 'BenchmarkStep/ring-7-2 1 3000000 ns/op 5.0 Msites/s 60 B/op' 'BenchmarkWide-2 1 1234567 ns/op' >> spec/times_test.go
git commit -qam 'two benchmarks'`)
	got := sh(".ci/bench old HEAD HEAD 2>/dev/null")
	for i, commit := range []string{"old", "HEAD"} {
		short := strings.TrimSpace(sh("git rev-parse --short " + commit))
		got = strings.ReplaceAll(got, short, []string{"OLD", "NEW"}[i])
	}
	got = regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(got, "DATE")
	machine, table, _ := strings.Cut(got, "\n")
	want := `
* OLD of DATE: one benchmark
* NEW of DATE: two benchmarks

| benchmark | OLD | NEW | time | memory |
|---|---|---|---|---|
| spec Step/ring-7 | 6 | 3 | 0.50 | 0.75 |
| spec Wide |  | 1.23 |  |  |
`
	if table != want || !strings.Contains(machine, " processors") || !strings.Contains(machine, "; DATE. Times in milliseconds") {
		t.Errorf("%s", got)
	}
	if again := sh(`export KEEP=$(mktemp -d); BENCH='^$' .ci/bench old HEAD >/dev/null 2>&1; .ci/bench old HEAD 2>&1 >/dev/null; for tree in "$KEEP"/*/; do git worktree remove --force "$tree"; done; rm -r "$KEEP"`); strings.Contains(again, "compiled") {
		t.Errorf("compiled again: %s", again)
	}
	if left := sh("git worktree list | wc -l; git status --porcelain"); strings.TrimSpace(left) != "1" {
		t.Errorf("left: %s", left)
	}
}
