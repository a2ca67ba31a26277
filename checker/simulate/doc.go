// Package simulate, internal to unknot, measures how a network performs: a clocked flit simulator
// for any compiled network, wormhole, virtual cut-through or store-and-forward. It runs the same
// tables that proofs are about, and each run is a run of the reference step of package spec, so
// every proof about a network covers it. A run that ends in a deadlock is a trace from the empty
// network, which package counterexamples replays.
//
// # The router
//
// Each VC has a buffer at the far end of its link. A head at the front of its buffer is
// routed. Then the selection function grants it one of the permitted VCs that are free;
// while all are taken, the head asks again at each change. Flits of packets that have a VC
// compete for the crossbar: in one clock one flit leaves each input port and one enters
// each output port, so the VCs of a link share its bandwidth. A flit moves only if its VC
// has a credit. [Delays] says how long everything takes.
//
// # Invariants
//
//   - A VC has one owner, the buffer whose packet it was granted to, from the grant until
//     the tail has been sent. It is granted only with a credit: a packet never waits for a VC
//     that it has been granted, so selection stays work-conserving, as proofs require.
//   - credits + flits on the link + flits in the buffer + credits on their way back = depth.
//     With virtual cut-through and store-and-forward, credits count packets.
//   - A buffer is in the list of those that compete if its front flit may move; heads that
//     wait are looked at when something at their node has changed. A clock costs what moves.
//   - What happens at a router in a clock depends on its own state and on what others did in earlier
//     clocks, so routers may be simulated in any order; large networks are, region by region, some
//     clocks at a time (see clocks.go), as a few regions fit into a cache.
//   - A flit is in the channel that it was sent to, in the sense of the reference step, from the
//     clock in which it wins the crossbar. As credits come later, each move is a step that the
//     reference allows, in any order within the clock.
//
// All randomness comes from one seed, and a run uses one goroutine: the same options give the
// same result, byte for byte. Delays, arbiters and sources are the simulator's own; nothing
// measured is a verdict.
package simulate
