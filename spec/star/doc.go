// Package star reads networks and machines (protocols) from files written in Starlark,
// a small dialect of Python, so that they can be changed and checked without
// recompiling anything. [Load] turns a file into a [routing.Definition] or a
// [program.Program].
//
// The language is described in the guide, for networks in cmd/unknot/guide/network-files.md and for protocols in
// cmd/unknot/guide/protocol-files.md (unknot help network-files, unknot help protocol-files). A test compares its
// headings with the functions here. A file that calls machine at top level describes a machine, any other a network.
//
// After the file has run, its globals are frozen, so route depends on nothing but its arguments, and a rule on nothing
// but the state. Both are evaluated on all cores at once. route runs once for each combination of values that it reads
// (partial.go) or, where that fails, once for each site. A rule runs once for each combination of values that it
// distinguishes; the answers form a decision tree, which is written as a guarded command (build.go). Nothing that
// verifies evidence knows of Starlark: it reads the network or the program.
//
// # Reading the source
//
// What both kinds of files share: load.go is the entrance; builtins.go lists what a file can call, data.go is what
// it takes from outside; meter.go changes its syntax tree so that charge.go can bound what it costs; errors.go says
// what is wrong with it, and where; values.go holds the values that it handles.
//
// Networks: network.go collects what a file declares and makes the definition; relation.go evaluates route for one
// site, and calls.go remembers what its functions returned. partial.go says how the answers of route are known
// without evaluating it for each site (partial evaluation): route runs on symbolic values (symbolic.go), which note
// what it looks at, as terms (term.go); quotient.go makes classes of destinations that route cannot distinguish.
//
// Machines: machine.go collects what a file declares, state.go lays it out as variables of a program with domains;
// view.go and fifo.go are what a rule sees of them. evaluate.go runs rules, on several cores (concurrent.go), with
// the parts of a step that are evaluated by themselves (count.go, too) and numbers that need not be read
// (arithmetic.go); build.go writes commands, and reasons.go
// finds out why one is refused. infer.go finds what FIFOs can hold, arbiter.go whose turn it is, symmetry.go turns
// symmetries into renamings of the program, and network_of.go runs a protocol over a network. messages.go finds what
// rules put into FIFOs and take from them, and routes.go makes FIFOs routes of a network.
//
// # What cannot go wrong
//
// A file reads no files but those that it names, writes nothing, and sees neither time
// nor chance. It takes a bounded number of steps at top level and in each call of
// route, and what a single operation makes (a repeated list, a joined string, a slice)
// is charged against the same bound before it is made, so that memory is bounded, too:
// some forty bytes a step. A string has at most 1 MiB, an integer 4096 bits, a file 256
// KiB, a network 1<<20 nodes and 1<<24 channels. What remains is time: comparing lists
// that contain each other many times over takes long within one step, and a cancelled
// context is noticed only after it.
//
// Every error is one line, `file:line:col: what is wrong and what would be
// right`, as a [*spec.PosError], which is wrapped together with a
// [*spec.BoundError] where a limit was reached. Inside route it ends with the
// evaluation and the calls that led there, innermost first: `(in route at a->b vc0
// for c, called from n.star:9:12)`. Every hop knows the place of the call that
// made it, and the calls from route to there ([routing.Reasoner]).
package star
