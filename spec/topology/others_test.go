package topology

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// known are the files of testdata/others by the programs that write or read them: a minimal file of each.
var known = map[string]string{
	"c.gexf":            "GEXF (Gephi)",
	"c.net":             "a network of Pajek",
	"c.g6":              "graph6",
	"c.s6":              "sparse6",
	"c.dimacs":          "a graph of DIMACS",
	"c.jgf":             "JSON Graph Format",
	"sndlib.txt":        "a network of SNDlib",
	"w.leda":            "a graph of LEDA",
	"cy.json":           "JSON of Cytoscape",
	"ad.json":           "adjacency data of NetworkX",
	"w.madj":            "an adjacency list of NetworkX, several lines a node",
	"sst_topo.json":     "a topology of SST/macro",
	"floogen.yml":       "a network of FlooGen",
	"mgd.textproto":     "a mesh graph descriptor",
	"noxim_table.txt":   "a routing table of Noxim",
	"torus88":           "a configuration of BookSim",
	"topology.conf":     "a topology of Slurm",
	"platform.xml":      "a platform of SimGrid",
	"sndlib.xml":        "a network of SNDlib",
	"vpr_arch.xml":      "an architecture of VPR",
	"opa_snapshot.xml":  "a snapshot of an Omni-Path fabric",
	"hwloc.xml":         "a topology of hwloc",
	"nccl_topo.xml":     "a topology of NCCL",
	"ibnetdiscover.txt": "the output of ibnetdiscover",
	"c.mtx":             "a matrix of Matrix Market",
	"d.mtx":             "a matrix of Matrix Market",
	"iblinkinfo.txt":    "the output of iblinkinfo",
	"ibnd_p.txt":        "the output of ibnetdiscover -p",
	"ibnd_l.txt":        "the output of ibnetdiscover -l, -S, -H or -R",
	"ibn_stderr.txt":    "the output of ibnetdiscover",
	"opensm.fdbs":       "a dump of a subnet manager",
	"opensm-sl2vl.dump": "a dump of a subnet manager",
	"t.pnml":            "a Petri net (PNML)",
	"t.aag":             "a circuit (AIGER)",
	"t.btor2":           "a model in BTOR2",
	"t.aut":             "an automaton of Aldebaran (CADP)",
	"t.etf":             "a transition system of LTSmin (ETF)",
	"t.dve":             "a model in DVE",
	"t.mcrl2":           "a specification in mCRL2",
	"t.smv":             "a model of nuXmv",
	"t.fizz":            "a model of FizzBee",
	"t.lnt":             "a model in LNT (CADP)",
	"m.pml":             "a model in Promela",
	"m.m":               "a model in Murphi",
	"m.tla":             "a module in TLA+",
	"m.pm":              "a model of PRISM",
	"star.txt":          "a network or protocol file",
	"closed.txt":        "a closed form of unknot",
	"paths.json":        "lists of names",
}

// TestOthers: each format is recognised by its content, whatever its file is called and however it begins, and the
// message says what to do.
func TestOthers(t *testing.T) {
	entries, err := os.ReadDir("testdata/others")
	if err != nil || len(entries) != len(known) {
		t.Fatalf("%d files, %d in the table: %v", len(entries), len(known), err)
	}
	for name, want := range known {
		text, err := os.ReadFile(filepath.Join("testdata/others", name))
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(text); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		for how, text := range map[string][]byte{
			"as it is":            text,
			"behind blank lines":  append([]byte("\n \r\n"), text...),
			"with its byte order": append([]byte("\ufeff"), text...),
			"from Windows":        bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")),
			"packed":              packed.Bytes(),
		} {
			what, instead := Other("x/f.txt", text)
			if what != want || instead == "" {
				t.Errorf("%s, %s: %q, %q, want %q", name, how, what, instead, want)
			}
			_, err := Read(context.Background(), "f.txt", text, Options{})
			var pos *spec.PosError
			if !errors.As(err, &pos) || !strings.HasPrefix(err.Error(), "f.txt:1:1: the text is "+want+", which is not read as it is: ") {
				t.Errorf("%s, %s: %v", name, how, err)
			}
		}
	}
	if what, _ := Other("closed.json", []byte("{\"format\":\"unknot-program-1\"}")); what != "" { // its reader says what is wrong
		t.Errorf("a closed form under its name: %s", what)
	}
	_, err = Read(context.Background(), "my/ring.net", []byte("*vertices 2\n"), Options{})
	want := "my/ring.net:1:1: the text is a network of Pajek, which is not read as it is: convert it with " +
		`python3 -c 'import json, networkx as nx; json.dump(nx.node_link_data(nx.read_pajek("my/ring.net")), open("my/ring-graph.json", "w"))'`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestConversions pastes each command of an advice into a shell, in a folder and for a file with names that shells and
// Python could misread, and reads what it makes. The sizes were counted by hand. Where its Python library is missing, a
// command is left out.
func TestConversions(t *testing.T) {
	sizes := map[string][2]int{ // nodes, and links one way
		"c.gexf": {4, 8}, "c.net": {4, 8}, "c.g6": {4, 8}, "c.s6": {4, 8}, "w.leda": {3, 1}, "cy.json": {4, 8}, "ad.json": {4, 8},
		"w.madj": {4, 8}, "c.dimacs": {4, 8}, "c.jgf": {4, 4}, "sst_topo.json": {2, 2}, "sndlib.xml": {2, 2}, "sndlib.txt": {3, 4},
		"c.mtx": {4, 8}, "d.mtx": {3, 2},
		"topology.conf": {11, 20}, // three switches, eight nodes: a tree of ten cables
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	command := regexp.MustCompile(`python3 -c (?s:.*)`)
	output := regexp.MustCompile(`[^/]*-(graph\.json|links\.csv)$`)
	for name := range known {
		text, err := os.ReadFile(filepath.Join("testdata/others", name))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), `it's "$HOME" \ here`)
		file := filepath.Join(dir, name)
		_, advice := Other(file, text)
		pasted := command.FindString(advice)
		size, converted := sizes[name]
		if (pasted != "") != converted {
			t.Errorf("%s: %s", name, advice)
		}
		if !converted || !seedtest.Sampled(len(name), 4) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(file, text, 0o666)); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", pasted).CombinedOutput(); err != nil {
				if bytes.Contains(out, []byte("ModuleNotFoundError")) {
					t.Skipf("%s", out)
				}
				t.Fatalf("%s\n%s", pasted, out)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !output.MatchString(e.Name()) {
					continue
				}
				made, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				g, err := Read(t.Context(), e.Name(), made, Options{BothWays: strings.Contains(advice, "--both-ways")})
				if err != nil {
					t.Fatalf("%s: %v", pasted, err)
				}
				if got := [2]int{g.Topology.Nodes(), g.Topology.Links()}; got != size {
					t.Errorf("%v nodes and links, want %v", got, size)
				}
				return
			}
			t.Errorf("%s writes %v", pasted, entries)
		})
	}
}

// TestNoTopology: no text in this repository is one, but for the files of topologies; README.md, the guide, programs
// and licences are prose and code with commas in each first line that is not blank.
func TestNoTopology(t *testing.T) {
	texts := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, ".csv"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			return err
		}
		if texts++; strings.HasSuffix(path, ".go") && texts%10 > 0 {
			return nil // a sample
		}
		if format := Detect(text); format != "" {
			t.Errorf("%s is read as %s", path, format)
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		for line := range bytes.Lines(text) { // of which any may be the first
			if f := bytes.Fields(line); len(f) > 1 && f[0][0] != '$' && isRow(line) {
				t.Errorf("%s: %q is read as a list of links", path, line)
			}
		}
		return nil
	})
	if err != nil || texts < 500 {
		t.Fatalf("%d texts, %v", texts, err)
	}
}

// TestSentences: text of sentences with any punctuation is refused, whichever line has the first comma.
func TestSentences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[A-Za-z][a-z]{0,7}`)
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			for range rapid.IntRange(1, 4).Draw(t, "clauses") {
				words := rapid.SliceOfN(word, 2, 6).Draw(t, "words")
				b.WriteString(strings.Join(words, " ") + rapid.SampledFrom([]string{", ", "; ", "\t", ": ", ". ", " -> "}).Draw(t, "end"))
			}
			b.WriteString("\n")
		}
		if g, err := Read(context.Background(), "f", []byte(b.String()), Options{}); err == nil {
			t.Fatalf("%q is read as a topology:\n%s", b.String(), told(g))
		}
	})
}

// TestNames: what may stand in a row where no heading says that it is a node. A heading, or --from csv, allows all.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // the error; "" if it is read
	}{
		{"a,b\n", ""},
		{"S0_0;S1_0\n", ""},
		{"\"(0, 1)\",\"(0, 2)\"\n", ""}, // as NetworkX writes coordinates
		{"a,b,2,0.5\n", ""},
		{"a,b,,0.5\n", ""},
		{"host-1.example.org:7\tleaf/3#2\n", ""},
		{"from,to\nleaf 1,spine 1\n", ""},
		{"a,b\nleaf 1,b\n", `f:2:1: "leaf 1" is no name of a node in a list without a heading: want one word, or the heading from,to`},
		{"a,b\nb,{c}\n", `f:2:3: "{c}" is no name of a node in a list without a heading: want one word, or the heading from,to`},
		{"a,b\nb->c,d\n", `f:2:1: "b->c" is no name of a node in a list without a heading: want one word, or the heading from,to`},
		{"# a torus\nk = param(\"k\", 4)\n", "f:1:1: the text is a network or protocol file, which is not read as it is: give it a name that ends in .star"},
		{"leaf 1,spine 1\n", unknownFormat()},
		{"x = 1;y = 2\n", unknownFormat()},
		{"red,green,blue\n", unknownFormat()},
		{"However,\n", unknownFormat()},
	} {
		_, err := Read(context.Background(), "f", []byte(tt.text), Options{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
	if _, err := Read(context.Background(), "f", []byte("leaf 1,spine 1\n"), Options{Format: "csv"}); err != nil {
		t.Errorf("a list that is called one: %v", err)
	}
}
