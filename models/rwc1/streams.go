package rwc1

import (
	"fmt"
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
	var all []Stream
	for part := range strings.SplitSeq(text, ",") {
		wrong := fmt.Errorf("streams=%.40s: %.40q must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all", text, part)
		who, rest, ok := strings.Cut(part, "@")
		if !ok {
			return nil, wrong
		}
		s := Stream{Answer: -1}
		var err error
		rest, count, bounded := strings.Cut(rest, "*")
		if bounded {
			if s.Most, err = strconv.Atoi(count); err != nil || s.Most < 1 || s.Most > 9 {
				return nil, fmt.Errorf("streams=%.40s: %.40q: the count must be 1 to 9", text, part)
			}
		}
		level, answer, asks := strings.Cut(rest, "/")
		if s.Level, err = parseLevel(level); err != nil {
			return nil, wrong
		}
		if asks {
			if s.Answer, err = parseLevel(answer); err != nil {
				return nil, wrong
			}
		}
		pairs, err := parseWho(who, nodes)
		if err != nil {
			return nil, fmt.Errorf("streams=%.40s: %.40q: %w", text, part, err)
		}
		for _, p := range pairs {
			s.From, s.To = p[0], p[1]
			all = append(all, s)
		}
		if len(all) > mostStreams {
			return nil, fmt.Errorf("streams=%.40s: more than %d streams", text, mostStreams)
		}
	}
	return all, nil
}

func parseLevel(text string) (int, error) {
	if len(text) != 1 || text[0] < '0' || text[0] > '3' {
		return 0, fmt.Errorf("invalid level %.40q: want 0 to 3", text)
	}
	return int(text[0] - '0'), nil
}

// parseWho lists pairs of sender and receiver.
func parseWho(text string, nodes int) ([][2]int, error) {
	var pairs [][2]int
	switch text {
	case "next", "before", "all":
		for v := range min(nodes, mostStreams+1) {
			for d := range min(nodes, mostStreams+1) {
				to := (v + d) % nodes
				if d != 0 && (text == "all" || text == "next" && d == 1) {
					pairs = append(pairs, [2]int{v, to})
				}
			}
			if text == "before" {
				pairs = append(pairs, [2]int{v, (v + nodes - 1) % nodes})
			}
		}
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
