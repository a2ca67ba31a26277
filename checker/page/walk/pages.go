package walk

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/page/internal/figure"
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
		if _, err := w.along(*o.Trace); err != nil {
			return nil, fmt.Errorf("the trace: %w", err)
		}
	}
	if w.traffic == nil {
		p.claims = states.ClaimsOf(o.Machine)
		return p, nil
	}
	if top := w.traffic.Network().Topology(); top.Nodes() <= limits.Nodes && top.Links() <= limits.Links && top.Channels() <= 4*limits.Links {
		all := graph.Identity[spec.ChannelID](top.Channels())
		p.whole = figure.Draw(top, figure.Options{ID: "topology", Limits: limits, Matter: all})
	}
	return p, nil
}

var limits = figure.Limits{Nodes: 300, Links: 1500}

func address(r Run) string { return "walk/" + r.String() }

// first shows the initial state.
func (p *pages) first(w http.ResponseWriter, r *http.Request) { p.show(w, r, Run{}, "") }

// state shows the state that a run leads to.
func (p *pages) state(w http.ResponseWriter, r *http.Request) {
	run, err := ParseRun(r.PathValue("run"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	p.show(w, r, run, "../")
}

func (p *pages) show(w http.ResponseWriter, r *http.Request, run Run, up string) {
	find := r.URL.Query().Get("find")
	if len(find) > 200 {
		http.Error(w, "the search text is too long", http.StatusBadRequest)
		return
	}
	at := spec.NodeID(-1)
	if text := r.URL.Query().Get("at"); text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 {
			http.Error(w, "invalid node: want its number", http.StatusBadRequest)
			return
		}
		at = spec.NodeID(n)
	}
	v, err := p.view(run, find, at)
	var none *notFound
	switch {
	case errors.As(err, &none):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var b bytes.Buffer
	if err := p.template.ExecuteTemplate(&b, "walk", struct {
		*view
		Up string
	}{v, up}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}

// view makes the page of a state, with the injections of one node.
func (p *pages) view(run Run, find string, at spec.NodeID) (*view, error) {
	states, err := p.along(run)
	if err != nil {
		return nil, err
	}
	v := &view{Title: p.title(), Run: run.String(), Steps: len(run.Choices), Find: find}
	now := states[len(states)-1]
	var before []uint64
	if len(states) > 1 {
		before = states[len(states)-2]
		v.Back, v.First = &link{address(run.after(len(run.Choices) - 1)), "Back"}, &link{address(run.after(0)), "To the start"}
		for i, s := range states[:len(states)-1] {
			if slices.Equal(s, now) {
				v.Before = &link{address(run.after(i)), fmt.Sprintf("after step %d", i)}
				break
			}
		}
	}
	if len(p.starts) > 1 {
		for i, s := range p.starts {
			if i == mostMoves {
				break
			}
			v.Starts = append(v.Starts, link{address(Run{Start: i}), p.m.Layout().Text(s)})
		}
	}
	p.follow(v, run)
	p.fields(v, before, now)
	if err := p.history(v, run, states); err != nil {
		return nil, err
	}
	if err := p.moves(v, run, now, at); err != nil {
		return nil, err
	}
	if p.traffic != nil {
		return v, p.network(v, run, states)
	}
	p.machine(v, now)
	return v, nil
}
