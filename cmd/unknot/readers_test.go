package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	cost "github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// sparse makes a file of 3 GiB that takes no space, and begins as given.
func sparse(t *testing.T, name, begins string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(begins), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 3<<30); err != nil {
		t.Skip("no sparse files: ", err)
	}
}

// readersOf are the commands that read files, with arguments in which @ stands for a network file that is too
// long; nil: it reads none.
var readersOf = map[string][]string{
	"ask": nil, "models": nil, "simulate combining": nil, "completion": nil, "completion bash": nil,
	"completion fish": nil, "completion zsh": nil, "completion powershell": nil, "help": nil, "man": nil, "stubs": nil,
	"change":   {"change @ ring", "change ring @"},
	"check":    {"check @", "check @ --explore=always", "check @ @", "check long", "check @ --expected"},
	"diff":     {"diff @ ring", "diff ring @"},
	"explore":  {"explore @"},
	"export":   {"export @ --to promela"},
	"graph":    {"graph @"},
	"prove":    {"prove @ --for-all k"},
	"replay":   {"replay @ evidence/deadlock-freedom.unknot"},
	"route":    {"route @ --engine updown", "route @ --engine all"},
	"run":      {"run @"},
	"show":     {"show @", "show @ --closed"},
	"shrink":   {"shrink @ evidence/deadlock-freedom.unknot"},
	"simulate": {"simulate @", "simulate @ --compare ring", "simulate ring --compare @"},
	"sweep":    {"sweep @", "sweep @ --links 1", "sweep @ --reroute updown"},
	"untie":    {"untie @"},
	"verify":   {"verify @ evidence/deadlock-freedom.unknot"},
}

// networkNames are the endings by which formats are told apart.
var networkNames = []string{"long.star", "long.json", "long.csv", "long.graphml", "long.anynet", "long.gz", "long.m", "long"}

// flagsThatRead are the flags that name a file to read, and a command for each.
var flagsThatRead = map[string]string{
	"explore --trace":    "explore ring --trace long.unknot",
	"check --resume":     "check ring --explore=always --resume long.json",
	"simulate --traffic": "simulate ring --traffic long.csv",
	"simulate --beside":  "simulate torus.cfg --beside long",
	"untie --protocol":   "untie ring --protocol long.star",
}

// otherReaders are the files that are named in files, in folders, or as parameters, and are not the network itself.
var otherReaders = []string{
	"replay evidence/network.json long.unknot", "replay evidence/network.json trace.unknot",
	"shrink evidence/network.json trace.unknot", "verify evidence/network.json long.unknot",
	"verify evidence/network.json trace.unknot", "verify longevidence", "verify longresult", "verify longanswer", "verify longpart",
	"check loads.star", "check networkof.star", "check table.star", "check json.star", "check topology.star",
	"check paths.star", "check tables.star", "show loads.star", "sweep table.star --links 1", "graph topology.star",
	"check dumps", "check lists", "check ring --explore=always --disk longdisk", "check ring --out longresult", "ask peach2 ties --out longanswer",
	"sweep --merge long.csv", "sweep --merge results.jsonl", "sweep ring --range n=3..4 --out results.jsonl",
	"check peach2 --set registers=long.csv", "check longreasons/network.json", "simulate ring --traffic long.trace",
}

// longFiles makes a folder in which every kind of file is too long.
func longFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if code, _, errs := unknot(t, "check", "ring", "--set", "n=4", "--out", "evidence"); code != exitViolated {
		t.Fatal(errs)
	}
	digest := ""
	if text, err := os.ReadFile("evidence/deadlock-freedom.unknot"); err == nil {
		digest = strings.Split(string(text), "\n")[1]
	}
	for _, name := range append(networkNames, "long.unknot", "long.trace", "data.csv", "data.json", "longdisk/manifest", "longdisk/.manifest.lock") {
		sparse(t, name, "")
	}
	sparse(t, "trace.unknot", "unknot-trace 2\n"+digest+"\n")
	sparse(t, "results.jsonl", `{"unknot-sweep":3,`)
	sparse(t, "library.star", "x = 1\n")
	for _, folder := range []string{"longevidence", "longresult", "longpart", "longreasons"} {
		if err := os.CopyFS(folder, os.DirFS("evidence")); err != nil {
			t.Fatal(err)
		}
	}
	sparse(t, "longevidence/deadlock-freedom.unknot", "unknot-trace 2\n"+digest+"\n")
	sparse(t, "longresult/result.json", "{")
	sparse(t, "longpart/network.json", `{"format": "unknot-network-1",`)
	sparse(t, "longreasons/reasons.json", "{")
	sparse(t, "longanswer/answer.json", "{")
	sparse(t, "dumps/opensm-subnet.lst", "")
	sparse(t, "lists/a.csv", "dest,next\n")
	sparse(t, "dumps/opensm.fdbs", "Unicast lids 0x0-0x1 of switch Lid 1 guid 0x1 (x):\n")
	for name, text := range map[string]string{
		"loads": "load(\"library.star\", \"x\")\n", "networkof": "machine(name = \"m\")\nnetwork_of(\"long.star\")\n",
		"table": "table(\"data.csv\")\n", "json": "json(\"data.json\")\n", "topology": "topology(\"data.csv\")\n",
		"paths": "paths(\"data.csv\")\n", "tables": "tables(\"dat*.csv\")\n",
	} {
		if err := os.WriteFile(name+".star", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	torus := "topology = torus;\nk = 4;\nn = 1;\nrouting_function = dim_order;\nnum_vcs = 2;\n"
	if err := os.WriteFile("torus.cfg", []byte(torus), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryReaderWithinItsBudget: every command, for every format and every place in which a file can be named, refuses a
// file of 3 GiB without reading it. A command or a flag that is not in the tables fails.
func TestEveryReaderWithinItsBudget(t *testing.T) {
	root := &cobra.Command{Use: "unknot"}
	addCommands(root, nil, streams{})
	var lines []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "unknot ")
		args, listed := readersOf[name]
		if !listed && c != root {
			t.Errorf("%s: want a line in readersOf", name)
		}
		for _, a := range args {
			if !strings.Contains(a, "@") {
				lines = append(lines, a)
				continue
			}
			for _, file := range networkNames {
				lines = append(lines, strings.ReplaceAll(a, "@", file))
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, read := f.Annotations[isRead]; !read {
				return
			}
			args, listed := flagsThatRead[name+" --"+f.Name]
			if !listed {
				t.Errorf("%s --%s: want a line in flagsThatRead", name, f.Name)
			}
			lines = append(lines, args)
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	longFiles(t)
	for i, line := range append(lines, otherReaders...) {
		for k, budget := range []string{"", " --timeout 5s --memory 300MiB"} {
			if !seedtest.Sampled(2*i+k, 7) { // odd: runs with a budget and without take turns
				continue
			}
			var out, errs bytes.Buffer
			code := 0
			cost.Within(t, 0, func() {
				code = run(t.Context(), strings.Fields(line+budget), streams{in: strings.NewReader(""), out: &out, err: &errs, spare: 1 << 30})
			})
			refused := code == exitUsage || code == exitUnknown || strings.HasPrefix(line, "verify") && code == exitInternal
			// reasons are left out
			if !refused && !strings.HasPrefix(line, "check longreasons") || out.Len()+errs.Len() == 0 || strings.Count(errs.String(), "\n") > 2 {
				t.Errorf("unknot %s: exit %d: %s", line+budget, code, errs.String())
			}
			if t.Failed() {
				t.Fatalf("unknot %s", line+budget) // the others would take as long
			}
		}
	}
}

// TestMemoryBoundsAFile: what may be read at all is not if the command may not take as much memory.
func TestMemoryBoundsAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	sparse(t, "six.csv", "from,to\na,b\n")
	if err := os.Truncate("six.csv", 200<<20); err != nil {
		t.Fatal(err)
	}
	cost.Within(t, 0, func() {
		code, _, errs := unknot(t, "show", "six.csv", "--memory", "64MiB")
		if want := "unknot: more than 67108864 bytes in six.csv, the limit on memory: beyond the bound\n"; code != exitUnknown || errs != want {
			t.Errorf("exit %d, %s, want %s", code, errs, want)
		}
	})
}

// TestWideTable: a table of 40,000 columns takes as long as ten of 4,000; ten times the columns took a hundred times as long.
func TestWideTable(t *testing.T) {
	var heading, row strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&heading, ",c%d", i)
		row.WriteString(",1")
	}
	text := "from,to" + heading.String() + "\na,b" + row.String() + "\n"
	dir := t.TempDir()
	for name, text := range map[string]string{"wide.csv": text, "wide.star": "fail(len(table(\"wide.csv\")[0]))\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cost.Within(t, len(text), func() {
		if code, out, errs := unknot(t, "show", filepath.Join(dir, "wide.csv")); code != exitExpected || !strings.Contains(out, "c39999=1") {
			t.Errorf("exit %d, %s", code, errs)
		}
		if code, _, errs := unknot(t, "show", filepath.Join(dir, "wide.star")); code != exitUsage || !strings.HasSuffix(errs, "fail: 40002\n") {
			t.Errorf("exit %d, %s", code, errs)
		}
	})
}

// readsWhole are the calls that read, or open, without a bound, and by package why each may. All others go through
// package limited.
var readsWhole = map[string]string{
	"spec/support/limited/limited.go os.Open":            "reads at most what it is told",
	"cmd/unknot/files.go os.Open":                        "its readers bound what they read",
	"cmd/internal/memory/memory.go os.ReadFile":          "files of the system",
	"cmd/unknot/overwrite.go os.Open":                    "reads the beginning of a file",
	"cmd/unknot/outputs.go os.Open":                      "its own file of events",
	"cmd/unknot/outputs.go io.Copy":                      "the same, piece by piece",
	"cmd/unknot/examples.go fs.ReadFile":                 "built in",
	"cmd/unknot-page/main.go fs.ReadFile":                "built in",
	"cmd/unknot-page/site/pages.go fs.ReadFile":          "built in",
	"cmd/unknot-page/exercises/exercises.go fs.ReadFile": "built in",
	"cmd/unknot-bench/shared_linux.go os.ReadFile":       "files of the system",
	"checker/sweep/file.go io.ReadAll":                   "no longer than a header",
	"checker/internal/walk/resume.go os.Open":            "each length is compared with what is left",
	"checker/internal/walk/disk/cursor.go os.Open":       "reads block by block",
	"checker/internal/walk/disk/left.go os.Open":         "reads block by block",
	"spec/support/goldentest/goldentest.go os.ReadFile":  "for tests",
	"checker/checktest/checktest.go os.ReadFile":         "for tests",
	"models/peach2/entry.go os.Open":                     "its reader bounds what it reads",
	"models/peach2/registerfile.go io.ReadAll":           "of a limited reader",
	"models/catalogue/protocol.go fs.ReadFile":           "built in",
	"models/catalogue/read.go fs.ReadFile":               "built in",
	"models/catalogue/paper.go fs.ReadFile":              "built in",
	"spec/topology/packed.go io.ReadAll":                 "of a limited reader",
	"proofs/evidence/answer.go os.Open":                  "looks at the size first, and reads no more",
}

// TestEveryReaderIsLimited: no code of this module reads a file whole but through package limited, or with a reason.
func TestEveryReaderIsLimited(t *testing.T) {
	met := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".ci" || d.Name() == "unknot-beam" || d.Name() == "unknot-verify" ||
			d.Name() == "enginetest" || d.Name() == "browsertest" || strings.HasPrefix(d.Name(), ".git")):
			return fs.SkipDir // other programs, and what only tests import
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			f, is := call.Fun.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := f.X.(*ast.Ident)
			name := ""
			if is {
				name = of.Name + "." + f.Sel.Name
			}
			unbounded := slices.Contains([]string{"os.ReadFile", "os.Open", "io.ReadAll", "fs.ReadFile", "io.Copy", "ioutil.ReadAll"}, name) ||
				f.Sel.Name == "ReadBytes" || f.Sel.Name == "ReadString" ||
				f.Sel.Name == "ReadFrom" && !strings.HasSuffix(path, "limited.go")
			place := strings.TrimPrefix(filepath.ToSlash(path), "../../") + " " + name
			if met[place] = true; unbounded && readsWhole[place] == "" {
				t.Errorf("%s reads without a bound: use package limited, or say in readsWhole why it may", place)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range readsWhole {
		if !met[place] {
			t.Errorf("%s is no longer called: drop it from readsWhole", place)
		}
	}
}
