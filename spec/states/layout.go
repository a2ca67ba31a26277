package states

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Layout says how the named fields of a state are packed into 64-bit words. No
// field crosses a word, so that each is read and written with one shift and one
// mask. Build it with [Layout.Field] and [Layout.Queue]; it must not change once
// states exist.
type Layout struct {
	queues []Queue // a field is a queue with one place
	fields []Field // the first of each queue
	count  int     // of fields
	bits   int     // used, the gaps at the ends of words included
}

// Field is a named number within a state: 0 <= value < Values.
type Field struct {
	Name   string
	Values uint64                    // at least 1; a field with one value takes no bits
	Show   func(value uint64) string // how the value is displayed; nil: as a number
	slot
}

// slot is the place of a number.
type slot struct {
	word  int
	shift uint
	mask  uint64 // before it is shifted there
}

// Queue is a row of equal fields, its places, of which those that are 0 come last. A Queue
// has the same size for any number of places, since their positions are computed. If
// 0 and 1 are the only values, one field counts the places that are 1.
type Queue struct {
	Counts bool // one field says how many places are taken
	first  Field
	places int
	fields int // as many, or 1
}

// Field adds a field with the values 0..values-1 after those added before. It
// panics if values is 0, which is a mistake of the program that builds the
// machine, not of its input.
func (l *Layout) Field(name string, values uint64) Field {
	return l.Queue(name, 1, values, nil).first
}

// Queue adds places with the values 0..values-1 each. With several, the i-th is
// called name[i]. show formats a value for display; nil: as a number. It is given
// numbers beyond the values if the queue counts.
func (l *Layout) Queue(name string, places int, values uint64, show func(value uint64) string) Queue {
	if values == 0 {
		panic("states: field " + name + " has no value")
	}
	q := Queue{places: places, fields: places, Counts: places > 1 && values == 2}
	if q.Counts {
		q.fields, values = 1, uint64(places)+1
	}
	width := bits.Len64(values - 1)
	if l.bits%64+width > 64 {
		l.bits += 64 - l.bits%64
	}
	// Behind the last word there may be no other, so a field without bits is in word 0.
	at := slot{l.bits / 64 * min(width, 1), uint(l.bits % 64), 1<<width - 1}
	q.first = Field{Name: name, Values: values, Show: show, slot: at}
	if width > 0 {
		word, shift := q.place(q.fields - 1)
		l.bits = 64*word + int(shift) + width
	}
	l.queues = append(l.queues, q)
	l.fields = append(l.fields, q.first)
	l.count += q.fields
	return q
}

// place returns where the i-th place lies: the first word may have begun before
// the queue, all others have as many places as fit.
func (q *Queue) place(i int) (word int, shift uint) {
	if i == 0 || q.first.mask == 0 {
		return q.first.word, q.first.shift
	}
	width := bits.Len64(q.first.mask)
	if begun := (64 - int(q.first.shift)) / width; i >= begun {
		i -= begun
		each := 64 / width
		return q.first.word + 1 + i/each, uint(i % each * width)
	}
	return q.first.word, q.first.shift + uint(i*width)
}

// Len returns the number of fields: that of places, or 1 if one counts.
func (q Queue) Len() int { return q.fields }

// Of returns the value of the i-th place in s.
func (q *Queue) Of(s []uint64, i int) uint64 {
	if q.Counts {
		return uint64(min(1, max(0, int(q.first.Of(s))-i)))
	}
	word, shift := q.place(i)
	return s[word] >> (shift & 63) & q.first.mask
}

// Put sets the value of the i-th place in s. v must be one of its values. All places
// before it must be taken; if the queue counts, all behind it are free afterwards.
func (q *Queue) Put(s []uint64, i int, v uint64) {
	if q.Counts {
		i, v = 0, uint64(i)+v
	}
	word, shift := q.place(i)
	s[word] = s[word]&^(q.first.mask<<shift) | v<<shift
}

// Taken returns the number of places before the first one that is 0.
func (q *Queue) Taken(s []uint64) (n int) {
	if q.Counts {
		return int(q.first.Of(s))
	}
	for n < q.places && q.Of(s, n) != 0 {
		n++
	}
	return n
}

// pop removes the first value, and moves each of the others to the place before.
func (q *Queue) pop(s []uint64) {
	n := q.Taken(s)
	for i := 1; i < min(n, q.fields); i++ {
		q.Put(s, i-1, q.Of(s, i))
	}
	q.Put(s, n-1, 0)
}

// FieldAt returns the i-th field.
func (q Queue) FieldAt(i int) Field {
	f := q.first
	f.word, f.shift = q.place(i)
	if q.fields > 1 {
		f.Name += "[" + strconv.Itoa(i) + "]"
	}
	return f
}

// Fields lists the fields, and the places of queues one by one, in the order in
// which they were added.
func (l *Layout) Fields() []Field {
	if l.count == len(l.fields) {
		return l.fields
	}
	fields := make([]Field, 0, l.count)
	for _, q := range l.queues {
		for i := range q.fields {
			fields = append(fields, q.FieldAt(i))
		}
	}
	return fields
}

// Bits returns the number of bits that a state takes.
func (l *Layout) Bits() int { return l.bits }

// Words returns the number of 64-bit words that a state takes, at least 1.
func (l *Layout) Words() int { return max(1, (l.bits+63)/64) }

// Of returns the field's value in s.
func (f slot) Of(s []uint64) uint64 { return s[f.word] >> (f.shift & 63) & f.mask }

// Put sets the field's value in s. v must be less than Values.
func (f slot) Put(s []uint64, v uint64) {
	s[f.word] = s[f.word]&^(f.mask<<(f.shift&63)) | v<<(f.shift&63)
}

// Place returns where the field lies: the word's number, the lowest bit, and
// the mask of its values before it is shifted there.
func (f Field) Place() (word int, shift uint, mask uint64) { return f.word, f.shift, f.mask }

// Text returns the field's value in s, for display.
func (f Field) Text(s []uint64) string {
	v := f.Of(s)
	if f.Show != nil {
		return f.Show(v)
	}
	return strconv.FormatUint(v, 10)
}

// Text formats a state for display: name=value of every field that is not 0, or
// "-" if there is none.
func (l *Layout) Text(s []uint64) string {
	var b strings.Builder
	for _, q := range l.queues {
		for i := range min(q.fields, q.Taken(s)) {
			fmt.Fprintf(&b, " %s=%s", q.FieldAt(i).Name, q.FieldAt(i).Text(s))
		}
	}
	return cmp.Or(strings.TrimPrefix(b.String(), " "), "-")
}
