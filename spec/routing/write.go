package routing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// WriteClosed writes the closed form of a network as it is stored: that of [spec.WriteClosed],
// but for the tables of a network that is stored in fragments, which take a tenth or less. The
// digest is that of the network, not of this text.
func WriteClosed(w io.Writer, n *spec.Network) error {
	if n.Fragments() == nil {
		return spec.WriteClosed(w, n)
	}
	p := partsOf(n)
	empty, err := spec.NewNetwork(p)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := spec.WriteClosed(&text, empty); err != nil {
		return err
	}
	const noTables = "],\n\"tables\":[]}\n"
	before, ends := bytes.CutSuffix(text.Bytes(), []byte(noTables))
	if !ends {
		return errors.New("the closed form of a network without tables does not end with its tables")
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.Write(before)
	var line []byte
	for i, f := range n.Fragments() {
		line = append(line[:0], []string{"],\n\"fragments\":[\n{", ",\n{"}[min(i, 1)]...)
		b.Write(append(appendLists(line, &f), '}'))
	}
	for i := range n.Tables() {
		t := n.Stored(i)
		line = fmt.Appendf(line[:0], "%s{\"dest\":%d,\"class\":%d,", []string{"],\n\"tables\":[\n", ",\n"}[min(i, 1)], t.Dest, t.Class)
		line = append(appendLists(line, t), ",\"fragments\":["...)
		for _, f := range t.Fragments {
			line = append(strconv.AppendInt(line, int64(f), 10), ',')
		}
		b.Write(append(bytes.TrimRight(line, ","), "]}"...))
	}
	b.WriteString("]}\n")
	return b.Flush()
}

// appendLists appends the sources and sites that a table has of its own, or a fragment has.
func appendLists(b []byte, t *spec.Table) []byte {
	number := func(x int) { b = append(strconv.AppendInt(b, int64(x), 10), ',') }
	b = append(b, "\"sources\":["...)
	for _, s := range t.Sources {
		number(int(s.Node))
		number(int(s.Row))
	}
	b = append(bytes.TrimRight(b, ","), "],\"sites\":["...)
	for i, c := range t.Channels {
		number(int(c))
		number(int(t.Tag(i)))
		number(int(t.Rows[i]))
	}
	return append(bytes.TrimRight(b, ","), ']')
}
