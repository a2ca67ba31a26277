package star_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// sameNetwork compiles a text with stand-ins and plainly, and compares all that
// both say: errors, tables, and where each hop is from.
func sameNetwork(t interface{ Fatalf(string, ...any) }, file, text string, set map[string]string) *spec.Network {
	var networks [2]*spec.Network
	var errs [2]error
	for i, opt := range []star.Options{{Set: set}, star.Options{Set: set}.Plainly()} {
		f, err := star.Load(context.Background(), file, []byte(text), opt)
		if err == nil {
			networks[i], err = routing.Compile(context.Background(), f.Definition, routing.CompileOptions{Workers: 1})
		}
		errs[i] = err
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		t.Fatalf("%s with %v: %v\nplainly: %v\n%s", file, set, errs[0], errs[1], text)
	}
	if errs[0] != nil {
		return nil
	}
	if networks[0].Digest() != networks[1].Digest() {
		t.Fatalf("%s with %v: another network than plainly\n%s", file, set, text)
	}
	_ = routing.Sites(networks[0], func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			if a, b := networks[0].Reason(s, h), networks[1].Reason(s, h); a != b {
				t.Fatalf("%s with %v: %v at %v is from %q, plainly from %q", file, set, h, s, a, b)
			}
		}
		return nil
	})
	return networks[0]
}

// TestExamplesPlainly: the networks of the examples are the same with stand-ins.
func TestExamplesPlainly(t *testing.T) {
	files, err := filepath.Glob("../../models/examples/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../../models/mesh/turns.star", "../../models/omega/omega.star", "../../models/graph/packet-switching.star", "../../models/combining/classes.star") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sameNetwork(t, filepath.Base(file), string(text), nil)
	}
}
