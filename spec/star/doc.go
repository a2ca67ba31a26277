// Package star reads networks and machines (protocols) from files written in Starlark,
// a small dialect of Python, so that they can be changed and checked without
// recompiling anything. [Load] turns a file into a [routing.Definition] or a
// [program.Program].
//
// # Files of machines
//
// A file that calls machine at top level describes a machine: see the reference of the
// language, cmd/unknot/guide/protocols.md. A rule is a function of the state; it is run
// once for every combination of values that it distinguishes, the answers form a decision
// tree, and the tree is written as a guarded command (build.go). Nothing that verifies
// evidence knows of Starlark: it reads the program.
//
// # Files of networks
//
// A file is one Starlark program. It declares parameters, nodes and links at
// top level, and defines a function route. Besides the Starlark core (numbers,
// strings, lists, tuples, dicts, def, lambda, for, if, comprehensions; for, if
// and reassignment are allowed at top level, while and recursion are not; load reads
// from files in the same folder, see [Options.Open]) it has these names:
//
//	param(name, default, min=, max=, choices=, doc=)
//
// declares a parameter and returns its value: an int, a bool or a string, like
// its default. [Options.Set] replaces the default. Integers lie in min..max,
// strings in choices, if given.
//
//	network(name=, source=, switching=, buffer=, tags=, classes=, vcs=, sources=)
//
// describes the network as a whole; at most one call, before the first node.
// switching is "store-and-forward" (the default), "virtual-cut-through" or
// "wormhole"; buffer is the depth of a channel, tags the number of values of
// the packet's tag, classes a list of names of message classes, vcs the number
// or the list of names of the VCs that a link has by default.
//
// With sources=True the header carries the source, too, within the tag: at.src.
//
//	expect(deadlock=, livelock=, delivery=, switching=)
//
// states verdicts that the author expects, each "holds", "violated" or "unknown", under
// the network's own switching or the one named. Checking several files compares the
// verdicts found with them.
//
//	node(name=, at=) -> node
//
// adds a node. at is its tuple of coordinates; a node without a name is named after
// them. A node n has n.id (its number), n.name, n.at, n.out (the tuple of links that
// leave it), n.to(m) (the first link to node m) and n.port("+x") (the first link out of
// that port); both are None if there is no such link.
//
//	link(a, b, vcs=, out=, into=, dim=) -> link
//	both(a, b, vcs=, out=, back=, dim=) -> (link, link)
//
// add one directed link, or one each way, between nodes given as such, by name, or by the
// coordinates that a node is named after. In both, out is the port at a and back the port at b. A
// link l has l.id, l.src, l.dst, l.vcs (how many), l.out and l.into (the names of its ports) and
// l.dim.
//
//	topology(file, vcs=, both_ways=, format=) -> struct(name, nodes, links, terminals)
//	table(file, columns=) -> [{column: value}]
//	json(file) -> value
//
// read data files, which lie in the folder of the file or below it and are named in the
// call itself, see data.go.
//
//	flows(f)
//
// says who sends to whom: f(src, dst, cls) returns a bool, or f is a list of
// pairs (src, dst) or triples (src, dst, cls). Without it every node sends to
// every other in every class.
//
//	replies(request, reply, buffer=, endpoint=, outstanding=, to=)
//
// says that a node that has received a message of one class must send one of another,
// and accepts the first only if it has room to hold it until then, see [routing.Reply].
//
//	def route(at, to):
//	    return [hop(link, vc=0, tag=0), ...]
//
// lists the hops that a packet for node to may take next. at is where the
// packet stands: at.node, at.injecting (whether it has not entered the network
// yet), at.link, at.vc and at.channel (the link, the number of its VC and the
// channel's number; None when injecting), at.src (with sources), at.tag, at.cls (the number of the
// class) and at.cls_name. hop names a link that leaves at.node, the number or
// the name of a VC, and the tag that the packet carries from then on. An empty
// list is a dead end. Arrival needs no hop: route is not called when at.node is
// to.
//
// After the file has run its globals are frozen, so route depends on nothing but at and
// to, and is evaluated on all cores at once: once for each combination of values that it reads
// (partial.go) or, where that fails, once for each site.
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
// the parts of a step that are evaluated by themselves (count.go, too); build.go writes commands, and reasons.go
// finds out why one is refused. infer.go finds what FIFOs can hold, arbiter.go whose turn it is, symmetry.go turns
// symmetries into renamings of the program, and network_of.go runs a protocol over a network.
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
