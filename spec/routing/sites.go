package routing

import "github.com/seed-105a2da2/unknot/spec"

// Sites calls f for every site in canonical order: by destination, class, then
// first the injection channels by node, then the network channels by number
// and tag. It stops at the first error and returns it.
func Sites(n *spec.Network, f func(spec.Site, []spec.Hop) error) error {
	for i := range n.Tables() {
		t := n.Table(i)
		for j, s := range t.Sources {
			if err := f(t.SourceSite(j), n.Row(s.Row)); err != nil {
				return err
			}
		}
		for j := range t.Channels {
			if err := f(t.Site(j), n.Row(t.Rows[j])); err != nil {
				return err
			}
		}
	}
	return nil
}
