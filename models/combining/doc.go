// Package combining, internal to unknot, models the generalized combining network of OCHANOMIZ-5
// (Tanaka, Matsumoto, Tsuiki, Hiraki: Generalized Combining): a tree of switches that combine,
// multicast and hold back messages, with clusters as its leaves.
//
// The models are files, which share the tree and the links between its nodes
// (tree.star). The level of a message determines how long it waits for partners, the
// operation how many messages combine. The machine combines two, one from each neighbour
// of a switch except the one to which it forwards. Trees of larger fan-out combine one
// from each of these neighbours; for requests to memory, a parameter gives the number.
package combining
