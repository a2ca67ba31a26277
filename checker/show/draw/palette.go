package draw

import "fmt"

// colour is a colour of the palette, with red, green and blue.
type colour [3]uint8

// ofGroup returns the colour of a group: grey for group 0, then, cyclically, the colours
// that Okabe and Ito (2008) chose for the colour-blind to distinguish. Their black is kept
// for what is bold; their yellow, weak on white, is last.
func ofGroup(group int) colour {
	palette := [...]colour{
		{0x00, 0x72, 0xB2}, // blue
		{0xD5, 0x5E, 0x00}, // vermilion
		{0x00, 0x9E, 0x73}, // bluish green
		{0xCC, 0x79, 0xA7}, // reddish purple
		{0xE6, 0x9F, 0x00}, // orange
		{0x56, 0xB4, 0xE9}, // sky blue
		{0xF0, 0xE4, 0x42}, // yellow
	}
	if group <= 0 {
		return colour{0x6B, 0x6B, 0x6B}
	}
	return palette[(group-1)%len(palette)]
}

// tint returns the colour diluted with white, as a ground for black letters.
func (c colour) tint() colour {
	for i, x := range c {
		c[i] = 255 - (255-x)/5
	}
	return c
}

// String returns the colour as Graphviz and HTML write it: "#0072b2".
func (c colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }
