package simulate

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"
)

// Paper is all figures of a paper, and what it states about them.
type Paper struct {
	Network string        `json:"network"`
	Figures []PaperFigure `json:"figures"`
	Across  []Stated      `json:"across,omitempty"` // about several figures together
}

// PaperFigure is a figure as it was run.
type PaperFigure struct {
	Name    string `json:"name"`
	Setup   string `json:"setup"`   // size, loads, length, seeds
	Command string `json:"command"` // that runs it alone
	*Study
}

// Cut drops the points behind the first at which a queue overflowed: the paper's simulation stops there.
func (s *Study) Cut() {
	for i := range s.Curves {
		of := &s.Curves[i]
		for k, r := range of.Points {
			if r.Overflowed {
				of.Points = of.Points[:k+1]
				break
			}
		}
	}
}

// WriteJSON writes all that was measured.
func (p *Paper) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(struct {
		Format string `json:"format"`
		*Paper
	}{"unknot-paper-1", p})
}

// WriteText writes the statements, figure by figure.
func (p *Paper) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range p.Figures {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Setup)
		for _, s := range f.Stated {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	if len(p.Across) > 0 {
		fmt.Fprintf(&b, "several figures\n")
	}
	for _, s := range p.Across {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const paperPage = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="generator" content="unknot">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Network}}: the figures of its paper</title>
<style>
body { font: 16px/1.45 sans-serif; margin: 1.5em auto; max-width: 70em; padding: 0 1em; color: #111; background: #fff }
svg { max-width: 100%; height: auto }
div { overflow-x: auto }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .2em .7em; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc }
</style>
<h1>{{.Network}}: the figures of its paper</h1>
<p>Left: latency of the network, from when the head of a packet leaves its source, over throughput, the share of clocks
in which a router forwards a flit. A curve ends before the load at which a queue overflowed. Right: of the packets that
take a dimension, the share that takes each of its VCs, at the last load at which no function has overflowed. A
measurement is never a verdict.</p>
{{range .Figures}}<h2>{{.Name}}</h2>
<p>{{.Setup}}: <code>{{.Command}}</code></p>
{{.Chart}}
<div><table><tr><th>the paper states</th><th>measured</th><th>numbers</th></tr>
{{range .Stated}}<tr><td>{{.Sentence}}</td><td>{{.Outcome}}</td><td>{{.Detail}}</td></tr>
{{end}}</table></div>
<ul>{{range .Conditions}}<li>{{.}}</li>
{{end}}</ul>
{{end}}{{with .Across}}<h2>Several figures</h2>
<div><table><tr><th>the paper states</th><th>measured</th><th>numbers</th></tr>
{{range .}}<tr><td>{{.Sentence}}</td><td>{{.Outcome}}</td><td>{{.Detail}}</td></tr>
{{end}}</table></div>
{{end}}</html>
`

// WritePage writes a self-contained page: each figure beside what the paper states about it.
func (p *Paper) WritePage(w io.Writer) error {
	type figure struct {
		PaperFigure
		Chart template.HTML
	}
	var all []figure
	for _, f := range p.Figures {
		all = append(all, figure{f, template.HTML(f.chart())})
	}
	return template.Must(template.New("paper").Parse(paperPage)).Execute(w, map[string]any{
		"Network": p.Network, "Figures": all, "Across": p.Across,
	})
}

// chart draws a figure as papers do, in SVG: latency over throughput, and the use of VCs just before saturation.
func (s *Study) chart() string {
	var b strings.Builder
	open := &Study{} // without the points at which a queue overflowed
	last := -1       // at which no curve has overflowed
	for i, c := range s.Curves {
		if n := len(c.Points); n > 0 && c.Points[n-1].Overflowed {
			c.Points = c.Points[:n-1]
		}
		if open.Curves = append(open.Curves, c); i == 0 || len(c.Points)-1 < last {
			last = len(c.Points) - 1
		}
	}
	openSVG(&b, len(s.Curves))
	latency := chart{
		"Latency", "throughput, flits forwarded per router and clock", "clocks in the network",
		func(r *Result) (float64, float64) { return r.Throughput, r.Network.Mean }, 0,
	}
	latency.draw(&b, open.Curves)
	if last >= 0 {
		fmt.Fprintf(&b, `<g transform="translate(%v 0)">`+"\n", chartWidth)
		sharesOf(&b, open.Curves, last)
		b.WriteString("</g>\n")
	}
	drawLegend(&b, open.Curves)
	b.WriteString("</svg>\n")
	return b.String()
}

// sharesOf draws bars: by VC of each dimension, one for each curve.
func sharesOf(b *strings.Builder, curves []Curve, point int) {
	wide, high := chartWidth-chartLeft-chartRight, chartHeight-chartTop-chartBottom
	fmt.Fprintf(b, `<text x="%v" y="20" font-weight="bold">Use of VCs at a load of %v</text>`+"\n", chartLeft,
		curves[0].Points[point].Load)
	drawGrid(b, 1, 0.2)
	groups := curves[0].Points[point].VCs
	each := wide / float64(max(1, len(groups)))
	for g, vc := range groups {
		left := chartLeft + each*float64(g)
		fmt.Fprintf(b, `<text x="%v" y="%v" text-anchor="middle">%s</text>`+"\n",
			round(left+each/2), chartTop+high+16, html.EscapeString(fmt.Sprintf("%s %d", vc.VC, vc.Dim)))
		bar := each * 0.8 / float64(len(curves))
		for i, c := range curves {
			if all := c.Points[point].VCs; g < len(all) {
				fmt.Fprintf(b, `<rect x="%v" y="%v" width="%v" height="%v" fill="%s"><title>%s</title></rect>`+"\n",
					round(left+each*0.1+bar*float64(i)), round(chartTop+high*(1-all[g].Share)), round(bar),
					round(high*all[g].Share), colours[i%len(colours)],
					html.EscapeString(fmt.Sprintf("%s: %s", c.Name, label(all[g].Share))))
			}
		}
	}
	fmt.Fprintf(b, `<text x="%v" y="%v" text-anchor="middle">VC, and dimension from the lowest</text>`+"\n",
		chartLeft+wide/2, chartHeight-10)
}
