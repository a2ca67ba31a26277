package explorer

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// start shows the initial state.
func (p *pages) start(w http.ResponseWriter, r *http.Request) { p.show(w, r, Run{}, "") }

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
	states, err := p.statesOf(run)
	if err != nil {
		return nil, err
	}
	v := &view{Title: p.title(), Run: run.String(), Steps: len(run.Choices), Find: find}
	now := states[len(states)-1]
	var before []uint64
	if len(states) > 1 {
		before = states[len(states)-2]
		v.Back = &link{address(run.prefix(len(run.Choices) - 1)), "Back"}
		v.First = &link{address(run.prefix(0)), "To the start"}
		for i, s := range states[:len(states)-1] {
			if slices.Equal(s, now) {
				v.Before = &link{address(run.prefix(i)), fmt.Sprintf("after step %d", i)}
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
