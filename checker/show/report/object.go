package report

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// object is a JSON object as it is written: its members in order, without the absent
// ones. The forms that this package writes are literals of it, which read like their
// result; the tests check each against its published schema.
type object []member

type member struct {
	name  string
	value any
}

// absent is the value of a member that is left out.
type absent struct{}

// given returns v, or absent if it is empty.
func given(v any) any {
	if x := reflect.ValueOf(v); x.IsZero() || x.Kind() == reflect.Slice && x.Len() == 0 {
		return absent{}
	}
	return v
}

// unlessNegative returns a number, or absent for -1, which stands for none.
func unlessNegative(n int) any {
	if n < 0 {
		return absent{}
	}
	return n
}

// MarshalJSON writes the object, without escapes for HTML: names of channels have arrows.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	separator := byte('{')
	for _, m := range o {
		if m.value == (absent{}) {
			continue
		}
		b.WriteByte(separator)
		separator = ','
		if err := e.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	if separator == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
