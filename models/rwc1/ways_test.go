package rwc1

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestWays: the buffers that the machine makes for a stream are those of the channels
// through which the relation of the static network leads its packets.
func TestWays(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			N: rapid.IntRange(2, 4).Draw(t, "n"), Topology: Topology(rapid.IntRange(0, len(TopologyNames)-1).Draw(t, "topology")),
			VCs: rapid.IntRange(1, 4).Draw(t, "vcs"), Border: Border(rapid.IntRange(0, 1).Draw(t, "border")),
		}
		def, err := routersOf(o)
		if err != nil {
			t.Fatal(err)
		}
		nodes := def.Topology.Nodes()
		from := rapid.IntRange(0, nodes-1).Draw(t, "from")
		to := (from + rapid.IntRange(1, nodes-1).Draw(t, "further")) % nodes
		var want []string
		for at := spec.Injection(spec.NodeID(from)); ; {
			hops, err := def.Routing.AppendHops(nil, at, spec.Header{Dest: spec.NodeID(to)})
			if err != nil || len(hops) != 1 {
				t.Fatalf("%d hops, %v: want one", len(hops), err)
			}
			if at = hops[0].Channel; at == spec.Eject {
				break
			}
			want = append(want, def.Topology.ChannelName(at))
		}
		p, err := programtest.Of(MachineEntry().Machine(map[string]string{
			"fabric": TopologyNames[o.Topology], "n": strconv.Itoa(o.N), "vcs": strconv.Itoa(o.VCs), "border": BorderNames[o.Border],
			"streams": fmt.Sprintf("%d-%d@0", from, to),
		}))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range p.Variables {
			if name, ok := strings.CutSuffix(x.Name, " set 0].0"); ok && strings.HasPrefix(name, "buffer[(") {
				got = append(got, strings.TrimPrefix(name, "buffer["))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v, from %d to %d (-network +machine):\n%s", o, from, to, diff)
		}
	})
}
