package main

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// TestCombining: the table and the CSV say the same; combining raises what a hot cell
// takes, which without it is one request in the memory's time (64 clusters, 4 clocks:
// 1/256 = 0.0039).
func TestCombining(t *testing.T) {
	inFolder(t, nil)
	const run = "simulate combining --depth 6 --clocks 10000 "
	tells(t, []told{
		{run + "--load 0.02,0.1 --wait 0,8 --third waits --csv all.csv", exitExpected, "\nwait 8\n"},
		{run + "--load 0.02,0.1 --wait 0", exitExpected, "\n     0.1    0.0039 "},
		{run + "--load 2", exitUsage, `invalid --load "2"`},
		{run + "--wait 1,x", exitUsage, `"1,x": want clocks from 0, ascending, as in 0,8, recorded, or queue`},
		{run + "--wait 8,8", exitUsage, `"8,8": want clocks from 0, ascending, as in 0,8, recorded, or queue`},
		{run + "--service 0", exitUsage, "invalid service time 0: want 1 or more"},
		{run + "--buffer 0", exitUsage, "invalid buffer 0: want 1 or more"},
		{run + "--clocks 9", exitUsage, "invalid number of clocks 9: want 10 or more"},
		{run + "--third perhaps", exitUsage, `"perhaps": want passes or waits`},
		{run + "--depth 40", exitUsage, "invalid tree of fan-out 2 and depth 40: want 2 to 4096 clusters"},
		{run + "--clocks 1000000000", exitUsage, "for 64 clusters: want at most 524288"}, // 2^25 requests of 64 clusters
		{run + "--hot much", exitUsage, `invalid --hot "much": want a number`},
		{run + "--seed -1", exitUsage, `invalid --seed "-1": want a whole number from 0`},
		{run + "--csv nowhere/all.csv", exitUsage, `invalid --csv "nowhere/all.csv": want a file in a folder that exists`},
		{run + "--csv .", exitUsage, `invalid --csv ".": want a file in a folder that exists`},
		{run + "--load 0.02 --wait 8,recorded --seeds 2 --json", exitExpected,
			"\"wait\": \"recorded\",\n    \"load\": 0.02,\n    \"accepted\": {\n      \"mean\": 0.0"},
		{run + "--seeds 0", exitUsage, "want 1 to 1000"},
		{run + "--partners 1", exitUsage, "invalid number of partners 1"},
		{run + "--wait never", exitUsage, "recorded, or queue"},
		{run + "--load 0.02 --wait queue,recorded --partners -1 --seeds 2", exitExpected, "any number combine, a late one passes alone"},
		{"simulate combining --paper acks", exitExpected, "3.3: at level 3 a single Ack comes home, and at level 2 more: confirmed ("},
		{"simulate combining --paper acks --json", exitExpected, "\"outcome\": \"refuted\""},
		{"simulate combining --paper none", exitUsage, `invalid --paper "none": want rates, tolerance or acks`},
		{"simulate combining --paper acks --depth 3", exitUsage, "--depth is not for --paper acks, which has its own"},
		{"simulate combining --paper rates --seeds 1", exitUsage, "want 2 to 1000 with --paper"},
		{"simulate combining --paper rates --seeds 2 --clocks 9", exitUsage, "invalid number of clocks 9: want 10 or more"},
		{"simulate combining ring", exitUsage, "combining"},
	})
	text, err := os.ReadFile("all.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 5 || len(rows[0]) != 16 {
		t.Fatalf("%v: %q", err, rows)
	}
	accepted := func(row int) string { return rows[row][11] }
	if rows[0][11] != "accepted" || !strings.HasPrefix(accepted(2), "0.0039") || !(accepted(4) > "0.015" && accepted(4) < "0.1") {
		t.Errorf("accepted at 0.1: %s without combining, %s with", accepted(2), accepted(4))
	}
}
