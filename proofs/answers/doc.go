// Package answers holds evidence for answers about families of networks: tables of
// addresses ([VerifyAddresses]), regions that packets stay in ([VerifyRegions]) and
// cycles of dependencies ([VerifyCycle]).
//
// Addresses are checked in one pass over a tree of cases; regions and cycles by a
// search that visits every site to which a packet may come.
//
// What is concluded from such evidence about a family is not machine-checked, and is
// printed as that. Package proofs, on which verdicts on networks rest, does not import
// this one.
package answers
