package routing

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// WriteClosed writes the closed form of a network as [spec.WriteClosed] does, with one exception: in a network of a
// million sites or more, tables share fragments if the text is then at most half as long. Often a tenth of the text is
// left, and a reader needs a tenth of the memory. The bytes depend on the network alone. The SHA-256 of a text with
// fragments is not the network's digest.
func WriteClosed(w io.Writer, n *spec.Network) error {
	const large = 1 << 20 // sites; a network in version 2 is written whole
	if n.SiteCount() < large || n.Asks() || n.Alternatives() > 0 || n.Discards() || len(n.Windows()) > 0 {
		return spec.WriteClosed(w, n)
	}
	tables, set := packed(n)
	if !set.worth() {
		return spec.WriteClosed(w, n)
	}
	return writeFragments(w, n, tables, set)
}

// packed returns the tables of a network in fragments.
func packed(n *spec.Network) ([]spec.Table, *fragmentSet) {
	var set fragmentSet
	var together [2]spec.Table
	tables := make([]spec.Table, n.Tables())
	for i := range tables {
		tables[i] = set.pack(n.TableIn(&together[i%2], i))
	}
	return tables, &set
}

func writeFragments(w io.Writer, n *spec.Network, tables []spec.Table, set *fragmentSet) error {
	empty, err := spec.NewNetwork(context.Background(), partsOf(n))
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
		return errors.New("the closed form of a network without tables lacks its empty list of tables")
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.Write(before)
	var line []byte
	for i := range set.len() {
		line = append(line[:0], []string{"],\n\"fragments\":[\n{", ",\n{"}[min(i, 1)]...)
		f := set.fragment(int32(i))
		b.Write(append(appendLists(line, &f), '}'))
	}
	for i := range tables {
		t := &tables[i]
		line = fmt.Appendf(line[:0], "%s{\"dest\":%d,\"class\":%d,",
			[]string{"],\n\"tables\":[\n", ",\n"}[min(i, 1)], t.Dest, t.Class)
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
