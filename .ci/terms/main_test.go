package main

import "testing"

// TestText: each former word becomes the new one, and what has the new ones stays, also what was rewritten.
func TestText(t *testing.T) {
	for _, tt := range []struct{ ending, before, now string }{
		{".star", `expect(deadlock = "holds", livelock="violated")`, `expect(deadlock_freedom = "holds", livelock_freedom="violated")`},
		{".star", `expect("starvation", "holds")`, `expect("starvation-freedom", "holds")`},
		{".star", `network(name = "x", source = "Dally 1987")`, `network(name = "x", paper = "Dally 1987")`},
		{".star", `replies(request = "a", reply = "b", endpoint = 2)`, `replies(request = "a", reply = "b", request_buffer = 2)`},
		{".md", "unknot check x --property deadlock", "unknot check x --property deadlock-freedom"},
		{".json", `"property": "livelock"`, `"property": "livelock-freedom"`},
		{".unknot", "property deadlock", "property deadlock-freedom"},
		{".unknot", "unknot-certificate 1", "unknot-certificate 2"},
		{".unknot", "unknot-refutation 1", "unknot-unsatisfiability-proof 2"},
		{".unknot", "messages 3", "packets 3"},
		{".unknot", "fault circular-wait", "fault deadlock"},
		{".unknot", "unknot-run 2", "unknot-machine-trace 2"},
		{".json", `"fault": "circular-wait"`, `"fault": "deadlock"`},
		{".json", `"evidence": "run"`, `"evidence": "machine-trace"`},
		{".json", `"evidence": "refutation"`, `"evidence": "unsatisfiability-proof"`},
		{".json", `"because": "reachable from every legal site"`, `"because": "reachable from every site"`},
		{".md", "refutation of 1,234 steps, verified", "unsatisfiability proof of 1,234 clauses, verified"},
		{".md", "run of 4 steps, replayed", "trace of 4 steps, replayed"},
		{".entries", "violated: deadlock, delivery", "violated: deadlock-freedom, delivery"},
		{".entries", "violated: deadlock-freedom of worms", "violated: deadlock-freedom of packets of any length"},
		{".claims", "verdict: deadlock holds", "verdict: deadlock-freedom holds"},
		{".sh", "unknot simulate x --lanes 4 --arbiter message", "unknot simulate x --injectors 4 --arbiter packet"},
		{".sh", "unknot check x --smallest messages", "unknot check x --smallest packets"},
		{".sh", "unknot models ring --source", "unknot models ring --print"},
		{".sh", "unknot check x --explore --liveness", "unknot check x --explore=always --liveness"},
		{".sh", "unknot check x --explore", "unknot check x --explore=always"},
		{".go", `"check", "x", "--explore", "--liveness"`, `"check", "x", "--explore=always", "--liveness"`},
		{".sh", "unknot check x --explore --whole", "unknot check x --explore=whole"},
		{".sh", "unknot check x --whole --liveness --explore", "unknot check x --explore=always --liveness --explore=whole"},
		{".sh", "unknot check x --settle 0", "unknot check x --explore=never"},
		{".sh", "unknot check x --settle 5000", "unknot check x --max-states 5000"},
		// New words stay.
		{".md", "`--explore` says what is explored: unknot check x --explore=never", "`--explore` says what is explored: unknot check x --explore=never"},
		{".md", "      --explore string  auto: explore the states", "      --explore string  auto: explore the states"},
		{".go", `"check", "x", "--explore", "never"`, `"check", "x", "--explore", "never"`},
		{".md", "the former --settle, which is now refused", "the former --settle, which is now refused"},
		{".star", `load("a.star", "deadlock")`, `load("a.star", "deadlock")`},
	} {
		got := string(Text(rules(), tt.ending, []byte(tt.before+"\n")))
		if got != tt.now+"\n" {
			t.Errorf("%s: %q becomes %q, want %q", tt.ending, tt.before, got, tt.now)
		}
		if again := string(Text(rules(), tt.ending, []byte(got))); again != got {
			t.Errorf("%s: %q becomes %q the second time", tt.ending, got, again)
		}
	}
}
