package catalogue

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// Read returns the entry of a model, without the code that builds it, from those of a folder's files whose names end
// in .entries and .claims. They are read when first asked for. A fault in a file of this program's own is a panic that
// names the place; the tests of the catalogue read all.
func Read(files fs.FS, model string) Entry {
	return Entry{
		Name: model,
		described: sync.OnceValue(func() Description {
			e, found := find(files, ".entries", readEntries, func(e description) bool { return e.model == model })
			if !found {
				panic("models: no file of entries has " + model)
			}
			return e.Description
		}),
		Claimed: sync.OnceValue(func() []Claim {
			all, _ := find(files, ".claims", readClaims, func(c claims) bool { return c.model == model })
			return all.claims
		}),
		LeftOut: sync.OnceValue(func() []LeftOut {
			all, _ := find(files, ".claims", readClaims, func(c claims) bool { return c.model == model })
			return all.leftOut
		}),
	}
}

// find returns what is asked for from the files whose names have a suffix.
func find[T any](
	files fs.FS, suffix string, read func(file, text string) ([]T, error), asked func(T) bool,
) (found T, ok bool) {
	names, err := fs.Glob(files, "*"+suffix)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic("models: " + err.Error())
		}
		all, err := read(name, string(text))
		if err != nil {
			panic("models: " + err.Error())
		}
		if i := slices.IndexFunc(all, asked); i >= 0 {
			return all[i], true
		}
	}
	if err != nil {
		panic("models: " + err.Error())
	}
	return found, false
}

// description is that of one model.
type description struct {
	model string
	Description
}

// readEntries reads a file of entries. Errors are *spec.PosError.
func readEntries(file, text string) ([]description, error) {
	keys := grammar{
		"network": {"summary", "source", "param*"},
		"machine": {"summary", "source", "param*", "fixed?"},
		"expect":  {"violated?", "unknown?", "states?", "because"},
	}
	f := &faults{file: file}
	var all []description
	machine := false
	for _, s := range keys.stanzas(f, text) {
		if s.kind != "expect" {
			machine = s.kind == "machine"
			e := description{model: s.text(s.kind)}
			e.Summary, e.Source, e.Fixed = s.text("summary"), s.text("source"), settings(f, s.one("fixed"))
			for _, x := range s.fields["param"] {
				p := param(f, x)
				if slices.ContainsFunc(e.Params, func(q Param) bool { return q.Name == p.Name }) {
					f.of(x, "a parameter with the name of another: %s", p.Name)
				}
				e.Params = append(e.Params, p)
			}
			all = append(all, e)
			continue
		}
		if len(all) == 0 {
			f.of(s.one("expect"), "an expectation without a network or a machine above")
			break
		}
		e := &all[len(all)-1]
		if machine {
			e.Machines = append(e.Machines, machineExpectation(f, s))
		} else {
			e.Expect = append(e.Expect, expectation(f, s))
		}
		if at := s.one("expect"); at.text == "" {
			f.of(at, "want the parameters that differ from their defaults, or defaults")
		} else if len(e.Params) > 0 { // those of a file in Starlark are not known yet
			e.settable(f, at)
		}
	}
	return all, f.err
}

// settable refuses settings of parameters that the entry does not have, and values out of their range.
func (e *description) settable(f *faults, x field) {
	set := settings(f, x)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(e.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			f.of(x, "no parameter %.40q", name)
		} else if err := e.Params[i].check(set[name]); err != nil {
			f.of(x, "%v", err)
		}
	}
}

// param reads "NAME = DEFAULT (RANGE): DOC".
func param(f *faults, x field) Param {
	name, rest, _ := strings.Cut(x.text, " = ")
	head, doc, found := strings.Cut(rest, "): ")
	preset, values, parts := strings.Cut(head, "(")
	p := Param{Name: name, Default: strings.TrimSpace(preset), Doc: doc}
	if !found || !parts {
		f.of(x,
			"want a parameter as NAME = DEFAULT (RANGE): WORDS; a range is LEAST..MOST, A|B|C, or the form of a text")
		return p
	}
	least, most, bounded := strings.Cut(values, "..")
	switch {
	case bounded:
		var wrong [2]error
		p.Min, wrong[0] = strconv.Atoi(least)
		p.Max, wrong[1] = strconv.Atoi(most)
		if wrong != [2]error{} {
			f.of(x, "invalid range %.40q: want two integers, as in 1..64", values)
		}
	case strings.Contains(values, "|"):
		p.Choices = strings.Split(values, "|")
	default:
		p.Form = values
	}
	if err := p.check(p.Default); err != nil && !p.IsFile() {
		f.of(x, "the default is none of its values: %v", err)
	}
	return p
}

// settings reads "NAME=VALUE NAME=VALUE"; "defaults" is nil.
func settings(f *faults, x field) Set {
	var set Set
	if x.text == "defaults" {
		return nil
	}
	for _, word := range strings.Fields(x.text) {
		name, value, is := strings.Cut(word, "=")
		if _, twice := set[name]; !is || name == "" || twice {
			f.of(x, "invalid setting %.60q: want NAME=VALUE, each name once", word)
		}
		if set == nil {
			set = Set{}
		}
		set[name] = value
	}
	return set
}

// list reads "ONE, ANOTHER".
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

func machineExpectation(f *faults, s stanza) MachineExpectation {
	x := MachineExpectation{
		Set: settings(f, s.one("expect")), Violated: list(s.text("violated")), Because: s.text("because"),
	}
	if unknown := s.one("unknown"); unknown.text != "" {
		f.of(unknown, "no property of a machine is expected to be unknown")
	}
	if states := s.one("states"); states.text != "" {
		var err error
		if x.States, err = strconv.ParseInt(states.text, 10, 64); err != nil || x.States < 1 {
			f.of(states, "invalid number of states %.40q: want a positive integer", states.text)
		}
	}
	return x
}

func expectation(f *faults, s stanza) Expectation {
	const packets, worms = "deadlock-freedom of whole packets", "deadlock-freedom of packets of any length"
	verdicts := map[string]spec.Verdict{
		packets: spec.Holds, worms: spec.Holds, "livelock-freedom": spec.Holds, "delivery": spec.Holds,
	}
	given := map[string]bool{}
	for _, verdict := range []spec.Verdict{spec.Violated, spec.Unknown} {
		at := s.one(verdict.String())
		for _, name := range list(at.text) {
			names := []string{name}
			if name == "deadlock-freedom" {
				names = []string{packets, worms}
			}
			for _, name := range names {
				if _, known := verdicts[name]; !known {
					f.of(at, "invalid property %.60q: want deadlock-freedom, %s, %s, livelock-freedom, delivery",
						name, packets, worms)
				}
				if given[name] {
					f.of(at, "the verdict on %s is given twice", name)
				}
				verdicts[name], given[name] = verdict, true
			}
		}
	}
	if states := s.one("states"); states.text != "" {
		f.of(states, "a network has no number of states")
	}
	return Expectation{
		Set: settings(f, s.one("expect")), Because: s.text("because"),
		Packets: verdicts[packets], Worms: verdicts[worms], Livelock: verdicts["livelock-freedom"],
		Delivery: verdicts["delivery"],
	}
}

// claims are those of one model.
type claims struct {
	model   string
	claims  []Claim
	leftOut []LeftOut
}

// readClaims reads a file of claims. Errors are *spec.PosError.
func readClaims(file, text string) ([]claims, error) {
	keys := grammar{
		"model":    nil,
		"said":     {"sentence"},
		"ours":     nil,
		"claim":    {"command", "verdict", "finding", "refuted-if?", "varied?"},
		"left-out": {"sentence", "because"},
	}
	f := &faults{file: file}
	var all []claims
	var origin *Claim // of the claims that follow
	for _, s := range keys.stanzas(f, text) {
		if s.kind != "model" && len(all) == 0 {
			f.of(s.one(s.kind), "a claim without a model above")
			break
		}
		switch s.kind {
		case "model":
			all, origin = append(all, claims{model: s.text("model")}), nil
		case "said":
			origin = &Claim{Section: s.text("said"), Sentence: s.text("sentence")}
		case "ours":
			origin = &Claim{Ours: true}
		case "left-out":
			l := LeftOut{Section: s.text("left-out"), Sentence: s.text("sentence"), Because: s.text("because")}
			all[len(all)-1].leftOut = append(all[len(all)-1].leftOut, l)
		case "claim":
			if origin == nil {
				f.of(s.one("claim"), "a claim that is neither said nor ours: want one of these above")
				break
			}
			c := *origin
			c.Says, c.Finding, c.Refuted = s.text("claim"), s.text("finding"), s.text("refuted-if")
			c.Command = strings.Fields(s.text("command"))
			for with := range strings.SplitSeq(s.text("varied"), ";") {
				if words := strings.Fields(with); len(words) > 0 {
					c.Varied = append(c.Varied, words)
				}
			}
			c.Property, c.Want = verdict(f, s.one("verdict"))
			all[len(all)-1].claims = append(all[len(all)-1].claims, c)
		}
	}
	return all, f.err
}

// verdict reads "PROPERTY VERDICT", or a verdict alone.
func verdict(f *faults, x field) (property string, v spec.Verdict) {
	at := strings.LastIndex(x.text, " ")
	v, known := spec.ParseVerdict(x.text[at+1:])
	if !known {
		f.of(x, "want a property and holds, violated or unknown, not %.60q", x.text)
	}
	return x.text[:max(at, 0)], v
}
