package walk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// mostSearched bounds the states in which a violation is looked for.
const mostSearched = 100_000

// violation leads to the nearest state behind that of a run in which something is violated.
func (p *pages) violation(w http.ResponseWriter, r *http.Request) {
	run, err := ParseRun(r.PathValue("run"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	along, err := p.along(run)
	if err == nil {
		var way []int
		if way, err = p.search(r.Context(), along[len(along)-1]); err == nil {
			run.Choices = slices.Concat(run.Choices, way)
			w.Header().Set("Location", "../"+address(run)) // the token stands before it
			w.WriteHeader(http.StatusSeeOther)
			return
		}
	}
	code := http.StatusInternalServerError
	if none := new(notFound); errors.As(err, &none) {
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}

// search returns a shortest way from a state to another one that violates something:
// breadth first, among so many states. The error is a *notFound if there is none.
func (p *pages) search(ctx context.Context, from []uint64) ([]int, error) {
	type visit struct {
		s      []uint64
		before int // number of the visit
		choice int
	}
	key := func(s []uint64) string { return fmt.Sprint(s) }
	seen := map[string]bool{key(from): true}
	all := []visit{{s: from, before: -1}}
	for at := 0; at < len(all); at++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		options, err := p.options(all[at].s)
		if at > 0 && (err != nil || p.violated(all[at].s, options.count())) {
			var way []int
			for ; all[at].before >= 0; at = all[at].before {
				way = append(way, all[at].choice)
			}
			slices.Reverse(way)
			return way, nil
		}
		if err != nil {
			continue
		}
		for i := range options.count() {
			after, err := options.after(i)
			if err != nil {
				return nil, err
			}
			if k := key(after); !seen[k] && len(all) < mostSearched {
				seen[k] = true
				all = append(all, visit{after, at, i})
			}
		}
	}
	among := "all states that can be reached from here"
	if len(all) == mostSearched {
		among = fmt.Sprintf("the next %d states", mostSearched)
	}
	return nil, &notFound{fmt.Sprintf("nothing is violated in %s: go back, or let unknot check decide", among)}
}

// violated reports whether a state with so many moves violates an invariant, or is a deadlock.
func (p *pages) violated(s []uint64, moves int) bool {
	if p.traffic != nil {
		return len(p.traffic.Stuck(p.traffic.Decode(s))) > 0
	}
	return moves == 0 && (p.claims.Final == nil || !p.claims.Final(s)) ||
		slices.ContainsFunc(p.claims.Invariants, func(v states.Invariant) bool { return v.Cover == "" && v.Broken(s) })
}
