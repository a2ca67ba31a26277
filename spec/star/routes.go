package star

import (
	_ "embed" // for the rules of a protocol over a network
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// A protocol whose FIFOs are routes of a network, though its file knows of none.
//
// Each FIFO stands at the node of the agent that takes from it, with room for one message; so what a rule finds in it
// is what has arrived. A push does not reach it at once: the message goes into a buffer of the agent that pushes, from
// there into the network, hop by hop as the network's file permits (network_of.star), and at its node into the FIFO.
// These are rules of their own (routes.star).
//
// The buffer of an agent is one for each set of VCs, and has as many places as one step can fill: a step that puts
// several messages is possible, whatever the first channels hold, if those of the step before have left. So an agent
// holds at most one message of each FIFO that it has not handled, and the answers of one step; and what it sends to one
// FIFO on one set of VCs arrives in order, if the network has one path for it.
//
// All FIFOs share the channels, whose packets have one type: the FIFO's path first, then a field for each type of
// messages, zero in all but one.

//go:embed routes.star
var routesRules string

// Routes says over which network a protocol runs. Without a network it runs alone, with the properties that it would have
// over one, and FIFOs in which a push waits for room, as it does there.
type Routes struct {
	Network  *spec.Network          // its classes are those of the messages; nil: none
	Room     int                    // without a network: each FIFO holds so many times what the file says
	Sets     []int                  // by class: which others it shares VCs with, numbered from 0
	Home     map[string]spec.NodeID // by agent
	Messages *Messages              // of the protocol alone
}

// MessagesMove is a property of a protocol over a network: in each state in which a message is under way, some fair rule
// is possible. It finds most deadlocks, by shortest runs, but a fair rule that goes on for ever hides one from it.
const MessagesMove = "messages move"

// MessagesLeave begins the name of a property of each buffer of the network and each FIFO: from every state some run
// empties it. So no message is stuck for good, whatever else goes on. In a FIFO one may rest where the protocol ends.
const MessagesLeave = "messages leave "

// RoomLeft is a property of a protocol alone: no step ever waits for room in a FIFO, so that more room would change nothing.
const RoomLeft = "room is left"

// routes is what Routes is in the machine.
type routes struct {
	packet *record          // the type of what the network carries
	fifos  map[string]*slot // by path
	field  map[string]int   // by path: the field of its messages in packet
	boxes  map[string]*slot // by boxKey
	set    map[string]int   // by class, from 1
}

// boxKey is the key of the buffer in which an agent puts messages of a class.
func (r *routes) boxKey(agent, class string) starlark.Tuple {
	return starlark.Tuple{starlark.String(agent), starlark.MakeInt(r.set[class])}
}

// isolate makes a FIFO the buffer of its receiver or, without a network, one of a size that no rule sees.
func (r *Routes) isolate(q *queue) error {
	if q.lossy || q.duplicating || q.inferred {
		return errors.New("a FIFO over a network cannot be lossy, duplicating or inferred")
	}
	if q.blocking = true; r.Network != nil {
		q.size = 1
	} else {
		q.size *= r.Room
	}
	return nil
}

// route declares the network, once all FIFOs are declared.
func (b *builder) route(t *starlark.Thread) error {
	m, over := b.m, b.opt.Routes
	if err := m.routable(b.file); err != nil {
		return err
	}
	r := &routes{packet: &record{names: []string{"fifo"}, at: position{file: networkFile, line: 1, col: 1}},
		fifos: map[string]*slot{}, field: map[string]int{}, boxes: map[string]*slot{}, set: map[string]int{}}
	for k, name := range over.Network.Classes() {
		r.set[name] = over.Sets[k] + 1
	}
	home, most := starlark.NewDict(0), starlark.NewDict(0)
	homeOf, names, kinds := starlark.NewDict(0), []starlark.Value(nil), []kind{nil}
	for _, q := range m.fifos() {
		i := slices.IndexFunc(over.Messages.Sent, func(x Sent) bool { return x.FIFO == q.path })
		if i < 0 {
			continue // nobody puts anything there
		}
		elem := q.kind.(*queue).elem
		field := slices.Index(kinds, elem)
		if field < 0 {
			field, kinds = len(kinds), append(kinds, elem)
			r.packet.names = append(r.packet.names, q.path)
		}
		r.fifos[q.path], r.field[q.path] = q, field
		names = append(names, starlark.String(q.path))
		at, known := over.Home[over.Messages.Sent[i].Receiver]
		if !known {
			return fmt.Errorf("no node is given for %s", over.Messages.Sent[i].Receiver)
		}
		_ = homeOf.SetKey(starlark.String(q.path), starlark.MakeInt(int(at)))
	}
	path, err := newDomain(t, names, nil)
	if err != nil {
		return err
	}
	r.packet.fields = append([]kind{path}, kinds[1:]...)
	for _, k := range r.packet.fields {
		r.packet.extent = r.packet.extent.plus(extentOf(k), 1)
	}
	pushed := map[string]spec.Reason{}
	inStep := map[string]int{} // by agent and class, as a key
	for _, x := range over.Messages.Sent {
		key := keyText(starlark.Tuple{starlark.String(x.Agent), starlark.String(x.Class)})
		more := max(0, x.Most-inStep[key])
		inStep[key] += more
		box := r.boxKey(x.Agent, x.Class)
		if old, met, _ := most.Get(box); met {
			n, _ := starlark.AsInt32(old)
			more += n
		}
		_ = most.SetKey(box, starlark.MakeInt(more))
		_ = home.SetKey(starlark.String(x.Agent), starlark.MakeInt(int(over.Home[x.Agent])))
		if _, met := pushed[x.Agent]; !met {
			pushed[x.Agent] = x.Where
		}
	}
	own := starlark.StringDict{"home": home, "home_of": homeOf, "most": most,
		"deliver": starlark.NewBuiltin("deliver", deliver), "class_of": starlark.NewBuiltin("class_of", classOf)}
	m.routes, m.sets, m.symmetries = r, nil, nil // nodes differ, so agents do
	if _, err = b.runsOver(t, "net", over.Network, networkRules+routesRules, &kindValue{r.packet}, starlark.None, own); err != nil {
		return err
	}
	for i := range m.rules {
		if d := &m.rules[i]; d.at.file == networkFile && d.f.Name() == "leaves" {
			d.hops = pushed
		}
	}
	boxes := m.root.in[m.root.kind.(*record).field("net_out")]
	for i, key := range boxes.kind.(*array).keys.values {
		r.boxes[keyText(key)] = boxes.in[i]
	}
	return nil
}

// dispatch puts a message into the buffer of the agent whose step it is.
func (q *fifo) dispatch(t *starlark.Thread, d datum) (starlark.Value, error) {
	r, a := q.a.m.routes, q.a
	class, err := q.class(t, d)
	if err != nil {
		return nil, err
	}
	box := r.boxes[keyText(r.boxKey(a.agent, class))]
	if box == nil || r.fifos[q.place.path] == nil {
		return nil, mistakef("%s puts no message of class %s into %s", a.agent, class, q.place.path)
	}
	out := &fifo{place: box, a: a}
	if !a.filled[box] && !q.requires(t, !out.occupied(0), "what was put before has left") {
		return nil, &refusal{why: "what the step before put has not left"}
	}
	a.filled[box] = true
	packet := first(r.packet)
	packet.in[0] = datum{value: starlark.String(q.place.path)}
	packet.in[r.field[q.place.path]] = d
	out.note(Transfer{Sent: true, Copies: 1}, packet)
	n := out.length()
	if n == out.kind().size {
		return nil, mistakef("%s puts more than %d messages of class %s in one step", a.agent, n, class)
	}
	return starlark.None, a.write(box.in[n], packet)
}

// classOf is class_of(packet): the class of the message that it carries.
func classOf(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	packet, is := recordOf(args[0])
	if a == nil || !is {
		return nil, mistakef("class_of %s", nameOf(args[0]))
	}
	r := a.m.routes
	path := string(a.known(packet.in[0]).(starlark.String))
	class, err := (&fifo{place: r.fifos[path], a: a}).class(t, packet.in[r.field[path]])
	return starlark.String(class), err
}

// deliver is deliver(s, packet): it puts what a packet carries into its FIFO, if that is empty.
func deliver(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	packet, is := recordOf(args[1])
	if a == nil || !is {
		return nil, mistakef("deliver of %s", nameOf(args[1]))
	}
	r := a.m.routes
	path := string(a.known(packet.in[0]).(starlark.String))
	q := &fifo{place: r.fifos[path], a: a}
	if !q.requires(t, !q.occupied(0), "there is room") {
		return nil, &refusal{why: path + " holds a message"}
	}
	d := packet.in[r.field[path]]
	q.note(Transfer{Sent: true, Copies: 1}, d)
	return starlark.None, a.write(q.place.in[0], d)
}

// packetWords tells what a packet carries: its FIFO and the message.
func (a *evaluation) packetWords(d datum) string {
	r := a.m.routes
	path := string(a.known(d.in[0]).(starlark.String))
	i := r.field[path]
	return path + " " + a.words(d.in[i], r.packet.fields[i])
}

// claimRoutes states that messages move and leave and, of a protocol alone, that room is left. FIFOs into which no rule
// puts a message do not count.
func (m *machine) claimRoutes(of *Messages) {
	var none, moves, left []program.Expr
	for _, q := range m.fifos() {
		put := slices.ContainsFunc(of.Sent, func(x Sent) bool { return x.FIFO == q.path })
		if packet, is := q.kind.(*queue).elem.(*record); !put && !(m.routes != nil && is && m.routes.carries(packet)) {
			continue
		}
		empty := unused(q.in[0])
		none, left = append(none, empty), append(left, unused(q.in[max(0, len(q.in)-of.mostInStep(q.path))]))
		rests := empty
		if put && m.p.Final.Op != 0 {
			rests = program.Or(empty, m.p.Final)
		}
		m.p.Formulas = append(m.p.Formulas, program.Formula{Name: MessagesLeave + q.path, Holds: rests, Possible: true})
	}
	for _, r := range m.p.Rules {
		if !r.Unfair {
			moves = append(moves, r.Guard)
		}
	}
	m.p.Invariant(MessagesMove, program.Or(append(moves, program.And(none...))...))
	if m.routes == nil {
		m.p.Invariant(RoomLeft, program.And(left...))
	}
}

// mostInStep bounds how many messages a step puts into a FIFO.
func (of *Messages) mostInStep(fifo string) (n int) {
	for _, x := range of.Sent {
		if x.FIFO == fifo {
			n += x.Most
		}
	}
	return max(1, n)
}

// unused says that a place of a FIFO holds no message.
func unused(place *slot) program.Expr {
	for len(place.in) > 0 {
		place = place.in[0]
	}
	return program.Eq(place.x, 0)
}

// carries reports whether a type of messages is what the network's own FIFOs hold.
func (r *routes) carries(of *record) bool {
	return of == r.packet || slices.Contains(of.fields, kind(r.packet))
}
