// Command prose measures the text that users read, README.md and the guide: how long its sentences are,
// and how often it has patterns that a native writer avoids. It prints a table in Markdown; with two
// checkouts it prints both, so that a change of text shows what it has mended.
//
//	go run ./.ci/prose [DIR...]
//	go run ./.ci/prose -pages [DIR...]   # the length of sentences, page by page
//	go run ./.ci/prose -check [DIR]      # fails, and lists them, if sentences are too long
//
// Sentences are those of paragraphs and lists. Fenced code, tables, headings and block quotes are left out;
// code within a sentence, and a quotation, count as a word. Of the page about commands, the descriptions count.
// Patterns are also counted in tables and titles, where a colon or a semicolon is no fault; beside the count is that of
// the text without them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Limits on the length of sentences, in words.
const (
	longest = 35 // of any
	average = 16 // of all
)

func main() {
	check := flag.Bool("check", false, "fail if a sentence has more than 35 words, or sentences have more than 16 on average")
	pages := flag.Bool("pages", false, "one row per page")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	if err := run(dirs, *check, *pages, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

func run(dirs []string, check, pages bool, to io.Writer) error {
	var all [][]page
	for _, dir := range dirs {
		read, err := load(dir)
		if err != nil {
			return err
		}
		all = append(all, read)
	}
	if pages {
		for _, read := range all {
			fmt.Fprintf(to, "| page | words | sentences | mean | over 30 | over %d | longest |\n|---|---|---|---|---|---|---|\n", longest)
			for _, p := range read {
				l := lengths(p)
				fmt.Fprintf(
					to, "| %s | %d | %d | %.1f | %d | %d | %d |\n", p.name, len(strings.Fields(p.text)), len(l),
					mean(l), over(l, 30), over(l, longest), most(l),
				)
			}
		}
	} else {
		table(to, dirs, all)
	}
	if !check {
		return nil
	}
	failed := 0
	for _, read := range all {
		for _, p := range read {
			for _, w := range unwanted.FindAllString(p.prose, -1) {
				failed++
				fmt.Fprintf(to, "%s: %q is no word for users\n", p.name, w)
			}
			for _, s := range p.sentences {
				if n := words(s.text); n > longest {
					failed++
					fmt.Fprintf(to, "%s:%d: %d words: %s\n", p.name, s.line, n, s.text)
				}
			}
		}
		if m := mean(lengths(read...)); m > average {
			failed++
			fmt.Fprintf(to, "%.1f words a sentence: want at most %d\n", m, average)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d complaints", failed)
	}
	return nil
}

func table(to io.Writer, dirs []string, all [][]page) {
	head, rule := "| what |", "|---|"
	for _, dir := range dirs {
		head, rule = head+" "+filepath.Base(dir)+" |", rule+"---|"
	}
	fmt.Fprintf(to, "%s\n%s\n", head, rule)
	row := func(what string, of func([]page) string) {
		fmt.Fprintf(to, "| %s |", what)
		for _, read := range all {
			fmt.Fprintf(to, " %s |", of(read))
		}
		fmt.Fprintln(to)
	}
	row("pages", func(ps []page) string { return fmt.Sprint(len(ps)) })
	row("words, code and tables included", func(ps []page) string {
		n := 0
		for _, p := range ps {
			n += len(strings.Fields(p.text))
		}
		return fmt.Sprint(n)
	})
	row("sentences", func(ps []page) string { return fmt.Sprint(len(lengths(ps...))) })
	row("words a sentence, mean", func(ps []page) string { return fmt.Sprintf("%.1f", mean(lengths(ps...))) })
	for _, n := range []int{30, 35, 40} {
		row(fmt.Sprintf("sentences over %d words", n), func(ps []page) string { return fmt.Sprint(over(lengths(ps...), n)) })
	}
	row("words of the longest sentence", func(ps []page) string { return fmt.Sprint(most(lengths(ps...))) })
	row("paragraphs over 80 words", func(ps []page) string {
		n := 0
		for _, p := range ps {
			n += over(p.paragraphs, 80)
		}
		return fmt.Sprint(n)
	})
	for _, pattern := range patterns {
		row(pattern.what, func(ps []page) string {
			n, cells := 0, 0
			for _, p := range ps {
				n += len(pattern.is.FindAllString(p.prose, -1))
				for line := range strings.Lines(p.prose) {
					if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") {
						cells += len(pattern.is.FindAllString(line, -1))
					}
				}
			}
			return fmt.Sprintf("%d (%d in text)", n, n-cells)
		})
	}
}

// patterns are what grammar allows and a reader stumbles over; the last ones are what there should be more of.
var patterns = []struct {
	what string
	is   *regexp.Regexp
}{
	{"*take* for use, need, accept, last", regexp.MustCompile(`(?i)\btak(e|es|en|ing)\b|\btook\b`)},
	{"*say* of things", regexp.MustCompile(`(?i)\b(says?|said)\b`)},
	{"*what* as a noun", regexp.MustCompile(`(?i)[^.|#] \bwhat\b`)},
	{"*for each*, *for every*", regexp.MustCompile(`(?i)\bfor (each|every)\b`)},
	{"semicolons", regexp.MustCompile(`;`)},
	{"colon and a lower-case word", regexp.MustCompile(`: [a-z]`)},
	{"*may*", regexp.MustCompile(`(?i)\bmay\b`)},
	{"*whatever, likewise, those, least, otherwise*", regexp.MustCompile(`(?i)\b(whatever|likewise|those|least|otherwise)\b`)},
	{"*..., too*; *by itself, of its own*", regexp.MustCompile(`(?i), too\b|\bby (it|them)sel(f|ves)\b|\bof (its|their) own\b`)},
	{"preposition and *which*", regexp.MustCompile(`(?i)\b(in|of|on|to|for|from|by|with|at|into|under) which\b`)},
	{"words that users should not meet", unwanted},
	{"*you, your*", regexp.MustCompile(`(?i)\byour?\b`)},
}

// unwanted are words that users should not meet: a worm is a packet, a lane a VC, unless it is InfiniBand's virtual
// lane, and a knot has no use.
var unwanted = regexp.MustCompile(`(?i)(^|[^-\w])(worm|lane|knot)s?\b`)

type page struct {
	name, text string
	prose      string // with tables, without fenced code; code within a line is a word
	sentences  []sentence
	paragraphs []int // their lengths in words
}

type sentence struct {
	line int
	text string
}

// load reads README.md and the guide of a checkout.
func load(dir string) ([]page, error) {
	names, err := filepath.Glob(filepath.Join(dir, "cmd/unknot/guide/*.md"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("%s has no guide (%v)", dir, err)
	}
	var all []page
	for _, name := range append([]string{filepath.Join(dir, "README.md")}, names...) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, err
		}
		all = append(all, read(short, string(text)))
	}
	return all, nil
}

var (
	code  = regexp.MustCompile("`[^`]*`")
	image = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	quote = regexp.MustCompile(`"[^"]*"|“[^”]*”`)
	item  = regexp.MustCompile(`^\s*([*-]|\d+\.) `)
	end   = regexp.MustCompile(`[.!?:]["”)*]*\s+`)
	short = regexp.MustCompile(`(\b[A-Z]|\be\.g|\bi\.e|\betc|\bcf|\bvs|\.\.)\.$`)
)

func read(name, text string) page {
	p := page{name: name, text: text}
	var block []string // lines of a paragraph
	first, fenced := 0, false
	help := filepath.Base(name) == "commands.md" // whose blocks are the help of commands: a description comes first
	flush := func() {
		joined := strings.Join(block, " ")
		if joined != "" {
			p.paragraphs = append(p.paragraphs, words(joined))
		}
		for _, s := range split(joined) {
			p.sentences = append(p.sentences, sentence{first, s})
		}
		block = nil
	}
	var prose strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			flush()
			fenced = !fenced
			help = filepath.Base(name) == "commands.md"
			continue
		}
		if help = help && line != "Usage:"; fenced && (!help || strings.HasPrefix(line, "  ")) {
			flush()
			continue
		}
		plain := quote.ReplaceAllString(link.ReplaceAllString(image.ReplaceAllString(code.ReplaceAllString(line, "Code"), ""), "$1"), "Quotation")
		prose.WriteString(plain + "\n")
		switch {
		case strings.TrimSpace(plain) == "", strings.HasPrefix(
			plain, "|",
		), strings.HasPrefix(plain, "#"), strings.HasPrefix(plain, ">"), strings.HasPrefix(plain, "<"):
			flush()
			continue
		case item.MatchString(plain):
			flush()
			plain = item.ReplaceAllString(plain, "")
		}
		if len(block) == 0 {
			first = i + 1
		}
		block = append(block, strings.TrimSpace(plain))
	}
	flush()
	p.prose = strings.ReplaceAll(prose.String(), "irtual lane", "irtual-lane") // InfiniBand's word
	return p
}

// split returns the sentences of a paragraph. A colon ends one only at the end, before a list or code.
func split(text string) (all []string) {
	begin := 0
	for _, at := range end.FindAllStringIndex(text, -1) {
		mark, rest := text[at[0]], text[at[1]:]
		if mark == ':' || short.MatchString(text[begin:at[0]+1]) || rest != "" &&
			!strings.HasPrefix(rest, "unknot") && strings.ToLower(rest[:1]) == rest[:1] &&
			strings.ToUpper(rest[:1]) != rest[:1] {
			continue
		}
		all, begin = append(all, text[begin:at[1]]), at[1]
	}
	all = append(all, text[begin:])
	return slices.DeleteFunc(all, func(s string) bool { return words(s) == 0 })
}

// words counts what has a letter or a digit.
func words(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		if strings.ContainsFunc(w, func(r rune) bool {
			return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 127
		}) {
			n++
		}
	}
	return n
}

func lengths(pages ...page) (all []int) {
	for _, p := range pages {
		for _, s := range p.sentences {
			all = append(all, words(s.text))
		}
	}
	return all
}

func mean(lengths []int) float64 {
	sum := 0
	for _, n := range lengths {
		sum += n
	}
	return float64(sum) / float64(max(1, len(lengths)))
}

func over(lengths []int, limit int) (n int) {
	for _, l := range lengths {
		if l > limit {
			n++
		}
	}
	return n
}

func most(lengths []int) int { return slices.Max(append(lengths, 0)) }
