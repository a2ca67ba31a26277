package star

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/syntax"
)

// sectionsOf returns the sections of a page of the guide that are about functions.
func sectionsOf(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../cmd/unknot/guide/" + page)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(text), "\n## ")[1:] {
		if name, _, ok := strings.Cut(s, "("); ok && regexp.MustCompile(`^\w+$`).MatchString(name) {
			sections[name] = s
		}
	}
	return sections
}

// TestProtocolGuide: the page about protocols has a heading for every function except
// param, under its name, and names what a FIFO has.
func TestProtocolGuide(t *testing.T) {
	sections := sectionsOf(t, "protocol-files.md")
	for name, call := range machineUsage {
		if heading, _, _ := strings.Cut(sections[name], "\n"); heading != call && name != "param" {
			t.Errorf("heading %q, want %q", heading, call)
		}
	}
	for name := range (&builder{}).machineBuiltins() {
		if _, described := machineUsage[name]; !described && regexp.MustCompile(`^[a-z]+$`).MatchString(name) &&
			name != "bool" && comparisons[syntax.IN] != name {
			t.Errorf("%s is not described", name)
		}
	}
	for _, name := range (&fifo{}).AttrNames() {
		if !strings.Contains(sections["fifo"], "."+name) {
			t.Errorf("section fifo says nothing of %s", name)
		}
	}
}

// TestGuide: the reference in the user guide has a heading for every function
// and names every argument and every attribute.
func TestGuide(t *testing.T) {
	sections := sectionsOf(t, "network-files.md")
	want := []string{"route"} // which the file defines
	for name := range newBuilder("", Options{}).builtins() {
		want = append(want, name)
		heading, _, _ := strings.Cut(sections[name], "\n")
		if u := usage[name]; !strings.Contains(u, " or ") && heading != u {
			t.Errorf("heading %q, want %q", heading, u)
		}
	}
	var got []string
	for name := range sections {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	for section, attributes := range map[string][]string{
		"node": prefixed("n.", (&node{}).AttrNames()), "link": prefixed("l.", (&link{}).AttrNames()), "route": prefixed("at.", (&site{}).AttrNames()),
	} {
		for _, a := range attributes {
			if !strings.Contains(sections[section], "`"+a) {
				t.Errorf("section %s says nothing of %s", section, a)
			}
		}
	}
}

func prefixed(prefix string, names []string) []string {
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names
}
