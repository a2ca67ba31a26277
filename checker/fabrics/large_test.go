package fabrics_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/fabrics"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// made is a fabric that is computed and written as OpenSM would dump it. Switches have the LIDs from
// 1 on, followed by the hosts in order.
type made struct {
	switches, hosts int
	cables          [][2][2]int                    // ends: node (hosts behind switches), port
	out             func(at, to int) int           // the port of a switch; 255 for none
	sl              func(src, to int) int          // between hosts; nil without VLs
	vl              func(at, in, out, sl int) int  // of a switch
	ports           func(at int) (cabled, max int) // of a switch
}

func (m *made) guid(v int) uint64 {
	if v < m.switches {
		return 0x200000 + uint64(v)
	}
	return 0x80000000 + uint64(v)*16
}

func (m *made) name(v int) string {
	if v < m.switches {
		return fmt.Sprintf("S%d", v)
	}
	return fmt.Sprintf("H%d", v-m.switches)
}

// write writes the dumps into a folder.
func (m *made) write(tb testing.TB, dir string) {
	tb.Helper()
	for name, write := range map[string]func(*bufio.Writer){"opensm-subnet.lst": m.subnet, "opensm.fdbs": m.tables,
		"opensm-sl2vl.dump": m.lanes, "psl.txt": m.paths} {
		if m.sl == nil && (name == "psl.txt" || name == "opensm-sl2vl.dump") {
			continue
		}
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			tb.Fatal(err)
		}
		w := bufio.NewWriterSize(file, 1<<20)
		write(w)
		if w.Flush() != nil || file.Close() != nil {
			tb.Fatal("the dump is not written")
		}
	}
}

func (m *made) subnet(w *bufio.Writer) {
	end := func(v, port int) {
		kind, guid := "CA", m.guid(v)+1
		if v < m.switches {
			kind, guid = "SW", m.guid(v)
		}
		fmt.Fprintf(w,
			"{ %s Ports:%02x SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:000000 DevID:0000 Rev:000000A1 {%s} LID:%04X PN:%02X } ",
			kind, 64, m.guid(v), m.guid(v), guid, m.name(v), v+1, port)
	}
	for _, c := range m.cables {
		for i := range 2 {
			end(c[i][0], c[i][1])
			end(c[1-i][0], c[1-i][1])
			w.WriteString("PHY=4x LOG=ACT SPD=2.5\n")
		}
	}
}

func (m *made) tables(w *bufio.Writer) {
	for v := range m.switches {
		fmt.Fprintf(w, "dump_ucast_routes: Switch 0x%016x\nLID    : Port : Hops : Optimal\n", m.guid(v))
		for to := range m.switches + m.hosts {
			if port := m.out(v, to); port == 255 {
				fmt.Fprintf(w, "0x%04X : UNREACHABLE\n", to+1)
			} else {
				fmt.Fprintf(w, "0x%04X : %03d  : 01   : yes\n", to+1, port)
			}
		}
	}
}

func (m *made) lanes(w *bufio.Writer) {
	for v := range m.switches {
		fmt.Fprintf(w, "Switch 0x%016x, base LID %d, \"%s\"\n", m.guid(v), v+1, m.name(v))
		_, most := m.ports(v)
		for in := range most + 1 {
			for out := 1; out <= most; out++ {
				fmt.Fprintf(w, "%d   %d   :", in, out)
				for sl := range 16 {
					fmt.Fprintf(w, " %d", m.vl(v, in, out, sl))
				}
				w.WriteByte('\n')
			}
		}
	}
	for v := m.switches; v < m.switches+m.hosts; v++ {
		fmt.Fprintf(w, "Channel Adapter 0x%016x, base LID %d, \"%s\"\n0   0   : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", m.guid(v)+1, v+1, m.name(v))
	}
}

func (m *made) paths(w *bufio.Writer) {
	for src := m.switches; src < m.switches+m.hosts; src++ {
		for to := m.switches; to < m.switches+m.hosts; to++ {
			if to != src {
				fmt.Fprintf(w, "0x%016x %d %d\n", m.guid(src), to+1, m.sl(src, to))
			}
		}
	}
}

// fatTree is a folded Clos network of three levels of switches with k ports each (Al-Fares et al.
// 2008): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 hosts. Routes go up by
// the destination's number modulo k/2 (D-mod-k), then down the only path; a packet that would have to go up
// again after that is not routed, as in updn: that happens only between switches.
func fatTree(k int) *made {
	h := k / 2
	m := &made{switches: 5 * k * k / 4, hosts: k * k * k / 4}
	edge := func(pod, i int) int { return pod*k + i }
	aggregate := func(pod, i int) int { return pod*k + h + i }
	core := func(i, j int) int { return k*k + i*h + j }
	for pod := range k {
		for i := range h {
			for j := range h {
				m.cables = append(m.cables,
					[2][2]int{{edge(pod, i), 1 + j}, {m.switches + (pod*h+i)*h + j, 1}},
					[2][2]int{{edge(pod, i), h + 1 + j}, {aggregate(pod, j), 1 + i}},
					[2][2]int{{aggregate(pod, i), h + 1 + j}, {core(i, j), 1 + pod}})
			}
		}
	}
	// level returns 0 for edges, 1 for aggregates, 2 for cores, -1 for hosts, and the pod and the number
	// in it; for a core, its group and the number in that.
	level := func(v int) (l, pod, i int) {
		switch {
		case v >= m.switches:
			v -= m.switches
			return -1, v / h / h, v / h % h
		case v >= k*k:
			return 2, (v - k*k) / h, (v - k*k) % h
		}
		return v % k / h, v / k, v % h
	}
	m.out = func(at, to int) int {
		if at == to {
			return 0
		}
		l, pod, i := level(at)
		tl, tpod, ti := level(to)
		number := to // picks the way up
		if tl < 0 {
			number = to - m.switches
		}
		switch {
		case tl == 2: // up its group, then to it
			switch {
			case l == 0:
				return h + 1 + tpod
			case l == 1 && i == tpod:
				return h + 1 + ti
			}
			return 255
		case tl == 1:
			switch {
			case l == 0:
				return h + 1 + ti
			case l == 1 && i == ti:
				return h + 1 + number%h
			case l == 2 && pod == ti:
				return 1 + tpod
			}
			return 255
		case l == 2:
			return 1 + tpod
		case l == 1 && pod == tpod:
			return 1 + ti
		case l == 0 && pod == tpod && i == ti:
			return 1 + number%h // a host
		case l == 1:
			return h + 1 + number/h%h
		}
		return h + 1 + number%h
	}
	return m
}

// torus3 is a k x k x k torus with a host at each switch, in dimension order, the shorter way around.
// A bit of the SL says for each dimension whether the packet crosses from k-1 to 0 or back; SL2VL
// tables turn it into the VL there (torus-2QoS). Routes are at most k/2 long, so those that cross
// leave a gap on VL 1. Ports 1 and 2 are along x, 3 and 4 along y, 5 and 6 along z, 7 to the host.
func torus3(k int) *made {
	m := &made{switches: k * k * k, hosts: k * k * k}
	digit := func(v, dim int) int { return v % m.switches / [3]int{1, k, k * k}[dim] % k }
	for v := range m.switches {
		for dim, weight := range [3]int{1, k, k * k} {
			next := v + weight
			if digit(v, dim) == k-1 {
				next = v - (k-1)*weight
			}
			m.cables = append(m.cables, [2][2]int{{v, 2*dim + 1}, {next, 2*dim + 2}})
		}
		m.cables = append(m.cables, [2][2]int{{v, 7}, {m.switches + v, 1}})
	}
	up := func(from, to int) bool { return (to-from+k)%k <= k/2 }
	m.out = func(at, to int) int {
		for dim := range 3 {
			if a, b := digit(at, dim), digit(to, dim); a != b {
				if up(a, b) {
					return 2*dim + 1
				}
				return 2*dim + 2
			}
		}
		if to == at {
			return 0
		}
		return 7
	}
	m.sl = func(src, to int) (sl int) {
		for dim := range 3 {
			if a, b := digit(src, dim), digit(to, dim); a != b && up(a, b) == (b < a) {
				sl |= 1 << dim
			}
		}
		return sl
	}
	m.vl = func(_, _, out, sl int) int {
		if out > 6 {
			return 0
		}
		return sl >> ((out - 1) / 2) & 1
	}
	m.ports = func(int) (int, int) { return 7, 7 }
	return m
}

// verdictsOf reads a folder and judges it, all three properties.
func verdictsOf(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	f, err := fabric.Read(tb.Context(), os.DirFS(dir), fabric.Options{Name: "made"})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := f.Faults(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	got := map[string]string{}
	err = fabrics.Check(tb.Context(), f, plain(), func(j *fabrics.Judgement) error {
		for _, a := range j.Result.Findings {
			got[j.Scope.String()] += a.Property + " " + a.Verdict.String() + ";"
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// TestMade: what the generated fabrics are for, in small: a fat tree goes up and down, so its
// dependencies have no cycle in any scope, although switches do not reach all switches; a torus in
// dimension order has a cycle in each ring, which its lanes break.
func TestMade(t *testing.T) {
	const free, broken = "deadlock-freedom holds;livelock-freedom holds;delivery holds;", "deadlock-freedom violated;"
	for _, tt := range []struct {
		name string
		made *made
		want map[string]string
	}{
		{"fat tree", fatTree(4), map[string]string{"host to host, one VL": free, "with switch LIDs, one VL": "deadlock-freedom holds;"}},
		{"torus", torus3(4), map[string]string{"host to host, one VL": broken, "host to host, with VLs": free, "with switch LIDs, one VL": broken}},
	} {
		dir := t.TempDir()
		tt.made.write(t, dir)
		got := verdictsOf(t, dir)
		for scope, want := range tt.want {
			if got[scope] != want {
				t.Errorf("%s: %s: %s, want %s", tt.name, scope, got[scope], want)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: %d scopes, want %d", tt.name, len(got), len(tt.want))
		}
	}
}

var dumps = flag.String("dumps", "", "folder to write the large fabrics to, for unknot check")

// large are the fabrics used for speed figures.
var large = map[string]func() *made{
	"fat-tree-34":    func() *made { return fatTree(34) },
	"torus-12x12x12": func() *made { return torus3(12) },
	"torus-16x16x16": func() *made { return torus3(16) },
}

// TestDumps writes fabrics, a folder each, and reads them as they were meant: with as many switches, hosts and
// cables. The large ones are written into the folder given by -dumps; without it small ones are.
func TestDumps(t *testing.T) {
	// A fat tree of k-port switches has 5k^2/4 switches, k^3/4 hosts and 3k^3/4 cables (Al-Fares et al.); a torus
	// k^3 switches with a host and six cables each, of which every cable between switches is two's.
	all := map[string]func() *made{"fat-tree-4": func() *made { return fatTree(4) }, "torus-3x3x3": func() *made { return torus3(3) }}
	want := map[string][3]int{"fat-tree-4": {20, 16, 48}, "torus-3x3x3": {27, 27, 27 + 27*6/2}}
	into := *dumps
	if into == "" {
		into = t.TempDir()
	} else {
		all = large
	}
	for name, make := range all {
		dir := filepath.Join(into, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		make().write(t, dir)
		if *dumps != "" {
			continue
		}
		f := read(t, os.DirFS(dir), name)
		ends := 0
		for v := range f.Nodes {
			for port := range 10 { // more than they have
				if f.Nodes[v].Peer(port).Node >= 0 {
					ends++
				}
			}
		}
		if got := [3]int{f.Switches, len(f.Nodes) - f.Switches, ends / 2}; got != want[name] {
			t.Errorf("%s: %v switches, hosts and cables, want %v", name, got, want[name])
		}
	}
}

// BenchmarkFabrics judges a fat tree of three levels with 9,826 hosts and 1,445 switches,
// and tori of 1,728 and 4,096 switches with SL2VL tables, from the text of their dumps to the
// verified evidence of each verdict in each scope.
func BenchmarkFabrics(b *testing.B) {
	for name, make := range large {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			make().write(b, dir)
			for b.Loop() {
				verdictsOf(b, dir)
			}
		})
	}
}
