package evidence_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestRankingsOfChannels: the evidence that no packet of a network starves is a ranking
// for each channel, in order. One that is missing, doubled, out of place or wrong is
// refused, and so is one of another network.
func TestRankingsOfChannels(t *testing.T) {
	rankings := func(n *spec.Network) []string {
		m, err := states.NewTraffic(n, spec.Scenario{Packets: 2})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Liveness: true})
		if err != nil {
			t.Fatal(err)
		}
		f := x.Findings[slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == "starvation-freedom" })]
		e, ok := f.Evidence.(evidence.Rankings)
		if !ok || f.Verdict != spec.Holds {
			t.Fatalf("%s with %T", f.Verdict, f.Evidence)
		}
		var b strings.Builder
		if err := write.Evidence(&b, e); err != nil {
			t.Fatal(err)
		}
		all := strings.SplitAfter(b.String(), "\nend\n")
		return all[:len(all)-1]
	}
	n := modeltest.Network(t, "mesh", map[string]string{"k": "2"}) // 4 links, both ways

	all := rankings(n)
	if len(all) != 8 {
		t.Fatalf("%d rankings of 8 channels", len(all))
	}
	other := rankings(modeltest.Network(t, "ring", map[string]string{"n": "4", "variant": "dateline"}))
	without := func(i int) []string { return slices.Delete(slices.Clone(all), i, i+1) }
	swapped := slices.Clone(all)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	flat := slices.Clone(all) // where no rank ever falls, nobody need take a step
	for i, line := range strings.Split(all[1], "\n") {
		if rank, rest, ok := strings.Cut(line, " "); ok && i > 3 && rank != "0" {
			flat[1] = strings.Replace(flat[1], line, "0 "+rest, 1)
		}
	}
	broken := slices.Clone(all)
	broken[2] = strings.Replace(broken[2], "\nstates ", "\nstate ", 1)
	line := 1 + strings.Count(all[0]+all[1], "\n") + 3 // the fourth of the third
	s := evidence.OfNetwork(n)
	for _, tt := range []struct {
		name, want string
		text       []string
	}{
		{"all", "", all},
		{"none of the first", "there are 7 rankings for 8 channels", without(0)},
		{"none of the last", "there are 7 rankings for 8 channels", without(7)},
		{"one twice", "there are 9 rankings for 8 channels", append([]string{all[0]}, all...)},
		{"out of order", "the ranking is for", swapped},
		{"one of another network", "of several machines", append(without(7), other[0])},
		{"another network", "traffic of the network", other},
		{"ranks that do not fall", "rank", flat},
		{"not a line", "", broken},
		{"no end", "unexpected end of file", []string{strings.TrimSuffix(all[0], "end\n")}},
	} {
		shown, err := s.Check(t.Context(), "f", []byte(strings.Join(tt.text, "")), evidence.Options{})
		var at *spec.PosError
		switch {
		case tt.name == "all":
			if err != nil || shown.String() != "starvation freedom holds of at most 2 packets, not shown of more (rankings for 8 channels, packets 2)" {
				t.Errorf("%s, %v", shown, err)
			}
		case tt.name == "not a line":
			if !errors.As(err, &at) || at.Line != line {
				t.Errorf("%s: %v, want line %d", tt.name, err, line)
			}
		case err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	// For a machine there is one ranking in a file.
	_, machine := subjects(t)
	one := texts(t)[3]
	if _, err := machine.Check(t.Context(), "f", []byte(one), evidence.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := machine.Check(t.Context(), "f", []byte(one+one), evidence.Options{}); err == nil {
		t.Error("two rankings of a machine pass for one")
	}
}
