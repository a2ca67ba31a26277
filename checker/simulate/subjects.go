package simulate

import (
	"fmt"
	"slices"
	"strconv"
)

// ComparedError says which name of a comparison is at fault.
type ComparedError struct {
	Name string
	Err  error // why it is neither a selection function nor a network; nil: it is named twice
}

func (e *ComparedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s is compared twice", e.Name)
	}
	return fmt.Sprintf("%s is neither a selection function nor a network: %v", e.Name, e.Err)
}

// Unwrap returns Err.
func (e *ComparedError) Unwrap() error { return e.Err }

// Compared returns what is compared, in the order of its names: the first subject under each selection function that is
// named, and what load makes of any other name. An error is a *[ComparedError].
func Compared(first Subject, names []string, load func(name string) (Subject, error)) ([]Subject, error) {
	var all []Subject
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, &ComparedError{Name: name}
		}
		x := first
		x.Name = name
		if choose, ok := Function(name); ok {
			x.Options.Select, x.Selects = choose, name
		} else {
			var err error
			if x, err = load(name); err != nil {
				return nil, &ComparedError{name, err}
			}
		}
		all = append(all, x)
	}
	return all, nil
}

// Lengths are those of the packets of a trace, by how many there are of each, in the order in which they occur first.
func (t *Traffic) Lengths() (all []Length) {
	for _, e := range t.Events {
		i := slices.IndexFunc(all, func(l Length) bool { return l.Flits == e.Flits })
		if i < 0 {
			i, all = len(all), append(all, Length{Flits: e.Flits})
		}
		all[i].Weight++
	}
	return all
}

// Loads are so many loads from one to another, at equal distances: at least 2.
func Loads(from, to float64, points int) (all []float64) {
	for i := range points {
		x := from + (to-from)*float64(i)/float64(points-1)
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64) // 0.1 rather than 0.10000000000000002
		all = append(all, x)
	}
	return all
}
