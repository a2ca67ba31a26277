// Package spec says what an interconnection network is.
//
// A [Network] is a [Topology] of nodes and links with a table: for every channel
// and header that an injected packet can bring there, the permitted hops. Everything
// else in unknot reads that table: the static decision procedure, the certificate
// verifier, the trace replayer, the exporters. Package routing makes it from a
// routing relation; [ReadClosed] reads it from a file. Both end in [NewNetwork],
// which checks it.
//
// # Vocabulary
//
// A channel is one virtual channel (VC) of one link; it is the vertex of the
// theory. A header is all that a router may look at: destination and class,
// which never change (together the [Target]), and a small tag, which a hop may
// rewrite (dateline bits, phase, hop count). The routing relation maps the
// channel whose buffer the packet is in, and its header, to the permitted
// hops. A site is a (channel, header) pair that some injected packet can reach;
// Verbeek and Schmaltz call it legal. Only sites count: what a relation would
// do with headers that never arrive is of no interest.
//
// # Machines
//
// A machine (package states) is a finite transition system: a protocol, or the
// traffic of a network under a Scenario, which says what the table leaves open
// (packet lengths, bubbles, sinks). Network.Traffic has the one reference step of
// packets and flits: written to be read, it is what a trace means.
//
// # Trust
//
// Verdicts rest on package spec and package proofs, so both use only the
// standard library. The closed JSON form ([WriteClosed], [ReadClosed])
// lists a network with every site and every hop, as integers, so that a
// program in any language can check a certificate against it; the digest of a
// network ([Network.Digest]) is the SHA-256 of exactly that text.
package spec
