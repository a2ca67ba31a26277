package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// loading is a ring that loads a library, a topology and data of both kinds.
var loading = map[string]string{
	"net.star": `load("lib.star", "way")
network(name = "loading")
topology("topo.csv")
ways = [way(r["a"]) for r in table("data.csv")] + [way(x) for x in json("data.json")]
def route(at, to):
    return [hop(at.node.out[0])]
`,
	"lib.star":  "def way(x):\n    return x\n",
	"topo.csv":  "from,to\na,b\nb,c\nc,d\nd,a\n",
	"data.csv":  "a,b\n1,2\n",
	"data.json": "[1, 2]\n",
	"line.star": `k = param("k", 3, min = 2)
nodes = [node() for x in range(k)]
for x in range(k):
    if x + 1 < k:
        both(nodes[x], nodes[x + 1], out = "up", back = "down")
def route(at, to):
    return [hop(at.node.port("up" if at.node.id < to.id else "down"))]
`,
	"demands.csv": "source,destination,weight\na,b,1\n",
}

// writers are commands that write to each output, which stands for OUT; how is the name of what is
// written. inputs are further files that they read.
var writers = []struct {
	command, flag, args string
	how                 string // the ending of a file; "/" for a folder
	inputs              []string
	unmarked            bool // the format has no room for a mark
}{
	{command: "ask", flag: "out", args: "ask rwc1 least-vcs --out OUT", how: "/"},
	{command: "ask", flag: "picture", args: "ask p3-rebalance settles --set rows=2 --picture OUT", how: ".svg"},
	{command: "change", flag: "out", args: "change net.star net.star --out OUT", how: "/"},
	{command: "check", flag: "checkpoint", args: "check net.star --explore=whole --max-states 20 --checkpoint OUT"},
	{command: "check", flag: "disk", args: "check net.star --explore=whole --disk OUT", how: "/"},
	{command: "check", flag: "events", args: "check net.star --events OUT"},
	{command: "check", flag: "junit", args: "check net.star --junit OUT", how: ".xml"},
	{command: "check", flag: "markdown", args: "check net.star --markdown OUT"},
	{command: "check", flag: "out", args: "check net.star --out OUT", how: "/"},
	{command: "check", flag: "report", args: "check net.star --report OUT", how: ".html"},
	{command: "check", flag: "sarif", args: "check net.star --sarif OUT"},
	{command: "export", flag: "out", args: "export net.star --to promela --out OUT"},
	{command: "export", flag: "out", args: "export net.star --to murphi --out OUT"},
	{command: "export", flag: "out", args: "export net.star --to tla --out OUT"},
	{command: "export", flag: "out", args: "export net.star --to pins --out OUT"},
	{command: "export", flag: "out", args: "export dumps --to opensm-lfts --out OUT", inputs: []string{"dumps/opensm-subnet.lst", "dumps/opensm-lfts.dump"}},
	{command: "export", flag: "out", args: "export dumps --to opensm-sl2vl --out OUT", inputs: []string{"dumps/opensm-sl2vl.dump"}},
	{command: "export", flag: "out", args: "export dumps --to path-sls --out OUT", inputs: []string{"dumps/opensm-subnet.lst"}},
	{command: "export", flag: "out", args: "export dumps --to anynet --out OUT", inputs: []string{"dumps/opensm-subnet.lst"}, unmarked: true},
	{command: "graph", flag: "out", args: "graph net.star --format dot --out OUT"},
	{command: "graph", flag: "out", args: "graph net.star --format json --out OUT"},
	{command: "graph", flag: "out", args: "graph net.star --format graphml --out OUT"},
	{command: "graph", flag: "out", args: "graph net.star --format svg --out OUT"},
	{command: "graph", flag: "out", args: "graph net.star --format png --out OUT"},
	{command: "models", flag: "examples", args: "models --examples OUT", how: "/"},
	{command: "prove", flag: "smt", args: "prove line.star --for-all k --smt OUT", inputs: []string{"line.star"}},
	{command: "route", flag: "out", args: "route net.star --engine shortest --out OUT"},
	{command: "shrink", flag: "out", args: "shrink evidence/network.json evidence/deadlock-freedom.unknot --out OUT",
		inputs: []string{"evidence/network.json", "evidence/reasons.json", "evidence/deadlock-freedom.unknot"}},
	{command: "simulate", flag: "csv",
		args: "simulate net.star --load 0.01 --clocks 100 --traffic demands.csv --csv OUT", how: ".csv",
		inputs: []string{"demands.csv"}},
	{command: "simulate", flag: "out", args: "simulate net.star --load 1 --clocks 10000 --out OUT", how: "/"},
	{command: "simulate", flag: "plot", args: "simulate net.star --load 0.01 --clocks 100 --plot OUT", how: ".svg"},
	{command: "simulate", flag: "report", args: "simulate net.star --load 0.01 --clocks 100 --report OUT", how: ".html"},
	{command: "simulate combining", flag: "csv", args: "simulate combining --load 0.05 --clocks 100 --csv OUT", how: ".csv"},
	{command: "sweep", flag: "out", args: "sweep net.star --links 1 --out OUT"},
	{command: "sweep", flag: "evidence", args: "sweep net.star --links 1 --tables --evidence OUT", how: "/"},
	{command: "sweep", flag: "plot", args: "sweep net.star --links 1 --plot OUT", how: ".svg"},
	{command: "untie", flag: "out", args: "untie net.star --scheme layers --out OUT", how: "/"},
}

// contents returns the text of each file below the current folder, but for locks.
func contents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(".", func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inputFolder goes to a folder with all that the writers read.
func inputFolder(t *testing.T) {
	t.Helper()
	dumps, err := filepath.Abs(fabricDumps + "ring6-lash")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, loading)
	if err := os.CopyFS("dumps", os.DirFS(dumps)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := unknot(t, "check", "ring", "--set", "n=4", "--out", "evidence"); code != exitViolated {
		t.Fatal(errs)
	}
}

// TestEveryOutputIsGuarded: the table of writers has every flag of every command that names what is written. For each: no
// file that the command reads is overwritten, not even with --force, by whatever name; a file of somebody else only with
// --force; one that unknot wrote always, unless its format has no room for a mark.
func TestEveryOutputIsGuarded(t *testing.T) {
	listed := map[string]bool{}
	for _, w := range writers {
		listed[w.command+" --"+w.flag] = true
	}
	root := &cobra.Command{Use: "unknot"}
	addCommands(root, nil, streams{})
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name := strings.TrimPrefix(c.CommandPath(), "unknot ") + " --" + f.Name
			if _, output := f.Annotations[written]; output != listed[name] {
				t.Errorf("%s: an output: %t, in the table: %t", name, output, listed[name])
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, w := range writers {
		t.Run(w.args, func(t *testing.T) {
			if _, err := exec.LookPath("dot"); err != nil && (strings.Contains(w.args, " svg ") || strings.Contains(w.args, " png ") || w.flag == "picture") {
				t.Skip("Graphviz is not installed")
			}
			inputFolder(t)
			at := func(name string, more ...string) (int, string) {
				code, _, errs := unknot(t, append(strings.Fields(strings.Replace(w.args, "OUT", name, 1)), more...)...)
				return code, errs
			}
			before := contents(t)
			refuses := func(name string, more ...string) {
				t.Helper()
				code, errs := at(name, more...)
				if code != exitUsage || strings.Count(errs, "\n") != 1 && !strings.Contains(errs, "warning") {
					t.Errorf("%s %v: exit %d: %s", name, more, code, errs)
				}
				if diff := gocmp.Diff(before, contents(t)); diff != "" {
					t.Fatalf("%s %v (-want +got):\n%s", name, more, diff)
				}
			}
			inputs := w.inputs
			if strings.Contains(w.args, "net.star") {
				inputs = append(inputs, "net.star", "lib.star", "topo.csv", "data.csv", "data.json")
			}
			if w.how != "/" {
				for i, input := range inputs {
					refuses(input)
					refuses(input, "--force")
					link := fmt.Sprintf("link%d%s", i, w.how)
					if err := os.Symlink(input, link); err != nil {
						t.Fatal(err)
					}
					hard := fmt.Sprintf("hard%d%s", i, w.how)
					if err := os.Link(input, hard); err != nil {
						t.Fatal(err)
					}
					before[link], before[hard] = before[input], before[input]
					refuses(link, "--force")
					refuses(hard, "--force")
				}
			}
			mine := "mine" + w.how
			theirs := mine
			if w.how == "/" {
				theirs = map[string]string{"ask": "mine/answer.json", "models": "mine/torus.star", "untie": "mine/before/network.json", "sweep": "mine/case-0/network.json"}[w.command]
				theirs = cmp.Or(theirs, "mine/network.json")
				if err := os.MkdirAll(filepath.Dir(theirs), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(theirs, []byte("my own\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			before[theirs] = "my own\n"
			refuses(mine)
			if w.flag == "disk" { // takes no folder with files of others
				refuses(mine, "--force")
				return
			}
			if code, errs := at(mine, "--force"); code == exitUsage {
				t.Fatalf("--force: %s", errs)
			}
			after := contents(t)
			if after[theirs] == "my own\n" {
				t.Errorf("--force: %s is as before", theirs)
			}
			for name, text := range before {
				if name != theirs && after[name] != text {
					t.Errorf("--force changed %s", name)
				}
			}
			before = after
			if code, errs := at(mine); (code == exitUsage) != w.unmarked {
				t.Errorf("again: exit %d: %s", code, errs)
			}
			if err := os.WriteFile("empty"+strings.TrimSuffix(w.how, "/"), nil, 0o600); err != nil { // as mktemp makes it
				t.Fatal(err)
			}
			if code, errs := at("empty" + w.how); code == exitUsage && w.how != "/" {
				t.Errorf("an empty file: %s", errs)
			}
		})
	}
}

// TestFolderOfTheInput: the evidence may go where its network is, which is then the same; not where another network would
// replace it. The verdict is printed all the same.
func TestFolderOfTheInput(t *testing.T) {
	inputFolder(t)
	before := contents(t)
	for _, args := range []string{"check evidence/network.json --out evidence", "check evidence/network.json --out evidence --force"} {
		if code, out, errs := unknot(t, strings.Fields(args)...); code != exitViolated || !strings.Contains(out, "VIOLATED") {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errs)
		}
		after := contents(t)
		for _, name := range []string{"evidence/network.json", "evidence/reasons.json"} {
			if diff := gocmp.Diff(before[name], after[name]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", args, name, diff)
			}
		}
	}
	before = contents(t)
	for _, args := range []string{"check evidence/network.json --dest 0 --out evidence", "check evidence/network.json --switching vct --out evidence --force"} {
		code, out, errs := unknot(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(out, "deadlock freedom") ||
			!strings.Contains(errs, "evidence/network.json is read, so it is not overwritten") {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errs)
		}
		if diff := gocmp.Diff(before, contents(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// TestOthersInTheFolder: what unknot would remove from a folder of evidence stays, if somebody else wrote it, and so does the earlier
// evidence if the new one cannot be written.
func TestOthersInTheFolder(t *testing.T) {
	inputFolder(t)
	for _, name := range []string{"livelock-freedom.unknot", "reasons.json"} {
		if err := os.WriteFile(filepath.Join("evidence", name), []byte("my own\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t)
	if code, _, errs := unknot(t, "check", "ring", "--out", "evidence"); code != exitUsage || !strings.Contains(errs, "--force") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if diff := gocmp.Diff(before, contents(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if code, _, errs := unknot(t, "check", "peterson", "--out", "evidence"); code != exitExpected {
		t.Errorf("exit %d: %s", code, errs)
	}
	after := contents(t)
	for _, name := range []string{"evidence/livelock-freedom.unknot", "evidence/reasons.json"} {
		if after[name] != "my own\n" {
			t.Errorf("%s was replaced or removed", name)
		}
	}
}

// TestInputsOfFlags: files that flags name are not overwritten, either.
func TestInputsOfFlags(t *testing.T) {
	inputFolder(t)
	if code, _, errs := unknot(t, strings.Fields("check net.star --explore=whole --max-states 20 --checkpoint saved")...); code == exitUsage {
		t.Fatal(errs)
	}
	registers := "0,0xff,0x01,E\n"
	if err := os.WriteFile("registers.csv", []byte(registers), 0o600); err != nil {
		t.Fatal(err)
	}
	before := contents(t)
	for _, args := range []string{
		"check net.star --explore=whole --resume saved --events saved",
		"check net.star --explore=whole --resume saved --checkpoint x --junit saved",
		"check peach2 --set registers=registers.csv --markdown registers.csv",
		"check dumps --events dumps/opensm-subnet.lst",
		"check dumps --report dumps/opensm-sl2vl.dump",
		"check . --sarif net.star",
		"check net.star evidence/network.json --events lib.star",
		"sweep dumps --links 1 --plot dumps/opensm-lfts.dump",
		"export evidence/network.json --fabric dumps --to opensm-lfts --out dumps/opensm-lfts.dump",
		"sweep net.star --range x=1..2 --plot lib.star",
		"simulate ring --compare ring,net.star --load 0.01 --clocks 100 --csv data.csv",
	} {
		code, out, errs := unknot(t, append(strings.Fields(args), "--force")...)
		if code != exitUsage || !strings.Contains(errs, "than that of the file that is read") && !strings.Contains(errs, "is read, so it is not overwritten") {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errs)
		}
		after := contents(t)
		delete(after, "x")
		if diff := gocmp.Diff(before, after); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", args, diff)
		}
	}
	// A checkpoint is continued where it is.
	if code, _, errs := unknot(t, strings.Fields("check net.star --explore=whole --resume saved --checkpoint saved")...); code != exitViolated {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestEventsAreRead: events are written as they happen, so they could replace what is read only later: a file that unknot
// wrote and a network turns out to load: a table, a closed form, events, or tables among dumps.
func TestEventsAreRead(t *testing.T) {
	inputFolder(t)
	for _, args := range []string{"simulate ring --load 0.01 --clocks 100 --csv points.csv",
		"check ring --events earlier", "export dumps --to opensm-lfts --out tables"} {
		if code, _, errs := unknot(t, strings.Fields(args)...); code > exitViolated {
			t.Fatal(errs)
		}
	}
	for name, load := range map[string]string{"points.csv": `table("points.csv")`,
		"evidence/network.json": `json("evidence/network.json")`, "earlier": `table("earlier")`} {
		text := "rows = " + load + "\n" + loading["net.star"][strings.Index(loading["net.star"], "network("):]
		text = strings.Replace(text, "ways = [way(r[\"a\"]) for r in table(\"data.csv\")] + [way(x) for x in json(\"data.json\")]\n", "", 1)
		if err := os.WriteFile("by name.star", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := contents(t)
		for _, more := range [][]string{nil, {"--force"}} {
			if code, _, errs := unknot(t, append([]string{"check", "by name.star", "--events", name},
				more...)...); code != exitUsage || !strings.Contains(errs, "is read, so it is not overwritten") {
				t.Errorf("%s %v: exit %d: %s", name, more, code, errs)
			}
			if diff := gocmp.Diff(before, contents(t)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	for _, old := range []string{"opensm-lfts.dump", "opensm.fdbs"} {
		if err := os.Remove(filepath.Join("dumps", old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename("tables", "dumps/tables"); err != nil {
		t.Fatal(err)
	}
	before := contents(t)
	if code, _, errs := unknot(t, "check", "dumps", "--events", "dumps/tables"); code != exitUsage ||
		!strings.Contains(errs, "is read, so it is not overwritten") {
		t.Errorf("tables among dumps: exit %d: %s", code, errs)
	}
	if diff := gocmp.Diff(before, contents(t)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	// Otherwise the second run replaces the events of the first, and leaves nothing else.
	if code, _, errs := unknot(t, "check", "mesh", "--events", "earlier"); code != exitExpected {
		t.Fatal(errs)
	}
	after := contents(t)
	if !strings.Contains(after["earlier"], `"of":"mesh"`) || strings.Contains(after["earlier"], `"of":"ring"`) || len(after) != len(before) {
		t.Errorf("%d files, before %d: %.100s", len(after), len(before), after["earlier"])
	}
}

// TestMarks: texts that speak of unknot are somebody else's all the same; so is a closed form in another layout than unknot's.
func TestMarks(t *testing.T) {
	texts := map[string]string{
		"README.md":    "# unknot\n\nThese files were written by unknot.\n",
		"notes.txt":    "unknot: to do\nwritten by unknot\n",
		"net.star":     "# checked by unknot\nnetwork(name = \"unknot\")\n",
		"network.json": "{\"format\": \"unknot-network-1\", \"name\": \"mine\"}\n",
		"report.md":    "## unknot\n",
		"junit.xml":    "<?xml version=\"1.0\"?>\n<testsuites name=\"mine\"><testsuite name=\"unknot\"/></testsuites>\n",
		"log.sarif":    "{\"$schema\": \"x\", \"version\": \"2.1.0\", \"runs\": [{\"tool\": {\"driver\": {\"name\": \"other\"}}}, {\"tool\": {\"driver\": {\"name\": \"unknot\"}}}]}\n",
		"page.html":    "<!DOCTYPE html><title>unknot</title>\n",
		"tables.lfts":  "Unicast lids [0-12] of switch Lid 2 guid 0x0000000000200000 ('S0'):\n",
		"picture.png":  "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR tEXtSoftware\x00unknot", // before its place
	}
	inFolder(t, texts)
	var names []string
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !foreign(name) {
			t.Errorf("%s counts as written by unknot", name)
		}
	}
}
