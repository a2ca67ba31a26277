package star

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// Lists that the file gives: of the values of a variable, of keys.

func newDomain(t *starlark.Thread, values []starlark.Value, like *members) (*domain, error) {
	d := &domain{number: map[string]int{}, like: like}
	if len(values) == 0 {
		return nil, errors.New("no values: want at least one")
	}
	if len(values) > mostValues {
		return nil, bound(mostValues, "values of a variable", "use fewer")
	}
	for _, v := range values {
		if err := plainValue(v); err != nil {
			return nil, err
		}
		if _, twice := numbered(d.number, v); twice {
			return nil, fmt.Errorf("the value %s twice: values must differ", short(v))
		}
		text := keyText(v)
		if err := charge(t, len(text)/16); err != nil {
			return nil, err
		}
		d.texts = append(d.texts, text)
		d.number[text] = len(d.values)
		if d.values = append(d.values, v); !slices.Contains(d.types, v.Type()) {
			d.types = append(d.types, v.Type())
		}
	}
	return d, charge(t, len(values))
}

// keysOf reads over=: a list of keys, or a list of lists, of which every combination
// is a key.
func keysOf(t *starlark.Thread, v starlark.Value) (*keys, error) {
	if err := countable(v); err != nil {
		return nil, err
	}
	list, ok := elements(v)
	if !ok {
		return nil, fmt.Errorf("over is %s: want a list of keys, such as range(n), or a list of lists for all combinations", nameOf(v))
	}
	k := &keys{number: map[string]int{}}
	if set, is := v.(*members); is {
		k.like = []*members{set}
	}
	if parts, product := lists(list); product {
		list = []starlark.Value{starlark.Tuple(nil)}
		for i, part := range parts {
			set, _ := list2set(v, i)
			k.like = append(k.like, set)
			if len(list)*len(part) > mostValues {
				return nil, bound(mostValues, "keys", "use fewer")
			}
			var next []starlark.Value
			for _, head := range list {
				for _, x := range part {
					next = append(next, append(head.(starlark.Tuple)[:i:i], x))
				}
			}
			list = next
		}
	}
	for _, x := range list {
		if err := plainValue(x); err != nil {
			return nil, fmt.Errorf("over: %w", err)
		}
		if _, twice := numbered(k.number, x); twice {
			return nil, fmt.Errorf("over has %s twice: keys must differ", short(x))
		}
		text := keyText(x)
		if err := charge(t, len(text)/16); err != nil {
			return nil, err
		}
		k.number[text] = len(k.values)
		k.values = append(k.values, x)
		args, tuple := x.(starlark.Tuple)
		if !tuple {
			args = starlark.Tuple{x}
		}
		k.args = append(k.args, args)
	}
	return k, charge(t, 4*len(list))
}

// list2set returns the i-th of several lists, if it is a set of values.
func list2set(v starlark.Value, i int) (*members, bool) {
	list, _ := elements(v)
	set, ok := list[i].(*members)
	return set, ok
}

// lists reports whether all elements are lists, ranges or sets of values.
func lists(list []starlark.Value) (parts [][]starlark.Value, all bool) {
	for _, x := range list {
		if _, tuple := x.(starlark.Tuple); tuple {
			return nil, false
		}
		part, ok := elements(x)
		if !ok {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, len(list) > 0
}
