(* Makes reference.ml, the step of Reference.v in OCaml, with natural numbers as OCaml's int: they stay small. Nothing is
   proved here. *)
Require Import Reference Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Extraction Language OCaml.
Extraction "reference.ml" nothing apply deadlock.
