package booksim

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// Results is what a run of BookSim 2 printed.
type Results struct {
	File     string
	Unstable bool // BookSim gave up; the figures are 0

	Injected, Accepted float64 // flits that a node sends and receives in a clock, on average
	Latency            float64 // clocks from when a packet is generated until its tail has arrived, on average
	Network            float64 // clocks from when its head has left its node, on average
	Routers            float64 // that a packet passes, the first and the last included, on average

	settings *settings // of its configuration, which BookSim prints first, and of its command line
}

// figures lists the lines of the results that are read.
var figures = map[string]func(r *Results) *float64{
	"Injected flit rate average": func(r *Results) *float64 { return &r.Injected },
	"Accepted flit rate average": func(r *Results) *float64 { return &r.Accepted },
	"Packet latency average":     func(r *Results) *float64 { return &r.Latency },
	"Network latency average":    func(r *Results) *float64 { return &r.Network },
	"Hops average":               func(r *Results) *float64 { return &r.Routers },
}

// What BookSim prints before, between and behind its results.
const (
	echoBegins, echoEnds = "BEGIN Configuration File: ", "END Configuration File: "
	overridden           = "OVERRIDE Parameter: "
	overall              = "====== Overall Traffic Statistics ======"
	ofClass              = "====== Traffic class "
	gaveUp               = "Simulation unstable, ending ..."
)

var figureLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\w[\w ]*average) = (\S+) \(\d+ samples\)$`)
})

// ReadResults reads what a run of BookSim 2 printed, to its end: the configuration, and the results behind "Overall
// Traffic Statistics", of one class. The samples that precede them are passed over. Errors are *spec.PosError. Time and
// memory are linear in the text.
func ReadResults(file string, text []byte) (*Results, error) {
	r := &Results{File: file, settings: &settings{file, map[string]value{}}}
	at := func(line, col int, format string, args ...any) error {
		return &spec.PosError{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
	}
	var echo []byte // lines of the configuration, if it is being read
	var read map[string]bool
	begun, ended, number := 0, 0, 0
	for raw := range bytes.Lines(text) {
		number++
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case begun > 0 && strings.HasPrefix(line, echoEnds):
			if _, err := r.settings.scan(append(bytes.Repeat([]byte("\n"), begun), echo...)); err != nil {
				return nil, err
			}
			begun, echo = 0, nil
		case begun > 0:
			echo = append(echo, raw...)
		case strings.HasPrefix(line, echoBegins):
			begun = number
		case strings.HasPrefix(line, overridden):
			name, to, is := strings.Cut(strings.TrimPrefix(line, overridden), "=")
			if !is || !slices.Contains(names, name) {
				return nil, at(number, len(overridden)+1, "%.40q is no setting of BookSim 2", name)
			}
			r.settings.of[name] = value{text: strings.TrimSpace(strings.TrimSuffix(to, ";")), line: number, col: 1}
		case (line == overall || line == gaveUp) && ended > 0:
			return nil, at(number, 1, "results of a second run: those of the first end at line %d; want one run", ended)
		case line == gaveUp:
			ended, r.Unstable = number, true
		case line == overall:
			ended, read = number, map[string]bool{}
		case read != nil && strings.HasPrefix(line, ofClass) && line != ofClass+"0 ======":
			return nil, at(number, 1, "results of a second class of packets: want one class")
		case read != nil:
			m := figureLine().FindStringSubmatch(line)
			if m == nil || figures[m[1]] == nil {
				continue
			}
			x, err := strconv.ParseFloat(m[2], 64)
			if err != nil || !(x >= 0 && x <= math.MaxInt32) {
				return nil, at(number, len(m[1])+4, "%s %.40q: want a number of 0 or more", m[1], m[2])
			}
			*figures[m[1]](r), read[m[1]] = x, true
		}
	}
	switch {
	case begun > 0:
		return nil, at(begun, 1, "a configuration that does not end: want %q", strings.TrimSpace(echoEnds))
	case ended == 0:
		return nil, at(max(number, 1), 1, "the results of BookSim are missing: want its output to the end, with %q or %q",
			strings.Trim(overall, "= "), gaveUp)
	case r.Unstable:
		return r, nil
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if !read[name] {
			return nil, at(ended, 1, "results without %q", name)
		}
	}
	return r, nil
}

// immaterial lists settings in which runs may differ and still be comparable: how BookSim measures, and what it prints.
var immaterial = strings.Fields(`acc_stopping_thres acc_warmup_thres active_packets_out deadlock_warn_timeout
ejected_flits_out free_credits_out injected_flits_out latency_thres max_credits_out max_samples measure_stats
outstanding_credits_out pair_stats power_output_file print_activity print_csv_results received_flits_out
sample_period seed sent_flits_out sent_packets_out sim_count sim_power stats_out stopping_thres stored_flits_out
tech_file used_credits_out viewer_trace warmup_periods warmup_thres watch_file watch_flits watch_out watch_packets
watch_transactions`)

// Beside returns how the run that printed results differs from this configuration, a sentence for each setting; a
// setting that only one of them gives may have its default in the other.
func (c *Configuration) Beside(r *Results) []string {
	if len(r.settings.of) == 0 {
		return []string{r.File + ": BookSim's copy of the configuration is missing: it may have run another one"}
	}
	all := maps.Clone(c.settings.of)
	maps.Copy(all, r.settings.of)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		here, ours := c.settings.of[name]
		there, theirs := r.settings.of[name]
		if here.text == there.text || slices.Contains(immaterial, name) || slices.Contains(former, name) {
			continue
		}
		value := func(v value, given bool) string {
			if !given {
				return "not set"
			}
			return fmt.Sprintf("%.40s", spec.Printable(v.text))
		}
		differ = append(differ, fmt.Sprintf("%s: BookSim ran another configuration: %s is %s there, %s here",
			r.File, name, value(there, theirs), value(here, ours)))
	}
	return differ
}

// Routers returns how many routers packets pass that cross a number of links, on average.
func (c *Configuration) Routers(links float64) float64 {
	if c.graph.inject != nil { // whose nodes have links of their own
		return links - 1
	}
	return links + 1
}
