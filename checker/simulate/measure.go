package simulate

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/spec"
)

// What is measured. All counts are of the clocks after the warm-up; latencies are those of the
// packets delivered then. The clocks are divided into pieces, of which estimate makes batches. Only
// the backlog counts from the first clock on.

type measures struct {
	ports               []port // of the links
	warmup, clocks      int
	on                  bool
	total, network      *hdrhistogram.Histogram
	latency             [pieces]struct{ total, network, packets float64 }
	generated, accepted [pieces]int64 // flits
	lost                [pieces]int64 // flits discarded
	discarded           int64         // packets
	piece               int
	lasted              [pieces]int64 // clocks
	worst               worst
	delivered, refused  int64
	longest             int     // queue of a node, since clock 0
	bySource            []int64 // flits delivered, by node
	// flits carried before the measurement and before this window, and most in a window; by link
	before, opened, peak []int64
}

func newMeasures(o *Options, ports []port, rate []float64) *measures {
	nodes := len(rate)
	m := &measures{ports: ports, warmup: o.Warmup, clocks: o.Clocks, on: o.Warmup == 0}
	m.worst = worst{rate: rate, backlog: make([]int64, nodes)}
	m.total, m.network = hdrhistogram.New(1, math.MaxInt32, 3), hdrhistogram.New(1, math.MaxInt32, 3)
	m.bySource = make([]int64, nodes)
	m.before, m.opened, m.peak = make([]int64, len(ports)), make([]int64, len(ports)), make([]int64, len(ports))
	return m
}

// clock ends a clock.
func (m *measures) clock(now int32) {
	if m.on {
		m.lasted[m.piece]++
	}
	past := int(now) + 1 - m.warmup
	if past < 0 {
		return
	}
	if past%window == 0 {
		m.endWindow(m.on)
	}
	if !m.on {
		for l := range m.before {
			m.before[l] = m.ports[l].carried
		}
	}
	m.on = true
	if m.piece = m.pieceOf(past); m.piece >= pieces/2 && m.worst.served == nil {
		m.worst.choose()
	}
}

// turns reports whether a window or a piece ends before a clock.
func (m *measures) turns(clock int32) bool {
	past := int(clock) - m.warmup
	return past >= 0 && (past%window == 0 || m.pieceOf(past) != m.piece)
}

func (m *measures) pieceOf(past int) int {
	return min(past*pieces/(m.clocks-m.warmup), pieces-1)
}

// endWindow starts a new window; the one before the first is not measured.
func (m *measures) endWindow(measured bool) {
	for l := range m.opened {
		flits := m.ports[l].carried
		if measured {
			m.peak[l] = max(m.peak[l], flits-m.opened[l])
		}
		m.opened[l] = flits
	}
}

func (m *measures) generate(source spec.NodeID, flits int) {
	m.worst.backlog[source] += int64(flits)
	if m.on {
		m.generated[m.piece] += int64(flits)
	}
}

func (m *measures) refuse() {
	if m.on {
		m.refused++
	}
}

func (m *measures) flits(arrived int64) {
	if m.on {
		m.accepted[m.piece] += arrived
	}
}

func (m *measures) dropped(flits int64) {
	if m.on {
		m.lost[m.piece] += flits
	}
}

// discard ends a packet that does not arrive.
func (m *measures) discard(x *packet) {
	if m.worst.backlog[x.source] -= int64(x.length); m.on {
		m.discarded++
	}
}

func (m *measures) deliver(x *packet, now int32) {
	m.worst.deliver(x, m.piece)
	if !m.on {
		return
	}
	total, network := int64(now-x.created), int64(now-x.entered)
	_ = m.total.RecordValue(total) // in range, as clocks are
	_ = m.network.RecordValue(network)
	b := &m.latency[m.piece]
	b.total, b.network, b.packets = b.total+float64(total), b.network+float64(network), b.packets+1
	m.delivered++
	m.bySource[x.source] += int64(x.length)
}
