package star

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// withUsage charges for the arguments, and adds to an error about them how the function is called.
func withUsage(f builtin, usage map[string]string) builtin {
	return func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeArguments(t, args, kwargs); err != nil {
			return nil, err
		}
		v, err := f(t, g, args, kwargs)
		if err != nil && argumentError().MatchString(err.Error()) {
			err = fmt.Errorf("%w: write %s", err, usage[g.Name()])
		}
		return v, err
	}
}

// argumentError matches the errors of [starlark.UnpackArgs].
var argumentError = pattern(`^\w+: (for parameter |unexpected |missing argument |got \d+ arguments)`)

func given(v starlark.Value) bool { return v != nil && v != starlark.None }

// stringsIn reads a list or a tuple of strings.
func stringsIn(what string, v starlark.Value) ([]string, error) {
	list, ok := v.(starlark.Indexable)
	if _, isText := v.(starlark.String); !ok || isText {
		return nil, fmt.Errorf("%s is %s: want a list of strings", what, nameOf(v))
	}
	if list.Len() > 1<<16 {
		return nil, fmt.Errorf("%s has %d entries: want at most 65536", what, list.Len())
	}
	out := make([]string, list.Len())
	seen := map[string]bool{}
	for i := range out {
		text, ok := list.Index(i).(starlark.String)
		s := spec.Printable(string(text))
		if !ok {
			return nil, fmt.Errorf("%s contains %s: want a list of strings", what, nameOf(list.Index(i)))
		}
		if seen[s] {
			return nil, fmt.Errorf("%s contains %.40q twice: names must differ", what, s)
		}
		out[i], seen[s] = s, true
	}
	return out, nil
}
