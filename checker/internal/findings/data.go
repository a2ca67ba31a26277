package findings

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Data returns the facts of a sentence for programs, as values that encoding/json writes: each is an object with the
// [Name] of the fact under "fact", and with what the fact says under the names of its fields, in small letters with
// underscores. Names and lists that are empty, and what is false, are left out; numbers are not. A scenario or a fault
// is its text, and an error is what it says. What another fact or sentence explains is an object or a list of them.
func Data(s words.Sentence) []map[string]any {
	all := make([]map[string]any, len(s.Facts()))
	for i, f := range s.Facts() {
		all[i] = datum(f)
	}
	return all
}

// Name is what a fact is called in data: its constant or type, in small letters with hyphens.
func Name(f fmt.Stringer) string {
	if k, is := f.(kind); is {
		name, _, _ := strings.Cut(string(k), ": ")
		return name
	}
	return spelled(reflect.TypeOf(f).Name(), '-')
}

func datum(f fmt.Stringer) map[string]any {
	d := map[string]any{}
	if v := reflect.ValueOf(f); v.Kind() == reflect.Struct {
		d = members(v)
	}
	d["fact"] = Name(f)
	return d
}

// members returns the exported fields of a struct.
func members(v reflect.Value) map[string]any {
	all := map[string]any{}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			if x := plain(v.Field(i)); x != nil {
				all[spelled(f.Name, '_')] = x
			}
		}
	}
	return all
}

// plain returns a value of numbers, text, lists and maps; nil if it says nothing.
func plain(v reflect.Value) any {
	if v.CanInt() || v.CanUint() || v.CanFloat() {
		if named, is := v.Interface().(fmt.Stringer); is {
			return named.String()
		}
		return v.Interface()
	}
	if v.IsZero() {
		return nil
	}
	switch x := v.Interface().(type) {
	case words.Sentence:
		return Data(x)
	case Fact:
		return datum(x)
	case error:
		return x.Error()
	case words.Count, Size, Ring:
		return members(v)
	case fmt.Stringer:
		return x.String()
	}
	switch v.Kind() {
	case reflect.Struct:
		return members(v)
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// spelled writes a name of Go in small letters with a hyphen between its words: FreeVCs is free-vcs.
func spelled(name string, hyphen rune) string {
	letters := []rune(strings.ReplaceAll(name, "VCs", "Vcs"))
	small := func(i int) bool { return i < len(letters) && unicode.IsLower(letters[i]) }
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (small(i-1) || small(i+1)) {
			b.WriteRune(hyphen)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
