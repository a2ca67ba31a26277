package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func hello(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }

// TestWriteFile: a file is replaced whole or not at all, and what is not a regular
// file is never replaced by one.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	content := func(name string) string {
		text, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := writeFile(t.Context(), at("new"), hello); err != nil || content("new") != "hello" {
		t.Errorf("a new file: %q, %v", content("new"), err)
	}
	broken := func(w io.Writer) error { _ = hello(w); return errors.New("half way") }
	if err := os.WriteFile(at("old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(t.Context(), at("old"), broken); err == nil || content("old") != "old" {
		t.Errorf("a failure leaves %q, error %v", content("old"), err)
	}
	if err := os.Symlink(at("old"), at("link")); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(t.Context(), at("link"), hello); err != nil || content("old") != "hello" {
		t.Errorf("through a link: %q, %v", content("old"), err)
	}
	if target, err := os.Readlink(at("link")); err != nil || target != at("old") {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if err := writeFile(t.Context(), dir, hello); err == nil || err.Error() != "writing "+dir+": is a directory" {
		t.Errorf("a folder: %v", err)
	}
	nowhere := at(filepath.Join("nowhere", "file"))
	if err := writeFile(t.Context(), nowhere, hello); err == nil || err.Error() != "writing "+nowhere+": no such file or directory" {
		t.Errorf("no such folder: %v", err) // by its own name, not the temporary one
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("left: %v, %v: want new, old and link", entries, err)
	}
}

// TestDistinctOutputs: two outputs of one file, by whatever names, are refused before
// anything is written, and so is one that is the file that is read; a device takes all.
func TestDistinctOutputs(t *testing.T) {
	inFolder(t, map[string]string{"ring.csv": "a,b\nb,a\n"})
	if err := os.Symlink(".", "here"); err != nil {
		t.Fatal(err)
	}
	tells(t, []told{
		{"check ring --disk=", 2, `invalid --disk "": want the name of a file or a folder`},
		{"check ring --out= --report=", 2, `invalid --out "": want the name of a file or a folder`},
		{"check ring --junit x --sarif x", 2, `invalid --sarif "x": want another name than that of --junit`},
		{"check ring --junit x --sarif ./x", 2, "than that of --junit"},
		{"check ring --junit here/x --report x", 2, "than that of --junit"},
		{"check ring --out x --events x", 2, "than that of --events"},
		{"simulate ring --csv x --plot x", 2, "than that of --csv"},
		{"graph ring.csv --kind topology --out here/ring.csv", 2, "than that of the file that is read"},
		{"check ring --report nodir/x", 2, `invalid --report "nodir/x": want a file in a folder that exists`},
		{"check ring --sarif here", 2, `invalid --sarif "here": want a file in a folder that exists`},
		{"graph ring.csv --kind topology --out nodir/x", 2, `invalid --out "nodir/x": want a file in a folder that exists`},
		{"simulate ring --plot p.png", 2, `invalid --plot "p.png": want a name that ends in .svg, as what is written`},
		{"sweep ring --plot p.PDF", 2, `invalid --plot "p.PDF": want a name that ends in .svg`},
		{"check ring --report r.svg", 2, `invalid --report "r.svg": want a name that ends in .html`},
		{"graph ring --out g.pdf", 2, `invalid --out "g.pdf": want a name that ends in dot, graphml, json, csv, adjlist, anynet, svg or png, or --format with it`},
		{"check ring --out out --report out/deep/x", 2, `invalid --report "out/deep/x": want a file in a folder that exists`},
		{"check ring --out ring.csv", 2, `invalid --out "ring.csv": want a folder, or the name of a new one`},
		{"untie ring --out ring.csv/deep/er", 2, `invalid --out "ring.csv/deep/er": want a folder, or the name of a new one`},
		{"check ring --explore=always --disk /dev/null", 2, `invalid --disk "/dev/null": want a folder, or the name of a new one`},
		{"check ring --junit out/x", 2, `invalid --junit "out/x": want a file in a folder that exists`},
		{"check ring --junit /dev/null --markdown /dev/null", 1, "VIOLATED"},
	})
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// TestOutputsAreMarked: each flag that names what is written is known as such.
func TestOutputsAreMarked(t *testing.T) {
	says := regexp.MustCompile(`(?i)^((SVG |CSV |output )?file\b|folder (for|of|to keep)|write to)`)
	var std streams
	for _, c := range []*cobra.Command{checkCommand(std), runCommand(std), exploreCommand(std), graphCommand(std),
		askCommand(std), sweepCommand(std), diffCommand(std), showCommand(std), verifyCommand(std), replayCommand(std),
		routeCommand(std), shrinkCommand(std), untieCommand(std), simulateCommand(std), exportCommand(std)} {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, output := f.Annotations[written]; output != says.MatchString(f.Usage) {
				t.Errorf("%s --%s: an output: %t; %q", c.Name(), f.Name, output, f.Usage)
			}
		})
	}
}

// TestEndlessFiles: a file without an end is refused wherever one is read, whatever it is called.
func TestEndlessFiles(t *testing.T) {
	if info, err := os.Stat("/dev/zero"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Skip("no /dev/zero here")
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"net.star", "net.json", "traffic.csv", "evidence.unknot", "results.jsonl"} {
		if err := os.Symlink("/dev/zero", name); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"check net.star", "check net.json", "check ring --disk net.star --explore=always",
		"check ring --resume net.star --explore=always", "replay ring evidence.unknot", "shrink ring evidence.unknot",
		"explore ring --trace evidence.unknot", "verify ring evidence.unknot", "simulate ring --traffic traffic.csv",
		"sweep --merge results.jsonl", "sweep ring --out results.jsonl"} {
		if code, out, errs := unknot(t, strings.Fields(args)...); code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("unknot %s: exit %d: %s%s", args, code, out, errs)
		}
	}
}

// TestPipesAreNotRead: a pipe, which may have no writer to wait for and holds its text once, is refused wherever a file is read.
func TestPipesAreNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, folder := range []string{"stars", "jsons"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"net.star", "net.json", "net.csv", "traffic.csv", "evidence.unknot", "results.jsonl", "stars/x.star", "jsons/x.json"} {
		makePipe(t, name)
	}
	for _, args := range []string{"check net.star", "check net.json", "check net.csv", "check stars", "check jsons",
		"sweep net.star", "graph net.json", "replay ring evidence.unknot", "verify ring evidence.unknot",
		"simulate ring --traffic traffic.csv", "sweep --merge results.jsonl", "check peach2 --set registers=net.csv",
		"check ring --explore=always --resume results.jsonl"} {
		if code, out, errs := unknot(t, strings.Fields(args)...); code != exitUsage || !strings.Contains(out+errs, "regular file") {
			t.Errorf("unknot %s: exit %d: %s%s", args, code, out, errs)
		}
	}
}

// TestWritePipe: a pipe is written into and stays one.
func TestWritePipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	makePipe(t, name)
	read := make(chan string, 1)
	go func() {
		text, _ := os.ReadFile(name)
		read <- string(text)
	}()
	code, _, errs := unknot(t, "check", "ring", "--set", "n=3", "--junit", name)
	if code != exitViolated {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	if text := <-read; !strings.HasPrefix(text, "<?xml") {
		t.Errorf("read %.40q", text)
	}
	if info, err := os.Stat(name); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v: want a pipe still", info, err)
	}
}
