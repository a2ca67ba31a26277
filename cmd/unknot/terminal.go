package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// leastColumns is the width below which text is not folded any further.
const leastColumns = 40

// columnsOf returns how many columns a terminal has, 0 if the writer is none.
func columnsOf(w io.Writer) int {
	if o, counted := w.(*output); counted {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 0
	}
	return max(columns, leastColumns)
}

var (
	listItem  = regexp.MustCompile(`^( *(?:\*|-|\d+\.) +)(.*)$`)
	tableRule = regexp.MustCompile(`^\|[-:| ]+\|$`)
)

// fitted returns a page of the guide for a terminal: paragraphs and list items are folded at its width, and a table that
// is wider becomes a list, in which each cell follows its heading. Code stays as it is, so that it can be pasted.
func fitted(page string, columns int) string {
	var b strings.Builder
	lines := strings.Split(page, "\n")
	for len(lines) > 0 {
		line := lines[0]
		switch item := listItem.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			end := 1 + slices.IndexFunc(lines[1:], func(l string) bool { return strings.HasPrefix(l, "```") })
			if end == 0 {
				end = len(lines) - 1
			}
			b.WriteString(strings.Join(lines[:end+1], "\n") + "\n")
			lines = lines[end+1:]
		case strings.HasPrefix(line, "|"):
			n := lengthOf(lines, func(l string) bool { return strings.HasPrefix(l, "|") })
			writeTable(&b, lines[:n], columns)
			lines = lines[n:]
		case line == "" || strings.HasPrefix(line, "#"):
			b.WriteString(line + "\n")
			lines = lines[1:]
		case item != nil:
			n := 1 + lengthOf(lines[1:], func(l string) bool { return strings.HasPrefix(l, "  ") && !listItem.MatchString(l) })
			writeFolded(&b, item[1], item[2]+continued(lines[1:n]), columns)
			lines = lines[n:]
		default:
			n := 1 + lengthOf(lines[1:], func(l string) bool {
				return l != "" && !strings.HasPrefix(l, "|") && !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "#") &&
					!listItem.MatchString(l)
			})
			writeFolded(&b, "", strings.TrimSpace(line)+continued(lines[1:n]), columns)
			lines = lines[n:]
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lengthOf returns how many lines at the beginning are of one kind.
func lengthOf(lines []string, is func(string) bool) int {
	if n := slices.IndexFunc(lines, func(l string) bool { return !is(l) }); n >= 0 {
		return n
	}
	return len(lines)
}

// continued joins the lines that continue a paragraph.
func continued(lines []string) (text string) {
	for _, l := range lines {
		text += " " + strings.TrimSpace(l)
	}
	return text
}

// writeFolded writes a text after a mark, below which its further lines are indented.
func writeFolded(b *strings.Builder, mark, text string, columns int) {
	indent := utf8.RuneCountInString(mark)
	for _, line := range fold(text, columns-indent) {
		b.WriteString(mark + line + "\n")
		mark = strings.Repeat(" ", indent)
	}
}

// writeTable writes a table as it is if it fits, and otherwise as a list of its rows.
func writeTable(b *strings.Builder, lines []string, columns int) {
	if !slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > columns }) {
		b.WriteString(strings.Join(lines, "\n") + "\n")
		return
	}
	head := cellsOf(lines[0])
	for _, line := range lines[1:] {
		if tableRule.MatchString(line) {
			continue
		}
		for i, cell := range cellsOf(line) {
			switch {
			case i == 0:
				writeFolded(b, "* ", cell, columns)
			case cell == "" || i >= len(head):
			case head[i] == "":
				writeFolded(b, "    ", cell, columns)
			default:
				writeFolded(b, "    ", head[i]+": "+cell, columns)
			}
		}
	}
}

// cellsOf returns the cells of a row in Markdown, in which \| is a bar.
func cellsOf(row string) []string {
	const bar = "\x00"
	row = strings.TrimSpace(strings.ReplaceAll(row, `\|`, bar))
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, bar, "|"))
	}
	return cells
}
