package examples_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestVerdicts compares the first line of every example, and what the comments
// say about other parameters, with what the checker decides.
func TestVerdicts(t *testing.T) {
	type variant struct {
		name     string
		set      map[string]string
		deadlock spec.Verdict
	}
	var variants []variant
	for _, name := range networks(t) {
		for _, x := range load(t, name, nil).Expect() {
			if x.Property == spec.DeadlockFreedom {
				variants = append(variants, variant{name, nil, x.Verdict})
			}
		}
	}
	variants = append(variants,
		variant{"ring", map[string]string{"vcs": "2"}, spec.Holds},
		variant{"duato_mesh", map[string]string{"escape": "false"}, spec.Violated},
		variant{"escape", map[string]string{"escape": "dateline"}, spec.Holds},
		variant{"escape", map[string]string{"escape": "ring"}, spec.Violated}, // fills with packets that have entered it
		variant{"escape", map[string]string{"escape": "none"}, spec.Violated},
		variant{"dragonfly", map[string]string{"local_vcs": "1"}, spec.Violated},
		variant{"spidergon", map[string]string{"vcs": "1"}, spec.Violated},
		variant{"hop_index", map[string]string{"vcs": "1"}, spec.Violated},
		variant{"mesh", map[string]string{"order": "yx"}, spec.Holds},
		variant{"up_down", map[string]string{"root": "f"}, spec.Holds},
		variant{"dragonfly", map[string]string{"a": "4", "h": "2"}, spec.Holds},
		variant{"spidergon", map[string]string{"n": "14"}, spec.Holds},
	)
	for _, v := range variants {
		n := load(t, v.name, v.set)
		r, err := checker.Check(context.Background(), n, checker.Question{})
		if err != nil {
			t.Errorf("%s %v: %v", v.name, v.set, err)
			continue
		}
		want := map[spec.Property]spec.Verdict{spec.DeadlockFreedom: v.deadlock, spec.LivelockFreedom: spec.Holds, spec.Delivery: spec.Holds}
		got := map[spec.Property]spec.Verdict{}
		for _, x := range r.Findings {
			p, _ := spec.ParseProperty(x.Property)
			got[p] = x.Verdict
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", v.name, v.set, diff)
		}
	}
}

// TestField decides the reports from practice, with the parameters under which their authors, or the repairs that were
// merged, name a verdict: it is named here again, and each file's own expectations are met.
func TestField(t *testing.T) {
	const deadlock, delivery = "deadlock-freedom", "delivery"
	seen := map[string]bool{}
	for _, tt := range []struct {
		file, set string
		property  string
		want      spec.Verdict
	}{
		{"axi_write_order", "", deadlock, spec.Violated},
		{"axi_write_order", "cut=false", deadlock, spec.Holds},
		{"axi_write_order", "one=true", deadlock, spec.Holds},
		{"blocking_pull", "", deadlock, spec.Violated},
		{"blocking_pull", "how=retry", deadlock, spec.Holds},
		{"booksim_torus", "k=6", deadlock, spec.Holds}, // 10 in the report, which the page of the guide decides
		{"chunk_windows", "", deadlock, spec.Violated},
		{"chunk_windows", "window=2", deadlock, spec.Holds},
		{"clos_bounce", "", deadlock, spec.Holds},
		{"clos_bounce", "without=tor0a-leaf0a,tor1a-leaf1a", deadlock, spec.Violated},
		{"clos_bounce", "without=tor0a-leaf0a,tor1a-leaf1a ecmp=any", deadlock, spec.Holds},
		{"clos_bounce", "without=tor0a-leaf0a,tor1a-leaf1a lossless=2", deadlock, spec.Violated},
		{"clos_bounce", "without=tor0a-leaf0a,tor1a-leaf1a lossless=2 after=lossy", deadlock, spec.Holds},
		{"clos_bounce", "without=tor0a-leaf0a,tor1a-leaf1a lossless=2 after=lossy", delivery, spec.Holds},
		{"dma_exchange", "", deadlock, spec.Violated},
		{"dma_exchange", "prefer=writes", deadlock, spec.Holds},
		{"dragonfly_hops", "", deadlock, spec.Holds},
		{"dragonfly_hops", "late=true vcs=7", deadlock, spec.Holds},
		{"dragonfly_inner_valiant", "", deadlock, spec.Violated},
		{"dragonfly_inner_valiant", "count=all", deadlock, spec.Holds},
		{"dual_tor", "", deadlock, spec.Violated},
		{"dual_tor", "bounce=own", deadlock, spec.Holds},
		{"hashed_choice", "", deadlock, spec.Violated},
		{"hashed_choice", "choice=any", deadlock, spec.Holds},
		{"listed_paths", "", deadlock, spec.Violated},
		{"listed_paths", "turned=false", deadlock, spec.Holds},
		{"lowest_vc_first", "", "VC 1 is not full for ever", spec.Violated},
		{"lowest_vc_first", "fixed=false", "VC 1 is not full for ever", spec.Holds},
		{"memory_cut_off", "", delivery, spec.Violated},
		{"memory_cut_off", "answers=false", delivery, spec.Violated},
		{"memory_cut_off", "cut=reply", delivery, spec.Violated},
		{"memory_cut_off", "cut=none", delivery, spec.Holds},
		{"mixed_dor", "", deadlock, spec.Violated},
		{"mixed_dor", "channels=2", deadlock, spec.Holds},
		{"mixed_dor", "answer=yx channels=2", deadlock, spec.Holds},
		{"one_channel_write", "", deadlock, spec.Violated},
		{"one_channel_write", "buffer=true", deadlock, spec.Holds},
		{"pipeline_arbiter", "", deadlock, spec.Violated},
		{"pipeline_arbiter", "arbiters=2", deadlock, spec.Holds},
		{"rank_direction", "", delivery, spec.Violated},
		{"rank_direction", "by=route", delivery, spec.Holds},
		{"ring_switch_after", "", deadlock, spec.Violated},
		{"ring_switch_after", "rule=global", deadlock, spec.Holds},
		{"rings_bubble", "", deadlock, spec.Violated},
		{"rings_bubble", "own=true", deadlock, spec.Holds},
		{"rings_bubble", "rings=1 n=8", deadlock, spec.Holds},
		{"rings_bubble", "rings=1 n=8 forgets=5", deadlock, spec.Violated},
		{"sparse_pods", "all=true", deadlock, spec.Violated},
		{"sparse_pods", "all=true vcs=2", deadlock, spec.Holds},
		{"sparse_pods", "", deadlock, spec.Holds},
		{"tables_per_router", "", deadlock, spec.Holds},
		{"three_networks", "", deadlock, spec.Violated},
		{"three_networks", "own=true", deadlock, spec.Holds},
		{"two_ended", "", deadlock, spec.Violated},
		{"two_ended", "receiver=completion", deadlock, spec.Holds},
	} {
		seen["field/"+tt.file+".star"] = true
		t.Run(tt.file+" "+tt.set, func(t *testing.T) {
			set := map[string]string{}
			for s := range strings.FieldsSeq(tt.set) {
				name, value, _ := strings.Cut(s, "=")
				set[name] = value
			}
			f := file(t, "field/"+tt.file+".star", set)
			want := map[string]spec.Verdict{}
			var r *checker.Result
			if f.Program != nil {
				for _, x := range f.Program.Expect {
					want[x.Property] = x.Verdict
				}
				r = explored(t, f.Program)
			} else {
				for _, x := range f.Definition.Expect {
					want[x.Property.String()] = x.Verdict
				}
				if len(want) != 3 {
					t.Errorf("%v is expected: want all three properties", want)
				}
				var err error
				if r, err = checker.Check(t.Context(), routingtest.Compile(t, f.Definition), checker.Question{}); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]spec.Verdict{}
			for _, x := range r.Findings {
				got[x.Property] = x.Verdict
			}
			if got[tt.property] != tt.want {
				t.Errorf("%s is %s, want %s", tt.property, got[tt.property], tt.want)
			}
			for property, verdict := range want {
				if got[property] != verdict {
					t.Errorf("%s is %s, and %s is expected", property, got[property], verdict)
				}
			}
		})
	}
	for _, name := range glob(t, "field/*.star") {
		if !seen[name] {
			t.Errorf("%s is not decided", name)
		}
	}
}

// TestBookSimTorus: the torus of the report routes as BookSim's configuration of it, whose reader was compared with the
// functions of BookSim. At each place that a packet reaches, both have the same choices.
func TestBookSimTorus(t *testing.T) {
	for _, k := range []string{"4", "5"} {
		text := "topology = torus; n = 2; routing_function = dim_order; num_vcs = 3; k = " + k + ";"
		c, err := booksim.Read(t.Context(), "torus.cfg", []byte(text), booksim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		own := file(t, "field/booksim_torus.star", map[string]string{"k": k}).Definition
		if diff := cmp.Diff(choices(t, &c.Definition), choices(t, &own)); diff != "" {
			t.Errorf("k = %s (-BookSim +ours):\n%.2000s", k, diff)
		}
	}
}

// choices returns the alternatives at each place that a packet reaches, by names: DESTINATION from CHANNEL with its tag.
func choices(t *testing.T, d *routing.Definition) map[string][]string {
	t.Helper()
	type place struct {
		at spec.ChannelID
		h  spec.Header
	}
	var next []place
	for src := range spec.NodeID(d.Topology.Nodes()) {
		for dst := range spec.NodeID(d.Topology.Nodes()) {
			if src != dst {
				next = append(next, place{spec.Injection(src), spec.Header{Dest: dst}})
			}
		}
	}
	name := func(c spec.ChannelID, tag spec.Tag) string {
		return fmt.Sprintf("%s tag %d", d.Topology.ChannelName(c), tag)
	}
	all := map[string][]string{}
	for len(next) > 0 {
		p := next[0]
		next = next[1:]
		key := d.Topology.Node(p.h.Dest).Name + " from " + name(p.at, p.h.Tag)
		if _, seen := all[key]; seen {
			continue
		}
		alternatives, err := routing.Alternatives(d.Routing, p.at, p.h)
		if err != nil {
			t.Fatal(err)
		}
		all[key] = []string{}
		for _, hops := range alternatives {
			var names []string
			for _, h := range hops {
				names = append(names, name(h.Channel, h.Tag))
				if h.Channel != spec.Eject {
					next = append(next, place{h.Channel, spec.Header{Dest: p.h.Dest, Tag: h.Tag}})
				}
			}
			slices.Sort(names)
			all[key] = append(all[key], strings.Join(names, ", "))
		}
		slices.Sort(all[key])
	}
	return all
}
