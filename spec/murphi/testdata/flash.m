-- FLASH: a directory protocol for one block, without data (Kuskin et al. 1994, after the model of Park and Dill 1996).
-- The home, number n of the parties, has a processor and a cache of its own. A pointer to a remote node keeps its value
-- while it points home, and the list of sharers is cleared before it is read, both as in the public text, so that the
-- numbers of states are equal.
const n: 2;
type
  node: 0..n-1;
  party: 0..n;
  command: enum {none, get, getx};
  line: enum {I, S, E};
  reply: enum {no_uni, ask_get, ask_getx, gives, givesx, nak};
var
  proc: array [party] of command;
  marked: array [party] of boolean;
  cache: array [party] of line;
  dir: record pending, local, dirty, headvld: boolean; head: node; headhome, shrvld: boolean; end;
  shr, inv: array [party] of boolean;
  uni: array [party] of record kind: reply; dest: node; tohome: boolean; end;
  im: array [node] of enum {no_im, invalidate, ack};
  rp: array [node] of boolean;
  wb: record is: boolean; dest: node; home: boolean; end;
  sh: record kind: enum {no_sh, shwb, fack}; dest: node; home: boolean; end;
  nakc: boolean;

function no_sharers(p: party): boolean; begin
  return !exists q: party do q != p & shr[q] end;
end;

procedure set_head(p: node); begin
  dir.headvld := true; dir.head := p; dir.headhome := false;
end;

procedure clear_sharers(); begin
  dir.shrvld := false;
  for p: party do shr[p] := false; inv[p] := false; end;
end;

procedure tell_head(skip: party); begin -- to invalidate its copy; skip n: nobody is left out
  for p: node do
    shr[p] := false;
    inv[p] := p != skip & dir.head = p & !dir.headhome;
    if inv[p] then im[p] := invalidate; else im[p] := no_im; end;
  end;
  dir.shrvld := false; shr[n] := false; inv[n] := false;
end;

startstate "idle" begin
  for p: party do
    proc[p] := none; marked[p] := false; cache[p] := I; shr[p] := false; inv[p] := false;
    uni[p].kind := no_uni; uni[p].dest := 0; uni[p].tohome := true;
  end;
  for p: node do im[p] := no_im; rp[p] := false; end;
  clear dir; dir.headhome := true;
  clear wb; wb.home := true;
  clear sh; sh.home := true;
  nakc := false;
end;

-- The processors.
ruleset p: node do
  rule "get" proc[p] = none & cache[p] = I ==> begin proc[p] := get; uni[p].kind := ask_get; uni[p].tohome := true; end;
  rule "getx" proc[p] = none & cache[p] = I ==> begin proc[p] := getx; uni[p].kind := ask_getx; uni[p].tohome := true; end;
  rule "write back" proc[p] = none & cache[p] = E ==> begin
    cache[p] := I; wb.is := true; wb.dest := p; wb.home := false;
  end;
  rule "replace" proc[p] = none & cache[p] = S ==> begin cache[p] := I; rp[p] := true; end;
end;
rule "home forwards get" proc[n] = none & cache[n] = I & !dir.pending & dir.dirty ==> begin
  proc[n] := get; dir.pending := true; uni[n].kind := ask_get; uni[n].dest := dir.head; uni[n].tohome := dir.headhome;
end;
rule "home forwards getx" proc[n] = none & (cache[n] = I | cache[n] = S) & !dir.pending & dir.dirty ==> begin
  proc[n] := getx; dir.pending := true; uni[n].kind := ask_getx; uni[n].dest := dir.head; uni[n].tohome := dir.headhome;
end;
rule "home reads" proc[n] = none & cache[n] = I & !dir.pending & !dir.dirty ==> begin
  dir.local := true;
  if marked[n] then marked[n] := false; cache[n] := I; else cache[n] := S; end;
end;
rule "home writes" proc[n] = none & (cache[n] = I | cache[n] = S) & !dir.pending & !dir.dirty ==> begin
  dir.local := true; dir.dirty := true;
  if dir.headvld then dir.pending := true; dir.headvld := false; tell_head(n); end;
  marked[n] := false; cache[n] := E;
end;
rule "home writes back" proc[n] = none & cache[n] = E ==> begin
  cache[n] := I; dir.dirty := false;
  if !dir.pending then dir.local := false; end;
end;
rule "home replaces" proc[n] = none & cache[n] = S ==> begin dir.local := false; cache[n] := I; end;

-- The home answers requests.
function asked(p: node; k: reply): boolean; begin
  return uni[p].kind = k & uni[p].tohome & (k = ask_getx | !rp[p]);
end;
function refused(p: node): boolean; begin
  return dir.pending | dir.dirty & dir.local & cache[n] != E | dir.dirty & !dir.local & dir.head = p & !dir.headhome;
end;
function elsewhere(p: node): boolean; begin
  return !dir.pending & dir.dirty & !dir.local & (dir.headhome | dir.head != p);
end;
ruleset p: node do
  rule "home refuses get" asked(p, ask_get) & refused(p) ==> begin uni[p].kind := nak; end;
  rule "home refuses getx" asked(p, ask_getx) & refused(p) ==> begin uni[p].kind := nak; end;
  rule "home sends get on" asked(p, ask_get) & elsewhere(p) ==> begin
    dir.pending := true; uni[p].dest := dir.head; uni[p].tohome := dir.headhome;
  end;
  rule "home sends getx on" asked(p, ask_getx) & elsewhere(p) ==> begin
    dir.pending := true; uni[p].dest := dir.head; uni[p].tohome := dir.headhome;
  end;
  rule "home puts" asked(p, ask_get) & !dir.pending & (!dir.dirty | dir.local & cache[n] = E) ==> begin
    if dir.dirty then
      dir.dirty := false; cache[n] := S; set_head(p);
    elsif dir.headvld then
      dir.shrvld := true; shr[p] := true;
      for q: party do inv[q] := shr[q]; end;
    else
      set_head(p);
    end;
    uni[p].kind := gives;
  end;
  rule "home gives"
    asked(p, ask_getx) & !dir.pending & (dir.dirty & dir.local & cache[n] = E
      | !dir.dirty & (!dir.headvld | dir.head = p & !dir.headhome & no_sharers(p))) ==>
  begin
    if !dir.dirty & dir.local & proc[n] = get then marked[n] := true; end;
    dir.local := false; dir.dirty := true;
    set_head(p); clear_sharers();
    uni[p].kind := givesx; cache[n] := I;
  end;
  rule "home invalidates"
    asked(p, ask_getx) & !dir.pending & !dir.dirty & dir.headvld
      & (dir.headhome | dir.head != p | exists q: party do shr[q] end) ==>
  begin
    if dir.local then
      if proc[n] = get then marked[n] := true; end;
      cache[n] := I;
    end;
    dir.pending := true; dir.local := false; dir.dirty := true;
    set_head(p); tell_head(p);
    uni[p].kind := givesx;
  end;
end;

-- An owner answers what was sent on.
ruleset p: party; q: node do
  rule "owner refuses get" p != q & uni[p].kind = ask_get & uni[p].dest = q & !uni[p].tohome & cache[q] != E ==> begin
    uni[p].kind := nak; nakc := true;
  end;
  rule "owner refuses getx" p != q & uni[p].kind = ask_getx & uni[p].dest = q & !uni[p].tohome & cache[q] != E ==> begin
    uni[p].kind := nak; nakc := true;
  end;
  rule "owner puts" p != q & uni[p].kind = ask_get & uni[p].dest = q & !uni[p].tohome & cache[q] = E ==> begin
    cache[q] := S; uni[p].kind := gives;
    if p != n then sh.kind := shwb; sh.dest := p; sh.home := false; end;
  end;
  rule "owner gives" p != q & uni[p].kind = ask_getx & uni[p].dest = q & !uni[p].tohome & cache[q] = E ==> begin
    cache[q] := I; uni[p].kind := givesx;
    if p != n then sh.kind := fack; sh.dest := p; sh.home := false; end;
  end;
end;

-- The messages arrive.
ruleset p: party do
  rule "nak arrives" uni[p].kind = nak ==> begin uni[p].kind := no_uni; proc[p] := none; marked[p] := false; end;
  rule "put arrives" uni[p].kind = gives ==> begin
    uni[p].kind := no_uni; proc[p] := none;
    if p = n then dir.pending := false; dir.dirty := false; dir.local := true; end;
    if marked[p] then cache[p] := I; else cache[p] := S; end;
    marked[p] := false;
  end;
  rule "putx arrives" uni[p].kind = givesx & (p = n | proc[p] = getx) ==> begin
    if p = n then dir.pending := false; dir.local := true; dir.headvld := false; end;
    uni[p].kind := no_uni; proc[p] := none; marked[p] := false; cache[p] := E;
  end;
end;
rule "nak clears" nakc ==> begin nakc := false; dir.pending := false; end;
ruleset p: node do
  rule "invalidate arrives" im[p] = invalidate ==> begin
    im[p] := ack; cache[p] := I;
    if proc[p] = get then marked[p] := true; end;
  end;
  rule "ack arrives" im[p] = ack & dir.pending & inv[p] ==> begin
    if !exists q: party do q != p & inv[q] end then
      dir.pending := false;
      if dir.local & !dir.dirty then dir.local := false; end;
    end;
    im[p] := no_im; inv[p] := false;
  end;
  rule "replacement arrives" rp[p] ==> begin
    rp[p] := false;
    if dir.shrvld then shr[p] := false; inv[p] := false; end;
  end;
end;
rule "write-back arrives" wb.is ==> begin wb.is := false; dir.dirty := false; dir.headvld := false; end;
rule "forward ack arrives" sh.kind = fack ==> begin
  sh.kind := no_sh; dir.pending := false;
  if dir.dirty then dir.head := sh.dest; dir.headhome := sh.home; end;
end;
rule "sharing write-back arrives" sh.kind = shwb ==> begin
  sh.kind := no_sh; dir.pending := false; dir.dirty := false; dir.shrvld := true;
  for p: node do
    shr[p] := shr[p] | sh.dest = p & !sh.home;
    inv[p] := shr[p];
  end;
  shr[n] := shr[n] | sh.home;
  inv[n] := shr[n];
end;

invariant "one writer" forall p: party do forall q: party do p != q & cache[p] = E -> cache[q] != E end end;
