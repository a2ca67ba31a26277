(* Reads tables and certificates as lines of words, and prints 1 for each certificate that the extracted checker accepts,
   else 0. This file is not proved: what it reads wrongly is checked wrongly.

     n                    a table begins
     s CHANNEL HOME HOP*  its next site: sites count from 0; HOME is 1 if the channel ends at the destination, else 0;
                          a HOP is e (eject), d (discard) or a site
     q HOP*               a source
     c KIND NUMBER*       a certificate of the table: ranks by channel, or measures by site; for extended also "/" and, by
                          site, the ranks held *)
open Checker

let text =
  let b = Buffer.create 65536 and part = Bytes.create 65536 in
  let rec go () =
    match input stdin part 0 65536 with 0 -> Buffer.contents b | n -> Buffer.add_subbytes b part 0 n; go () in
  go ()
let at = ref 0
let here () = if !at < String.length text then text.[!at] else '\n'

(* What follows the next blank of the line, if it does not end. *)
let another () = here () = ' ' && (incr at; true)

let number () =
  let first = !at and n = ref 0 in
  while here () >= '0' && here () <= '9' do
    if !n > 1 lsl 58 then failwith "a number too large";
    n := 10 * !n + Char.code (here ()) - Char.code '0';
    incr at
  done;
  if !at = first then failwith (Printf.sprintf "no number at byte %d" first);
  !n

let word () =
  let first = !at in
  while here () <> ' ' && here () <> '\n' do incr at done;
  String.sub text first (!at - first)

let move () = match here () with 'e' -> incr at; Eject | 'd' -> incr at; Drop | _ -> Into (number ())
let flag () = match number () with 0 -> false | 1 -> true | _ -> failwith "invalid flag"
let rec moves () = if another () then (let m = move () in m :: moves ()) else []

(* Numbers as far as a line or a "/", and 0 beyond them. *)
let numbers () =
  let rec go before = if another () && here () <> '/' then go (number () :: before) else before in
  (0, Array.of_list (List.rev (go [])))

let () =
  let sites = ref [] and sources = ref [] and table = ref None in
  let made () =
    match !table with
    | Some t -> t
    | None ->
      let nowhere = { place = 0; home = false; row = [] } in
      let t = { sites = (nowhere, Array.of_list (List.rev !sites)); sources = List.rev !sources } in
      table := Some t; t in
  let check kind =
    let first = numbers () in
    match kind, here () with
    | "rank", '\n' -> check_rank (made ()) first
    | "escape", '\n' -> check_escape (made ()) first
    | "extended", '/' -> incr at; check_extended (made ()) first (numbers ())
    | "measure", '\n' -> check_measure (made ()) first
    | "arrival", '\n' -> check_arrival (made ()) first
    | _ -> failwith ("invalid certificate " ^ kind) in
  while !at < String.length text do
    (match word () with
     | "n" -> sites := []; sources := []; table := None
     | "s" when another () ->
       let channel = number () in
       if not (another ()) then failwith "a site without a flag";
       let home = flag () in
       sites := { place = channel; home; row = moves () } :: !sites
     | "q" -> sources := moves () :: !sources
     | "c" when another () -> print_endline (if check (word ()) then "1" else "0")
     | w -> failwith ("invalid line " ^ w));
    if here () <> '\n' then failwith (Printf.sprintf "a line that goes on at byte %d" !at);
    incr at
  done
