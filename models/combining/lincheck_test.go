package combining_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"

	"github.com/seed-105a2da2/unknot/models/combining"
)

// register is a cell with reads (input 0) and writes of the input; writes
// return 0.
var register = combining.Object{Apply: func(state, input int) (int, int) {
	if input == 0 {
		return state, state
	}
	return input, 0
}}

// counter is Fetch&Add.
var counter = combining.Object{Apply: func(state, input int) (int, int) { return state + input, state }}

// TestSerialOrder: histories whose answer follows by hand from the definitions.
func TestSerialOrder(t *testing.T) {
	type op = combining.Operation
	for _, tt := range []struct {
		name           string
		object         combining.Object
		history        []op
		linear, serial bool
	}{
		{"nothing", register, nil, true, true},
		{"overlap", register, []op{{0, 0, 3, 1, 0, 0}, {1, 1, 2, 0, 1, 0}}, true, true},
		{"stale", register, []op{{0, 0, 1, 1, 0, 0}, {1, 2, 3, 0, 0, 0}}, false, true},
		{"own write", register, []op{{0, 0, 1, 1, 0, 0}, {0, 2, 3, 0, 0, 0}}, false, false},
		{"new, then old", register, []op{{0, 0, 9, 1, 0, 0}, {1, 1, 2, 0, 1, 0}, {1, 3, 4, 0, 0, 0}}, false, false},
		{"out of nowhere", register, []op{{0, 0, 1, 0, 7, 0}}, false, false},
		{"pending write seen", register, []op{{0, 0, combining.Pending, 1, 0, 0}, {1, 1, 2, 0, 1, 0}}, true, true},
		{"pending write not seen", register, []op{{0, 0, combining.Pending, 1, 0, 0}, {1, 1, 2, 0, 0, 0}}, true, true},
		{"counter", counter, []op{{0, 0, 5, 1, 6, 0}, {1, 0, 5, 2, 0, 0}, {2, 0, 5, 4, 2, 0}}, true, true},
		{"the same twice", counter, []op{{0, 0, 5, 1, 0, 0}, {1, 0, 5, 2, 0, 0}}, false, false},
		{"later, less", counter, []op{{0, 0, 1, 1, 2, 0}, {1, 2, 3, 2, 0, 0}}, false, true},
	} {
		for _, mode := range []struct {
			before func(a, b op) bool
			want   bool
		}{{combining.RealTime, tt.linear}, {combining.ProgramOrder, tt.serial}} {
			order, ok, err := combining.SerialOrder(tt.history, tt.object, mode.before)
			if err != nil || ok != mode.want {
				t.Errorf("%s: %v, %v, want %v", tt.name, ok, err, mode.want)
			}
			if ok && !legal(tt.history, order, tt.object, mode.before) {
				t.Errorf("%s: %v is not such an order", tt.name, order)
			}
		}
	}
}

func TestEnd(t *testing.T) {
	history := []combining.Operation{{Call: 0, Return: 3, Input: 1}, {Process: 1, Call: 1, Return: 2, Input: 2}}
	for end, want := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		o := register
		o.End = func(cell, state int) bool { return cell > 0 || state == end }
		if _, ok, err := combining.SerialOrder(history, o, combining.RealTime); ok != want || err != nil {
			t.Errorf("two writes end with %d: %v, %v", end, ok, err)
		}
	}
}

func TestSerialOrderRefuses(t *testing.T) {
	for _, tt := range []struct {
		history []combining.Operation
		want    string
	}{
		{make([]combining.Operation, 64), "a history of 64 operations: want at most 63"},
		{[]combining.Operation{{Cell: 4}}, "operation 0 is on object 4: want 0 to 3"},
		{[]combining.Operation{{Call: 2, Return: 1}}, "operation 0 is called at 2 and returns at 1"},
	} {
		_, _, err := combining.SerialOrder(tt.history, register, combining.RealTime)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestAgainstAllOrders: random histories, right and wrong, against all permutations of
// all sets of operations that include those that have returned.
func TestAgainstAllOrders(t *testing.T) {
	seedtest.Few(12, func() {
		rapid.Check(t, func(rt *rapid.T) {
			o := rapid.SampledFrom([]combining.Object{register, counter}).Draw(rt, "object")
			n := rapid.IntRange(0, 5).Draw(rt, "operations")
			var history []combining.Operation
			for i := range n {
				call := rapid.IntRange(0, 9).Draw(rt, "call")
				op := combining.Operation{Process: i % 3, Call: call,
					Return: call + rapid.IntRange(0, 6).Draw(rt, "takes"),
					Input:  rapid.IntRange(0, 2).Draw(rt, "input"), Output: rapid.IntRange(0, 3).Draw(rt, "output"),
					Cell: rapid.IntRange(0, 2).Draw(rt, "cell")}
				if rapid.IntRange(0, 4).Draw(rt, "pending") == 0 {
					op.Return = combining.Pending
				}
				history = append(history, op)
			}
			before, realTime := combining.RealTime, true
			if rapid.Bool().Draw(rt, "program order") {
				before, realTime = combining.ProgramOrder, false
			}
			order, ok, err := combining.SerialOrder(history, o, before)
			if err != nil {
				rt.Fatal(err)
			}
			if ok && !legal(history, order, o, before) {
				rt.Fatalf("%v of %+v is not such an order", order, history)
			}
			if want := anyOrder(history, nil, o, before); ok != want {
				rt.Fatalf("%+v: %v, want %v", history, ok, want)
			}
			// Locality (Herlihy and Wing 1990): in real time, all have an order if and
			// only if those on each object have one. In program order only one
			// direction holds.
			each := true
			for k := range 3 {
				alone := slices.DeleteFunc(slices.Clone(history), func(op combining.Operation) bool { return op.Cell != k })
				_, one, err := combining.SerialOrder(alone, o, before)
				if err != nil {
					rt.Fatal(err)
				}
				each = each && one
			}
			if ok && !each || realTime && ok != each {
				rt.Fatalf("%+v: all %v, each %v", history, ok, each)
			}
		})
	})
}

// anyOrder tries all orders that begin with order.
func anyOrder(history []combining.Operation, order []int, o combining.Object, before func(a, b combining.Operation) bool) bool {
	if legal(history, order, o, before) {
		return true
	}
	for i := range history {
		if !slices.Contains(order, i) && anyOrder(history, append(slices.Clone(order), i), o, before) {
			return true
		}
	}
	return false
}

// legal is the definition.
func legal(history []combining.Operation, order []int, o combining.Object, before func(a, b combining.Operation) bool) bool {
	states := map[int]int{} // those that are not the initial one
	for k, i := range order {
		if slices.Contains(order[:k], i) {
			return false
		}
		state, changed := states[history[i].Cell]
		if !changed {
			state = o.Initial
		}
		var output int
		if states[history[i].Cell], output = o.Apply(state, history[i].Input); history[i].Return != combining.Pending && output != history[i].Output {
			return false
		}
	}
	for i, a := range history {
		if a.Return != combining.Pending && !slices.Contains(order, i) {
			return false
		}
		for k, b := range history {
			at, was := slices.Index(order, i), slices.Index(order, k)
			if i != k && before(b, a) && at >= 0 && (was < 0 || was > at) {
				return false
			}
		}
	}
	for cell, state := range states {
		if o.End != nil && !o.End(cell, state) {
			return false
		}
	}
	return true
}
