package checker

// Covers is for the comparison with the oracle.
var Covers = covers
