package checker_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/checktest"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A ring with a dateline (Dally and Seitz 1987): a packet takes VC 1 if its destination has a greater number than the
// node where it is, and VC 0 as long as it has yet to pass node 0. The result is printed, and written with its
// evidence into a folder, in which everything is then verified.
func Example() {
	ctx, t := context.Background(), spec.NewTopology()
	for range 4 {
		t.AddNode("")
	}
	for v := range spec.NodeID(4) {
		t.AddLink(spec.Link{From: v, To: (v + 1) % 4, VCs: 2})
	}
	vc := map[bool]int{false: 0, true: 1}
	dateline := func(p routing.Packet) routing.Choice {
		return routing.Adaptive(t.Hop(t.OutLinks(p.Node)[0], vc[p.Dest > p.Node]))
	}
	ring := routing.Definition{Name: "ring", Topology: t, Routing: routing.Router{Topology: t, Route: dateline}}
	n, err := routing.Compile(ctx, ring, routing.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := checker.Check(ctx, n, checker.Question{})
	if err != nil {
		log.Fatal(err)
	}
	dir, _ := os.MkdirTemp("", "ring")
	defer os.RemoveAll(dir)
	fmt.Println(errors.Join(report.WriteText(os.Stdout, r, report.Advice{}), report.WriteFolder(ctx, dir, r)))
	fmt.Println("verified:", evidence.VerifyFolder(ctx, dir, evidence.Options{}) == nil)
	// Output:
	// ring: deadlock freedom HOLDS, livelock freedom HOLDS, delivery HOLDS
	//
	// assuming
	//   store-and-forward switching, 1 packet per channel
	//   every node may send to every other at any time
	//   any work-conserving selection function
	//   sinks always drain
	//   any delay (asynchronous)
	//
	// deadlock freedom holds: the channel dependency graph is acyclic (Dally and Seitz 1987)
	//   method: static
	//   evidence: rank certificate, verified
	//
	// livelock freedom holds: every hop lowers a measure, so no packet makes more than 3 hops
	//   method: static
	//   evidence: measure certificate, verified
	//
	// delivery holds: every flow is routed, and the destination is reachable from every site
	//   method: static
	//   evidence: arrival certificate, verified
	//
	// network: 4 nodes, 4 links, 6 channels in use (2 unused), 12 flows, 12 sites, 5 dependencies
	// sha256: 37c626778c2f45bfd4eda4e0417d8bbd6ead16ba389bf4a9724b41d4e61ffaf7
	// <nil>
	// verified: true
}

// Shortest paths on a tree never deadlock, whichever VCs a packet may choose from: rapid draws the trees, and shrinks
// one that fails. In a test of your own, t is its *testing.T.
func Example_property() {
	t := &printer{}
	rapid.Check(t, func(rt *rapid.T) {
		tree := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Tree}, Nodes: 12, VCs: 3})
		checktest.Network(rt, routing.Definition{
			Name: "tree", Topology: tree, Switching: spec.Wormhole, Routing: netgen.Minimal(tree, netgen.AnyVC),
		}, checktest.Options{})
	})
	fmt.Println("no tree fails:", !t.failed)
	// Output: no tree fails: true
}

// printer stands in for a *testing.T.
type printer struct {
	rapid.TB
	failed bool
}

func (p *printer) Helper()             {}
func (p *printer) Name() string        { return "TestTrees" }
func (p *printer) Logf(string, ...any) {}
func (p *printer) Failed() bool        { return p.failed }
func (p *printer) Errorf(format string, args ...any) {
	p.failed = true
	fmt.Printf(format+"\n", args...)
}
func (p *printer) Fatalf(format string, args ...any) { p.Errorf(format, args...) }
func (p *printer) FailNow()                          { p.failed = true }

// TestLibraryPrograms: what somebody writes who uses unknot as a library is short. Counted are the lines between the
// braces of an example, without comments.
func TestLibraryPrograms(t *testing.T) {
	for _, tt := range []struct {
		file, name string
		most       int
	}{
		{"library_test.go", "Example", 25},
		{"library_test.go", "Example_property", 20},
		{"show/draw/example_test.go", "ExampleDependencies", 10},
	} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, tt.file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		lines, count := strings.Split(string(text), "\n"), 0
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Name.Name != tt.name {
				continue
			}
			for l := set.Position(d.Body.Lbrace).Line + 1; l < set.Position(d.Body.Rbrace).Line; l++ {
				line := strings.TrimSpace(lines[l-1])
				if line == "" || strings.HasPrefix(line, "//") {
					continue
				}
				if count++; len(line) > 120 {
					t.Errorf("%s:%d: a line of %d bytes is more than one", tt.file, l, len(line))
				}
			}
		}
		if count == 0 || count > tt.most {
			t.Errorf("%s: %d lines, want at most %d", tt.name, count, tt.most)
		}
	}
}
