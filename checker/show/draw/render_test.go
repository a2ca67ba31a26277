package draw

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestRenderWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var b bytes.Buffer
	err := Render(context.Background(), &b, ring4(), "png")
	var missing *MissingError
	if !errors.As(err, &missing) || !errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("error is %v, want a *MissingError that wraps exec.ErrNotFound", err)
	}
	for _, part := range []string{"png", `"dot"`, "install", "apt install graphviz"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not mention %q", err, part)
		}
	}
	if b.Len() > 0 {
		t.Errorf("wrote %d bytes without Graphviz", b.Len())
	}
}

func TestRender(t *testing.T) {
	needDot(t)
	for _, tt := range []struct {
		format, begins string
		graph          *Graph
		wrong          string
	}{
		{format: "svg", begins: "<?xml", graph: ring4()},
		{format: "png", begins: "\x89PNG\r\n", graph: ring4()},
		{format: "svg", begins: "<?xml", graph: &Graph{}},
		{format: "svg", begins: "<?xml", graph: &Graph{Nodes: []Node{{Label: "unplaced"}}}},
		{format: "pdf", graph: ring4(), wrong: `invalid picture format "pdf"`},
		{format: "svg", graph: &Graph{Edges: []Edge{{}}}, wrong: "edge 0 joins"},
	} {
		var b bytes.Buffer
		err := Render(context.Background(), &b, tt.graph, tt.format)
		switch {
		case tt.wrong == "" && err != nil:
			t.Errorf("%s: %v", tt.format, err)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%s: error %v, want %q", tt.format, err, tt.wrong)
		case !strings.HasPrefix(b.String(), tt.begins):
			t.Errorf("%s begins with %.8q, want %q", tt.format, b.String(), tt.begins)
		case tt.wrong != "" && b.Len() > 0:
			t.Errorf("%s: wrote %d bytes and failed", tt.format, b.Len())
		}
	}
}

func TestRenderStops(t *testing.T) {
	needDot(t)
	ctx, stop := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	stop(enough)
	if err := Render(ctx, &bytes.Buffer{}, ring4(), "svg"); !errors.Is(err, enough) {
		t.Errorf("error is %v, want one that wraps %v", err, enough)
	}
}
