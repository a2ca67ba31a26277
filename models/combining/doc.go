// Package combining models the generalized combining network of OCHANOMIZ-5
// (Tanaka, Matsumoto, Tsuiki, Hiraki: Generalized Combining): a tree of switches
// that combine, multicast and hold back messages, with clusters as its leaves.
//
// Every machine is a program of guarded commands (package spec/program), so that
// what unknot explores is what is written for SPIN and Rumur. All share the tree
// ([Tree]), the bounded FIFO links between its nodes, and the wait buffers of its
// switches, which hold one entry a key, updated in place.
//
// How long a message waits for partners is its level (Waiting). How many combine
// is given by the operation: the machine combines two, one for each neighbour of
// a switch but the one to which it forwards; trees of larger fan-out combine as
// many as they have such neighbours, and of requests to memory as many combine as
// the options say.
//
// A function that builds a machine checks its options, whose doc comments give
// the ranges, and returns an error that says what would be right.
package combining
