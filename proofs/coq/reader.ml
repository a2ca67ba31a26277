(* Reads tables and certificates as lines of words, and prints 1 for each certificate that the extracted checker accepts,
   else 0. This file is not proved: what it reads wrongly is checked wrongly.

     n CHANNELS SITES SOURCES   a table begins, which has so many of each
     s CHANNEL HOME HOP*  its next site: sites count from 0; HOME is 1 if the channel ends at the destination, else 0;
                          a HOP is e (eject), d (discard) or a site
     q HOP*               a source
     c KIND NUMBER*       a certificate of the table: a rank for each channel, or a measure for each site; for extended also
                          "/" and, for each site, the rank held

   Whatever has other counts, names what the table does not have, or is cut off, is refused, with status 2. *)
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

let next what = if another () then number () else failwith ("no number of " ^ what)

(* As many numbers as there are things, as far as a line or a "/". *)
let numbers count =
  let rec go before = if another () && here () <> '/' then go (number () :: before) else before in
  let all = Array.of_list (List.rev (go [])) in
  if Array.length all <> count then failwith (Printf.sprintf "%d numbers for %d" (Array.length all) count);
  (0, all)

let read () =
  let sites = ref [] and sources = ref [] and table = ref None in
  let counts = ref None in
  let known () = match !counts with Some c -> c | None -> failwith "no table" in
  let inside row =
    let (_, most, _) = known () in
    List.iter (function Into s when s >= most -> failwith (Printf.sprintf "no site %d" s) | _ -> ()) row; row in
  let growing () = if !table <> None then failwith "a table that goes on behind a certificate" in
  let made () =
    match !table with
    | Some t -> t
    | None ->
      let (_, some, starts) = known () in
      if List.length !sites <> some || List.length !sources <> starts then failwith "wrong number of sites or sources";
      let nowhere = { place = 0; home = false; row = [] } in
      let t = { sites = (nowhere, Array.of_list (List.rev !sites)); sources = List.rev !sources } in
      table := Some t; t in
  let check kind =
    let t = made () in
    let (channels, some, _) = known () in
    let first = numbers (if kind = "measure" || kind = "arrival" then some else channels) in
    match kind, here () with
    | "rank", '\n' -> check_rank t first
    | "escape", '\n' -> check_escape t first
    | "extended", '/' ->
      incr at;
      let held = numbers some in
      here () = '\n' && check_extended t first held
    | "measure", '\n' -> check_measure t first
    | "arrival", '\n' -> check_arrival t first
    | _ -> failwith ("invalid certificate " ^ kind) in
  if text <> "" && text.[String.length text - 1] <> '\n' then failwith "the last line is cut off";
  while !at < String.length text do
    (match word () with
     | "n" ->
       let channels = next "channels" in
       let some = next "sites" in
       counts := Some (channels, some, next "sources"); sites := []; sources := []; table := None
     | "s" ->
       growing ();
       let channel = next "a channel" in
       let (channels, _, _) = known () in
       if channel >= channels then failwith (Printf.sprintf "no channel %d" channel);
       if not (another ()) then failwith "a site without a flag";
       let home = flag () in
       sites := { place = channel; home; row = inside (moves ()) } :: !sites
     | "q" -> growing (); sources := inside (moves ()) :: !sources
     | "c" when another () ->
       let answer = check (word ()) in
       if here () = '\n' then print_endline (if answer then "1" else "0")
     | w -> failwith ("invalid line " ^ w));
    if here () <> '\n' then failwith (Printf.sprintf "a line that goes on at byte %d" !at);
    incr at
  done

let () = try read () with Failure problem -> prerr_endline problem; exit 2
