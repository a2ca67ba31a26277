// Package bruteforcetest is a second program of the whole static decision, in tests alone: it decides small networks from
// the definitions, and what package checker decides is compared with it on random ones.
//
// Nothing in it is compiled, packed or clever. It asks the routing function where packets may go (packet_test.go), tries
// every configuration of packets and worms that block each other (blocked_test.go), and visits every state of the
// network (state_test.go). It shares with the rest of unknot the numbers of nodes, links and channels, and no more.
package bruteforcetest
