package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWrongValues: whatever flag of whatever command has a wrong value, the error is one
// line that names the flag and the value and says what is wanted, and the exit code is 2.
func TestWrongValues(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, errs := unknot(t, "check", "ring", "--out", "ev"); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	positional := map[string][]string{"replay": {"ev/network.json", "ev/deadlock-freedom.unknot"}, "explore": {"ring"},
		"run": {"ring"}, "check": {"ring"}, "graph": {"ring"}, "export": {"ring", "--to", "tla"}, "sweep": {"ring"},
		"simulate": {"ring"}}
	free := map[string]bool{ // any text may be valid, or is refused for what it names
		"set": true, "property": true, "range": true, "reroute": true, "trace": true, "resume": true, "merge": true, "allow": true, "timing": true,
		"out": true, "checkpoint": true, "disk": true, "json": true, "junit": true, "sarif": true, "markdown": true,
		"report": true, "events": true, "plot": true, "evidence": true, "csv": true, "keep": true,
	}
	value := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+) (\w+)  `) // flags of truth values take no argument
	tried := 0
	for command, args := range positional {
		_, help, _ := unknot(t, "help", command)
		for _, m := range value.FindAllStringSubmatch(help, -1) {
			flag := m[1]
			if free[flag] || flag == "to" && command == "export" {
				continue
			}
			tried++
			code, out, errs := unknot(t, append([]string{command, "--" + flag, "?x"}, args...)...)
			if want := "unknot: invalid --" + flag + ` "?x": want `; code != exitUsage ||
				!strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 || out != "" {
				t.Errorf("%s --%s: exit %d, want 2 with %q:\n%s%s", command, flag, code, want, errs, out)
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// TestWrongCommands: commands that a newcomer types but that do not exist.
func TestWrongCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, model := range map[string]string{"ev": "ring", "other": "mesh"} {
		if code, _, errs := unknot(t, "check", model, "--set", map[string]string{"ring": "n=5", "mesh": "k=3"}[model], "--out", name); code > exitViolated {
			t.Fatalf("exit %d: %s", code, errs)
		}
	}
	if err := os.WriteFile("mesh64.star", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string // of the one line, behind "unknot: "; "" for help
	}{
		{[]string{"check", "mesh", "--once", "(0,0)->(9,9)"}, `invalid --once "(9,9)": want a node of mesh XY, (0,0) to (3,3)`},
		{[]string{"check", "mesh", "--set", "kx=5,ky=3"}, "; repeat --set for several"},
		{[]string{"check", "mesh", "--property", "deadlock-freedom,livelock-freedom"}, "; repeat --property for several"},
		{[]string{"sweep", "mesh", "--property", "a,b"},
			`invalid --property "a,b": want deadlock-freedom, livelock-freedom, delivery or no-discard; repeat --property for several`},
		{[]string{"check", "mesh64"},
			`invalid network "mesh64": want a model (see "unknot models"), a file (see "unknot help topologies"), or a folder for check; did you mean mesh64.star?`},
		{[]string{"check", "networks"}, `invalid network "networks": want a model`},
		{[]string{"first-network"}, `invalid command "first-network": want unknot help first-network`},
		{[]string{"tutorial"}, `invalid command "tutorial": want unknot help first-network`},
		{[]string{"help", "verdicts"}, `invalid help topic "verdicts": want unknot help answers, trust or unknown`},
		{[]string{"mesh"}, `invalid command "mesh": want unknot check mesh`},
		{[]string{"."}, `invalid command ".": want unknot check .`},
		{[]string{"check", "mesh", "--k", "5"}, "unknown flag: --k; parameters are set with --set, as in --set k=VALUE"},
		{[]string{"check", "mesh", "--columns=3"}, "unknown flag: --columns; parameters are set with --set, as in --set columns=VALUE"},
		{[]string{"verify", "mesh", "."}, `invalid evidence ".": want a file; of a folder that check --out wrote, unknot verify .`},
		{[]string{"completion", "tcsh"}, `invalid shell "tcsh": want bash, fish, powershell or zsh`},
		{[]string{""}, `invalid command "": want one that unknot help lists`},
		{[]string{"check", "ring", "--coverage"}, "ring is a network: --coverage counts the rules of protocols"},
		{[]string{"check", "gadget", "--explore=always", "--coverage"}, "gadget is a network: --coverage counts the rules of protocols"},
		{[]string{"graph", "ring", "--kind", "topology", "--part", "cycle"}, "--part is for --kind cdg, not topology"},
		{[]string{"version"}, `invalid command "version": want unknot --version`},
		{[]string{"help", "Answers"}, ""},
		{[]string{"help", "anwsers"}, "; did you mean answers?"},
		{[]string{"help", "InfiniBand"}, `; for "InfiniBand" see unknot help fabrics`},            // a word of its title
		{[]string{"help", "PFC"}, `; for "PFC" see unknot help model`},                            // a word of no title
		{[]string{"help", "NoC"}, `; for "NoC" see unknot help first-network, model or patterns`}, // a word of a field
		{[]string{"help", "caches"}, `; for "caches" see unknot help first-protocol, protocol-files or replies`},
		{[]string{"help", "network", "on", "chip"}, `; for "network on chip" see unknot help first-network, model or patterns`},
		{[]string{"help", "odd-even"}, `; for "odd-even" see unknot help patterns or methods, and unknot models turn-model`},
		{[]string{"help", "memory-barrier"}, `; for "memory-barrier" see unknot models memory-barrier`}, // a word of no page
		{[]string{"models", "odd-even"}, `want one that "unknot models" lists; about "odd-even" see turn-model`},
		{[]string{"check", "ring", "--flits", "5"}, "unknown flag: --flits; did you mean --length?"},
		{[]string{"check", "ring", "--property", "dead" + "lock"}, "; it is now called deadlock-freedom"},
		{[]string{"sweep", "ring", "--property", "live" + "lock"}, "; it is now called livelock-freedom"},
		{[]string{"check", "ring", "--smallest", "mess" + "ages"}, "want packets, channels or moves; it is now called packets"},
		{[]string{"simulate", "ring", "--la" + "nes", "2"}, "unknown flag: --la" + "nes; it is now called --injectors"},
		{[]string{"simulate", "ring", "--arbiter", "mess" + "age"}, "; it is now called packet"},
		{[]string{"simulate", "ring", "--injectors", "0"}, `invalid --injectors "0": want 1 to 64`},
		{[]string{"simulate", "ring", "--injectors", "65"}, `invalid --injectors "65": want 1 to 64`},
		{[]string{"models", "peterson", "--sou" + "rce"}, "unknown flag: --sou" + "rce; it is now called --print"},
		{[]string{"check", "ring", "--prop", "deadlock-freedom"}, "unknown flag: --prop; did you mean --property?"},
		{[]string{"replay", "ev/network.json", "ev/livelock-freedom.unknot"}, `invalid trace "ev/livelock-freedom.unknot": want a trace, not a certificate`},
		{[]string{"replay", "other/network.json", "ev/deadlock-freedom.unknot"},
			`invalid trace "ev/deadlock-freedom.unknot": want one for mesh XY (wormhole) with the same parameters`},
		{[]string{"replay", "ev/deadlock-freedom.unknot", "ev/network.json"},
			`invalid network "ev/deadlock-freedom.unknot": want a network or protocol, not evidence about one`},
		{[]string{"check", "ev/livelock-freedom.unknot"}, `invalid network "ev/livelock-freedom.unknot": want a network or protocol, not evidence about one`},
		{[]string{"replay", "ev/network.json", "ev/deadlock-freedom.unknot", "--to", "vcd", "--format", "dot"}, `--format and --to exclude each other`},
		{[]string{"explore", "ring", "--trace", "ev/deadlock-freedom.unknot", "--length", "2"}, `--length and --trace exclude each other`},
		{[]string{"models", "peterson", "--print", "--claims"}, `--claims and --print exclude each other`},
		{[]string{"show", "ring", "--closed", "--sites"}, `--closed and --sites exclude each other`},
		{[]string{"check", "ring", "--report", "-"}, `invalid --report "-": want the name of a file or a folder; ./- is one`},
		{[]string{"check", "ring", "--resume", "ev/result.json"}, `checkpoint ev/result.json cannot be used: the static decision leaves nothing to explore`},
		{[]string{"check", "ring", "--explore=always", "--checkpoint-every", "-1s"},
			`invalid --checkpoint-every "-1s": want a time such as 30s, 10m or 2h; 0: only when it ends`},
		// there is nothing to save
		{[]string{"check", "ring", "--explore=always", "--checkpoint-every", "1s"}, `--checkpoint-every needs --checkpoint, --resume or --disk`},
		// as where a variable of a script is not set
		{[]string{"verify", "ring", ""}, `argument 2 is empty: want unknot verify NETWORK EVIDENCE... | FOLDER... [flags]`},
		{[]string{"verify", ""}, `invalid network "": want a model (see "unknot models"), a file (see "unknot help topologies"), or a folder for check`},
		{[]string{"check", "--smallest", "ring"}, `invalid --smallest "ring": want packets, channels or moves`}, // and not that no network is named
		{[]string{"graph", "--kind", "--part", "ring"}, `invalid --kind "--part": want topology, cdg, ecdg, cycle or escape`},
		{[]string{"verify", "nofolder"}, "nofolder: no such file or directory"},
		{[]string{"verify", "ev/network.json"}, "got no evidence about ev/network.json: want NETWORK EVIDENCE..., or a folder"},
	} {
		code, out, errs := unknot(t, tt.args...)
		if tt.want == "" {
			if code != exitExpected {
				t.Errorf("%v: exit %d: %s", tt.args, code, errs)
			}
			continue
		}
		if code != exitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d, want 2 with %q:\n%s%s", tt.args, code, tt.want, errs, out)
		}
	}
	// A certificate of another network is rejected: a verifier must not call that usage.
	if code, out, _ := unknot(t, "verify", "other/network.json", "ev/livelock-freedom.unknot"); code != exitInternal ||
		!strings.HasPrefix(out, "REJECTED ev/livelock-freedom.unknot: the certificate is for another network: ") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// TestExportTooLarge: a program that no engine reads is refused before it is made; whole, it would take
// tens of gigabytes. Four million sites are refused before they are compiled.
func TestExportTooLarge(t *testing.T) {
	tells(t, []told{
		{"export ring --set n=2048 --to promela", 3,
			"ring: more than 1048576 assignments and names in the program: beyond the bound; keep fewer flows (--dest, --source)\n"},
		{"export ring --set n=2048 --to promela --dest 2", 0, "0->1"},
		{"export ring --set n=2048 --to promela --max-sites 1000", 3, "more than 1000 sites"},
	})
}

// TestNothingToKeep: flags about an exploration that the static decision made needless are mentioned; scripts may always pass them.
func TestNothingToKeep(t *testing.T) {
	for _, flags := range [][]string{{"--keep", "5"}, {"--checkpoint", "file"}, {"--disk", "folder"}, {"--keep", "5", "--explore=always"}, {}} {
		t.Chdir(t.TempDir())
		code, _, errs := unknot(t, append([]string{"check", "ring"}, flags...)...)
		if want := len(flags) == 2; code != exitViolated || strings.Contains(errs, "warning: nothing was explored") != want {
			t.Errorf("%q: exit %d, %s", flags, code, errs)
		}
	}
}
