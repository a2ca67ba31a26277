package simulate

import (
	"runtime"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestMemory: an engine takes less than 200 bytes for each flit that its buffers hold, including the route lookup, and a
// run under load allocates little more: packets, and what is on its way.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short, which goes with the race detector: that takes memory of its own")
	}
	const k, vcs, buffer = 64, 4, 8
	transpose := func(src, dst spec.NodeID, _ spec.Class) bool {
		return int(dst) == int(src)%k*k+int(src)/k || dst == src+1 // all are terminals
	}
	n := dimensionOrder(t, k, vcs, buffer, true, spec.Wormhole, transpose)
	taken := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := taken()
	e, err := newEngine(n, Options{Traffic: Traffic{Pattern: "transpose-bits"}, Load: 0.02, Lengths: flits(8), Injectors: 4, Shared: true, Clocks: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for range e.o.Clocks {
		e.clock()
	}
	flits := float64(n.Topology().Channels() * buffer)
	if each := float64(taken()-before) / flits; each > 200 {
		t.Errorf("%.1f bytes a flit that buffers hold, want less than 200", each)
	} else {
		t.Logf("%.1f bytes a flit", each)
	}
	if n.Topology().Channels() != 4*k*k*vcs || hops(e) == 0 { // keeps both
		t.Error("nothing has run")
	}
}
