package booksim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Run is what a configuration says of a simulation.
type Run struct {
	Traffic string   // a pattern, by unknot's name
	Hot     []string // hot-spot: names of the nodes, to which all packets go
	Lengths []Length // of packets
	Load    float64  // flits that a node generates in a clock
	Shared  bool     // a packet may enter a VC behind the tail of another
	Rate    string   // what injection_rate means, where it is not the load: it counts packets of several flits; or ""
	Nodes   string   // what the stages of nodes take, which in BookSim have none; empty: nodes are routers

	Warnings []string // about what the router has there and not here

	// Clocks of the stages of a router, of a link, and of a credit on its way back.
	Route, Allocate, Switch, Cross, Link, Credit int
}

// Length is a length of packets in flits, and how often it occurs, relative to the others.
type Length struct{ Flits, Weight int }

// patterns lists the patterns of traffic that unknot has, too.
var patterns = map[string]string{
	"uniform": "uniform", "bitcomp": "bit-complement", "transpose": "transpose-bits", "bitrev": "bit-reversal",
	"shuffle": "shuffle", "tornado": "tornado", "neighbor": "neighbour", "randperm": "permutation",
	"hotspot": "hot-spot",
}

var trafficForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w+)(?:\((.*)\))?$`) })

// decimal is a number as BookSim writes one that is not negative.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]*\.)?[0-9]+([eE][+-]?[0-9]+)?$`)
})

// Run returns what the configuration says of a simulation. Errors are those of [Read]; one is due to what unknot does
// not simulate.
func (c *Configuration) Run() (*Run, error) {
	s := c.settings
	if len(c.Definition.Classes) > 0 {
		return nil, s.wrong("use_read_write", "reads and writes, whose replies follow requests, are not simulated")
	}
	r := &Run{}
	for _, x := range []struct {
		name, usual string
		matters     bool // a run without it measures something else
	}{
		{"classes", "1", true}, {"injection_process", "bernoulli", true}, {"input_speedup", "1", false},
		{"output_speedup", "1", false}, {"internal_speedup", "1.0", false}, {"speculative", "0", false},
		{"hold_switch_for_packet", "0", false}, {"vc_busy_when_full", "0", false}, {"vc_prioritize_empty", "0", false},
		{"vc_shuffle_requests", "0", false}, {"priority", "none", false}, {"vc_allocator", "islip", false},
		{"sw_allocator", "islip", false}, {"arb_type", "round_robin", false}, {"alloc_iters", "1", false},
		{"sim_type", "latency", false},
	} {
		got := s.text(x.name, x.usual)
		if got == x.usual || x.name == "sim_type" && got == "throughput" { // which measures the same in another order
			continue
		}
		err := s.wrong(x.name, "%s %.40q is not simulated: want %s", x.name, got, x.usual)
		if x.matters {
			return nil, err
		}
		r.Warnings = append(r.Warnings, err.Error())
	}
	var tail, noc, prepare, final, inFlits int
	err := s.numbers(setting{&tail, "wait_for_tail_credit", 0, 0, 1}, setting{&noc, "use_noc_latency", 1, 0, 1},
		setting{&r.Route, "routing_delay", 1, 0, 1000}, setting{&r.Allocate, "vc_alloc_delay", 1, 0, 1000},
		setting{&r.Switch, "sw_alloc_delay", 1, 0, 1000}, setting{&prepare, "st_prepare_delay", 0, 0, 500},
		setting{&final, "st_final_delay", 1, 0, 500}, setting{&r.Credit, "credit_delay", 0, 0, 900},
		setting{&inFlits, "injection_rate_uses_flits", 0, 0, 1})
	if err != nil {
		return nil, err
	}
	r.Shared, r.Cross, r.Link = tail == 0, prepare+final, 1
	if s.text("topology", "torus") == "torus" && noc == 1 {
		r.Link = 2
	}
	if err := c.unlike(noc == 1); err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
	r.Credit += r.Link // the channel for credits is as long
	if err := c.pattern(r); err != nil {
		return nil, err
	}
	mean, err := c.lengths(r)
	if err != nil {
		return nil, err
	}
	rate := list(s.text("injection_rate", "0.1"))[0]
	x, err := strconv.ParseFloat(rate, 64)
	if !decimal().MatchString(rate) {
		x = 0
	}
	if r.Load = x; inFlits == 0 {
		r.Load *= mean
	}
	if err != nil || !(r.Load > 0 && r.Load <= 1) {
		return nil, s.wrong("injection_rate", "injection_rate %.40q with packets of %v flits: want more than 0, and at most "+
			"1 flit a clock", rate, mean)
	}
	if r.Load != x {
		r.Rate = s.wrong("injection_rate", "injection_rate %s counts packets, of %.4g flits: the load is %.4g", rate, mean,
			r.Load).Error()
	}
	if c.graph.inject != nil {
		r.Nodes = s.wrong("topology", "nodes are routers of their own here: a packet takes %d clocks more than in BookSim",
			2*(r.Route+r.Allocate+r.Switch+r.Cross+r.Link)).Error()
	}
	return r, nil
}

// unlike says that links of a network differ in latency in BookSim, while they are simulated with 1 clock each; nil if
// they do not.
func (c *Configuration) unlike(noc bool) error {
	const here = "which are not simulated: each takes 1 clock here"
	s := c.settings
	switch topology := s.text("topology", "torus"); {
	case topology == "dragonflynew":
		return s.wrong("topology", "links of dragonflynew have latencies of 10 and 100 clocks, %s", here)
	case noc && (topology == "cmesh" || topology == "flatfly"):
		return s.wrong("use_noc_latency", "links of %s have latencies by their lengths, %s: want 0", topology, here)
	}
	for _, latency := range c.graph.latency {
		if latency != 1 {
			return s.wrong("network_file", "links have latencies other than 1, %s", here)
		}
	}
	return nil
}

// pattern reads the traffic.
func (c *Configuration) pattern(r *Run) error {
	s := c.settings
	text := s.text("traffic", "uniform")
	m := trafficForm().FindStringSubmatch(text)
	known := false
	if m != nil {
		r.Traffic, known = patterns[m[1]]
	}
	if !known {
		return s.wrong("traffic", "traffic %.40q is not simulated: want %s", text, words.OneOf([]string{
			"bitcomp", "bitrev", "hotspot", "neighbor", "randperm", "shuffle", "tornado", "transpose", "uniform"}))
	}
	if topology := s.text("topology", "torus"); topology != "mesh" && topology != "torus" &&
		(r.Traffic == "tornado" || r.Traffic == "neighbour") {
		return s.wrong("traffic", "traffic %s is simulated on meshes and tori alone", m[1])
	}
	if r.Traffic != "hot-spot" {
		return nil
	}
	if strings.Contains(m[2], "},") {
		return s.wrong("traffic", "nodes with rates of their own are not simulated: want hotspot({NODE,...})")
	}
	for _, word := range list(m[2]) {
		i, err := strconv.Atoi(word)
		if err != nil || i < 0 || i >= len(c.graph.node) {
			return s.wrong("traffic", "hot node %.40q: want 0 to %d", word, len(c.graph.node)-1)
		}
		r.Hot = append(r.Hot, c.graph.topology.Node(c.graph.node[i]).Name)
	}
	return nil
}

// lengths reads the lengths of packets, with their rates, and returns their mean.
func (c *Configuration) lengths(r *Run) (mean float64, err error) {
	s := c.settings
	rates := list(list(s.text("packet_size_rate", "1"))[0])
	sum, weight := 0, 0
	for i, word := range list(list(s.text("packet_size", "1"))[0]) {
		rate := rates[min(i, len(rates)-1)]
		flits, err := strconv.Atoi(word)
		w, rateErr := strconv.Atoi(rate)
		if err != nil || !whole().MatchString(word) || flits < 1 || flits > 4096 {
			return 0, s.wrong("packet_size", "packet_size %.40q: want 1 to 4096 flits", word)
		}
		if rateErr != nil || w < 1 || w > 1<<20 {
			return 0, s.wrong("packet_size_rate", "packet_size_rate %.40q: want 1 to %d", rate, 1<<20)
		}
		r.Lengths = append(r.Lengths, Length{flits, w})
		sum, weight = sum+w*flits, weight+w
	}
	return float64(sum) / float64(weight), nil
}

// Flags returns a run as the values of the flags of unknot simulate, by name.
func (r *Run) Flags() map[string][]string {
	var lengths []string
	for _, l := range r.Lengths {
		lengths = append(lengths, fmt.Sprintf("%d:%d", l.Flits, l.Weight))
	}
	flags := map[string][]string{
		"like": {"booksim"}, "traffic": {r.Traffic}, "choice": {"packet"}, "length": {strings.Join(lengths, ",")},
		"load": {strconv.FormatFloat(r.Load, 'g', -1, 64)}, "shared": {strconv.FormatBool(r.Shared)},
		"delays": {fmt.Sprintf("route=%d,allocate=%d,switch=%d,cross=%d,link=%d,credit=%d,source=%d",
			r.Route, r.Allocate, r.Switch, r.Cross, r.Link, r.Credit, 2)},
	}
	if len(r.Hot) > 0 {
		flags["hot"], flags["share"] = r.Hot, []string{"1"}
	}
	return flags
}
