package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"

	"github.com/google/go-cmp/cmp"
)

// dump is a value change dump as it was read back.
type dump struct {
	width  map[string]int      // clause signal
	values []map[string]uint64 // by time
}

var (
	vcdIdentifier = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_$]*$`)
	vcdCodeChars  = regexp.MustCompile(`^[!-~]+$`)
)

// readVCD reads a dump by clause 18 of IEEE Std 1364-2005 (four-state VCD):
// declaration commands up to $enddefinitions, then times, value changes and
// comments, all separated by white space.
func readVCD(text []byte) (*dump, error) {
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Split(bufio.ScanWords)
	d := &dump{width: map[string]int{}}
	names := map[string]string{}
	command := func() ([]string, error) { // the words up to $end
		var words []string
		for in.Scan() {
			if in.Text() == "$end" {
				return words, nil
			}
			words = append(words, in.Text())
		}
		return nil, fmt.Errorf("no $end after %q", words)
	}
	for declared := false; !declared; {
		if !in.Scan() {
			return nil, fmt.Errorf("no $enddefinitions")
		}
		keyword := in.Text()
		words, err := command()
		if err != nil {
			return nil, err
		}
		switch keyword {
		case "$enddefinitions":
			declared = true
		case "$comment", "$version", "$date", "$upscope", "$scope":
		case "$timescale":
			if !regexp.MustCompile(`^(1|10|100) ?(s|ms|us|ns|ps|fs)$`).MatchString(strings.Join(words, " ")) {
				return nil, fmt.Errorf("timescale %q", words)
			}
		case "$var":
			if len(words) != 4 || words[0] != "wire" {
				return nil, fmt.Errorf("variable %q", words)
			}
			width, err := strconv.Atoi(words[1])
			if err != nil || width < 1 || !vcdCodeChars.MatchString(words[2]) || !vcdIdentifier.MatchString(words[3]) ||
				names[words[2]] != "" || d.width[words[3]] != 0 {
				return nil, fmt.Errorf("variable %q", words)
			}
			names[words[2]], d.width[words[3]] = words[3], width
		default:
			return nil, fmt.Errorf("declaration %q", keyword)
		}
	}
	now, dumping := -1, false
	set := func(code, bits string) error {
		name, ok := names[code]
		v, err := strconv.ParseUint(bits, 2, 64)
		if !ok || err != nil || len(bits) > d.width[name] || now < 0 {
			return fmt.Errorf("value %s of %s at %d", bits, code, now)
		}
		d.values[now][name] = v
		return nil
	}
	for in.Scan() {
		w := in.Text()
		var err error
		switch {
		case w[0] == '#':
			var at int
			if at, err = strconv.Atoi(w[1:]); err == nil && at <= now {
				err = fmt.Errorf("time %d after %d", at, now)
			}
			for ; err == nil && now < at; now++ {
				v := map[string]uint64{}
				if now >= 0 {
					for name, x := range d.values[now] {
						v[name] = x
					}
				}
				d.values = append(d.values, v)
			}
		case w == "$comment":
			_, err = command()
		case w == "$dumpvars" && !dumping:
			dumping = true
		case w == "$end" && dumping:
			dumping = false
		case w[0] == 'b':
			if !in.Scan() {
				return nil, fmt.Errorf("a value of nothing")
			}
			err = set(in.Text(), w[1:])
		case w[0] == '0' || w[0] == '1':
			err = set(w[1:], w[:1])
		default:
			err = fmt.Errorf("%q is not a simulation command", w)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(d.values) > 0 && len(d.values[0]) != len(names) {
		return nil, fmt.Errorf("%d of %d variables have a value at time 0", len(d.values[0]), len(names))
	}
	return d, nil
}

func TestVCD(t *testing.T) {
	for name, x := range executions(t) {
		text := kept(t, name+".vcd", func(w io.Writer) error { return writeVCD(w, x) })
		d, err := readVCD(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		states, err := x.States()
		if err != nil {
			t.Fatal(err)
		}
		if want := len(states) + 1; len(d.values) != want {
			t.Errorf("%s: times 0 to %d, want %d", name, len(d.values)-1, want-1)
		}
		for i, s := range states {
			for k, f := range x.Machine.Layout().Fields() {
				signal := fmt.Sprintf("f%d_%s", k, identifier(f.Name))
				if v, ok := d.values[i][signal]; name == "machine" && (!ok || v != f.Of(s)) {
					t.Errorf("%s: %s is %d at %d, want %d", name, signal, v, i, f.Of(s))
				}
			}
		}
	}
}

// TestVCDOccupancy: the four packets of the ring come in one after the other, each into its
// source's channel, and stay.
func TestVCDOccupancy(t *testing.T) {
	n := fromFile(t, "ring.star")
	x, err := explain.Follow(evidence.Trace{Network: n, Trace: deadlockTrace(t, n)})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeVCD(&b, x); err != nil {
		t.Fatal(err)
	}
	d, err := readVCD(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	channels := []string{"c0_0_to_1_vc0", "c1_1_to_2_vc0", "c2_2_to_3_vc0", "c3_3_to_0_vc0"}
	var totals []uint64
	for i, v := range d.values {
		var sum uint64
		for _, c := range channels {
			sum += v[c]
			if i > 0 && v[c] < d.values[i-1][c] {
				t.Errorf("a packet leaves %s at %d", c, i)
			}
		}
		if sum != v["in_flight"] {
			t.Errorf("%d in flight at %d, want %d", v["in_flight"], i, sum)
		}
		totals = append(totals, sum)
	}
	if diff := cmp.Diff([]uint64{0, 1, 2, 3, 4, 4}, totals); diff != "" {
		t.Errorf("packets by time (-want +got):\n%s", diff)
	}
}

// TestVCDRead: the reader of this test refuses what is wrong.
func TestVCDRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "ring.vcd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new string }{
		{"$enddefinitions", "$end"}, {"#2\n", "#1\n"}, {"b1 ", "b1111111 "}, {"wire", "reg0"},
		{"! in_flight", "! 0in_flight"}, {"$dumpvars\n", "$dumpvars\n0? \n"},
	} {
		wrong := strings.Replace(string(text), tt.old, tt.new, 1)
		if _, err := readVCD([]byte(wrong)); err == nil || wrong == string(text) {
			t.Errorf("%q in place of %q is accepted", tt.new, tt.old)
		}
	}
}

// TestVCDByGTKWave: GTKWave converts the files to its own format, and what it writes from there has
// the same values at all times.
func TestVCDByGTKWave(t *testing.T) {
	vcd2fst, err := exec.LookPath("vcd2fst")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI has no vcd2fst (Debian's gtkwave)")
		}
		t.Skip("vcd2fst is not installed (Debian package gtkwave)")
	}
	for _, name := range []string{"ring", "w1", "loop", "starved", "machine"} {
		file := filepath.Join("testdata", name+".vcd")
		fst := filepath.Join(t.TempDir(), name+".fst")
		if out, err := exec.Command(vcd2fst, "-v", file, "-f", fst).CombinedOutput(); err != nil {
			t.Errorf("vcd2fst %s: %v\n%s", name, err, out)
			continue
		}
		back, err := exec.Command("fst2vcd", "-f", fst).Output()
		if err != nil {
			t.Errorf("fst2vcd %s: %v", name, err)
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := readVCD(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readVCD(back)
		if err != nil {
			t.Errorf("%s by way of GTKWave: %v\n%s", name, err, back)
			continue
		}
		for len(got.values) < len(want.values) { // the last times, at which nothing changes
			got.values = append(got.values, got.values[len(got.values)-1])
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(dump{})); diff != "" {
			t.Errorf("%s (-want +by way of GTKWave):\n%s", name, diff)
		}
	}
}

// TestIdentifier: letters and digits stay, from the first to the last of them, and what stands between them is one line.
func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"AZ->az vc09": "AZ_to_az_vc09", "@A[Z{": "A_Z", "`a..z/0:9": "a_z_0_9", "ä": "", "": "",
	} {
		if got := identifier(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestVCDCodes(t *testing.T) {
	seen := map[string]bool{}
	for i := range 20000 {
		c := vcdCode(i)
		if !vcdCodeChars.MatchString(c) || seen[c] || len(c) > 3 {
			t.Fatalf("code %q of signal %d", c, i)
		}
		seen[c] = true
	}
}
