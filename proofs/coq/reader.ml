(* Reads tables and certificates as lines of words, and prints 1 for each certificate that the extracted checker accepts,
   else 0. This file is not proved: what it reads wrongly is checked wrongly.

     n CHANNELS SITES SOURCES   a table begins, which has so many of each
     s CHANNEL HOME HOP*  its next site: sites count from 0; HOME is 1 if the channel ends at the destination, else 0;
                          a HOP is e (eject), d (discard), or a site with the room that is demanded there, SITE:ROOM; 1 if
                          it is left out
     q HOP*               a source
     c KIND NUMBER*       a certificate of the table: a rank for each channel, or a measure for each site; for extended also
                          "/" and, for each site, the rank held
     c pools PLACES LEVEL* then for each set "/", how many places are free, and its channels: a certificate of bubbles, where
                          channels have so many places; a level for each channel

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

(* Numbers that Coq counts with, one by one. *)
let nat n =
  if n > 1_000_000 then failwith "a number too large";
  let rec go n before = if n = 0 then before else go (n - 1) (S before) in
  go n O

let move () = match here () with
  | 'e' -> incr at; (Eject, Out)
  | 'd' -> incr at; (Drop, Out)
  | _ ->
    let s = number () in
    (Into s, To (s, nat (if here () = ':' then (incr at; number ()) else 1)))
let flag () = match number () with 0 -> false | 1 -> true | _ -> failwith "invalid flag"
let rec moves () = if another () then (let m = move () in m :: moves ()) else []

let next what = if another () then number () else failwith ("no number of " ^ what)

(* As many numbers as there are things, as far as a line or a "/". *)
let numbers count =
  let rec go before = if another () && here () <> '/' then go (number () :: before) else before in
  let all = Array.of_list (List.rev (go [])) in
  if Array.length all <> count then failwith (Printf.sprintf "%d numbers for %d" (Array.length all) count);
  (0, all)

(* The hops with which packets of each channel wait: one into a lower level, if there is one, or all at its own level. *)
let waiting t level =
  let rows = Array.make (Array.length level) [] in
  Array.iter (fun { within = c; exits } ->
      if exits <> [] && not (List.mem Out exits) then begin
        let hops = List.filter_map (function
            | To (s, _) -> let d = channel_of t s in if level.(d) > level.(c) then None else Some (d, demand exits s)
            | Out -> None) exits in
        let row = match List.find_opt (fun (d, _) -> level.(d) < level.(c)) hops with
          | Some h -> [h]
          | None -> List.sort_uniq compare hops in
        if not (List.mem row rows.(c)) then rows.(c) <- row :: rows.(c)
      end) (snd t.spots);
  ([], rows)

let read () =
  let sites = ref [] and sources = ref [] and exits = ref [] and firsts = ref [] and table = ref None in
  let counts = ref None in
  let known () = match !counts with Some c -> c | None -> failwith "no table" in
  let inside row =
    let (_, most, _) = known () in
    List.iter (function (Into s, _) when s >= most -> failwith (Printf.sprintf "no site %d" s) | _ -> ()) row; row in
  let growing () = if !table <> None then failwith "a table that goes on behind a certificate" in
  let made () =
    match !table with
    | Some t -> t
    | None ->
      let (_, some, starts) = known () in
      if List.length !sites <> some || List.length !sources <> starts then failwith "wrong number of sites or sources";
      let nowhere = { place = 0; home = false; row = [] } in
      let t = { sites = (nowhere, Array.of_list (List.rev !sites)); sources = List.rev !sources } in
      let spots = ({ within = 0; exits = [] }, Array.of_list (List.rev !exits)) in
      let t = (t, fun places total -> { spots; starts = List.rev !firsts; places; total }) in
      table := Some t; t in
  let pools places =
    let (channels, _, _) = known () in
    let t = snd (made ()) (nat places) channels in
    let levels = numbers channels in
    let rec sets () =
      if here () <> '/' then [] else begin
        incr at;
        let free = next "free places" and inside = Array.make channels false in
        while another () && here () <> '/' do
          let c = number () in
          if c >= channels then failwith (Printf.sprintf "no channel %d" c);
          inside.(c) <- true
        done;
        let p = { inside = (false, inside); free = nat free } in
        p :: sets ()
      end in
    let all = sets () in
    check_pools t all levels (waiting t (snd levels)) in
  let check kind =
    let t = fst (made ()) in
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
       counts := Some (channels, some, next "sources"); sites := []; sources := []; exits := []; firsts := [];
       table := None
     | "s" ->
       growing ();
       let channel = next "a channel" in
       let (channels, _, _) = known () in
       if channel >= channels then failwith (Printf.sprintf "no channel %d" channel);
       if not (another ()) then failwith "a site without a flag";
       let home = flag () in
       let row = inside (moves ()) in
       sites := { place = channel; home; row = List.map fst row } :: !sites;
       exits := { within = channel; exits = List.map snd row } :: !exits
     | "q" ->
       growing ();
       let row = inside (moves ()) in
       sources := List.map fst row :: !sources; firsts := List.map snd row :: !firsts
     | "c" when another () ->
       let answer = match word () with "pools" -> pools (next "places") | kind -> check kind in
       if here () = '\n' then print_endline (if answer then "1" else "0")
     | w -> failwith ("invalid line " ^ w));
    if here () <> '\n' then failwith (Printf.sprintf "a line that goes on at byte %d" !at);
    incr at
  done

let () = try read () with Failure problem -> prerr_endline problem; exit 2
