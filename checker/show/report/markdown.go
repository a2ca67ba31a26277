package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// WriteMarkdown writes a summary in GitHub's Markdown: a table of all properties
// and, for each that is violated or not as expected, the reason, with a Mermaid
// picture of the cycle and who holds what by which rule.
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
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", markdown(r.title()), markdown(r.Switching),
				markdown(evidence.Freedom(p.Name)), p.verdictCell(),
				markdown(cmp.Or(p.RestsOn("counts of the states"), "none")))
		}
	}
	for i := range results {
		r := &results[i]
		headed := false
		for k := range r.Properties {
			p := &r.Properties[k]
			if p.AsExpected() && p.Verdict != spec.Violated {
				continue
			}
			if !headed {
				fmt.Fprintf(&b, "\n### %s\n", markdown(r.title()))
			}
			headed = true
			p.markdown(&b)
		}
		if headed {
			r.markdownFacts(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) title() string {
	if r.Name == "" || r.File == "" || r.File == r.Name {
		return cmp.Or(r.Name, r.File)
	}
	return r.Name + " (" + r.File + ")"
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
	case p.Expected == spec.Holds:
	case p.AsExpected():
		text += ", as expected"
	default:
		text += ", not " + p.Expected.String() + " as expected"
	}
	return text
}

func (p *Property) markdown(b *strings.Builder) {
	put := func(lines []string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	fmt.Fprintf(b, "\n%s %s: %s\n", markdown(evidence.Freedom(p.Name)), p.verdictCell(), markdown(p.Because.String()))
	if len(p.Cycle) > 0 {
		fmt.Fprintf(b, "\n```mermaid\n%s```\n\n", mermaid(p.Cycle, p.Decisive))
		put(listed(len(p.Cycle), func(i int) string { return "1. " + markdown(p.Cycle[i].String()) }, "\nand %d more"))
	}
	if len(p.Steps) > 0 {
		fmt.Fprintf(b, "\n<details><summary>%s from the start</summary>\n\n", words.Plural(len(p.Steps), "step"))
		put(listed(len(p.Steps), func(i int) string { return fmt.Sprintf("%d. %s", i+1, markdown(p.Steps[i].Named())) },
			"\nand %d more"))
		if p.Ending != "" && len(p.Steps) <= mostLines {
			fmt.Fprintf(b, "\n%s\n", markdown(p.Ending))
		}
		b.WriteString("\n</details>\n")
	}
	if len(p.Candidate) > 0 {
		b.WriteString("\nNot cleared:\n\n")
		put(listed(len(p.Candidate), func(i int) string { return "- " + markdown(p.Candidate[i].Name) },
			"- and %d more"))
	}
	if len(p.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, note := range p.Notes {
		fmt.Fprintf(b, "- %s\n", markdown(note.String()))
	}
}

func (r *Result) markdownFacts(b *strings.Builder) {
	for _, group := range r.Assumed {
		fmt.Fprintf(b, "\nA%s:\n\n", markdown(group.Title()[1:]))
		for _, a := range group.Sentences {
			fmt.Fprintf(b, "- %s\n", markdown(a.String()))
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

// markdown makes a text literal: one line, no markup, no end of a table cell.
func markdown(s string) string { return markdownText.Replace(oneLine(s)) }

var markdownText = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "#", `\#`, "~", `\~`, "@", "&#64;")
