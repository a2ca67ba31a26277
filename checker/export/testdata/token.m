-- written by unknot
-- token ring of 3
-- not written: 'place 0 lets go' is always answered
var
  token_0: 0..1; -- token 0: 0 no, 1 yes
  token_1: 0..1; -- token 1: 0 no, 1 yes
  token_2: 0..1; -- token 2: 0 no, 1 yes

startstate "start"
begin
  token_0 := 1;
  token_1 := 0;
  token_2 := 0;
end;

rule "pass from 0"
  (token_0 = 1)
==>
begin
  token_0 := 0;
  token_1 := 1;
end;

rule "pass from 1"
  (token_1 = 1)
==>
begin
  token_1 := 0;
  token_2 := 1;
end;

rule "pass from 2"
  (token_2 = 1)
==>
begin
  token_2 := 0;
  token_0 := 1;
end;

invariant "some place has the token"
  ((token_0 = 1) | (token_1 = 1) | (token_2 = 1));
