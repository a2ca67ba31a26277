package coq_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/coq"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestStatement: a theorem stands at the end, as its file has it, behind what it needs; of two declarations of a name, the
// one that Coq would find; and with the hypotheses of its section, though its words do not name them.
func TestStatement(t *testing.T) {
	for _, c := range []struct {
		theorem  string
		files    []string
		has, not []string
	}{
		{"ranked_sound", []string{"Packets.v"}, []string{"Inductive reached", "Definition stuck", "Record network"}, []string{"Definition split", "Proof"}},
		{"rank_wormhole", []string{"Packets.v", "WormStep.v", "Checker.v", "Certified.v"},
			[]string{"| let_go", "Definition check_rank", "Definition denoted"}, []string{"Definition check_escape", "Hypothesis", "simpl never", "| discard : forall (st : state) c"}},
		{"rank_no_deadlock", []string{"Packets.v", "WormStep.v", "Checker.v", "Certified.v"},
			[]string{"Definition deadlock (st : state)", "| let_go", "Definition check_rank"}, []string{"stuck_worms", "Hypothesis", "replay"}},
		{"rank_states", []string{"Packets.v", "Step.v", "Checker.v", "Certified.v"},
			[]string{"Hypothesis fits", "Definition stuck_for_good", "| discard : forall (st : state) c", "Variable capacity : int -> nat"}, []string{"| let_go", "Hypothesis ranks"}},
		{"xy_never_stuck", []string{"Packets.v", "Wormhole.v", "Grid.v", "Mesh.v"}, []string{"Hypothesis k2 : 2 <= k", "Open Scope Z_scope"}, nil},
	} {
		parts, err := coq.Statement(c.theorem)
		if err != nil || len(parts) == 0 {
			t.Errorf("%s: %d parts, %v", c.theorem, len(parts), err)
			continue
		}
		var files []string
		text := ""
		for _, p := range parts {
			files, text = append(files, p.File), text+p.Text
		}
		if !slices.Equal(files, c.files) {
			t.Errorf("%s: files %v, want %v", c.theorem, files, c.files)
		}
		if !regexp.MustCompile(`Theorem ` + c.theorem + ` [^\n]*(\n  .*)*\n(End \w+\.\n)*$`).MatchString(text) {
			t.Errorf("%s is not at the end:\n%s", c.theorem, text)
		}
		for _, part := range c.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q:\n%s", c.theorem, part, text)
			}
		}
		for _, part := range c.not {
			if strings.Contains(text, part) {
				t.Errorf("%s has %q:\n%s", c.theorem, part, text)
			}
		}
	}
	if parts, err := coq.Statement("least"); parts != nil || err != nil {
		t.Errorf("a lemma: %v, %v", parts, err)
	}
}

// byProof is a declaration whose body is a proof, which is left out.
var byProof = regexp.MustCompile(`(?m)^ *(?:Definition|Lemma) (?:[^:]|:[^=])*?\.$`)

// TestStatementsStand: Coq understands every statement from what is printed with it alone, so nothing is missing.
func TestStatementsStand(t *testing.T) {
	installed(t)
	theorems, err := coq.Theorems()
	if err != nil || len(theorems) < 100 || len(slices.Compact(slices.Clone(theorems))) < len(theorems) {
		t.Fatalf("%d theorems, some twice: %v", len(theorems), err)
	}
	b := strings.Builder{}
	b.WriteString("Unset Keep Admitted Variables.\n") // a lemma depends on the variables of its words alone
	for i, theorem := range theorems {
		if !seedtest.Sampled(i, 12) {
			continue
		}
		parts, err := coq.Statement(theorem)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "Module M%d.\n", i)
		for _, p := range parts {
			text, err := os.ReadFile(p.File)
			if err != nil {
				t.Fatal(err)
			}
			module := strings.TrimSuffix(p.File, ".v")
			fmt.Fprintf(&b, "Module %s.\n", module)
			for _, line := range regexp.MustCompile(`(?m)^(?:Require )?Import (.*)\.$`).FindAllStringSubmatch(string(text), -1) {
				for _, required := range strings.Fields(line[1]) {
					_, err := os.Stat(required + ".v")
					switch {
					case slices.ContainsFunc(parts, func(p coq.Part) bool { return p.File == required+".v" }), required == "ListNotations":
						fmt.Fprintf(&b, "Import %s.\n", required)
					case err != nil:
						fmt.Fprintf(&b, "Require Import %s.\n", required)
					}
				}
			}
			said, ends := p.Text, ""
			if at := strings.LastIndex(said, "Theorem "+theorem+" "); at >= 0 && p == parts[len(parts)-1] {
				end := len(said)
				if closed := regexp.MustCompile(`\n *End `).FindStringIndex(said[at:]); closed != nil {
					end = at + closed[0] + 1
				}
				said, ends = said[:end]+"Abort.\n", said[end:]
			}
			fmt.Fprint(&b, byProof.ReplaceAllString(said, "$0 Admitted."), ends)
			fmt.Fprintf(&b, "End %s.\n", module)
		}
		fmt.Fprintf(&b, "End M%d.\n", i)
	}
	file := filepath.Join(t.TempDir(), "Statements.v")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "coqc", "-q", "-w", "none", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, b.String())
	}
}
