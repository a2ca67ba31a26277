package report

import (
	_ "embed"
	"encoding/json"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Version is the version of the JSON form of results and events. It is raised when a
// field changes its meaning or is removed; fields may be added without raising it.
const Version = evidence.ResultVersion

// Schema is the JSON Schema (draft 2020-12) of what [WriteJSON] and [Events]
// write, and of what the commands print around it.
//
//go:embed result.schema.json
var Schema string

// WriteJSON writes one result in its JSON form; see [Schema].
func WriteJSON(w io.Writer, r *Result) error {
	return writeIndented(w, r)
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // names of channels have arrows
	return e.Encode(v)
}

// MarshalJSON writes the form that [Schema] describes.
func (r *Result) MarshalJSON() ([]byte, error) {
	machine := r.Census == nil && r.Digest == "" && r.Err == nil // a machine that is not the traffic of a network
	out := object{{"version", Version}, {"network", given(r.Name)}, {"file", given(r.File)}}
	if machine {
		out[1].name = "machine"
	}
	if r.Err != nil {
		out = append(out, member{"error", r.Err.Error()})
	}
	out = append(out, object{{"digest", given(r.Digest)}, {"switching", given(r.Switching)}}...)
	if c := r.Census; c != nil {
		out = append(out, member{"census", object{
			{"nodes", c.Nodes}, {"links", c.Links}, {"channels", c.Channels}, {"unused", c.Unused},
			{"flows", c.Flows}, {"sites", c.Sites}, {"dependencies", c.Edges}, {"discards", r.discards()},
		}})
	}
	if s := r.Space; s != nil {
		unsaved := ""
		if s.Unsaved != nil {
			unsaved = s.Unsaved.Error()
		}
		out = append(out, member{"space", object{
			{"complete", s.Complete}, {"ended", given(s.Ended.String())},
			{"states", s.States}, {"expanded", s.Expanded}, {"transitions", s.Transitions},
			{"levels", s.Levels}, {"widest", s.Widest}, {"bits", s.Bits}, {"visited", given(s.Visited)},
			{"local_deadlocks", s.Local}, {"weak_deadlocks", s.Weak}, {"global_deadlocks", s.Global},
			{"halts", s.Halts}, {"digest", given(s.Digest)}, {"reduced", given(words.Written(s.Reduced))},
			{"never_possible", given(s.Idle)}, {"steps_by_rule", fired(s.Fired)}, {"conditions", conditions(s.Whens)},
			{"uncounted", given(uncounted(s))}, {"unsaved", given(unsaved)},
		}})
	}
	properties := []any{}
	for i := range r.Properties {
		properties = append(properties, r.Properties[i].json())
	}
	return append(out, member{"properties", properties}).MarshalJSON()
}

// committed is the alternative to which a packet is committed, if it is to one.
func committed(alternative, of int) any {
	if of == 0 {
		return absent{}
	}
	return object{{"number", alternative}, {"of", of}}
}

func (p *Property) json() object {
	expected := ""
	if p.Expected != spec.Holds {
		expected = p.Expected.String()
	}
	var cycle, trace []any
	for _, d := range p.Cycle {
		next := "waits_for"
		if d.Moves {
			next = "goes_to"
		}
		cycle = append(cycle, object{
			{"packet", d.Packet}, {"alternative", committed(d.Alternative, d.Alternatives)}, {"holds", d.Holds}, {next, d.WaitsFor},
			{"queued", given(d.Queued)}, {"rule", reason(d.Rule)},
		})
	}
	for _, s := range p.Steps {
		after, changed := "-", []any(nil)
		for i, c := range s.Changes {
			after = []string{"", after + " "}[min(i, 1)] + c.Field + "=" + c.After
			changed = append(changed, object{{"field", c.Field}, {"before", c.Before}, {"after", c.After}})
		}
		trace = append(trace, object{
			{"text", s.Text}, {"alternative", committed(s.Alternative, s.Alternatives)},
			{"changes", after}, {"changed", given(changed)}, {"rule", reason(s.Rule)},
		})
	}
	return object{
		{"property", p.Name}, {"verdict", p.Verdict.String()}, {"expected", given(expected)}, {"because", p.Because.String()},
		{"argument", argued(p.Argument)}, {"method", given(p.Method)}, {"assumptions", given(words.Written(p.Assumptions))},
		{"vacuous", given(p.Vacuous)}, {"notes", given(words.Written(p.Notes))}, {"facts", p.facts()},
		{"evidence", given(p.Evidence)}, {"certificate", given(p.Certificate)}, {"steps", given(len(p.Steps))},
		{"stuck", given(ids(p.Stuck))}, {"candidate", given(ids(p.Candidate))}, {"fault", given(p.Fault)},
		{"scenario", given(p.Scenario)}, {"once", given(p.Once)},
		{"cycle", given(cycle)}, {"decisive", unlessNegative(p.Decisive)}, {"rule", reason(p.Rule)},
		{"trace", given(trace)}, {"back", unlessNegative(p.Back)}, {"ending", given(p.Ending)},
	}
}

// Facts returns what a sentence says as values for JSON: each fact is an object with its name, "fact", and with its
// numbers and names under their own keys.
func Facts(s words.Sentence) []map[string]any { return findings.Data(s) }

// facts are what the sentences of a property say, as data: those of because, and lists of those of each assumption and
// note.
func (p *Property) facts() object {
	each := func(all []words.Sentence) (data []any) {
		for _, s := range all {
			data = append(data, Facts(s))
		}
		return data
	}
	return object{
		{"because", Facts(p.Because)}, {"assumptions", given(each(p.Assumptions))}, {"notes", given(each(p.Notes))},
	}
}

// discards says where packets may be discarded, if they may be.
func (r *Result) discards() any {
	d := r.Census.Discards
	if d.Sites == 0 {
		return absent{}
	}
	h := d.First.Header
	return object{{"sites", d.Sites}, {"flows", d.Flows}, {"first", object{
		{"channel", d.First.Channel}, {"dest", h.Dest}, {"class", h.Class}, {"tag", h.Tag}, {"text", r.discarding},
	}}}
}

// argued returns what a verdict rests on by name, with its source in the literature.
func argued(a checker.Argument) any {
	if a == checker.NoArgument {
		return absent{}
	}
	return object{{"name", a.String()}, {"source", given(a.Source())}}
}

func reason(r spec.Reason) any {
	if r.Text == "" {
		return absent{}
	}
	return object{{"text", r.Text}, {"file", given(r.File)}, {"line", given(r.Line)}, {"col", given(r.Col)}}
}

func fired(rules []checker.Fired) any {
	var all []any
	for _, f := range rules {
		all = append(all, object{{"rule", f.Rule}, {"steps", f.Steps}})
	}
	return given(all)
}

func conditions(whens []star.When) any {
	var all []any
	for _, w := range whens {
		all = append(all, object{
			{"rule", w.Rule}, {"file", w.File}, {"line", w.Line}, {"col", w.Col}, {"why", given(w.Why)},
			{"held", w.Held}, {"refused", w.Refused},
		})
	}
	return given(all)
}

func ids(channels []Channel) []spec.ChannelID {
	var out []spec.ChannelID
	for _, c := range channels {
		out = append(out, c.ID)
	}
	return out
}
