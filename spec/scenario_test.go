package spec_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestParseScenarioRefuses: text that String would not write is refused.
func TestParseScenarioRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                "is not in canonical form",
		"quick":           "invalid word",
		"length":          "a number must follow",
		"length x":        "want a number of at least 1",
		"length 0":        "want a number of at least 1",
		"length -2":       "want a number of at least 1",
		"bubble 02":       "want a number of at least 1",
		"sink 1 length 2": "is not in canonical form",
		"length 2 length": "a number must follow",
		"elastic elastic": "is not in canonical form",
		"length  2":       "is not in canonical form",
	} {
		if sc, err := spec.ParseScenario(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want an error with %q", text, sc, err, want)
		}
	}
	for _, text := range []string{"whole packets", "length any elastic", "length 3 shared", "bubble 2 sink 1 packets 4"} {
		if sc, err := spec.ParseScenario(text); err != nil || sc.String() != text {
			t.Errorf("%q is read as %s, %v", text, sc, err)
		}
	}
}

// TestScenarioEqual: a scenario equals itself and its copy, and none that differs in one field, whichever that is;
// flows count by value and in order, which the words of String do not tell.
func TestScenarioEqual(t *testing.T) {
	a, b := spec.Flow{Source: 1}, spec.Flow{Source: 2}
	full := func() spec.Scenario {
		return spec.Scenario{Length: 2, Elastic: true, Shared: true, Bubble: 2, Sink: 2, Packets: 2, Once: []spec.Flow{a, b}}
	}
	if !full().Equal(full()) || !(spec.Scenario{}).Equal(spec.Scenario{Once: []spec.Flow{}}) {
		t.Error("a scenario differs from its copy")
	}
	for i := range reflect.TypeFor[spec.Scenario]().NumField() {
		other := full()
		field := reflect.ValueOf(&other).Elem().Field(i)
		field.SetZero()
		if full().Equal(other) || other.Equal(full()) {
			t.Errorf("%s makes no difference", reflect.TypeFor[spec.Scenario]().Field(i).Name)
		}
	}
	for _, once := range [][]spec.Flow{{b, a}, {a, a}, {a}} {
		other := full()
		if other.Once = once; full().Equal(other) {
			t.Errorf("flows %v equal %v", once, full().Once)
		}
	}
}

// TestTrafficRefuses: scenarios that do not fit a network, or contradict themselves.
func TestTrafficRefuses(t *testing.T) {
	def := routingtest.OneWayRing(3, 1)
	packets := routingtest.Compile(t, def)
	def.Switching, def.Buffer = spec.Wormhole, 2
	worms := routingtest.Compile(t, def)
	flow := func(from, to spec.NodeID) []spec.Flow {
		return []spec.Flow{{Source: from, Target: spec.Target{Dest: to}}}
	}
	for _, tt := range []struct {
		n    *spec.Network
		sc   spec.Scenario
		want string
	}{
		{packets, spec.Scenario{}, ""},
		{worms, spec.Scenario{Length: 3, Shared: true}, ""},
		{worms, spec.Scenario{Length: 1 << 12, Sink: 1 << 12}, ""},
		{worms, spec.Scenario{Length: 2, Bubble: 1}, ""}, // every packet needs a free place anyway
		{worms, spec.Scenario{Length: 1<<12 + 1}, "invalid packet length 4097"},
		{packets, spec.Scenario{Bubble: -1}, "invalid bubble -1"},
		{packets, spec.Scenario{Sink: -1}, "invalid sink -1"},
		{packets, spec.Scenario{Packets: 1<<12 + 1}, "invalid number of packets 4097"},
		{worms, spec.Scenario{Length: -2}, "invalid packet length -2"},
		{packets, spec.Scenario{Elastic: true}, "need a packet length"},
		{packets, spec.Scenario{Shared: true}, "need a packet length"},
		{packets, spec.Scenario{Length: 2}, "needs wormhole switching"},
		{worms, spec.Scenario{Length: 2, Bubble: 2}, "cannot be combined with a packet length"},
		{packets, spec.Scenario{Packets: 1, Once: flow(0, 1)}, "cannot be combined with a list"},
		{packets, spec.Scenario{Bubble: 1}, ""}, // a channel holds one packet
		{packets, spec.Scenario{Bubble: 2}, "never fits"},
		{packets, spec.Scenario{Once: []spec.Flow{{Target: spec.Target{Class: 1}}}}, "no node sends to node 0 in class 1"},
		{packets, spec.Scenario{Once: flow(1, 1)}, "node 1 does not send to node 1"},
	} {
		_, err := tt.n.Traffic(tt.sc)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.sc, err, tt.want)
		}
	}
}
