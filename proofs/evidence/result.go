package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/spec"
)

// BearsOut refuses a folder's result that differs from what its evidence, all of it
// verified, has shown: if it is about another network or machine, or contradicts the evidence
// on a property, or, as an *UncheckedError, if no evidence is about a property; or if it can mean
// one thing to this program and another to its reader. Without a result it accepts. The
// scenario of a verdict is not compared: it is in the evidence, and printed with it.
func BearsOut(dir string, s *Subject, shown []Shown) error {
	file := filepath.Join(dir, ResultFile)
	text, err := ReadFile(file)
	r, d := map[string]any{}, json.NewDecoder(bytes.NewReader(text)) // keys as they are: a struct would take others for them
	d.UseNumber()
	once, fault := json.Marshal(json.RawMessage(text))
	err = cmp.Or(err, d.Decode(&r), fault)
	again, _ := json.Marshal(r) // in which each key occurs once
	properties, are := r["properties"].([]any)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	case !are || len(again) != len(once) || !utf8.Valid(text):
		return fmt.Errorf("%s: want a list of properties, each key once, and texts without needless escapes", file)
	case s.Network != nil && r["digest"] != s.Digest.String(), s.Network == nil && r["machine"] != s.Name():
		return fmt.Errorf("%s: it is about another network or machine than %s", file, s.Name())
	}
	verdicts := map[string]string{}
	for _, e := range shown {
		verdicts[e.Property] = max(verdicts[e.Property], e.Verdict.String()) // a violation outweighs what holds of few packets
		if e.Property == spec.Deadlock.String() && e.Under != nil {          // of so many packets
			verdicts["no deadlock of at most "+plural(e.Under.Packets, "message")] = e.Verdict.String()
		}
	}
	for _, p := range properties {
		p, _ := p.(map[string]any)
		property, verdict := fmt.Sprint(p["property"]), fmt.Sprint(p["verdict"])
		says := fmt.Sprintf("%s: it says %.200q", file, Freedom(property)+" "+verdict)
		switch v, about := verdicts[property]; {
		case verdict == spec.Unknown.String() || verdict == v:
		case about:
			return fmt.Errorf("%s; the evidence here shows %q", says, Freedom(property)+" "+v)
		default:
			return &UncheckedError{says + "; no evidence here is about that"}
		}
	}
	return nil
}
