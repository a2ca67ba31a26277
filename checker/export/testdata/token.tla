---- MODULE token_ring_of_3 ----
\* written by unknot
\* token ring of 3
EXTENDS Integers

VARIABLES
  token_0, \* token 0: 0 no, 1 yes
  token_1, \* token 1: 0 no, 1 yes
  token_2 \* token 2: 0 no, 1 yes

vars == <<token_0, token_1, token_2>>

TypeOK ==
  /\ TRUE
  /\ token_0 \in 0..1
  /\ token_1 \in 0..1
  /\ token_2 \in 0..1

Init ==
  /\ TRUE
  /\ token_0 = 1
  /\ token_1 = 0
  /\ token_2 = 0

\* pass from 0
pass_from_0 ==
  /\ (token_0 = 1)
  /\ token_0' = 0
  /\ token_1' = 1
  /\ UNCHANGED <<token_2>>

\* pass from 1
pass_from_1 ==
  /\ (token_1 = 1)
  /\ token_1' = 0
  /\ token_2' = 1
  /\ UNCHANGED <<token_0>>

\* pass from 2
pass_from_2 ==
  /\ (token_2 = 1)
  /\ token_0' = 1
  /\ token_2' = 0
  /\ UNCHANGED <<token_1>>

Next ==
  \/ FALSE
  \/ pass_from_0
  \/ pass_from_1
  \/ pass_from_2

Spec == Init /\ [][Next]_vars

\* Of an action whose rules may change nothing, or something, TLA+ asks for what changes something.
FairSpec ==
  /\ Spec
  /\ WF_vars(pass_from_0)
  /\ WF_vars(pass_from_1)
  /\ WF_vars(pass_from_2)

\* invariant: some place has the token
some_place_has_the_token ==
  ((token_0 = 1) \/ (token_1 = 1) \/ (token_2 = 1))

\* response: place 0 lets go
place_0_lets_go ==
  []<>~((token_0 = 1))

====
