package simulate

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The headers of traffic files: a matrix of demands, a trace of packets.
const (
	matrixHeader = "source,destination,weight"
	traceHeader  = "clock,source,destination,flits"
)

// ReadTraffic reads the traffic of a network from a CSV file. Its first line says whether it is
// a matrix (source,destination,weight) or a trace (clock,source,destination,flits). Nodes are
// given by name, coordinates with or without brackets. Faults are *spec.PosError. Linear
// in the text.
func ReadTraffic(file string, text []byte, n *spec.Network) (Traffic, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	r.TrimLeadingSpace, r.ReuseRecord, r.Comment = true, true, '#'
	t := reader{place: r.FieldPos, file: file, n: n}
	header, err := r.Read()
	if err != nil && !errors.Is(err, csv.ErrFieldCount) {
		return Traffic{}, t.fault(err)
	}
	names := strings.Join(header, ",")
	if names != matrixHeader && names != traceHeader {
		return Traffic{}, &spec.PosError{
			File: file, Line: 1, Col: 1,
			Msg: fmt.Sprintf("invalid header %.80q: want %s or %s", names, matrixHeader, traceHeader),
		}
	}
	var traffic Traffic
	most, line, col := 0.0, 0, 0 // of the weights; where it is
	for t.err == nil {
		if t.record, err = r.Read(); err != nil {
			t.err = err
			break
		}
		if names == matrixHeader {
			x := Demand{t.node(0), t.node(1), t.weight(2)}
			if most = max(most, x.Weight); len(traffic.Demands) == 0 && t.err == nil {
				line, col = r.FieldPos(2)
			}
			traffic.Demands = append(traffic.Demands, x)
			t.flow(0, x.Source, x.Dest)
		} else {
			x := Event{t.number(0, 0, mostClocks), t.node(1), t.node(2), t.number(3, 1, mostFlits)}
			traffic.Events = append(traffic.Events, x)
			t.flow(1, x.Source, x.Dest)
		}
	}
	switch {
	case !errors.Is(t.err, io.EOF):
		return Traffic{}, t.fault(t.err)
	case len(traffic.Demands)+len(traffic.Events) == 0:
		return Traffic{}, &spec.PosError{
			File: file, Line: 1, Col: 1, Msg: "no traffic: want a line for each demand or packet",
		}
	case len(traffic.Demands) > 0 && most == 0:
		return Traffic{}, &spec.PosError{File: file, Line: line, Col: col, Msg: "all weights are 0: nothing is sent"}
	}
	return traffic, nil
}

// ReadBookSim reads a trace in the format of BookSim 2 (class TraceWorkload of its branch
// classes). Each packet has four words, separated by white space: the clocks since the previous
// packet, the source and the destination, as terminal numbers, and the type, an index into
// sizes. A packet of type -1 is not sent; it lets time pass. Faults are *spec.PosError. Linear
// in the text.
func ReadBookSim(file string, text []byte, n *spec.Network, sizes []Length) (Traffic, error) {
	var traffic Traffic
	var at [4]struct{ line, col int } // of the words of a packet
	t := reader{
		file: file, n: n, record: make([]string, len(at)),
		place: func(field int) (line, col int) { return at[field].line, at[field].col },
	}
	list, clock, field, line := terminals(n), 0, 0, 0
	if len(list) == 0 {
		return traffic, fmt.Errorf("%s has no flows: nothing is sent", n.Name())
	}
	for row := range bytes.Lines(text) {
		line++
		for rest := row; len(bytes.TrimLeft(rest, blanks)) > 0 && t.err == nil; {
			rest = bytes.TrimLeft(rest, blanks)
			end := bytes.IndexAny(rest, blanks)
			if end < 0 {
				end = len(rest)
			}
			at[field].line, at[field].col, t.record[field] = line, len(row)-len(rest)+1, string(rest[:end])
			rest = rest[end:]
			if field = (field + 1) % len(at); field > 0 {
				continue
			}
			clock += t.number(0, 0, mostClocks-clock)
			source, dest := list[t.number(1, 0, len(list)-1)], list[t.number(2, 0, len(list)-1)]
			kind := t.number(3, -1, len(sizes)-1)
			if t.err == nil && kind >= 0 {
				t.flow(1, source, dest)
				traffic.Events = append(traffic.Events, Event{clock, source, dest, sizes[kind].Flits})
			}
		}
	}
	switch {
	case t.err != nil:
	case field > 0:
		t.refuse(field-1, "the trace ends within a packet: want delay, source, destination and type")
	case len(traffic.Events) == 0:
		t.err = &spec.PosError{
			File: file, Line: 1, Col: 1,
			Msg: "no traffic: want delay, source, destination and type of each packet",
		}
	}
	return traffic, t.err
}

const blanks = " \t\r\n"

// reader reads the fields of a record; it keeps the first fault.
type reader struct {
	place  func(field int) (line, col int)
	file   string
	n      *spec.Network
	record []string
	err    error
}

// fault adds the place to an error of the CSV reader.
func (t *reader) fault(err error) error {
	var at *spec.PosError
	if errors.As(err, &at) {
		return err
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &spec.PosError{File: t.file, Line: parse.Line, Col: max(1, parse.Column), Msg: parse.Err.Error()}
	}
	return &spec.PosError{
		File: t.file, Line: 1, Col: 1,
		Msg: "no traffic: want " + matrixHeader + " or " + traceHeader + " as the first line",
	}
}

func (t *reader) refuse(field int, format string, args ...any) {
	if t.err == nil {
		line, col := t.place(field)
		t.err = &spec.PosError{File: t.file, Line: line, Col: col, Msg: spec.Printable(fmt.Sprintf(format, args...))}
	}
}

func (t *reader) node(field int) spec.NodeID {
	name := strings.TrimSpace(t.record[field])
	for _, as := range []string{name, "(" + name + ")"} {
		if v, ok := t.n.Topology().NodeNamed(as); ok {
			return v
		}
	}
	t.refuse(field, "invalid node %.60q: %s has no such node", name, t.n.Name())
	return 0
}

// flow refuses a demand or packet for which the network has no flow; its source is in the
// given field.
func (t *reader) flow(field int, from, to spec.NodeID) {
	if t.err != nil {
		return
	}
	for class := range t.n.Classes() {
		if table := t.n.TableOf(spec.Target{Dest: to, Class: spec.Class(class)}); table != nil {
			if len(table.SourcesOf(from)) > 0 {
				return
			}
		}
	}
	t.refuse(field, "%s has no flow from %.60s to %.60s", t.n.Name(), t.record[field], t.record[field+1])
}

func (t *reader) weight(field int) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(t.record[field]), 64)
	if err != nil || !(x >= 0) || x > math.MaxFloat32 {
		t.refuse(field, "invalid weight %.60q: want a number from 0 to %.2g", t.record[field], math.MaxFloat32)
	}
	return x
}

func (t *reader) number(field, least, most int) int {
	x, err := strconv.Atoi(strings.TrimSpace(t.record[field]))
	if err != nil || x < least || x > most {
		t.refuse(field, "invalid number %.60q: want %d to %d", t.record[field], least, most)
		return max(0, least)
	}
	return x
}
