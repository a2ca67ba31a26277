package counterexamples

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The written form of a trace is text, one item a line in this order:
//
//	unknot-trace 2
//	network DIGEST
//	property deadlock-freedom|livelock-freedom|delivery|no-discard
//	fault deadlock|loop|dead-end|unrouted|misdelivery|trap|discarded
//	stuck CHANNEL ...                    deadlock
//	notion weak|global                   deadlock; left out if local
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
// those of spec.Scenario.String. In lines of a site or a move, text after a # is a comment:
// the same in names. It may be left out; package evidence refuses any other.

var moveNames = [...]string{spec.Advance: "move", spec.Follow: "follow", spec.Finish: "finish"}

const formatLine = "unknot-trace 2"

var faultNames = [...]string{
	"fault(?)", Deadlock: "deadlock", Loop: "loop", DeadEnd: "dead-end", Unrouted: "unrouted",
	Misdelivery: "misdelivery", Trap: "trap", Discarded: "discarded", "fault(?)",
}

// String returns the fault's name in the written form, such as "deadlock".
func (f Fault) String() string { return faultNames[min(f, Discarded+1)] }

// Read reads the written form. Errors are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Trace, error) {
	l := lines.New(file, r, formatLine)
	t := &Trace{Network: l.Network(), Property: l.Property()}
	name := l.Field("fault")
	switch t.Fault = Fault(max(0, slices.Index(faultNames[:], name))); t.Fault {
	case Deadlock:
		for _, w := range l.Words("stuck", -1) {
			t.Stuck = append(t.Stuck, spec.ChannelID(l.Number(w, 0, math.MaxInt32)))
		}
		if strings.HasPrefix(l.Peek(), "notion ") {
			name = l.Field("notion")
			if t.Notion = Notion(max(0, slices.Index(notionNames[:], name))); t.Notion == Local {
				l.Fail("invalid notion %.40q: want weak or global", name)
			}
		}
	case Loop:
		t.Back = l.Number(l.Field("back"), 0, math.MaxInt32)
	case DeadEnd, Unrouted, Trap:
		t.Site = l.Site(l.Commented("site", 4))
	case Misdelivery, Discarded:
	default:
		known := faultNames[Deadlock : Discarded+1]
		l.Fail("invalid fault %.40q: want %s%s", name, words.OneOf(known), words.NowCalled("fault "+name, known))
	}
	if strings.HasPrefix(l.Peek(), "scenario ") {
		var err error
		if t.Scenario, err = spec.ParseScenario(l.Field("scenario")); err != nil || t.Scenario.Bounded() {
			l.Fail("%v", cmp.Or(err, errBounded))
		}
	}
	for l.Err() == nil && l.Peek() != "end" {
		t.Moves = append(t.Moves, move(l))
	}
	return lines.End(l, t)
}

func move(l *lines.Reader) spec.Move {
	name, _, _ := strings.Cut(l.Peek(), " ")
	if name == "consume" {
		return spec.Move{
			Kind: spec.Consume, From: channel(l, l.Commented(name, 1)[0]), Hop: spec.Hop{Channel: spec.Eject},
		}
	}
	kind, w := slices.Index(moveNames[:], name), make([]string, 7)
	if kind >= 0 {
		w = l.Commented(name, len(w))
	}
	if w[4] != "->" {
		l.Fail("want \"move FROM DEST CLASS TAG -> CHANNEL TAG\" or \"end\" here")
	}
	at := l.Site(w)
	return spec.Move{
		Kind: spec.MoveKind(max(0, kind)), From: at.Channel, Header: at.Header,
		Hop: spec.Hop{Channel: channel(l, w[5]), Tag: spec.Tag(l.Number(w[6], 0, math.MaxUint16))},
	}
}

func channel(l *lines.Reader, word string) spec.ChannelID {
	return spec.ChannelID(l.Number(word, math.MinInt32, math.MaxInt32))
}
