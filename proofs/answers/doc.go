// Package answers holds evidence for answers about families of networks: tables of
// addresses ([VerifyAddresses]), regions that packets stay in ([VerifyRegions]) and
// cycles of dependencies ([VerifyCycle]).
//
// Addresses are checked in one pass over a tree of cases; regions and cycles by a
// search that visits every site that a packet may reach.
//
// What such evidence implies about a family is not machine-checked, and printed as
// such. Package proofs, on which verdicts on networks rest, does not import this one.
package answers
