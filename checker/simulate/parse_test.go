package simulate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse: lengths, delays and loads as they are written, and what is refused.
func TestParse(t *testing.T) {
	lengths := func(text string) (any, error) { x, err := ParseLengths(text); return x, err }
	delays := func(text string) (any, error) { x, err := ParseDelays(text); return x, err }
	loads := func(text string) (any, error) { x, err := ParseLoads(text, 3); return x, err }
	for _, tt := range []struct {
		parse func(string) (any, error)
		text  string
		want  any
		err   string
	}{
		{lengths, "8", []Length{{8, 1}}, ""},
		{lengths, "1:3,9:0.5,4096", []Length{{1, 3}, {9, 0.5}, {4096, 1}}, ""},
		{lengths, "", nil, "want 1 to 4096 flits"},
		{lengths, "0", nil, "want 1 to 4096"},
		{lengths, "4097", nil, "want 1 to 4096"},
		{lengths, "8:0", nil, "with weights"},
		{lengths, "8:NaN", nil, "with weights"},
		{lengths, "8:1e300", nil, "with weights"},
		{delays, "three", ThreeClocks(), ""},
		{delays, "five", FiveStages(), ""},
		{delays, "route=1,link=4,credit=2", Delays{Route: 1, Link: 4, Credit: 2}, ""},
		{delays, "switch=1", Delays{Switch: 1, Credit: 1}, ""},
		{delays, "links=1", nil, "clocks from 0 to 1000 for route"},
		{delays, "link=1001", nil, "clocks from 0 to 1000"},
		{delays, "link=-1", nil, "clocks from 0 to 1000"},
		{delays, "link", nil, "clocks from 0 to 1000"},
		{delays, "route=1", nil, "at least a clock for switch, cross or link"},
		{delays, "link=1,credit=0", nil, "and for credit"},
		{loads, "0.1", []float64{0.1}, ""},
		{loads, "0.1,1", []float64{0.1, 1}, ""},
		{loads, "0.1..0.3", []float64{0.1, 0.2, 0.3}, ""},
		{loads, "0", nil, "want more than 0 and at most 1"},
		{loads, "1.1", nil, "at most 1"},
		{loads, "NaN", nil, "at most 1"},
		{loads, "0.2,0.2", nil, "ascending"},
		{loads, "0.3..0.1", nil, "ascending"},
		{loads, "0.1..", nil, "ascending"},
	} {
		got, err := tt.parse(tt.text)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, %v; want %q", tt.text, got, err, tt.err)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.text, err)
		default:
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		}
	}
}
