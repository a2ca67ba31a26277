package murphi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// How steps and states are told to readers: a record by its fields, an array of truth values as the set of indices for
// which it is true, and a multiset by its elements or what is added and removed. None of it is evidence.

// Source is the file that a program was made from: the types of its variables.
type Source struct {
	p       *program.Program
	globals []*symbol
}

// SourceOf returns the source of a program; nil if it was not read from a Murphi file, or is another one by now.
func SourceOf(p *program.Program) *Source {
	s, ok := p.Source.(*Source)
	if !ok || s.p != p {
		return nil
	}
	return s
}

// StateText tells a whole state, given by the values of the variables: "net={(kind=ask, from=0)}, busy={0, 2}, n=1".
func (s *Source) StateText(state []int) string {
	var parts []string
	for _, g := range s.globals {
		if g.t.kind == recordKind {
			parts = append(parts, g.name+"="+s.text(g.t, g.base, state))
			continue
		}
		parts = append(parts, s.parts(g.t, g.base, g.name, state)...)
	}
	return strings.Join(parts, ", ")
}

// parts tells what a place holds: an array by its elements, unless they are truth values that are defined.
func (s *Source) parts(t *typ, base int, path string, state []int) (parts []string) {
	if t.kind != arrayKind {
		return []string{path + "=" + s.text(t, base, state)}
	}
	members := []string{}
	for i := range t.index.values() {
		at, value := base+i*t.elem.leaves, ""
		if t.elem.kind == booleanKind {
			value = s.value(at, state[at])
		}
		if value != "true" && value != "false" {
			members = nil
			break
		}
		if value == "true" {
			members = append(members, t.index.of(t.index.low+i))
		}
	}
	if members != nil {
		return []string{path + "={" + strings.Join(members, ", ") + "}"}
	}
	for i := range t.index.values() {
		at := fmt.Sprintf("%s[%s]", path, t.index.of(t.index.low+i))
		parts = append(parts, s.parts(t.elem, base+i*t.elem.leaves, at, state)...)
	}
	return parts
}

// text tells a value of any type.
func (s *Source) text(t *typ, base int, state []int) string {
	switch t.kind {
	case recordKind:
		var fields []string
		for _, f := range t.fields {
			fields = append(fields, f.name+"="+s.text(f.t, base+f.offset, state))
		}
		return "(" + strings.Join(fields, ", ") + ")"
	case multisetKind:
		return "{" + strings.Join(s.elements(t, base, state), ", ") + "}"
	case arrayKind:
		var elements []string
		for i := range t.index.values() {
			elements = append(elements, s.text(t.elem, base+i*t.elem.leaves, state))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	return s.value(base, state[base])
}

// elements tells the elements of a multiset, each once for each time that it is there.
func (s *Source) elements(t *typ, base int, state []int) (elements []string) {
	size, err := strconv.Atoi(s.value(base, state[base]))
	for i := 0; i < size && err == nil; i++ { // none if the size is undefined
		elements = append(elements, s.text(t.elem, base+1+i*t.elem.leaves, state))
	}
	return elements
}

func (s *Source) value(leaf, value int) string {
	if names := s.p.Variables[leaf].Names; names != nil {
		return names[value]
	}
	return strconv.Itoa(value)
}

// StepText tells what differs between two states: "net: + (kind=ask, from=0), n: 0 -> 1"; "-" if nothing does.
func (s *Source) StepText(before, after []int) string {
	var parts []string
	told := 0
	for _, g := range s.globals {
		parts = append(parts, s.changes(g.t, g.base, g.name, before, after)...)
		told = g.base + g.t.leaves
	}
	for x := told; x < len(before); x++ { // faults and temporary variables
		if before[x] != after[x] {
			name := s.p.Variables[x].Name
			parts = append(parts, fmt.Sprintf("%s: %s -> %s", name, s.value(x, before[x]), s.value(x, after[x])))
		}
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func (s *Source) changes(t *typ, base int, path string, before, after []int) (parts []string) {
	switch t.kind {
	case recordKind:
		for _, f := range t.fields {
			parts = append(parts, s.changes(f.t, base+f.offset, path+"."+f.name, before, after)...)
		}
	case arrayKind:
		for i := range t.index.values() {
			at := fmt.Sprintf("%s[%s]", path, t.index.of(t.index.low+i))
			parts = append(parts, s.changes(t.elem, base+i*t.elem.leaves, at, before, after)...)
		}
	case multisetKind:
		added, removed := s.elements(t, base, after), s.elements(t, base, before)
		for i := 0; i < len(added); {
			k := slices.Index(removed, added[i])
			if k < 0 {
				i++
				continue
			}
			added, removed = slices.Delete(added, i, i+1), slices.Delete(removed, k, k+1)
		}
		for _, e := range removed {
			parts = append(parts, path+": - "+e)
		}
		for _, e := range added {
			parts = append(parts, path+": + "+e)
		}
		const none = "undefined"
		was, is := s.value(base, before[base]), s.value(base, after[base])
		if (was == none) != (is == none) && parts == nil {
			parts = append(parts, fmt.Sprintf("%s.size: %s -> %s", path, was, is))
		}
	default:
		if before[base] != after[base] {
			parts = append(parts, fmt.Sprintf("%s: %s -> %s", path, s.value(base, before[base]), s.value(base, after[base])))
		}
	}
	return parts
}
