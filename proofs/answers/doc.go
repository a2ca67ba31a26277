// Package answers holds evidence for answers about families of networks: regions that
// packets stay in ([VerifyRegions]) and cycles of dependencies ([VerifyCycle]), both
// checked by a search that visits every site that a packet may reach.
//
// What such evidence implies about a family is unchecked, and printed as
// such. Package proofs, on which verdicts on networks rest, does not import this one.
package answers
