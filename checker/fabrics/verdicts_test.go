package fabrics_test

import (
	"bufio"
	"cmp"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/fabrics"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

const fixtures = "../../spec/fabric/testdata"

func read(t testing.TB, dir fs.FS, name string) *fabric.Fabric {
	t.Helper()
	f, err := fabric.Read(t.Context(), dir, fabric.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plain checks every network for some properties; all three if none is named.
func plain(properties ...string) fabrics.Options {
	return fabrics.Options{Check: func(*spec.Network) (checker.Question, error) {
		return checker.Question{Properties: properties}, nil
	}}
}

// judged returns whether there is a deadlock, "yes" or "no", by scope. Each verdict must
// have evidence, and each cycle the routes that make it.
func judged(t *testing.T, f *fabric.Fabric) map[fabric.Scope]string {
	t.Helper()
	words := map[spec.Verdict]string{spec.Holds: "no", spec.Violated: "yes", spec.Unknown: "unknown"}
	got := map[fabric.Scope]string{}
	err := fabrics.Check(t.Context(), f, plain("deadlock-freedom"), func(j *fabrics.Judgement) error {
		d := j.Result.Of("deadlock-freedom")
		if d.Verdict != spec.Unknown && d.Evidence == nil {
			t.Errorf("%s: %s without evidence", f.Name, j.Scope)
		}
		if violated := d.Verdict == spec.Violated; violated != (len(j.Parts) > 0) || violated != (len(j.Cycle) > 1) {
			t.Errorf("%s: %s: %s with %d parts and a cycle of %d", f.Name, j.Scope, d.Verdict, len(j.Parts), len(j.Cycle))
		}
		for _, turn := range j.Cycle {
			if turn.Why == "" {
				t.Errorf("%s: %s: no route makes %s ask for %s", f.Name, j.Scope, turn.Holds, turn.Asks)
			}
		}
		j.Scope.Direct = false
		got[j.Scope] = words[d.Verdict]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// scopes are the columns of verdicts.tsv: those of the independent check and, to their left,
// those of ibdmchk.
var scopes = map[string]fabric.Scope{
	"mine:CA-CA,1VL": {}, "mine:all,1VL": {Switches: true}, "mine:CA-CA,VL": {VLs: true}, "mine:all,VL": {Switches: true, VLs: true},
}

// TestVerdicts: the routing of fabrics by the engines of OpenSM is judged as by an independent
// check of the same dumps, in every scope for which that has a verdict: of four small fabrics in
// testdata, and of all sixteen where they are.
//
// Where ibdmchk differs: it refuses an LMC above 0 ("ERR:lmc"); it stops at the first pair that is not
// routed ("ERR:traversal"), although the tables have a verdict; it sometimes ends without one
// ("CRASH"). And it takes one SL per pair, while OpenSM's dfsssp may name any of several
// (psl.all.txt): it does not see a cycle that only the others close. Given its one SL (psl.txt), the
// verdicts agree.
func TestVerdicts(t *testing.T) {
	t.Run("small", func(t *testing.T) { sameVerdicts(t, path.Join(fixtures, "opensm"), 22) })
	t.Run("all", func(t *testing.T) {
		root := cmp.Or(os.Getenv("UNKNOT_FABRICS"), "../../../shared/fabrics")
		if _, err := os.Stat(root); err != nil {
			t.Skip("no fabrics with verdicts in UNKNOT_FABRICS or beside the checkout (../shared/fabrics)")
		}
		sameVerdicts(t, root, 236)
	})
}

// sameVerdicts judges the fabrics of a folder in which verdicts.tsv has so many cases.
func sameVerdicts(t *testing.T, root string, want int) {
	file, err := os.Open(path.Join(root, "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := bufio.NewScanner(file)
	rows.Scan()
	columns := strings.Split(rows.Text(), "\t")
	cases, verdicts := 0, 0
	for rows.Scan() {
		cells := map[string]string{}
		for i, cell := range strings.Split(rows.Text(), "\t") {
			cells[columns[i]] = cell
		}
		name := path.Join(cells["net"], cells["case"])
		dir := os.DirFS(path.Join(root, name))
		got := judged(t, read(t, dir, name))
		cases++
		for i, column := range columns {
			scope, is := scopes[column]
			if !is || cells[column] == "" {
				continue
			}
			verdicts++
			if got[scope] != cells[column] {
				t.Errorf("%s: %s: deadlock %s, want %s", name, scope, got[scope], cells[column])
			}
			switch theirs := cells[columns[i-1]]; theirs {
			case got[scope], "ERR:lmc", "ERR:traversal", "CRASH", "":
			default:
				if one := judged(t, read(t, without{dir, "psl.all.txt"}, name)); one[scope] != theirs {
					t.Errorf("%s: %s: deadlock %s with one SL a pair, and %s by ibdmchk", name, scope, one[scope], theirs)
				}
			}
		}
	}
	if cases != want {
		t.Errorf("%d cases, want %d", cases, want)
	}
	t.Logf("%d cases, %d verdicts", cases, verdicts)
}

// without is a folder that lacks the files with a name, packed or not.
type without struct {
	fs.FS
	name string
}

func (w without) ReadDir(dir string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, dir)
	var kept []fs.DirEntry
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), w.name) {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// TestFixtures: the same for the dumps in testdata, with the verdicts of the independent check. If
// all packets of ring6-lash are on SL 0, the ring closes on VL 0, too.
func TestFixtures(t *testing.T) {
	zero := 0
	hosts, all := fabric.Scope{}, fabric.Scope{Switches: true}
	hostVLs, allVLs := fabric.Scope{VLs: true}, fabric.Scope{Switches: true, VLs: true}
	for _, tt := range []struct {
		dir  string
		sl   *int
		want map[fabric.Scope]string
	}{
		{"ring6-lash", nil, map[fabric.Scope]string{hosts: "yes", all: "yes", hostVLs: "no", allVLs: "no"}},
		{"ring6-lash", &zero, map[fabric.Scope]string{hosts: "yes", all: "yes", hostVLs: "yes", allVLs: "yes"}},
		{"ring6-minhop", nil, map[fabric.Scope]string{hosts: "yes", all: "yes"}},
		{"ring6-discovered", nil, map[fabric.Scope]string{hosts: "yes", all: "yes"}},
		{"ring6-lmc1", nil, map[fabric.Scope]string{hosts: "yes", all: "yes"}},
		{"ring6-loop", nil, map[fabric.Scope]string{hosts: "yes", all: "yes"}},
		{"ring6-deadend", nil, map[fabric.Scope]string{hosts: "yes", all: "yes"}},
	} {
		f, err := fabric.Read(t.Context(), os.DirFS(path.Join(fixtures, tt.dir)), fabric.Options{Name: tt.dir, SL: tt.sl})
		if err != nil {
			t.Fatal(err)
		}
		got := judged(t, f)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %d scopes, want %d", tt.dir, len(got), len(tt.want))
		}
		for scope, want := range tt.want {
			if got[scope] != want {
				t.Errorf("%s: %s: deadlock %s, want %s", tt.dir, scope, got[scope], want)
			}
		}
	}
}

// TestRepeatedDescriptions: hosts with one description are distinguished by LIDs, given once.
func TestRepeatedDescriptions(t *testing.T) {
	dir := fstest.MapFS{}
	for _, name := range []string{"ibnetdiscover.txt", "dump_lfts.txt"} {
		text, err := os.ReadFile(path.Join(fixtures, "ring6-discovered", name))
		if err != nil {
			t.Fatal(err)
		}
		dir[name] = &fstest.MapFile{Data: regexp.MustCompile(`"H[0-9]"`).ReplaceAll(text, []byte(`"node"`))}
	}
	err := fabrics.Check(t.Context(), read(t, dir, "repeated"), plain("deadlock-freedom"), func(j *fabrics.Judgement) error {
		for _, turn := range j.Cycle {
			if told := regexp.MustCompile(`^(node|S\d)( \(LID \d+\))? -> (node|S\d) \(LID \d+\)$`); !told.MatchString(turn.Why) {
				t.Errorf("%s", turn.Why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
