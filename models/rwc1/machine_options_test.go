package rwc1

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// MachineOptions are parameters of rwc1-machine, and of the static network of the same
// streams.
type MachineOptions struct {
	Fabric     Topology
	N, VCs     int
	Border     Border
	Streams    []Stream
	Buffers    Buffers
	Depth, PIB int
	Spill      bool
	Window     int // 0: as many as there is room for
	Arbiter    string
	Hold       string
	ByLevel    bool
	Answers    bool
	Watch      int // from 0; -1: none
	Watch2     bool
}

// Stream is the endless stream of packets from one processor to another.
type Stream struct {
	From, To, Level int
	Answer          int // -1: none
	Most            int // 0: no bound
}

func (s Stream) asks() bool { return s.Answer >= 0 }

func (s Stream) String() string {
	text := fmt.Sprintf("%d-%d@%d", s.From, s.To, s.Level)
	if s.asks() {
		text += fmt.Sprintf("/%d", s.Answer)
	}
	if s.Most > 0 {
		text += fmt.Sprintf("x%d", s.Most)
	}
	return text
}

// Streams parses valid streams.
func Streams(text string, nodes int) []Stream {
	var all []Stream
	for part := range strings.SplitSeq(text, ",") {
		s := Stream{Answer: -1}
		who, rest, _ := strings.Cut(part, "@")
		fmt.Sscanf(rest, "%d", &s.Level)
		if _, answer, asks := strings.Cut(rest, "/"); asks {
			fmt.Sscanf(answer, "%d", &s.Answer)
		}
		if _, most, bounded := strings.Cut(rest, "x"); bounded {
			fmt.Sscanf(most, "%d", &s.Most)
		}
		first, last := map[string]int{"next": 1, "before": nodes - 1, "all": 1}[who], map[string]int{"next": 1, "before": nodes - 1, "all": nodes - 1}[who]
		if first == 0 {
			fmt.Sscanf(who, "%d-%d", &s.From, &s.To)
			all = append(all, s)
			continue
		}
		for v := range nodes {
			for d := first; d <= last; d++ {
				s.From, s.To = v, (v+d)%nodes
				all = append(all, s)
			}
		}
	}
	return all
}

// Routers returns how many routers the fabric has.
func (o MachineOptions) Routers() int { return o.N << (o.N * Options{Topology: o.Fabric}.dims()) }

// Params are the parameters of the entry.
func (o MachineOptions) Params() map[string]string {
	pick := func(yes bool, a, b string) string { return map[bool]string{true: a, false: b}[yes] }
	var streams []string
	for _, s := range o.Streams {
		streams = append(streams, s.String())
	}
	set := map[string]string{
		"fabric": TopologyNames[o.Fabric], "border": BorderNames[o.Border], "streams": strings.Join(streams, ","),
		"buffers": []string{"level", "mode"}[o.Buffers],
		"spill":   pick(o.Spill, "yes", "no"), "arbiter": o.Arbiter, "hold": o.Hold, "ranks": pick(o.ByLevel, "levels", "modes"),
		"first": pick(o.Answers, "answers", "any"), "watched": pick(o.Watch2, "2", "1"),
	}
	for name, x := range map[string]int{"n": o.N, "vcs": o.VCs, "depth": o.Depth, "pib": o.PIB, "window": o.Window, "watch": o.Watch + 1} {
		set[name] = strconv.Itoa(x)
	}
	return set
}

// Machine is the program of the machine.
func Machine(o MachineOptions) (*program.Program, error) {
	return programtest.Of(MachineEntry().Machine(o.Params()))
}
