package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Events writes NDJSON, one object a line: "started" for every network,
// "progress" at intervals, "finding" for every property, "finished" at the end.
// The lines are described by the definition "event" of [Schema].
//
// Only the lines between started and the findings depend on the speed of the machine.
// After an error of the writer nothing more is written; [Events.Err] returns it. The
// methods must not be called concurrently.
type Events struct {
	e     *json.Encoder
	err   error
	stage string
	share int64 // last reported share of the stage, in percent
	count int64 // last reported count
}

// NewEvents returns events that go to w, each with one call of Write.
func NewEvents(w io.Writer) *Events {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return &Events{e: e}
}

// Err returns the first error of the writer.
func (e *Events) Err() error { return e.err }

func (e *Events) write(v any) {
	if e.err == nil {
		if err := e.e.Encode(v); err != nil {
			e.err = fmt.Errorf("writing events: %w", err)
		}
	}
}

// Started says what is being checked, as the user named it.
func (e *Events) Started(name string) {
	e.stage, e.share, e.count = "", 0, 0
	e.write(object{{"event", "started"}, {"version", Version}, {"of", name}})
}

// Progress reports how far the work is, if that has changed by a percent of the
// stage or, if the total is not known, if the count has doubled.
func (e *Events) Progress(p routing.Progress) {
	var share int64
	if p.Total > 0 {
		share = 100 * p.Done / p.Total
	}
	if p.Stage == e.stage && share == e.share && (p.Total > 0 || p.Count < 2*e.count || p.Count == 0) {
		return
	}
	e.stage, e.share, e.count = p.Stage, share, p.Count
	e.write(object{
		{"event", "progress"}, {"stage", p.Stage},
		{"done", given(p.Done)}, {"total", given(p.Total)}, {"count", given(p.Count)}, {"unit", given(p.Unit)},
	})
}

// Exploring reports how far an exploration is. Its total is never known.
func (e *Events) Exploring(p states.Progress) {
	e.Progress(routing.Progress{Stage: "exploring", Count: p.States, Unit: "states"})
}

// Found reports every property of a result, or why it has none.
func (e *Events) Found(r *Result) {
	if r.Err != nil {
		e.write(object{{"event", "failed"}, {"of", r.Name}, {"error", r.Err.Error()}})
	}
	for i := range r.Properties {
		e.write(object{{"event", "finding"}, {"of", r.Name}, {"finding", r.Properties[i].json()}})
	}
}

// Finished counts the results, and the properties by verdict.
func (e *Events) Finished(results []Result) {
	expected, failed, verdicts := 0, 0, map[spec.Verdict]int{}
	for i := range results {
		r := &results[i]
		if !r.Failed() {
			expected++
		}
		if r.Err != nil {
			failed++
		}
		for _, p := range r.Properties {
			verdicts[p.Verdict]++
		}
	}
	e.write(object{
		{"event", "finished"}, {"results", len(results)}, {"as_expected", expected},
		{"violated", verdicts[spec.Violated]}, {"unknown", verdicts[spec.Unknown]}, {"failed", failed},
	})
}
