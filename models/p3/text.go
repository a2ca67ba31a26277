package p3

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Parse reads a subdivision: one PE a line, its name and the corners of its
// region counter-clockwise; # starts a comment, and a semicolon ends a line too,
// so that a subdivision fits on a command line.
//
//	pe left   0,0 40,0 50,64 0,64
//	pe right  40,0 128,0 128,64 50,64
//
// Where regions meet in the middle of another's edge, that point is a corner of
// the other one too. Errors are a [*spec.PosError] with the place in file.
func Parse(file, text string) (*Plane, error) {
	var regions []Region
	var places [][]spec.PosError // of the corners; the name stands for a region without any
	for n, row := range strings.Split(text, "\n") {
		row, _, _ = strings.Cut(row, "#")
		start := 0
		for _, statement := range strings.Split(row, ";") {
			words := fields(statement, start)
			start += len(statement) + 1
			if len(words) == 0 {
				continue
			}
			r, at, err := readRegion(file, n+1, words)
			if err != nil {
				return nil, err
			}
			regions = append(regions, r)
			places = append(places, at)
		}
	}
	p, err := NewPlane(regions)
	var f *Fault
	if errors.As(err, &f) {
		at := places[f.Region]
		pos := at[min(f.Corner, len(at)-1)]
		pos.Msg = f.Msg
		return nil, &pos
	}
	if err != nil {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: err.Error()}
	}
	return p, nil
}

// word is a word of a line with its column.
type word struct {
	text string
	col  int
}

// fields splits a statement that begins in the given 0-based column.
func fields(statement string, start int) []word {
	var words []word
	for i := 0; i < len(statement); {
		if strings.IndexByte(" \t\r", statement[i]) >= 0 {
			i++
			continue
		}
		end := i
		for end < len(statement) && strings.IndexByte(" \t\r", statement[end]) < 0 {
			end++
		}
		words = append(words, word{statement[i:end], start + i + 1})
		i = end
	}
	return words
}

func readRegion(file string, line int, words []word) (Region, []spec.PosError, error) {
	at := func(w word) spec.PosError { return spec.PosError{File: file, Line: line, Col: w.col} }
	refuse := func(w word, format string, args ...any) (Region, []spec.PosError, error) {
		pos := at(w)
		pos.Msg = fmt.Sprintf(format, args...)
		return Region{}, nil, &pos
	}
	if words[0].text != "pe" {
		return refuse(words[0], "%.40q: want a line such as pe NAME 0,0 64,0 64,64 0,64", words[0].text)
	}
	if len(words) < 2 {
		return refuse(words[0], "a PE needs a name and its corners")
	}
	r := Region{Name: words[1].text}
	var places []spec.PosError
	for _, w := range words[2:] {
		xs, ys, ok := strings.Cut(w.text, ",")
		x, errX := strconv.ParseInt(xs, 10, 32)
		y, errY := strconv.ParseInt(ys, 10, 32)
		if !ok || errX != nil || errY != nil {
			return refuse(w, "invalid corner %.40q: want two integers, as in 64,0", w.text)
		}
		r.Corners = append(r.Corners, Point{x, y})
		places = append(places, at(w))
	}
	if len(places) == 0 {
		places = append(places, at(words[1]))
	}
	return r, places, nil
}

// String writes the subdivision in the form that [Parse] reads.
func (p *Plane) String() string {
	var b strings.Builder
	for _, r := range p.Regions {
		b.WriteString("pe " + r.Name)
		for _, v := range r.Corners {
			fmt.Fprintf(&b, " %d,%d", v.X, v.Y)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
