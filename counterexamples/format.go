package counterexamples

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The written form of a trace is text, one item a line in this order:
//
//	unknot-trace 1
//	network DIGEST
//	property deadlock|livelock|delivery
//	fault circular-wait|loop|dead-end|unrouted|misdelivery|trap
//	stuck CHANNEL ...                    circular-wait
//	back MOVE                            loop: number of the loop's first move, from 0
//	site CHANNEL DEST CLASS TAG          dead-end, unrouted, trap
//	scenario WORD ...                    how the network is run, if not with whole packets
//	move FROM DEST CLASS TAG -> CHANNEL TAG
//	follow FROM DEST CLASS TAG -> CHANNEL TAG
//	finish FROM DEST CLASS TAG -> CHANNEL TAG
//	consume FROM
//	end
//
// Channels and nodes are numbers as in the closed form of the network; -1 is
// Eject and -2-n the injection channel of node n. The words of a scenario are
// those of spec.Scenario.String. What follows a # is for people and is not read.

var moveNames = map[spec.MoveKind]string{spec.Advance: "move", spec.Follow: "follow", spec.Finish: "finish"}

const formatLine = "unknot-trace 1"

var faultNames = map[Fault]string{CircularWait: "circular-wait", Loop: "loop", DeadEnd: "dead-end", Unrouted: "unrouted", Misdelivery: "misdelivery", Trap: "trap"}

// String returns the fault's name in the written form, such as "circular-wait".
func (f Fault) String() string {
	if name, ok := faultNames[f]; ok {
		return name
	}
	return "fault(?)"
}

// Write writes the trace's written form, with comments in the names of n.
func Write(w io.Writer, n *spec.Network, t *Trace) error {
	b := bufio.NewWriter(w)
	topo := n.Topology()
	fmt.Fprintf(b, "%s\nnetwork %s\nproperty %s\nfault %s\n", formatLine, t.Network, t.Property, t.Fault)
	switch t.Fault {
	case CircularWait:
		b.WriteString("stuck")
		for _, c := range t.Stuck {
			fmt.Fprintf(b, " %d", c)
		}
		b.WriteByte('\n')
	case Loop:
		fmt.Fprintf(b, "back %d\n", t.Back)
	case DeadEnd, Unrouted, Trap:
		h := t.Site.Header
		fmt.Fprintf(b, "site %d %d %d %d # %s\n", t.Site.Channel, h.Dest, h.Class, h.Tag, comment(topo.ChannelName(t.Site.Channel)))
	}
	if sc := t.Scenario.Steps(); sc.String() != (spec.Scenario{}).String() {
		fmt.Fprintf(b, "scenario %s\n", sc)
	}
	for _, m := range t.Moves {
		if m.Kind == spec.Consume {
			fmt.Fprintf(b, "consume %d # %s\n", m.From, comment(topo.Node(topo.Head(m.From)).Name))
			continue
		}
		fmt.Fprintf(b, "%s %d %d %d %d -> %d %d # for %s: %s -> %s\n", moveNames[m.Kind], m.From, m.Header.Dest, m.Header.Class, m.Header.Tag, m.Hop.Channel, m.Hop.Tag,
			comment(topo.Node(m.Header.Dest).Name), comment(topo.ChannelName(m.From)), comment(topo.ChannelName(m.Hop.Channel)))
	}
	b.WriteString("end\n")
	return b.Flush()
}

// comment keeps a name on its line.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }

// Read reads the written form. Errors are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Trace, error) {
	p := &parser{file: file, lines: bufio.NewScanner(r)}
	p.lines.Buffer(nil, 1<<24)
	t := p.trace()
	if p.err != nil {
		return nil, p.err
	}
	return t, nil
}

// parser reads line by line; after the first error every step does nothing.
type parser struct {
	file  string
	lines *bufio.Scanner
	line  int
	plain bool // a # means nothing
	err   error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &spec.PosError{File: p.file, Line: max(1, p.line), Col: 1, Msg: fmt.Sprintf(format, args...)}
	}
}

// next returns the words of the next line, comment removed.
func (p *parser) next() []string {
	if p.err != nil {
		return nil
	}
	p.line++
	if !p.lines.Scan() {
		if err := p.lines.Err(); err != nil {
			p.fail("%v", err)
		} else {
			p.fail("unexpected end of file")
		}
		return nil
	}
	text := p.lines.Text()
	if !p.plain {
		text, _, _ = strings.Cut(text, "#")
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		p.fail("an empty line")
	}
	return words
}

// end checks that nothing follows. A line that is too long makes Scan false, too.
func (p *parser) end(of string) {
	if p.err == nil && (p.lines.Scan() || p.lines.Err() != nil) {
		p.line++
		p.fail("text after the end of the %s", of)
	}
}

// field reads "name word ..." with the given number of words, or any for -1.
func (p *parser) field(name string, count int) []string {
	words := p.next()
	if p.err != nil {
		return make([]string, max(count, 0))
	}
	if words[0] != name || count >= 0 && len(words) != count+1 {
		p.fail("want \"%s\" with %d words here, not %.60q", name, count, strings.Join(words, " "))
		return make([]string, max(count, 0))
	}
	return words[1:]
}

func (p *parser) trace() *Trace {
	t := &Trace{}
	if words := p.next(); p.err == nil && strings.Join(words, " ") != formatLine {
		p.fail("want %q here", formatLine)
	}
	d, err := spec.ParseDigest(p.field("network", 1)[0])
	if err != nil {
		p.fail("%v", err)
	}
	t.Network = d
	name := p.field("property", 1)[0]
	if t.Property, _ = spec.ParseProperty(name); t.Property.String() != name {
		p.fail("invalid property %.40q: want deadlock, livelock or delivery", name)
	}
	name = p.field("fault", 1)[0]
	for f, known := range faultNames {
		if known == name {
			t.Fault = f
		}
	}
	switch t.Fault {
	case CircularWait:
		for _, w := range p.field("stuck", -1) {
			t.Stuck = append(t.Stuck, spec.ChannelID(p.number(w, 0, 1<<31-1)))
		}
	case Loop:
		t.Back = int(p.number(p.field("back", 1)[0], 0, 1<<31-1))
	case DeadEnd, Unrouted, Trap:
		w := p.field("site", 4)
		t.Site = spec.Site{Channel: p.channel(w[0]), Header: p.header(w[1:])}
	case Misdelivery:
	default:
		p.fail("invalid fault %.40q", name)
	}
	for first := true; p.err == nil; first = false {
		words := p.next()
		if p.err != nil || len(words) == 1 && words[0] == "end" {
			break
		}
		if first && words[0] == "scenario" {
			t.Scenario = p.scenario(words[1:])
			continue
		}
		t.Moves = append(t.Moves, p.move(words))
	}
	p.end("trace")
	return t
}

func (p *parser) scenario(words []string) spec.Scenario {
	sc, err := spec.ParseScenario(strings.Join(words, " "))
	if err == nil && sc.Bounded() {
		err = errors.New("a trace bounds no traffic")
	}
	if err != nil {
		p.fail("%v", err)
	}
	return sc
}

func (p *parser) move(words []string) spec.Move {
	if len(words) == 2 && words[0] == "consume" {
		return spec.Move{Kind: spec.Consume, From: p.channel(words[1]), Hop: spec.Hop{Channel: spec.Eject}}
	}
	var m spec.Move
	switch {
	case len(words) == 8 && words[5] == "->" && words[0] == moveNames[spec.Advance]:
	case len(words) == 8 && words[5] == "->" && words[0] == moveNames[spec.Follow]:
		m.Kind = spec.Follow
	case len(words) == 8 && words[5] == "->" && words[0] == moveNames[spec.Finish]:
		m.Kind = spec.Finish
	default:
		p.fail("want \"move FROM DEST CLASS TAG -> CHANNEL TAG\" or \"end\" here")
		return m
	}
	m.From, m.Header = p.channel(words[1]), p.header(words[2:5])
	m.Hop = spec.Hop{Channel: p.channel(words[6]), Tag: spec.Tag(p.number(words[7], 0, 1<<16-1))}
	return m
}

func (p *parser) channel(word string) spec.ChannelID {
	return spec.ChannelID(p.number(word, -1<<31, 1<<31-1))
}

func (p *parser) header(words []string) spec.Header {
	return spec.Header{
		Dest:  spec.NodeID(p.number(words[0], 0, 1<<31-1)),
		Class: spec.Class(p.number(words[1], 0, 1<<16-1)),
		Tag:   spec.Tag(p.number(words[2], 0, 1<<16-1)),
	}
}

func (p *parser) number(word string, least, most int64) int64 {
	if p.err != nil {
		return 0
	}
	x, err := strconv.ParseInt(word, 10, 64)
	if err != nil || x < least || x > most || strconv.FormatInt(x, 10) != word {
		p.fail("%.40q: want an integer from %d to %d", word, least, most)
		return 0
	}
	return x
}
