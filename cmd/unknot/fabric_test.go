package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

const fabricDumps = "../../spec/fabric/testdata/"

// TestUnroutedFolder: a folder with the output of ibnetdiscover alone, which an engine is to route, names the file, and
// the command with that name is as it says.
func TestUnroutedFolder(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(fabricDumps + "ring6-discovered/ibnetdiscover.txt")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ibnetdiscover.txt")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("unknot: invalid --route \"updown\": want the file %s, as the folder has no forwarding tables\n", name)
	if code, out, errs := unknot(t, "check", dir, "--route", "updown"); code != exitUsage || out != "" || errs != want {
		t.Errorf("exit %d: %q and %q, want %q", code, out, errs, want)
	}
	if code, out, errs := unknot(t, "check", name, "--route", "updown"); code != exitExpected {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestFabric: a folder of dumps is judged in all scopes, or is the network of one. The
// verdicts are those of an independent check of the same dumps; the ring of six switches
// has a host each, so that 30 pairs of hosts and 132 pairs of all LIDs send.
func TestFabric(t *testing.T) {
	for _, tt := range []struct {
		command string
		code    int
		want    string // of standard output (codes 0 and 1) or standard error
	}{
		{"check ring6-lash", 0, "host to host, with VLs       HOLDS              HOLDS              HOLDS      "},
		{"check ring6-lash", 0, "host to host, one VL         violated           -                  -          "},
		{"check --from opensm ring6-lash", 0, "with switch LIDs, with VLs   holds "},
		{"check ring6-lash --sl 0", 1, "host to host, with VLs       VIOLATED "},
		{"check ring6-lash --scope hosts-one-vl", 1, "host to host, one VL: deadlock freedom VIOLATED"},
		{"check ring6-lash --scope all-vls", 0, "132 flows"},
		{"check ring6-lash --dest H0 --property delivery", 0, "5 flows"},
		{"check ring6-lash --property livelock-freedom", 0, "livelock freedom   sites   evidence of livelock freedom\nhost to host, with VLs   HOLDS "},
		{"check ring6-minhop", 1, "S0 port 1 -> S1 port 2   by H"},
		{"check ring6-discovered/ibnetdiscover.txt --route updown", 0, "virtual-cut-through switching"},
		{"check ring6-discovered --route updown", 2, "invalid --route \"updown\": want the output of ibnetdiscover, which has no routes, not the folder ring6-discovered"},
		{"diff ring6-minhop ring6-deadend", 1, "  ~ to H4: H2->S2 all VLs takes S2->S3 all VLs, now eject at S2, short of the destination\n"}, // whose table lacks H4
		{"check ring6-discovered", 1, "read: ibnetdiscover.txt (ibnetdiscover), dump_lfts.txt (forwarding tables)"},
		{"check ring6-loop", 1, "packets for LID 11 (H4) go around S1 -> S2 -> S1; senders: 2 hosts, 2 switches, as H1"},
		{"check ring6-deadend", 1,
			"unreachable: 1 pair of a host and the LID of a host, 2 with switches\n    packets for LID 11 (H4) are discarded at S2, which has no entry for it; senders: 1 host, 1 switch, as H2"},
		{"check ring6-lmc1", 1, "warning: 6 ports have an LMC of up to 1"},
		{"check ring6-lash ring6-discovered", 1, "1 of 2 as expected"},
		{"graph ring6-minhop --scope hosts-one-vl --kind cycle", 0, "S1->S2"},
		{"show ring6-lash", 0, "S0"},
		{"check ring6-discovered --scope hosts-vls", 2, "have no SLs of these paths"},
		{"check ring6-lash --scope x", 2, `invalid --scope "x": want hosts-vls, hosts-one-vl, all-vls or all-one-vl`},
		{"check ring6-lash --max-sites 0", 2, `invalid --max-sites "0": want at least 1`},
		{"check ring6-lash --once H0->H1", 0, "host to host, with VLs"},
		{"export ring6-lash --to opensm-lfts --packets 3", 2, "--packets is not for --to opensm-lfts"},
		{"export ring6-lash --to opensm-lfts --scope all-vls", 2, "--scope is not for --to opensm-lfts"},
		{"export ring6-minhop --to opensm-sl2vl", 2, "ring6-minhop has no SL2VL tables"},
		{"export ring6-minhop --to path-sls", 2, "ring6-minhop has no SLs of paths"},
		{"export ring6-lash --to path-sls", 0, "0x0000000000100000 "},
		// Six cables join the switches, and a line is left of the ring.
		{"sweep ring6-lash --links 1 --switch-links --reroute updown", 0, `"cases":7,"shard":1`},
		{"sweep ring6-lash --switch-links", 2, `invalid --switch-links "true": want --links with it`},
		{"sweep ring6-lash --scope all-vls --links 1 --switch-links", 2, "has no link between nodes that neither send nor receive"},
		{"sweep ring6-minhop --links 1 --reroute lash --vcs 1", 1, "lash takes more than 1 VC here"},
		{"check ring6-lash --sl 16", 2, `invalid --sl "16": want 0 to 15`},
		{"check ring6-lash --set k=3", 2, "which has no parameters"},
		{"check --from opensm ring6-lash/psl.txt", 2, "is a file, want the folder with the dumps"},
		{"check --from opensm ..", 2, "want a subnet list"},
		{"check torus --sl 0", 2, `invalid --sl "0": want the dumps of a fabric, not torus`},
	} {
		t.Run(tt.command, func(t *testing.T) {
			t.Chdir(fabricDumps)
			code, out, err := unknot(t, strings.Fields(tt.command)...)
			if code != tt.code {
				t.Fatalf("exit code %d, want %d: %s", code, tt.code, err)
			}
			if code > 1 {
				out = err
			}
			if !strings.Contains(out, tt.want) {
				t.Errorf("printed\n%s\nwithout %q", out, tt.want)
			}
		})
	}
}

// TestRoutedAnewAndBack: a fabric that deadlocks, rerouted in layers, goes back into the
// dumps of a subnet manager, which hold without a deadlock.
func TestRoutedAnewAndBack(t *testing.T) {
	old, err := filepath.Abs(fabricDumps + "ring6-minhop")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	run := func(want int, command string) string {
		t.Helper()
		code, out, err := unknot(t, strings.Fields(command)...)
		if code != want {
			t.Fatalf("%s: exit code %d, want %d: %s", command, code, want, err)
		}
		return out
	}
	run(1, "check "+old)
	run(0, "route "+old+" --engine lash --out new.json")
	if err := os.Mkdir("new", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"opensm-lfts", "opensm-sl2vl", "path-sls"} {
		run(0, "export new.json --fabric "+old+" --to "+to+" --out new/"+to)
	}
	subnet, err := os.ReadFile(old + "/opensm-subnet.lst")
	if err == nil {
		err = os.WriteFile("new/subnet", subnet, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := run(0, "check new"); !strings.Contains(out, "host to host, with VLs     HOLDS ") {
		t.Errorf("judged again:\n%s", out)
	}
}

// TestFabricWithoutATable: of a ring of six switches that is free from deadlock with its
// VLs and not with one, the table of S0 is left out. What it forwards could close a cycle,
// so that nothing holds; the cycle on one VL needs it, too. As a network alone it is
// refused.
func TestFabricWithoutATable(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(fabricDumps+"ring6-lash")); err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(dir, "opensm-lfts.dump")
	text, err := os.ReadFile(tables)
	if err != nil || os.Remove(filepath.Join(dir, "opensm.fdbs")) != nil {
		t.Fatal(err)
	}
	rest := strings.SplitAfterN(string(text), "Unicast lids ", 3)
	if err := os.WriteFile(tables, []byte("Unicast lids "+rest[2]), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ := unknot(t, "check", dir)
	if code != exitUnknown || strings.Count(out, "UNKNOWN") != 3 || strings.Contains(out, "HOLDS") ||
		!strings.Contains(out, "reach S0, whose forwarding table is missing from the dumps") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	tells(t, []told{
		{"check --scope hosts-vls " + dir, exitUsage, "whose forwarding tables are missing from the dumps or incomplete there: no network"},
		{"check --json " + dir, exitUnknown, ""},
	})
}

// TestFabricBound: a scope that is beyond a bound leaves the verdicts of the others, and
// is the answer only where it counts. With one VL hosts send over 36 sites, with VLs over
// 62, and with the LIDs of switches over 66 and 109 (see TestFabric).
func TestFabricBound(t *testing.T) {
	seedtest.InFull(t)
	for _, tt := range []struct {
		sites     string
		code      int
		want, not string
	}{
		{"40", exitUnknown, "host to host, one VL         violated ", "HOLDS"},
		{"40", exitUnknown, "host to host, with VLs       UNKNOWN ", "HOLDS"},
		{"65", exitExpected, "host to host, with VLs       HOLDS ", "UNKNOWN"},
		{"65", exitExpected, "with switch LIDs, one VL     unknown            -                  -          -", "UNKNOWN"},
		{"65", exitExpected, "with switch LIDs, one VL: not checked: ring6-lash: more than 65 sites", "UNKNOWN"},
		{"3", exitUnknown, "", "scope"},
	} {
		t.Chdir(fabricDumps)
		code, out, err := unknot(t, "check", "ring6-lash", "--max-sites", tt.sites)
		if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, tt.not) ||
			(code == exitUnknown) != strings.Contains(err, "sites: beyond the bound") {
			t.Errorf("%s sites: exit code %d, want %d; %sprinted\n%s", tt.sites, code, tt.code, err, out)
		}
		if code, out, _ = unknot(t, "check", "ring6-lash", "--json", "--max-sites", tt.sites); code != tt.code || out != "" && !json.Valid([]byte(out)) {
			t.Errorf("%s sites, as JSON: exit code %d, want %d\n%s", tt.sites, code, tt.code, out)
		}
		t.Chdir("../../../cmd/unknot")
	}
}

// TestFabricEvidence: each scope has a folder of evidence that the second program
// accepts, and a result that says which routes close the cycle.
func TestFabricEvidence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evidence")
	junit := filepath.Join(t.TempDir(), "junit.xml")
	code, out, _ := unknot(t, "check", fabricDumps+"ring6-lash", "--out", dir, "--json", "--junit", junit)
	if text, err := os.ReadFile(junit); err != nil || strings.Count(string(text), "<testcase") != 3 || strings.Contains(string(text), "<failure") {
		t.Errorf("want the three properties of the scope that counts, without a failure: %v\n%s", err, text)
	}
	if code != exitExpected {
		t.Fatalf("exit code %d", code)
	}
	var got struct {
		Scopes []struct {
			Scope  string
			Counts bool
			Cycle  []struct{ Route string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Scopes) != 4 {
		t.Fatalf("%d scopes: %v", len(got.Scopes), err)
	}
	for _, s := range got.Scopes {
		if s.Counts != (s.Scope == "hosts-vls") || (len(s.Cycle) == 6) != strings.HasSuffix(s.Scope, "one-vl") {
			t.Errorf("%s counts: %v, cycle of %d", s.Scope, s.Counts, len(s.Cycle))
		}
		if _, err := os.Stat(filepath.Join(dir, s.Scope, networkFile)); err != nil {
			t.Error(err)
		}
	}
	if code, out, err := unknot(t, "verify", dir); code != exitExpected {
		t.Errorf("verify: exit code %d\n%s%s", code, out, err)
	}
}

// TestFabricExport: what is exported of a fabric is what OpenSM dumped; with the routing of
// a network of it, in the closed form, too.
func TestFabricExport(t *testing.T) {
	dumps := fabricDumps + "ring6-lash"
	want, err := os.ReadFile(filepath.Join(dumps, "opensm-lfts.dump"))
	if err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(t.TempDir(), "closed.json")
	code, text, errs := unknot(t, "show", dumps, "--scope", "all-vls", "--closed")
	if err := os.WriteFile(closed, []byte(text), 0o600); code != exitExpected || err != nil {
		t.Fatalf("exit code %d: %s %v", code, errs, err)
	}
	for _, args := range [][]string{{dumps}, {closed, "--fabric", dumps}} {
		code, out, errs := unknot(t, append([]string{"export", "--to", "opensm-lfts"}, args...)...)
		if code != exitExpected || out != "# written by unknot\n"+string(want) {
			t.Errorf("%q: exit code %d, other tables than OpenSM's\n%s", args, code, errs)
		}
	}
	if _, out, _ := unknot(t, "export", "--to", "anynet", dumps); !strings.HasPrefix(out, "router 0 router 1 router 5 node 0\n") {
		t.Errorf("anynet: %s", out)
	}
	if code, _, errs := unknot(t, "export", "--to", "anynet", "torus"); code != exitUsage ||
		!strings.Contains(errs, "want the dumps of a fabric, not torus, or --fabric FOLDER") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestFabricPicture: the nodes and cables of a fabric are drawn without its routes, which
// are too many here; of a large topology hosts are numbers and cables lines: here of a
// switch with 2,200 hosts.
func TestFabricPicture(t *testing.T) {
	tells(t, []told{
		{"graph --kind topology --max-sites 1 " + fabricDumps + "ring6-lash", exitExpected, "S0"},
		{"graph --kind topology --scope x " + fabricDumps + "ring6-lash", exitUsage, `invalid --scope "x"`},
	})
	var b strings.Builder
	for h := range 2200 {
		fmt.Fprintf(&b, "s,h%d\n", h)
	}
	b.WriteString("s,x\nx,y\n")
	inFolder(t, map[string]string{"star.csv": b.String()})
	needsDot(t)
	code, out, errs := unknot(t, "graph", "star.csv", "--both-ways", "--kind", "topology", "--format", "svg")
	if code != exitExpected || !strings.Contains(out, ">+2200<") ||
		!strings.Contains(errs, "star.csv is large: hosts are numbers at their switches, cables one line") {
		t.Errorf("exit code %d: %s%.2000s", code, errs, out)
	}
}

// TestFabricWithoutSLs: without path SLs all packets are judged on one VL, which is not what a fabric carries that has
// lanes; and where lanes, not forwarding tables, lose packets, the verdict on delivery says why.
func TestFabricWithoutSLs(t *testing.T) {
	dumps := func(without, changed string, change func(string) string) string {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(fabricDumps, "ring6-lash"))); err != nil {
			t.Fatal(err)
		}
		if without != "" {
			if err := os.Remove(filepath.Join(dir, without)); err != nil {
				t.Fatal(err)
			}
		}
		if changed != "" {
			file := filepath.Join(dir, changed)
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, []byte(change(string(text))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	code, out, _ := unknot(t, "check", dumps("psl.txt", "", nil))
	if code != exitViolated || !strings.Contains(out, "\nin capitals: all packets on one VL, as no dump has their SLs; this decides the exit code\n") ||
		!strings.HasSuffix(out, " --engine all\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	lost := dumps("", "opensm-sl2vl.dump", func(text string) string { return strings.ReplaceAll(text, " : 0  1 ", " : 15 1 ") })
	code, out, _ = unknot(t, "check", lost)
	if code != exitViolated || strings.Contains(out, "every LID can be reached") || !strings.Contains(out, "\nhost to host, with VLs: delivery violated: ") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
