package spec

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed" // for the schema
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec/each"
)

// The closed form.
//
// A network with every legal site and every hop written out, so that a program
// in any language can read it, write it, or check a certificate against it
// without understanding what made the hops. All numbers are integers; nodes,
// links, channels and rows are numbered from 0 in the order of the file,
// channels link by link; -1 as a channel is Eject. A row is a flat list
// channel,tag,channel,tag,...; a table's sources are node,row,...; its sites
// are channel,tag,row,....
//
// WriteClosed writes one canonical text: fixed order of keys, one node, link,
// row and table a line, rows and sites sorted, no spaces. The digest of a
// network is the SHA-256 of that text, so `sha256sum` computes it. Expectations,
// if there are any, stand on a line of their own that begins with "expect" in
// quotes; the digest is that of the text without this line.

// ClosedFormat is the value of the key "format" in the closed form.
const ClosedFormat = "unknot-network-1"

// ClosedSchema is the JSON Schema (draft 2020-12) of the closed form.
//
//go:embed network.schema.json
var ClosedSchema string

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

func digestOf(n *Network) Digest {
	h := sha256.New()
	if err := writeClosed(h, n, nil); err != nil {
		panic("spec: a hash failed to write: " + err.Error()) // package hash: Write never returns an error
	}
	return Digest(h.Sum(nil))
}

// WriteClosed writes the canonical closed form of n. The bytes depend on the
// network alone.
func WriteClosed(w io.Writer, n *Network) error { return writeClosed(w, n, n.parts.Expect) }

func writeClosed(w io.Writer, n *Network, expect []Expectation) error {
	b := bufio.NewWriterSize(w, 1<<16)
	t := n.Topology()
	fmt.Fprintf(b, "{\"format\":%q,\n\"name\":%s,\n\"switching\":%q,\"buffer\":%d,\"tags\":%d,\"selection\":%s,\n",
		ClosedFormat, quote(n.parts.Name), n.parts.Switching.String(), n.parts.Buffer, n.parts.Tags, quote(n.parts.Selection))
	for i, x := range expect {
		b.WriteString([]string{"\"expect\":[", ","}[min(i, 1)])
		fmt.Fprintf(b, "{\"property\":%q,\"verdict\":%q,\"switching\":%q}", x.Property.String(), x.Verdict.String(), x.Switching.String())
	}
	if len(expect) > 0 {
		b.WriteString("],\n")
	}
	fmt.Fprintf(b, "\"classes\":%s,\n\"vcs\":%s,\n\"nodes\":[", quotes(n.parts.Classes), quotes(t.vcNames))
	for i, node := range t.nodes {
		b.WriteString(separator(i))
		fmt.Fprintf(b, "{\"name\":%s,\"at\":", quote(node.Name))
		b.Write(appendInts(nil, node.At))
		b.WriteByte('}')
	}
	b.WriteString("],\n\"links\":[")
	for i, l := range t.links {
		b.WriteString(separator(i))
		fmt.Fprintf(b, "{\"from\":%d,\"to\":%d,\"vcs\":%d,\"out\":%s,\"in\":%s,\"dim\":%d}", l.From, l.To, l.VCs, quote(l.Out), quote(l.In), l.Dim)
	}
	b.WriteString("],\n\"rows\":[")
	var line []byte
	for r := range n.RowCount() {
		b.WriteString(separator(r))
		line = append(line[:0], '[')
		for i, h := range n.Row(RowID(r)) {
			line = appendNumber(line, i > 0, int64(h.Channel))
			line = appendNumber(line, true, int64(h.Tag))
		}
		b.Write(append(line, ']'))
	}
	b.WriteString("],\n\"tables\":[")
	if err := writeTables(b, n); err != nil {
		return err
	}
	b.WriteString("]}\n")
	return b.Flush()
}

// writeTables renders the tables on all cores and writes them in order. One job
// is a run of tables with at least a thousand sites, if there are so many: a
// table may be small, or all of the network.
func writeTables(b *bufio.Writer, n *Network) error {
	const perJob = 1000
	workers := runtime.GOMAXPROCS(0)
	jobs := make([][]Table, 0, 8*workers)
	lines := make([][]byte, cap(jobs))
	for done := 0; done < len(n.parts.Tables); {
		jobs = jobs[:0]
		first := done // of the batch
		for len(jobs) < cap(jobs) && done < len(n.parts.Tables) {
			begin, sites := done, 0
			for ; done < len(n.parts.Tables) && sites < perJob; done++ {
				sites += 1 + n.parts.Tables[done].Len()
			}
			jobs = append(jobs, n.parts.Tables[begin:done])
		}
		err := each.Do(context.Background(), workers, len(jobs), func(_, i int) error {
			lines[i] = lines[i][:0]
			for j := range jobs[i] {
				if j > 0 {
					lines[i] = append(lines[i], separator(j)...)
				}
				lines[i] = appendTable(lines[i], &jobs[i][j])
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range jobs {
			b.WriteString(separator(first + i))
			if _, err := b.Write(lines[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendTable(b []byte, t *Table) []byte {
	b = appendNumber(append(b, "{\"dest\":"...), false, int64(t.Dest))
	b = appendNumber(append(b, ",\"class\":"...), false, int64(t.Class))
	b = append(b, ",\"sources\":["...)
	for i, s := range t.Sources {
		b = appendNumber(b, i > 0, int64(s.Node))
		b = appendNumber(b, true, int64(s.Row))
	}
	b = append(b, "],\"sites\":["...)
	for i, c := range t.Channels {
		b = appendNumber(b, i > 0, int64(c))
		b = appendNumber(b, true, int64(t.Tag(i)))
		b = appendNumber(b, true, int64(t.Rows[i]))
	}
	return append(b, "]}"...)
}

func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

// appendNumber appends x in decimal, after a comma if there is a number before
// it. Large networks have a hundred million numbers, mostly small ones.
func appendNumber(b []byte, comma bool, x int64) []byte {
	if comma {
		b = append(b, ',')
	}
	switch {
	case x < 0 || x >= 100_000:
		return strconv.AppendInt(b, x, 10)
	case x >= 10_000:
		y := uint32(x)
		return append(b, byte('0'+y/10_000), byte('0'+y/1000%10), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10))
	case x >= 1000:
		y := uint32(x)
		return append(b, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10))
	case x >= 100:
		y := uint32(x)
		return append(b, byte('0'+y/100), byte('0'+y/10%10), byte('0'+y%10))
	case x >= 10:
		return append(b, byte('0'+x/10), byte('0'+x%10))
	}
	return append(b, byte('0'+x))
}

func appendInts(b []byte, xs []int) []byte {
	b = append(b, '[')
	for i, x := range xs {
		b = appendNumber(b, i > 0, int64(x))
	}
	return append(b, ']')
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("spec: a string failed to marshal: " + err.Error()) // encoding/json: strings always marshal
	}
	return string(b)
}

func quotes(ss []string) string {
	out := []byte{'['}
	for i, s := range ss {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quote(s)...)
	}
	return string(append(out, ']'))
}
