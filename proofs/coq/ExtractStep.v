(* Makes reference.ml, the step of Reference.v and the check of StuckFlits.v in OCaml, with natural numbers as OCaml's int:
   they stay small. Nothing is proved here. *)
Require Import Reference StuckFlits Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Extraction Language OCaml.
Extraction "reference.ml" nothing apply deadlock flit_deadlock.
