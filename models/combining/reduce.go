package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Reductions: every cluster sends an operand, the switches combine them on their
// way to the home, waiting forever (level 3), and the result is broadcast.
//
// The machine does not compute with numbers. Its operands are the letters 1, 2,
// ..., one a cluster, and combining two words is to write one behind the other:
// the free semigroup, of which every set with an associative operation is an
// image. What a tree makes of the letters it makes of the operands of every such
// operation. So if the result is the word 12...n, then the result of any
// associative operation is the sequential one, in the order of the clusters; and
// if it is another order of the same letters, then that goes for commutative
// operations only. For these the machine keeps how often each letter occurs: the
// free commutative semigroup.

// Order is how a switch puts two operands together.
type Order uint8

const (
	// ByPosition puts that from the left before that from the right.
	ByPosition Order = iota
	// ByArrival puts the one that came first first.
	ByArrival
)

// OrderNames are the names of the orders.
var OrderNames = []string{"position", "arrival"}

// Partners is how many messages a switch waits for at level 3.
type Partners uint8

const (
	// AsExpected is as many as will come: one for each neighbour from which
	// operands come. The paper's generalization of matching: the number of
	// messages can be specified.
	AsExpected Partners = iota
	// Two is what the machine does: the number is left out of the packet, as
	// "level 0 or another level" is said to stand for it.
	Two
)

// PartnersNames are the names of the numbers of partners.
var PartnersNames = []string{"expected", "two"}

// ReduceOptions describes a reduction. Where the paper says nothing: the home
// puts operands together as the switches do, and takes its own from memory.
//
// The paper combines operands at level 3 (section 3.3: with an infinite waiting
// time any reduction is possible). Level 1, foreseen for reads and invalidations
// (section 5), is taken at its word: the first operand is entered and sent on,
// those that come while there is an entry are combined with it, and so go nowhere,
// and the result clears it.
type ReduceOptions struct {
	FanOut, Depth int // see NewTree; at most 8 clusters
	Home          Home
	Level         Waiting
	Capacity      int  // messages of a direction of a link, 1 to 8
	Rounds        int  // reductions one after the other, 1 to 4
	Commutative   bool // for commutative operations only; otherwise at most 4 clusters, of fan-out 2 or 3
	Order         Order
	Partners      Partners // Two needs a fan-out of 2
	Eager         bool     // clusters send the next operand before they have the result
}

func (o ReduceOptions) check() error {
	switch {
	case o.Level > Forever:
		return fmt.Errorf("a reduction at level %d: want 0 to 3", o.Level)
	case o.Capacity < 1 || o.Capacity > 8:
		return fmt.Errorf("links of %d messages: want 1 to 8", o.Capacity)
	case o.Rounds < 1 || o.Rounds > 4:
		return fmt.Errorf("%d rounds: want 1 to 4", o.Rounds)
	case o.Order > ByArrival || o.Partners > Two:
		return fmt.Errorf("order %d, partners %d: want 0 or 1", o.Order, o.Partners)
	case o.Partners == Two && o.FanOut != 2:
		return fmt.Errorf("two partners with a fan-out of %d: want 2", o.FanOut)
	}
	return nil
}

// reduction is a machine in the making.
type reduction struct {
	ReduceOptions
	*program.Program
	tree *homeward
	base int // of a word's digits

	up   []parts.FIFO // by node: word, operands in it
	down []parts.FIFO // by node: results

	sent, got   []program.Var // by cluster: operands, results
	round       program.Var   // of the home's own cluster
	word, count program.Var   // that the home has of this round
	held        [][]program.Var
	counts      [][]program.Var // by switch, by way (or one for all): words, operands in them
	messages    []program.Var   // by switch, of ByArrival: how many are held
}

// Reduce builds a reduction in a tree. Claims: the result is the sequential one
// in the order of the clusters; nobody has a result before all have sent their
// operands; everybody gets every result; at rest nothing is left in links and
// wait buffers.
func Reduce(o ReduceOptions) (*program.Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	tree, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, err
	}
	n := tree.Clusters()
	if n > 8 || !o.Commutative && (n > 4 || o.FanOut > 3) {
		return nil, fmt.Errorf("a reduction of %d clusters, fan-out %d: want at most 8, and for non-commutative operations 4, of fan-out 2 or 3", n, o.FanOut)
	}
	h, err := turn(tree, o.Home)
	if err != nil {
		return nil, err
	}
	kind := "any associative operation"
	if o.Commutative {
		kind = "a commutative operation"
	}
	r := &reduction{ReduceOptions: o, tree: h, base: n + 1}
	r.Program = program.New(fmt.Sprintf("reduction with %s: fan-out %d, depth %d, home at the %s, level %d, capacity %d, %d rounds, by %s, %s partners, eager %v",
		kind, o.FanOut, o.Depth, HomeNames[o.Home], o.Level, o.Capacity, o.Rounds, OrderNames[o.Order], PartnersNames[o.Partners], o.Eager))
	r.declare()
	for c := range n {
		r.clusterRules(c)
	}
	for _, s := range h.switches() {
		r.upRules(s)
		r.downRule(s)
	}
	r.homeRules()
	r.claims()
	r.symmetries()
	return r.Program, nil
}

// words is the number of words, the empty one included.
func (r *reduction) words() int {
	words := 1
	for range r.tree.Clusters() {
		words *= r.base
	}
	return words
}

func (r *reduction) declare() {
	t, n := r.tree, r.tree.Clusters()
	for c := range n {
		r.sent = append(r.sent, r.Var(fmt.Sprintf("cluster %d, sent", c), r.Rounds+1))
		r.got = append(r.got, r.Var(fmt.Sprintf("cluster %d, got", c), r.Rounds+1))
	}
	if r.Home == AtLeaf {
		r.round = r.Var("home, round", r.Rounds+1)
	}
	r.word, r.count = r.Var("home, word", r.words()), r.Var("home, operands", n+1)
	for node := range t.Nodes() {
		up, down := parts.FIFO(nil), parts.FIFO(nil)
		if !t.local(node) {
			up = newLane(r.Program, "operand from "+t.Name(node), r.Capacity, part{name: "word", values: r.words()}, part{name: "operands", values: n + 1})
			down = newLane(r.Program, "result to "+t.Name(node), r.Capacity, named("message", "result"))
		}
		r.up, r.down = append(r.up, up), append(r.down, down)
		var held, counts []program.Var
		messages := program.Var(-1)
		places := len(t.ways[node])
		if r.Order == ByArrival {
			places = min(places, 1)
		}
		for k := range places {
			held = append(held, r.Var(fmt.Sprintf("%s, word %d", t.Name(node), k), r.words()))
			counts = append(counts, r.Var(fmt.Sprintf("%s, operands %d", t.Name(node), k), n+1))
		}
		if r.Order == ByArrival && places > 0 {
			messages = r.Var(t.Name(node)+", messages", r.need(node)+1)
		}
		r.held, r.counts, r.messages = append(r.held, held), append(r.counts, counts), append(r.messages, messages)
	}
}

// need is how many messages a switch waits for.
func (r *reduction) need(s int) int {
	if r.Partners == Two {
		return 2
	}
	return len(r.tree.ways[s])
}

// then is the word a with b behind it.
func (r *reduction) then(a, b program.Expr) program.Expr {
	if r.Commutative {
		return program.Add(a, b)
	}
	shift := program.Const(r.words())
	for power := r.words() / r.base; power > 0; power /= r.base {
		shift = program.IfElse(program.Lt(b, power), program.Const(power), shift)
	}
	return program.Add(program.Mul(a, shift), b)
}

// letter is the operand of a cluster.
func (r *reduction) letter(c int) int {
	if !r.Commutative {
		return c + 1
	}
	power := 1
	for range c {
		power *= r.base
	}
	return power
}

// sequential is the word of all operands in the order of the clusters.
func (r *reduction) sequential() int {
	word := 0
	for c := range r.tree.Clusters() {
		if r.Commutative {
			word += r.letter(c)
		} else {
			word = word*r.base + r.letter(c)
		}
	}
	return word
}

func (r *reduction) clusterRules(c int) {
	ready := program.And(program.Lt(r.sent[c], r.Rounds))
	if !r.Eager {
		ready = program.And(ready, program.Eq(r.sent[c], r.got[c]))
	}
	sends := count(r.sent[c])
	if r.tree.local(c) {
		ready = program.And(ready, program.Eq(r.sent[c], r.round), program.Lt(r.count, r.tree.Clusters()))
		r.Rule("cluster 0 adds its operand", ready,
			program.Set(r.word, r.then(program.Value(r.word), program.Const(r.letter(c)))),
			count(r.count), sends)
		return
	}
	r.Rule(fmt.Sprintf("cluster %d sends", c), program.And(ready, r.up[c].Room()),
		r.up[c].Put(program.Const(r.letter(c)), program.Const(1)), sends)
	r.Rule(fmt.Sprintf("cluster %d has the result", c), program.And(program.Not(r.down[c].Empty()), program.Lt(r.got[c], r.Rounds)),
		count(r.got[c]), r.down[c].Pop())
}

// upRules has a switch forward, hold or combine operands.
func (r *reduction) upRules(s int) {
	out := r.up[s]
	held, counts := r.held[s], r.counts[s]
	for k, way := range r.tree.ways[s] {
		in := r.up[way]
		here := program.Not(in.Empty())
		word, operands := program.Value(in.Head(0)), program.Value(in.Head(1))
		rule := func(what string, guard program.Expr, effect ...program.Stmt) {
			r.Rule(fmt.Sprintf("%s: %s from %s", r.tree.Name(s), what, r.tree.Name(way)), program.And(here, guard), append(effect, in.Pop())...)
		}
		switch {
		case r.Level == Pass || r.need(s) == 1:
			rule("forward", out.Room(), out.Put(word, operands))
		case r.Level == Record:
			rule("record", program.And(r.idle(s), out.Room()), out.Put(word, operands), program.Set(held[0], word), program.Set(counts[0], operands))
			rule("combine with one sent", program.Not(r.idle(s)))
		case r.Order == ByArrival:
			last := program.Eq(r.messages[s], r.need(s)-1)
			all := []program.Stmt{out.Put(r.then(program.Value(held[0]), word), program.Add(counts[0], operands))}
			rule("combine", program.And(last, out.Room()), append(all, r.release(s)...)...)
			rule("hold", program.Not(last), program.Set(held[0], r.then(program.Value(held[0]), word)),
				program.Set(counts[0], program.Add(counts[0], operands)), count(r.messages[s]))
		default:
			others := []program.Expr{program.And()}
			if r.need(s) > len(held) {
				others = append(others, program.Or()) // the partner that never comes
			}
			words, total := program.Const(0), program.Const(0)
			for i := range held {
				if i == k {
					words, total = r.then(words, word), program.Add(total, operands)
				} else {
					words, total = r.then(words, program.Value(held[i])), program.Add(total, counts[i])
					others = append(others, program.Ne(held[i], 0))
				}
			}
			mine := program.Eq(held[k], 0)
			rule("combine", program.And(mine, program.And(others...), out.Room()), append([]program.Stmt{out.Put(words, total)}, r.release(s)...)...)
			rule("hold", program.And(mine, program.Not(program.And(others...))), program.Set(held[k], word), program.Set(counts[k], operands))
		}
	}
	if r.Level == Window && r.need(s) > 1 {
		words, total := program.Const(0), program.Const(0)
		for i := range held {
			words, total = r.then(words, program.Value(held[i])), program.Add(total, counts[i])
		}
		r.Rule(r.tree.Name(s)+": time is up", program.And(program.Not(r.idle(s)), out.Room()),
			append([]program.Stmt{out.Put(words, total)}, r.release(s)...)...)
	}
}

// idle holds if a switch holds nothing.
func (r *reduction) idle(s int) program.Expr {
	var none []program.Expr
	for _, x := range r.held[s] {
		none = append(none, program.Eq(x, 0))
	}
	return program.And(none...)
}

// release frees the entry of a switch.
func (r *reduction) release(s int) []program.Stmt {
	var all []program.Stmt
	for i := range r.held[s] {
		all = append(all, program.Set(r.held[s][i], 0), program.Set(r.counts[s][i], 0))
	}
	if r.messages[s] >= 0 {
		all = append(all, program.Set(r.messages[s], 0))
	}
	return all
}

// downRule has a switch multicast a result.
func (r *reduction) downRule(s int) {
	in := r.down[s]
	guard := []program.Expr{program.Not(in.Empty())}
	effect := []program.Stmt{in.Pop()}
	for _, way := range r.tree.ways[s] {
		guard = append(guard, r.down[way].Room())
		effect = append(effect, r.down[way].Put(program.Const(1)))
	}
	if r.Level == Record {
		effect = append(effect, r.release(s)...)
	}
	r.Rule(r.tree.Name(s)+": multicast the result", program.And(guard...), effect...)
}

// homeRules has the home put together what comes, and broadcast the result.
func (r *reduction) homeRules() {
	n := r.tree.Clusters()
	in, out := r.up[r.tree.last], r.down[r.tree.last]
	guard := []program.Expr{program.Not(in.Empty()), program.Le(program.Add(r.count, in.Head(1)), n)}
	if r.Home == AtLeaf && r.Order == ByPosition {
		guard = append(guard, program.Lt(r.round, r.sent[0])) // its own comes first
	}
	r.Rule("the home takes operands", program.And(guard...),
		program.Set(r.word, r.then(program.Value(r.word), program.Value(in.Head(0)))),
		program.Set(r.count, program.Add(r.count, in.Head(1))), in.Pop())
	effect := []program.Stmt{
		out.Put(program.Const(1)), program.Set(r.word, 0), program.Set(r.count, 0),
	}
	if r.Home == AtLeaf {
		effect = append(effect, count(r.got[0]), count(r.round))
	}
	r.Rule("the home broadcasts the result", program.And(program.Eq(r.count, n), out.Room()), effect...)
}

// claims states what a reduction must do.
func (r *reduction) claims() {
	n := r.tree.Clusters()
	r.Program.Invariant("the result is the sequential one", program.Implies(program.Eq(r.count, n), program.Eq(r.word, r.sequential())))
	var early, done, clean []program.Expr
	for c := range n {
		done = append(done, program.Eq(r.got[c], r.Rounds))
		for d := range n {
			early = append(early, program.Le(r.got[c], r.sent[d]))
		}
		r.Response(fmt.Sprintf("cluster %d gets the result", c), program.Lt(r.got[c], r.sent[c]))
	}
	for node := range r.tree.Nodes() {
		clean = append(clean, r.idle(node))
		if !r.tree.local(node) {
			clean = append(clean, r.up[node].Empty(), r.down[node].Empty())
		}
	}
	r.Final = program.And(done...)
	r.Program.Invariant("no cluster has a result before all operands are sent", program.And(early...))
	r.Program.Invariant("at rest links and wait buffers are empty", program.Implies(r.Final, program.And(clean...)))
}

// count adds one to a variable.
func count(x program.Var) program.Stmt { return program.Set(x, program.Add(x, 1)) }
