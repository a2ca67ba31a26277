package star

import (
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Comparisons that would be False, or True, in every state: Starlark silently finds values
// of two types unequal. An array without a key, a FIFO in place of its head, a record in
// place of a field and a misspelt string are mistakes in the file.

// checkComparable refuses to compare an array, a FIFO or a record with a value, and records of two types.
func checkComparable(op syntax.Token, x, y starlark.Value) error {
	if op == syntax.IN || op == syntax.NOT_IN {
		if err := checkElementsComparable(x, y); err != nil {
			return err
		}
	}
	for i, v := range []starlark.Value{x, y} {
		other := []starlark.Value{y, x}[i]
		if _, isRecord := recordOf(v); isRecord {
			if op != syntax.EQL && op != syntax.NEQ {
				continue
			}
			if err := checkRecordsComparable(v, other); err != nil {
				return err
			}
			continue
		}
		switch v := v.(type) {
		case *starlark.Builtin:
			if v.Receiver() != nil && other != starlark.None { // such as pop of a FIFO
				return mistakef("%s is a function: compare what it returns, as in .%s(...)", v.Name(), v.Name())
			}
		case *view:
			return mistakef("%s is an array: compare an element, as in %s[i], or any([%s[i] == x for i in keys])", v.place.label, v.place.label, v.place.label)
		case *fifo:
			if i == 0 || op != syntax.IN && op != syntax.NOT_IN {
				return mistakef("%s is a FIFO: compare its head or its length, as in %s.head and len(%s)", v.place.label, v.place.label, v.place.label)
			}
		}
	}
	return nil
}

// checkRecordsComparable refuses to compare a record with a value that is not one, except None, or with a record of another type.
func checkRecordsComparable(x, y starlark.Value) error {
	a, isRecord := recordOf(x)
	b, also := recordOf(y)
	switch {
	case isRecord && also:
		return a.record.checkSame(b.record)
	case isRecord && y != starlark.None:
		return mistakef("a record is compared with %s: compare a field, as in m.kind", typeName(y))
	case also && x != starlark.None:
		return mistakef("a record is compared with %s: compare a field, as in m.kind", typeName(x))
	}
	return nil
}

// checkElementsComparable is checkRecordsComparable for x and each element of a list, or each message of a FIFO, even one that is empty.
func checkElementsComparable(x, y starlark.Value) error {
	if q, ok := y.(*fifo); ok {
		return q.checkComparable(x)
	}
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
	default:
		if _, isRecord := recordOf(x); !isRecord { // a range may be long
			return nil
		}
	}
	list, _ := elements(y)
	for _, e := range list {
		if err := checkRecordsComparable(x, e); err != nil {
			return err
		}
	}
	return nil
}

func typeName(v starlark.Value) string {
	if c, ok := v.(*cell); ok {
		v = c.kind.values[0]
	}
	return v.Type()
}

// checkValueInDomain refuses to compare with a string that the file writes and that is not a value
// of the domain, as a misspelt name would go unnoticed, and with a number or a bool if the
// domain has none. Strings that were read from the state may be compared with anything.
func (a *evaluation) checkValueInDomain(d *domain, op syntax.Token, other starlark.Value, swapped bool) error {
	against := []starlark.Value{other}
	switch op {
	case syntax.EQL, syntax.NEQ:
	case syntax.IN, syntax.NOT_IN:
		if _, state := other.(*fifo); state || swapped {
			return nil
		}
		against, _ = elements(other)
	default:
		return nil
	}
	for _, v := range against {
		if t := v.Type(); (t == "int" || t == "bool") && !slices.Contains(d.types, t) {
			return mistakef("invalid value %s to compare with: want %s", short(v), d)
		}
		text, is := v.(starlark.String)
		if !is || a.stringsRead[text] {
			continue
		}
		if _, known := numbered(d.declared().number, v); !known {
			return mistakef("invalid value %s to compare with: want %s", short(v), d)
		}
	}
	return nil
}

// heldStrings returns the strings that, as the file declares, variables and FIFOs may hold.
func (m *machine) heldStrings() map[string]bool {
	if m.strings == nil {
		m.strings = map[string]bool{}
		m.root.kind.(*record).addStrings(m.strings)
	}
	return m.strings
}

func (r *record) addStrings(into map[string]bool) {
	for _, k := range r.fields {
		addStringsOf(k, into)
	}
}

func addStringsOf(k kind, into map[string]bool) {
	switch k := k.(type) {
	case *domain:
		for _, v := range k.declared().values {
			if text, is := v.(starlark.String); is {
				into[string(text)] = true
			}
		}
	case *record:
		k.addStrings(into)
	case *array:
		for _, e := range k.elems {
			addStringsOf(e, into)
		}
	case *queue:
		addStringsOf(k.elem, into)
	}
}
