package write

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// ClosedSet writes a closed set, states in ascending order.
func ClosedSet(w io.Writer, set *machines.ClosedSet) error {
	states := slices.SortedFunc(slices.Values(set.States), slices.Compare[[]uint64])
	words := 0
	if len(states) > 0 {
		words = len(states[0])
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-closed-set 2\nmachine %q\nproperty %q\nstates %d %d\n",
		set.Machine, set.Property, len(states), words)
	for _, s := range states {
		writeState(b, s)
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Ranking writes a ranking, states in ascending order.
func Ranking(w io.Writer, r *machines.Ranking) error {
	if len(r.Levels) != len(r.States) {
		return errors.New("not every state has a rank")
	}
	order := make([]int, len(r.States))
	words := 0
	for i, s := range r.States {
		order[i], words = i, len(s)
	}
	slices.SortFunc(order, func(i, j int) int { return slices.Compare(r.States[i], r.States[j]) })
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-ranking 3\nmachine %q\nproperty %q\nstates %d %d\n",
		r.Machine, r.Property, len(r.States), words)
	for _, i := range order {
		for _, l := range r.Levels[i] {
			helpful := "-"
			if l.Helpful >= 0 {
				helpful = strconv.Itoa(l.Helpful)
			}
			fmt.Fprintf(b, "%d %s ", l.Rank, helpful)
		}
		writeState(b, r.States[i])
	}
	b.WriteString("end\n")
	return b.Flush()
}

// FormulaRanking writes the ranking of a formula, pairs in ascending order.
func FormulaRanking(w io.Writer, r *machines.FormulaRanking) error {
	pairs := slices.SortedFunc(slices.Values(r.Pairs), func(a, b machines.Pair) int {
		return cmp.Or(cmp.Compare(a.Left, b.Left), slices.Compare(a.State, b.State))
	})
	words := 0
	if len(pairs) > 0 {
		words = len(pairs[0].State)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-formula-ranking 1\nmachine %q\nproperty %q\npairs %d %d\n",
		r.Machine, r.Property, len(pairs), words)
	for _, p := range pairs {
		for _, l := range p.Levels {
			helpful := "-"
			if u := l.Until(); u >= 0 {
				helpful = "u" + strconv.Itoa(u)
			} else if l.Helpful >= 0 {
				helpful = strconv.Itoa(l.Helpful)
			}
			fmt.Fprintf(b, "%d %s ", l.Rank, helpful)
		}
		fmt.Fprintf(b, "%x ", uint64(p.Left))
		writeState(b, p.State)
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Count writes a count.
func Count(w io.Writer, c *machines.Count) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-count 3\nmachine %q\nproperty %q\nstates %d\ntransitions %d\ndigest %s\nend\n",
		c.Machine, c.Property, c.States, c.Transitions, c.Digest)
	return b.Flush()
}

// TakenBy returns the i-th step of a state.
func TakenBy(m states.Machine, s []uint64, i int) runs.Taken {
	t := runs.Taken{Action: m.Action(s, i)}
	for k := range i {
		if m.Action(s, k).Number == t.Action.Number {
			t.Choice++
		}
	}
	return t
}

// Run writes a run, with what each step changes.
func Run(w io.Writer, m states.Machine, r *runs.Run) error {
	comments, err := evidence.Run{Machine: m, Run: r}.Comments(context.Background())
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "unknot-machine-trace 2\nmachine %q\nproperty %q\nfault %s\nstart %d\n",
		r.Machine, r.Property, r.Fault, r.Start)
	if r.Fault.Loops() {
		fmt.Fprintf(b, "back %d\n", r.Back)
	}
	fmt.Fprintf(b, "state %s\n", comments[0])
	for i, t := range r.Steps {
		fmt.Fprintf(b, "step %d %d %q\nstate %s\n", t.Action.Number, t.Choice, t.Action.Name, comments[i+1])
	}
	b.WriteString("end\n")
	return b.Flush()
}

func writeState(b *bufio.Writer, s []uint64) {
	for i, x := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatUint(x, 16))
	}
	b.WriteByte('\n')
}
