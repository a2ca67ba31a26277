package fabric

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// IsDiscovery reports whether a text, gzipped or not, is the output of ibnetdiscover. It looks only at the beginning.
func IsDiscovery(text []byte) bool {
	head := make([]byte, mostHead)
	n, _ := io.ReadFull(unpacked(text), head)
	return kindOf(head[:n]) == kindDiscovery
}

// unpacked returns a reader of a text that may be gzipped. One that cannot be unpacked is read as it is.
func unpacked(text []byte) io.Reader {
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		return z
	}
	return bytes.NewReader(text)
}

// Discovered reads the output of ibnetdiscover alone, gzipped or not: the nodes and cables of a subnet, for which an engine can compute
// routes. It returns the hosts, too, ascending, without those that [Options.LeaveOut] names, and warnings: of cables that
// lead back to their switch, of cables that one of their ends does not list, as in an output that was cut off, and of
// hosts inside switches. Faults are *spec.PosError but for a subnet without a switch and for hosts that nothing names.
func Discovered(
	ctx context.Context, file string, text []byte, leaveOut []string,
) (*spec.Topology, []spec.NodeID, []string, error) {
	s, f := newSubnet(), &Fabric{Name: file}
	if err := eachLine(ctx, file, unpacked(text), (&discovery{s: s}).read); err != nil {
		return nil, nil, nil, err
	}
	if err := s.nodes(f); err != nil {
		return nil, nil, nil, err
	}
	if ends := s.unlisted(); ends > 0 {
		f.warn("%s: one end lists %s, the other does not: it may be cut off", file, words.Plural(ends, "cable"))
	}
	f.nameNodes()
	if err := f.leaveOut(leaveOut); err != nil {
		return nil, nil, nil, err
	}
	f.adviseAggregation()
	var hosts []spec.NodeID
	for v := f.Switches; v < len(f.Nodes); v++ {
		if !f.Nodes[v].left {
			hosts = append(hosts, spec.NodeID(v))
		}
	}
	return f.Topology(Scope{}), hosts, f.Warnings, nil
}

// unlisted counts the ends of cables that have no line of their own.
func (s *subnet) unlisted() (n int) {
	for _, d := range s.devices {
		for _, p := range d.ports {
			if p.peer != nil && !p.listed {
				n++
			}
		}
	}
	return n
}
