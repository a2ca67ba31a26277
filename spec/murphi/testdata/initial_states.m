-- Dijkstra's termination detection on a ring (EWD 840), by hand, for comparison with 20_initial_states.star.
const
  last: 2;                -- n-1

type
  node: 0..last;

var
  active, black: array [node] of boolean;
  at:            node;    -- the token
  token_black:   boolean;

rule "token moves from 0" at = 0 & (token_black | black[0]) ==>
begin
  at := last;
  token_black := false;
  black[0] := false;
end;

ruleset i: node do
  rule "token moves" i > 0 & at = i & (!active[i] | black[i] | token_black) ==>
  begin
    at := i - 1;
    token_black := token_black | black[i];
    black[i] := false;
  end;

  rule "rest" active[i] ==>
  begin
    active[i] := false;
  end;
end;

ruleset i: node; j: node do
  rule "send" i != j & active[i] ==>
  begin
    active[j] := true;
    if j > i then
      black[i] := true;
    end;
  end;
end;

-- each activity and colour of 0, 1 and 2, and each place of the token
ruleset a: boolean; b: boolean; c: boolean; d: boolean; e: boolean; f: boolean; p: node do
  startstate
    active[0] := a; active[1] := b; active[2] := c;
    black[0] := d; black[1] := e; black[2] := f;
    at := p;
    token_black := true;
  end;
end;

invariant "detection is right"
  at != 0 | token_black | black[0] | active[0] | forall i: node do !active[i] end;
