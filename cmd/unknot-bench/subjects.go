package main

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// subject is a network or a machine that every engine explores.
type subject struct {
	name, about string
	model       string
	set         map[string]string
	to          []string // networks: nodes that packets are sent to; empty: all
	packets     int      // networks: bound on the packets in all; 0: none
	states      int64    // known beforehand
	transitions int64
}

// subjects are networks whose counts were computed independently of this project, and
// machines of every kind that keep all their invariants.
func subjects() []subject {
	network := func(
		name, about, model string, set map[string]string, to []string, packets int, states, transitions int64,
	) subject {
		return subject{name, about, model, set, to, packets, states, transitions}
	}
	machine := func(name, about, model string, set map[string]string, states, transitions int64) subject {
		return subject{name, about, model, set, nil, 0, states, transitions}
	}
	crossing := map[string]string{"k": "3", "routing": "crossing"}
	return []subject{
		network("torus-3x3", "3x3 torus, dimension order, 2 VCs crossing the dateline, three destinations", "torus",
			crossing, []string{"(0,0)", "(0,1)", "(1,1)"}, 0, 2985984, 52752384),
		network("torus-3x3-four",
			"3x3 torus, dimension order, 2 VCs crossing the dateline, four destinations, 6 packets", "torus",
			crossing, []string{"(0,0)", "(0,1)", "(1,1)", "(2,2)"}, 6, 1224148, 12925600),
		network("ring-7", "one-way ring of 7", "ring", map[string]string{"n": "7"}, nil, 0, 823543, 6353046),
		network("ring-8", "one-way ring of 8", "ring", map[string]string{"n": "8"}, nil, 0, 16777216, 146800640),
		network("ring-8-dateline", "one-way ring of 8 with a dateline, 5 packets", "ring",
			map[string]string{"n": "8", "variant": "dateline"}, nil, 5, 2193386, 17619798),
		network("star-channel", "3x3 star-channel, two destinations, 5 packets", "star-channel",
			map[string]string{"k": "3"}, []string{"(0,0)", "(1,1)"}, 5, 3212280, 44563756),
		network("star-channel-4", "3x3 star-channel, two destinations, 4 packets", "star-channel",
			map[string]string{"k": "3"}, []string{"(0,0)", "(1,1)"}, 4, 319116, 3584300),
		machine("peterson-3", "Peterson's mutual exclusion of 3, a small file", "peterson",
			map[string]string{"n": "3"}, 882, 2646),
		machine("peterson-5", "Peterson's mutual exclusion of 5", "peterson",
			map[string]string{"n": "5"}, 628868, 3144340),
		machine("peterson-6", "Peterson's mutual exclusion of 6", "peterson",
			map[string]string{"n": "6"}, 17704917, 106229502),
		machine("two-phase-8", "two-phase commit of 8", "two-phase-commit",
			map[string]string{"managers": "8"}, 1745408, 18507777),
		machine("invalidate-ack", "invalidate/Ack, 4 clusters, two blocks, overflow marked", "invalidate-ack",
			map[string]string{"variant": "defer", "homes": "0,2", "link": "3", "resharing": "no", "overflow": "marked"},
			160905, 484024),
		machine("invalidate-ack-8", "invalidate/Ack, 8 clusters, two blocks", "invalidate-ack",
			map[string]string{"variant": "defer", "depth": "3", "homes": "0,4", "writers": "1,5", "link": "1",
				"resharing": "no"}, 12797210, 78567314),
		machine("invalidate-ack-writers", "invalidate/Ack, 8 clusters, three writers of a block", "invalidate-ack",
			map[string]string{"variant": "defer", "depth": "3", "homes": "0", "writers": "1,3,5", "link": "1",
				"resharing": "no"}, 667402, 3762954),
		machine("fetch-add", "Fetch&Add of 5 among 9 clusters", "fetch-add",
			map[string]string{"requesters": "5", "fan-out": "3"}, 1738692, 5903896),
		machine("rwc1-machine", "ring of 3 RWC-1 routers, all to all", "rwc1-machine",
			map[string]string{"n": "3", "window": "5", "streams": "all@0"}, 217512, 1149120),
	}
}

func subjectNames() []string {
	var names []string
	for _, s := range subjects() {
		names = append(names, s.name)
	}
	return names
}

// build makes the program that the other engines explore and, for a network with
// store-and-forward switching, what unknot explores.
func (s subject) build(ctx context.Context) (*program.Program, *spec.Network, error) {
	e, ok := models.Find(s.model)
	if !ok {
		return nil, nil, fmt.Errorf("no model is called %s", s.model)
	}
	if !e.IsMachine() {
		n, err := s.network(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		p, err := export.Network(n, spec.Scenario{Packets: s.packets})
		return p, n, err
	}
	m, err := e.Machine(s.set)
	if err != nil {
		return nil, nil, err
	}
	p, ok := m.(*program.Machine)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a program", s.model)
	}
	return p.Program(), nil, nil
}

func (s subject) network(ctx context.Context, e catalogue.Entry) (*spec.Network, error) {
	def, err := e.Define(s.set)
	if err != nil {
		return nil, err
	}
	def.Switching = spec.StoreAndForward
	if len(s.to) > 0 {
		keep := map[spec.NodeID]bool{}
		for _, name := range s.to {
			v, ok := def.Topology.NodeNamed(name)
			if !ok {
				return nil, fmt.Errorf("no node is called %s", name)
			}
			keep[v] = true
		}
		def.Flows = func(_, dst spec.NodeID, _ spec.Class) bool { return keep[dst] }
	}
	return routing.Compile(ctx, def, routing.CompileOptions{})
}
