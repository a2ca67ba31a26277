package star

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// costly reports whether a method of this name makes or moves something as
// large as its receiver or its arguments.
func costly(name string) bool {
	switch name {
	case "extend", "index", "insert", "remove", // of lists
		"items", "keys", "update", "values", // of dicts
		"capitalize", "codepoint_ords", "codepoints", "count", "elem_ords", "elems", "endswith", "find", "format",
		"isalnum", "isalpha", "isdigit", "islower", "isspace", "istitle", "isupper", "join", "lower", "lstrip",
		"partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rpartition", "rsplit", "rstrip",
		"split", "splitlines", "startswith", "strip", "title", "upper": // of strings
		return true
	}
	return false
}

// hashing reports whether a method of this name, of a dict, hashes its argument. Variables and FIFOs
// have these names, too.
func hashing(name string) bool { return name == "get" || name == "pop" || name == "setdefault" }

// chargedMethod is x.name for a name that is costly or hashing.
func chargedMethod(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	x, name := args[0], string(args[1].(starlark.String))
	holder, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s", x.Type(), name)
	}
	v, err := holder.Attr(name)
	if err != nil {
		return nil, err
	}
	if _, dict := x.(*starlark.Dict); !dict && v != nil && hashing(name) {
		return v, nil
	}
	f, ok := v.(*starlark.Builtin)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s: it has %s", x.Type(), name, strings.Join(holder.AttrNames(), ", "))
	}
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		cost := size(x)
		if s, ok := x.(starlark.String); ok {
			cost = len(s) // split may yield a value for each byte, elems as well
			if err := affordMethod(t, s, name, args, kwargs); err != nil {
				return nil, err
			}
		} else if err := chargeSearch(t, x, name, args); err != nil {
			return nil, err
		} else if hashing(name) {
			cost = 0
		}
		if err := charge(t, cost); err != nil {
			return nil, err
		}
		if err := chargeArgs(t, args, kwargs); err != nil {
			return nil, err
		}
		return f.CallInternal(t, args, kwargs)
	}), nil
}

// chargeSearch charges a method of a list for the values that it compares, and one of a dict for the keys that it hashes.
func chargeSearch(t *starlark.Thread, x starlark.Value, name string, args starlark.Tuple) error {
	if len(args) == 0 {
		return nil
	}
	switch x := x.(type) {
	case *starlark.List:
		if name == "index" || name == "remove" {
			return chargeMembership(t, args[0], x)
		}
	case *starlark.Dict:
		if hashing(name) {
			return chargeKey(t, args[0])
		}
		if name == "update" {
			return chargeKeys(t, args[0])
		}
	}
	return nil
}

// affordMethod refuses methods of strings that would make too much text.
func affordMethod(t *starlark.Thread, s starlark.String, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	switch name {
	case "join":
		if len(args) == 1 {
			return affordJoin(t, s, args[0])
		}
	case "replace":
		if len(args) < 2 {
			return nil
		}
		from, ok := args[0].(starlark.String)
		to, also := args[1].(starlark.String)
		if ok && also && len(s)+strings.Count(string(s), string(from))*len(to) > mostBytes {
			return textTooLong()
		}
	case "format":
		uses := strings.Count(string(s), "{") + 1
		left := (mostBytes - len(s)) / uses
		before := left
		for _, v := range args {
			if !weigh(v, &left, 0) {
				return textTooLong()
			}
		}
		for _, kv := range kwargs {
			if !weigh(kv[1], &left, 0) {
				return textTooLong()
			}
		}
		return charge(t, uses*(before-left)/16)
	default: // a list of parts, or of endings
		return chargeVisits(t, args...)
	}
	return nil
}

func affordJoin(t *starlark.Thread, separator starlark.String, parts starlark.Value) error {
	list, ok := parts.(starlark.Iterable)
	if !ok {
		return nil // the method itself says what is wrong
	}
	if err := charge(t, size(parts)); err != nil {
		return err
	}
	total := 0
	for v := range starlark.Elements(list) {
		if s, ok := v.(starlark.String); ok {
			total += len(s)
		}
		if total += len(separator); total > mostBytes {
			return textTooLong()
		}
	}
	return nil
}

// chargeCopy charges for a slice of its argument, or for spreading it.
func chargeCopy(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], charge(t, size(args[0]))
}

// chargeDict charges for a new dict, which takes a lot of memory even if it is empty.
func chargeDict(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], charge(t, emptyDict)
}

// affordElement charges for x[i] += y, where x[i] is not known.
func affordElement(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	switch y := args[0].(type) {
	case starlark.Int, starlark.Float:
		return y, nil
	case *starlark.List:
		return y, charge(t, y.Len())
	}
	return nil, fmt.Errorf("+= of %s to an element: write x[i] = x[i] + y", nameOf(args[0]))
}
