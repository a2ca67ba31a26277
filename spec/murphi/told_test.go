package murphi_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/murphi"
)

// TestTold: a state and a step as Murphi has them: records by field, multisets by elements, sets by members.
func TestTold(t *testing.T) {
	p := load(t, `type msg: record kind: enum {ask, answer}; from: 0..1; end;
		var net: multiset [2] of msg; busy: array [0..2] of boolean; last: msg; n: array [3..4] of 0..1;
		startstate n[3] := 0; n[4] := 0; for i: 0..2 do busy[i] := i = 1; end; undefine net; undefine last; end;
		rule "send" n[3] = 0 ==> var m: msg; begin
			m.kind := answer; m.from := 1; last := m; multisetadd(m, net); busy[2] := true; n[3] := 1; end;`)
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	start := m.Start(nil)
	next, err := m.AppendSuccessors(nil, start)
	if err != nil {
		t.Fatal(err)
	}
	before, after, told := m.Values(start), m.Values(next), murphi.SourceOf(p)
	for _, tt := range []struct{ got, want string }{
		{told.StateText(before), "net={}, busy={1}, last=(kind=undefined, from=undefined), n[3]=0, n[4]=0"},
		{told.StateText(after), "net={(kind=answer, from=1)}, busy={1, 2}, last=(kind=answer, from=1), n[3]=1, n[4]=0"},
		{told.StepText(before, after), "net: + (kind=answer, from=1), busy[2]: false -> true, " +
			"last.kind: undefined -> answer, last.from: undefined -> 1, n[3]: 0 -> 1"},
		{told.StepText(after, before), "net: - (kind=answer, from=1), busy[2]: true -> false, " +
			"last.kind: answer -> undefined, last.from: 1 -> undefined, n[3]: 1 -> 0"},
		{told.StepText(after, after), "-"},
	} {
		if tt.got != tt.want {
			t.Errorf("told %q, want %q", tt.got, tt.want)
		}
	}
	other := *p
	if murphi.SourceOf(&other) != nil {
		t.Error("another program has the source, too")
	}
}
