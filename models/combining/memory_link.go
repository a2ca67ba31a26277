package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// lane is one direction of a link: a queue of at most so many messages, each of
// some numbers, the first of which is never 0. Slot 0 is the head; a free slot
// holds zeros, so that equal contents are equal states.
type lane struct {
	slots [][]program.Var // by place, by number of the message
}

// part is one number of the messages of a lane: its name, how many values it has,
// 0 of the first included, and their names, if they have any.
type part struct {
	name   string
	values int
	names  []string
}

// named is a part whose values have names; "-" is 0.
func named(name string, names ...string) part {
	return part{name, len(names) + 1, append([]string{"-"}, names...)}
}

// newLane adds a lane to a program.
func newLane(p *program.Program, name string, capacity int, parts ...part) lane {
	var q lane
	for place := range capacity {
		var slot []program.Var
		for _, x := range parts {
			what := fmt.Sprintf("%s, %s", name, x.name)
			if place > 0 {
				what = fmt.Sprintf("%s, %s [%d]", name, x.name, place)
			}
			v := p.Var(what, x.values)
			p.Variables[v].Names = x.names
			slot = append(slot, v)
		}
		q.slots = append(q.slots, slot)
	}
	return q
}

// head is number i of the message at the head.
func (q lane) head(i int) program.Var { return q.slots[0][i] }

// empty and room tell whether there is no message, and whether one more fits.
func (q lane) empty() program.Expr { return program.Eq(q.slots[0][0], 0) }
func (q lane) room() program.Expr  { return program.Eq(q.slots[len(q.slots)-1][0], 0) }

// push puts a message behind the others; there must be room.
func (q lane) push(message ...program.Expr) program.Stmt {
	var put func(place int) []program.Stmt
	put = func(place int) []program.Stmt {
		var set []program.Stmt
		for i, x := range q.slots[place] {
			set = append(set, program.Set(x, message[i]))
		}
		if place == len(q.slots)-1 {
			return set
		}
		return []program.Stmt{program.If(program.Eq(q.slots[place][0], 0), set...).Otherwise(put(place + 1)...)}
	}
	return program.If(program.And(), put(0)...)
}

// pop takes the head away.
func (q lane) pop() program.Stmt {
	var shift []program.Stmt
	for place, slot := range q.slots {
		for i, x := range slot {
			if place+1 < len(q.slots) {
				shift = append(shift, program.Set(x, q.slots[place+1][i]))
			} else {
				shift = append(shift, program.Set(x, 0))
			}
		}
	}
	return program.If(program.And(), shift...)
}
