package spec

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
)

// The closed form.
//
// A network with every site and every hop written out, so that a program
// in any language can read it, write it, or check a certificate against it
// without understanding what made the hops. All numbers are integers; nodes,
// links, channels and rows are numbered from 0 in the order of the file,
// channels link by link; -1 as a channel is Eject. A row is a flat list
// channel,tag,channel,tag,...; a table's sources are node,row,...; its sites
// are channel,tag,row,....
//
// A node that is listed several times as a source of a table has several flows there, among which the data choose.
// Version 1 does not have them. In version 2 a row is a list of alternatives to one of which the routing commits a
// packet, each a flat list as above; the tags are those of the routing (alternatives.go). The hop -1,1 is [Discard].
//
// Version 2 may end with the windows of outstanding requests, and the flows that are exchanges:
// dest,class,node,flow,answers,asks,window,... (-1 is none; flow counts those of the node in that table from 0 on).
// A network without alternatives, discards and windows is written in version 1.
//
// If the key "room" says that hops may need room for so many packets, each hop in a row of version 2 is
// channel,tag,room. A room is at least 1 and at most that.
//
// Sources and sites that many tables share may be written once, before the tables, as fragments,
// numbered from 0; a table then names the fragments that continue its own lists.
//
// WriteClosed writes one canonical text: fixed order of keys, one node, link,
// row and table a line, rows and sites sorted, no spaces, no fragments. The digest of a
// network is the SHA-256 of that text, so `sha256sum` computes it. Expectations,
// if there are any, have a line of their own that begins with "expect" in
// quotes; the digest leaves this line out.

// ClosedFormats are the values of the key "format" in the closed form, by version from 1 on. Its JSON
// Schema is network.schema.json.
func ClosedFormats() []string { return []string{"unknot-network-1", "unknot-network-2"} }

// IsClosed reports whether a text, or its beginning, is that of a network in the closed form.
func IsClosed(text []byte) bool {
	return slices.ContainsFunc(ClosedFormats(), func(f string) bool { return bytes.Contains(text, []byte(f)) })
}

// Digest identifies a network: the SHA-256 of its canonical closed form.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what [Digest.String] writes.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) || hex.EncodeToString(b) != s {
		return d, fmt.Errorf("invalid digest %.80q: want %d lower-case hexadecimal digits", s, 2*len(d))
	}
	return Digest(b), nil
}

// Digest returns the network's digest; it is computed once.
func (n *Network) Digest() Digest { return n.digest() }

func digestOf(n *Network, workers int) Digest {
	h := sha256.New()
	b, to := beside{to: h}, io.Writer(h)
	if workers > 1 {
		to = bufio.NewWriterSize(&b, 1<<22) // which takes turns with the hash rarely: each turn may take 50 µs
	}
	_ = writeClosed(to, n, nil) // package hash: Write never returns an error
	b.done.Wait()
	return Digest(h.Sum(nil))
}

// beside passes a copy of each text to a writer that never fails, in another goroutine, while the caller
// makes the next text. After done.Wait the writer has everything.
type beside struct {
	to   io.Writer
	text []byte
	done sync.WaitGroup
}

func (b *beside) Write(text []byte) (int, error) {
	b.done.Wait()
	b.text = append(b.text[:0], text...)
	b.done.Go(func() { _, _ = b.to.Write(b.text) })
	return len(text), nil
}

// WriteClosed writes the canonical closed form of n. The bytes depend on the
// network alone.
func WriteClosed(w io.Writer, n *Network) error { return writeClosed(w, n, n.parts.Expect) }

func writeClosed(w io.Writer, n *Network, expect []Expectation) error {
	b := bufio.NewWriterSize(w, 1<<16)
	t, version := n.Topology(), 1
	if n.asks || n.parts.Alternatives > 0 || len(n.parts.Windows) > 0 || n.Discards() || n.room > 0 {
		version = 2
	}
	fmt.Fprintf(b, "{\"format\":%q,\n\"name\":%s,\n\"switching\":%q,\"buffer\":%d,\"tags\":%d,\"selection\":%s,\n",
		ClosedFormats()[version-1], marshal(n.parts.Name), n.parts.Switching.String(), n.parts.Buffer, n.OwnTags(),
		marshal(n.parts.Selection))
	if n.room > 0 {
		fmt.Fprintf(b, "\"room\":%d,\n", n.room)
	}
	for i, x := range expect {
		b.WriteString([]string{"\"expect\":[", ","}[min(i, 1)])
		fmt.Fprintf(b, "{\"property\":%q,\"verdict\":%q,\"switching\":%q}",
			x.Property.String(), x.Verdict.String(), x.Switching.String())
	}
	if len(expect) > 0 {
		b.WriteString("],\n")
	}
	fmt.Fprintf(b, "\"classes\":%s,\n\"vcs\":%s,\n\"nodes\":[",
		marshal(n.parts.Classes), marshal(append([]string{}, t.vcNames...)))
	for i, node := range t.nodes {
		fmt.Fprintf(b, "%s{\"name\":%s,\"at\":%s}",
			separator(i), marshal(node.Name), marshal(append([]int{}, node.At...)))
	}
	b.WriteString("],\n\"links\":[")
	for i, l := range t.links {
		fmt.Fprintf(b, "%s{\"from\":%d,\"to\":%d,\"vcs\":%d,\"out\":%s,\"in\":%s,\"dim\":%d}",
			separator(i), l.From, l.To, l.VCs, marshal(l.Out), marshal(l.In), l.Dim)
	}
	b.WriteString("],\n\"rows\":[")
	if n.parts.Alternatives > 0 {
		writeTogether(b, n)
	} else {
		writeTables(b, n, version)
	}
	b.WriteString("]")
	if len(n.parts.Windows) > 0 {
		fmt.Fprintf(b, ",\n\"windows\":%s,\n\"exchanges\":[", marshal(n.parts.Windows))
		i := 0
		n.exchanges(func(x Exchange, flow int) {
			fmt.Fprintf(b, "%s%d,%d,%d,%d,%d,%d,%d", separator(i), x.At.Header.Dest, x.At.Header.Class,
				t.Head(x.At.Channel), flow, x.Answers, x.Asks, x.Window)
			i++
		})
		b.WriteString("]")
	}
	b.WriteString("}\n")
	return b.Flush()
}

// writeTables writes the rows and the tables.
func writeTables(b *bufio.Writer, n *Network, version int) {
	t := n.Topology()
	number := make([]decimal, max(t.Nodes(), t.Channels(), n.RowCount(), n.parts.Tags, 2)) // 2: the tag of a discard
	for i := range number {
		number[i][15] = byte(copy(number[i][:], strconv.Itoa(i)+","))
	}
	var line []byte
	for r := range n.RowCount() {
		line = append(append(line[:0], separator(r)...), "[["[:version]...)
		for _, h := range n.Row(RowID(r)) {
			line = number[h.Tag].appendTo(append(strconv.AppendInt(line, int64(h.Channel), 10), ','))
			if n.room > 0 {
				line = fmt.Appendf(line, "%d,", max(1, h.Room))
			}
		}
		b.Write(append(bytes.TrimRight(line, ","), "]]"[:version]...))
	}
	b.WriteString("],\n\"tables\":[")
	sources := recalled{at: make([]stretch, n.Fragments()), write: func(line []byte, t *Table) []byte {
		for _, s := range t.Sources {
			line = number[s.Row].appendTo(number[s.Node].appendTo(line))
		}
		return line
	}}
	sites := recalled{at: make([]stretch, n.Fragments()), write: func(line []byte, t *Table) []byte {
		for k, c := range t.Channels {
			line = number[t.Rows[k]].appendTo(number[t.Tag(k)].appendTo(number[c].appendTo(line)))
		}
		return line
	}}
	for i := range n.Tables() {
		target := n.Stored(i).Target
		fmt.Fprintf(b, "%s{\"dest\":%d,\"class\":%d,\"sources\":[", separator(i), target.Dest, target.Class)
		b.Write(bytes.TrimRight(sources.lists(n, i), ","))
		b.WriteString("],\"sites\":[")
		b.Write(bytes.TrimRight(sites.lists(n, i), ","))
		b.WriteString("]}")
	}
}

// recalled writes the lists of one table after the other. What stands in a fragment that the table before has, too, is
// copied from there.
type recalled struct {
	write     func(line []byte, t *Table) []byte
	now, last []byte    // the text of this table, and of the one before
	at        []stretch // by fragment
	portion   Table     // scratch
}

// stretch is where a fragment stands in the text of a table, whose number + 1 is round.
type stretch struct{ round, from, to int32 }

// lists returns the lists of table i as they are written. They are valid until the next call.
func (w *recalled) lists(n *Network, i int) []byte {
	own := n.Stored(i)
	w.now, w.last = w.write(w.last[:0], own), w.now
	for _, f := range own.Fragments {
		at, from := &w.at[f], len(w.now)
		if at.round == int32(i) && i > 0 {
			w.now = append(w.now, w.last[at.from:at.to]...)
		} else {
			w.portion = n.Fragment(f)
			w.now = w.write(w.now, &w.portion)
		}
		if *at = (stretch{int32(i) + 1, int32(from), int32(len(w.now))}); len(w.now) > math.MaxInt32 {
			*at = stretch{} // too far for its numbers
		}
	}
	return w.now
}

// writeTogether writes the rows and the tables of a network with alternatives.
func writeTogether(b *bufio.Writer, n *Network) {
	w := putTogether(n)
	for r, alternatives := range w.rows {
		line := append([]byte(separator(r)), '[')
		for _, hops := range alternatives {
			line = append(line, '[')
			for _, h := range hops {
				line = fmt.Appendf(line, "%d,%d,", h.Channel, h.Tag)
				if n.room > 0 {
					line = fmt.Appendf(line, "%d,", max(1, h.Room))
				}
			}
			line = append(bytes.TrimRight(line, ","), "],"...)
		}
		b.Write(append(bytes.TrimRight(line, ","), ']'))
	}
	b.WriteString("],\n\"tables\":[")
	var scratch Table
	for i := range n.Tables() {
		t := n.TableIn(&scratch, i)
		line := fmt.Appendf(nil, "%s{\"dest\":%d,\"class\":%d,\"sources\":[", separator(i), t.Dest, t.Class)
		w.sources(t, func(v NodeID, r int32) { line = fmt.Appendf(line, "%d,%d,", v, r) })
		line = append(bytes.TrimRight(line, ","), "],\"sites\":["...)
		w.sites(t, func(c ChannelID, tag Tag, r int32) { line = fmt.Appendf(line, "%d,%d,%d,", c, tag, r) })
		b.Write(append(bytes.TrimRight(line, ","), "]}"...))
	}
}

// decimal is a number followed by a comma; its last byte is the length of both. It is copied whole,
// without a loop.
type decimal [16]byte

func (d *decimal) appendTo(b []byte) []byte { return append(b, d[:]...)[:len(b)+int(d[15])] }

func separator(i int) string { return ",\n"[1-min(i, 1):] }

// marshal returns a text, or a list of texts or numbers, in JSON.
func marshal(v any) []byte {
	b, _ := json.Marshal(v) // encoding/json: these always marshal
	return b
}
