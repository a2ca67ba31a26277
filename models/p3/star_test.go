package p3_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// counted is what the two forms of a plane share: the numbers of classes depend on the order of the cuts.
type counted struct {
	Nodes, Channels, Flows, Sites int
	Deadlock, Livelock, Delivery  spec.Verdict
}

func countedOf(t *testing.T, def routing.Definition) counted {
	t.Helper()
	n := routingtest.Compile(t, def)
	x, err := checker.Check(t.Context(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	v := x.Findings
	return counted{n.Topology().Nodes(), n.Topology().Channels(), n.FlowCount(), n.SiteCount(), v[0].Verdict, v[1].Verdict, v[2].Verdict}
}

// TestReadableForm: the file that stands beside the paper has the flows, sites and verdicts of the network that Go builds,
// whose cells are cut by other code. A change of any of its conditions is noticed.
func TestReadableForm(t *testing.T) {
	text, err := os.ReadFile("p3.star")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 100 {
		t.Errorf("the file has %d lines: want at most 100, to be read beside the paper", lines)
	}
	compare := func(text, shape, rule string, columns, rows int) string {
		set := catalogue.Set{"shape": shape, "variant": rule, "columns": fmt.Sprint(columns), "rows": fmt.Sprint(rows)}
		f, err := star.Load(t.Context(), "p3.star", []byte(text), star.Options{Set: set, Open: os.ReadFile})
		if err != nil {
			t.Fatal(err)
		}
		if shape == "bent" {
			delete(set, "columns")
			delete(set, "rows")
		}
		def, err := p3.Entry().Define(set)
		if err != nil {
			t.Fatal(err)
		}
		return cmp.Diff(countedOf(t, def), countedOf(t, f.Definition))
	}
	type plane struct {
		shape         string
		columns, rows int
	}
	planes := []plane{{"grid", 1, 1}, {"grid", 3, 1}, {"grid", 2, 3}, {"bent", 2, 2}}
	for i := range 16 { // all grids that they share
		if seedtest.Sampled(i, 16) {
			planes = append(planes, plane{"grid", i%4 + 1, i/4 + 1})
		}
	}
	for _, plane := range planes {
		for _, rule := range []string{"literal", "horizontal", "never-back"} {
			if diff := compare(string(text), plane.shape, rule, plane.columns, plane.rows); diff != "" {
				t.Errorf("%+v %s (-Go +file):\n%s", plane, rule, diff)
			}
		}
	}
	for _, change := range []struct{ old, new string }{
		{"and not lies[pe.end[e]]]", "]"},
		{"lies[pe.start[e]] and not", "not"},
		{"lies[pe.out[e]] and lies[pe.start[e]]", "lies[pe.start[e]]"},
		{"edges += [e, (e + 3) % 4]", "edges += [e]"},
		{"not lies[pe.start[e]] and ", ""},
		{"if e % 2 == 1]", "if e % 2 == 0]"},
		{"if pe != at.link.src.id] or across", "if pe != at.node.id] or across"},
	} {
		changed, same := strings.Replace(string(text), change.old, change.new, 1), true
		for _, rule := range []string{"literal", "horizontal", "never-back"} {
			same = same && compare(changed, "bent", rule, 2, 2) == ""
		}
		if same || changed == string(text) {
			t.Errorf("%q for %q: nothing differs", change.new, change.old)
		}
	}
}
