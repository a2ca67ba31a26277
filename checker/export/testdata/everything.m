-- written by unknot
-- 'every* )* /thing' / * of 1
-- not written: 'FairSpec' is always answered
-- not written: which states without steps are an intended end
var
  int: 0..8; -- int
  int_2: 0..8; -- int 
  v_0_0: 0..0; -- 0..0
  Seen: 0..3; -- Seen
  v_VARIABLE: 0..2; -- VARIABLE: 0 red, 1 gre* /en, 2 'blue'

startstate "start"
begin
  int := 0;
  int_2 := 8;
  v_0_0 := 0;
  Seen := 0;
  v_VARIABLE := 2;
end;

rule "up"
  (int < 5)
==>
begin
  int := (int + 1);
  int_2 := (int_2 - int);
  if (v_VARIABLE != 0) then
    v_VARIABLE := (v_VARIABLE - 1);
  else
    v_VARIABLE := 2;
    Seen := 3;
  end;
end;

rule "up"
  ((int_2 <= int) & !((int = 8)) & ((int < int_2) | (v_VARIABLE = ((int < 4) ? 1 : v_VARIABLE))))
==>
begin
  int_2 := (((int * int_2) < 9) ? (int * int_2) : 0);
end;

rule "nothing"
  true
==>
begin
  if false then
  end;
  v_0_0 := 0;
end;

rule "* ) ( * 'end'"
  (((int + (-8)) = 0) |
    (8 < int) |
    (8 < int_2) |
    false |
    (int < int_2))
==>
begin
  int := 0;
end;

rule "stop"
  false
==>
begin
end;

rule "again"
  (int = 0)
==>
begin
  int := 1;
end;

invariant "Next"
  ((int + int_2) <= 13);

cover "* / nothing"
  !(true);
