(* The numbers in extracted text. *)
let of_int (x : int) = x
