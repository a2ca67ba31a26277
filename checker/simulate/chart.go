package simulate

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// Charts in SVG: a few lines on two axes need no library.

// chart is one pair of axes.
type chart struct {
	title, x, y string
	of          func(r *Result) (x, y float64)
	top         float64 // end of the y axis; 0: at the largest value
}

const (
	chartWidth, chartHeight         = 460.0, 340.0
	chartLeft, chartTop             = 62.0, 34.0
	chartRight, chartBottom, legend = 14.0, 46.0, 18.0
)

// Colours that the colour-blind can distinguish, too (Okabe and Ito); the dashes also differ.
var (
	colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
	dashes  = []string{"", "7 3", "2 2"}
)

// WriteSVG draws latency over accepted load, and accepted over offered load.
func (s *Study) WriteSVG(w io.Writer) error {
	charts := []chart{
		{
			"Latency", "accepted, flits per node and clock", "clocks from generation",
			func(r *Result) (float64, float64) { return r.Accepted.Mean, r.Total.Mean }, s.ceiling(),
		},
		{
			"Accepted load", "offered, flits per node and clock", "flits per node and clock",
			func(r *Result) (float64, float64) { return r.Offered.Mean, r.Accepted.Mean }, 0,
		},
	}
	var b strings.Builder
	openSVG(&b, len(s.Curves))
	b.WriteString("<!-- written by unknot -->\n")
	for i, c := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%v 0)">`+"\n", float64(i)*chartWidth)
		c.draw(&b, s.Curves)
		b.WriteString("</g>\n")
	}
	drawLegend(&b, s.Curves)
	fmt.Fprintf(&b, `<text x="%v" y="%v" fill="#555555">%s</text>`+"\n", chartWidth+chartLeft, chartHeight+12,
		"hollow: saturated; cross: deadlock; on the upper edge: beyond it")
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// openSVG begins a picture of two panels above a legend.
func openSVG(b *strings.Builder, curves int) {
	height := chartHeight + legend*float64(curves) + 10
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]v %[2]v" width="%[1]v" height="%[2]v"`+
		` font-family="sans-serif" font-size="12">`+"\n", chartWidth*2, height)
	b.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n")
}

// drawLegend names the curves, below the panels.
func drawLegend(b *strings.Builder, curves []Curve) {
	for i, c := range curves {
		y := chartHeight + legend*float64(i) + 8
		fmt.Fprintf(b, `<path d="M%v %v h34" %s/><text x="%v" y="%v">%s</text>`+"\n",
			chartLeft, y, stroke(i), chartLeft+42, y+4, html.EscapeString(c.Name))
	}
}

// drawGrid draws the lines of the y axis up to top, and their labels.
func drawGrid(b *strings.Builder, top, step float64) {
	high := chartHeight - chartTop - chartBottom
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		y := round(chartTop + high*(1-float64(i)*step/top))
		fmt.Fprintf(b, `<path d="M%v %v H%v" stroke="#dddddd"/><text x="%v" y="%v" text-anchor="end">%s</text>`+"\n",
			chartLeft, y, chartWidth-chartRight, chartLeft-6, y+4, label(float64(i)*step))
	}
}

// ceiling is the end of the latency axis: beyond it networks are saturated, and latency
// only reflects how long they were run.
func (s *Study) ceiling() float64 {
	least, most := math.Inf(1), 0.0
	for _, c := range s.Curves {
		for _, r := range c.Points {
			if r.Delivered == 0 {
				continue
			}
			if least = min(least, r.Total.Mean); r.State() == "" {
				most = max(most, r.Total.Mean)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return max(1.2*most, 3*least)
}

func stroke(i int) string {
	s := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2"`, colours[i%len(colours)])
	if d := dashes[i/len(colours)%len(dashes)]; d != "" {
		s += ` stroke-dasharray="` + d + `"`
	}
	return s
}

// draw draws the axes, a grid and the curves.
func (c *chart) draw(b *strings.Builder, curves []Curve) {
	right, top := 0.0, c.top
	for _, curve := range curves {
		for _, r := range curve.Points {
			x, y := c.of(r)
			if right = max(right, x); c.top == 0 {
				top = max(top, y)
			}
		}
	}
	stepX, stepY := step(right), step(top)
	right, top = stepX*math.Ceil(right/stepX-1e-9), stepY*math.Ceil(top/stepY-1e-9)
	wide, high := chartWidth-chartLeft-chartRight, chartHeight-chartTop-chartBottom
	px := func(x float64) float64 { return round(chartLeft + wide*x/right) }
	py := func(y float64) float64 { return round(chartTop + high*(1-min(y, top)/top)) }
	fmt.Fprintf(b, `<text x="%v" y="20" font-weight="bold">%s</text>`+"\n", chartLeft, c.title)
	for i := 0; float64(i)*stepX <= right*(1+1e-9); i++ {
		x := float64(i) * stepX
		fmt.Fprintf(b, `<path d="M%v %v V%v" stroke="#dddddd"/><text x="%v" y="%v" text-anchor="middle">%s</text>`+"\n",
			px(x), chartTop, chartTop+high, px(x), chartTop+high+16, label(x))
	}
	drawGrid(b, top, stepY)
	fmt.Fprintf(b, `<text x="%v" y="%v" text-anchor="middle">%s</text>`+"\n", chartLeft+wide/2, chartHeight-10, c.x)
	fmt.Fprintf(b, `<text transform="translate(14 %v) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		chartTop+high/2, c.y)
	for i, curve := range curves {
		c.line(b, i, curve, px, py)
	}
}

// line draws a curve: a saturated point is hollow, a deadlock a cross.
func (c *chart) line(b *strings.Builder, i int, curve Curve, px, py func(float64) float64) {
	colour := colours[i%len(colours)]
	path, marks := "", ""
	for _, r := range curve.Points {
		x, y := c.of(r)
		at := fmt.Sprintf("%v %v", px(x), py(y))
		title := fmt.Sprintf("<title>%s</title>",
			html.EscapeString(fmt.Sprintf("%s, load %v: accepted %s, %s clocks %s",
				curve.Name, r.Load, label(r.Accepted.Mean), label(r.Total.Mean), r.State())))
		switch {
		case r.Deadlock != nil:
			marks += fmt.Sprintf(`<path d="M%s m-5 -5 l10 10 m0 -10 l-10 10" stroke="%s" stroke-width="2">%s</path>`+
				"\n", at, colour, title)
			continue
		case r.Saturated:
			marks += fmt.Sprintf(`<circle cx="%v" cy="%v" r="3" fill="#ffffff" stroke="%s">%s</circle>`+"\n",
				px(x), py(y), colour, title)
		default:
			marks += fmt.Sprintf(`<circle cx="%v" cy="%v" r="3" fill="%s">%s</circle>`+"\n",
				px(x), py(y), colour, title)
		}
		path += map[bool]string{true: "M", false: " L"}[path == ""] + at
	}
	if path != "" {
		fmt.Fprintf(b, `<path d="%s" %s/>`+"\n", path, stroke(i))
	}
	b.WriteString(marks)
}

// step is a round step for an axis up to most, giving four to ten steps.
func step(most float64) float64 {
	if !(most > 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1} {
		if most/(f*unit) <= 8 {
			return f * unit
		}
	}
	return 2 * unit
}

func round(x float64) float64 { return math.Round(10*x) / 10 }

func label(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
