// Command terms rewrites a tree of files that use words of before the first release: Starlark, closed forms,
// evidence, results, catalogue files, and commands in Markdown, in scripts and in Go. It changes files in place and
// prints their names; what has the new words already is left as it is.
//
//	go run ./.ci/terms DIR...
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// rule is a change of words in files whose names have one of the endings.
type rule struct {
	endings []string
	old     *regexp.Regexp
	now     string
	unless  *regexp.Regexp // a file that has this has the new words; nil: what the rule writes it does not find
}

func in(endings []string, old, now string) rule {
	return rule{endings, regexp.MustCompile("(?m)" + old), now, nil}
}

// value is a value of --explore, which had none.
var value = regexp.MustCompile(`--explore(?:[= ]|", ")(?:never|auto|always|whole)\b`)

// bare is a rule about --explore or --whole in a command, whose new form is a mention of the flag in new words.
func bare(endings []string, old, now string) rule {
	const command = `(\b(?:check|explore|sweep|ask|diff|untie|route|change|graph|export|shrink|simulate)\b[^\n]*?)`
	return rule{endings, regexp.MustCompile("(?m)" + command + old), "${1}" + now, value}
}

func rules() []rule {
	var (
		star     = []string{".star", ".md", ".go"}
		commands = []string{".md", ".sh", ".yml", ".yaml", ".go", ".star", ".claims", ".entries", ".xml", ".sarif", ".json"}
		data     = []string{".json", ".ndjson", ".sarif", ".md", ".go", ".xml", ".html"}
		evidence = []string{".unknot", ".md", ".go", ""}
	)
	return []rule{
		// Properties are named by what should hold.
		in(star, `\b(deadlock|livelock|starvation)(\s*=\s*(?:\\?"|')(?:holds|violated|unknown|maybe|"|'))`, `${1}_freedom$2`),
		in(star, `expect\((\\?")(deadlock|livelock|starvation)(\\?"\s*,)`, `expect($1$2-freedom$3`),
		in(commands, `(--property(?:[= ]|", "))(deadlock|livelock|starvation)\b([^-]|$)`, `$1$2-freedom$3`),
		in(data, `("property"\s*:\s*")(deadlock|livelock|starvation)"`, `$1$2-freedom"`),
		in(data, `"(deadlock|livelock)"(\s*:\s*"(?:holds|violated|unknown))`, `"$1-freedom"$2`),
		in(evidence, `^(property "?)(deadlock|livelock|starvation)("?)$`, `$1$2-freedom$3`),
		in(evidence, `(unknot-(?:certificate|trace)) 1\b`, `$1 2`),
		in([]string{".entries"}, `^((?:violated|unknown): (?:.*, )?)(deadlock|livelock|starvation)\b([^-]|$)`, `$1$2-freedom$3`),
		in([]string{".claims"}, `^(verdict: )(deadlock|livelock|starvation)\b([^-]|$)`, `$1$2-freedom$3`),
		in(append(slices.Clone(commands), evidence...), `(^|[^-\w])(deadlock|livelock|starvation)(\.(?:unknot|dot)\b)`, `$1$2-freedom$3`),
		in([]string{".go"}, `((?:Property|Properties|Violated|Unknown): *(?:\[\]string\{)?[^}\n]*)"(deadlock|livelock|starvation)"`, `$1"$2-freedom"`),
		// Keywords: a source is a node, and an endpoint a host.
		in(star, `\b((?:network|machine)\((?:[^\n]*[,(] *)?)source( ?= ?)`, `${1}paper$2`),
		in(star, `^( +)source( = \\?["'(])`, `${1}paper$2`),
		in(star, `(\breplies\([^\n]*, *)endpoint( ?= ?)`, `${1}request_buffer$2`),
		// Flags and their values.
		in(commands, `(--)lanes\b`, `${1}injectors`),
		in(commands, `(--smallest(?:[= ]|", "))messages\b`, `${1}packets`),
		in(commands, `(models [a-z0-9-]+(?:", "| ))--source\b`, `$1--print`),
		// One flag says what is explored. Of several, the last one counts: whole includes always.
		in(commands, `--explore (never|auto|always|whole)\b`, `--explore=$1`),
		bare(commands, `--explore(?: |", ")--whole\b([^=]|$)`, `--explore=whole$2`),
		bare(commands, `--whole\b([^=\n}][^\n}|;]*?)--explore([^-=\w]|$)`, `--explore$2--explore=whole$3`),
		in(commands, `--whole\b([^=]|$)`, `--explore=whole$1`),
		bare(commands, `--explore([^-=\w]|$)`, `--explore=always$2`),
		in(commands, `--settle(?:[= ]|", ")(?:0|-\d+)([^\d]|$)`, `--explore=never$1`),
		in(commands, `--settle\b`, `--max-states`),
		// An unsatisfiability proof is evidence; a claim is refuted.
		in(append(slices.Clone(data), evidence...), `unknot-refutation 1\b`, `unknot-unsatisfiability-proof 2`),
		in(append(slices.Clone(data), evidence...), `refutation of ([0-9,]+) step(s?)\b`, `unsatisfiability proof of $1 clause$2`),
		in(data, `("evidence"\s*:\s*")refutation"`, `${1}unsatisfiability-proof"`),
		in([]string{".unknot"}, `^messages ([0-9]+)$`, `packets $1`),
		in(append(slices.Clone(data), evidence...), `(no deadlock of at most [0-9]+ )message(s?)\b`, `${1}packet$2`),
		// A trace shows a deadlock; what a machine does to a fault is a trace, too. What is routed is a packet.
		in(evidence, `^(fault )circular-wait$`, `${1}deadlock`),
		in(data, `("fault"\s*:\s*")circular-wait"`, `${1}deadlock"`),
		in(append(slices.Clone(data), evidence...), `unknot-run 2\b`, `unknot-machine-trace 2`),
		in(data, `("evidence"\s*:\s*")run"`, `${1}machine-trace"`),
		in(commands, `(--arbiter(?:[= ]|", "))message\b`, `${1}packet`),
		in([]string{".entries"}, `(deadlock-freedom of )worms\b`, `${1}packets of any length`),
		in([]string{".entries"}, `(deadlock-freedom of )packets(,|$)`, `${1}whole packets$2`),
		// Output.
		in(data, `\bnot machine-checked\b`, `unchecked`),
		in(data, `\blegal site(s?)\b`, `site$1`),
		in(data, `\brun of ([0-9,]+) step(s?)\b`, `trace of $1 step$2`),
		in(data, `\bmessages of any length, a channel belongs to one message at a time`,
			`packets of any length, a channel belongs to one packet at a time`),
		// In Go: literals that are a property, and constants.
		in(
			[]string{".go"},
			`((?:(?:Properties|Violated|Unknown): *\[\]string|Property: *|Of\(|Safe\([^,"]*, |finding\([^,"]*, [^,"]*, |`+
				`[Pp]roperty [!=]= )\{?)"(deadlock|livelock|starvation)"`,
			`$1"$2-freedom"`,
		),
		in([]string{".go"}, `\bspec\.(Deadlock|Livelock)\b`, `spec.${1}Freedom`),
	}
}

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./.ci/terms DIR...") }
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, dir := range flag.Args() {
		if err := rewrite(dir, rules()); err != nil {
			fmt.Fprintln(os.Stderr, "terms:", err)
			os.Exit(2)
		}
	}
}

// rewrite changes the files of a tree, except for hidden folders other than those of this repository.
func rewrite(dir string, rules []rule) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "terms", "compare"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular(), slices.Contains([]string{"TERMS.md", "CHANGELOG.md", "renamed.go"}, d.Name()): // which have former words
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		after := Text(rules, filepath.Ext(name), text)
		if bytes.Equal(text, after) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Println(name)
		return os.WriteFile(name, after, info.Mode().Perm())
	})
}

// Text returns a text with the new words, line by line. A rule is repeated until it finds nothing, as matches may
// overlap. Lines that speak of a former word stay, and so does a text that has the new words already.
func Text(rules []rule, ending string, text []byte) []byte {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r rule) bool {
		return !slices.Contains(r.endings, ending) || r.unless != nil && r.unless.Match(text)
	})
	var after []byte
	for line := range bytes.Lines(text) {
		for _, r := range rules {
			for !bytes.Contains(line, []byte("former")) && !bytes.Contains(line, []byte("now called")) {
				next := r.old.ReplaceAll(line, []byte(r.now))
				if bytes.Equal(next, line) {
					break
				}
				line = next
			}
		}
		after = append(after, line...)
	}
	return after
}
