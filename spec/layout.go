package spec

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Layout says how the named fields of a state are packed into 64-bit words. No
// field crosses a word, so that each is read and written with one shift and one
// mask. Build it with [Layout.Field]; it must not change once states exist.
type Layout struct {
	fields []Field
	bits   int // used, the gaps at the ends of words included
}

// Field is a named number within a state: 0 <= value < Values.
type Field struct {
	Name   string
	Values uint64                    // at least 1; a field with one value takes no bits
	Show   func(value uint64) string // the value for people; nil writes the number

	word  int
	shift uint
	mask  uint64
}

// Field adds a field with the values 0..values-1 behind those added before. It
// panics if values is 0, which is a mistake of the program that builds the
// machine, not of its input.
func (l *Layout) Field(name string, values uint64) Field {
	if values == 0 {
		panic("spec: field " + name + " has no value")
	}
	width := bits.Len64(values - 1)
	if l.bits%64+width > 64 {
		l.bits += 64 - l.bits%64
	}
	f := Field{Name: name, Values: values, word: l.bits / 64, shift: uint(l.bits % 64), mask: 1<<width - 1}
	if width == 0 && f.word > 0 {
		f.word = 0 // an empty field may lie behind the last word
	}
	l.bits += width
	l.fields = append(l.fields, f)
	return f
}

// Shown gives field i a way to write its values for people.
func (l *Layout) Shown(i int, show func(value uint64) string) { l.fields[i].Show = show }

// Fields lists the fields in the order in which they were added.
func (l *Layout) Fields() []Field { return l.fields }

// Bits returns the number of bits that a state takes.
func (l *Layout) Bits() int { return l.bits }

// Words returns the number of 64-bit words that a state takes, at least 1.
func (l *Layout) Words() int { return max(1, (l.bits+63)/64) }

// Of returns the field's value in s.
func (f Field) Of(s []uint64) uint64 { return s[f.word] >> f.shift & f.mask }

// Put sets the field's value in s. v must be less than Values.
func (f Field) Put(s []uint64, v uint64) {
	s[f.word] = s[f.word]&^(f.mask<<f.shift) | v<<f.shift
}

// Place returns where the field lies: the word's number, the lowest bit, and
// the mask of its values before it is shifted there.
func (f Field) Place() (word int, shift uint, mask uint64) { return f.word, f.shift, f.mask }

// Text returns the field's value in s, for people.
func (f Field) Text(s []uint64) string {
	v := f.Of(s)
	if f.Show != nil {
		return f.Show(v)
	}
	return strconv.FormatUint(v, 10)
}

// Text writes a state for people: name=value of every field that is not 0, or
// "-" if there is none.
func (l *Layout) Text(s []uint64) string {
	var b strings.Builder
	for _, f := range l.fields {
		if f.Of(s) != 0 {
			fmt.Fprintf(&b, " %s=%s", f.Name, f.Text(s))
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()[1:]
}

// Changes writes what differs between two states: name=value of every field
// whose value is another in after, or "-" if there is none.
func (l *Layout) Changes(before, after []uint64) string {
	var b strings.Builder
	for _, f := range l.fields {
		if f.Of(before) != f.Of(after) {
			fmt.Fprintf(&b, " %s=%s", f.Name, f.Text(after))
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()[1:]
}
