package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
)

// Version is that of the JSON form of results and events. It is raised when a
// field changes its meaning or goes; fields may be added without it.
const Version = 2

// Schema is the JSON Schema (draft 2020-12) of what [WriteJSON] and [Events]
// write, and of what the commands print around it.
//
//go:embed result.schema.json
var Schema string

// WriteJSON writes one result in its JSON form, see [Schema].
func WriteJSON(w io.Writer, r *Result) error {
	return writeIndented(w, r)
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // names of channels have arrows
	return e.Encode(v)
}

// resultJSON is the form of a result.
type resultJSON struct {
	Version    int            `json:"version"`
	Network    string         `json:"network,omitempty"` // its name
	Machine    string         `json:"machine,omitempty"` // its name, if it is no network's traffic
	File       string         `json:"file,omitempty"`
	Error      string         `json:"error,omitempty"`
	Digest     string         `json:"digest,omitempty"` // of the network
	Switching  string         `json:"switching,omitempty"`
	Census     *censusJSON    `json:"census,omitempty"`
	Space      *spaceJSON     `json:"space,omitempty"`
	Properties []propertyJSON `json:"properties"`
}

type censusJSON struct {
	Nodes    int `json:"nodes"`
	Links    int `json:"links"`
	Channels int `json:"channels"`
	Unused   int `json:"unused"`
	Flows    int `json:"flows"`
	Sites    int `json:"sites"`
	Edges    int `json:"dependencies"`
}

// spaceJSON is the form of what was explored.
type spaceJSON struct {
	Complete    bool   `json:"complete"`
	Ended       string `json:"ended,omitempty"`
	States      int64  `json:"states"`
	Expanded    int64  `json:"expanded"`
	Transitions int64  `json:"transitions"`
	Levels      int    `json:"levels"`
	Widest      int64  `json:"widest"`
	Bits        int    `json:"bits"`
	Local       int64  `json:"local_deadlocks"`
	Weak        int64  `json:"weak_deadlocks"`
	Global      int64  `json:"global_deadlocks"`
	Halts       int64  `json:"halts"`
	Digest      string `json:"digest,omitempty"`  // of the set of states
	Unsaved     string `json:"unsaved,omitempty"` // why the last checkpoint could not be saved
}

type propertyJSON struct {
	Property    string           `json:"property"`
	Verdict     string           `json:"verdict"`
	Expected    string           `json:"expected,omitempty"` // if not "holds"
	Because     string           `json:"because"`
	Method      string           `json:"method,omitempty"`
	Assumptions []string         `json:"assumptions,omitempty"`
	Vacuous     bool             `json:"vacuous,omitempty"`
	Notes       []string         `json:"notes,omitempty"`
	Evidence    string           `json:"evidence,omitempty"`
	Certificate string           `json:"certificate,omitempty"`
	Steps       int              `json:"steps,omitempty"` // of the trace or run
	Stuck       []spec.ChannelID `json:"stuck,omitempty"`
	Candidate   []spec.ChannelID `json:"candidate,omitempty"`
	Fault       string           `json:"fault,omitempty"`
	Scenario    string           `json:"scenario,omitempty"`
	Cycle       []dependencyJSON `json:"cycle,omitempty"`
	Decisive    *int             `json:"decisive,omitempty"` // number in cycle, from 0
	Rule        *ruleJSON        `json:"rule,omitempty"`
	Trace       []stepJSON       `json:"trace,omitempty"`
	Back        *int             `json:"back,omitempty"` // number in trace, from 0
	Ending      string           `json:"ending,omitempty"`
}

type dependencyJSON struct {
	Packet   string    `json:"packet"`
	Holds    []Channel `json:"holds"`
	WaitsFor *Channel  `json:"waits_for,omitempty"`
	GoesTo   *Channel  `json:"goes_to,omitempty"` // in a loop
	Queued   bool      `json:"queued,omitempty"`
	Rule     *ruleJSON `json:"rule,omitempty"`
}

type ruleJSON struct {
	Text string `json:"text"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

type stepJSON struct {
	Text    string    `json:"text"`
	Changes string    `json:"changes"`
	Rule    *ruleJSON `json:"rule,omitempty"`
}

// MarshalJSON writes the form that [Schema] describes.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{Version: Version, File: r.File, Digest: r.Digest, Switching: r.Switching, Census: (*censusJSON)(r.Census), Properties: []propertyJSON{}}
	if r.Census == nil && r.Digest == "" && r.Err == nil {
		out.Machine = r.Name
	} else {
		out.Network = r.Name
	}
	for i := range r.Properties {
		out.Properties = append(out.Properties, r.Properties[i].json())
	}
	if s := r.Space; s != nil {
		out.Space = &spaceJSON{
			Complete: s.Complete, Ended: s.Ended, States: s.States, Expanded: s.Expanded, Transitions: s.Transitions,
			Levels: s.Levels, Widest: s.Widest, Bits: s.Bits, Local: s.Local, Weak: s.Weak, Global: s.Global, Halts: s.Halts, Digest: s.Digest, Unsaved: s.Unsaved,
		}
	}
	if r.Err != nil {
		out.Error = r.Err.Error()
	}
	return plainJSON(out)
}

// plainJSON is json.Marshal without escapes for HTML.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func (p *Property) json() propertyJSON {
	out := propertyJSON{
		Property: p.Name, Verdict: p.Verdict.String(), Because: p.Because, Method: string(p.Method), Assumptions: p.Assumptions, Vacuous: p.Vacuous, Notes: p.Notes,
		Evidence: p.Evidence, Certificate: p.Certificate, Stuck: ids(p.Stuck), Candidate: ids(p.Candidate),
		Fault: p.Fault, Scenario: p.Scenario, Steps: len(p.Steps), Rule: p.Rule.json(), Ending: p.Ending,
	}
	if p.Expected != spec.Holds {
		out.Expected = p.Expected.String()
	}
	for _, d := range p.Cycle {
		x := dependencyJSON{Packet: d.Packet, Holds: d.Holds, Queued: d.Queued, Rule: d.Rule.json()}
		if d.Moves {
			x.GoesTo = &d.WaitsFor
		} else {
			x.WaitsFor = &d.WaitsFor
		}
		out.Cycle = append(out.Cycle, x)
	}
	if p.Decisive >= 0 {
		out.Decisive = &p.Decisive
	}
	for _, s := range p.Steps {
		out.Trace = append(out.Trace, stepJSON{s.Text, s.Changes, s.Rule.json()})
	}
	if p.Back >= 0 {
		out.Back = &p.Back
	}
	return out
}

func (r Rule) json() *ruleJSON {
	if r.Text == "" {
		return nil
	}
	return &ruleJSON{r.Text, r.File, r.Line, r.Col}
}

func ids(channels []Channel) []spec.ChannelID {
	var out []spec.ChannelID
	for _, c := range channels {
		out = append(out, c.ID)
	}
	return out
}
