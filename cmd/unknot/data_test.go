package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const ofData = `t = topology("net.csv", both_ways = True)
w = json("w.json")
def route(at, to):
    return [hop(l) for l in at.node.out if l.dst == to] or [hop(at.node.out[w["way"]])]
`

// TestDataBelowTheFolder: data come from the folder of the file or below it, wherever
// symbolic links lead, and from regular files alone.
func TestDataBelowTheFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("in/net.star", ofData)
	write("in/net.csv", "a,b\nb,c\n")
	write("in/w.json", `{"way": 0}`)
	write("secret.json", `{"way": 0}`)
	if code, out, errs := unknot(t, "check", "in/net.star", "--property", "deadlock-freedom"); code != 0 || !strings.Contains(out, "3 nodes, 4 links") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	refused := func(what, want string) {
		t.Helper()
		if code, _, errs := unknot(t, "check", "in/net.star"); code != exitUsage || errs != "unknot: "+want+"\n" {
			t.Errorf("%s: exit %d, %q, want %q", what, code, errs, want)
		}
	}
	if err := os.Remove("in/w.json"); err != nil {
		t.Fatal(err)
	}
	refused("missing", "in/net.star:2:5: in/w.json: no such file or directory")
	if err := os.Mkdir("in/w.json", 0o700); err != nil {
		t.Fatal(err)
	}
	refused("folder", "in/net.star:2:5: in/w.json: want a regular file")
	if runtime.GOOS == "windows" {
		return
	}
	for _, to := range []string{"../secret.json", filepath.Join(dir, "secret.json")} {
		_ = os.Remove("in/w.json")
		if err := os.Symlink(to, "in/w.json"); err != nil {
			t.Fatal(err)
		}
		refused(to, "in/net.star:2:5: in/w.json: path escapes from parent")
	}
	_ = os.Remove("in/w.json")
	write("in/sub/w.json", `{"way": 0}`)
	if err := os.Symlink("sub/w.json", "in/w.json"); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := unknot(t, "check", "in/net.star"); code != 0 {
		t.Errorf("a link within: exit %d %s", code, errs)
	}
}

// TestDataIdentify: the results of a sweep are those of one content of all files of data,
// and a cut file of them is not gone on with when one has changed.
func TestDataIdentify(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"net.star": ofData, "net.csv": "a,b\nb,c\n", "w.json": `{"way": 0}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func() (int, string) {
		code, _, errs := unknot(t, "sweep", "net.star", "--links", "1", "--out", "out.jsonl", "--property", "deadlock-freedom")
		return code, errs
	}
	if code, errs := sweep(); code != 0 {
		t.Fatal(errs)
	}
	if code, errs := sweep(); code != 0 {
		t.Fatalf("the same again: %s", errs)
	}
	if err := os.WriteFile("w.json", []byte(`{"way": 0} `), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, errs := sweep(); code != exitUsage || !strings.Contains(errs, "out.jsonl") {
		t.Errorf("other data: exit %d: %s", code, errs)
	}
}

// TestSourcesAreCosted: on a line of three nodes, packets for c stand in a->b (from a) and
// in b->c (from a, from b): 3 sites with sources and 2 without; for a the same; for b 2 and
// 2, as a and c send over links of their own. 8 and 6 in all.
func TestSourcesAreCosted(t *testing.T) {
	name := file(t, "line.star", "network(sources = True)\na = node(\"a\")\nb = node(\"b\")\nc = node(\"c\")\nboth(a, b)\nboth(b, c)\n"+
		"def route(at, to):\n    return [hop(at.node.to(to) or at.node.to(b))]\n")
	_, out, errs := unknot(t, "show", name)
	if want := "\nsources: route sees where a packet comes from, in the tag: 8 sites, 6 without, 1.3 times as many\n"; !strings.Contains(out, want) {
		t.Errorf("%s%s\nwant %s", out, errs, want)
	}
}
