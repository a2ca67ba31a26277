package evidence

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-105a2da2/unknot/spec"
)

// ResultFile is the name of the result in a folder that unknot check wrote.
const ResultFile = "result.json"

// BearsOut refuses a folder's result that differs from what its evidence, all of it
// verified, has shown: if it is about another network, or contradicts the evidence on a
// property, or, as an *UncheckedError, if no evidence is about a property. Without a
// result it accepts. The scenario of a verdict is not compared: it is in the evidence,
// and printed with it.
func BearsOut(dir string, s *Subject, shown []Shown) error {
	file := filepath.Join(dir, ResultFile)
	text, err := ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r struct {
		Digest     string // of a network
		Properties []struct{ Property, Verdict string }
	}
	if err = cmp.Or(err, json.Unmarshal(text, &r)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if s.Network != nil && r.Digest != s.Digest.String() {
		return fmt.Errorf("%s: it is about another network, of digest %.64q", file, r.Digest)
	}
	verdicts := map[string]string{}
	for _, e := range shown {
		verdicts[e.Property] = max(verdicts[e.Property], e.Verdict.String()) // a violation outweighs what holds of few packets
		if e.Property == spec.Deadlock.String() && e.Under != nil {          // of so many packets
			verdicts["no deadlock of at most "+plural(e.Under.Packets, "message")] = e.Verdict.String()
		}
	}
	for _, p := range r.Properties {
		says := fmt.Sprintf("%s: it says %.200q", file, Freedom(p.Property)+" "+p.Verdict)
		switch v, about := verdicts[p.Property]; {
		case p.Verdict == spec.Unknown.String() || p.Verdict == v:
		case about:
			return fmt.Errorf("%s; the evidence here shows %q", says, Freedom(p.Property)+" "+v)
		default:
			return &UncheckedError{says + "; no evidence here is about that"}
		}
	}
	return nil
}
