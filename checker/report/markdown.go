package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// WriteMarkdown writes a summary in GitHub's Markdown: a table of all
// properties, then, for each that is not as expected or is violated, why, with
// a Mermaid picture of the cycle and who holds what by which rule.
func WriteMarkdown(w io.Writer, results []Result) error {
	var b strings.Builder
	good := 0
	for i := range results {
		if !results[i].Failed() {
			good++
		}
	}
	fmt.Fprintf(&b, "## unknot: %d of %d as expected\n\n", good, len(results))
	b.WriteString("| network | switching | property | verdict | evidence |\n| --- | --- | --- | --- | --- |\n")
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			fmt.Fprintf(&b, "| %s | | | **not decided** | %s |\n", markdown(r.title()), markdown(r.Err.Error()))
		}
		for k := range r.Properties {
			p := &r.Properties[k]
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", markdown(r.title()), markdown(r.Switching), markdown(evidence.Freedom(p.Name)), p.verdictCell(), markdown(cmp.Or(p.Rests, "none")))
		}
	}
	for i := range results {
		r := &results[i]
		first := true
		for k := range r.Properties {
			p := &r.Properties[k]
			if p.AsExpected() && p.Verdict != spec.Violated {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n### %s\n", markdown(r.title()))
			}
			first = false
			p.markdown(&b)
		}
		if !first {
			r.markdownFacts(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) title() string {
	if r.File != "" && r.File != r.Name {
		if r.Name == "" {
			return r.File
		}
		return r.Name + " (" + r.File + ")"
	}
	return r.Name
}

func (p *Property) verdictCell() string {
	text := "**" + p.Verdict.String() + "**"
	if p.Verdict == spec.Holds {
		text = p.Verdict.String()
	}
	if p.Vacuous {
		text += " (vacuously)"
	}
	switch {
	case !p.AsExpected() && p.Expected != spec.Holds:
		text += ", not " + p.Expected.String() + " as expected"
	case p.AsExpected() && p.Expected != spec.Holds:
		text += ", as expected"
	}
	return text
}

func (p *Property) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s %s: %s\n", markdown(evidence.Freedom(p.Name)), p.verdictCell(), markdown(p.Because))
	if len(p.Cycle) > 0 {
		b.WriteString("\n```mermaid\n")
		b.WriteString(mermaid(p.Cycle, p.Decisive))
		b.WriteString("```\n\n")
		for i, d := range p.Cycle {
			if i == mostSteps {
				fmt.Fprintf(b, "\nand %d more\n", len(p.Cycle)-i)
				break
			}
			fmt.Fprintf(b, "1. %s\n", markdown(d.String()))
		}
	}
	if len(p.Steps) > 0 {
		fmt.Fprintf(b, "\n<details><summary>%s from the start</summary>\n\n", plural(len(p.Steps), "step"))
		for i, s := range p.Steps {
			if i == mostSteps {
				fmt.Fprintf(b, "\nand %d more\n", len(p.Steps)-i)
				break
			}
			fmt.Fprintf(b, "%d. %s\n", i+1, markdown(s.Text))
		}
		if p.Ending != "" && len(p.Steps) <= mostSteps {
			fmt.Fprintf(b, "\n%s\n", markdown(p.Ending))
		}
		b.WriteString("\n</details>\n")
	}
	for i, c := range p.Candidate {
		if i == 0 {
			b.WriteString("\nNot cleared:\n\n")
		}
		if i == mostSteps {
			fmt.Fprintf(b, "- and %d more\n", len(p.Candidate)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", markdown(c.Name))
	}
	for i, note := range p.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s\n", markdown(note))
	}
}

func (r *Result) markdownFacts(b *strings.Builder) {
	for _, group := range r.Assumed {
		fmt.Fprintf(b, "\nA%s:\n\n", markdown(group.Title()[1:]))
		for _, a := range group.Sentences {
			fmt.Fprintf(b, "- %s\n", markdown(a))
		}
	}
	if r.Digest != "" {
		fmt.Fprintf(b, "\nsha256 of the network: `%s`\n", r.Digest)
	}
	if r.Command != "" {
		fence := "```"
		for strings.Contains(r.Command, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence, oneLine(r.Command), fence)
	}
}

// markdown makes a text mean itself: one line, no markup, no end of a table's cell.
func markdown(s string) string { return markdownText.Replace(oneLine(s)) }

var markdownText = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "#", `\#`, "~", `\~`, "@", "&#64;")

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
