package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// WriteRules lists the rules of a program, of alike ones at most so many, and when each is possible and what it
// changes: the text of the function below all rules that are its instances, or else the guard and the assignments of
// each.
func WriteRules(w io.Writer, p *program.Program, most int) {
	from := star.SourceOf(p)
	for i := 0; i < len(p.Rules); {
		next, text := i+1, ""
		if from != nil {
			for next < len(p.Rules) && p.Rules[next].Where == p.Rules[i].Where &&
				from.Declared(next) == from.Declared(i) {
				next++
			}
			text = from.Definition(i)
		}
		writeInstances(w, p, i, next, most, text)
		i = next
	}
}

// writeInstances lists rules with one definition, "" if it is unknown.
func writeInstances(w io.Writer, p *program.Program, first, next, most int, definition string) {
	told := 0
	for i := first; i < next; i++ {
		r := &p.Rules[i]
		if i == first || r.Name != p.Rules[i-1].Name { // else another option of the same rule
			if told++; told <= most {
				writeRule(w, r)
			}
		}
		if definition == "" && told <= most {
			fmt.Fprintf(w, "    when %s\n    then %s\n",
				spec.Printable(Condition(p, &r.Guard)), spec.Printable(Effect(p, r.Effect)))
		}
	}
	if told > most {
		fmt.Fprintf(w, "  ... and %d more\n", told-most)
	}
	if definition == "" {
		return
	}
	for line := range strings.SplitSeq(definition, "\n") {
		fmt.Fprintln(w, strings.TrimRight("    "+spec.Printable(strings.ReplaceAll(line, "\t", "    ")), " "))
	}
}

func writeRule(w io.Writer, r *program.Rule) {
	where, fairness := r.Where.Clause(), ""
	switch {
	case r.Unfair:
		fairness = ", not fair"
	case r.Strong:
		fairness = ", strongly fair"
	}
	fmt.Fprintf(w, "rule:      %s%s%s\n", r.Name, where, fairness)
}
