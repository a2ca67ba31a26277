package explorer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
)

// A search visits no more states, and takes no more steps: a state of a large machine may have
// thousands.
const (
	mostSearched = 100_000
	mostTried    = 2_000_000
)

// wanted reports whether a search ends in a state with the given number of moves; moves is -1
// if a rule fails there.
type wanted func(s []uint64, moves int) bool

// violation leads to the nearest state after that of a run in which something is violated.
func (p *pages) violation(w http.ResponseWriter, r *http.Request) {
	p.lead(w, r, func(s []uint64, moves int) bool { return moves < 0 || p.violated(s, moves) },
		"nothing is violated in %s: go back, or let unknot check decide")
}

// goal leads to the nearest state after that of a run in which the condition of the query holds.
func (p *pages) goal(w http.ResponseWriter, r *http.Request) {
	where := r.URL.Query().Get("where")
	holds, err := condition(p.m.Layout(), where)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.lead(w, r, func(s []uint64, _ int) bool { return holds(s) }, "no such state among %s")
}

// condition reads "NAME = VALUE and NAME = VALUE", with names and values as the page shows
// them.
func condition(l *states.Layout, text string) (func(s []uint64) bool, error) {
	const most = 1000 // bytes
	if len(text) > most {
		return nil, fmt.Errorf("the condition is too long: want at most %d bytes", most)
	}
	terms, err := conjuncts(l.Fields(), text, map[string]bool{})
	if err != nil {
		return nil, err
	}
	return func(s []uint64) bool {
		return !slices.ContainsFunc(terms, func(t term) bool { return t.field.Text(s) != t.value })
	}, nil
}

// term is the condition that a field has a value.
type term struct {
	field states.Field
	value string // as shown
}

// conjuncts reads the terms of a condition. Names and values may have = and the word and in them, so it tries every
// name that the text begins with and every end of its value. dead are the texts known not to be conditions; the error
// is that of the first name and the shortest value.
func conjuncts(fields []states.Field, text string, dead map[string]bool) ([]term, error) {
	const and = " and "
	text = strings.TrimSpace(text)
	end, _, _ := strings.Cut(text, and)
	wrong := fmt.Errorf("invalid condition %.100q: want NAME = VALUE and ..., with names that the page shows", end)
	if dead[text] {
		return nil, wrong
	}
	first := true
	for _, f := range fields {
		rest, named := strings.CutPrefix(text, f.Name)
		rest, is := strings.CutPrefix(strings.TrimSpace(rest), "=")
		if !named || !is {
			continue
		}
		for from := 0; ; {
			cut := strings.Index(rest[from:], and)
			value := rest
			if cut >= 0 {
				value = rest[:from+cut]
			}
			t := term{f, strings.TrimSpace(value)}
			err := possible(&f, t.value)
			if err == nil && cut < 0 {
				return []term{t}, nil
			}
			if err == nil {
				var others []term
				if others, err = conjuncts(fields, rest[from+cut+len(and):], dead); err == nil {
					return append(others, t), nil
				}
			}
			if first {
				wrong, first = err, false
			}
			if cut < 0 {
				break
			}
			from += cut + 1
		}
	}
	dead[text] = true
	return nil, wrong
}

// possible refuses a text that is not a value of a field as shown.
func possible(f *states.Field, value string) error {
	const most = 1 << 12
	var names []string
	for v := range min(f.Values, most) {
		name := fmt.Sprint(v)
		if f.Show != nil {
			name = f.Show(v)
		}
		if name == value {
			return nil
		}
		names = append(names, name)
	}
	if f.Values > most { // nobody reads a list that long
		return nil
	}
	const shown = 8
	if len(names) > shown {
		names = append(names[:shown], "...")
	}
	return fmt.Errorf("invalid value %.100q of %s: want %s", value, f.Name, strings.Join(names, ", "))
}

// lead answers with the address of the nearest wanted state after that of a run; none is
// the message if the search finds none.
func (p *pages) lead(w http.ResponseWriter, r *http.Request, want wanted, none string) {
	run, err := ParseRun(r.PathValue("run"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	along, err := p.statesOf(run)
	if err == nil {
		var path []int
		if path, err = p.search(r.Context(), along[len(along)-1], want, none); err == nil {
			run.Choices = slices.Concat(run.Choices, path)
			w.Header().Set("Location", "../"+address(run)) // after the token
			w.WriteHeader(http.StatusSeeOther)
			return
		}
	}
	code := http.StatusInternalServerError
	if absent := new(notFound); errors.As(err, &absent) {
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}

// search returns a shortest path from a state to a wanted one, breadth first, within a bound
// on the states. The error is a *notFound if no path exists.
func (p *pages) search(ctx context.Context, from []uint64, want wanted, none string) ([]int, error) {
	type visit struct{ before, choice int } // the number of the state before, and of the move that was made there
	var seen intern.Slices[uint64]
	seen.Number(hash.Words(0, from), from)
	all := []visit{{before: -1}} // by number of the state
	looked, tried := 0, 0
	for ; looked < len(all) && tried < mostTried; looked++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moves := -1
		s := seen.Slice(int32(looked))
		options, err := p.options(s)
		if err == nil {
			moves = options.count()
		}
		if looked > 0 && want(s, moves) {
			var path []int
			for at := looked; all[at].before >= 0; at = all[at].before {
				path = append(path, all[at].choice)
			}
			slices.Reverse(path)
			return path, nil
		}
		tried += max(0, moves)
		for i := range moves {
			if len(all) == mostSearched {
				break
			}
			after, err := options.successor(i)
			if err != nil {
				return nil, err
			}
			if _, added := seen.Number(hash.Words(0, after), after); added {
				all = append(all, visit{looked, i})
			}
		}
	}
	among := "all states that can be reached from here"
	if len(all) == mostSearched || looked < len(all) {
		among = fmt.Sprintf("the next %d states", looked)
	}
	return nil, &notFound{fmt.Sprintf(none, among)}
}

// violated reports whether a state with that number of moves violates an invariant, or is a deadlock.
func (p *pages) violated(s []uint64, moves int) bool {
	if p.traffic != nil {
		return len(p.traffic.Stuck(p.traffic.Decode(s))) > 0
	}
	return moves == 0 && (p.claims.Final == nil || !p.claims.Final(s)) ||
		slices.ContainsFunc(p.claims.Invariants, func(v states.Invariant) bool { return v.Cover == "" && v.Broken(s) })
}
