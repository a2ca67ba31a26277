package combining

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// The invariant "linearizable" by other means: a walk keeps, with each state of the machine,
// the history of calls and replies that led to it, and passes the history of each complete
// run to [SerialOrder], which does not know the machine.

// Histories is the result of a walk over all histories of a machine.
type Histories struct {
	Verdict spec.Verdict // whether all of them are linearizable
	Because string
	Checked int // histories
	Nodes   int // pairs of a state and a history that were walked

	History []Operation // of a violation
	End     []int       // the final values of the cells
	Cells   []int       // those whose own operations already have no such order
}

// event is a call or a reply of a cluster. It is small because there are many.
type event struct {
	cluster, request uint8
	reply            bool
	value            int32
}

// walked is a state with the history that led to it.
type walked struct {
	state  []uint64
	events []event
}

// Linearizable reports whether every run's history is linearizable, with the cells as
// their last operations leave them. It walks at most most pairs of state and history;
// if there are more, the verdict is unknown.
func (m *Memory) Linearizable(ctx context.Context, most int) (Histories, error) {
	machine, err := m.Machine()
	if err != nil {
		return Histories{}, err
	}
	var (
		v      = Histories{Verdict: spec.Holds, Because: "every run that has ended has such an order"}
		seen   = map[string]bool{}
		ended  = map[string]bool{}
		queue  = []walked{{state: machine.Start(nil)}}
		words  = machine.Layout().Words()
		fields = machine.Layout().Fields()
	)
	for len(queue) > 0 {
		if v.Nodes++; v.Nodes > most {
			v.Verdict, v.Because = spec.Unknown, fmt.Sprintf("more than %d pairs of a state and a history", most)
			return v, nil
		}
		if v.Nodes%1024 == 0 && ctx.Err() != nil {
			return Histories{}, ctx.Err()
		}
		// Breadth first: a violation is found with the history of a shortest run.
		at := queue[0]
		queue = queue[1:]
		next, err := machine.AppendSuccessors(nil, at.state)
		if err != nil {
			return Histories{}, err
		}
		for i := 0; i < len(next); i += words {
			after := next[i : i+words]
			w := walked{after, m.observe(at.events, valuesOf(fields, at.state), valuesOf(fields, after))}
			if key := w.key(); !seen[key] {
				seen[key] = true
				queue = append(queue, w)
			}
		}
		if len(next) > 0 {
			continue
		}
		end := m.ends(valuesOf(fields, at.state))
		key := fmt.Sprint(at.events, end)
		if ended[key] {
			continue
		}
		ended[key] = true
		v.Checked++
		history := m.history(at.events)
		ok, err := m.linearizable(history, end)
		if err != nil {
			return Histories{}, err
		}
		if ok {
			continue
		}
		v.Verdict, v.Because = spec.Violated, "no order of the operations that keeps to real time gives these replies and this end"
		v.History, v.End = history, end
		for k := range m.cells {
			alone := slices.DeleteFunc(slices.Clone(history), func(op Operation) bool { return op.Cell != k })
			if ok, err := m.linearizable(alone, end); err != nil {
				return Histories{}, err
			} else if !ok {
				v.Cells = append(v.Cells, k)
			}
		}
		return v, nil
	}
	return v, nil
}

// linearizable reports whether operations have an order that respects real time and
// leaves the cells with their final values.
func (m *Memory) linearizable(history []Operation, end []int) (bool, error) {
	on := make([]bool, len(end))
	for _, op := range history {
		on[op.Cell] = true
	}
	_, ok, err := SerialOrder(history, Object{Apply: m.plain, End: func(cell, state int) bool {
		return cell >= len(end) || !on[cell] || state == end[cell]
	}}, RealTime)
	return ok, err
}

// ends are the values of the cells.
func (m *Memory) ends(values func(program.Var) int) []int {
	var all []int
	for _, x := range m.cells {
		all = append(all, values(x))
	}
	return all
}

func (w walked) key() string {
	var b []byte
	for _, word := range w.state {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	for _, e := range w.events {
		b = append(b, e.cluster, e.request)
	}
	return string(b)
}

// valuesOf reads the variables of a packed state.
func valuesOf(fields []states.Field, state []uint64) func(program.Var) int {
	return func(x program.Var) int { return int(fields[x].Of(state)) }
}

// observe returns events followed by those of a step: sending a request is a call, its
// answer a return. events is not changed.
func (m *Memory) observe(events []event, before, after func(program.Var) int) []event {
	for c, at := range m.at {
		for was := before(at); was < after(at); was++ {
			e := event{cluster: uint8(c), request: uint8(was / 2), reply: was%2 == 1}
			if e.reply {
				e.value = int32(after(m.results[c][was/2]))
			}
			events = append(events[:len(events):len(events)], e)
		}
	}
	return events
}

// history makes operations from events, with their numbers as times.
func (m *Memory) history(events []event) []Operation {
	var history []Operation
	number := map[[2]uint8]int{}
	for time, e := range events {
		id := [2]uint8{e.cluster, e.request}
		if !e.reply {
			number[id] = len(history)
			r := m.scripts[e.cluster][e.request]
			history = append(history, Operation{Cell: r.cell, Process: int(e.cluster), Call: time, Return: Pending, Input: r.mapping})
			continue
		}
		op := &history[number[id]]
		op.Return, op.Output = time, int(e.value)
	}
	return history
}

// Observed returns the history of a run of the machine, given as its states in order,
// each as the values of the variables.
func (m *Memory) Observed(run [][]int) []Operation {
	var events []event
	for i := 1; i < len(run); i++ {
		events = m.observe(events, func(x program.Var) int { return run[i-1][x] }, func(x program.Var) int { return run[i][x] })
	}
	return m.history(events)
}

// Done reports whether the run is complete in a state, given by its values: every cluster
// has all its replies.
func (m *Memory) Done(values []int) bool { return m.Final.Holds(values) }

// Replies returns the replies to the clusters, by cluster; 0 for requests that have not been
// answered.
func (m *Memory) Replies(values []int) [][]int {
	all := make([][]int, len(m.results))
	for c, results := range m.results {
		for _, x := range results {
			all[c] = append(all[c], values[x])
		}
	}
	return all
}

// Cells returns what the cells hold.
func (m *Memory) Cells(values []int) []int {
	return m.ends(func(x program.Var) int { return values[x] })
}
