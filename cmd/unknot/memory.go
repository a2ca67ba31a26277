package main

import (
	"runtime"
	"runtime/debug"
)

// withinProcess turns a budget for the process into one for the states: what
// the process takes already, and some room for the garbage collector, is not
// there for them. 0 stays 0: no budget.
func withinProcess(budget int64) int64 {
	if budget == 0 {
		return 0
	}
	debug.SetMemoryLimit(budget)
	debug.SetGCPercent(20)
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return max(1, budget-int64(s.Sys)-budget/16)
}
