// Package answers holds evidence about questions that no network by itself asks:
// tables of addresses ([VerifyAddresses]) and regions that packets stay in
// ([VerifyRegions]).
//
// Addresses are checked in one pass over a tree of cases; regions by a search:
// every site is visited to which a packet from the region may come.
//
// What is concluded from such evidence about a family of networks is not
// machine-checked: it is printed as that, and package proofs, which verdicts on
// networks rest on, does not import this one.
package answers
