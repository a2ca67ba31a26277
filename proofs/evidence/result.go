package evidence

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// unknot writes a result beside the evidence, for programs that do not read evidence. A result must not say more than
// the evidence shows. So each of its fields is compared with the evidence, or is one of the claims, which are printed
// as such, or is refused. A result that lacks a field which the evidence determines is refused, too.

// ResultVersion is the version of the form of results.
const ResultVersion = 2

// claimed are the fields of a result that no evidence bears out. Of a property without a trace or run only the first
// six occur, and with verdict unknown those and the candidate.
var claimed = struct{ census, discards, space, property []string }{
	[]string{"dependencies"},
	[]string{"flows", "first"},
	[]string{"complete", "ended", "expanded", "levels", "widest", "bits", "visited", "local_deadlocks",
		"weak_deadlocks", "global_deadlocks", "halts",
		"reduced", "never_possible", "steps_by_rule", "conditions", "uncounted", "unsaved"},
	[]string{"because", "argument", "assumptions", "vacuous", "notes", "facts", "decisive", "rule", "trace", "ending"},
}

// told is what a result says of evidence.
type told struct {
	fields map[string]any // of its property, as the JSON decoder leaves them
	space  map[string]any // of the states, if the evidence has all of them
	trace  *Trace         // its last state has the cycle
	table  *addresses.Table
}

// toldBy returns what a result says of evidence that has been verified.
func toldBy(e Evidence) *told {
	s, t := e.Shown(), &told{}
	fields := map[string]any{"property": s.Property, "verdict": s.Verdict.String(), "evidence": e.Kind()}
	const static, explored = "static", "explored"
	switch e := e.(type) {
	case Certificate:
		fields["certificate"], fields["method"] = e.Certificate.Kind.String(), static
	case Unsatisfiability, Bubbles:
		fields["method"] = static
	case ClosedSet:
		var digest machines.SetDigest
		for _, state := range e.States {
			digest.Add(state)
		}
		fields["method"], t.space = explored,
			decoded(map[string]any{"states": len(e.States), "digest": digest.String()})
	case Count:
		fields["method"], t.space = explored,
			decoded(map[string]any{"states": e.States, "transitions": e.Transitions, "digest": e.Digest.String()})
	case Addresses:
		t.table = e.Table
	case Ranking, Rankings, FormulaRanking:
		fields["method"] = explored
	case Trace:
		t.trace = &e
		fields["fault"], fields["steps"], fields["stuck"], fields["back"] = e.Fault.String(), len(e.Moves),
			e.Stuck, e.Back
		if e.Fault != counterexamples.Loop {
			delete(fields, "back")
		}
		if len(e.Stuck) == 0 {
			delete(fields, "stuck")
		}
		if len(e.Moves) == 0 {
			delete(fields, "steps")
		}
	case Run:
		fields["method"], fields["fault"] = explored, string(e.Fault)
		if len(e.Steps) > 0 {
			fields["steps"] = len(e.Steps)
		}
		if e.Fault.Loops() && e.Back < len(e.Steps) {
			fields["back"] = e.Back
		}
	}
	if s.Under != nil {
		fields["scenario"] = s.Under.String()
		var once []any
		for _, f := range slices.SortedFunc(slices.Values(s.Under.Once), spec.Flow.Compare) {
			once = append(once, map[string]any{"source": f.Source, "dest": f.Target.Dest, "class": f.Target.Class})
		}
		if once != nil {
			fields["once"] = once
		}
	}
	t.fields = decoded(fields)
	return t
}

// decoded returns a JSON object as it is read.
func decoded(object map[string]any) (again map[string]any) {
	text, _ := json.Marshal(object) // texts and numbers
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&again)
	return again
}

// names are the properties of a result that the evidence may be about.
func (s Shown) names() []string {
	names := []string{s.Property}
	if s.Property == spec.DeadlockFreedom.String() && s.Verdict == spec.Holds && s.Under != nil && s.Under.Packets > 0 {
		names = append(names, "no deadlock of at most "+words.Plural(s.Under.Packets, "packet"))
	}
	return names
}

// bearsOut compares a folder's result with what its evidence, all of it verified, has shown. It refuses a result that
// is about another network or machine; that contradicts the evidence in any field, or keeps silent about a violation;
// that has a field which no result in a folder has; or that can mean one thing to this program and another to its
// reader. It returns an *UncheckedError if no evidence is about a property, and otherwise the fields that no evidence
// bears out, by name, for the caller to print. Without a result it accepts.
func bearsOut(ctx context.Context, dir string, s *Subject, shown []Shown, opt Options) (claims []string, err error) {
	file := filepath.Join(dir, ResultFile)
	text, err := opt.ReadFile(file)
	// A map has the keys as they are; a struct would take similar ones for its own.
	r, d := map[string]any{}, json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	once, fault := json.Marshal(json.RawMessage(text))
	err = cmp.Or(err, d.Decode(&r), fault)
	again, _ := json.Marshal(r) // in which each key occurs once
	properties, are := r["properties"].([]any)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &FileError{file, err}
	case !are || len(again) != len(once) || !utf8.Valid(text):
		return nil, fmt.Errorf("%s: want a list of properties, each key once, and texts without needless escapes", file)
	}
	c := &comparison{ctx: ctx, shown: shown, claims: map[string]bool{}, said: make([]bool, len(shown))}
	if err = c.subject(s, r); err != nil {
		return nil, &FileError{file, err}
	}
	var unchecked error
	for _, p := range properties {
		open := new(UncheckedError)
		p, _ := p.(map[string]any)
		switch err := c.property(p); {
		case errors.As(err, &open):
			unchecked = cmp.Or(unchecked, error(&FileError{file, open}))
		case err != nil:
			return nil, &FileError{file, err}
		}
	}
	for i, said := range c.said {
		if !said && shown[i].Verdict == spec.Violated { // what holds may go unsaid: a result then says less
			return nil, fmt.Errorf("%s: it does not say %q, which the evidence here shows",
				file, Freedom(shown[i].Property)+" "+shown[i].Verdict.String())
		}
	}
	return slices.Sorted(maps.Keys(c.claims)), unchecked
}

// claimsLine is the line that names the fields of a result that no evidence bears out: "census (dependencies), ...".
func claimsLine(fields []string) string {
	var b strings.Builder
	object := ""
	for _, name := range slices.Sorted(slices.Values(fields)) {
		of, field, _ := strings.Cut(name, ".")
		if of == object {
			b.WriteString(", " + field)
			continue
		}
		if object != "" {
			b.WriteString("), ")
		}
		object = of
		b.WriteString(of + " (" + field)
	}
	return fmt.Sprintf("unchecked: what %s says in %s)", ResultFile, b.String())
}

// comparison is that of a result with evidence.
type comparison struct {
	ctx    context.Context
	shown  []Shown
	said   []bool          // by shown: a property of the result says it
	names  []string        // of the properties so far
	claims map[string]bool // fields that were not compared
}

// subject compares what the result says of the network or machine, and of its states.
func (c *comparison) subject(s *Subject, r map[string]any) error {
	want := map[string]any{"version": ResultVersion}
	var census map[string]any
	if n := s.Network; n != nil {
		want["network"], want["digest"], want["switching"] = n.Name(), s.Digest.String(), n.Switching().String()
		census = censusOf(n)
	} else {
		want["machine"] = s.Name()
	}
	for _, key := range []string{"digest", "machine"} { // the first to look at
		if is := decoded(want)[key]; r[key] != is {
			return fmt.Errorf("it is about another network or machine than %s", s.Name())
		}
	}
	rest := maps.Clone(r)
	delete(rest, "properties")
	if object, is := rest["census"].(map[string]any); is && census != nil {
		delete(rest, "census")
		if d, is := object["discards"].(map[string]any); is && s.Network.Discards() {
			object = maps.Clone(object)
			delete(object, "discards")
			err := c.fields("census.discards.", d, decoded(map[string]any{"sites": discards(s.Network)}), claimed.discards)
			if err != nil {
				return err
			}
		}
		if err := c.fields("census.", object, decoded(census), claimed.census); err != nil {
			return err
		}
	}
	if object, is := rest["space"].(map[string]any); is {
		delete(rest, "space")
		known := append([]string{"states", "transitions", "digest"}, claimed.space...)
		if err := c.fields("space.", object, c.space(object), known); err != nil {
			return err
		}
	}
	return c.fields("", rest, decoded(want), nil)
}

// space returns what the evidence shows about the states that a result names by their digest. Evidence about other
// states, such as those of fewer packets, does not count.
func (c *comparison) space(object map[string]any) map[string]any {
	for _, s := range c.shown {
		if s.told != nil && s.told.space != nil && s.told.space["digest"] == object["digest"] {
			return s.told.space
		}
	}
	return nil
}

// censusOf counts what a result states about a network.
func censusOf(n *spec.Network) map[string]any {
	t := n.Topology()
	used, channels := make([]bool, t.Channels()), 0
	mark := func(in *spec.Table) {
		for _, c := range in.Channels {
			if !used[c] {
				used[c] = true
				channels++
			}
		}
	}
	for f := range n.Fragments() {
		in := n.Fragment(int32(f))
		mark(&in)
	}
	for i := range n.Tables() {
		mark(n.Stored(i))
	}
	return map[string]any{
		"nodes": t.Nodes(), "links": t.Links(), "channels": channels, "unused": t.Channels() - channels,
		"flows": n.FlowCount(), "sites": n.SiteCount(),
	}
}

// discards counts the sites and sources where packets may be discarded.
func discards(n *spec.Network) (sites int) {
	for i := range n.Tables() {
		t := n.Table(i)
		for _, src := range t.Sources {
			if n.MayDiscard(src.Row) {
				sites++
			}
		}
		for _, r := range t.Rows {
			if n.MayDiscard(r) {
				sites++
			}
		}
	}
	return sites
}

// fields compares an object with what it must be, apart from claims. A claim that is wanted is compared.
func (c *comparison) fields(prefix string, is, want map[string]any, claims []string) error {
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if _, compared := want[key]; compared {
			continue
		}
		if !slices.Contains(claims, key) {
			return fmt.Errorf("it has %s%.40s: no evidence here tells of that", prefix, key)
		}
		c.claims[prefix+key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got, given := is[key]; !given {
			return fmt.Errorf("it lacks %s%s: the evidence here shows %.200s", prefix, key, written(want[key]))
		} else if !reflect.DeepEqual(got, want[key]) {
			return fmt.Errorf("%s%s is %.200s: the evidence here shows %.200s",
				prefix, key, written(got), written(want[key]))
		}
	}
	return nil
}

func written(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// property compares what the result says of a property with the evidence for it.
func (c *comparison) property(p map[string]any) error {
	property, verdict := fmt.Sprint(p["property"]), fmt.Sprint(p["verdict"])
	says := fmt.Sprintf("it says %.200q", Freedom(property)+" "+verdict)
	if slices.Contains(c.names, property) {
		return fmt.Errorf("%s: it says so twice, or the contrary", says)
	}
	c.names = append(c.names, property)
	if verdict == spec.Unknown.String() {
		return c.fields("properties.", p, map[string]any{"property": p["property"], "verdict": verdict},
			append([]string{"candidate"}, claimed.property[:6]...))
	}
	var worst spec.Verdict // a violation outweighs what holds of few packets
	for _, s := range c.shown {
		if slices.Contains(s.names(), property) {
			worst = max(worst, s.Verdict)
		}
	}
	switch {
	case worst == spec.Unknown:
		return &UncheckedError{says + "; no evidence here is about that"}
	case verdict != worst.String():
		return fmt.Errorf("%s; the evidence here shows %q", says, Freedom(property)+" "+worst.String())
	}
	var fault error
	for i, s := range c.shown {
		if s.Verdict != worst || !slices.Contains(s.names(), property) || s.told == nil {
			continue
		}
		err := c.borneOut(p, s.told)
		if err == nil {
			c.said[i] = true
			return nil
		}
		fault = cmp.Or(fault, err)
	}
	return fmt.Errorf("%s, but %w", says, fault)
}

// borneOut compares a property with evidence for it.
func (c *comparison) borneOut(p map[string]any, t *told) error {
	want, claims := maps.Clone(t.fields), claimed.property
	want["property"] = p["property"]
	if want["fault"] == nil {
		claims = claims[:6]
	}
	if t.trace != nil {
		claims = append([]string{"method"}, claims...)
		cycle, given := p["cycle"].([]any)
		if given {
			want["cycle"] = p["cycle"]
		}
		if err := t.trace.cycleIs(c.ctx, cycle); err != nil {
			return err
		}
		if given {
			c.claims["properties.cycle.packet"], c.claims["properties.cycle.rule"] = true, true
		}
	}
	steps := 0
	if trace, is := p["trace"].([]any); is {
		steps = len(trace)
	}
	got := fmt.Sprint(cmp.Or(t.fields["steps"], any(json.Number("0"))))
	if p["trace"] != nil && got != fmt.Sprint(steps) {
		return fmt.Errorf("its trace has %d steps: the evidence here has %s", steps, got)
	}
	return c.fields("properties.", p, want, claims)
}

// cycleIs compares the cycle that a result tells with the last state of a trace: with a deadlock, that each
// packet holds channels of the stuck set, one after another, and may go from the last only into the first of the next;
// with a loop, that its hops are those of the loop.
func (e Trace) cycleIs(ctx context.Context, cycle []any) error {
	loop := e.Fault == counterexamples.Loop
	if !loop && e.Fault != counterexamples.Deadlock {
		if cycle != nil {
			return errors.New("it tells a cycle: the evidence here has none")
		}
		return nil
	}
	_, s, err := counterexamples.End(ctx, e.Network, e.Trace)
	if err != nil {
		return err
	}
	if len(cycle) == 0 || loop && len(cycle) != len(e.Moves)-e.Back {
		return errors.New("its cycle is not that of the evidence here")
	}
	for i := range cycle {
		d, _ := cycle[i].(map[string]any)
		holds, _ := d["holds"].([]any)
		next, other := "waits_for", "goes_to"
		if loop {
			next, other = other, next
		}
		for key := range d {
			if !slices.Contains([]string{"packet", "alternative", "holds", next, "queued", "rule"}, key) {
				return fmt.Errorf("it has properties.cycle.%.40s: no evidence here tells of that", key)
			}
		}
		if x, is := d["alternative"]; is && !e.committed(s, holds, x, loop) {
			return fmt.Errorf("packet %d of its cycle is not committed so in the evidence here", i+1)
		}
		queued, given := d["queued"]
		if len(holds) == 0 || !reflect.DeepEqual(d[next], firstHeld(cycle[(i+1)%len(cycle)])) ||
			d[other] != nil || given && queued != true {
			return fmt.Errorf("packet %d of its cycle does not wait for the next", i+1)
		}
		if !given {
			holds = append(slices.Clone(holds), d[next])
		} else if !reflect.DeepEqual(holds[len(holds)-1], d[next]) || len(holds) < 2 {
			return fmt.Errorf("packet %d of its cycle is not queued in the channel that it waits for", i+1)
		}
		for k, h := range holds {
			to, ok := e.channel(h)
			if !ok {
				return fmt.Errorf("packet %d of its cycle: %.100s is no channel", i+1, written(h))
			}
			if k == 0 {
				continue
			}
			from, _ := e.channel(holds[k-1])
			if !e.leads(s, from, to) {
				return fmt.Errorf("packet %d of its cycle does not hold or wait so in the evidence here", i+1)
			}
		}
	}
	return nil
}

// committed reports whether the packet whose head is in the last channel that it holds has the alternative that a cycle
// says: in the last state, or, in a loop, as it moves on from there.
func (e Trace) committed(s spec.Occupancy, holds []any, says any, loop bool) bool {
	x, _ := says.(map[string]any)
	is := func(at spec.Site) bool {
		k, of := e.Network.Committed(at)
		return of > 0 && len(x) == 2 && fmt.Sprint(x["number"]) == fmt.Sprint(k) && fmt.Sprint(x["of"]) == fmt.Sprint(of)
	}
	if len(holds) == 0 {
		return false
	}
	at, known := e.channel(holds[len(holds)-1])
	if !known {
		return false
	}
	if loop {
		return slices.ContainsFunc(e.Moves[e.Back:], func(m spec.Move) bool {
			return m.From == at && is(spec.Site{Channel: at, Header: m.Header})
		})
	}
	return at >= 0 && len(s.Channels[at]) > 0 && is(spec.Site{Channel: at, Header: s.Channels[at][0].Header})
}

// firstHeld returns the first channel that a packet of a cycle holds, as the result writes it; nil if there is none.
func firstHeld(packet any) any {
	d, _ := packet.(map[string]any)
	if holds, _ := d["holds"].([]any); len(holds) > 0 {
		return holds[0]
	}
	return nil
}

// channel reads a channel of a result: its number, and its name.
func (e Trace) channel(v any) (spec.ChannelID, bool) {
	object, _ := v.(map[string]any)
	number, _ := object["id"].(json.Number)
	id, err := number.Int64()
	t := e.Network.Topology()
	if err != nil || id < 0 && e.Fault != counterexamples.Loop ||
		id < -1-int64(t.Nodes()) || id >= int64(t.Channels()) {
		return 0, false
	}
	c := spec.ChannelID(id)
	return c, reflect.DeepEqual(object, decoded(map[string]any{"id": c, "name": t.ChannelName(c)}))
}

// leads reports whether, in the last state, a packet is in one stuck channel and holds or may take another;
// or in a loop, whether the packet hops so.
func (e Trace) leads(s spec.Occupancy, from, to spec.ChannelID) bool {
	if e.Fault == counterexamples.Loop {
		return slices.ContainsFunc(e.Moves[e.Back:],
			func(m spec.Move) bool { return m.From == from && m.Hop.Channel == to })
	}
	stuck := func(c spec.ChannelID) bool { _, in := slices.BinarySearch(e.Stuck, c); return in }
	return stuck(from) && stuck(to) && slices.ContainsFunc(s.Channels[from], func(p spec.Piece) bool {
		if p.Left {
			return p.Out.Channel == to
		}
		hops, _ := e.Network.Hops(spec.Site{Channel: from, Header: p.Header})
		return slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == to })
	})
}
