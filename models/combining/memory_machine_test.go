package combining

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// The machines of memory.star with the parameters of tests, and the part of their states
// that a client of the memory sees.

// Entries are made once, as each reads its file on first use.
var fetchAddEntry, testAndSetEntry, readCombiningEntry = FetchAddEntry(), TestAndSetEntry(), ReadCombiningEntry()

// Splitting is a variant of memory.star.
type Splitting uint8

const (
	ByRequester Splitting = iota
	ByKey
	ForgetsMapping
	DropsSecond
	FreedTwice
)

var splittingNames = []string{"by-requester", "literal", "forgets-mapping", "drops-second", "freed-twice"}

// MemoryOptions are parameters of memory.star; zero values stand for its defaults.
type MemoryOptions struct {
	FanOut, Depth int
	Home          Home
	Homes         []int
	Level         Waiting
	Levels        []Waiting
	Capacity      int
	OneVC         bool
	Requesters    int
	Each          int
	Targets       [][]int
	Joined        int
	ThirdWaits    bool
	Entries       int
	Overflow      Overflow
	Splitting     Splitting
	History       bool
}

func (o MemoryOptions) set() catalogue.Set {
	set := catalogue.Set{
		"variant": splittingNames[o.Splitting], "level": fmt.Sprint(o.Level), "home": HomeNames[o.Home], "overflow": OverflowNames[o.Overflow],
		"third": map[bool]string{false: "passes", true: "waits"}[o.ThirdWaits],
		"vcs":   map[bool]string{false: "two", true: "one"}[o.OneVC], "history": map[bool]string{false: "no", true: "yes"}[o.History],
	}
	for name, n := range map[string]int{"fan-out": o.FanOut, "depth": o.Depth, "link": o.Capacity,
		"requesters": o.Requesters, "each": o.Each, "partners": o.Joined, "entries": o.Entries} {
		if n != 0 {
			set[name] = fmt.Sprint(n)
		}
	}
	list := func(numbers []int) string {
		return strings.ReplaceAll(strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]"), "-1", "root")
	}
	if o.Levels != nil {
		set["levels"] = strings.ReplaceAll(strings.Trim(fmt.Sprint(o.Levels), "[]"), " ", ",")
	}
	if o.Homes != nil {
		set["homes"] = list(o.Homes)
	}
	if o.Targets != nil {
		var parts []string
		for _, t := range o.Targets {
			parts = append(parts, list(t))
		}
		set["targets"] = strings.Join(parts, "/")
	}
	return set
}

// Memory is a machine with the variables that its clients see.
type Memory struct {
	*program.Program
	OneVC bool
	Homes []int

	at      []program.Var   // by cluster: twice the requests that were answered, and one if it waits
	results [][]program.Var // by cluster, by request
	cells   []program.Var
	scripts [][]call // by cluster
	plain   func(v, f int) (after, reply int)
}

// call is a request: an operation and its cell.
type call struct{ cell, mapping int }

func FetchAdd(o MemoryOptions) (*Memory, error) {
	return newMemory(fetchAddEntry, o, o.set(), 0, func(v, f int) (int, int) { return v + f, v })
}

// Locks are Test&Set: it has requests 0, and unsets, which are 1.
func Locks(o MemoryOptions, unsets int) (*Memory, error) {
	set := o.set()
	set["unsets"] = fmt.Sprint(unsets)
	return newMemory(testAndSetEntry, o, set, unsets, func(v, f int) (int, int) {
		if f == 1 {
			return 0, 0
		}
		return 1, v
	})
}

// ReadCombining has requests 0, and writes of 1, which are 1.
func ReadCombining(o MemoryOptions, writes int) (*Memory, error) {
	set := o.set()
	set["writes"] = fmt.Sprint(writes)
	return newMemory(readCombiningEntry, o, set, writes, func(v, f int) (int, int) {
		if f == 1 {
			return 1, 0
		}
		return v, v
	})
}

func newMemory(e catalogue.Entry, o MemoryOptions, set catalogue.Set, writes int, plain func(v, f int) (int, int)) (*Memory, error) {
	p, err := programtest.Of(e.Machine(set))
	if err != nil {
		return nil, err
	}
	m := &Memory{Program: p, OneVC: o.OneVC, Homes: o.Homes, plain: plain}
	find := func(format string, args ...any) (program.Var, bool) {
		name := fmt.Sprintf(format, args...)
		x := slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name })
		return program.Var(x), x >= 0
	}
	if x, one := find("cell[cell]"); one {
		m.cells = []program.Var{x}
	}
	for k := 0; ; k++ {
		x, is := find("cell[cell %d]", k)
		if !is {
			break
		}
		m.cells = append(m.cells, x)
	}
	for c := 0; ; c++ {
		at, is := find("at[cluster %d]", c)
		if !is {
			break
		}
		m.at = append(m.at, at)
		var results []program.Var
		for i := 0; ; i++ {
			x, is := find("result[cluster %d,%d]", c, i)
			if !is {
				break
			}
			results = append(results, x)
		}
		m.results, m.scripts = append(m.results, results), append(m.scripts, nil)
	}
	m.requests(o, writes, e.Name == "fetch-add")
	return m, nil
}

// requests returns the requests that the clusters send under the parameters: to the cells
// in turn, the last requester's writes first. The addends are powers of two, in the order of
// the rounds and of the requesters within them.
func (m *Memory) requests(o MemoryOptions, writes int, adds bool) {
	addend := 1
	for i := range 16 {
		for place := range o.Requesters {
			c := len(m.scripts) - 1 - place
			if i >= len(m.results[c]) {
				continue
			}
			r := call{cell: i % len(m.cells)}
			if o.Targets != nil {
				r.cell = o.Targets[place][i]
			}
			if adds {
				r.mapping, addend = addend, 2*addend
			} else if place == o.Requesters-1 && i < writes {
				r.mapping = 1
			}
			m.scripts[c] = append(m.scripts[c], r)
		}
	}
}

// Home is the place of the memory.
type Home uint8

const (
	AtLeaf Home = iota // of cluster 0
	AtRoot             // beside the root
)

var HomeNames = []string{"leaf", "root"}

// BesideRoot stands for the memory beside the root where a home cluster is expected.
const BesideRoot = -1

// Waiting is how long a message waits for partners at a switch: its level.
type Waiting uint8

const (
	Pass Waiting = iota
	Record
	Window
	Forever
)

// Overflow is what happens to a message that finds no entry free.
type Overflow uint8

const (
	Ample Overflow = iota
	Refuse
	Interrupt
	Marked
)

var OverflowNames = []string{"none", "refuse", "interrupt", "marked"}
