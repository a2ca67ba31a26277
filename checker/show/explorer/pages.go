package explorer

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

//go:embed walk.html
var walkText string

//go:embed walk.css
var walkStyle string

//go:embed walk.js
var walkScript string

// What a page shows at most.
const (
	mostMoves      = 200
	mostInjections = 20 // beyond these, only those of one node at a time
	mostRun        = 60
	mostRows       = 400
	fewFields      = 40 // of a machine: shown even where they are 0
)

// pages makes the pages of a walk.
type pages struct {
	*walker
	template *template.Template
	style    string
	trace    *Run
	claims   states.Claims
	whole    *figure.Topology // all of a network, with room for every channel; nil if that is too large
}

func newPages(o Options) (*pages, error) {
	if o.Machine == nil {
		return nil, errors.New("no machine to walk")
	}
	w, err := newWalker(o.Machine)
	if err != nil {
		return nil, err
	}
	p := &pages{walker: w, style: figure.Style + walkStyle, trace: o.Trace}
	if p.template, err = template.New("walk").Parse(figure.Templates); err == nil {
		p.template, err = p.template.Parse(walkText)
	}
	if err != nil {
		return nil, err
	}
	if o.Trace != nil {
		if _, err := w.statesOf(*o.Trace); err != nil {
			return nil, fmt.Errorf("the trace: %w", err)
		}
	}
	if w.traffic == nil {
		p.claims = states.ClaimsOf(o.Machine)
		return p, nil
	}
	if top := w.traffic.Network().Topology(); top.Nodes() <= limits.Nodes && top.Links() <= limits.Links &&
		top.Channels() <= 4*limits.Links {
		all := graph.Identity[spec.ChannelID](top.Channels())
		p.whole = figure.Draw(top, figure.Options{ID: "topology", Limits: limits, Matter: all})
	}
	return p, nil
}

var limits = figure.Limits{Nodes: 300, Links: 1500}
