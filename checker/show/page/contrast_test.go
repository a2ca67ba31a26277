package page_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// contrast is the contrast ratio of two colours (WCAG 2.2).
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var rgb [3]uint8
	if n, err := fmt.Sscanf(strings.TrimSpace(colour), "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); n != 3 || err != nil {
		t.Fatalf("%q is not a colour: %v", colour, err)
	}
	weights := [3]float64{0.2126, 0.7152, 0.0722}
	sum := 0.0
	for i, x := range rgb {
		c := float64(x) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weights[i] * c
	}
	return sum
}

// Black on white is 21 to 1, and a colour on itself 1 to 1, by definition.
func TestContrastRatio(t *testing.T) {
	if c := contrast(t, "#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white: %f", c)
	}
	if c := contrast(t, "#123456", "#123456"); c != 1 {
		t.Errorf("a colour on itself: %f", c)
	}
}
