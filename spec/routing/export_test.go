package routing

import (
	"cmp"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
)

// WriteFragments is WriteClosed, but writes fragments for every network that has flows.
func WriteFragments(w io.Writer, n *spec.Network) error {
	if n.Tables() == 0 {
		return spec.WriteClosed(w, n)
	}
	tables, set := packed(n)
	return writeFragments(w, n, tables, set)
}

// FragmentChannels packs tables and returns over how many channels a fragment of them stretches in the end.
func FragmentChannels(tables []spec.Table) int {
	var s fragmentSet
	for i := range tables {
		s.pack(&tables[i])
	}
	return 1 << cmp.Or(s.log, logFragmentChannels)
}

// Packed packs tables, and returns them put together again and the number of different fragments.
func Packed(tables []spec.Table) (again []spec.Table, fragments int) {
	var s fragmentSet
	for i := range tables {
		t := spec.Table{Target: tables[i].Target}
		for _, f := range s.pack(&tables[i]).Fragments {
			of := s.fragment(f)
			t.Sources, t.Channels = append(t.Sources, of.Sources...), append(t.Channels, of.Channels...)
			t.Rows = append(t.Rows, of.Rows...)
		}
		again = append(again, t)
	}
	return again, s.len()
}
