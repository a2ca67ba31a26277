package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

const claimsHead = "| claim or question | the source says | finding | verdict | evidence | command |\n" +
	"|---|---|---|---|---|---|\n"

// claimsTable runs the command of every claim of the entry and writes a Markdown
// table of what they find. A verdict that differs from the one that the catalogue
// expects is marked, and is an error in the end.
func claimsTable(ctx context.Context, w io.Writer, e catalogue.Entry) error {
	if len(e.Claims()) == 0 {
		return fmt.Errorf("%s lists no claims", e.Name)
	}
	if _, err := io.WriteString(w, claimsHead); err != nil {
		return err
	}
	return claimRows(ctx, w, e.Claims(), figures{})
}

// figures are what simulations print, by command: each states several orderings, each a claim.
type figures map[string][]byte

// claimRows writes the rows of claims.
func claimRows(ctx context.Context, w io.Writer, claims []catalogue.Claim, done figures) error {
	return claimRowsBy(ctx, w, run, claims, done)
}

// claimRowsBy writes them with what runs a command.
func claimRowsBy(
	ctx context.Context, w io.Writer, run func(context.Context, []string, streams) int, claims []catalogue.Claim,
	done figures,
) error {
	var differ []string
	for _, c := range claims {
		line := "unknot " + strings.Join(c.Command, " ")
		verdict, evidence, err := settleClaimBy(ctx, run, c, done)
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if verdict != c.Want {
			differ = append(differ, fmt.Sprintf("%s: %s, not %s", line, verdict, c.Want))
		}
		if err := writeClaim(w, c, verdict, evidence); err != nil {
			return err
		}
	}
	if len(differ) > 0 {
		err := fmt.Errorf("%d of %d verdicts differ from those that the catalogue expects:\n%s",
			len(differ), len(claims), strings.Join(differ, "\n"))
		return &codeError{exitViolated, err}
	}
	return nil
}

// wordOfClaim says what a verdict means for a claim: a measurement is never a verdict.
func wordOfClaim(c catalogue.Claim, v spec.Verdict) string {
	if c.Command[0] != "simulate" {
		return v.String()
	}
	outcome := map[spec.Verdict]studies.Outcome{
		spec.Holds: studies.Confirmed, spec.Violated: studies.Refuted, spec.Unknown: studies.Within,
	}[v]
	if v == spec.Holds && all.IsFitted(c.Property) {
		outcome = studies.Fitted
	}
	return "measured: " + string(outcome)
}

// variedWords lists what was varied.
func variedWords(c catalogue.Claim) string {
	var all []string
	for _, with := range c.Varied {
		all = append(all, strings.Join(with, " "))
	}
	return strings.Join(all, "; ")
}

// writeClaim writes the row of a claim: the sentence of the source or "ours", the reading that a refutation applies to,
// and the verdict, beside the one that the catalogue expects if that is another.
func writeClaim(w io.Writer, c catalogue.Claim, got spec.Verdict, rests string) error {
	source, finding := "*ours*", c.Finding
	if !c.Ours {
		source = c.Section + ": “" + c.Sentence + "”"
	}
	if c.Refuted != "" {
		finding = "**refuted** if read so: " + c.Refuted + ". " + finding
	}
	if len(c.Varied) > 0 {
		finding += ". The same with " + variedWords(c)
	}
	verdict := wordOfClaim(c, got)
	if got != c.Want {
		verdict += " (not " + wordOfClaim(c, c.Want) + ")"
	}
	if c.Command[0] != "simulate" && c.Property != "" {
		verdict = evidence.Freedom(c.Property) + " " + verdict
	}
	_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | `%s` |\n",
		cell(c.Says), cell(source), cell(finding), cell(verdict), cell(rests), "unknot "+strings.Join(c.Command, " "))
	return err
}

// allClaims writes the table of every entry that has claims.
func allClaims(ctx context.Context, w io.Writer) error {
	for _, e := range models.Catalogue() {
		if len(e.Claims()) == 0 {
			continue
		}
		fmt.Fprint(w, claimsEntry(e))
		if err := claimsTable(ctx, w, e); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// claimsEntry returns the text above an entry's table.
func claimsEntry(e catalogue.Entry) string {
	return fmt.Sprintf("## %s\n\n%s. Source: %s.\n\n", e.Name, e.Described().Summary, e.Described().Source)
}

// cell makes a text one cell of a table.
func cell(s string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s) }

// settleClaimBy settles a claim with what runs a command: this process, or a shell.
func settleClaimBy(
	ctx context.Context, run func(context.Context, []string, streams) int, c catalogue.Claim, done figures,
) (verdict spec.Verdict, evidence string, err error) {
	line := strings.Join(c.Command, " ")
	if printed, ran := done[line]; ran {
		return studies.Claimed(c, printed)
	}
	command := slices.Clone(c.Command)
	if command[0] != "sweep" { // whose results are JSON
		command = append(command, "--json")
	}
	var out, errs bytes.Buffer
	code := run(ctx, command, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if ctx.Err() != nil {
		return 0, "", context.Cause(ctx)
	}
	if code != exitExpected && code != exitViolated && code != exitUnknown {
		return 0, "", fmt.Errorf("exit %d: %s", code, strings.TrimSpace(errs.String()))
	}
	if c.Command[0] == "simulate" {
		done[line] = out.Bytes()
	}
	return studies.Claimed(c, out.Bytes())
}
