package p3

import "fmt"

// Quadrants is the set of quadrants in which [ByQuadrant] goes up or down first:
// bit 0 stands for a target to the upper right, 1 upper left, 2 lower left, 3
// lower right. A target in zone B lies to the side of the edge there that is
// [Plane.Sideways], and above or below by the other.
//
// On a regular grid each quadrant permits one turn, and the four of the two
// choices that alternate are those of one cycle; any other choice lacks a turn
// of both cycles and goes at most three ways round (the turn model: Glass and
// Ni, 1992).
type Quadrants uint8

// Alternate goes left or right first to the upper right and the lower left, and
// up or down first to the two other quadrants.
const Alternate Quadrants = 0b1010

// ParseQuadrants reads four letters, h (left or right first) or v (up or down
// first), for the quadrants upper right, upper left, lower left, lower right.
func ParseQuadrants(text string) (Quadrants, error) {
	for q := range Quadrants(16) {
		if q.String() == text {
			return q, nil
		}
	}
	return 0, fmt.Errorf("%.40q: want four letters h or v, as in hvhv", text)
}

// String writes the four letters.
func (q Quadrants) String() string {
	letters := [4]byte{}
	for i := range letters {
		letters[i] = "hv"[q>>i&1]
	}
	return string(letters[:])
}

// quadrant numbers the quadrants counter-clockwise from the upper right.
func quadrant(right, up bool) int {
	switch {
	case right && up:
		return 0
	case up:
		return 1
	case !right:
		return 2
	}
	return 3
}
