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

// echo reads BookSim's copy of its configuration, and what its command line replaced.
type echo struct {
	settings *settings
	warnings []string
	begun    int    // the line where the copy begins that is being read, or 0
	lines    []byte // of that copy
}

// read reads a line; is is false if it is something else.
func (e *echo) read(number int, raw []byte) (is bool, err error) {
	line := strings.TrimRight(string(raw), "\r\n")
	switch {
	case e.begun > 0 && strings.Contains(line, echoEnds):
		last, _, _ := strings.Cut(line, echoEnds)
		if strings.HasSuffix(last, ";;") { // BookSim copies the last character twice
			last = last[:len(last)-1]
		}
		e.lines = append(e.lines, last...)
		e.warnings, err = e.settings.scan(append(bytes.Repeat([]byte("\n"), e.begun), e.lines...))
		e.begun, e.lines = 0, nil
	case e.begun > 0:
		e.lines = append(e.lines, raw...)
	case strings.HasPrefix(line, echoBegins):
		e.begun = number
	case strings.HasPrefix(line, overridden):
		name, to, is := strings.Cut(strings.TrimPrefix(line, overridden), "=")
		if !is || !slices.Contains(names, name) {
			return true, &spec.PosError{File: e.settings.file, Line: number, Col: len(overridden) + 1,
				Msg: fmt.Sprintf("%.40q is no setting of BookSim 2", name)}
		}
		e.settings.of[name] = value{text: strings.TrimSpace(strings.TrimSuffix(to, ";")), line: number, col: 1}
	default:
		return false, nil
	}
	return true, err
}

// unended is the error about a copy without an end.
func (e *echo) unended() error {
	return &spec.PosError{File: e.settings.file, Line: e.begun, Col: 1,
		Msg: fmt.Sprintf("a configuration that does not end: want %q", strings.TrimSpace(echoEnds))}
}

// isPrinted reports whether a text is what BookSim printed, which begins with its copy of the configuration.
func isPrinted(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte(echoBegins)) }

// printed reads the configuration of a run from what BookSim printed, up to the first line behind it.
func (c *settings) printed(text []byte) (warnings []string, err error) {
	e := &echo{settings: c}
	number, size := 0, 0
	for raw := range bytes.Lines(text) {
		number++
		if size += len(raw); size > mostBytes {
			return nil, &spec.PosError{File: c.file, Line: number, Col: 1, Msg: fmt.Sprintf(
				"too long: want at most %d bytes for BookSim's copy of the configuration", mostBytes)}
		}
		is, err := e.read(number, raw)
		if err != nil {
			return nil, err
		}
		if !is && len(bytes.TrimSpace(raw)) > 0 {
			break
		}
	}
	if e.begun > 0 {
		return nil, e.unended()
	}
	return e.warnings, nil
}

// ReadResults reads what a run of BookSim 2 printed, to its end: the configuration, and the results behind "Overall
// Traffic Statistics", of one class. The samples that precede them are passed over. Errors are *spec.PosError. Time and
// memory are linear in the text.
func ReadResults(file string, text []byte) (*Results, error) {
	r := &Results{File: file, settings: &settings{file, map[string]value{}}}
	at := func(line, col int, format string, args ...any) error {
		return &spec.PosError{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
	}
	copied := &echo{settings: r.settings}
	var read map[string]bool
	ended, number := 0, 0
	for raw := range bytes.Lines(text) {
		number++
		line := strings.TrimRight(string(raw), "\r\n")
		if is, err := copied.read(number, raw); err != nil {
			return nil, err
		} else if is {
			continue
		}
		switch {
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
	case copied.begun > 0:
		return nil, copied.unended()
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

// material lists the settings of the network and of the load: figures of runs that differ in one do not compare.
var material = strings.Fields(`c classes injection_rate injection_rate_uses_flits k n network_file num_vcs packet_size
routing_function topology traffic vc_buf_size x xr y yr`)

// Beside returns how the run that printed results differs from this configuration, a sentence for each setting; a
// setting that only one of them gives may have its default in the other. The last sentence says whether the network or the
// load is another, so that figures do not compare.
func (c *Configuration) Beside(r *Results) []string {
	if len(r.settings.of) == 0 {
		return []string{r.File + ": BookSim's copy of the configuration is missing: it may have run another one"}
	}
	all := maps.Clone(c.settings.of)
	maps.Copy(all, r.settings.of)
	var differ, decisive []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		here, ours := c.settings.of[name]
		there, theirs := r.settings.of[name]
		if slices.Equal(list(here.text), list(there.text)) || slices.Contains(immaterial, name) || slices.Contains(former, name) {
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
		if ours && theirs && slices.Contains(material, name) {
			decisive = append(decisive, name)
		}
	}
	if len(decisive) > 0 {
		differ = append(differ, fmt.Sprintf("%s: its figures are of another network or load (%s): do not compare them",
			r.File, strings.Join(decisive, ", ")))
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

// Nodes returns how many nodes packets pass beside routers: two, or none if nodes are routers.
func (c *Configuration) Nodes() int {
	if c.graph.inject != nil {
		return 2
	}
	return 0
}
