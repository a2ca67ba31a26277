package simulate

import (
	"html/template"
	"io"
	"strings"
)

// page is self-contained: the charts, the conditions, the points.
const page = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="generator" content="unknot">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 16px/1.45 sans-serif; margin: 1.5em auto; max-width: 62em; padding: 0 1em; color: #111; background: #fff }
svg { max-width: 100%; height: auto }
div { overflow-x: auto }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ccc }
th:first-child, td:first-child { text-align: left }
</style>
<h1>{{.Title}}</h1>
{{.Chart}}
<p>Hollow points are saturated: queues were growing. A cross is a deadlock. A measurement is never a verdict.</p>
<p>Columns that end in -half: half of the 95 % confidence interval. p50 to p99.9: quantiles of the latency.
network-latency: from when the head leaves the source. throughput: flits forwarded from router to router, per clock
and node. hops: links that a packet crosses. fairness: Jain's index of what the sending nodes deliver. peak: use of
the busiest link in its busiest 1,000 clocks. finished: the clock in which the last packet of a trace arrived.</p>
<h2>Conditions</h2>
<ul>{{range .Study.Conditions}}<li>{{.}}</li>
{{end}}</ul>
{{with .Study.Stated}}<h2>The paper states, and what comes out</h2>
<ul>{{range .}}<li>{{.}}</li>
{{end}}</ul>
{{end}}{{range .Tables}}<h2>{{.Name}}</h2>
<p>{{.Note}}</p>
{{with .Conditions}}<ul>{{range .}}<li>{{.}}</li>
{{end}}</ul>
{{end}}<div><table><tr>{{range .Header}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table></div>
{{end}}</html>
`

// WritePage writes a study as a self-contained page of HTML.
func (s *Study) WritePage(w io.Writer, title string) error {
	var svg strings.Builder
	if err := s.WriteSVG(&svg); err != nil {
		return err
	}
	type table struct {
		Name, Note         string
		Conditions, Header []string
		Rows               [][]string
	}
	var tables []table
	for _, c := range s.Curves {
		t := table{Name: c.Name, Note: c.Network + ", sha256 " + c.Digest, Conditions: c.Conditions}
		if bound := c.Bound(); bound != "" {
			t.Note += "; " + bound
		}
		if loads := c.Correlated(); loads != "" {
			t.Note += "; " + loads
		}
		for _, x := range columns {
			t.Header = append(t.Header, x.name)
		}
		for _, r := range c.Points {
			var row []string
			for _, x := range columns {
				row = append(row, x.of(r))
			}
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, t)
	}
	return template.Must(template.New("page").Parse(page)).Execute(w, map[string]any{
		"Title": title, "Chart": template.HTML(svg.String()), "Study": s, "Tables": tables,
	})
}
