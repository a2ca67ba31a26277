package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want []string // on the page
	}{
		{[]string{"check", "ring"}, 1, []string{"<code>unknot check ring</code>", "✗</span> deadlock freedom violated", "time: deciding", "held by P"}},
		{[]string{"check", "ring", "--json", "--set", "variant=dateline", "--property", "deadlock-freedom"}, 0,
			[]string{"<code>unknot check ring --json --property deadlock-freedom --set variant=dateline</code>", "deadlock freedom holds"}},
		{[]string{"check", "ring", "--explore=always"}, 1, []string{"time: deciding", "transitions"}},
		{[]string{"check", "ring", "--set", "variant=dateline", "--liveness", "--max-states", "10"}, 3,
			[]string{"starvation freedom unknown", "the limit of 10 states is reached"}},
		{[]string{"check", fabricDumps + "ring6-deadend"}, 1, []string{"with switch LIDs, one VL",
			"S3 port 1 -&gt; S4 port 2   by H3 -&gt; H0 (LID 1)", "discarded at S2, which has no entry for it",
			"warning: 2 of 15 pairs"}},
		{[]string{"check", "peterson"}, 0, []string{"mutual exclusion holds", "closed set of"}},
	} {
		name := filepath.Join(t.TempDir(), "report.html")
		code, _, errs := unknot(t, append(tt.args, "--report", name)...)
		if code != tt.code {
			t.Errorf("%v: exit %d, want %d: %s", tt.args, code, tt.code, errs)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range tt.want {
			if !bytes.Contains(text, []byte(want)) {
				t.Errorf("%v: %q is not on the page", tt.args, want)
			}
		}
	}
	if code, _, errs := unknot(t, "check", "ring", "--report", filepath.Join(t.TempDir(), "nowhere",
		"report.html")); code != exitUsage || !strings.Contains(errs, "invalid --report ") {
		t.Errorf("a folder that does not exist: exit %d, %s", code, errs)
	}
}

func TestReportOfOneNetwork(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.html")
	code, _, errs := unknot(t, "check", "ring", "mesh", "--report", name)
	if code != exitUsage || !strings.Contains(errs, "--report shows one network") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// What a page says it was made by can be typed again.
func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"a b", "--yes", "--text=it's", "--list", "x=1", "--list", "y=$z"}, `check 'a b' --list x=1 --list 'y=$z' --text 'it'\''s' --yes`},
		{[]string{"n", "--yes=false", "--report", "out.html", "--text", ""}, `check n --text '' --yes=false`},
		{[]string{"n"}, `check n`},
	} {
		got := ""
		c := &cobra.Command{Use: "check", RunE: func(c *cobra.Command, args []string) error {
			got = commandLine(c, args)
			return nil
		}}
		c.Flags().Bool("yes", true, "")
		c.Flags().String("text", "", "")
		c.Flags().StringArray("list", nil, "")
		new(reportFlag).register(c)
		c.SetArgs(tt.args)
		if err := c.Execute(); err != nil || got != tt.want {
			t.Errorf("%q: %s, want %s (%v)", tt.args, got, tt.want, err)
		}
	}
}

// explore serves until its context ends, and then ends with 0.
func TestExplore(t *testing.T) {
	out := filepath.Join(t.TempDir(), "evidence")
	if code, _, errs := unknot(t, "check", "ring", "--out", out); code != exitViolated {
		t.Fatal(errs)
	}
	runs := filepath.Join(t.TempDir(), "runs")
	if code, _, errs := unknot(t, "check", "ring", "--set", "variant=dateline", "--liveness", "--out", runs); code != exitViolated {
		t.Fatal(errs)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"explore", "peterson"}, "mutual exclusion"},
		{[]string{"explore", "ring", "--sink", "1"}, "sink 1"},
		{[]string{"explore", filepath.Join(out, networkFile), "--trace", filepath.Join(out, "deadlock-freedom.unknot")}, "Next step of the trace"},
		{[]string{"explore", filepath.Join(runs, networkFile), "--trace", filepath.Join(runs, "starvation-freedom.unknot")}, "Next step of the trace"},
	} {
		if text := exploring(t, "", tt.args...); !strings.Contains(text, tt.want) {
			t.Errorf("%v: %q is not on the page", tt.args, tt.want)
		}
	}
}

// exploring returns the first page that a command serves until its context ends,
// or the one to which a button of that page leads.
func exploring(t *testing.T, button string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		code := run(ctx, args, streams{in: strings.NewReader(""), out: writer, err: &errs})
		writer.Close()
		ended <- code
	}()
	line := make([]byte, 200)
	n, err := reader.Read(line)
	address := strings.TrimSpace(string(line[:n]))
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		cancel()
		t.Fatalf("%v: %q %v: exit %d, %s", args, address, err, <-ended, &errs)
	}
	go io.Copy(io.Discard, reader)
	page := func(address string) string {
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := page(address)
	if button != "" {
		link := regexp.MustCompile(`id="` + button + `" href="([^"]+)"`).FindStringSubmatch(text)
		if link == nil {
			t.Fatalf("%v: no button %s:\n%s", args, button, text)
		}
		text = page(address + link[1])
	}
	cancel()
	select {
	case code := <-ended:
		if code != exitExpected {
			t.Errorf("%v: exit %d: %s", args, code, &errs)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%v goes on", args)
	}
	return text
}

func TestExploreRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "evidence")
	if code, _, errs := unknot(t, "check", "ring", "--out", out); code != exitViolated {
		t.Fatal(errs)
	}
	trace := filepath.Join(out, "deadlock-freedom.unknot")
	bad := file(t, "bad.unknot", "unknot-trace 2\nnonsense\n")
	run := file(t, "run.unknot", "unknot-machine-trace 2\nmachine \"x\"\nproperty \"p\"\nfault halt\nstart 0\nend\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"explore"}, "want unknot explore NETWORK"},
		{[]string{"explore", "nothing"}, "want a model"},
		{[]string{"explore", "peterson", "--sink", "1"}, "is a protocol"},
		{[]string{"explore", "peterson", "--trace", trace}, "is about a network"},
		{[]string{"explore", "peterson", "--trace", run}, "another machine"},
		{[]string{"explore", "ring", "--trace", run}, "want traffic of the network"},
		{[]string{"explore", "mesh", "--trace", trace}, "another network"},
		{[]string{"replay", "mesh", trace}, "another network"},
		{[]string{"shrink", "mesh", trace}, "another network"},
		{[]string{"replay", "peterson", run}, "another machine"},
		{[]string{"replay", "ring", run}, "want traffic of the network"},
		{[]string{"explore", "ring", "--trace", bad}, "bad.unknot:2:1: "},
		{[]string{"explore", "ring", "--trace", "nowhere.unknot"}, "no such file"},
		{[]string{"explore", "ring", "--trace", trace, "--sink", "1"}, "--sink and --trace exclude each other"},
		{[]string{"explore", "ring", "--port", "70000"}, "want 0 to 65535"},
		{[]string{"explore", "ring", "--length", "2"}, "needs wormhole switching"},
	} {
		code, _, errs := unknot(t, tt.args...)
		if code != exitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit %d, %q, want %q", tt.args, code, errs, tt.want)
		}
	}
}
