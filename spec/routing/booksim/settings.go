package booksim

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// value is what a setting is set to, and where; line 0 is the command line.
type value struct {
	text      string
	line, col int
}

// settings are those of a file, by name; the last of a name counts.
type settings struct {
	file string
	of   map[string]value
}

// names lists the settings of BookSim 2, as booksim_config.cpp declares them.
var names = strings.Fields(`acc_stopping_thres acc_warmup_thres active_packets_out alloc_iters arb_type batch_count
batch_size buf_size buffer_policy burst_alpha burst_beta burst_r1 c channel_file channel_sweep channel_width
class_priority classes credit_delay deadlock_warn_timeout ejected_flits_out fail_seed feedback_aging_scale
feedback_offset free_credits_out hold_switch_for_packet in_ports include_queuing injected_flits_out
injection_process injection_rate injection_rate_uses_flits input_speedup internal_speedup k latency_thres
link_failures max_credits_out max_held_slots max_outstanding_requests max_samples measure_stats n network_file noq
num_vcs out_ports output_buffer_size output_delay output_speedup outstanding_credits_out packet_size
packet_size_rate pair_stats perm_seed power_output_file print_activity print_csv_results priority
private_buf_end_vc private_buf_size private_buf_start_vc private_bufs read_reply_begin_vc read_reply_end_vc
read_reply_size read_reply_subnet read_request_begin_vc read_request_end_vc read_request_size
read_request_subnet received_flits_out router routing_delay routing_function sample_period seed sent_flits_out
sent_packets_out sim_count sim_power sim_type spec_check_cred spec_check_elig spec_mask_by_reqs spec_sw_allocator
speculative st_final_delay st_prepare_delay stats_out stopping_thres stored_flits_out subnets sw_alloc_delay
sw_allocator tech_file topology traffic use_noc_latency use_read_write used_credits_out vc_alloc_delay
vc_allocator vc_buf_size vc_busy_when_full vc_prioritize_empty vc_priority_donation vc_shuffle_requests vct
viewer_trace wait_for_tail_credit warmup_periods warmup_thres watch_file watch_flits watch_out watch_packets
watch_transactions wire_length write_fraction write_reply_begin_vc write_reply_end_vc write_reply_size
write_reply_subnet write_request_begin_vc write_request_end_vc write_request_size write_request_subnet
x xr y yr`)

// former lists settings of earlier versions, which its own examples still have.
var former = []string{"limit", "physical_subnetworks"}

var begins = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(\s|//[^\n]*)*\w+\s*=[^;=\n]*;`)
})

var network = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(topology|routing_function)\s*=\s*\w+\s*;`)
})

// byteOrder is the mark that editors of Windows begin a text with.
const byteOrder = "\ufeff"

// whole is an integer as BookSim writes one, with no plus sign.
var whole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]+$`) })

// Is reports whether a text begins like a configuration, or like what BookSim prints, with its copy of one: with settings,
// and one of the topology or the routing function among the first 64 KiB.
func Is(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte(byteOrder))
	head := text[:min(len(text), 64<<10)]
	return (begins().Match(head) || isPrinted(head)) && network().Match(head)
}

// scanner reads the words of a configuration: names and values, = and ;.
type scanner struct {
	file      string
	text      string
	line, col int
}

func (s *scanner) wrong(line, col int, format string, args ...any) error {
	return &spec.PosError{File: s.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) skip(n int) {
	for _, c := range []byte(s.text[:n]) {
		if s.col++; c == '\n' {
			s.line, s.col = s.line+1, 1
		}
	}
	s.text = s.text[n:]
}

// word returns the next word and its place; the empty word is the end. In braces and parentheses, a word goes on
// through commas.
func (s *scanner) word() value {
	for {
		s.skip(len(s.text) - len(strings.TrimLeft(s.text, " \t\r\n")))
		if !strings.HasPrefix(s.text, "//") {
			break
		}
		end := strings.IndexByte(s.text, '\n')
		if end < 0 {
			end = len(s.text)
		}
		s.skip(end)
	}
	v := value{line: s.line, col: s.col}
	n := strings.IndexAny(s.text, " \t\r\n=;")
	switch {
	case n < 0:
		n = len(s.text)
	case n == 0:
		n = 1
	}
	if comment := strings.Index(s.text[:n], "//"); comment > 0 {
		n = comment
	}
	v.text = s.text[:n]
	s.skip(n)
	return v
}

// scan reads the settings of a text: NAME = VALUE; any number of times.
func (c *settings) scan(text []byte) (warnings []string, err error) {
	s := &scanner{c.file, string(text), 1, 1}
	var unknown []value
	for {
		name := s.word()
		if name.text == "" {
			return warnings, c.unknown(unknown)
		}
		if equals := s.word(); equals.text != "=" {
			return nil, s.wrong(equals.line, equals.col, "invalid %.40q after %.40q: want =", equals.text, name.text)
		}
		v := s.word()
		if v.text == "" || v.text == ";" || v.text == "=" {
			return nil, s.wrong(v.line, v.col, "%.40q without a value", name.text)
		}
		if end := s.word(); end.text != ";" {
			return nil, s.wrong(end.line, end.col, "invalid %.40q after %.40q: want ;", end.text, v.text)
		}
		switch {
		case slices.Contains(former, name.text):
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s is no setting of BookSim 2 any more, and has no effect",
				c.file, name.line, name.text))
		case !slices.Contains(names, name.text):
			unknown = append(unknown, name)
			continue
		}
		if c.both(name.text, v.text) {
			return nil, s.wrong(v.line, v.col, "%s %s", name.text, bothForms)
		}
		c.of[name.text] = v
	}
}

// unknown names all settings that BookSim 2 does not have, at the place of the first: a configuration of a fork has many.
func (c *settings) unknown(all []value) error {
	const most = 20
	if len(all) == 0 {
		return nil
	}
	var each []string
	for _, v := range all[:min(len(all), most)] {
		each = append(each, fmt.Sprintf("%.40q (line %d%s)", v.text, v.line, words.Suggestion(v.text, names)))
	}
	if len(all) > most {
		each = append(each, fmt.Sprintf("%d more", len(all)-most))
	}
	msg := strings.Join(each, ", ") + ": no settings of BookSim 2"
	similar := words.Suggestion(all[0].text, names)
	if len(all) == 1 {
		msg = fmt.Sprintf("%.40q is no setting of BookSim 2%s", all[0].text, similar)
	}
	if len(all) > 1 || similar == "" {
		msg += "; delete those of a fork that do not change the routes"
	}
	return &spec.PosError{File: c.file, Line: all[0].line, Col: all[0].col, Msg: msg}
}

// bothForms says what is wrong with a setting that is given twice, see [settings.both].
const bothForms = "both with braces and without: BookSim keeps the two, and takes the one in braces: leave one out"

// both reports whether a setting would be given as a list and as a number, which BookSim keeps apart.
func (c *settings) both(name, text string) bool {
	old, given := c.of[name]
	if strings.HasPrefix(text, "{") {
		return given && decimal().MatchString(old.text)
	}
	return given && strings.HasPrefix(old.text, "{") && decimal().MatchString(text)
}

// wrong makes an error about a setting: at its place, at the command line, or at the beginning if it has its default.
func (c *settings) wrong(name, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	v, given := c.of[name]
	switch {
	case !given:
		return &spec.PosError{File: c.file, Line: 1, Col: 1, Msg: name + " is not set: " + msg}
	case v.line == 0:
		return fmt.Errorf("--set %s=%s: %s", name, v.text, msg)
	}
	return &spec.PosError{File: c.file, Line: v.line, Col: v.col, Msg: msg}
}

// number returns a setting that is an integer in a range.
func (c *settings) number(name string, usual, least, most int) (int, error) {
	v, given := c.of[name]
	if !given {
		if usual < least || usual > most {
			return 0, c.wrong(name, "its default is %d: want %d to %d", usual, least, most)
		}
		return usual, nil
	}
	x, err := strconv.Atoi(v.text)
	if err != nil || !whole().MatchString(v.text) || x < least || x > most {
		return 0, c.wrong(name, "invalid %s %.40q: want %d to %d", name, v.text, least, most)
	}
	return x, nil
}

// numbers reads several settings into variables.
func (c *settings) numbers(all ...setting) error {
	for _, s := range all {
		x, err := c.number(s.name, s.usual, s.least, s.most)
		if err != nil {
			return err
		}
		*s.to = x
	}
	return nil
}

type setting struct {
	to                 *int
	name               string
	usual, least, most int
}

// list returns the elements of a value {A,B,...}, or the value itself if it has no braces.
func list(text string) []string {
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return []string{text}
	}
	var all []string
	depth, begin := 0, 1
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if c == ',' && depth == 1 || i == len(text)-1 {
			all, begin = append(all, text[begin:i]), i+1
		}
	}
	return all
}
