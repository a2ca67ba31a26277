package liveness

import (
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Space is the explored space of a machine, and what its steps are called.
type Space struct {
	*walk.Space
	Steps   int64
	Machine states.Machine // the reference
	Fast    walk.Machine   // the machine whose states these are; it steps as Machine does
	Claims  states.Claims
	// Labels appends, for every successor of a state, a number that identifies the action
	// of the step; nil if only Machine tells actions apart.
	Labels  func(dst []int32, state []uint64) []int32
	Fair    []bool  // by label, if labels are actions; nil: Claims tells
	Answers []int32 // by label: the one response that all such steps answer if it is pending, or -1; nil: Claims tells
	// AnswersOf appends, for each step of a state that answers a response, the step, counted from 0, and the
	// response, in ascending order of steps. next are the successors. nil: Claims or labels tell. Needs Labels.
	AnswersOf func(dst [][2]int32, state, next []uint64) [][2]int32
	Ranked    bool // Ranking will be called
	// Partial says that states are missing. Then a response not found violated stays open.
	Partial bool
	// Modulo says that the states represent orbits under these symmetries, which map the response
	// to itself. Then Fast is that machine, and Claims say nothing about answers.
	Modulo  *symmetry.Stabiliser
	Workers int
}

// Answer says whether every fair run answers a response.
type Answer struct {
	Vacuous bool // it is never pending
	// Stem is a path to a state in which the response is pending and a fair run can keep it so:
	// by repeating the steps of Loop or, if there are none, by ending there. It is shortest if no
	// states are missing. Nil: the response holds. Modulo symmetries its states are
	// representatives: see Lift.
	Stem [][]uint64
	Loop []Step

	tour []uint32 // modulo symmetries: the steps once around
}

// Step is the K-th step of a state.
type Step struct {
	State []uint64
	K     int
}

// Bytes bounds the memory of a space's graph while all responses are decided, if there
// are at most 65,536 letters; with more, it takes two more bytes a step.
func (s *Space) Bytes() int64 {
	bytes := s.Numbered() + graphBytes(s.States(), s.Steps)
	if s.Modulo != nil {
		bytes += s.States() * (4 + 4) // frame; a queue
	}
	if len(s.Claims.Strong) > 0 {
		bytes += s.States() * (8 + 12) // bounds and divisions; some state stays in each divided part
	}
	return bytes
}

func graphBytes(states, steps int64) int64 {
	const (
		// First; fateful; components: Of, Members, bounds, path; depth and two more for a run; matters
		byState = 4 + 4 + 4 + 4 + 4 + 12 + 12 + 1
		byStep  = 4 + 2 + 1 // To, low; buffers of parts being made
	)
	return states*byState + steps*byStep
}
