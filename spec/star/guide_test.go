package star

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuide: the reference in the user guide has a heading for every function
// and names every argument and every attribute.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../../cmd/unknot/guide/language.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(text), "\n## ")[1:] {
		if name, _, ok := strings.Cut(s, "("); ok && regexp.MustCompile(`^\w+$`).MatchString(name) {
			sections[name] = s
		}
	}
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
