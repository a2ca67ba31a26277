package star

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// The values that a file handles. Their attributes are cheap: a value is made
// once for each node and link, and everything that an attribute yields is made
// with it.

const mostNodes = 1 << 20

// node is a declared node.
type node struct {
	id      spec.NodeID
	name    string
	at      starlark.Tuple
	links   starlark.Tuple // the *link values that leave it
	idValue starlark.Value
	toFunc  *starlark.Builtin
	port    *starlark.Builtin
	data    *starlark.Dict // what a topology file says of it
}

func (n *node) String() string        { return n.name }
func (n *node) Type() string          { return "node" }
func (n *node) Freeze()               {}
func (n *node) Truth() starlark.Bool  { return true }
func (n *node) Hash() (uint32, error) { return uint32(n.id), nil }
func (n *node) AttrNames() []string   { return []string{"at", "data", "id", "name", "out", "port", "to"} }

func (n *node) Attr(name string) (starlark.Value, error) {
	switch name {
	case "at":
		return n.at, nil
	case "id":
		return n.idValue, nil
	case "data":
		return n.data, nil
	case "name":
		return starlark.String(n.name), nil
	case "out":
		return n.links[:len(n.links):len(n.links)], nil
	case "port":
		return n.port, nil
	case "to":
		return n.toFunc, nil
	}
	return nil, nil
}

func (n *node) coordinates() []int {
	if len(n.at) == 0 {
		return nil
	}
	at := make([]int, len(n.at))
	for i, x := range n.at {
		at[i], _ = starlark.AsInt32(x) // checked when the node was declared
	}
	return at
}

// link is a declared link.
type link struct {
	id        spec.LinkID
	src, dst  *node
	vcs, dim  int
	out, into string
	first     spec.ChannelID // VC 0, known once the file has run
	numbers   [3]starlark.Value
	data      *starlark.Dict // what a topology file says of it
}

func (l *link) String() string {
	s := l.src.name + "->" + l.dst.name
	if l.out != "" {
		s += "[" + l.out + "]"
	}
	return s
}
func (l *link) Type() string          { return "link" }
func (l *link) Freeze()               {}
func (l *link) Truth() starlark.Bool  { return true }
func (l *link) Hash() (uint32, error) { return uint32(l.id), nil }
func (l *link) AttrNames() []string {
	return []string{"data", "dim", "dst", "id", "into", "out", "src", "vcs"}
}

func (l *link) Attr(name string) (starlark.Value, error) {
	switch name {
	case "id":
		return l.numbers[0], nil
	case "vcs":
		return l.numbers[1], nil
	case "dim":
		return l.numbers[2], nil
	case "data":
		return l.data, nil
	case "src":
		return l.src, nil
	case "dst":
		return l.dst, nil
	case "out":
		return starlark.String(l.out), nil
	case "into":
		return starlark.String(l.into), nil
	}
	return nil, nil
}

// site is where the packet stands for which route is evaluated. One value serves one
// thread: it cannot outlive the call, because everything that does is frozen.
type site struct {
	node    *node
	link    *link // nil when injecting
	vc      int
	channel spec.ChannelID
	tag     spec.Tag
	class   spec.Class
	names   []string // of the classes
	dest    *node
	src     *node // nil: the file does not use it
}

func (s *site) String() string {
	from := "inject " + s.node.name
	if s.link != nil {
		from = fmt.Sprintf("%s vc%d", s.link, s.vc)
	}
	if s.src != nil && s.link != nil {
		from += " from " + s.src.name
	}
	return fmt.Sprintf("%s for %s", from, s.dest.name)
}
func (s *site) Type() string          { return "site" }
func (s *site) Freeze()               {}
func (s *site) Truth() starlark.Bool  { return true }
func (s *site) Hash() (uint32, error) { return 0, fmt.Errorf("a site cannot be a dict key") }
func (s *site) AttrNames() []string {
	return []string{"channel", "cls", "cls_name", "injecting", "link", "node", "src", "tag", "vc"}
}

func (s *site) Attr(name string) (starlark.Value, error) {
	switch name {
	case "node":
		return s.node, nil
	case "injecting":
		return starlark.Bool(s.link == nil), nil
	case "src":
		if s.src == nil {
			return nil, errors.New(
				"at.src is unknown: declare network(sources = True), which multiplies the sites by the sources")
		}
		return s.src, nil
	case "tag":
		return starlark.MakeInt(int(s.tag)), nil
	case "cls":
		return starlark.MakeInt(int(s.class)), nil
	case "cls_name":
		return starlark.String(s.names[s.class]), nil
	case "link":
		if s.link != nil {
			return s.link, nil
		}
		return starlark.None, nil
	case "vc":
		if s.link != nil {
			return starlark.MakeInt(s.vc), nil
		}
		return starlark.None, nil
	case "channel":
		if s.link != nil {
			return starlark.MakeInt(int(s.channel)), nil
		}
		return starlark.None, nil
	}
	return nil, nil
}

// hop is a hop that route has permitted, with the place of the call.
type hop struct {
	row  placedHop
	link *link // nil of discard()
	vc   int
}

func (h *hop) String() string {
	if h.row.Discards() {
		return "discard()"
	}
	if h.row.Room > 1 {
		return fmt.Sprintf("hop(%s, vc=%d, tag=%d, room=%d)", h.link, h.vc, h.row.Tag, h.row.Room)
	}
	return fmt.Sprintf("hop(%s, vc=%d, tag=%d)", h.link, h.vc, h.row.Tag)
}
func (h *hop) Type() string          { return "hop" }
func (h *hop) Freeze()               {}
func (h *hop) Truth() starlark.Bool  { return true }
func (h *hop) Hash() (uint32, error) { return 0, fmt.Errorf("a hop cannot be a dict key") }

// oblivious is what oblivious([a, [b, c]]) returns: alternatives, to one of which a packet is committed.
type oblivious struct{ alternatives []starlark.Indexable }

func (o *oblivious) String() string {
	return fmt.Sprintf("oblivious(%d alternatives)", len(o.alternatives))
}
func (o *oblivious) Type() string          { return "oblivious" }
func (o *oblivious) Freeze()               {}
func (o *oblivious) Truth() starlark.Bool  { return true }
func (o *oblivious) Hash() (uint32, error) { return 0, errors.New("oblivious cannot be a dict key") }

// fields is what struct(name = value, ...) makes: values of a file under names, such as
// the tables that a library computes. It is not part of the state.
type fields struct{ in starlark.StringDict }

// String lists the names alone: values may contain each other.
func (f *fields) String() string        { return "struct(" + strings.Join(f.AttrNames(), ", ") + ")" }
func (f *fields) Type() string          { return "struct" }
func (f *fields) Freeze()               { f.in.Freeze() }
func (f *fields) Truth() starlark.Bool  { return true }
func (f *fields) Hash() (uint32, error) { return 0, errors.New("a struct cannot be a dict key") }
func (f *fields) AttrNames() []string   { return slices.Sorted(maps.Keys(f.in)) }

func (f *fields) Attr(name string) (starlark.Value, error) {
	v, ok := f.in[name]
	if !ok {
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("the struct has no %s: it has %v", name, f.AttrNames()))
	}
	return v, nil
}

// nameOf returns the type of a value, or None.
func nameOf(v starlark.Value) string {
	if v == starlark.None {
		return "None"
	}
	switch t := v.Type(); {
	case t == "builtin_function_or_method":
		return "a built-in function"
	case strings.ContainsRune("aeiou", rune(t[0])):
		return "an " + t
	default:
		return "a " + t
	}
}

// short describes a value in bounded space.
func short(v starlark.Value) string {
	if left := 200; !weigh(v, &left, 0) {
		return v.Type()
	}
	return v.String()
}

// weigh subtracts from left roughly the number of bytes of v as text, and reports
// whether any are left. It stops when there are none, so that values which contain each
// other many times over cost no more than others.
func weigh(v starlark.Value, left *int, depth int) bool {
	*left--
	if depth > 100 || *left < 0 {
		return false
	}
	switch v := v.(type) {
	case starlark.String:
		*left -= 4 * len(v) // a byte may be written as \xff
	case starlark.Int:
		*left -= bits.Len(uint(v.BigInt().BitLen())) + v.BigInt().BitLen()/3
	case starlark.Tuple:
		for _, x := range v {
			if !weigh(x, left, depth+1) {
				return false
			}
		}
	case *starlark.List:
		for i := range v.Len() {
			if !weigh(v.Index(i), left, depth+1) {
				return false
			}
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			if !weigh(k, left, depth+1) || !weigh(x, left, depth+1) {
				return false
			}
		}
	case *fields:
		for name := range v.in {
			*left -= len(name) + 2
		}
	case *node:
		*left -= len(v.name)
	case *link:
		*left -= len(v.src.name) + len(v.dst.name) + len(v.out) + 4
	case *hop:
		*left -= len(v.link.src.name) + len(v.link.dst.name) + len(v.link.out) + 40
	case *site:
		*left -= 3*len(v.node.name) + 100
	default:
		*left -= 24
	}
	return *left >= 0
}
