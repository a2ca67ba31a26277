---- MODULE one_way_ring ----
\* written by unknot
\* 41d2f743f8980c89d1f498425094b3ced4de6e7bc2611c7ceaf45f5a32804aed under bubble 2
EXTENDS Integers

VARIABLES
  v_0_1_vc0_0, \* 0->1 vc0[0]: 0 empty, 1 for 1, 2 for 2
  v_0_1_vc0_1, \* 0->1 vc0[1]: 0 empty, 1 for 1, 2 for 2
  v_1_2_vc0_0, \* 1->2 vc0[0]: 0 empty, 1 for 0, 2 for 2
  v_1_2_vc0_1, \* 1->2 vc0[1]: 0 empty, 1 for 0, 2 for 2
  v_2_0_vc0_0, \* 2->0 vc0[0]: 0 empty, 1 for 0, 2 for 1
  v_2_0_vc0_1 \* 2->0 vc0[1]: 0 empty, 1 for 0, 2 for 1

vars == <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

TypeOK ==
  /\ TRUE
  /\ v_0_1_vc0_0 \in 0..2
  /\ v_0_1_vc0_1 \in 0..2
  /\ v_1_2_vc0_0 \in 0..2
  /\ v_1_2_vc0_1 \in 0..2
  /\ v_2_0_vc0_0 \in 0..2
  /\ v_2_0_vc0_1 \in 0..2

Init ==
  /\ TRUE
  /\ v_0_1_vc0_0 = 0
  /\ v_0_1_vc0_1 = 0
  /\ v_1_2_vc0_0 = 0
  /\ v_1_2_vc0_1 = 0
  /\ v_2_0_vc0_0 = 0
  /\ v_2_0_vc0_1 = 0

\* packet for 0: inject 1 -> 1->2 vc0
packet_for_0_inject_1_1_2_vc0 ==
  /\ (v_1_2_vc0_0 = 0)
  /\ v_1_2_vc0_0' = 1
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 0: inject 2 -> 2->0 vc0
packet_for_0_inject_2_2_0_vc0 ==
  /\ (v_2_0_vc0_0 = 0)
  /\ v_2_0_vc0_0' = 1
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_1>>

\* packet for 1: inject 0 -> 0->1 vc0
packet_for_1_inject_0_0_1_vc0 ==
  /\ (v_0_1_vc0_0 = 0)
  /\ v_0_1_vc0_0' = 1
  /\ UNCHANGED <<v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 1: inject 2 -> 2->0 vc0
packet_for_1_inject_2_2_0_vc0 ==
  /\ (v_2_0_vc0_0 = 0)
  /\ v_2_0_vc0_0' = 2
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_1>>

\* packet for 2: inject 0 -> 0->1 vc0
packet_for_2_inject_0_0_1_vc0 ==
  /\ (v_0_1_vc0_0 = 0)
  /\ v_0_1_vc0_0' = 2
  /\ UNCHANGED <<v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 2: inject 1 -> 1->2 vc0
packet_for_2_inject_1_1_2_vc0 ==
  /\ (v_1_2_vc0_0 = 0)
  /\ v_1_2_vc0_0' = 2
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 1: 0->1 vc0 -> eject
packet_for_1_0_1_vc0_eject ==
  /\ (v_0_1_vc0_0 = 1)
  /\ v_0_1_vc0_0' = v_0_1_vc0_1
  /\ v_0_1_vc0_1' = 0
  /\ UNCHANGED <<v_1_2_vc0_0, v_1_2_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 2: 0->1 vc0 -> 1->2 vc0
packet_for_2_0_1_vc0_1_2_vc0 ==
  /\ ((v_0_1_vc0_0 = 2) /\ (v_1_2_vc0_1 = 0))
  /\ v_0_1_vc0_0' = v_0_1_vc0_1
  /\ v_0_1_vc0_1' = 0
  /\ v_1_2_vc0_0' = (IF (v_1_2_vc0_0 = 0) THEN 2 ELSE v_1_2_vc0_0)
  /\ v_1_2_vc0_1' = (IF (v_1_2_vc0_0 = 0) THEN v_1_2_vc0_1 ELSE 2)
  /\ UNCHANGED <<v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 0: 1->2 vc0 -> 2->0 vc0
packet_for_0_1_2_vc0_2_0_vc0 ==
  /\ ((v_1_2_vc0_0 = 1) /\ (v_2_0_vc0_1 = 0))
  /\ v_1_2_vc0_0' = v_1_2_vc0_1
  /\ v_1_2_vc0_1' = 0
  /\ v_2_0_vc0_0' = (IF (v_2_0_vc0_0 = 0) THEN 1 ELSE v_2_0_vc0_0)
  /\ v_2_0_vc0_1' = (IF (v_2_0_vc0_0 = 0) THEN v_2_0_vc0_1 ELSE 1)
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1>>

\* packet for 2: 1->2 vc0 -> eject
packet_for_2_1_2_vc0_eject ==
  /\ (v_1_2_vc0_0 = 2)
  /\ v_1_2_vc0_0' = v_1_2_vc0_1
  /\ v_1_2_vc0_1' = 0
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_2_0_vc0_0, v_2_0_vc0_1>>

\* packet for 0: 2->0 vc0 -> eject
packet_for_0_2_0_vc0_eject ==
  /\ (v_2_0_vc0_0 = 1)
  /\ v_2_0_vc0_0' = v_2_0_vc0_1
  /\ v_2_0_vc0_1' = 0
  /\ UNCHANGED <<v_0_1_vc0_0, v_0_1_vc0_1, v_1_2_vc0_0, v_1_2_vc0_1>>

\* packet for 1: 2->0 vc0 -> 0->1 vc0
packet_for_1_2_0_vc0_0_1_vc0 ==
  /\ ((v_2_0_vc0_0 = 2) /\ (v_0_1_vc0_1 = 0))
  /\ v_0_1_vc0_0' = (IF (v_0_1_vc0_0 = 0) THEN 1 ELSE v_0_1_vc0_0)
  /\ v_0_1_vc0_1' = (IF (v_0_1_vc0_0 = 0) THEN v_0_1_vc0_1 ELSE 1)
  /\ v_2_0_vc0_0' = v_2_0_vc0_1
  /\ v_2_0_vc0_1' = 0
  /\ UNCHANGED <<v_1_2_vc0_0, v_1_2_vc0_1>>

Next ==
  \/ FALSE
  \/ packet_for_0_inject_1_1_2_vc0
  \/ packet_for_0_inject_2_2_0_vc0
  \/ packet_for_1_inject_0_0_1_vc0
  \/ packet_for_1_inject_2_2_0_vc0
  \/ packet_for_2_inject_0_0_1_vc0
  \/ packet_for_2_inject_1_1_2_vc0
  \/ packet_for_1_0_1_vc0_eject
  \/ packet_for_2_0_1_vc0_1_2_vc0
  \/ packet_for_0_1_2_vc0_2_0_vc0
  \/ packet_for_2_1_2_vc0_eject
  \/ packet_for_0_2_0_vc0_eject
  \/ packet_for_1_2_0_vc0_0_1_vc0

Spec == Init /\ [][Next]_vars

\* invariant: weak
weak ==
  (~(((v_0_1_vc0_0 # 0) \/ (v_1_2_vc0_0 # 0) \/ (v_2_0_vc0_0 # 0))) \/ ((v_0_1_vc0_0 = 1) \/
    ((v_0_1_vc0_0 = 2) /\ (v_1_2_vc0_1 = 0)) \/
    ((v_1_2_vc0_0 = 1) /\ (v_2_0_vc0_1 = 0)) \/
    (v_1_2_vc0_0 = 2) \/
    (v_2_0_vc0_0 = 1) \/
    ((v_2_0_vc0_0 = 2) /\ (v_0_1_vc0_1 = 0))))

====
