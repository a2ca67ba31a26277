// Package combining models the generalized combining network of OCHANOMIZ-5
// (Tanaka, Matsumoto, Tsuiki, Hiraki: Generalized Combining): a tree of switches
// that combine, multicast and hold back messages, with clusters as its leaves.
//
// The models are files, which share the tree and the links between its nodes
// (tree.star). How long a message waits for partners is its level. How many combine
// is given by the operation: the machine combines two, one for each neighbour of a
// switch but the one to which it forwards; trees of larger fan-out combine as many
// as they have such neighbours, and of requests to memory as many as a parameter says.
package combining
