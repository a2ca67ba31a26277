-- Two clusters of caches that share a block through a bridge (models/examples/coherence/bridge.star): the same states and
-- steps. Where a FIFO holds no message all fields are as in an empty one, so that states are not told apart by what was there.
const
  n: 3;      -- caches of a cluster
  places: 4; -- of a FIFO
  words: 8;  -- of the data in a message, 4 bits each
type
  side: enum {left, right};
  node: 0..n-1;
  who: 0..n; -- n: none
  word: 1..words;
  kind: enum {get_s, get_m, put_line, data, data_m, invalidate, ack, snoop_s, snoop_m, response, go_s, go_m, write_back};
  message: record kind: kind; who: who; stale: boolean; acks: 0..n; data: array [word] of 0..15; end;
  place: 0..places-1;
  fifo: record size: 0..places; at: array [place] of message; end;
  wish: enum {S, M};
  line: enum {line_i, line_s, line_m, wants_s, wants_m};
var
  cache: array [side] of array [node] of line;
  shares: array [side] of array [node] of boolean; -- the cluster's list
  owns: array [side] of enum {own_none, own_s, own_m}; -- what the cluster has of the block
  serves: array [side] of who;                     -- whose request a cluster is busy with
  right_of: array [side] of wish;
  phase: array [side] of enum {idle, asks, clears, lends};
  bridge: enum {nobody, by_left, by_right};        -- who asks the other
  missing: array [side] of 0..n;
  to_cache: array [side] of array [node] of fifo;
  home: array [side] of fifo;                      -- the directory of a cluster
  acks: array [side] of fifo;                      -- answers to it
  over: array [side] of fifo;                      -- the bridge: to a cluster from the other
  back: array [side] of fifo;                      -- and what the other answers

function other(s: side): side; begin
  if s = left then return right; else return left; end;
end;

procedure empty(var m: message); begin
  m.kind := get_s; m.who := n; m.stale := false; m.acks := 0;
  for w: word do m.data[w] := 0; end;
end;

procedure push(var f: fifo; k: kind; w: who); begin
  if f.size = places then error "a push into a full FIFO"; end;
  empty(f.at[f.size]);
  f.at[f.size].kind := k;
  f.at[f.size].who := w;
  f.size := f.size + 1;
end;

procedure pop(var f: fifo); begin
  for i: 0..places-2 do
    f.at[i] := f.at[i + 1];
  end;
  empty(f.at[places - 1]);
  f.size := f.size - 1;
end;

procedure clear_others(s: side; keeps: who; r: wish);
var count: 0..n;
begin -- others of the cluster give the block up, or share it
  count := 0;
  for i: node do
    if i != keeps & shares[s][i] then
      if r = M then push(to_cache[s][i], invalidate, n); else push(to_cache[s][i], snoop_s, n); end;
      count := count + 1;
    end;
  end;
  missing[s] := count;
  phase[s] := clears;
end;

startstate "empty" begin
  for s: side do
    for i: node do
      cache[s][i] := line_i; shares[s][i] := false;
      to_cache[s][i].size := 0;
      for p: place do empty(to_cache[s][i].at[p]); end;
    end;
    owns[s] := own_none; serves[s] := n; right_of[s] := S; phase[s] := idle; missing[s] := 0;
    home[s].size := 0; acks[s].size := 0; over[s].size := 0; back[s].size := 0;
    for p: place do empty(home[s].at[p]); empty(acks[s].at[p]); empty(over[s].at[p]); empty(back[s].at[p]); end;
  end;
  bridge := nobody;
end;

ruleset s: side do
ruleset i: node do
  ruleset r: wish do
    rule "asks" cache[s][i] = line_i | (cache[s][i] = line_s & r = M) ==> begin
      if r = M then cache[s][i] := wants_m; push(home[s], get_m, i);
      else cache[s][i] := wants_s; push(home[s], get_s, i); end;
    end;
  end;
  rule "evicts" cache[s][i] = line_s ==> begin cache[s][i] := line_i; end;
  rule "hears" to_cache[s][i].size > 0 ==>
  var k: kind;
  begin
    k := to_cache[s][i].at[0].kind;
    pop(to_cache[s][i]);
    if k = go_s then cache[s][i] := line_s;
    elsif k = go_m then cache[s][i] := line_m;
    else
      push(acks[s], ack, i);
      if cache[s][i] = line_s | cache[s][i] = line_m then
        if k = invalidate then cache[s][i] := line_i; else cache[s][i] := line_s; end;
      end;
    end;
  end;
  rule "grants" phase[s] = clears & missing[s] = 0 & serves[s] = i ==> begin
    if right_of[s] = M then push(to_cache[s][i], go_m, n); else push(to_cache[s][i], go_s, n); end;
    shares[s][i] := true;
    serves[s] := n; phase[s] := idle; right_of[s] := S;
  end;
end;
rule "serves" phase[s] = idle & home[s].size > 0 &
    (owns[s] = own_m | (owns[s] = own_s & home[s].at[0].kind != get_m) | bridge = nobody) ==>
var r: wish; w: who;
begin
  if home[s].at[0].kind = get_m then r := M; else r := S; end;
  w := home[s].at[0].who;
  pop(home[s]);
  serves[s] := w; right_of[s] := r;
  if owns[s] = own_m | (owns[s] = own_s & r = S) then clear_others(s, w, r);
  else -- one cluster asks the other at a time
    if s = left then bridge := by_left; else bridge := by_right; end;
    phase[s] := asks;
    if r = M then push(over[other(s)], snoop_m, n); else push(over[other(s)], snoop_s, n); end;
  end;
end;
rule "collects" acks[s].size > 0 ==>
var w: who;
begin
  w := acks[s].at[0].who;
  pop(acks[s]);
  missing[s] := missing[s] - 1;
  if right_of[s] = M then shares[s][w] := false; end;
end;
rule "learns" back[s].size > 0 ==> begin -- the other cluster has lent the block
  pop(back[s]);
  if right_of[s] = M then owns[s] := own_m; else owns[s] := own_s; end;
  bridge := nobody;
  clear_others(s, serves[s], right_of[s]);
end;
rule "lends" phase[s] = idle & over[s].size > 0 ==>
var r: wish;
begin
  if over[s].at[0].kind = snoop_m then r := M; else r := S; end;
  pop(over[s]);
  right_of[s] := r;
  clear_others(s, n, r);
  phase[s] := lends;
end;
rule "has lent" phase[s] = lends & missing[s] = 0 ==> begin
  if right_of[s] = S & owns[s] != own_none then owns[s] := own_s; else owns[s] := own_none; end;
  push(back[other(s)], response, n);
  phase[s] := idle; right_of[s] := S;
end;
end;

invariant "one writer, or readers"
  forall s: side do forall i: node do forall t: side do forall j: node do
    (s = t & i = j) | cache[s][i] != line_m | (cache[t][j] != line_s & cache[t][j] != line_m)
  end end end end;
