package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// The machines of packets.star, with parameters and channels in Go.

// Commit is a form of machines only: once, a channel that is free then.
const Commit = Form(3)

var machineForms = append(slices.Clone(FormNames), "commit")

type Status uint8

const (
	ClockOld Status = iota
	Present
)

type History uint8

const (
	Open History = iota
	Exact
)

// torus is a torus and how its routers choose.
type torus struct {
	K, N     int
	OneWay   bool
	Tie      grid.Tie
	Function Function
	Form     Form
	Reading  Reading
	Status   Status
	History  History
	Bound    int // 0 stands for 2
}

func (o torus) options() Options {
	return Options{K: o.K, N: o.N, OneWay: o.OneWay, Tie: o.Tie, Function: o.Function, Form: o.Form, Reading: o.Reading}
}

func (o torus) directions(g *grid.Grid, v, dest spec.NodeID) []direction {
	return o.options().directions(g, v, dest)
}

func gridOf(o torus) (*grid.Grid, error) { return newGrid(o.options()) }

// Packet is a source and a destination.
type Packet struct{ From, To spec.NodeID }

// Traffic is what is sent in a machine.
type Traffic struct {
	Packets       []Packet
	Who           string // "far" and the like, in place of Packets
	Again         bool
	InFlight      int // 0: any number
	Ready, Spares bool
}

// Machine is a machine with its torus.
type Machine struct {
	*program.Machine
	o        torus
	t        Traffic
	g        *grid.Grid
	relation routing.Relation
	fields   map[string]int // by name
	pairs    []pair
	channels map[string][]int // variables of channels, by meaning; -1: none
}

// pair is two outputs of a router whose history a machine keeps, and the variable.
type pair struct {
	a, b spec.ChannelID
	x    int
}

// settings are the parameters of packets.star.
func settings(o torus, t Traffic) map[string]string {
	yes := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	who := t.Who
	for i, p := range t.Packets {
		who += yes(i > 0, ",", "") + fmt.Sprintf("%d-%d", p.From, p.To)
	}
	set := map[string]string{
		"k": fmt.Sprint(o.K), "n": fmt.Sprint(o.N), "way": yes(o.OneWay, "one", "both"), "tie": grid.TieNames[o.Tie],
		"function": Names[o.Function], "reading": ReadingNames[o.Reading], "form": machineForms[o.Form],
		"status": yes(o.Status == Present, "present", "clock-old"), "history": yes(o.History == Exact, "exact", "open"), "bound": "2",
		"traffic": yes(t.Again, "again", "once"), yes(t.Again, "flows", "packets"): who,
		"in-flight": fmt.Sprint(t.InFlight), "sources": yes(t.Ready, "ready", "commit"), "spares": yes(t.Spares, "yes", "no"),
	}
	if o.Bound > 0 {
		set["bound"] = fmt.Sprint(o.Bound)
	}
	return set
}

// NewMachine reads packets.star with replacements in its text.
func NewMachine(t testing.TB, o torus, traffic Traffic, replace ...string) (*Machine, error) {
	t.Helper()
	text := catalogue.File(files, "packets.star").Text()
	for i := 0; i < len(replace); i += 2 {
		if strings.Count(text, replace[i]) != 1 {
			t.Fatalf("packets.star does not have %q once", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	f, err := star.Load(t.Context(), "packets.star", []byte(text), star.Options{Set: settings(o, traffic)})
	if err != nil {
		return nil, err
	}
	m, err := f.Program.Machine()
	if err != nil {
		return nil, err
	}
	g, err := gridOf(o)
	if err != nil {
		return nil, err
	}
	def, err := o.options().starChannel(g)
	if err != nil {
		return nil, err
	}
	fields := map[string]int{}
	for i, field := range m.Layout().Fields() {
		fields[field.Name] = i
	}
	all := &Machine{Machine: m, o: o, t: traffic, g: g, relation: def.Routing, fields: fields, channels: map[string][]int{}}
	for _, what := range []string{"holds", "commits_to", "came_now", "was_taken", "taken_earlier"} {
		for c := range spec.ChannelID(g.Channels()) {
			x, is := fields[what+"["+g.ChannelName(c)+"]"]
			if !is {
				x = -1
			}
			all.channels[what] = append(all.channels[what], x)
		}
	}
	all.findPairs()
	return all, nil
}

func machine(t testing.TB, o torus, traffic Traffic, replace ...string) *Machine {
	t.Helper()
	m, err := NewMachine(t, o, traffic, replace...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// held is the content of the channels: destinations.
func (m *Machine) held(s []uint64) map[spec.ChannelID]spec.NodeID {
	in := map[spec.ChannelID]spec.NodeID{}
	for i, x := range m.channels["holds"] {
		if x < 0 {
			continue
		}
		c := spec.ChannelID(i)
		if v := m.Layout().Fields()[x].Of(s); v > 0 {
			dest := strings.TrimPrefix(m.Program().Variables[x].Names[v], "for ")
			for node := range spec.NodeID(m.g.Nodes()) {
				if m.g.Node(node).Name == dest {
					in[c] = node
				}
			}
		}
	}
	return in
}

// findPairs finds the pairs of outputs.
func (m *Machine) findPairs() {
	output := func(c spec.ChannelID) string {
		name := m.g.ChannelName(c)
		if m.o.Function == LD {
			name = name[:len(name)-len(" CH")]
		}
		return name
	}
	for a := range spec.ChannelID(m.g.Channels()) {
		for b := range spec.ChannelID(m.g.Channels()) {
			if m.o.Function == LD && m.g.VC(a)+m.g.VC(b) > 0 {
				continue
			}
			if x, kept := m.fields["used["+output(a)+","+output(b)+"]"]; kept {
				m.pairs = append(m.pairs, pair{a, b, x})
			}
		}
	}
}
