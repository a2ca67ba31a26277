package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
)

// readNodeLink reads node-link JSON as NetworkX writes it (node_link_data), with the
// links under "links" or "edges":
//
//	{"directed": false, "multigraph": false, "graph": {"name": "n"},
//	 "nodes": [{"id": 0, "vcs": 2}, ...],
//	 "links": [{"source": 0, "target": 1, "key": 0}, ...]}
//
// An id is a string, a number, or a list of them: a tuple. Nodes without ids are numbered
// from 0, as D3 does. A graph that is not directed has cables.
func (d *draft) readNodeLink(text []byte) error {
	j := newJSONText(d, text)
	directed, listed, nodes := false, "", false
	pairs := -1 // where the attributes of the graph are a list, as in adjacency data, and in NetworkX 1
	err := j.object(func(key string, at int) (err error) {
		switch key {
		case "nodes":
			nodes = true
			return j.list(j.node)
		case "links", "edges":
			if listed != "" {
				return j.wrong(at, "%q and %q: want one list of links", key, listed)
			}
			listed = key
			return j.list(j.link)
		case "directed":
			directed, err = j.flag()
		case "graph":
			if at := j.offset(); at < len(j.text) && j.text[at] == '[' {
				pairs = at
				err = j.nested()
			} else {
				err = j.graph()
			}
		case "adjacency": // beyond what Other looks at
			return j.wrong(at, "adjacency data of NetworkX, which is not read as it is: %s", named(d.file, nx(byAdjacency)))
		default:
			_, err = j.value()
		}
		return err
	})
	if err == nil {
		if _, more := j.dec.Token(); more != io.EOF {
			err = j.wrong(j.offset(), "text after the end")
		}
	}
	switch {
	case err != nil:
		return err
	case pairs >= 0:
		return j.wrong(pairs, "want \"{\" here; in NetworkX 1, which wrote lists, links have the numbers of nodes for their ids")
	case !nodes:
		return d.wrong(start, "the key \"nodes\" is missing")
	case listed == "":
		return d.wrong(start, "the key \"links\", or \"edges\", is missing")
	}
	for i := range d.links {
		d.links[i].both = !directed
	}
	return d.asListed()
}

// jsonText reads JSON value by value, and knows where it is. Lines are counted as it goes.
type jsonText struct {
	d     *draft
	text  []byte
	dec   *json.Decoder
	known struct {
		offset int
		place  place
		begin  int // of the line
	}
}

func newJSONText(d *draft, text []byte) *jsonText {
	j := &jsonText{d: d, text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	j.dec.UseNumber()
	return j
}

// offset is where the next token begins.
func (j *jsonText) offset() int {
	read := int(j.dec.InputOffset())
	return len(j.text) - len(bytes.TrimLeft(j.text[read:], " \t\r\n,:"))
}

// place returns the line and column of an offset.
func (j *jsonText) place(offset int) place {
	k := &j.known
	if k.place.line == 0 || offset < k.offset {
		k.place, k.offset, k.begin = start, 0, 0
	}
	for i, c := range j.text[k.offset:min(offset, len(j.text))] {
		if c == '\n' {
			k.place.line++
			k.begin = k.offset + i + 1
		}
	}
	k.offset = offset
	return place{k.place.line, offset - k.begin + 1}
}

func (j *jsonText) wrong(offset int, format string, args ...any) error {
	return j.d.wrong(j.place(offset), format, args...)
}

func (j *jsonText) token() (json.Token, error) {
	at := j.offset()
	t, err := j.dec.Token()
	switch {
	case err == nil:
		return t, nil
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, j.wrong(len(j.text), "unexpected end of file")
	}
	return nil, j.wrong(at, "%v", err)
}

func (j *jsonText) delim(want json.Delim) error {
	at := j.offset()
	t, err := j.token()
	if err == nil && t != want {
		err = j.wrong(at, "want %q here", want.String())
	}
	return err
}

// object calls f for each key; f reads its value. A key must not be repeated.
func (j *jsonText) object(f func(key string, at int) error) error {
	if err := j.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for j.dec.More() {
		at := j.offset()
		t, err := j.token()
		if err != nil {
			return err
		}
		key := t.(string) // the decoder allows no others
		if seen[key] {
			return j.wrong(at, "key %.40q appears twice in an object", key)
		}
		seen[key] = true
		if err := f(key, at); err != nil {
			return err
		}
	}
	return j.delim('}')
}

func (j *jsonText) list(item func() error) error {
	if err := j.delim('['); err != nil {
		return err
	}
	for j.dec.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return j.delim(']')
}

func (j *jsonText) flag() (bool, error) {
	at := j.offset()
	v, err := j.value()
	b, ok := v.(bool)
	if err == nil && !ok {
		err = j.wrong(at, "want true or false here")
	}
	return b, err
}

// nested reads a list or an object with any content.
func (j *jsonText) nested() error {
	switch at := j.offset(); {
	case at < len(j.text) && j.text[at] == '{':
		return j.object(func(string, int) error { return j.nested() })
	case at < len(j.text) && j.text[at] == '[':
		return j.list(j.nested)
	}
	_, err := j.token()
	return err
}

// UniqueKeys refuses a JSON text with an object that repeats a key, or with any other
// fault. Faults are *spec.PosError.
func UniqueKeys(file string, text []byte) error {
	return newJSONText(&draft{file: file}, text).nested()
}

// value reads a value of any kind: nil, a bool, an int, a float64 or a string; lists and
// objects are returned as their text.
func (j *jsonText) value() (any, error) {
	at := j.offset()
	if at < len(j.text) && (j.text[at] == '[' || j.text[at] == '{') {
		if err := j.nested(); err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := json.Compact(&b, j.text[at:j.dec.InputOffset()]); err != nil {
			return nil, j.wrong(at, "%v", err)
		}
		return b.String(), nil
	}
	t, err := j.token()
	if err != nil {
		return nil, err
	}
	if t, ok := t.(json.Number); ok {
		if x, err := strconv.Atoi(t.String()); err == nil {
			return x, nil
		}
		x, err := t.Float64()
		if err != nil || math.IsInf(x, 0) {
			return nil, j.wrong(at, "invalid number %.40q", t.String())
		}
		return x, nil
	}
	return t, nil
}

// members reads an object's members, and their places.
func (j *jsonText) members() (all []Attribute, at []place, err error) {
	err = j.object(func(key string, offset int) error {
		v, err := j.value()
		if v != nil {
			all, at = append(all, Attribute{key, v}), append(at, j.place(offset))
		}
		return err
	})
	return all, at, err
}

// graph reads the attributes of the graph.
func (j *jsonText) graph() error {
	return j.object(func(key string, _ int) error {
		v, err := j.value()
		if _, text := v.(string); text {
			j.d.ofGraph(Attribute{key, v})
		}
		return err
	})
}

func (j *jsonText) node() error {
	begin := j.place(j.offset())
	members, _, err := j.members()
	if err != nil {
		return err
	}
	return j.d.nodeOf(members, begin)
}

func (j *jsonText) link() error {
	begin := j.place(j.offset())
	members, at, err := j.members()
	if err != nil {
		return err
	}
	return j.d.linkOf(members, at, begin)
}
