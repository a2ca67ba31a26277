package simulate

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Subject is a network under the options of its runs, to be compared with others: a curve of a study.
type Subject struct {
	Name    string // of the curve
	Selects string // the name of its selection function, one of [Functions]; "" if it has none
	Network *spec.Network
	Options Options // their load is that of each point
}

// Conditions lists those of its options, and the selection function if the curve is not named after it.
func (s *Subject) Conditions() []string {
	all := s.Options.Conditions(s.Network)
	for _, f := range Functions {
		if f.Name == s.Selects && s.Name != f.Name {
			all = append(all, fmt.Sprintf("selection function %s: %s", f.Name, f.Doc))
		}
	}
	return all
}

// Plan says which points of each subject a study has.
type Plan struct {
	Loads      []float64
	Seeds      int                // for each point; 0 means 1
	Workers    int                // at least 1
	Saturation bool               // bounds of the load at which each subject saturates are looked for, too
	Keep       string             // folder in which the runs of the points are kept, and found again; "": none
	Digests    bool               // curves have the digest of their network, which is hashed for it, site by site
	Done       func(runs, of int) // of the points; may be nil, and is never called concurrently
}

// Measure simulates each subject, of which there is at least one, under each load. The study depends on the subjects,
// the loads and the number of seeds alone. The conditions of the first subject are those of the study; another has its
// own if they differ.
func Measure(ctx context.Context, subjects []Subject, p Plan) (*Study, error) {
	var jobs []Job
	for _, x := range subjects {
		for _, load := range p.Loads {
			x.Options.Load = load
			jobs = append(jobs, Job{
				Network: x.Network, Options: x.Options, Seeds: p.Seeds, Keep: p.Keep, Selects: x.Selects,
			})
		}
	}
	points, err := Points(ctx, jobs, p.Workers, p.Done)
	if err != nil {
		return nil, err
	}
	study := &Study{Conditions: subjects[0].Conditions()}
	for i, x := range subjects {
		curve := Curve{
			Name: x.Name, Network: x.Network.Name(), Points: points[i*len(p.Loads):][:len(p.Loads)],
		}
		if p.Digests {
			curve.Digest = x.Network.Digest().String()
		}
		if own := x.Conditions(); !slices.Equal(own, study.Conditions) {
			curve.Conditions = own
		}
		if p.Saturation {
			job := Job{Network: x.Network, Options: x.Options, Seeds: p.Seeds}
			bounds, err := Saturation(ctx, job, p.Workers, curve.Points)
			if err != nil {
				return nil, err
			}
			curve.Saturation, curve.Over = &[2]float64{bounds.Low, bounds.High}, bounds.Over
		}
		study.Curves = append(study.Curves, curve)
	}
	return study, nil
}

// Deadlock returns the first point that ended in a deadlock, and the number of its curve; nil if none did.
func (s *Study) Deadlock() (curve int, at *Result) {
	for i, c := range s.Curves {
		for _, r := range append(slices.Clone(c.Points), c.Over) {
			if r != nil && r.Deadlock != nil {
				return i, r
			}
		}
	}
	return 0, nil
}
