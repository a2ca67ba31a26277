package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// The reasons of a closed network.
//
// The closed form says which hops are permitted, not which line of whose file permits
// them: its digest must not depend on that. So the reasons are in a file next to it, for
// people alone: no verdict and no second program reads it, and a network without it is
// the same network. It holds the digest of the network, for each table a list
// count,reason,count,reason,... over the hops of its sources and sites in canonical
// order, and the different reasons, which come last so that one pass writes them.

// ReasonsFile is the name of the file with the reasons, and ReasonsFormat the value of
// its key "format".
const (
	ReasonsFile   = "reasons.json"
	ReasonsFormat = "unknot-reasons-1"
)

// eachReason calls f with the hops of a table in canonical order and why they are
// permitted, until f returns false.
func eachReason(n *spec.Network, t *spec.Table, f func(reason string) bool) bool {
	of := func(s spec.Site, row spec.RowID) bool {
		for _, hop := range n.Row(row) {
			if !f(n.Reason(s, hop)) {
				return false
			}
		}
		return true
	}
	for i, s := range t.Sources {
		if !of(t.SourceSite(i), s.Row) {
			return false
		}
	}
	for i := range t.Len() {
		if !of(t.Site(i), t.Rows[i]) {
			return false
		}
	}
	return true
}

// HasReasons reports whether any hop of a network has a reason.
func HasReasons(n *spec.Network) bool {
	for i := range n.Tables() {
		if !eachReason(n, n.Table(i), func(why string) bool { return why == "" }) {
			return true
		}
	}
	return false
}

// Reasons writes the reasons of all hops of n.
func Reasons(w io.Writer, n *spec.Network) error {
	const head = "{\"format\":%q,\n\"network\":%q,\n\"tables\":["
	if _, err := fmt.Fprintf(w, head, ReasonsFormat, n.Digest()); err != nil {
		return err
	}
	numbers := map[string]int{}
	texts := []string{}
	var line []byte
	for i := range n.Tables() {
		line = append(line[:0], []string{"\n[", ",\n["}[min(i, 1)]...)
		count, last := 0, -1
		end := func() {
			if count > 0 {
				line = append(strconv.AppendInt(line, int64(count), 10), ',')
				line = append(strconv.AppendInt(line, int64(last), 10), ',')
			}
		}
		eachReason(n, n.Table(i), func(why string) bool {
			k, known := numbers[why]
			if !known {
				k = len(texts)
				numbers[why], texts = k, append(texts, why)
			}
			if k != last {
				end()
				count, last = 0, k
			}
			count++
			return true
		})
		end()
		if _, err := w.Write(append(bytes.TrimSuffix(line, []byte(",")), ']')); err != nil {
			return err
		}
	}
	list, err := json.MarshalIndent(texts, "", "")
	if err == nil {
		_, err = fmt.Fprintf(w, "],\n\"reasons\":%s}\n", list)
	}
	return err
}
