package fabric

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
)

type deviceKind uint8

const (
	deviceUnknown deviceKind = iota
	deviceSwitch
	deviceHost
)

// device is a switch or a host as a dump describes it: with all its ports.
type device struct {
	kind  deviceKind
	guid  uint64
	name  string
	lid   int // of a switch
	lmc   int
	ports map[int]*port
}

type port struct {
	guid     uint64
	lid, lmc int // of a host
	peer     *device
	peerPort int
	listed   bool // the port, and not its peer alone, has a line
}

func (d *device) port(n int) *port {
	p := d.ports[n]
	if p == nil {
		p = &port{}
		d.ports[n] = p
	}
	return p
}

// subnet collects what the dumps say while they are read.
type subnet struct {
	devices map[uint64]*device
	tables  map[uint64]*routes
	ended   bool     // some table is, by a line that counts its entries
	warned  bool     // that none is
	owners  []uint64 // by LID: the GUID of the port, as dumps of tables comment it; 0 for none
	lanes   map[uint64]map[[2]uint8]lanes
	paths   map[uint64][]uint16
	records map[int][]uint16 // the same by the LID of the source, as path records have it
	log     engineLog
	cells   atomic.Int64   // of tables and paths, which grow beyond the text that fills them
	differ  [2]differences // between tables of switches, and between SL2VL tables
}

// differences are the places where two dumps of a kind disagree: the first, and how many
// more there are.
type differences struct {
	first []string
	more  int
}

func (d *differences) add(l *line, format string, args ...any) {
	const enough = 5
	if len(d.first) == enough {
		d.more++
		return
	}
	d.first = append(d.first, fmt.Sprintf("%s:%d: ", l.file, l.n)+fmt.Sprintf(format, args...))
}

// warn warns of the differences.
func (d *differences) warn(f *Fabric) {
	f.Warnings = append(f.Warnings, d.first...)
	if d.more > 0 {
		f.Warnings[len(f.Warnings)-1] += fmt.Sprintf("; and %d more differences", d.more)
	}
}

func newSubnet() *subnet {
	return &subnet{devices: map[uint64]*device{}, tables: map[uint64]*routes{},
		lanes: map[uint64]map[[2]uint8]lanes{}, paths: map[uint64][]uint16{}, records: map[int][]uint16{}}
}

func (s *subnet) device(guid uint64) *device {
	d := s.devices[guid]
	if d == nil {
		d = &device{guid: guid, ports: map[int]*port{}}
		s.devices[guid] = d
	}
	return d
}

// describe adds what a line says about a device; dumps must agree.
func (s *subnet) describe(l *line, d *device, kind deviceKind, name string, lid, lmc int) error {
	name = spec.Printable(name)
	switch {
	case d.kind != deviceUnknown && d.kind != kind:
		return l.wrong("%016x is both a switch and a host", d.guid)
	case d.lid != 0 && lid != 0 && d.lid != lid:
		return l.wrong("%s has LID %d here and LID %d earlier", name, lid, d.lid)
	}
	d.kind, d.name, d.lid, d.lmc = kind, cmp.Or(d.name, name), cmp.Or(lid, d.lid), max(lmc, d.lmc)
	return nil
}

// cable joins two ports; dumps list it from either end.
func (s *subnet) cable(l *line, a *device, p int, b *device, q int) error {
	if p == 0 || q == 0 { // of a switch it leads to its own management
		return l.wrong("a cable in port 0: want port 1 or higher")
	}
	a.port(p).listed = true
	for range 2 {
		end := a.port(p)
		if end.peer != nil && (end.peer != b || end.peerPort != q) {
			return l.wrong("port %d of %016x is cabled to port %d of %016x here and to port %d of %016x earlier",
				p, a.guid, q, b.guid, end.peerPort, end.peer.guid)
		}
		end.peer, end.peerPort = b, q
		a, p, b, q = b, q, a, p
	}
	return nil
}

// readSubnet reads opensm-subnet.lst: a line for each cable and direction. Numbers are
// hexadecimal; descriptions may contain anything.
func (s *subnet) readSubnet(l *line) error {
	var ends [2]*device
	var ports [2]int
	// A host sets its own description, which could pass for a cable.
	if bytes.Count(l.text, []byte("} LID:")) > len(ends) {
		return l.wrong(`a description contains "} LID:", so its end is ambiguous`)
	}
	for i := range ends {
		var err error
		if ends[i], ports[i], err = s.subnetEnd(l); err != nil {
			return err
		}
	}
	return s.cable(l, ends[0], ports[0], ends[1], ports[1])
}

func (s *subnet) subnetEnd(l *line) (*device, int, error) {
	l.blanks()
	if !l.take("{ ") {
		return nil, 0, l.wrong(`want one end of a cable, as in "{ SW Ports:24 ... {name} LID:0001 PN:01 }"`)
	}
	kind := deviceHost
	if bytes.HasPrefix(l.unread(), []byte("SW")) {
		kind = deviceSwitch
	}
	var guids [2]uint64
	for i, key := range []string{"NodeGUID:", "PortGUID:"} {
		ok := l.skipPast(key)
		if ok {
			guids[i], ok = l.number(16, math.MaxUint64)
		}
		if !ok {
			return nil, 0, l.wrong("want %q with a hexadecimal number", key)
		}
	}
	if !l.skipPast(" {") {
		return nil, 0, l.wrong("want a description in braces")
	}
	name, ok := l.readUntil("} LID:")
	if !ok {
		return nil, 0, l.wrong(`the description has no end: want "} LID:"`)
	}
	lid, ok := l.number(16, maxLID)
	if !ok {
		return nil, 0, l.wrong("want a LID, hexadecimal, at most %X", maxLID)
	}
	pn, err := l.field("PN:", 16, 254)
	if err != nil {
		return nil, 0, err
	}
	if l.blanks(); !l.take("}") {
		return nil, 0, l.wrong(`want "}"`)
	}
	return s.end(l, kind, guids[0], guids[1], name, int(pn), int(lid), 0)
}

// end notes one end of a cable: a switch has one LID, a host one a port.
func (s *subnet) end(
	l *line, kind deviceKind, guid, portGUID uint64, name string, pn, lid, lmc int,
) (*device, int, error) {
	d := s.device(guid)
	if kind == deviceSwitch {
		return d, pn, s.describe(l, d, kind, name, lid, lmc)
	}
	p := d.port(pn)
	if p.lid != 0 && lid != 0 && p.lid != lid {
		return nil, 0, l.wrong("port %d of %s has LID %d here and LID %d earlier", pn, name, lid, p.lid)
	}
	p.guid, p.lid, p.lmc = cmp.Or(portGUID, p.guid), cmp.Or(lid, p.lid), max(lmc, p.lmc)
	return d, pn, s.describe(l, d, kind, name, 0, 0)
}

// discovery reads the output of ibnetdiscover: a block a device, a line a port.
type discovery struct {
	s  *subnet
	at *device
}

func (d *discovery) read(l *line) error {
	switch {
	case l.take("["):
		return d.port(l)
	case l.take("Switch"):
		return d.device(l, deviceSwitch)
	case l.take("Ca"), l.take("Rt"):
		return d.device(l, deviceHost)
	case bytes.IndexByte(l.text, '=') > 0:
		return nil
	}
	if _, pasted := prompt.Above(append(slices.Clip(l.text), '\n')); pasted || kindOf(l.text) != "" {
		return l.wrong("another dump, or the prompt above it, begins here: put what follows into a file of its own")
	}
	return l.wrong(`want "Switch", "Ca", "Rt" or a port in brackets`)
}

// device reads: Switch 36 "S-0002c90200417670" # "name" base port 0 lid 18 lmc 0
func (d *discovery) device(l *line, kind deviceKind) error {
	l.blanks()
	if _, ok := l.number(10, 255); !ok {
		return l.wrong("want the number of ports")
	}
	guid, err := l.guid()
	if err != nil {
		return err
	}
	name, lid, lmc, err := l.comment()
	if err != nil {
		return err
	}
	d.at = d.s.device(guid)
	return d.s.describe(l, d.at, kind, name, lid, lmc)
}

// port reads: [1](100009) "S-0000000000200001"[1](guid) # lid 13 lmc 0 "L1" lid 3 4xSDR
func (d *discovery) port(l *line) error {
	if d.at == nil {
		return l.wrong("a port before the first device")
	}
	pn, ok := l.number(10, 254)
	if !ok || !l.take("]") {
		return l.wrong("want a port number in brackets, at most 254")
	}
	var own uint64
	if l.take("(") {
		if own, ok = l.number(16, math.MaxUint64); !ok || !l.take(")") {
			return l.wrong("want a port GUID in parentheses")
		}
	}
	peer, err := l.guid()
	if err != nil {
		return err
	}
	if !l.take("[") {
		return l.wrong("want the far port in brackets")
	}
	far, ok := l.number(10, 254)
	if !ok || !l.take("]") {
		return l.wrong("want the far port in brackets, at most 254")
	}
	at := d.at
	if at.kind == deviceHost {
		lid, lmc := 0, 0
		if l.skipPast("# lid ") {
			if lid, lmc, err = l.lidLMC(); err != nil {
				return err
			}
		}
		if at, _, err = d.s.end(l, deviceHost, at.guid, own, at.name, int(pn), lid, lmc); err != nil {
			return err
		}
	}
	return d.s.cable(l, at, int(pn), d.s.device(peer), int(far))
}

// guid reads a GUID in quotes, after the letter of its kind: "S-0002c90200417670"
func (l *line) guid() (uint64, error) {
	l.blanks()
	if l.take(`"S-`) || l.take(`"H-`) || l.take(`"R-`) {
		if g, ok := l.number(16, math.MaxUint64); ok && l.take(`"`) {
			return g, nil
		}
	}
	return 0, l.wrong(`want a GUID, as in "S-0002c90200417670"`)
}

// comment reads: # "name" base port 0 lid 18 lmc 0. The name may hold quotes.
func (l *line) comment() (name string, lid, lmc int, err error) {
	if !l.skipPast(`# "`) {
		return "", 0, 0, nil
	}
	end := bytes.LastIndexByte(l.unread(), '"')
	if end < 0 {
		return "", 0, 0, nil
	}
	name = string(l.unread()[:end])
	l.at += end + 1
	if l.skipPast(" lid ") {
		lid, lmc, err = l.lidLMC()
	}
	return name, lid, lmc, err
}

// lidLMC reads: 18 lmc 0
func (l *line) lidLMC() (lid, lmc int, err error) {
	v, ok := l.number(10, maxLID)
	if !ok {
		return 0, 0, l.wrong("want a LID, decimal, at most %d", maxLID)
	}
	if !l.take(" lmc ") {
		return int(v), 0, nil
	}
	m, ok := l.number(10, 7)
	if !ok {
		return 0, 0, l.wrong("want an LMC, 0 to 7")
	}
	return int(v), int(m), nil
}

// nodes makes and numbers the nodes of the fabric, with their cables.
func (s *subnet) nodes(f *Fabric) error {
	devices := slices.SortedFunc(maps.Values(s.devices), func(a, b *device) int { // switches first
		return cmp.Or(btoi(a.kind != deviceSwitch)-btoi(b.kind != deviceSwitch), cmp.Compare(a.guid, b.guid))
	})
	number := map[*device]map[int]int{} // by device and port; of a switch, by 0
	for _, d := range devices {
		number[d] = map[int]int{}
		if d.kind == deviceSwitch {
			number[d][0] = len(f.Nodes)
			f.Nodes = append(f.Nodes, Node{Description: d.name, GUID: d.guid, PortGUID: d.guid, LID: d.lid, LMC: d.lmc})
			f.Switches = len(f.Nodes)
			continue
		}
		for _, pn := range slices.Sorted(maps.Keys(d.ports)) {
			p := d.ports[pn]
			number[d][pn] = len(f.Nodes)
			f.Nodes = append(f.Nodes,
				Node{Description: d.name, GUID: d.guid, PortGUID: p.guid, Port: pn, LID: p.lid, LMC: p.lmc})
		}
	}
	loops := 0
	for _, d := range devices {
		for _, pn := range slices.Sorted(maps.Keys(d.ports)) {
			p := d.ports[pn]
			from, to, far := 0, 0, p.peerPort
			if d.kind != deviceSwitch {
				from = pn
			}
			if p.peer == nil {
				continue
			}
			if p.peer.kind != deviceSwitch {
				to = far
			}
			v, w := number[d][from], number[p.peer][to]
			if v == w {
				loops++ // a loopback plug: nothing that is routed comes back
				continue
			}
			n := &f.Nodes[v]
			for len(n.peers) <= pn {
				n.peers = append(n.peers, Peer{-1, 0})
			}
			n.peers[pn] = Peer{w, far}
		}
	}
	if f.Switches == 0 {
		return fmt.Errorf("%s: the fabric has no switch", f.Name)
	}
	if loops > 0 {
		f.warn("%d ports are cabled to their own switch, which is left out", loops)
	}
	return nil
}

// mostCells bounds the entries of forwarding tables and of path SLs: a line with a high
// LID makes a table of that length.
const mostCells = 1 << 28

// routes is the forwarding table of a switch, with the place where it begins in its file.
type routes struct {
	ports []uint8
	none  []uint64 // the LIDs that lines give no port, a bit each
	at    *spec.PosError
	parts []part // one for each head of the table in the dumps
}
