package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
)

// Lists of routes: paths("routes.csv") and tables("fib/*.csv") declare the nodes and links that the lists name, and are
// the whole routing, in place of a function route (package listed).

var patternName = pattern(`^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_*?][A-Za-z0-9_.*?-]*$`)

// ListOf returns a function for [Options] that lists the folders of a file system.
func ListOf(files fs.FS) func(folder string) ([]string, error) {
	return func(folder string) ([]string, error) {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return nil, err
		}
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		return names, nil
	}
}

// matching returns the names of the files that a pattern stands for, ascending.
func (o *Options) matching(files string) ([]string, error) {
	folder, last := path.Split(files)
	switch {
	case !patternName().MatchString(files) || len(files) > 200:
		return nil, fmt.Errorf("invalid pattern %.60q: want the names of files in a folder below this one, such as "+
			"\"fib/*.csv\"", files)
	case o.List == nil:
		return nil, errors.New("there are no files to read from")
	}
	names, err := o.List(path.Clean(folder))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		if is, _ := path.Match(last, name); is && dataName().MatchString(name) {
			all = append(all, folder+name)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file is called %.60q", files)
	}
	slices.Sort(all)
	return all, nil
}

// paths is paths(file).
func (b *builder) paths(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "file", &name); err != nil {
		return nil, err
	}
	file, text, err := b.input(t, f.Name(), name)
	if err == nil {
		err = chargeList(t, text)
	}
	if err != nil {
		return nil, err
	}
	def, err := listed.Paths(b.ctx, file, text)
	if err != nil {
		return nil, err
	}
	return b.declareListed(t, f.Name(), def)
}

// tables is tables(files).
func (b *builder) tables(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var files string
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "files", &files); err != nil {
		return nil, err
	}
	if !b.inputs[files] {
		return nil, unnamed(f.Name(), files)
	}
	names, err := b.opt.matching(files)
	if err != nil {
		return nil, err
	}
	var all []listed.File
	for _, name := range names {
		file, text, err := b.opened(t, name)
		if err == nil {
			err = chargeList(t, text)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, listed.File{Name: file, Text: text})
	}
	def, err := listed.Tables(b.ctx, all)
	if err != nil {
		return nil, err
	}
	return b.declareListed(t, f.Name(), def)
}

// chargeList charges for what is kept of a list.
func chargeList(t *starlark.Thread, text []byte) error { return charge(t, len(text)/8) }

// declareListed declares the nodes and links that lists name.
func (b *builder) declareListed(t *starlark.Thread, what string, def routing.Definition) (starlark.Value, error) {
	switch {
	case len(b.nodes) > 0 || b.listed != nil:
		return nil, fmt.Errorf("%s after other nodes: the lists name all nodes and links of the network", what)
	case b.sources || b.def.Tags > 1:
		return nil, fmt.Errorf("%s with network(tags = ..., sources = ...): lists set the tags themselves, leave them out", what)
	}
	var nodes, links starlark.Tuple
	for v := range spec.NodeID(def.Topology.Nodes()) {
		n, err := b.addNode(t, def.Topology.Node(v).Name, nil, nil)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	for l := range spec.LinkID(def.Topology.Links()) {
		k := def.Topology.Link(l)
		v, err := b.join(t, what, b.nodes[k.From], b.nodes[k.To], k.VCs, "", "", 0)
		if err != nil {
			return nil, err
		}
		links = append(links, v)
	}
	b.listed = &def
	return &fields{starlark.StringDict{"nodes": nodes, "links": links}}, nil
}

// defineListed turns lists into a definition.
func (b *builder) defineListed(ctx context.Context, globals starlark.StringDict) (routing.Definition, error) {
	if globals["route"] != nil {
		return routing.Definition{}, place(b.file, 1, 1, "both route and lists of routes: want one of them")
	}
	def := b.def
	def.Topology, def.Tags = b.topology(), b.listed.Tags
	if err := def.Topology.Err(); err != nil {
		return routing.Definition{}, place(b.file, 1, 1, "%v", err)
	}
	r := newRelation(ctx, b, def.Topology, nil)
	def.Origin = cmp.Or(def.Origin, b.file)
	def.Name = cmp.Or(def.Name, strings.TrimSuffix(b.file[strings.LastIndexByte(b.file, '/')+1:], ".star"))
	def.Routing = listedRelation{b.listed.Routing.(routing.Committing), r}
	if def.Flows = r.flows(b.flow); def.Flows == nil {
		def.Flows, def.Senders = b.listed.Flows, b.listed.Senders
	}
	def.Replies = r.replies(b.replied)
	return def, nil
}

// listedRelation is the relation of lists, where the function flows may fail.
type listedRelation struct {
	routing.Committing
	flows *relation
}

func (r listedRelation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if err := r.failed(at, h); err != nil {
		return dst, err
	}
	return r.Committing.AppendHops(dst, at, h)
}

func (r listedRelation) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	if err := r.failed(at, h); err != nil {
		return nil, err
	}
	return r.Committing.Alternatives(at, h)
}

// Reason is the line of a row.
func (r listedRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return routing.Reason(r.Committing, at, h, hop)
}

func (r listedRelation) failed(at spec.ChannelID, h spec.Header) error {
	if at.IsInjection() && r.flows.refuses.Load() {
		if err, ok := r.flows.refused.Load(spec.Site{Channel: at, Header: h}); ok {
			return err.(error)
		}
	}
	return nil
}

// listsRoutes reports whether a file calls paths or tables, and does not define a function of that name.
func listsRoutes(tree *syntax.File) bool {
	calls := false
	syntax.Walk(tree, func(n syntax.Node) bool {
		if call, is := n.(*syntax.CallExpr); is {
			f, named := call.Fn.(*syntax.Ident)
			calls = calls || named && (f.Name == "paths" || f.Name == "tables") &&
				!slices.ContainsFunc(tree.Stmts, func(s syntax.Stmt) bool { return binds(s, f.Name) })
		}
		return !calls
	})
	return calls
}
