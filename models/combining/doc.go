// Package combining models the generalized combining network of OCHANOMIZ-5
// (Tanaka, Matsumoto, Tsuiki, Hiraki: Generalized Combining): a tree of switches
// that combine, multicast and hold back messages, with clusters as its leaves.
//
// The models are files, which share the tree and the links between its nodes
// (tree.star). A message waits for partners for as long as its level says. The
// operation gives the number of messages that combine: the machine combines two, one
// for each neighbour of a switch except the one to which it forwards; trees of larger
// fan-out combine as many as they have such neighbours, and of requests to memory as
// many as a parameter says.
package combining
