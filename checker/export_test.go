package checker

// Covers is for the comparison with the oracle.
var Covers = covers

// FlowsOf is for a test by its meaning.
var FlowsOf = flowsOf
