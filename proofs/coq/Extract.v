(* Makes checker.ml, the functions of Checker.v and Pools.v in OCaml. Nothing is proved here. Coq's primitive integers are OCaml's, of 63
   bits without sign, and its arrays are OCaml's, which nobody changes, with a default beyond the end. *)
Require Import Checker Pools Extraction ExtrOcamlBasic PrimInt63 PArray.
Extraction Language OCaml.
Extract Inlined Constant PrimInt63.int => "int".
Extract Inlined Constant PrimInt63.add => "(+)".
Extract Inlined Constant PrimInt63.eqb => "(fun (x : int) y -> x = y)".
Extract Inlined Constant PrimInt63.land => "(land)".
Extract Inlined Constant PrimInt63.lsr => "(fun x y -> if 0 <= y && y < 63 then x lsr y else 0)".
Extract Inlined Constant PrimInt63.ltb => "(fun (x : int) y -> x + min_int < y + min_int)".
Extract Inlined Constant PrimInt63.leb => "(fun (x : int) y -> x + min_int <= y + min_int)".
Extract Constant PArray.array "'a" => "('a * 'a Array.t)".
Extract Inlined Constant PArray.length => "(fun (_, a) -> Array.length a)".
Extract Inlined Constant PArray.get => "(fun (d, a) i -> if 0 <= i && i < Array.length a then Array.unsafe_get a i else d)".
Extraction "checker.ml" check_rank check_escape check_extended check_measure check_arrival
  check_pools.
