package star

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// relation evaluates the file's route function, once for each input.
type relation struct {
	ctx      context.Context
	file     string
	steps    uint64 // of one call
	nodes    []*node
	classes  []string
	links    []*link
	t        *spec.Topology
	route    *starlark.Function
	tags     int         // with sources: tag = number of the source * tags + the file's own; otherwise 0
	callPool sync.Pool   // of *routeCall
	memo     memo        // of plain evaluations
	places   places      // of hops
	refused  sync.Map    // by Site: the error of flows, for an injection
	refuses  atomic.Bool // there are any
	choices  sync.Map    // by Site: []int, where each of several alternatives ends among the hops
	commits  atomic.Bool // there are any

	facts        func() *facts
	calls        *calls
	routes       decisionTree
	alike        alike
	senders      decisionTree
	injections   injections
	concreteOnly bool // without symbolic values, for tests
	ownTags      int  // that the file declares
}

// injections says how route is evaluated for injections.
type injections struct {
	fewRuns, runsPerNode      int64        // fewRuns and mostRunsPerNode, except in tests
	symbolicRuns, identifying atomic.Int64 // runs with a symbolic value for the node; those that identify it
	runs, answered            atomic.Int64 // runs with the node itself, and answers already known
	futile                    atomic.Int64 // runs with the node itself that serve one target alone, or none
	once                      sync.Once
	trees                     []decisionTree // by node
	futileFor                 []atomic.Int32 // futile, by target
}

// inputAt returns all that route can read at a site.
func (r *relation) inputAt(s spec.Site) input {
	at := int64(r.t.Head(s.Channel))
	q := input{ofNode: at, ofDest: int64(s.Header.Dest), ofLink: -1, ofTag: int64(s.Header.Tag),
		ofClass: int64(s.Header.Class)}
	if r.tags > 0 {
		q[ofSource], q[ofTag] = at, q[ofTag]%int64(r.tags)
	}
	if !s.Channel.IsInjection() {
		q[ofLink], q[ofVC], q[ofChannel] = int64(r.t.LinkOf(s.Channel)), int64(r.t.VC(s.Channel)), int64(s.Channel)
		if r.tags > 0 {
			q[ofSource] = int64(s.Header.Tag) / int64(r.tags)
		}
	}
	return q
}

// hopOf returns the hop for an input; ok is false if the file may not permit it
// there.
func (r *relation) hopOf(h *hopTerms, q *input) (spec.Hop, bool) {
	if h.discards {
		return spec.Discard(), true
	}
	l, vc, tag := r.links[h.link.evaluate(q)], h.vc.evaluate(q), h.tag.evaluate(q)
	ok := int64(l.src.id) == q[ofNode] && 0 <= vc && vc < int64(l.vcs) && 0 <= tag && tag < int64(r.ownTags)
	channel := l.first + spec.ChannelID(vc)
	return spec.Hop{Channel: channel, Tag: spec.Tag(tag + q[ofSource]*int64(r.tags)), Room: h.room}, ok
}

func (r *relation) hopsOf(dst []spec.Hop, a *answer, q *input) ([]spec.Hop, bool) {
	for i := range a.hops {
		h, ok := r.hopOf(&a.hops[i], q)
		if !ok {
			return nil, false
		}
		dst = append(dst, h)
	}
	for i := range a.made {
		if _, ok := r.hopOf(&a.made[i], q); !ok {
			return nil, false
		}
	}
	return dst, true
}

// run is what the built-in functions know about the thread that calls them.
type run struct {
	limit    uint64 // steps
	site     *site  // the arguments of route; nil at top level
	function string // flows or replies, if its function is evaluated instead of route

	evaluation *evaluation  // of a rule or property of a machine
	probe      *symbolicRun // the run with symbolic values, if it is one
	calls      *calls       // the calls remembered; nil: none
	hops       int          // how many were made
	places     *places      // of these
	last       [8]lastPlace
}

// subject names what is being evaluated; "" at top level.
func (r *run) subject() string {
	switch {
	case r.evaluation != nil:
		return r.evaluation.about
	case r.site == nil:
		return ""
	case r.function != "":
		return "in " + r.function + " from " + r.site.node.name + " to " + r.site.dest.name
	}
	return "in route at " + r.site.String()
}

const runKey = "run"

func runOf(t *starlark.Thread) *run { return t.Local(runKey).(*run) }

func newThread(file string, r *run) *starlark.Thread {
	t := &starlark.Thread{Name: file, Print: func(*starlark.Thread, string) {}}
	t.SetLocal(runKey, r)
	t.SetMaxExecutionSteps(r.limit)
	return t
}

func evaluationOf(t *starlark.Thread) *evaluation { return runOf(t).evaluation }

// routeCall is a Starlark thread with the values that one call needs.
type routeCall struct {
	thread *starlark.Thread
	run    run
	site   site
	hops   []placedHop
}

func (r *relation) startCall() *routeCall {
	if a, ok := r.callPool.Get().(*routeCall); ok {
		a.thread.Steps = 0
		return a
	}
	a := &routeCall{run: run{limit: r.steps, calls: r.calls, places: &r.places}}
	a.run.site = &a.site
	a.site.names = r.classes
	a.thread = newThread(r.file, &a.run)
	return a
}

// evaluate calls route plainly, without symbolic values. The hops belong to the routeCall that it returns, until that
// is given back.
func (r *relation) evaluate(s spec.Site) (*routeCall, error) {
	if err := context.Cause(r.ctx); err != nil {
		return nil, err
	}
	if s.Channel.IsInjection() {
		if err, ok := r.refused.Load(s); ok {
			return nil, err.(error)
		}
	}
	a := r.startCall()
	a.site.node, a.site.dest = r.nodes[r.t.Head(s.Channel)], r.nodes[s.Header.Dest]
	a.site.channel, a.site.tag, a.site.class = s.Channel, s.Header.Tag, s.Header.Class
	a.site.link, a.site.vc, a.run.function = nil, 0, ""
	a.site.src = nil
	if r.tags > 0 {
		a.site.src = a.site.node
		if !s.Channel.IsInjection() {
			a.site.src = r.nodes[int(s.Header.Tag)/r.tags]
		}
		a.site.tag = spec.Tag(int(s.Header.Tag) % r.tags)
	}
	if !s.Channel.IsInjection() {
		a.site.link, a.site.vc = r.links[r.t.LinkOf(s.Channel)], r.t.VC(s.Channel)
	}
	v, err := starlark.Call(a.thread, r.route, starlark.Tuple{&a.site, a.site.dest}, nil)
	if err != nil {
		return nil, fault(r.file, a.thread, err) // and forget the thread, which may be cancelled
	}
	var ends []int
	if a.hops, ends, err = r.answers(a, v); err != nil {
		return nil, err
	}
	for i := range a.hops {
		if r.tags > 0 && !a.hops[i].Discards() {
			a.hops[i].Tag += spec.Tag(int(a.site.src.id) * r.tags)
		}
	}
	if len(ends) > 1 {
		r.choices.Store(s, ends)
		r.commits.Store(true)
	}
	r.memo.keep(s, a.hops)
	return a, nil
}

// answers reads what route returned: hops, and where each alternative ends among them.
func (r *relation) answers(a *routeCall, v starlark.Value) (hops []placedHop, ends []int, err error) {
	o, commits := v.(*oblivious)
	if !commits {
		hops, err = r.hops(a, a.hops[:0], v)
		return hops, nil, err
	}
	hops = a.hops[:0]
	for _, list := range o.alternatives {
		if hops, err = r.hops(a, hops, list); err != nil {
			return nil, nil, err
		}
		ends = append(ends, len(hops))
	}
	return hops, ends, nil
}

// sequenceOf returns a list or a tuple.
func sequenceOf(v starlark.Value) (starlark.Indexable, bool) {
	switch v := v.(type) {
	case *starlark.List:
		return v, true
	case starlark.Tuple:
		return v, true
	}
	return nil, false
}

// returnedList returns a list or a tuple, or discard() as a list of itself.
func returnedList(v starlark.Value) (starlark.Indexable, bool) {
	switch h := v.(type) {
	case *hop:
		return starlark.Tuple{h}, h.row.Discards()
	case *symbolicHop:
		return starlark.Tuple{h}, h.discards
	}
	return sequenceOf(v)
}

// hops reads a list that route returned, or an alternative.
func (r *relation) hops(a *routeCall, dst []placedHop, v starlark.Value) ([]placedHop, error) {
	list, ok := returnedList(v)
	switch {
	case v == starlark.None:
		return nil, a.returned(r.route,
			"route returned nothing: every path must end with return [hop(...), ...], or return [] for a dead end")
	case !ok:
		return nil, a.returned(r.route, "route returned "+nameOf(v)+
			": must return a list of hops, as in return [hop(link)]")
	}
	for i := range list.Len() {
		h, ok := list.Index(i).(*hop)
		if _, nested := list.Index(i).(*oblivious); nested {
			return nil, a.returned(r.route, "route returned a list with oblivious(...) in it: return it alone, as in "+
				"return oblivious([hop(a), hop(b)])")
		}
		if !ok {
			return nil, a.returned(r.route,
				"route returned a list with "+nameOf(list.Index(i))+" in it: want a list of hops, as in return "+
					"[hop(link)]")
		}
		dst = append(dst, h.row)
	}
	return dst, nil
}

// oblivious is oblivious([hop, [hop, hop], ...]).
func (b *builder) oblivious(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if r.site == nil {
		return nil, errors.New("oblivious outside route: only route(at, to) returns it")
	}
	var of starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "alternatives", &of); err != nil {
		return nil, err
	}
	list, ok := sequenceOf(of)
	if !ok || list.Len() == 0 {
		return nil, fmt.Errorf("oblivious of %s: want a list of one alternative at least, as in oblivious([hop(a), hop(b)]); "+
			"return [] for a dead end", nameOf(of))
	}
	o := &oblivious{}
	for i := range list.Len() {
		switch x := list.Index(i).(type) {
		case *hop, *symbolicHop:
			o.alternatives = append(o.alternatives, starlark.Tuple{x})
		case *starlark.List:
			o.alternatives = append(o.alternatives, x)
		case starlark.Tuple:
			o.alternatives = append(o.alternatives, x)
		default:
			return nil, fmt.Errorf("oblivious with %s in it: each alternative is a hop, or a list of hops of which the packet "+
				"takes any that is free", nameOf(x))
		}
	}
	return o, nil
}

// returned returns an error about what a function of the file returned.
func (a *routeCall) returned(f *starlark.Function, problem string) error {
	pos := f.Position()
	return place(pos.Filename(), int(pos.Line), int(pos.Col), "%s (%s)", problem, oneLine(a.run.subject()))
}

// discard is discard(), a hop that ends the packet on purpose.
func (b *builder) discard(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if r.site == nil {
		return nil, errors.New("discard outside route: only route(at, to) returns it")
	}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs); err != nil {
		return nil, err
	}
	r.hops++
	place := r.calling(t)
	if p := r.probe; p != nil {
		made := &symbolicHop{hopTerms{link: constant(0), vc: constant(0), tag: constant(0), discards: true, at: place.position}}
		p.made = append(p.made, made)
		return made, nil
	}
	return &hop{row: placedHop{Hop: spec.Discard(), at: place}}, nil
}

// hop is hop(link, vc, tag, room). The hop keeps the place of the call.
func (b *builder) hop(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	at := r.site
	if at == nil {
		return nil, errors.New("hop outside route: only route(at, to) returns hops")
	}
	var to, vc, tag, room starlark.Value
	if len(kwargs) == 0 && 1 <= len(args) && len(args) <= 3 {
		to = args[0]
		if len(args) > 1 {
			vc = args[1]
		}
		if len(args) > 2 {
			tag = args[2]
		}
	} else if err := starlark.UnpackArgs(f.Name(), args, kwargs, "link", &to, "vc?", &vc, "tag?", &tag,
		"room?", &room); err != nil {
		return nil, err
	}
	r.hops++
	place := r.calling(t)
	if p := r.probe; p != nil {
		return p.hop(b, place.position, to, vc, tag, room)
	}
	l, ok := to.(*link)
	switch {
	case to == starlark.None:
		also := ""
		if at.link == nil {
			also = ", and at.link is None when injecting"
		}
		if b.oneWay != "" {
			also += fmt.Sprintf(" (links of %s lead one way: topology(..., both_ways = True) makes cables of them)", b.oneWay)
		}
		return nil, fmt.Errorf(
			"hop into None: to(node) and port(name) return None if no such link leaves %s%s; test it first, or "+
				"return [] for a dead end", at.node.name, also)
	case !ok:
		return nil, fmt.Errorf("hop into %s: want a link that leaves %s, such as at.node.to(n) or at.node.port(\"+x\")",
			nameOf(to), at.node.name)
	}
	if l.src != at.node {
		return nil, fmt.Errorf("hop into %s, which does not leave %s: want one of its links (at.node.out)",
			l, at.node.name)
	}
	h := &hop{link: l}
	var err error
	if h.vc, err = b.vcNumber(l, vc); err != nil {
		return nil, err
	}
	number := 0
	if tag != nil {
		if number, err = starlark.AsInt32(tag); err != nil {
			return nil, fmt.Errorf("hop with tag %.40s: want 0 to %d", short(tag), b.def.Tags-1)
		}
	}
	if number < 0 || number >= b.def.Tags {
		return nil, fmt.Errorf("hop with tag %d: want 0 to %d (network(tags=%d))", number, b.def.Tags-1, b.def.Tags)
	}
	needed, err := b.roomOf(room)
	if err != nil {
		return nil, err
	}
	h.row = placedHop{
		Hop: spec.Hop{Channel: l.first + spec.ChannelID(h.vc), Tag: spec.Tag(number), Room: needed}, at: place,
	}
	return h, nil
}

// roomOf reads the room that a hop needs.
func (b *builder) roomOf(room starlark.Value) (uint16, error) {
	if room == nil {
		return 0, nil
	}
	number, err := starlark.AsInt32(room)
	if err != nil || number < 1 {
		return 0, fmt.Errorf("hop with room %.40s: want how many packets must still fit, 1 at least", short(room))
	}
	if problem := b.wrongRoom(number); problem != "" {
		return 0, errors.New(problem)
	}
	return uint16(min(number, math.MaxUint16)), nil
}

// wrongRoom says what is wrong with the room that a hop needs, if anything.
func (b *builder) wrongRoom(room int) string {
	parts := spec.Parts{Switching: b.def.Switching, Buffer: max(1, b.def.Buffer)}
	return parts.WrongRoom(room)
}

// calling returns the place of the call that a thread is carrying out.
func (r *run) calling(t *starlark.Thread) *callPlace {
	var space [8]syntax.Position
	around := callsAround(space[:0], t)
	last := &r.last[(around[0].Line+around[0].Col)%int32(len(r.last))]
	if !slices.Equal(last.around, around) {
		*last = lastPlace{slices.Clone(around), r.places.intern(positionOf(t.Name, t.CallStack()))}
	}
	return last.at
}

// hop is hop(link, vc, tag, room), by numbers or a VC's name. The room must be a number that is the same for all that
// the run stands for.
func (p *symbolicRun) hop(b *builder, at position, to, vc, tag, room starlark.Value) (starlark.Value, error) {
	if name, named := vc.(starlark.String); named {
		vc = starlark.MakeInt(b.vcNamed(string(name)))
	}
	if _, number := room.(starlark.Int); room != nil && !number {
		return nil, errNotSymbolic
	}
	needed, err := b.roomOf(room)
	if err != nil {
		return nil, errNotSymbolic // evaluated with numbers, it is an error
	}
	h := hopTerms{vc: constant(0), tag: constant(0), at: at, room: needed}
	var is [3]meaning
	h.link, is[0] = termOf(to)
	if is[1] = meaningInt; vc != nil {
		h.vc, is[1] = termOf(vc)
	}
	if is[2] = meaningInt; tag != nil {
		h.tag, is[2] = termOf(tag)
	}
	if is != [3]meaning{meaningLink, meaningInt, meaningInt} {
		return nil, errNotSymbolic
	}
	made := &symbolicHop{h}
	p.made = append(p.made, made)
	return made, nil
}

func (b *builder) vcNumber(l *link, vc starlark.Value) (int, error) {
	number := 0
	switch vc := vc.(type) {
	case nil:
	case starlark.Int:
		x, err := starlark.AsInt32(vc)
		if err != nil {
			x = -1
		}
		number = x
	case starlark.String:
		if number = b.vcNamed(string(vc)); number < 0 {
			if len(b.vcNames) == 0 {
				return 0, fmt.Errorf(
					"hop into VC %.40q of %s: VCs have no names: write a number, or network(vcs=[\"lo\", \"hi\"])",
					string(vc), l)
			}
			return 0, fmt.Errorf("hop into VC %.40q of %s: the names are %q", string(vc), l, b.vcNames)
		}
	default:
		return 0, fmt.Errorf("hop into VC %.40s: want a number or a name", short(vc))
	}
	if number < 0 || number >= l.vcs {
		return 0, fmt.Errorf("hop into VC %.40s of %s: its VCs are 0 to %d", short(vc), l, l.vcs-1)
	}
	return number, nil
}

// vcNamed returns the number of the VC with a name, or -1. A name that some VC has is printable.
func (b *builder) vcNamed(name string) int {
	if i := slices.Index(b.vcNames, name); i >= 0 {
		return i
	}
	return slices.Index(b.vcNames, spec.Printable(name))
}

// placedHop is a hop with the place in the file that made it.
type placedHop struct {
	spec.Hop
	at *callPlace
}

// callPlace is the place of a call of hop; each is kept once and has a number.
type callPlace struct {
	position
	number uint32
}

// places are the call places of a relation.
type places struct {
	mu  sync.Mutex
	all map[position]*callPlace
}

func (p *places) intern(at position) *callPlace {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.all[at]
	if kept == nil {
		if p.all == nil {
			p.all = map[position]*callPlace{}
		}
		kept = &callPlace{at, uint32(len(p.all))}
		p.all[at] = kept
	}
	return kept
}

// lastPlace is where hop was last called, and the calls around it.
type lastPlace struct {
	around []syntax.Position
	at     *callPlace
}

// callsAround appends the places of the calls around a remembered call.
func callsAround(to []syntax.Position, t *starlark.Thread) []syntax.Position {
	for i := 1; i < t.CallStackDepth(); i++ {
		if pos := t.DebugFrame(i).Position(); pos.Line > 0 {
			to = append(to, pos)
		}
	}
	return to
}

// memo keeps the answers of route. It is divided so that the goroutines of a
// compilation rarely wait for each other; within a part equal rows are stored
// once, since a router gives the same few answers over and over.
type memo struct {
	parts [64]part
}

type part struct {
	mu   sync.RWMutex
	rows map[spec.Site][]placedHop
	same map[string][]placedHop
}

func (m *memo) part(s spec.Site) *part {
	h := hash.Mix(0, uint64(uint32(s.Channel))<<32|uint64(uint32(s.Header.Dest)))
	return &m.parts[hash.Mix(h, uint64(s.Header.Class)<<16|uint64(s.Header.Tag))>>58]
}

// find returns the row that was kept for a site. It must not be changed.
func (m *memo) find(s spec.Site) ([]placedHop, bool) {
	p := m.part(s)
	p.mu.RLock()
	defer p.mu.RUnlock()
	row, ok := p.rows[s]
	return row, ok
}

// keep stores a copy of a row. Long rows are not stored but computed again: the places of their
// hops would take more memory than everything else.
func (m *memo) keep(s spec.Site, row []placedHop) {
	const mostHops = 64
	if len(row) > mostHops {
		return
	}
	var space [256]byte
	key := space[:0]
	for _, h := range row {
		key = binary.LittleEndian.AppendUint32(key, uint32(h.Channel))
		key = binary.LittleEndian.AppendUint16(key, uint16(h.Tag))
		key = binary.LittleEndian.AppendUint16(key, h.Room)
		key = binary.LittleEndian.AppendUint32(key, h.at.number)
	}
	p := m.part(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows == nil {
		p.rows, p.same = map[spec.Site][]placedHop{}, map[string][]placedHop{}
	}
	kept, ok := p.same[string(key)]
	if !ok {
		kept = append([]placedHop(nil), row...)
		p.same[string(key)] = kept
	}
	p.rows[s] = kept
}

// In a network file a node is not its name, VCs and classes are numbers, and coordinates are
// a tuple. Starlark would silently find all of these unequal to a name.

// checkNamed refuses to compare a node or a link with a string, a number or a tuple.
func checkNamed(op syntax.Token, x, y starlark.Value) error {
	what := placeType(x)
	against := []starlark.Value{y}
	switch {
	case op == syntax.IN || op == syntax.NOT_IN:
		if what != "" {
			against, _ = elements(y)
		}
	case what == "":
		what, against = placeType(y), []starlark.Value{x}
	}
	if what == "" {
		return nil
	}
	for _, v := range against {
		switch v.(type) {
		case starlark.String:
			return mistakef("a %s is compared with a string: compare its name, as in %s", what,
				map[string]string{"node": "at.node.name", "link": "l.out"}[what])
		case starlark.Int, *symbolicInt:
			return mistakef("a %s is compared with a number: compare its number, as in %s", what,
				map[string]string{"node": "at.node.id", "link": "l.id"}[what])
		case starlark.Tuple:
			return mistakef("a %s is compared with a tuple: compare coordinates, as in %s", what,
				map[string]string{"node": "at.node.at", "link": "l.dst.at"}[what])
		}
	}
	return nil
}

// errNamedClass refuses to compare the third argument of the function in flows with the name of a class.
var errNamedClass = mistakef("flows gives f the number of a class, which is compared with a string: compare it with " +
	"a number, from 0 in the order of network(classes = ...)")

func numberAndText(x, y starlark.Value) bool {
	_, number := x.(starlark.Int)
	_, text := y.(starlark.String)
	if !number {
		_, number = y.(starlark.Int)
		_, text = x.(starlark.String)
	}
	return number && text
}

// placeType is "node", "link", or "".
func placeType(v starlark.Value) string {
	switch v.(type) {
	case *node, *symbolicNode:
		return "node"
	case *link, *symbolicLink:
		return "link"
	}
	return ""
}

// refuseMisreadAttribute refuses to compare, within route(at, to), an attribute with a literal that it
// never equals.
func (m *metering) refuseMisreadAttribute(e *syntax.BinaryExpr) {
	if m.route == nil || e.Op != syntax.EQL && e.Op != syntax.NEQ {
		return
	}
	is := func(e syntax.Expr, param int) bool {
		x, named := e.(*syntax.Ident)
		p, plain := m.route.Params[param].(*syntax.Ident)
		return named && plain && x.Name == p.Name
	}
	for _, side := range [][2]syntax.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		attr, isAttr := side[0].(*syntax.DotExpr)
		value, isLiteral := side[1].(*syntax.Literal)
		if !isAttr || !isLiteral {
			continue
		}
		text := value.Token == syntax.STRING
		of, deeper := attr.X.(*syntax.DotExpr)
		switch name := attr.Name.Name; {
		case text && name == "cls" && is(attr.X, 0):
			m.refuse(e.OpPos, "a packet's cls is a number: compare its cls_name")
		case text && name == "vc" && is(attr.X, 0):
			m.refuse(e.OpPos, "a packet's vc is a number, even where VCs have names: the first is 0")
		case name == "at" && (is(attr.X, 1) || deeper && of.Name.Name == "node" && is(of.X, 0)):
			m.refuse(e.OpPos, "coordinates are a tuple: compare one of them, as in at.node.at[0], or all with a tuple")
		}
	}
}
