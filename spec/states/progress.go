package states

import "time"

// Progress says how far an exploration of a machine's states has come.
type Progress struct {
	States      int64 // found
	Transitions int64
	Level       int   // of the states being expanded; the initial ones are level 0
	Frontier    int64 // states found but not expanded
	Memory      int64 // bytes in use
	Budget      int64 // bound on Memory; 0: none
	MaxStates   int64 // bound on States; 0: none
	Elapsed     time.Duration
	Note        string // such as why a checkpoint could not be written
}
