---- MODULE every_thing_of_1 ----
\* written by unknot
\* 'every* )* /thing' / * of 1
\* not written: which states without steps are an intended end
\* '* / nothing' holds if the invariant 'true' is violated
EXTENDS Integers

VARIABLES
  int_2, \* int
  int_3, \* int 
  v_0_0, \* 0..0
  Seen, \* Seen
  v_VARIABLE \* VARIABLE: 0 red, 1 gre* /en, 2 'blue'

vars == <<int_2, int_3, v_0_0, Seen, v_VARIABLE>>

TypeOK ==
  /\ TRUE
  /\ int_2 \in 0..8
  /\ int_3 \in 0..8
  /\ v_0_0 \in 0..0
  /\ Seen \in 0..3
  /\ v_VARIABLE \in 0..2

Init ==
  /\ TRUE
  /\ int_2 = 0
  /\ int_3 = 8
  /\ v_0_0 = 0
  /\ Seen = 0
  /\ v_VARIABLE = 2

\* up
up ==
  /\ (int_2 < 5)
  /\ int_2' = (int_2 + 1)
  /\ int_3' = (int_3 - (int_2 + 1))
  /\ Seen' = (IF (v_VARIABLE # 0) THEN Seen ELSE 3)
  /\ v_VARIABLE' = (IF (v_VARIABLE # 0) THEN (v_VARIABLE - 1) ELSE 2)
  /\ UNCHANGED <<v_0_0>>

\* up
up_2 ==
  /\ ((int_3 <= int_2) /\ ~((int_2 = 8)) /\ ((int_2 < int_3) \/ (v_VARIABLE = (IF (int_2 < 4) THEN 1 ELSE v_VARIABLE)))) = TRUE
  /\ int_3' = (IF ((int_2 * int_3) < 9) THEN (int_2 * int_3) ELSE 0)
  /\ UNCHANGED <<int_2, v_0_0, Seen, v_VARIABLE>>

\* nothing
nothing ==
  /\ TRUE
  /\ v_0_0' = 0
  /\ UNCHANGED <<int_2, int_3, Seen, v_VARIABLE>>

\* * ) ( * 'end'
end ==
  /\ (((int_2 + (-8)) = 0) \/
        (8 < int_2) \/
        (8 < int_3) \/
        FALSE \/
        (int_2 < int_3)) = TRUE
  /\ int_2' = 0
  /\ UNCHANGED <<int_3, v_0_0, Seen, v_VARIABLE>>

\* stop
stop ==
  /\ FALSE
  /\ UNCHANGED <<int_2, int_3, v_0_0, Seen, v_VARIABLE>>

\* again
again ==
  /\ (int_2 = 0)
  /\ int_2' = 1
  /\ UNCHANGED <<int_3, v_0_0, Seen, v_VARIABLE>>

Next ==
  \/ FALSE
  \/ up
  \/ up_2
  \/ nothing
  \/ end
  \/ stop
  \/ again

Spec == Init /\ [][Next]_vars

\* Of an action whose rules may change nothing, or something, TLA+ asks for what changes something.
FairSpec ==
  /\ Spec
  /\ WF_vars(up \/ up_2)
  /\ WF_vars(nothing)
  /\ WF_vars(end)
  /\ SF_vars(again)

\* invariant: Next
Next_2 ==
  ((int_2 + int_3) <= 13)

\* invariant: true
true_2 ==
  TRUE

\* response: FairSpec
FairSpec_2 ==
  []<>~((int_2 # 0))

====
