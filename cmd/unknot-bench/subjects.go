package main

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// subject is a network that every engine explores.
type subject struct {
	name, about string
	model       string
	set         map[string]string
	to          []string // nodes that packets are sent to; empty: all
	states      int64    // known beforehand
	transitions int64
}

// subjects are networks whose counts were computed independently of this
// project.
func subjects() []subject {
	return []subject{
		{"torus-3x3", "3x3 torus, dimension order, 2 VCs crossing the dateline, three destinations", "torus",
			map[string]string{"k": "3", "routing": "crossing"}, []string{"(0,0)", "(0,1)", "(1,1)"}, 2985984, 52752384},
		{"ring-7", "one-way ring of 7", "ring", map[string]string{"n": "7"}, nil, 823543, 6353046},
		{"ring-8", "one-way ring of 8", "ring", map[string]string{"n": "8"}, nil, 16777216, 146800640},
	}
}

func subjectNames() []string {
	var names []string
	for _, s := range subjects() {
		names = append(names, s.name)
	}
	return names
}

// network compiles the subject, with store-and-forward switching.
func (s subject) network(ctx context.Context) (*spec.Network, error) {
	e, ok := models.Find(s.model)
	if !ok {
		return nil, fmt.Errorf("no model is called %s", s.model)
	}
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
