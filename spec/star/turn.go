package star

import (
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Pushing into a FIFO that arbitrates: the part of a step that needs its turn.

// splitSource splits the source off the arguments of push.
func (q *fifo) splitSource(kwargs []starlark.Tuple) (source starlark.Value, rest []starlark.Tuple) {
	if r, ok := q.kind().elem.(*record); ok && r.field("by") >= 0 {
		return starlark.None, kwargs
	}
	source = starlark.None
	for _, kv := range kwargs {
		if kv[0] == starlark.String("by") {
			source = kv[1]
		} else {
			rest = append(rest, kv)
		}
	}
	return source, rest
}

// pushInTurn adds two parts to a step in which a source pushes: the push, and the turn.
func (q *fifo) pushInTurn(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if err := q.noteChange(byPart); err != nil {
		return err
	}
	args, kwargs = lookedAt(args, kwargs)
	by, kwargs := q.splitSource(kwargs)
	if len(args) == 1 {
		if fields := q.fieldsOf(args[0]); fields != nil {
			args, kwargs = nil, append(fields, kwargs...)
		}
	}
	q.noteSource(by, args)
	at := positionOf(t.Name, t.CallStack())
	push := declared{what: "rule", name: q.place.path + ".push", over: once(), method: &method{q.place, "push", kwargs, at}}
	if err := q.a.part(t, push, stepPartKey{of: q.place, args: "push"}, args, kwargs); err != nil {
		return err
	}
	a := q.a.m.arbiters[q.place]
	if a == nil {
		return nil
	}
	turn := declared{what: "rule", name: q.place.path + ".push", over: once(), turn: &turnOf{of: a, source: by, by: a.number(by), at: at}, method: &method{at: at}}
	return q.a.part(t, turn, stepPartKey{of: q.place, args: "turn"}, starlark.Tuple{by}, nil)
}

// fieldsOf reads the fields of a record of the FIFO's type; nil for any other value.
func (q *fifo) fieldsOf(v starlark.Value) (fields []starlark.Tuple) {
	r, records := q.kind().elem.(*record)
	if !records {
		return nil
	}
	var d datum
	switch v := v.(type) {
	case *message:
		if v.record != r {
			return nil
		}
		d = v.datum
	case *view:
		if v.place.kind != kind(r) {
			return nil
		}
		d = q.a.snapshot(v.place)
	default:
		return nil
	}
	for i, name := range r.names {
		if _, plain := r.fields[i].(*domain); !plain {
			return nil
		}
		fields = append(fields, starlark.Tuple{starlark.String(name), q.a.known(d.in[i])})
	}
	return fields
}

// turn writes the condition under which a source may push, and the update of the
// arbiter's memory.
func (b *builder) turn(of *turnOf) (out decision.Command, err error) {
	var others []int
	for y := range of.of.sources.values {
		if y != of.by {
			others = append(others, y)
		}
	}
	waits := map[int]program.Expr{}
	for _, y := range others {
		w := b.m.waits(of.of, y)
		waits[y] = *w.Expr
		if b.m.waiting += w.size; b.m.waiting > mostWaiting {
			at := of.at
			return out, place(at.file, int(at.line), int(at.col), "the conditions for waiting to push into %s exceed %d operators in all: want fewer sources, or fewer rules that push", of.of.fifo.label, mostWaiting)
		}
	}
	var nobody []program.Expr // conditions: no other source is to be served first
	if of.of.last != nil {
		n := len(of.of.sources.values)
		for _, y := range others {
			var before []program.Expr // the sources served last after which y comes before
			for last := range n {
				if of.by < 0 || (y-last+n-1)%n < (of.by-last+n-1)%n {
					before = append(before, program.Eq(of.of.last.x, last))
				}
			}
			switch len(before) {
			case 0:
			case n:
				nobody = append(nobody, program.Not(waits[y]))
			default:
				nobody = append(nobody, program.Not(program.And(program.Or(before...), waits[y])))
			}
		}
		out.Guard = program.And(nobody...)
		if of.by >= 0 && n > 1 {
			out.Effect = []program.Stmt{program.Set(of.of.last.x, of.by)}
		}
		of.guard = out.Guard
		return out, nil
	}
	var batch []program.Stmt
	for _, y := range others {
		nobody = append(nobody, program.Not(program.And(program.Eq(of.of.turns[y].x, 1), waits[y])))
		batch = append(batch, program.If(waits[y], program.Set(of.of.turns[y].x, 1)))
	}
	out.Guard, out.Effect = program.And(nobody...), batch
	if of.by >= 0 {
		mine := of.of.turns[of.by].x
		out.Guard = program.Or(program.Eq(mine, 1), out.Guard)
		out.Effect = []program.Stmt{program.If(program.Eq(mine, 1), program.Set(mine, 0)).Otherwise(batch...)}
	}
	of.guard = out.Guard
	return out, nil
}

// noteSource notes that a source pushes in its turn.
func (q *fifo) noteSource(by starlark.Value, args starlark.Tuple) {
	n := q.a.m.noting
	if n == nil {
		return
	}
	if len(args) == 1 && plainValue(args[0]) == nil {
		if d, values := q.kind().elem.(*domain); values && d.of != nil {
			n.notePush(q.place, args[0])
		}
	}
	same := func(s source) bool { return s.fifo == q.place && keyText(s.name) == keyText(by) }
	if n.known[q.place] != nil && !slices.ContainsFunc(n.sources, same) {
		n.sources = append(n.sources, source{q.place, by})
	}
}
