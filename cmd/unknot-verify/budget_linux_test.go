package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestOptions: the options come first; each that is wrong is named.
func TestOptions(t *testing.T) {
	const spare = 5 << 30
	for _, tt := range []struct {
		args    string
		memory  int64
		timeout time.Duration
		recount bool
		rest    string
		want    string // of the error
	}{
		{"a b", spare, time.Hour, false, "a b", ""},
		{"--recount a", spare, 0, true, "a", ""},
		{"--recount --timeout 10m a", spare, 10 * time.Minute, true, "a", ""},
		{"--timeout=10m --recount a", spare, 10 * time.Minute, true, "a", ""},
		{"--timeout 0 --memory 1GiB a b", 1 << 30, 0, false, "a b", ""},
		{"--memory=512MiB a --recount", 512 << 20, time.Hour, false, "a --recount", ""}, // a file
		{"--plain --recount a", spare, 0, true, "a", ""},
		{"-- --recount", spare, time.Hour, false, "--recount", ""},
		{"--timeout", 0, 0, false, "", "--timeout: want a value"},
		{"--timeout 10 a", 0, 0, false, "", `invalid --timeout "10": want a time such as 30s`},
		{"--timeout -1s a", 0, 0, false, "", `invalid --timeout "-1s"`},
		{"--memory 8GB a", 0, 0, false, "", `invalid --memory "8GB": want a size such as 512MiB or 8GiB`},
		{"--memory 0 a", 0, 0, false, "", `invalid --memory "0"`},
		{"--recount=yes a", 0, 0, false, "", `unknown option "--recount"`},
		{"--recont a", 0, 0, false, "", `unknown option "--recont"`},
	} {
		o, rest, err := parse(strings.Fields(tt.args), spare)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.args, err, tt.want)
			}
			continue
		}
		if err != nil || o.Memory != tt.memory || o.timeout != tt.timeout || o.Recount != tt.recount ||
			o.Plain != strings.HasPrefix(tt.args, "--plain") || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%s: %+v %q, %v", tt.args, o, rest, err)
		}
	}
}

// sparse makes a file of 3 GB without contents.
func sparse(t *testing.T, name, head string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 3_000_000_000); err != nil {
		t.Skip("no sparse files here: ", err)
	}
}

// TestSizes: a file of 3 GB without contents is refused wherever a file is read, and takes neither time nor memory: before it is read,
// if the memory is less, otherwise at its first byte 0.
func TestSizes(t *testing.T) {
	network, files := evidenceFolder(t, "ring", map[string]string{"n": "3"})
	big := filepath.Join(t.TempDir(), "big.json")
	sparse(t, big, `{"format":"unknot-network-1"`)
	result, answer := filepath.Dir(network), t.TempDir()
	if err := os.Rename(files[0], files[0]+".unknot"); err != nil {
		t.Fatal(err)
	}
	files[0] += ".unknot"
	sparse(t, filepath.Join(result, evidence.ResultFile), "{")
	sparse(t, filepath.Join(answer, evidence.AnswerFile), "{")
	for _, args := range [][]string{{big, files[0]}, {network, big}, {result}, {answer}} {
		for _, tt := range []struct {
			memory string
			codes  []int
			want   string
		}{
			{"2GiB", []int{exitUnchecked}, "has 3000000000 bytes, more than the memory of 2147483648"},
			{"8GiB", []int{exitUsage, exitRejected}, ": the file is binary: want text"}, // a result is rejected
		} {
			var out bytes.Buffer
			before, begun := memory.Resident(), time.Now()
			code := run(append([]string{"--memory", tt.memory}, args...), &out, &out)
			if ok := code == tt.codes[0] || code == tt.codes[len(tt.codes)-1]; !ok || !strings.Contains(out.String(), tt.want) {
				t.Errorf("%v with %s: exit %d, want %v and %q:\n%s", args, tt.memory, code, tt.codes, tt.want, &out)
			}
			if more, took := memory.Resident()-before, time.Since(begun); more > 256<<20 || took > 5*time.Second {
				t.Errorf("%v with %s: took %v and %d bytes", args, tt.memory, took, more)
			}
		}
	}
}

// counting writes a program of many states, with a count of them.
func counting(t *testing.T, values int) (machine, count string) {
	t.Helper()
	p := program.New("counting")
	for _, name := range []string{"x", "y", "z"} {
		v := p.Var(name, values)
		p.Rule("up "+name, program.Lt(v, values-1), program.Set(v, program.Add(v, 1)))
		p.Rule("down "+name, program.Lt(0, v), program.Set(v, program.Sub(v, 1)))
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, f func(io.Writer) error) string {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	n := int64(values)
	return put("machine.json", func(w io.Writer) error { return program.WriteClosed(w, p) }),
		put("deadlock-freedom", func(w io.Writer) error {
			return write.Count(w, &machines.Count{Machine: m.Name(), Property: "deadlock-freedom", States: n * n * n, Transitions: 6 * n * n * (n - 1)})
		})
}

// TestTimeLimit: at the limit what is being checked is unchecked, soon, and nothing is verified.
func TestTimeLimit(t *testing.T) {
	machine, count := counting(t, 1<<10) // 2^30 states
	var out bytes.Buffer
	begun := time.Now()
	code := run([]string{"--timeout", "300ms", "--recount", machine, count}, &out, &out)
	if took := time.Since(begun); code != exitUnchecked || took > 20*time.Second ||
		out.String() != "UNCHECKED: "+count+": the time of 300ms is used up; --timeout and --memory set other limits\n" {
		t.Errorf("exit %d after %v:\n%s", code, took, &out)
	}
}

// TestHardLimit: whatever does not look at its context is ended soon after the limit.
func TestHardLimit(t *testing.T) {
	for _, o := range []options{{timeout: 10 * time.Millisecond}, {Options: evidence.Options{Memory: 1 << 20}}} {
		ended, errs := make(chan int, 1), &bytes.Buffer{}
		ctx, end := o.begin(context.Background(), errs, func(code int) { ended <- code })
		defer end()
		select {
		case code := <-ended:
			if code != exitUnchecked || ctx.Err() == nil || !strings.HasPrefix(errs.String(), "unknot-verify: unchecked: the ") {
				t.Errorf("exit %d, %v: %s", code, ctx.Err(), errs)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%+v: not ended", o)
		}
	}
}
