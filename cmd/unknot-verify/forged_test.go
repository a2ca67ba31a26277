package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// resultFolder writes what unknot check --out does, and returns the text of the result that stands there.
func resultFolder(t *testing.T, x *checker.Result) (dir, result string) {
	t.Helper()
	dir = t.TempDir()
	if err := report.WriteFolder(t.Context(), dir, x); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, evidence.ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	return dir, string(text)
}

// read reads a JSON object, numbers as they are written.
func read(t interface{ Fatal(...any) }, text []byte) (object map[string]any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	return object
}

// genuine are folders as unknot writes them: between them they have every field of a result but those of prose alone.
func genuine(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	network := func(name string, n *spec.Network, opt checker.Question) {
		x, err := checker.Check(t.Context(), n, opt)
		if err != nil {
			t.Fatal(err)
		}
		all[name], _ = resultFolder(t, x)
	}
	ring := modeltest.Network(t, "ring", map[string]string{"n": "3"})
	once := []spec.Flow{{Source: 0, Target: spec.Target{Dest: 2}}, {Source: 1, Target: spec.Target{Dest: 0}}}
	network("deadlock", ring, checker.Question{})
	network("few packets", ring, checker.Question{Scenario: spec.Scenario{Packets: 2}})
	network("single packets", ring, checker.Question{Scenario: spec.Scenario{Once: once}})
	network("certificates", modeltest.Network(t, "star-channel", nil), checker.Question{})
	network("worms", modeltest.Network(t, "gadget", nil), checker.Question{})
	network("starvation-freedom", modeltest.Network(t, "ring", map[string]string{"n": "3", "variant": "dateline"}), checker.Question{Liveness: true})
	network("rankings", modeltest.Network(t, "mesh", map[string]string{"k": "2"},
		func(d *routing.Definition) { d.Switching = spec.StoreAndForward }), checker.Question{Liveness: true})
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	network("loop", routingtest.Compile(t, routing.Definition{Name: "loop", Topology: topo, Switching: spec.StoreAndForward,
		Routing: routing.Named("round", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if v := topo.Head(at); v != h.Dest || at.IsInjection() {
				return append(dst, spec.Hop{Channel: spec.ChannelID(v)})
			}
			return append(dst, spec.Hop{Channel: spec.Eject}, spec.Hop{Channel: spec.ChannelID(h.Dest)})
		}))}), checker.Question{})
	p := queue(4)
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true, Closed: 1000})
	if err != nil {
		t.Fatal(err)
	}
	all["machine"], _ = resultFolder(t, x)
	return all
}

// verdictOf returns what the verifier makes of a folder: its exit code, what it prints, and the fields that it names as not
// checked.
func verdictOf(dir string) (code int, out string, claims []string) {
	var b bytes.Buffer
	code = run([]string{dir}, &b, &b)
	_, list, _ := strings.Cut(b.String(), "unchecked: what result.json says in ")
	list, _, _ = strings.Cut(list, "\n")
	for _, object := range strings.Split(strings.TrimSuffix(list, ")"), "), ") {
		of, fields, _ := strings.Cut(object, " (")
		for _, field := range strings.Split(fields, ", ") {
			claims = append(claims, of+"."+field)
		}
	}
	return code, b.String(), claims
}

// fieldsOf lists the values of a result by the names of their fields, with objects in lists as one.
func fieldsOf(prefix string, v any, add func(field, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			fieldsOf(strings.TrimPrefix(prefix+"."+key, "."), value, add)
		}
	case []any:
		for _, value := range v {
			fieldsOf(prefix, value, add)
		}
	default:
		add(prefix, fmt.Sprint(v))
	}
}

// news lists the fields in which a result says what another does not, apart from claims.
func news(was, is map[string]any, claims []string) (fields []string) {
	known := map[string]int{}
	fieldsOf("", was, func(field, value string) { known[field+" "+value]++ })
	fieldsOf("", is, func(field, value string) {
		known[field+" "+value]--
		claimed := slices.ContainsFunc(claims, func(c string) bool { return field == c || strings.HasPrefix(field, c+".") })
		if known[field+" "+value] < 0 && !claimed {
			fields = append(fields, field)
		}
	})
	return fields
}

// TestGenuineResults: what unknot writes is accepted, and its claims are the ones that the guide lists.
func TestGenuineResults(t *testing.T) {
	for name, dir := range genuine(t) {
		if code, out, _ := verdictOf(dir); code != exitVerified || !strings.Contains(out, "unchecked: what result.json says in ") {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
	}
}

// TestForgedFields: a forgery of each field of a result that a program reads. Each is refused, or the field is named as not checked.
// Fields without a forgery here fail the test, so a new one needs a row.
func TestForgedFields(t *testing.T) {
	folders := genuine(t)
	rows := map[string]struct {
		folder   string
		old, new string // in the text; all occurrences
		want     string // the refusal; "" if the field is named instead
	}{
		"version": {"certificates", `"version": 2`, `"version": 3`, "version is 3"},
		"network": {"certificates", `"star-channel"`, `"production cluster"`,
			`network is "production cluster": the evidence here shows "star-channel"`},
		"machine":             {"machine", `"machine": "queue"`, `"machine": "brakes"`, "another network or machine than queue"},
		"digest":              {"certificates", `"digest": "`, `"digest": "0`, "another network or machine"},
		"switching":           {"certificates", `"wormhole"`, `"store-and-forward"`, "switching is"},
		"file":                {"certificates", `"version": 2,`, `"version": 2, "file": "production.star",`, "it has file"},
		"error":               {"certificates", `"version": 2,`, `"version": 2, "error": "none",`, "it has error"},
		"census.nodes":        {"worms", `"nodes": 6`, `"nodes": 999`, "census.nodes is 999: the evidence here shows 6"},
		"census.links":        {"worms", `"links": 8`, `"links": 7`, "census.links"},
		"census.channels":     {"worms", `"channels": 8`, `"channels": 9`, "census.channels"},
		"census.unused":       {"worms", `"unused": 0`, `"unused": 1`, "census.unused"},
		"census.flows":        {"worms", `"flows": 2`, `"flows": 30`, "census.flows"},
		"census.sites":        {"worms", `"sites": 10`, `"sites": 11`, "census.sites"},
		"census.dependencies": {"worms", `"dependencies": `, `"dependencies": 1`, ""},
		"census.discards":     {"worms", `"nodes": 6,`, `"nodes": 6, "discards": {"sites": 1},`, "it has census.discards"},
		"space.states":        {"few packets", `"states": `, `"states": 1`, "space.states"},
		"space.transitions":   {"few packets", `"transitions": `, `"transitions": 1`, ""}, // of a closed set; a count has it
		"space.digest":        {"machine", "\"digest\": \"", "\"digest\": \"0", ""},       // then of no states that evidence is about
		"space.complete":      {"machine", `"complete": true`, `"complete": false`, ""},
		"space.levels":        {"machine", `"levels": `, `"levels": 1`, ""},
		"properties.property": {"deadlock", `"property": "deadlock-freedom"`,
			`"property": "livelock of another network"`, `it does not say "deadlock freedom violated"`},
		"properties.verdict":           {"certificates", `"verdict": "holds"`, `"verdict": "violated"`, `the evidence here shows "deadlock freedom holds"`},
		"properties.expected":          {"deadlock", `"verdict": "violated",`, `"verdict": "violated", "expected": "violated",`, "it has properties.expected"},
		"properties.because":           {"certificates", `"because": "`, `"because": "proved for every size: `, ""},
		"properties.argument":          {"deadlock", `"name": "replayed trace"`, `"name": "theorem"`, ""},
		"properties.method":            {"few packets", `"explored"`, `"static"`, "properties.method"},
		"properties.assumptions":       {"few packets", `"assumptions": [`, `"assumptions": ["any number of packets",`, ""},
		"properties.vacuous":           {"certificates", `"because": `, `"vacuous": true, "because": `, ""},
		"properties.notes":             {"certificates", `"notes": [`, `"notes": ["shown for any topology",`, ""},
		"properties.facts":             {"deadlock", `"fact": "`, `"fact": "no-`, ""},
		"properties.evidence":          {"few packets", `"closed-set"`, `"certificate"`, "properties.evidence"},
		"properties.certificate":       {"certificates", `"extended-escape"`, `"rank"`, "properties.certificate"},
		"properties.steps":             {"deadlock", `"steps": 3`, `"steps": 1`, "properties.steps"},
		"properties.stuck":             {"deadlock", "\"stuck\": [\n        0,", "\"stuck\": [", "properties.stuck"},
		"properties.fault":             {"deadlock", `"deadlock"`, `"loop"`, "properties.fault"},
		"properties.scenario":          {"few packets", `"packets 2"`, `"whole packets"`, "properties.scenario"},
		"properties.once":              {"single packets", "\"source\": 0,", "\"source\": 2,", "properties.once"},
		"properties.candidate":         {"certificates", `"because": `, `"candidate": [0], "because": `, "it has properties.candidate"},
		"properties.decisive":          {"deadlock", `"decisive": `, `"decisive": 1`, ""},
		"properties.rule":              {"deadlock", "\"rule\": {\n        \"text\": \"", "\"rule\": {\n        \"text\": \"not ", ""},
		"properties.trace":             {"deadlock", `"text": "packet for 0`, `"text": "packet for 9`, ""},
		"properties.back":              {"loop", `"back": 1`, `"back": 2`, "properties.back"},
		"properties.ending":            {"machine", `"ending": "`, `"ending": "not `, ""},
		"properties.cycle":             {"deadlock", `"id": 0,`, `"id": 1,`, "of its cycle"},
		"properties.cycle.packet":      {"deadlock", `"packet": "packet for 0"`, `"packet": "packet for 9"`, ""},
		"properties.cycle.holds":       {"deadlock", `"name": "0->1 vc0"`, `"name": "0->9 vc0"`, "of its cycle"},
		"properties.cycle.waits_for":   {"deadlock", `"waits_for"`, `"goes_to"`, "it has properties.cycle.goes_to"},
		"properties.cycle.goes_to":     {"loop", `"goes_to"`, `"waits_for"`, "it has properties.cycle.waits_for"},
		"properties.cycle.alternative": {"deadlock", `"holds": [`, `"alternative": {"number": 0, "of": 2}, "holds": [`, "is not committed so"},
		"properties.cycle.queued":      {"deadlock", `"holds": [`, `"queued": true, "holds": [`, "of its cycle"},
		"properties.cycle.rule":        {"deadlock", "\"rule\": {\n            \"text\": \"", "\"rule\": {\n            \"text\": \"not ", ""},
	}
	for field, row := range rows {
		file := filepath.Join(folders[row.folder], evidence.ResultFile)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		forged := strings.ReplaceAll(string(text), row.old, row.new)
		if row.folder == "machine" || field == "digest" || field == "properties.verdict" || field == "properties.candidate" || field == "version" {
			forged = strings.Replace(string(text), row.old, row.new, 1)
		}
		if forged == string(text) {
			t.Errorf("%s: there is no %s in\n%s", field, row.old, text)
			continue
		}
		if err := os.WriteFile(file, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, claims := verdictOf(folders[row.folder])
		switch {
		case row.want == "" && (code != exitVerified || !slices.Contains(claims, field)):
			t.Errorf("%s: exit %d, want it among what is not checked:\n%s", field, code, out)
		case row.want != "" && (code != exitRejected || !strings.Contains(out, row.want)):
			t.Errorf("%s: exit %d, want %q:\n%s", field, code, row.want, out)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alike := []string{"complete", "ended", "levels", "expanded", "widest", "bits", "visited", "local_deadlocks",
		"weak_deadlocks", "global_deadlocks", "halts", "reduced",
		"never_possible", "steps_by_rule", "conditions", "uncounted", "unsaved"} // of a space: none is compared
	for _, field := range schemaFields(t) {
		_, has := rows[field]
		if of, name, _ := strings.Cut(field, "."); !has && !(of == "space" && slices.Contains(alike, name)) {
			t.Errorf("no forgery of %s", field)
		}
	}
}

// schemaFields lists the fields of a result by the published schema, those of rules, steps and channels left out.
func schemaFields(t *testing.T) (all []string) {
	t.Helper()
	defs := read(t, []byte(report.Schema))["$defs"].(map[string]any)
	properties := func(v any) map[string]any { return v.(map[string]any)["properties"].(map[string]any) }
	result := properties(defs["result"])
	for key := range result {
		switch key {
		case "census", "space":
			for field := range properties(result[key]) {
				all = append(all, key+"."+field)
			}
		case "properties":
			for field := range properties(defs["property"]) {
				all = append(all, "properties."+field)
			}
			for field := range properties(defs["dependency"]) {
				all = append(all, "properties.cycle."+field)
			}
		default:
			all = append(all, key)
		}
	}
	return all
}

// TestForgedResults: whatever is changed in a result that unknot wrote, it is refused, or what it says beyond the
// truth is named as not checked.
func TestForgedResults(t *testing.T) {
	folders := genuine(t)
	names := slices.Sorted(maps.Keys(folders))
	was := map[string][]byte{}
	for name, dir := range folders {
		text, err := os.ReadFile(filepath.Join(dir, evidence.ResultFile))
		if err != nil {
			t.Fatal(err)
		}
		was[name] = text
	}
	refused, named := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "folder")
		is, before := read(t, was[name]), read(t, was[name])
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			forge(t, is)
		}
		if reflect.DeepEqual(is, before) {
			t.Skip("unchanged")
		}
		text, err := json.MarshalIndent(is, "", "  ")
		if err == nil {
			var b bytes.Buffer // names have arrows, which need no escapes
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			err, text = e.Encode(is), b.Bytes()
		}
		if err != nil || os.WriteFile(filepath.Join(folders[name], evidence.ResultFile), text, 0o600) != nil {
			t.Fatal(err)
		}
		code, out, claims := verdictOf(folders[name])
		if code != exitVerified {
			refused++
			return
		}
		named++
		if more := news(before, is, claims); more != nil {
			t.Fatalf("%s: the result says more in %v, and is accepted:\n%s\n%s", name, more, text, out)
		}
	})
	if seedtest.Usual() && (refused == 0 || named == 0) {
		t.Errorf("%d forgeries refused, %d of what is not checked", refused, named)
	}
}

// forge changes a value somewhere in a JSON object.
func forge(t *rapid.T, object map[string]any) {
	type place struct {
		object map[string]any
		list   []any
		key    string
		index  int
		set    func([]any) // replaces the list
	}
	var all []place
	var visit func(v any, set func([]any))
	visit = func(v any, set func([]any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				all = append(all, place{object: v, key: key})
				visit(v[key], func(l []any) { v[key] = l })
			}
		case []any:
			for i := range v {
				all = append(all, place{list: v, index: i, set: set})
				visit(v[i], func(l []any) { v[i] = l })
			}
		}
	}
	visit(object, nil)
	p := rapid.SampledFrom(all).Draw(t, "place")
	other := rapid.SampledFrom(all).Draw(t, "another")
	value := func(p place) any {
		if p.list != nil {
			return p.list[p.index]
		}
		return p.object[p.key]
	}
	put := func(v any) {
		if p.list != nil {
			p.list[p.index] = v
			return
		}
		p.object[p.key] = v
	}
	copied := func(v any) any {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, []byte(`{"v":`+string(text)+`}`))["v"]
	}
	switch rapid.SampledFrom([]string{"change", "change", "change", "drop", "rename", "add", "copy", "repeat"}).Draw(t, "how") {
	case "change":
		switch v := value(p).(type) {
		case string:
			put(v + rapid.SampledFrom([]string{"x", " ", "0", " of any size"}).Draw(t, "more"))
		case json.Number:
			n, _ := v.Int64()
			put(json.Number(fmt.Sprint(n + int64(rapid.SampledFrom([]int{-1, 1, 10, 1000}).Draw(t, "by")))))
		case bool:
			put(!v)
		default:
			put(rapid.SampledFrom([]any{nil, "", json.Number("0"), []any{}, map[string]any{}}).Draw(t, "other"))
		}
	case "drop":
		if p.list == nil {
			delete(p.object, p.key)
		} else if p.set != nil {
			p.set(slices.Delete(slices.Clone(p.list), p.index, p.index+1))
		}
	case "rename":
		if p.list == nil && other.list == nil {
			v := p.object[p.key]
			delete(p.object, p.key)
			p.object[other.key] = v
		}
	case "add":
		if p.list == nil && other.list == nil {
			p.object[other.key] = copied(value(other))
		}
	case "copy":
		put(copied(value(other)))
	case "repeat":
		if p.list != nil && p.set != nil {
			p.set(append(slices.Clone(p.list), copied(p.list[p.index])))
		}
	}
}
