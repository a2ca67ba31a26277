package routing

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// shares makes room to remember answers, if the relation knows that one serves many sites.
func (c *compilation) shares(w *tabulator, places int) error {
	const mostPlaces = 1 << 22 // of which answers are kept
	switch _, again := c.def.Routing.(Repeater); {
	case c.def.Selection != nil && c.def.Selection.Commit != nil:
	case byNode(c.def.Routing):
		w.atNode = make([]spec.RowID, c.def.Topology.Nodes()*c.def.Tags)
		if c.def.asks == nil {
			w.decides, w.row = c.decides(), nil // as large
		}
	case again && places <= mostPlaces:
		w.like = make([]Scope, places+c.def.Topology.Nodes())
		w.likeFor = make([]spec.Target, len(w.like))
		w.atNode = make([]spec.RowID, c.def.Topology.Nodes())
		w.row = make([]spec.RowID, len(w.like))
	}
	return c.account(4*int64(len(w.atNode)) + 32*int64(len(w.like)))
}

// decides returns, by place, where atNode has the answer of the node that the channel leads to.
func (c *compilation) decides() []int32 {
	t, tags := c.def.Topology, c.def.Tags
	decides := make([]int32, 0, t.Channels()*tags)
	for channel := range t.Channels() {
		first := int(t.Head(spec.ChannelID(channel))) * tags
		for tag := range tags {
			decides = append(decides, int32(first+tag))
		}
	}
	return decides
}

// answer returns the row of a site: a remembered one, if the relation tells that it is the
// same, or that of ask. place is the site's index in row and like.
func (c *compilation) answer(w *tabulator, s spec.Site, place int) (spec.RowID, error) {
	if w.like != nil {
		return c.answerLike(w, s, place)
	}
	if w.atNode == nil {
		return c.ask(w, s)
	}
	i := int(c.def.Topology.Head(s.Channel))*c.def.Tags + int(s.Header.Tag)
	if r := w.atNode[i] - 1; r >= 0 {
		return r, nil
	}
	r, err := c.ask(w, s)
	if err == nil {
		w.atNode[i] = r + 1
		w.met = append(w.met, int32(i))
	}
	return r, err
}

// answerLike is answer for a [Repeater].
func (c *compilation) answerLike(w *tabulator, s spec.Site, place int) (spec.RowID, error) {
	slot := &w.row[place]
	sorted := w.kinds != nil && c.def.Topology.Head(s.Channel) != s.Header.Dest
	if sorted {
		slot = w.slot(place)
	}
	again := c.def.Routing.(Repeater)
	if scope := w.like[place]; scope.Like != nil {
		was := spec.Header{Dest: w.likeFor[place].Dest, Class: w.likeFor[place].Class, Tag: s.Header.Tag}
		if again.Repeats(scope.Like, s.Channel, was, s.Header) {
			w.likeFor[place] = s.Header.Target()
			w.keep(c, s, scope, w.row[place])
			return w.row[place], nil
		}
	}
	hops, scope, err := again.AppendHopsLike(w.buf[:0], s.Channel, s.Header)
	w.like[place] = Scope{}
	if err != nil {
		return 0, err
	}
	r, err := c.rowOf(w, s, hops)
	if err != nil {
		return 0, err
	}
	w.keep(c, s, scope, r)
	switch {
	case scope.Like == nil:
	case sorted:
		*slot = r + 1
	case w.kinds == nil: // otherwise row would not stay that of like
		w.like[place], w.likeFor[place], *slot = scope, s.Header.Target(), r
	}
	return r, nil
}

// keep keeps an answer for all channels to a node, if it is theirs. Where there are kinds these serve as well.
func (w *tabulator) keep(c *compilation, s spec.Site, scope Scope, r spec.RowID) {
	if v := c.def.Topology.Head(s.Channel); scope.ByNode && w.kinds == nil {
		w.atNode[v], w.met = r+1, append(w.met, int32(v))
	}
}

// sort asks for the kinds of targets. If they have changed, answers by the old kinds are forgotten.
func (c *compilation) sort(w *tabulator) error {
	const most = 1 << 24 // rows that are kept
	sorter, ok := c.def.Routing.(Sorter)
	if !ok || w.like == nil {
		return nil
	}
	k := sorter.Kinds()
	if k != nil && (k.Count*len(w.like) > most || k.Count > c.targets) { // too large, or too few targets of a kind
		k = nil
	}
	if k == w.kinds {
		w.classes.target(c, w)
		return nil
	}
	w.kinds = k
	clear(w.like)
	w.classes = classes{}
	if k == nil {
		return nil
	}
	n, before := (k.Count+1)*len(w.like), cap(w.ofKind)
	w.ofKind = slices.Grow(w.ofKind[:0], n)[:n]
	clear(w.ofKind)
	w.classes = k.classes(len(w.like))
	w.classes.target(c, w)
	return c.account(4 * int64(cap(w.ofKind)-before+len(w.classes.of)))
}

// classes returns the classes of the given number of places.
func (k *Kinds) classes(places int) classes {
	const few = 8 // places of a class, on the average
	x := classes{of: make([]int32, places), first: []int32{0}}
	for i := range k.Parts {
		x.first = x.first[:0]
		number := map[[2]int32]int32{}
		for place, class := range x.of {
			key := [2]int32{class, k.Parts[i].Place[place]}
			n, met := number[key]
			if !met {
				n = int32(len(x.first))
				number[key] = n
				x.first = append(x.first, int32(place))
			}
			if x.of[place] = n; len(x.first)*few > places {
				return classes{}
			}
		}
	}
	return x
}

// target finds the kinds of the target that w explores.
func (x *classes) target(c *compilation, w *tabulator) {
	if x.of == nil {
		return
	}
	for i, place := range x.moved {
		x.of[place] = x.from[i]
	}
	x.kind, x.was, x.moved, x.from = x.was[:0], x.kind, x.moved[:0], x.from[:0]
	for _, place := range x.first {
		x.kind = append(x.kind, int32(w.kinds.of(w.number, int(place))*len(w.like)))
	}
	x.kind = append(x.kind, int32(w.kinds.Count*len(w.like)))
	x.same = slices.Equal(x.kind, x.was)
	t, at := c.def.Topology, spec.NodeID(w.number/len(c.def.Classes))
	move := func(place int) {
		x.moved, x.from = append(x.moved, int32(place)), append(x.from, x.of[place])
		x.of[place] = int32(len(x.first))
	}
	move(t.Channels()*c.def.Tags + int(at))
	for _, l := range t.InLinks(at) {
		first := int(t.Channel(l, 0))
		for place := first * c.def.Tags; place < (first+t.Link(l).VCs)*c.def.Tags; place++ {
			move(place)
		}
	}
}

// known returns the row of a place for the target being explored, or -1.
func (w *tabulator) known(place int) spec.RowID {
	if w.classes.of == nil {
		return -1
	}
	return w.ofKind[int(w.classes.kind[w.classes.of[place]])+place] - 1
}

// rowAt returns the row of a site whose index in row and like is place.
func (c *compilation) rowAt(w *tabulator, s spec.Site, place int) (spec.RowID, error) {
	r := w.known(place)
	if r >= 0 {
		return r, nil
	}
	v := c.def.Topology.Head(s.Channel)
	away := v != s.Header.Dest
	switch { // most sites of a network whose places have no classes
	case away && w.kinds != nil:
		r = *w.slot(place) - 1
	case w.kinds == nil && w.like != nil && w.atNode[v] > 0:
		r = w.atNode[v] - 1
		w.like[place] = Scope{} // row becomes this one
	}
	if r >= 0 {
		return r, nil
	}
	r, err := c.answer(w, s, place)
	if away && w.known(place) < 0 {
		w.near.told = false
	}
	return r, err
}

// slot is where the row of a place is kept by the kind of the target being explored.
func (w *tabulator) slot(place int) *spec.RowID {
	return &w.ofKind[w.kinds.of(w.number, place)*len(w.like)+place]
}

// ask evaluates the relation at one site and returns the number of the row.
func (c *compilation) ask(w *tabulator, s spec.Site) (spec.RowID, error) {
	w.asked, w.asking = s, true
	hops, err := c.def.Routing.AppendHops(w.buf[:0], s.Channel, s.Header)
	w.asking = false
	if err != nil {
		return 0, err
	}
	return c.rowOf(w, s, hops)
}

// repanic is deferred where w asks the relation. A panic of the relation goes on with the site that it was asked about:
// its stack names the line of the routing function, and nothing else names the packet.
func (c *compilation) repanic(w *tabulator) {
	v := recover()
	if v == nil {
		return
	}
	if w.asking {
		w.asking = false
		switch x := v.(type) {
		case runtime.Error:
			v = &each.Panic{Value: fmt.Errorf("%s: %w", c.where(w.asked), x), Stack: debug.Stack()}
		case string:
			v = &each.Panic{Value: c.where(w.asked) + ": " + x, Stack: debug.Stack()}
		}
	}
	panic(v)
}

// rowOf returns the number of the canonical row of an answer: its hops checked, sorted,
// without repetition.
func (c *compilation) rowOf(w *tabulator, s spec.Site, hops []spec.Hop) (spec.RowID, error) {
	w.buf = hops
	if sel := c.def.Selection; sel != nil && sel.Commit != nil {
		w.commits = sel.Commit(w.commits[:0], s.Channel, s.Header, hops)
		for _, h := range w.commits {
			if !slices.Contains(hops, h) {
				return 0, c.wrong(s, h,
					fmt.Sprintf("selection %s commits to a hop that the relation does not permit", sel.Name))
			}
		}
		hops = w.commits
	}
	t := c.def.Topology
	last := &w.last[t.Head(s.Channel)]
	if len(hops) == 1 && last.hop == hops[0] && last.row > 0 {
		return last.row - 1, nil
	}
	if last.row > 0 && slices.Equal(hops, w.rows.row(last.row-1)) {
		return last.row - 1, nil
	}
	roomy := false
	for i, h := range hops {
		if h.Room == 1 {
			hops[i].Room = 0
		}
		switch {
		case h.Channel == spec.Eject && h.Tag == 0 && h.Room <= 1, h.Discards():
		case h.Channel < 0 || int(h.Channel) >= t.Channels():
			if l, vc, is := t.NoVC(h); is {
				return 0, c.wrong(s, h, fmt.Sprintf("hop into VC %d of %s, which has VCs 0 to %d",
					vc, t.LinkName(l), t.Link(l).VCs-1))
			}
			return 0, c.wrong(s, h, fmt.Sprintf("hop to channel %d, but channels are numbered 0 to %d",
				h.Channel, t.Channels()-1))
		case t.Tail(h.Channel) != t.Head(s.Channel):
			return 0, c.wrong(s, h, fmt.Sprintf("hop into %s, which does not leave %s",
				t.ChannelName(h.Channel), t.Node(t.Head(s.Channel)).Name))
		case int(h.Tag) >= c.def.Tags:
			return 0, c.wrong(s, h, fmt.Sprintf("hop with tag %d, but tags are 0 to %d", h.Tag, c.def.Tags-1))
		case h.Room > 1:
			parts := c.def.parts()
			if problem := parts.WrongRoom(int(h.Room)); problem != "" {
				return 0, c.wrong(s, h, problem)
			}
			roomy = true
		}
	}
	if roomy {
		hops = spec.Distinct(hops)
		r := w.rows.add(hops)
		last.set(r, hops)
		return r, nil
	}
	if len(hops) == 1 && w.single != nil && !hops[0].Discards() { // the short way for deterministic relations
		if r := w.single[w.place(c, hops[0])] - 1; r >= 0 {
			last.set(r, hops)
			return r, nil
		}
	}
	// Most rows have one to four hops, where insertion beats a general sort.
	for i := 1; i < len(hops); i++ {
		for j := i; j > 0 && hops[j].Compare(hops[j-1]) < 0; j-- {
			hops[j], hops[j-1] = hops[j-1], hops[j]
		}
	}
	hops = slices.Compact(hops)
	r := w.rows.add(hops)
	if len(hops) == 1 && w.single != nil && !hops[0].Discards() {
		w.single[w.place(c, hops[0])] = r + 1
	}
	last.set(r, hops)
	return r, nil
}

// place numbers what a hop leads to: channel and tag, Eject last.
func (w *tabulator) place(c *compilation, h spec.Hop) int {
	if h.Channel == spec.Eject {
		return len(w.single) - 1
	}
	return int(h.Channel)*c.def.Tags + int(h.Tag)
}

func (c *compilation) wrong(s spec.Site, h spec.Hop, problem string) error {
	return &SiteError{s, c.where(s), Reason(c.def.Routing, s.Channel, s.Header, h), problem}
}

func (c *compilation) where(s spec.Site) string {
	t := c.def.Topology
	where := "at " + t.ChannelName(s.Channel) + " for " + t.Node(s.Header.Dest).Name
	if len(c.def.Classes) > 1 {
		where += " class " + c.def.Classes[s.Header.Class]
	}
	if c.def.Tags > 1 {
		where += fmt.Sprintf(" tag %d", s.Header.Tag)
	}
	return where
}

func (c *compilation) names(hops []spec.Hop) string {
	if len(hops) == 0 {
		return "nothing"
	}
	var b []byte
	for i, h := range hops {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, c.def.Topology.ChannelName(h.Channel)...)
	}
	return string(b)
}
