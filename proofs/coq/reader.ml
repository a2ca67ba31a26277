(* Reads tables and certificates as lines of words, and prints 1 for each certificate that the extracted checker accepts,
   else 0. This file is not proved: what it reads wrongly is checked wrongly.

     n                    a table begins
     s CHANNEL HOME HOP*  its next site: sites count from 1; HOME is 1 if the channel ends at the destination, else 0;
                          a HOP is e (eject), d (discard) or a site
     q HOP*               a source
     c KIND NUMBER*       a certificate of the table: ranks by channel, or measures by site; for extended also "/" and, by
                          site, the ranks held *)
open Checker

let rec positive n =
  if n < 1 then failwith "numbers of sites and channels begin at 1"
  else if n = 1 then XH
  else if n land 1 = 1 then XI (positive (n lsr 1))
  else XO (positive (n lsr 1))

let natural w =
  match int_of_string w with
  | 0 -> N0
  | n when n > 0 -> Npos (positive n)
  | _ -> failwith "a negative number"

let move = function "e" -> Eject | "d" -> Drop | w -> Into (positive (int_of_string w))

let flag = function "0" -> false | "1" -> true | w -> failwith ("invalid flag " ^ w)

let rec parted before = function
  | [] -> (List.rev before, [])
  | "/" :: after -> (List.rev before, after)
  | w :: after -> parted (w :: before) after

let () =
  let sites = ref [] and sources = ref [] and table = ref None in
  let made () =
    match !table with
    | Some t -> t
    | None ->
      let t = table_of (List.rev !sites) (List.rev !sources) in
      table := Some t; t in
  let numbers l = numbers_of (List.rev (List.rev_map natural l)) in
  let check kind l =
    let first, second = parted [] l in
    let t = made () in
    match kind, second with
    | "rank", [] -> check_rank t (numbers first)
    | "escape", [] -> check_escape t (numbers first)
    | "extended", _ -> check_extended t (numbers first) (numbers second)
    | "measure", [] -> check_measure t (numbers first)
    | "arrival", [] -> check_arrival t (numbers first)
    | _ -> failwith ("invalid certificate " ^ kind) in
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | ["n"] -> sites := []; sources := []; table := None
      | "s" :: channel :: home :: hops ->
        sites := { place = positive (int_of_string channel); home = flag home; row = List.map move hops } :: !sites
      | "q" :: hops -> sources := List.map move hops :: !sources
      | "c" :: kind :: l -> print_endline (if check kind l then "1" else "0")
      | words -> failwith ("invalid line " ^ String.concat " " words)
    done
  with End_of_file -> ()
