package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

var update = flag.Bool("update", false, "write the golden files anew")
var updateOnly = flag.String("model", "", "with -update or -shell, run the claims of this model alone; the other pages keep their evidence")
var added = flag.Bool("added", false, "with -update, run only claims whose words or command have no row yet")
var keptRuns = flag.String("keep", "", "folder in which the runs of simulated figures are kept, as by simulate --keep")
var inShell = flag.Bool("shell", false, "run the commands of all claims through a shell")

// modelPages is the folder of the pages about models: one for each entry of the catalogue, and the list of them.
const modelPages = "../../models/pages"

// papers is the index of the papers' sentences.
const papers = "../../models/CLAIMS.md"

const madeBy = "Made from the catalogue by `go test ./cmd/unknot -run TestClaims -update`, which runs every claim.\n"

// modelIndex is the page that lists the models.
func modelIndex() string {
	var b strings.Builder
	b.WriteString("# Catalogue of models\n\nFor everyone who looks for a published network or protocol. Each model has a page with its parameters, its questions, the claims of its source\n" +
		"and the verdicts that are expected of it. `unknot models NAME` prints the same without the findings.\n\n" + madeBy)
	for _, g := range models.Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| model | is | claims |\n|---|---|---|\n", g.Title)
		for _, e := range g.Entries {
			fmt.Fprintf(&b, "| [%s](%[1]s.md) | %s | %d |\n", e.Name, cell(e.Described().Summary), len(e.Claims()))
		}
	}
	return b.String()
}

// sentence is what is made of a sentence of a paper.
type sentence struct {
	section, says               string
	where                       []string       // FILE:LINE
	asked                       map[string]int // rows, by model
	commands                    []string
	confirmed, refuted, answers int
	leftOut                     string // why, if it is
}

// answer counts the answers by kind, and says why there is none.
func (s *sentence) answer() string {
	var all []string
	for _, kind := range []struct {
		name   string
		number int
	}{{"confirmed", s.confirmed}, {"refuted under a reading", s.refuted}, {"answered", s.answers}} {
		if kind.number > 0 {
			all = append(all, fmt.Sprintf("%s: %d", kind.name, kind.number))
		}
	}
	if s.leftOut != "" {
		all = append(all, "out of scope: "+s.leftOut)
	}
	return strings.Join(all, ", ")
}

// sentencesOf lists the sentences of a paper that stand in the files of models, are asked about or are left out, by
// section.
func sentencesOf(entries ...catalogue.Entry) []*sentence {
	var all []*sentence
	of := func(section, says string) *sentence {
		i := slices.IndexFunc(all, func(s *sentence) bool { return s.section == section && s.says == says })
		if i < 0 {
			i = len(all)
			all = append(all, &sentence{section: section, says: says, asked: map[string]int{}})
		}
		return all[i]
	}
	for _, e := range entries {
		for _, q := range e.Quotations() {
			s, where := of(q.Section, q.Sentence), fmt.Sprintf("%s:%d", q.File, q.Line)
			if !slices.Contains(s.where, where) {
				s.where = append(s.where, where)
			}
		}
		if e.LeftOut != nil {
			for _, l := range e.LeftOut() {
				of(l.Section, l.Sentence).leftOut = l.Because
			}
		}
		for _, c := range e.Claims() {
			if c.Ours {
				continue
			}
			s := of(c.Section, c.Sentence)
			s.asked[e.Name]++
			if line := "unknot " + strings.Join(c.Command, " "); !slices.Contains(s.commands, line) {
				s.commands = append(s.commands, line)
			}
			switch {
			case c.Refuted != "":
				s.refuted++
			case strings.HasPrefix(c.Finding, "confirmed"):
				s.confirmed++
			default:
				s.answers++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *sentence) int { return compareSections(a.section, b.section) })
	return all
}

// papersPage is the index of what was made of each paper, sentence by sentence: of those that stand in files or are asked
// about.
func papersPage() string {
	var b strings.Builder
	b.WriteString("# Five papers, sentence by sentence\n\nFor everyone who reads one of the papers and asks where a sentence of it is modelled, and what became of it. The\n" +
		"last two columns count rows of the model's page. The page has the commands and all answers.\n\n" + madeBy)
	for _, g := range models.Groups()[:5] {
		fmt.Fprintf(&b,
			"\n## %s\n\nSource: %s.\n\n| section | mechanism or claim, in translation | modelled where | asked how | answer |\n|---|---|---|---|---|\n",
			g.Title, g.Entries[0].Described().Source)
		all := sentencesOf(g.Entries...)
		for _, s := range all {
			var asked, files []string
			for _, name := range slices.Sorted(maps.Keys(s.asked)) {
				asked = append(asked, fmt.Sprintf("[%s](pages/%[1]s.md): %d", name, s.asked[name]))
			}
			for _, where := range s.where {
				if file, _, _ := strings.Cut(where, ":"); !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
			fmt.Fprintf(&b, "| %s | “%s” | %s | %s | %s |\n",
				s.section, cell(s.says), strings.Join(files, ", "), strings.Join(asked, ", "), cell(s.answer()))
		}
	}
	return b.String()
}

// modelPage is the page about a model; rows are those of its claims.
func modelPage(e catalogue.Entry, rows string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s. Source: %s.\n\n%s", e.Name, e.Described().Summary, e.Described().Source, madeBy)
	if len(e.Described().Fixed) > 0 {
		fmt.Fprintf(&b, "\n`unknot models %s --print` prints the file, with %s.\n", e.Name, settings(e.Described().Fixed))
	}
	if e.IsBeside() {
		fmt.Fprintf(&b, "\nThe model is written in Go. `unknot models %s --print` prints the file that stands beside the source. A test\n"+
			"compares the two.\n", e.Name)
	}
	table := func(title, head string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n|%s\n", title, head, strings.Repeat("---|", strings.Count(head, "|")-1))
		for _, cells := range rows {
			b.WriteString("|")
			for _, text := range cells {
				b.WriteString(" " + cell(text) + " |")
			}
			b.WriteString("\n")
		}
	}
	var parameters, questions, sentences, expected, machines [][]string
	for _, p := range e.Parameters() {
		set := "none"
		if p.Default != "" {
			set = "`" + p.Default + "`"
		}
		parameters = append(parameters, []string{"`" + p.Name + "`", set, p.Range(), p.Doc})
	}
	table("Parameters", "| `--set` | default | values | meaning |", parameters)
	for _, q := range all.Questions(e.Name) {
		questions = append(questions, []string{"`unknot ask " + e.Name + " " + q.Name + "`", q.Asks})
	}
	table("Questions", "| command | asks whether |", questions)
	for _, s := range sentencesOf(e) {
		how := ""
		if len(s.commands) > 0 {
			if how = "`" + s.commands[0] + "`"; len(s.commands) > 1 {
				how += fmt.Sprintf(" and %d more", len(s.commands)-1)
			}
		}
		sentences = append(sentences, []string{s.section, "“" + s.says + "”", strings.Join(s.where, ", "), how, s.answer()})
	}
	table("The source, section by section", "| section | mechanism or claim, in translation | modelled where | asked how | answer |", sentences)
	if rows != "" {
		b.WriteString("\n## Claims\n\nEach row quotes the source, in translation, with its section; *ours* is what the source does not state.\n" +
			"A row marked **refuted** names the reading that it refutes.\n\n" + claimsHead + rows)
	}
	for _, x := range e.Described().Expect {
		expected = append(expected, []string{settings(x.Set), x.Packets.String(), x.Worms.String(), x.Livelock.String(), x.Delivery.String(), x.Because})
	}
	table("Expected verdicts",
		"| `--set` | deadlock freedom, packets buffered whole | deadlock freedom, wormhole | livelock freedom | delivery | because |",
		expected)
	for _, x := range e.Described().Machines {
		states := ""
		if x.States > 0 {
			states = fmt.Sprint(x.States)
		}
		machines = append(machines, []string{settings(x.Set), cmp.Or(strings.Join(x.Violated, ", "), "nothing"), states, x.Because})
	}
	table("Expected violations", "| `--set` | violated | states | because |", machines)
	return b.String()
}

// figuresOf simulates the figures of claims, several at a time.
func figuresOf(t *testing.T, claims []catalogue.Claim) figures {
	done, seen := figures{}, map[string]bool{}
	var group sync.WaitGroup
	var lock sync.Mutex
	limit := make(chan bool, 5)
	for _, c := range claims {
		line := strings.Join(c.Command, " ")
		if c.Command[0] != "simulate" || seen[line] {
			continue
		}
		seen[line] = true
		group.Go(func() {
			limit <- true
			defer func() { <-limit }()
			own := figures{}
			if _, _, err := settleClaimBy(t.Context(), keeping, c, own); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			lock.Lock()
			defer lock.Unlock()
			maps.Copy(done, own)
		})
	}
	group.Wait()
	return done
}

// keeping runs a command, a simulated figure with the runs that are kept.
func keeping(ctx context.Context, command []string, s streams) int {
	return run(ctx, withKeep(command), s)
}

// withKeep adds the folder of -keep to the command of a figure.
func withKeep(command []string) []string {
	if command[0] == "simulate" && *keptRuns != "" && command[1] == "star-channel" {
		return append(slices.Clone(command), "--keep", *keptRuns)
	}
	return command
}

// TestClaims runs the commands of claims; each has its expected verdict beside
// it. The pages that are kept for readers have what they find. The suite runs one
// in 32.
func TestClaims(t *testing.T) {
	page := func(name string) string { return filepath.Join(modelPages, name+".md") }
	if *update {
		for _, e := range models.Catalogue() {
			rows := ""
			if *updateOnly == "" || e.Name == *updateOnly {
				rows = rowsRun(t, e, page(e.Name))
			} else {
				kept := rowsKept(page(e.Name))
				for _, c := range e.Claims() {
					rows += keptRow(t, c, kept[keyOfClaim(c)])
				}
			}
			if err := os.WriteFile(page(e.Name), []byte(modelPage(e, rows)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(page("README"), []byte(modelIndex()), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(papers, []byte(papersPage()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(papers)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(papersPage(), string(kept)); diff != "" {
		t.Errorf("%s (-want +kept):\n%s", papers, diff)
	}
	index, err := os.ReadFile(page("README"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(modelIndex(), string(index)); diff != "" {
		t.Errorf("the list (-want +kept):\n%s", diff)
	}
	if kept, err := filepath.Glob(page("*")); err != nil || len(kept) != 1+len(models.Catalogue()) {
		t.Errorf("%d pages are kept of %d models, %v", len(kept)-1, len(models.Catalogue()), err)
	}
	for _, e := range models.Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			kept, err := os.ReadFile(page(e.Name))
			if err != nil {
				t.Fatal(err)
			}
			done := figures{}
			rows := rowsOfClaims(e, string(kept), func(c catalogue.Claim, row string) string { return rowOfClaim(t, c, row, done) })
			if diff := gocmp.Diff(modelPage(e, rows), string(kept)); diff != "" {
				t.Errorf("(-found +kept):\n%s", diff)
			}
		})
	}
}

// rowsRun runs the claims of a model; with -added those that have a row keep its evidence.
func rowsRun(t *testing.T, e catalogue.Entry, page string) string {
	t.Helper()
	kept := map[string]string{}
	if *added {
		kept = rowsKept(page)
	}
	var b strings.Builder
	var missing []catalogue.Claim
	for _, c := range e.Claims() {
		if _, ok := kept[keyOfClaim(c)]; !ok {
			missing = append(missing, c)
		}
	}
	done := figuresOf(t, missing)
	for _, c := range e.Claims() {
		if row, ok := kept[keyOfClaim(c)]; ok {
			b.WriteString(keptRow(t, c, row))
		} else if err := claimRowsBy(t.Context(), &b, keeping, []catalogue.Claim{c}, done); err != nil {
			t.Error(err) // a row says which verdict is not as expected
		}
	}
	return b.String()
}

// rowsKept are the rows of a page by their keys; a new model has none.
func rowsKept(page string) map[string]string {
	kept := map[string]string{}
	text, _ := os.ReadFile(page)
	for row := range strings.Lines(string(text)) {
		kept[keyOfRow(row)] = row
	}
	return kept
}

// keyOfClaim is the key of the row of a claim.
func keyOfClaim(c catalogue.Claim) string {
	var row strings.Builder
	_ = writeClaim(&row, c, c.Want, "") // to memory
	return keyOfRow(row.String())
}

// keyOfRow is the row without its finding and its evidence: a command answers several questions.
func keyOfRow(row string) string {
	cells := strings.Split(row, " | ")
	if n := len(cells); n >= 6 {
		cells = slices.Delete(slices.Delete(cells, n-2, n-1), n-4, n-3)
	}
	return strings.Join(cells, "|")
}

// rowsOfClaims makes the rows of a page anew from those that are kept.
func rowsOfClaims(e catalogue.Entry, kept string, make func(c catalogue.Claim, row string) string) string {
	var rows strings.Builder
	_, text, _ := strings.Cut(kept, claimsHead)
	for _, c := range e.Claims() {
		row, rest, _ := strings.Cut(text, "\n")
		rows.WriteString(make(c, row+"\n"))
		text = rest
	}
	return rows.String()
}

// hashOfClaim draws a sample by the command.
func hashOfClaim(c catalogue.Claim) int {
	sum := fnv.New32a()
	sum.Write([]byte(strings.Join(c.Command, " ")))
	return int(sum.Sum32())
}

// takesMinutes reports whether a claim is left to -update and to .ci/claims: all figures of a simulation but the third,
// the rates of combining, which package study measures more shortly, and the turn models of three dimensions, which
// TestTurnSets counts.
func takesMinutes(c catalogue.Claim) bool {
	figure := c.Command[0] == "simulate" && c.Command[1] == "star-channel" && !slices.Contains(c.Command, "fig3")
	return figure || slices.Contains(c.Command, "rates") || slices.Contains(c.Command, "yz-right")
}

// rowOfClaim returns the row of a claim as its command fills it in; where it is
// not in the sample, with the evidence of the row that is kept.
func rowOfClaim(t *testing.T, c catalogue.Claim, kept string, done figures) string {
	t.Helper()
	var out strings.Builder
	if seedtest.Sampled(hashOfClaim(c), 32) && !takesMinutes(c) {
		if err := claimRows(t.Context(), &out, []catalogue.Claim{c}, done); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	return keptRow(t, c, kept)
}

// keptRow returns the row of a claim with the evidence of the row that is kept.
func keptRow(t *testing.T, c catalogue.Claim, kept string) string {
	t.Helper()
	var out strings.Builder
	cells := strings.Split(kept, " | ")
	evidence := strings.ReplaceAll(cells[max(0, len(cells)-2)], "\\|", "|")
	if err := writeClaim(&out, c, c.Want, evidence); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestClaimsInShell: the line of a claim, pasted into a shell in an empty folder, gives the claimed verdict and leaves
// nothing there: an unquoted > would make a file, and the shell's own exit 1 would pass for a violation. No line has
// a character that a shell reads. The suite runs one in 256 of them, .ci/run one in 32, and .ci/claims all.
func TestClaimsInShell(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Za-z0-9=,./:@_+-]+$`)
	done := figures{}
	share := 256
	if seedtest.Whole() {
		share = 32
	}
	var program string
	for _, e := range models.Catalogue() {
		if *inShell && *updateOnly != "" && e.Name != *updateOnly {
			continue
		}
		for _, c := range e.Claims() {
			line := "unknot " + strings.Join(c.Command, " ")
			for _, word := range c.Command {
				if !plain.MatchString(word) {
					t.Errorf("%s: a shell may not take %q as it stands", line, word)
				}
			}
			if !*inShell && (hashOfClaim(c)%share != 0 || takesMinutes(c)) {
				continue
			}
			if program == "" {
				program = built(t)
			}
			dir := t.TempDir()
			pasted := func(ctx context.Context, command []string, s streams) int {
				shell := exec.CommandContext(ctx, "sh", "-c", "unknot "+strings.Join(withKeep(command), " "))
				shell.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
				shell.Dir, shell.Stdout, shell.Stderr = dir, s.out, s.err
				_ = shell.Run() // the exit code says it
				return shell.ProcessState.ExitCode()
			}
			verdict, _, err := settleClaimBy(t.Context(), pasted, c, done)
			if left, _ := os.ReadDir(dir); err != nil || verdict != c.Want || len(left) > 0 {
				t.Errorf("%s: %s, %v, leaves %v: want %s and nothing left", line, verdict, err, left, c.Want)
			}
		}
	}
	if program == "" {
		t.Error("no claim was run")
	}
}

// TestClaimsDiffer: a verdict that is not the one that the catalogue expects is
// marked and is an error, and so is a command that does not run.
func TestClaimsDiffer(t *testing.T) {
	claim := func(want spec.Verdict, property string, command ...string) catalogue.Claim {
		return catalogue.Claim{Says: "a|b", Command: command, Property: property, Want: want, Finding: "found", Ours: true}
	}
	for _, tt := range []struct {
		name   string
		claims []catalogue.Claim
		row    string // in the table
		err    string
	}{
		{"as expected", []catalogue.Claim{claim(spec.Violated, "deadlock-freedom", "check", "ring")},
			"| a\\|b | *ours* | found | deadlock freedom violated | trace of 4 steps | `unknot check ring` |\n", ""},
		{"not as expected", []catalogue.Claim{claim(spec.Holds, "deadlock-freedom", "check", "ring"), claim(spec.Holds, "livelock-freedom", "check", "ring")},
			"| deadlock freedom violated (not holds) |",
			"1 of 2 verdicts differ from those that the catalogue expects:\nunknot check ring: violated, not holds"},
		// At a fiftieth of a flit nothing saturates, so there is no verdict on where the functions do.
		{"measured", []catalogue.Claim{claim(spec.Unknown, "4.2: performance does not differ dramatically", "simulate",
			"star-channel", "--paper", "fig8", "--set", "k=4", "--load", "0.02", "--length", "4", "--clocks", "2000")},
			"| found | measured: too close to tell | last load without saturation: dimension-order 0.02 (", ""},
		{"no such ordering", []catalogue.Claim{claim(spec.Holds, "speed", "simulate", "star-channel", "--paper", "fig8",
			"--set", "k=4", "--load", "0.02", "--length", "4", "--clocks", "100")}, "", `no verdict on "speed"`},
		{"no such property", []catalogue.Claim{claim(spec.Holds, "speed", "check", "ring")}, "", `no verdict on "speed"`},
		{"no such model", []catalogue.Claim{claim(spec.Holds, "deadlock-freedom", "check", "nothing.star")}, "", "unknot check nothing.star: exit 2: "},
		{"none", nil, "", "lists no claims"},
	} {
		var out strings.Builder
		err := claimsTable(t.Context(), &out, catalogue.Entry{Name: "test", Claimed: func() []catalogue.Claim { return tt.claims }})
		if !strings.Contains(out.String(), tt.row) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v\n%s", tt.name, err, out.String())
		}
	}
}

// TestClaimsVaried: what a source leaves open is varied before a sentence of it is called refuted, and the verdict stays.
// The suite runs one variation in 16, but none that takes minutes; with -shell all of them run.
func TestClaimsVaried(t *testing.T) {
	for _, e := range models.Catalogue() {
		if *updateOnly != "" && e.Name != *updateOnly {
			continue
		}
		for _, c := range e.Claims() {
			if len(c.Varied) > 0 && c.Refuted == "" {
				t.Errorf("%s: %s: varied, and not refuted", e.Name, c.Says)
			}
			for _, command := range c.Variations() {
				of := c
				of.Command = command
				if !*inShell && (takesMinutes(of) || !seedtest.Sampled(hashOfClaim(of), 16)) {
					continue
				}
				verdict, _, err := settleClaimBy(t.Context(), keeping, of, figures{})
				if err != nil || verdict != c.Want {
					t.Errorf("unknot %s: %s, %v: want %s as without the change", strings.Join(command, " "), verdict, err, c.Want)
				}
			}
		}
	}
}
