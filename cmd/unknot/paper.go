package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

const paperHead = "| section | the paper says | modelled where | asked how | answer |\n|---|---|---|---|---|\n"

// paperRow is a sentence of a paper: where it stands in a file, or what was asked about it.
type paperRow struct{ section, says, where, asked, answer string }

// paperRows lists the sentences that stand in a model's files, and those that its claims quote, by section. A sentence
// that several claims quote has a row for each.
func paperRows(e catalogue.Entry) (rows []paperRow) {
	for _, q := range e.Quotations() {
		where := fmt.Sprintf("%s:%d", q.File, q.Line)
		if q.Code != "" {
			where += ": `" + q.Code + "`"
		}
		rows = append(rows, paperRow{q.Section, q.Sentence, where, "", ""})
	}
	for _, c := range e.Claims() {
		if c.Ours {
			continue
		}
		answer := c.Finding
		if c.Refuted != "" {
			answer = "**refuted** if read so: " + c.Refuted + ". " + answer
		}
		rows = append(rows, paperRow{c.Section, c.Sentence, e.Name, "`unknot " + strings.Join(c.Command, " ") + "`", answer})
	}
	slices.SortStableFunc(rows, func(a, b paperRow) int { return compareSections(a.section, b.section) })
	return rows
}

// compareSections orders 2, 2.1, 2.10, 10, figure 3; what is no number comes last.
func compareSections(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		n, wrongX := strconv.Atoi(x[i])
		m, wrongY := strconv.Atoi(y[i])
		switch {
		case wrongX != nil || wrongY != nil:
			if (wrongX == nil) != (wrongY == nil) {
				return map[bool]int{true: -1, false: 1}[wrongX == nil]
			}
			if c := strings.Compare(x[i], y[i]); c != 0 {
				return c
			}
		case n != m:
			return n - m
		}
	}
	return len(x) - len(y)
}

// writePaper writes a model's source beside its files.
func writePaper(w io.Writer, e catalogue.Entry) error {
	rows := paperRows(e)
	if len(rows) == 0 {
		return fmt.Errorf("%s quotes no sentence of its source", e.Name)
	}
	if _, err := fmt.Fprintf(w, "# %s\n\n%s\n\n%s", e.Name, e.Described().Source, paperHead); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s | “%s” | %s | %s | %s |\n",
			r.section, cell(r.says), cell(r.where), cell(r.asked), cell(r.answer)); err != nil {
			return err
		}
	}
	return nil
}
