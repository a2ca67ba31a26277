(* Reads networks, states and moves as lines of words, and prints for each move the state after it, or "no" if the extracted
   step refuses it. This file is not proved.

     n CAPACITY LATER ENDLESS FLITWISE SHARED ELASTIC SINK NODES   a network begins, with how it is run; flags are 0 or 1
     l TAIL HEAD             its next channel, between nodes
     r PLACE HEADER HOP*     a row: PLACE is a channel, or s and a node; a HOP is e (eject), d (discard) or CHANNEL:HEADER:NEED
     z                       a state begins, without packets
     p CHANNEL HEADER FLITS REST GONE   the next piece in a channel; GONE is -, e, d or CHANNEL:HEADER
     h NODE COUNT            what the sink of a node holds
     a PLACE HEADER WAY      the move Advance; f CHANNEL HEADER WAY, i NODE CHANNEL HEADER, t NODE CHANNEL HEADER and c NODE
                             are Follow, Enter, Finish and Consume
     k                       a trace begins: moves from the empty network, for which nothing is printed
     w CHANNEL*              it ends: prints 1 if the extracted check says that these channels are stuck then, else 0;
                             if channels are shared, no theorem is about it, and it is refused

   Whatever names a channel or a node that the network does not have, is out of this order, or is cut off, is refused,
   with status 2. *)
open Reference

let number w =
  if w = "" || String.length w > 15 || not (String.for_all (fun c -> '0' <= c && c <= '9') w) then
    failwith ("invalid number " ^ w);
  int_of_string w
let below most what w =
  let n = number w in
  if n >= most then failwith (Printf.sprintf "no %s %d" what n);
  n
let flag = function "0" -> false | "1" -> true | w -> failwith ("invalid flag " ^ w)

(* The next line; at the end of input it must be empty. *)
let rec line b =
  match input_char stdin with
  | '\n' -> Buffer.contents b
  | c -> Buffer.add_char b c; line b
  | exception End_of_file -> if Buffer.length b = 0 then raise End_of_file else failwith "the last line is cut off"

let word = function Eject -> "e" | Discard -> "d" | Into (c, h) -> Printf.sprintf "%d:%d" c h

let read () =
  let scenario = ref None and nodes = ref 0 and links = ref [] and count = ref 0 and rows = Hashtbl.create 100 in
  let pieces = Hashtbl.create 100 and sinks = Hashtbl.create 10 in
  let same (x : int) y = x = y in
  let print s channels =
    let b = Buffer.create 100 in
    List.iter (fun c ->
      List.iter (fun p ->
        Printf.bprintf b "p %d %d %d %d %s;" c p.name p.flits p.rest (match p.gone with None -> "-" | Some w -> word w))
        (s.queue c)) channels;
    for v = 0 to !nodes - 1 do
      if s.held v > 0 then Printf.bprintf b "h %d %d;" v (s.held v)
    done;
    print_endline (Buffer.contents b) in
  let row p h = Hashtbl.find_opt rows (p, h) in
  let table = ref [||] and trace = ref None and state = ref false in
  let channel w = below !count "channel" w and node w = below !nodes "node" w in
  let way w =
    match String.split_on_char ':' w with
    | ["e"] -> Eject
    | ["d"] -> Discard
    | [c; h] -> Into (channel c, number h)
    | _ -> failwith ("invalid hop " ^ w) in
  let hop w =
    match String.split_on_char ':' w with
    | [c; h; need] -> { to0 = Into (channel c, number h); need = number need }
    | ["e"] | ["d"] -> { to0 = way w; need = 0 }
    | _ -> failwith ("invalid hop " ^ w) in
  let place w =
    if w <> "" && w.[0] = 's' then Source (node (String.sub w 1 (String.length w - 1))) else Inside (channel w) in
  let channels () =
    if Array.length !table <> List.length !links then table := Array.of_list (List.rev !links);
    List.init (Array.length !table) Fun.id in
  let tail c = fst !table.(c) and head c = snd !table.(c) in
  let stuck w =
    let moves = match !trace with Some l -> List.rev l | None -> failwith "no trace ends here" in
    trace := None;
    let all = channels () in
    let how = Option.get !scenario in
    if how.flitwise && how.shared then failwith "a trace where packets share channels is not checked";
    let check = if how.flitwise then flit_deadlock else deadlock in
    print_endline (if check same same same all tail head row how moves w then "1" else "0") in
  let step m =
    let channels = channels () and table = !table in
    let content = Array.make (Array.length table) [] in
    Hashtbl.iter (fun c l -> content.(c) <- List.rev l) pieces;
    let s = { queue = (fun c -> content.(c)); held = (fun v -> Option.value (Hashtbl.find_opt sinks v) ~default:0) } in
    match apply same same same channels tail head row (Option.get !scenario) s m with
    | None -> print_endline "no"
    | Some s -> print s channels in
  let moved m =
    match !trace with
    | Some before -> trace := Some (m :: before)
    | None -> if !state then step m else failwith "a move in no state" in
  let within what = if not what || !trace <> None then failwith "a line out of order" in
  try
    while true do
      match String.split_on_char ' ' (line (Buffer.create 80)) with
      | ["n"; c; l; u; f; s; e; k; v] ->
        scenario := Some { capacity = number c; later = number l; endless = flag u; flitwise = flag f; shared = flag s;
                           elastic = flag e; sink = number k };
        within true;
        nodes := below 1_000_000 "network of nodes" v; links := []; count := 0; table := [||]; state := false;
        Hashtbl.reset rows
      | ["l"; t; h] -> within (not !state && Hashtbl.length rows = 0); links := (node t, node h) :: !links; incr count
      | "r" :: p :: h :: hops ->
        let at = place p, number h in
        within (not !state && not (Hashtbl.mem rows at)); Hashtbl.replace rows at (List.map hop hops)
      | ["k"] -> within (!scenario <> None); trace := Some []
      | "w" :: channels -> stuck (List.map channel channels)
      | ["z"] -> within (!scenario <> None); state := true; Hashtbl.reset pieces; Hashtbl.reset sinks
      | ["p"; c; h; n; r; g] ->
        within !state;
        let c = channel c in
        let before = Option.value (Hashtbl.find_opt pieces c) ~default:[] in
        Hashtbl.replace pieces c
          ({ name = number h; flits = number n; rest = number r; gone = if g = "-" then None else Some (way g) } :: before)
      | ["h"; v; n] -> within !state; Hashtbl.replace sinks (node v) (number n)
      | ["a"; p; h; w] -> moved (Advance (place p, number h, way w))
      | ["f"; c; h; w] -> moved (Follow (channel c, number h, way w))
      | ["i"; v; c; h] -> moved (Enter (node v, channel c, number h))
      | ["t"; v; c; h] -> moved (Finish (node v, channel c, number h))
      | ["c"; v] -> moved (Consume (node v))
      | words -> failwith ("invalid line " ^ String.concat " " words)
    done
  with End_of_file -> if !trace <> None then failwith "a trace does not end"

let () = try read () with Failure problem -> prerr_endline problem; exit 2
