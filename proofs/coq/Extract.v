(* Makes checker.ml, the functions of Checker.v in OCaml. Nothing is proved here. *)
Require Import Checker Extraction ExtrOcamlBasic.
Extraction Language OCaml.
Extraction "checker.ml" check_rank check_escape check_extended check_measure check_arrival table_of numbers_of.
