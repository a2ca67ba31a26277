package fabric

import (
	"math"
	"math/bits"
)

// virtualLanes reads opensm-sl2vl.dump. The heading of a switch has its node GUID, that
// of a host the GUID of the port.
type virtualLanes struct {
	s  *subnet
	at map[[2]uint8]lanes
	of uint64
}

func (v *virtualLanes) read(l *line) error {
	switch {
	case l.take("Switch 0x"), l.take("Channel Adapter 0x"), l.take("Router 0x"):
		guid, ok := l.number(16, math.MaxUint64)
		if !ok {
			return l.wrong("want a GUID")
		}
		if v.of, v.at = guid, v.s.lanes[guid]; v.at == nil {
			v.at = map[[2]uint8]lanes{}
			v.s.lanes[guid] = v.at
		}
		return nil
	case v.at == nil:
		return l.wrong("want a switch or a channel adapter, as in \"Switch 0x0002c90200417670, base LID 2\"")
	}
	return v.row(l)
}

// row reads "1   2   : 0  1  2 ...": the ports in and out, and the VL of each SL.
func (v *virtualLanes) row(l *line) error {
	in, err := l.field("", 10, 254)
	if err != nil {
		return err
	}
	out, err := l.field("", 10, 254)
	if err != nil {
		return err
	}
	if l.blanks(); !l.take(":") {
		return l.wrong("want \":\" after the ports in and out")
	}
	var row lanes
	for sl := range 16 {
		vl, err := l.field("", 10, 15)
		if err != nil {
			return err
		}
		row |= lanes(vl) << (4 * sl)
	}
	if l.blanks(); len(l.unread()) > 0 {
		return l.wrong("more than 16 VLs")
	}
	ports := [2]uint8{uint8(in), uint8(out)}
	if was, ok := v.at[ports]; ok && was != row {
		v.s.differ[1].add(l,
			"%016x puts packets from port %d to port %d into other VLs than before; the first row stands",
			v.of, in, out)
		return nil
	}
	v.at[ports] = row
	return nil
}

// pathSLs reads the SLs of paths.
type pathSLs struct {
	s    *subnet
	guid uint64 // of the line before
	of   []uint16
}

// read reads the SLs of a path: "0x0002c90200417670 12 3", or 1,2,3 for any of
// several: the GUID of the source, the LID, decimal, and the SLs. Lines for one pair
// add up.
func (p *pathSLs) read(l *line) error {
	guid, err := l.field("0x", 16, math.MaxUint64)
	if err != nil {
		return err
	}
	lid, err := l.field("", 10, maxLID)
	if err != nil {
		return err
	}
	set := uint16(0)
	for sep := ""; sep == "" || l.take(sep); sep = "," {
		sl, err := l.field("", 10, 15)
		if err != nil {
			return err
		}
		set |= 1 << sl
	}
	if l.blanks(); len(l.unread()) > 0 {
		return l.wrong("want an SL, or several with commas between them")
	}
	if guid != p.guid || p.of == nil {
		p.guid, p.of = guid, p.s.paths[guid]
	}
	p.of, err = p.s.addSLs(p.of, int(lid), set)
	p.s.paths[guid] = p.of
	return err
}

// addSLs adds a set of SLs for a LID.
func (s *subnet) addSLs(of []uint16, lid int, set uint16) ([]uint16, error) {
	if more := lid + 1 - len(of); more > 0 {
		if err := s.grown(more); err != nil {
			return of, err
		}
		for range more {
			of = append(of, 0)
		}
	}
	of[lid] |= set
	return of, nil
}

// pathRecords reads what saquery prints of path records: "slid....7", "dlid....3" and,
// after them, "sl......0x1".
type pathRecords struct {
	s          *subnet
	slid, dlid int
}

func (p *pathRecords) read(l *line) (err error) {
	l.blanks()
	switch {
	case l.take("PathRecord dump:"):
		p.slid, p.dlid = 0, 0
	case l.take("slid."):
		p.slid, err = l.behindDots(maxLID)
	case l.take("dlid."):
		p.dlid, err = l.behindDots(maxLID)
	case l.take("sl."):
		sl, err := l.behindDots(15)
		switch {
		case err != nil:
			return err
		case p.slid == 0 || p.dlid == 0:
			return l.wrong("an SL before the LIDs of the path")
		}
		p.s.records[p.slid], err = p.s.addSLs(p.s.records[p.slid], p.dlid, 1<<sl)
		return err
	}
	return err
}

// behindDots reads "......7" or "......0x7".
func (l *line) behindDots(most uint64) (int, error) {
	for l.take(".") {
	}
	base := uint64(10)
	if l.take("0x") {
		base = 16
	}
	v, ok := l.number(base, most)
	if !ok {
		return 0, l.wrong("want a number in base %d, at most %d", base, most)
	}
	return int(v), nil
}

// ofLIDs adds the SLs of path records to those of the sources that have the LIDs.
func (s *subnet) ofLIDs(f *Fabric) {
	strangers := 0
	for slid, of := range s.records {
		v := f.Owner(slid)
		if v < 0 {
			strangers++
			continue
		}
		guid := f.Nodes[v].GUID
		all := s.paths[guid]
		all = append(all, make([]uint16, max(0, len(of)-len(all)))...)
		for lid, set := range of {
			all[lid] |= set
		}
		s.paths[guid] = all
	}
	if strangers > 0 {
		f.warn("LIDs in path records that no node has, ignored: %d", strangers)
	}
}

// SLs returns the set of SLs with which a node sends to a LID; SL 0 where the dump
// names none.
func (f *Fabric) sls(src, lid int) uint16 {
	of := f.paths[f.Nodes[src].GUID]
	if lid < len(of) && of[lid] != 0 {
		return of[lid]
	}
	return 1
}

// vl returns the lane of a packet that goes from one port of a node to another. A port
// without a row has but one lane; without any tables the VL is the SL.
func (f *Fabric) vl(v, in, out, sl int) int {
	if !f.hasVLs {
		return sl
	}
	row, ok := f.Nodes[v].sl2vl[[2]uint8{uint8(in), uint8(out)}]
	if !ok {
		return 0
	}
	return row.vl(sl)
}

// countSLs notes the SLs that some path has.
func (f *Fabric) countSLs() {
	f.used = 1
	for _, of := range f.paths {
		for _, set := range of {
			f.used |= set
		}
	}
}

// countLanes returns one more than the highest SL of a path, and one more than the highest
// data VL that paths can take.
func (f *Fabric) countLanes() (sls, vls int) {
	sls, vls = bits.Len16(f.used), 1
	if !f.hasVLs {
		return sls, min(sls, vl15)
	}
	for i := range f.Nodes {
		for _, row := range f.Nodes[i].sl2vl {
			for sl := range sls {
				if vl := row.vl(sl); f.used>>sl&1 == 1 && vl != vl15 {
					vls = max(vls, vl+1)
				}
			}
		}
	}
	return sls, vls
}
