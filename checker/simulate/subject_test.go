package simulate

import (
	"slices"
	"testing"
)

// TestMeasure: a study has a curve for each subject and a point for each load, each the one of a job by itself; the
// conditions of the second subject are told because its packets are longer, and its selection function because its curve
// has another name.
func TestMeasure(t *testing.T) {
	n := link(t, 8)
	options := Options{Lengths: flits(1), Delays: Delays{Link: 1, Credit: 1}, Shared: true, Clocks: 500}
	long := options
	long.Lengths = flits(4)
	subjects := []Subject{{Name: "short", Network: n, Options: options}, {Name: "long", Selects: Functions[0].Name, Network: n, Options: long}}
	loads := []float64{0.1, 0.4}
	study, err := Measure(t.Context(), subjects, Plan{Loads: loads, Seeds: 2, Workers: 1})
	if err != nil || len(study.Curves) != 2 {
		t.Fatalf("%+v, %v: want two curves", study, err)
	}
	for i, c := range study.Curves {
		for k, load := range loads {
			o := subjects[i].Options
			o.Load = load
			alone, err := Points(t.Context(), []Job{{Network: n, Options: o, Seeds: 2}}, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Points[k].Load != load || c.Points[k].Total.Mean != alone[0].Total.Mean {
				t.Errorf("%s at %v: %v clocks, want %v", c.Name, load, c.Points[k].Total.Mean, alone[0].Total.Mean)
			}
		}
	}
	own := study.Curves[1].Conditions
	if study.Curves[0].Conditions != nil || !slices.Contains(own, "selection function "+Functions[0].Name+": "+Functions[0].Doc) {
		t.Errorf("the conditions of both are %q and %q: want those of the second, with its selection function",
			study.Curves[0].Conditions, own)
	}
	if _, r := study.Deadlock(); r != nil {
		t.Errorf("a line ended in the deadlock %+v", r.Deadlock)
	}
}
