package topology

import (
	"bufio"
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// readAnynet reads a network file of BookSim 2 (src/networks/anynet.cpp, readFile):
//
//	router 0 node 0 node 1 router 1 15 router 2
//	node 2 router 1
//
// A line joins its first item to all that follow. A number after a router is the
// latency of that direction; the way back has 1, unless a line says otherwise. A pair that
// is repeated is the same link, and its last latency counts. BookSim's nodes, which
// send, are attached to one router each: here a router sends if it has nodes. Links have
// the attribute latency; routers have nodes, the numbers of their nodes. Comments, from # or // to the end of a line, are
// left out, though BookSim has none.
func (d *draft) readAnynet(text []byte) error {
	a := &anynet{d, map[int]int{}, map[int][]int{}, map[way]int{}, map[way]place{}, nil}
	if err := d.anynetLines(text, a.join); err != nil {
		return err
	}
	for _, w := range a.order {
		for _, l := range []way{w, {w.to, w.from}} {
			err := d.link(draftLink{
				from: l.from, to: l.to, at: a.placeOf[w], attributes: []Attribute{{"latency", a.latency[l]}},
			})
			if err != nil {
				return err
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(a.nodesOf)) {
		slices.Sort(a.nodesOf[r])
		var names []string
		for _, n := range a.nodesOf[r] {
			names = append(names, strconv.Itoa(n))
		}
		d.nodes[r].attributes = []Attribute{{"terminal", true}, {"nodes", strings.Join(names, " ")}}
	}
	if len(a.nodesOf) == 0 {
		return d.wrong(start, "no node is attached to a router, so none sends: write router 0 node 0")
	}
	d.byNumber()
	return nil
}

// anynet is what the lines read so far join.
type anynet struct {
	*draft
	routerOf map[int]int   // by node of BookSim
	nodesOf  map[int][]int // by router
	latency  map[way]int
	placeOf  map[way]place
	order    []way // the first direction of each link
}

type way struct{ from, to int }

func (a *anynet) router(w word) (int, error) {
	return a.node(strconv.Itoa(w.number), strconv.Itoa(w.number), w.at)
}

// attach attaches a node of BookSim to a router.
func (a *anynet) attach(node, to word) error {
	r, err := a.router(to)
	if err != nil {
		return err
	}
	if old, known := a.routerOf[node.number]; known {
		if old != r {
			return a.wrong(node.at, "node %d is attached to router %s already: want one router",
				node.number, a.nodes[old].name)
		}
		return nil
	}
	a.routerOf[node.number] = r
	a.nodesOf[r] = append(a.nodesOf[r], node.number)
	return nil
}

// join joins the first item of a line to another.
func (a *anynet) join(head, body word, weight int) error {
	switch {
	case !head.router && !body.router:
		return a.wrong(body.at, "node %d to node %d: want a router at one end", head.number, body.number)
	case !head.router:
		return a.attach(head, body)
	case !body.router:
		return a.attach(body, head)
	}
	from, err := a.router(head)
	if err != nil {
		return err
	}
	to, err := a.router(body)
	if err != nil {
		return err
	}
	there, back := way{from, to}, way{to, from}
	if from == to {
		return a.wrong(body.at, "a link from router %d to itself: leave it out", body.number)
	}
	if a.latency[back] == 0 {
		a.latency[back] = 1
		if a.latency[there] == 0 {
			a.order, a.placeOf[there] = append(a.order, there), body.at
		}
	}
	a.latency[there] = weight
	return a.interrupted()
}

// word is "router 3" or "node 3".
type word struct {
	router bool
	number int
	at     place
}

// anynetLines calls join for each pair that a line joins, with the latency from the first to
// the second, by default 1.
func (d *draft) anynetLines(text []byte, join func(head, body word, weight int) error) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for line := 1; lines.Scan(); line++ {
		fields := fieldsOf(lines.Text(), line)
		if i := slices.IndexFunc(fields, isComment); i >= 0 {
			fields = fields[:i]
		}
		var head *word
		for len(fields) > 0 {
			w, err := d.anynetWord(fields)
			if err != nil {
				return err
			}
			fields = fields[2:]
			if head == nil {
				head = &w
				continue
			}
			weight := 1
			if len(fields) > 0 && !isEnd(fields[0].text) {
				if weight, err = d.natural(fields[0], "latency", 1); err != nil {
					return err
				}
				fields = fields[1:]
			}
			if err := join(*head, w, weight); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// isComment reports whether a comment begins with a field.
func isComment(f field) bool { return f.text[0] == '#' || strings.HasPrefix(f.text, "//") }

// isEnd reports whether a word names a kind of end, in any case of letters.
func isEnd(text string) bool {
	return strings.EqualFold(text, "router") || strings.EqualFold(text, "node")
}

func (d *draft) anynetWord(fields []field) (w word, err error) {
	w.at = fields[0].at
	switch strings.ToLower(fields[0].text) {
	case "router":
		w.router = true
	case "node":
	default:
		return w, d.wrong(w.at, "invalid word %.40q: want router or node", fields[0].text)
	}
	if len(fields) < 2 {
		return w, d.wrong(w.at, "%s without a number", fields[0].text)
	}
	w.number, err = d.natural(fields[1], fields[0].text, 0)
	return w, err
}

func (d *draft) natural(f field, what string, least int) (int, error) {
	x, err := strconv.Atoi(f.text)
	if err != nil || x < least || x > 1<<30 {
		return 0, d.wrong(f.at, "invalid %s %.40q: want a number from %d to %d", what, f.text, least, 1<<30)
	}
	return x, nil
}

// field is a word of a line.
type field struct {
	text string
	at   place
}

func fieldsOf(text string, line int) []field {
	var all []field
	for begin, i := -1, 0; i <= len(text); i++ {
		blank := i == len(text) || text[i] == ' ' || text[i] == '\t' || text[i] == '\r'
		switch {
		case blank && begin >= 0:
			all = append(all, field{text[begin:i], place{line, begin + 1}})
			begin = -1
		case !blank && begin < 0:
			begin = i
		}
	}
	return all
}
