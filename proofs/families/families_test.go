package families_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestRankOfTheorem: Verify accepts the rank that the theorem's formula gives on every member of the family that is
// sampled here, so the theorem is about the network that unknot checks. It refuses the wrong rank on some member, and
// the right one on every network that lacks a VC or a condition.
func TestRankOfTheorem(t *testing.T) {
	for _, f := range families.All() {
		t.Run(f.Name, func(t *testing.T) {
			members, wrong := 0, 0
			for _, m := range f.Members {
				for _, set := range m.Settings() {
					n := modeltest.Network(t, m.Model, set)
					if err := verify(t, f, n, "rank", m.Flags); err != nil {
						t.Errorf("%s %v: %v", m.Model, set, err)
					}
					if verify(t, f, n, "wrong", m.Flags) != nil {
						wrong++
					}
					members++
				}
			}
			if members < 3 || wrong == 0 {
				t.Errorf("%d members, the wrong rank is refused on %d: want at least 3 and 1", members, wrong)
			}
			if len(f.Refuted) == 0 {
				t.Error("no network refutes the theorem without a condition")
			}
			for _, m := range f.Refuted {
				for _, set := range m.Settings() {
					n := modeltest.Network(t, m.Model, set)
					if verify(t, f, n, "rank", m.Flags) == nil {
						t.Errorf("%s %v (%s): the rank was accepted", m.Model, set, m.Why)
					}
				}
			}
		})
	}
}

// TestCovering: on every network of the catalogue that a family covers by its parameters, at small sizes, Verify accepts
// the family's rank; each member is covered, and no network that refutes the family is.
func TestCovering(t *testing.T) {
	covered, uncovered := 0, 0
	covering := func(e catalogue.Entry, set map[string]string) []families.Family {
		values, defaults := maps.Clone(set), map[string]string{}
		if values == nil {
			values = map[string]string{}
		}
		for _, p := range e.Parameters() {
			defaults[p.Name] = p.Default
			if _, is := values[p.Name]; !is {
				values[p.Name] = p.Default
			}
		}
		return families.Covering(e.Name, values, defaults)
	}
	for _, e := range models.Catalogue() {
		if e.IsMachine() {
			continue
		}
		sets := []map[string]string{nil}
		for _, x := range e.Described().Expect {
			sets = append(sets, x.Set)
		}
		for _, set := range sets {
			all := covering(e, set)
			if uncovered++; len(all) == 0 {
				continue
			}
			uncovered--
			n := modeltest.Network(t, e.Name, set)
			for _, f := range all {
				if covered++; n.SiteCount() > 100_000 {
					continue
				}
				if err := verify(t, f, n, "rank", ""); err != nil {
					t.Errorf("%s %v is covered by %s: %v", e.Name, set, f.Name, err)
				}
			}
		}
	}
	if covered < 10 || uncovered < 50 {
		t.Errorf("%d networks are covered, %d are not", covered, uncovered)
	}
	for _, f := range families.All() {
		covers := func(m families.Network) bool {
			e, _ := models.Find(m.Model)
			return slices.ContainsFunc(covering(e, m.Settings()[0]), func(o families.Family) bool { return o.Name == f.Name })
		}
		for _, m := range f.Members {
			if covers(m) != (m.Flags == "") {
				t.Errorf("%s: %s is not covered", f.Name, m.Command())
			}
		}
		for _, m := range f.Refuted {
			if covers(m) {
				t.Errorf("%s: %s is covered", f.Name, m.Command())
			}
		}
	}
}

// TestRankIsMeasure: a rank that every hop lowers shows livelock freedom, too.
func TestRankIsMeasure(t *testing.T) {
	for _, f := range families.All() {
		if f.Kind != proofs.Rank {
			continue
		}
		m := f.Members[0]
		n := modeltest.Network(t, m.Model, m.Settings()[0])
		c := certificate(t, f, n, "rank")
		c.Kind, c.Property = proofs.Measure, spec.LivelockFreedom
		if err := proofs.Verify(t.Context(), n, c); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// verify verifies the certificate that a formula gives on a network.
func verify(t *testing.T, f families.Family, n *spec.Network, formula, flags string) error {
	t.Helper()
	if f.Kind != 0 {
		return proofs.Verify(t.Context(), n, certificate(t, f, n, formula))
	}
	bubble := 0
	if flags != "" {
		if _, err := fmt.Sscanf(flags, "--bubble %d", &bubble); err != nil {
			t.Fatal(err)
		}
	}
	c, err := f.Bubbles(n, formula, bubble)
	if err != nil {
		t.Fatal(err)
	}
	return bubbles.Verify(t.Context(), n, c)
}

func certificate(t *testing.T, f families.Family, n *spec.Network, formula string) *proofs.Certificate {
	t.Helper()
	c, err := f.Certificate(n, formula)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFilesOfFamilies: every file exists, and every file of proofs/smt belongs to a family.
func TestFilesOfFamilies(t *testing.T) {
	var used []string
	for _, f := range families.All() {
		for _, name := range f.Files() {
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		used = append(used, f.SMT)
		for _, s := range f.Coq {
			text, err := os.ReadFile(filepath.Join("../coq", s.File))
			if err != nil || !strings.Contains(string(text), "Theorem "+s.Theorem+" ") {
				t.Errorf("%s: no theorem %s in %s: %v", f.Name, s.Theorem, s.File, err)
			}
		}
	}
	for _, g := range families.Generals() {
		for _, s := range g.Coq {
			text, err := os.ReadFile(filepath.Join("../coq", s.File))
			if err != nil || !strings.Contains(string(text), "Theorem "+s.Theorem+" ") {
				t.Errorf("%s: no theorem %s in %s: %v", g.Name, s.Theorem, s.File, err)
			}
		}
	}
	names, err := filepath.Glob("../smt/*.smt2")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains(used, filepath.Base(name)) {
			t.Errorf("%s is of no family", name)
		}
		if _, err := smt.Open(filepath.Base(name)); err != nil {
			t.Error(err)
		}
	}
}
