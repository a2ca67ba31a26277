package simulate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Each of these readers says in its error what is wanted; the caller knows what was given, and by which name.

// ParseLengths reads a number of flits, or several with their weights, as in 1:3,9:1.
func ParseLengths(text string) (all []Length, err error) {
	for part := range strings.SplitSeq(text, ",") {
		flits, weight, weighted := strings.Cut(part, ":")
		l := Length{Weight: 1}
		l.Flits, err = strconv.Atoi(flits)
		if err == nil && weighted {
			l.Weight, err = strconv.ParseFloat(weight, 64)
		}
		if err != nil || !l.possible() {
			return nil, fmt.Errorf("want 1 to %d flits, or several with weights, as in 1:3,9:1", mostFlits)
		}
		all = append(all, l)
	}
	return all, nil
}

// ParseDelays reads "three" ([ThreeClocks]), "five" ([FiveStages]) or the clocks of stages by name, as in
// route=1,link=4; others take none.
func ParseDelays(text string) (d Delays, err error) {
	switch text {
	case "three":
		return ThreeClocks(), nil
	case "five":
		return FiveStages(), nil
	}
	d.Credit = 1
	of := map[string]*int{
		"route": &d.Route, "allocate": &d.Allocate, "switch": &d.Switch, "cross": &d.Cross, "link": &d.Link,
		"credit": &d.Credit, "source": &d.Source,
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		x, err := strconv.Atoi(value)
		if of[name] == nil || err != nil || x < 0 || x > mostDelay {
			return d, fmt.Errorf("want three, five, or clocks from 0 to %d for route, allocate, switch, cross, link, "+
				"credit and source, as in route=1,link=4", mostDelay)
		}
		*of[name] = x
	}
	if d.transit() < 1 || d.Credit < 1 {
		return d, errors.New("want at least a clock for switch, cross or link, and for credit")
	}
	return d, nil
}

// ParseLoads reads loads: one, a list as in 0.1,0.2, or a range as in 0.05..0.4, which has so many points (at least 2).
func ParseLoads(text string, points int) (all []float64, err error) {
	wrong := errors.New("want more than 0 and at most 1, ascending, as in 0.1, 0.1,0.2 or 0.05..0.4")
	parse := func(text string) float64 {
		x, e := strconv.ParseFloat(text, 64)
		if e != nil || !(x > 0 && x <= 1) {
			err = wrong
		}
		return x
	}
	if low, high, ok := strings.Cut(text, ".."); ok {
		from, to := parse(low), parse(high)
		if from >= to {
			err = wrong
		}
		return Loads(from, to, points), err
	}
	for part := range strings.SplitSeq(text, ",") {
		all = append(all, parse(part))
	}
	for i := range all[1:] {
		if all[i] >= all[i+1] {
			err = wrong
		}
	}
	return all, err
}
