-- FLASH with a scalarset: the home's variables stand apart, and pointers begin at any one node.
const n: 2;
type
  node: scalarset(n);
  command: enum {none, get, getx};
  line: enum {I, S, E};
  reply: enum {no_uni, ask_get, ask_getx, gives, givesx, nak};
var
  proc: array [node] of command; hproc: command;
  marked: array [node] of boolean; hmarked: boolean;
  cache: array [node] of line; hcache: line;
  dir: record pending, local, dirty, headvld: boolean; head: node; headhome, shrvld: boolean; end;
  shr, inv: array [node] of boolean; hshr, hinv: boolean;
  uni: array [node] of record kind: reply; dest: node; tohome: boolean; end;
  huni: record kind: reply; dest: node; tohome: boolean; end;
  im: array [node] of enum {no_im, invalidate, ack};
  rp: array [node] of boolean;
  wb: record is: boolean; dest: node; home: boolean; end;
  sh: record kind: enum {no_sh, shwb, fack}; dest: node; home: boolean; end;
  nakc: boolean;

function others(p: node): boolean; begin -- no node but p shares, nor the home
  return !hshr & !exists q: node do q != p & shr[q] end;
end;
procedure set_head(p: node); begin
  dir.headvld := true; dir.head := p; dir.headhome := false;
end;
procedure clear_sharers(); begin
  dir.shrvld := false; hshr := false; hinv := false;
  for p: node do shr[p] := false; inv[p] := false; end;
end;
procedure tell_head(skips: boolean; skip: node); begin
  for p: node do
    shr[p] := false;
    inv[p] := !(skips & p = skip) & dir.head = p & !dir.headhome;
    if inv[p] then im[p] := invalidate; else im[p] := no_im; end;
  end;
  dir.shrvld := false; hshr := false; hinv := false;
end;

ruleset h: node do
startstate "idle" begin
  for p: node do
    proc[p] := none; marked[p] := false; cache[p] := I; shr[p] := false; inv[p] := false;
    uni[p].kind := no_uni; uni[p].dest := h; uni[p].tohome := true;
    im[p] := no_im; rp[p] := false;
  end;
  hproc := none; hmarked := false; hcache := I; hshr := false; hinv := false;
  huni.kind := no_uni; huni.dest := h; huni.tohome := true;
  dir.pending := false; dir.local := false; dir.dirty := false; dir.headvld := false; dir.head := h; dir.headhome := true; dir.shrvld := false;
  wb.is := false; wb.dest := h; wb.home := true;
  sh.kind := no_sh; sh.dest := h; sh.home := true;
  nakc := false;
end;
end;

ruleset p: node do
  rule "get" proc[p] = none & cache[p] = I ==> begin proc[p] := get; uni[p].kind := ask_get; uni[p].tohome := true; end;
  rule "getx" proc[p] = none & cache[p] = I ==> begin proc[p] := getx; uni[p].kind := ask_getx; uni[p].tohome := true; end;
  rule "write back" proc[p] = none & cache[p] = E ==> begin
    cache[p] := I; wb.is := true; wb.dest := p; wb.home := false;
  end;
  rule "replace" proc[p] = none & cache[p] = S ==> begin cache[p] := I; rp[p] := true; end;
end;
rule "home forwards get" hproc = none & hcache = I & !dir.pending & dir.dirty ==> begin
  hproc := get; dir.pending := true; huni.kind := ask_get; huni.dest := dir.head; huni.tohome := dir.headhome;
end;
rule "home forwards getx" hproc = none & (hcache = I | hcache = S) & !dir.pending & dir.dirty ==> begin
  hproc := getx; dir.pending := true; huni.kind := ask_getx; huni.dest := dir.head; huni.tohome := dir.headhome;
end;
rule "home reads" hproc = none & hcache = I & !dir.pending & !dir.dirty ==> begin
  dir.local := true;
  if hmarked then hmarked := false; hcache := I; else hcache := S; end;
end;
rule "home writes" hproc = none & (hcache = I | hcache = S) & !dir.pending & !dir.dirty ==> begin
  dir.local := true; dir.dirty := true;
  if dir.headvld then dir.pending := true; dir.headvld := false; tell_head(false, dir.head); end;
  hmarked := false; hcache := E;
end;
rule "home writes back" hproc = none & hcache = E ==> begin
  hcache := I; dir.dirty := false;
  if !dir.pending then dir.local := false; end;
end;
rule "home replaces" hproc = none & hcache = S ==> begin dir.local := false; hcache := I; end;

function asked(p: node; k: reply): boolean; begin
  return uni[p].kind = k & uni[p].tohome & (k = ask_getx | !rp[p]);
end;
function refused(p: node): boolean; begin
  return dir.pending | dir.dirty & dir.local & hcache != E | dir.dirty & !dir.local & dir.head = p & !dir.headhome;
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
  rule "home puts" asked(p, ask_get) & !dir.pending & (!dir.dirty | dir.local & hcache = E) ==> begin
    if dir.dirty then
      dir.dirty := false; hcache := S; set_head(p);
    elsif dir.headvld then
      dir.shrvld := true; shr[p] := true;
      for q: node do inv[q] := shr[q]; end;
      hinv := hshr;
    else
      set_head(p);
    end;
    uni[p].kind := gives;
  end;
  rule "home gives"
    asked(p, ask_getx) & !dir.pending & (dir.dirty & dir.local & hcache = E
      | !dir.dirty & (!dir.headvld | dir.head = p & !dir.headhome & others(p))) ==>
  begin
    if !dir.dirty & dir.local & hproc = get then hmarked := true; end;
    dir.local := false; dir.dirty := true;
    set_head(p); clear_sharers();
    uni[p].kind := givesx; hcache := I;
  end;
  rule "home invalidates"
    asked(p, ask_getx) & !dir.pending & !dir.dirty & dir.headvld
      & (dir.headhome | dir.head != p | hshr | exists q: node do shr[q] end) ==>
  begin
    if dir.local then
      if hproc = get then hmarked := true; end;
      hcache := I;
    end;
    dir.pending := true; dir.local := false; dir.dirty := true;
    set_head(p); tell_head(true, p);
    uni[p].kind := givesx;
  end;
end;

ruleset p: node; q: node do
  rule "owner refuses get" p != q & uni[p].kind = ask_get & uni[p].dest = q & !uni[p].tohome & cache[q] != E ==> begin
    uni[p].kind := nak; nakc := true;
  end;
  rule "owner refuses getx" p != q & uni[p].kind = ask_getx & uni[p].dest = q & !uni[p].tohome & cache[q] != E ==> begin
    uni[p].kind := nak; nakc := true;
  end;
  rule "owner puts" p != q & uni[p].kind = ask_get & uni[p].dest = q & !uni[p].tohome & cache[q] = E ==> begin
    cache[q] := S; uni[p].kind := gives;
    sh.kind := shwb; sh.dest := p; sh.home := false;
  end;
  rule "owner gives" p != q & uni[p].kind = ask_getx & uni[p].dest = q & !uni[p].tohome & cache[q] = E ==> begin
    cache[q] := I; uni[p].kind := givesx;
    sh.kind := fack; sh.dest := p; sh.home := false;
  end;
end;
ruleset q: node do
  rule "owner refuses home get" huni.kind = ask_get & huni.dest = q & !huni.tohome & cache[q] != E ==> begin
    huni.kind := nak; nakc := true;
  end;
  rule "owner refuses home getx" huni.kind = ask_getx & huni.dest = q & !huni.tohome & cache[q] != E ==> begin
    huni.kind := nak; nakc := true;
  end;
  rule "owner puts home" huni.kind = ask_get & huni.dest = q & !huni.tohome & cache[q] = E ==> begin
    cache[q] := S; huni.kind := gives;
  end;
  rule "owner gives home" huni.kind = ask_getx & huni.dest = q & !huni.tohome & cache[q] = E ==> begin
    cache[q] := I; huni.kind := givesx;
  end;
end;

ruleset p: node do
  rule "nak arrives" uni[p].kind = nak ==> begin uni[p].kind := no_uni; proc[p] := none; marked[p] := false; end;
  rule "put arrives" uni[p].kind = gives ==> begin
    uni[p].kind := no_uni; proc[p] := none;
    if marked[p] then cache[p] := I; else cache[p] := S; end;
    marked[p] := false;
  end;
  rule "putx arrives" uni[p].kind = givesx & proc[p] = getx ==> begin
    uni[p].kind := no_uni; proc[p] := none; marked[p] := false; cache[p] := E;
  end;
end;
rule "home nak arrives" huni.kind = nak ==> begin huni.kind := no_uni; hproc := none; hmarked := false; end;
rule "home put arrives" huni.kind = gives ==> begin
  huni.kind := no_uni; hproc := none;
  dir.pending := false; dir.dirty := false; dir.local := true;
  if hmarked then hcache := I; else hcache := S; end;
  hmarked := false;
end;
rule "home putx arrives" huni.kind = givesx ==> begin
  dir.pending := false; dir.local := true; dir.headvld := false;
  huni.kind := no_uni; hproc := none; hmarked := false; hcache := E;
end;
rule "nak clears" nakc ==> begin nakc := false; dir.pending := false; end;
ruleset p: node do
  rule "invalidate arrives" im[p] = invalidate ==> begin
    im[p] := ack; cache[p] := I;
    if proc[p] = get then marked[p] := true; end;
  end;
  rule "ack arrives" im[p] = ack & dir.pending & inv[p] ==> begin
    if !hinv & !exists q: node do q != p & inv[q] end then
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
  hshr := hshr | sh.home;
  hinv := hshr;
end;

invariant "one writer" forall p: node do (cache[p] = E -> hcache != E) & forall q: node do p != q & cache[p] = E -> cache[q] != E end end;
