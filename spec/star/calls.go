package star

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Calls that are remembered.
//
// route calls the file's functions with the same nodes, links and numbers again and
// again. Globals are frozen, so such a call returns what it returned before, with three
// exceptions, each of which is handled. The steps that it takes are charged again. A hop
// records the calls around it, and must leave the node of the input. And Starlark
// refuses recursion, so functions are remembered only if the text of the file rules it
// out.

const (
	mostCalls = 1 << 17 // kept of all functions
	mostKey   = 64      // bytes of arguments
)

// newCalls returns a memory for calls of the named functions, which are rememberable.
func newCalls(names map[string]bool, globals starlark.StringDict) *calls {
	c := &calls{functions: map[*starlark.Function]*callsOf{}, seed: maphash.MakeSeed()}
	for name := range names {
		if f, ok := globals[name].(*starlark.Function); ok {
			c.functions[f] = &callsOf{}
		}
	}
	return c
}

// rememberable returns the functions of a file whose calls may be remembered: all that
// are defined at top level, if each is only called, by name and outside nested
// functions, and none is recursive; otherwise none. Those that route, or a function given to
// flows, may call are evaluated: they meet symbolic values. The others run at top level alone.
func rememberable(tree *syntax.File) (all, evaluated map[string]bool) {
	all = map[string]bool{}
	callees, simple := map[string][]string{}, true
	for _, s := range tree.Stmts {
		if def, ok := s.(*syntax.DefStmt); ok {
			simple = simple && !all[def.Name.Name]
			all[def.Name.Name] = true
		}
	}
	var around []syntax.Node
	syntax.Walk(tree, func(n syntax.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if x, ok := n.(*syntax.Ident); ok && all[x.Name] {
			caller, ok := called(x, around)
			simple = simple && ok
			callees[caller] = append(callees[caller], x.Name)
		}
		around = append(around, n)
		return true
	})
	if !simple || circular(callees) {
		return nil, nil
	}
	evaluated = map[string]bool{}
	for next := append([]string{"route"}, callees["flows"]...); len(next) > 0; {
		f := next[len(next)-1]
		next = next[:len(next)-1]
		if !evaluated[f] {
			evaluated[f] = true
			next = append(next, callees[f]...)
		}
	}
	return all, evaluated
}

// called reports whether a mention of a function is a call or its definition, and which function calls
// it: "" at top level, and "flows" if it is given to flows there.
func called(x *syntax.Ident, around []syntax.Node) (caller string, ok bool) {
	var within []*syntax.DefStmt
	for i, n := range around {
		switch n := n.(type) {
		case *syntax.DefStmt:
			within = append(within, n)
			ok = i == 1 // below the file
		case *syntax.LambdaExpr:
			within, ok = append(within, nil), false
		}
	}
	switch n := around[len(around)-1].(type) {
	case *syntax.DotExpr:
		return "", n.Name == x
	case *syntax.DefStmt:
		return "", n.Name == x && ok
	case *syntax.CallExpr:
		f, named := n.Fn.(*syntax.Ident)
		switch {
		case len(within) == 0:
			if named && f.Name == "flows" && f != x {
				return "flows", true
			}
			return "", f == x
		case len(within) == 1 && ok:
			return within[0].Name.Name, f == x
		}
	}
	return "", false
}

// circular reports whether a function can call itself, directly or through others.
func circular(callees map[string][]string) bool {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(string) bool
	visit = func(f string) bool {
		if state[f] != 0 {
			return state[f] == open
		}
		state[f] = open
		circle := slices.ContainsFunc(callees[f], visit)
		state[f] = done
		return circle
	}
	for f := range callees {
		if f != "" && visit(f) {
			return true
		}
	}
	return false
}

// remembered is f(args...), where f is the first argument.
func remembered(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	r, f, args := runOf(t), args[0], args[1:]
	fn, _ := f.(*starlark.Function)
	var m *callsOf
	if r.calls != nil {
		m = r.calls.functions[fn]
	}
	if m == nil || m.isUseless() {
		return starlark.Call(t, f, args, nil)
	}
	var space [mostKey + 32]byte
	key, ok := m.key(space[:0], t, r, args)
	if !ok {
		return starlark.Call(t, f, args, nil)
	}
	counts := m.calls.Load() <= fewCalls
	if counts {
		m.calls.Add(1)
	}
	hash := maphash.Bytes(r.calls.seed, key)
	k := m.find(hash, key)
	if k != nil && k.replay(t, r) {
		if counts {
			m.known.Add(1)
		}
		t.Steps += k.steps
		return k.value, nil
	}
	hops, steps := r.hops, t.Steps
	v, err := starlark.Call(t, f, args, nil)
	if err != nil || k != nil || r.calls.kept.Load() >= mostCalls {
		return v, err
	}
	k = &keptCall{value: v, steps: t.Steps - steps}
	if hops = r.hops - hops; hops > 0 {
		m.hops.Store(true)
		if key, ok = m.key(space[:0], t, r, args); !ok {
			return v, nil
		}
		hash = maphash.Bytes(r.calls.seed, key)
		k.around = callsAround(nil, t)
	}
	if hops == 0 && isImmutable(v) || hops == 1 && isHop(v) {
		r.calls.kept.Add(1)
		k.hash, k.key = hash, string(key)
		m.add(k)
	}
	return v, nil
}

// key appends what identifies a call of a function: the arguments and, if the function makes hops,
// whether they are of symbolic values, and where it is called.
func (m *callsOf) key(key []byte, t *starlark.Thread, r *run, args starlark.Tuple) ([]byte, bool) {
	if m.hops.Load() {
		pos := t.DebugFrame(1).Position()
		key = append(key, 'h', byte(bit(r.probe != nil)))
		key = binary.AppendVarint(binary.AppendVarint(key, int64(pos.Line)), int64(pos.Col))
	}
	return argumentsKey(key, args)
}

// argumentsKey appends values, which are equal if their keys are. It fails if a value
// is mutable or too long.
func argumentsKey(key []byte, values starlark.Tuple) ([]byte, bool) {
	for _, v := range values {
		switch v := v.(type) {
		case *node:
			key = binary.AppendVarint(append(key, 'n'), int64(v.id))
		case *link:
			key = binary.AppendVarint(append(key, 'l'), int64(v.id))
		case starlark.Int:
			i, small := v.Int64()
			if !small {
				return nil, false
			}
			key = binary.AppendVarint(append(key, 'i'), i)
		case starlark.String:
			if len(v) > mostKey {
				return nil, false
			}
			key = append(binary.AppendVarint(append(key, 's'), int64(len(v))), v...)
		case starlark.Bool:
			key = append(key, 'b', byte(bit(bool(v))))
		case starlark.NoneType:
			key = append(key, '0')
		case starlark.Tuple:
			var ok bool
			if key, ok = argumentsKey(binary.AppendVarint(append(key, 't'), int64(len(v))), v); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
		if len(key) > mostKey {
			return nil, false
		}
	}
	return key, true
}

// isImmutable reports whether a value is immutable, so that all callers may share it.
func isImmutable(v starlark.Value) bool {
	var space [mostKey + 32]byte
	_, ok := argumentsKey(space[:0], starlark.Tuple{v})
	return ok
}

func isHop(v starlark.Value) bool {
	switch v.(type) {
	case *hop, *symbolicHop:
		return true
	}
	return false
}

// replay reports whether a kept call would return the same now.
func (k *keptCall) replay(t *starlark.Thread, r *run) bool {
	if t.Steps+k.steps >= r.limit {
		return false // run it, to place the error
	}
	if k.around == nil {
		return true
	}
	if h, placed := k.value.(*hop); placed && h.link.src != r.site.node {
		return false
	}
	var space [8]syntax.Position
	if !slices.Equal(callsAround(space[:0], t), k.around) {
		return false
	}
	r.hops++
	if h, some := k.value.(*symbolicHop); some {
		r.probe.made = append(r.probe.made, h)
	}
	return true
}

const fewCalls = 1 << 16 // of a function; then an eighth of them must have been known

// calls remembers calls of some functions.
type calls struct {
	functions map[*starlark.Function]*callsOf
	seed      maphash.Seed
	kept      atomic.Int64
}

// callsOf holds the calls of one function, in an open-addressing table that is read without a lock.
type callsOf struct {
	slots        atomic.Pointer[[]atomic.Pointer[keptCall]]
	mu           sync.Mutex // held while adding
	kept         int
	hops         atomic.Bool  // some call made a hop
	calls, known atomic.Int64 // of the first fewCalls
}

// keptCall is what a call returned.
type keptCall struct {
	hash   uint64
	key    string
	value  starlark.Value
	steps  uint64
	around []syntax.Position // of a hop: the calls around, innermost first
}

// find returns the call with a key, or nil.
func (m *callsOf) find(hash uint64, key []byte) *keptCall {
	slots := m.slots.Load()
	if slots == nil {
		return nil
	}
	for i := hash; ; i++ {
		k := (*slots)[i%uint64(len(*slots))].Load()
		if k == nil || k.hash == hash && k.key == string(key) {
			return k
		}
	}
}

// add keeps a call, unless another worker was faster.
func (m *callsOf) add(k *keptCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(k.hash, []byte(k.key)) != nil {
		return
	}
	insert := func(slots []atomic.Pointer[keptCall], k *keptCall) {
		i := k.hash
		for slots[i%uint64(len(slots))].Load() != nil {
			i++
		}
		slots[i%uint64(len(slots))].Store(k)
	}
	slots := m.slots.Load()
	if m.kept++; slots == nil || 2*m.kept > len(*slots) {
		larger := make([]atomic.Pointer[keptCall], 4*m.kept)
		if slots != nil {
			for i := range *slots {
				if old := (*slots)[i].Load(); old != nil {
					insert(larger, old)
				}
			}
		}
		insert(larger, k)
		m.slots.Store(&larger)
		return
	}
	insert(*slots, k)
}

// isUseless reports whether too few calls were repeated to be worth the memory.
func (m *callsOf) isUseless() bool {
	return m.calls.Load() > fewCalls && m.known.Load() < fewCalls/8
}
