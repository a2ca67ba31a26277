package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// width is how many characters a line of help may have, where it is written to no terminal.
const width = 100

// widthOf returns how many characters a line of help may have on a terminal, if the writer is one.
func widthOf(w io.Writer) int {
	if columns := columnsOf(w); columns > 0 {
		return min(columns, width)
	}
	return width
}

// item is a name and its description.
type item struct{ name, text string }

// writeItems writes a list of items, their descriptions in a column folded at the
// width. A name that leaves the column no room gets its own line, as do all if the column would be narrow.
func writeItems(w io.Writer, items []item) error { return writeItemsWithin(w, items, widthOf(w)) }

func writeItemsWithin(w io.Writer, items []item, width int) error {
	const indent, longest, narrow = 2, 30, 8
	column := 0
	for _, t := range items {
		if n := utf8.RuneCountInString(t.name); n <= longest {
			column = max(column, indent+n+2)
		}
	}
	if column > width/2 {
		column = narrow
	}
	for _, t := range items {
		line := strings.Repeat(" ", indent) +
			strings.Join(fold(t.name, width-2*indent), "\n"+strings.Repeat(" ", 2*indent))
		used := utf8.RuneCountInString(line)
		if used+2 > column {
			line, used = line+"\n", 0
		}
		for i, part := range fold(t.text, width-column) {
			if i > 0 {
				line, used = line+"\n", 0
			}
			line += strings.Repeat(" ", column-used) + part
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// fold breaks a text into lines of at most the given width, between words and
// after the bars of a choice. What cannot be cut exceeds the width.
func fold(text string, most int) []string {
	var lines []string
	line, length := "", 0
	marked := strings.ReplaceAll(text, "|", "|\x00")
	for _, word := range strings.FieldsFunc(marked, func(r rune) bool { return r == 0 || r == '\n' }) {
		for piece := range strings.SplitAfterSeq(word, " ") {
			bare := utf8.RuneCountInString(strings.TrimRight(piece, " "))
			if length > 0 && length+bare > most {
				lines = append(lines, strings.TrimRight(line, " "))
				line, length = "", 0
			}
			line += piece
			length += utf8.RuneCountInString(piece)
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}

// helpText folds the text at the head of a command's help: its paragraphs, and its lines that are indented, such as the
// rows of a list, below their second column.
func helpText(text string, width int) string {
	var b strings.Builder
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			writeFolded(&b, "", strings.Join(paragraph, " "), width)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		text := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(text); {
		case indent == 0 && line != "":
			paragraph = append(paragraph, line)
		case utf8.RuneCountInString(line) <= width:
			end()
			b.WriteString(line + "\n")
		default:
			end()
			head := indent
			if gap := strings.Index(text, "  "); gap > 0 {
				head = len(line) - len(strings.TrimLeft(text[gap:], " "))
			}
			writeFolded(&b, line[:head], line[head:], width)
		}
	}
	end()
	return b.String()
}
