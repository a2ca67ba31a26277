package studies

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// verdict stands for the result of a measurement, which is none itself.
func (o Outcome) verdict() spec.Verdict {
	switch o {
	case Confirmed, Fitted:
		return spec.Holds
	case Refuted:
		return spec.Violated
	}
	return spec.Unknown
}

// Claimed reads from what the command of a claim prints for programs the verdict on the claim, and what it rests on:
// the kind of evidence and its size, the cases that hold, or the numbers that were measured.
func Claimed(c catalogue.Claim, printed []byte) (verdict spec.Verdict, rests string, err error) {
	switch c.Command[0] {
	case "ask":
		return askedClaim(printed)
	case "sweep":
		return sweptClaim(printed)
	case "simulate":
		return measuredClaim(c, printed)
	}
	return decidedClaim(c, printed)
}

// askedClaim reads the answer to a question about a family.
func askedClaim(printed []byte) (verdict spec.Verdict, rests string, err error) {
	var a struct{ Verdict, Because string }
	if err := json.Unmarshal(printed, &a); err != nil {
		return 0, "", err
	}
	verdict, err = readVerdict(a.Verdict)
	return verdict, a.Because, err
}

// sweptClaim says in how many cases, and of how many orbits if some are alike, everything asked holds.
func sweptClaim(printed []byte) (verdict spec.Verdict, rests string, err error) {
	_, results, _, err := sweep.ReadResults(bytes.NewReader(printed))
	if err != nil {
		return 0, "", err
	}
	cases, orbits := sweep.Tally(results)
	rests = fmt.Sprintf("%d of %d cases hold", cases.Hold, cases.All)
	if orbits.All < cases.All {
		rests += fmt.Sprintf(", %d of %d orbits", orbits.Hold, orbits.All)
	}
	return sweep.Worst(results), rests, nil
}

// measuredClaim says what was measured about the ordering of a claim, and the numbers that it compares; or, for each
// curve, the last load without saturation and the network's latency there, or when its trace had arrived.
func measuredClaim(c catalogue.Claim, printed []byte) (verdict spec.Verdict, rests string, err error) {
	var figure struct {
		Stated []simulate.Stated
		Across []simulate.Stated
		Curves []struct {
			Name   string
			Points []struct {
				Load      float64
				Network   struct{ Mean float64 }
				Finished  int
				Saturated bool
			}
		}
	}
	if err := json.Unmarshal(printed, &figure); err != nil {
		return 0, "", err
	}
	stated := slices.Concat(figure.Stated, figure.Across)
	at := slices.IndexFunc(stated, func(s simulate.Stated) bool { return s.Sentence == c.Property })
	if at < 0 {
		return 0, "", fmt.Errorf("no verdict on %q", c.Property)
	}
	verdict = Outcome(stated[at].Outcome).verdict()
	if stated[at].Detail != "" {
		return verdict, stated[at].Detail, nil
	}
	head, last := "last load without saturation: ", []string(nil)
	for _, curve := range figure.Curves {
		text := curve.Name + " none"
		for _, p := range curve.Points {
			if p.Saturated {
				break
			}
			text = fmt.Sprintf("%s %v (%.0f clocks)", curve.Name, p.Load, p.Network.Mean)
			if p.Finished > 0 {
				head, text = "clock of the last arrival: ", fmt.Sprintf("%s %d", curve.Name, p.Finished)
			}
		}
		last = append(last, text)
	}
	return verdict, head + strings.Join(last, ", "), nil
}

// decidedClaim reads the verdict on the property of a claim about one network or protocol.
func decidedClaim(c catalogue.Claim, printed []byte) (verdict spec.Verdict, rests string, err error) {
	var r struct {
		Space struct {
			States int64 `json:"states"`
		} `json:"space"`
		Properties []struct {
			Property, Verdict, Certificate, Evidence, Shown string
			Steps                                           int
		} `json:"properties"`
	}
	if err := json.Unmarshal(printed, &r); err != nil {
		return 0, "", err
	}
	for _, p := range r.Properties {
		if p.Property != c.Property {
			continue
		}
		switch {
		case p.Certificate != "":
			rests = p.Certificate + " certificate"
		case p.Evidence != "" && p.Steps > 0:
			rests = fmt.Sprintf("trace of %d steps", p.Steps)
		case p.Evidence != "":
			rests = fmt.Sprintf("%s, %d states", p.Evidence, r.Space.States)
		case p.Shown != "":
			rests = p.Shown
		case r.Space.States > 0:
			rests = fmt.Sprintf("%d states, digest", r.Space.States)
		}
		verdict, err = readVerdict(p.Verdict)
		return verdict, rests, err
	}
	return 0, "", fmt.Errorf("no verdict on %q", c.Property)
}

func readVerdict(s string) (spec.Verdict, error) {
	v, ok := spec.ParseVerdict(s)
	if !ok {
		return v, fmt.Errorf("no verdict: %q", s)
	}
	return v, nil
}
