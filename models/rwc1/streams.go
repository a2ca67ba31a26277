package rwc1

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Stream is what one processor sends to another, again and again.
type Stream struct {
	From, To int // routers
	Level    int // of the packets, or requests: 0 to 3, see LevelNames
	Answer   int // the level of the replies; -1: packets that end where they arrive
	Most     int // how many are ever sent; 0: no bound
}

// asks reports whether the packets are requests.
func (s Stream) asks() bool { return s.Answer >= 0 }

// String writes a stream as ParseStreams reads it.
func (s Stream) String() string {
	text := fmt.Sprintf("%d>%d@%d", s.From, s.To, s.Level)
	if s.asks() {
		text += fmt.Sprintf("/%d", s.Answer)
	}
	if s.Most > 0 {
		text += fmt.Sprintf("*%d", s.Most)
	}
	return text
}

const mostStreams = 64

// ParseStreams reads what is sent among nodes routers: parts joined by commas,
// each WHO@LEVEL, WHO@LEVEL/REPLY for requests that are answered, and *COUNT
// behind it if no more than that are ever sent. WHO is FROM>TO in numbers of
// routers; or next, before or all, for every router: to the router with the next
// number, to the one before, to all others.
func ParseStreams(text string, nodes int) ([]Stream, error) {
	form := regexp.MustCompile(`^([^@]*)@([0-3])(?:/([0-3]))?(?:\*([1-9]))?$`)
	var all []Stream
	for part := range strings.SplitSeq(text, ",") {
		m := form.FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("streams=%.40s: %.40q must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9", text, part)
		}
		digit := func(text string, without int) int {
			if text == "" {
				return without
			}
			return int(text[0] - '0')
		}
		pairs, err := parseWho(m[1], nodes)
		if err != nil {
			return nil, fmt.Errorf("streams=%.40s: %.40q: %w", text, part, err)
		}
		for _, p := range pairs {
			all = append(all, Stream{From: p[0], To: p[1], Level: digit(m[2], 0), Answer: digit(m[3], -1), Most: digit(m[4], 0)})
		}
		if len(all) > mostStreams {
			return nil, fmt.Errorf("streams=%.40s: more than %d streams", text, mostStreams)
		}
	}
	return all, nil
}

// parseWho lists pairs of sender and receiver.
func parseWho(text string, nodes int) (pairs [][2]int, err error) {
	for v := range min(nodes, mostStreams+1) {
		switch text {
		case "next":
			pairs = append(pairs, [2]int{v, (v + 1) % nodes})
		case "before":
			pairs = append(pairs, [2]int{v, (v + nodes - 1) % nodes})
		case "all":
			for d := 1; d < min(nodes, mostStreams+1); d++ {
				pairs = append(pairs, [2]int{v, (v + d) % nodes})
			}
		}
	}
	if pairs != nil {
		return pairs, nil
	}
	from, to, ok := strings.Cut(text, ">")
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if !ok || errA != nil || errB != nil || a < 0 || b < 0 || a >= nodes || b >= nodes || a == b {
		return nil, fmt.Errorf("who sends to whom must be two different routers from 0 to %d as in 0>1, or next, before or all", nodes-1)
	}
	return [][2]int{{a, b}}, nil
}
