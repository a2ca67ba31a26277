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
     w CHANNEL*              it ends: prints 1 if the extracted check says that these channels are stuck then, else 0 *)
open Reference

let number = int_of_string
let flag = function "0" -> false | "1" -> true | w -> failwith ("invalid flag " ^ w)

let way w =
  match String.split_on_char ':' w with
  | ["e"] -> Eject
  | ["d"] -> Discard
  | c :: h :: _ -> Into (number c, number h)
  | _ -> failwith ("invalid hop " ^ w)

let hop w =
  match String.split_on_char ':' w with
  | [_; _; need] -> { to0 = way w; need = number need }
  | _ -> { to0 = way w; need = 0 }

let place w = if w.[0] = 's' then Source (number (String.sub w 1 (String.length w - 1))) else Inside (number w)

let word = function Eject -> "e" | Discard -> "d" | Into (c, h) -> Printf.sprintf "%d:%d" c h

let () =
  let scenario = ref None and nodes = ref 0 and links = ref [] and rows = Hashtbl.create 100 in
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
  let table = ref [||] and trace = ref None in
  let channels () =
    if Array.length !table <> List.length !links then table := Array.of_list (List.rev !links);
    List.init (Array.length !table) Fun.id in
  let tail c = fst !table.(c) and head c = snd !table.(c) in
  let stuck w =
    let moves = List.rev (Option.value !trace ~default:[]) in
    trace := None;
    let all = channels () in
    print_endline (if deadlock same same same all tail head row (Option.get !scenario) moves w then "1" else "0") in
  let step m =
    let channels = channels () and table = !table in
    let content = Array.make (Array.length table) [] in
    Hashtbl.iter (fun c l -> content.(c) <- List.rev l) pieces;
    let s = { queue = (fun c -> content.(c)); held = (fun v -> Option.value (Hashtbl.find_opt sinks v) ~default:0) } in
    match apply same same same channels tail head row (Option.get !scenario) s m with
    | None -> print_endline "no"
    | Some s -> print s channels in
  let moved m = match !trace with Some before -> trace := Some (m :: before) | None -> step m in
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | ["n"; c; l; u; f; s; e; k; v] ->
        scenario := Some { capacity = number c; later = number l; endless = flag u; flitwise = flag f; shared = flag s;
                           elastic = flag e; sink = number k };
        nodes := number v; links := []; table := [||]; Hashtbl.reset rows
      | ["l"; t; h] -> links := (number t, number h) :: !links
      | "r" :: p :: h :: hops -> Hashtbl.replace rows (place p, number h) (List.map hop hops)
      | ["k"] -> trace := Some []
      | "w" :: channels -> stuck (List.map number channels)
      | ["z"] -> Hashtbl.reset pieces; Hashtbl.reset sinks
      | ["p"; c; h; n; r; g] ->
        let before = Option.value (Hashtbl.find_opt pieces (number c)) ~default:[] in
        Hashtbl.replace pieces (number c)
          ({ name = number h; flits = number n; rest = number r; gone = if g = "-" then None else Some (way g) } :: before)
      | ["h"; v; n] -> Hashtbl.replace sinks (number v) (number n)
      | ["a"; p; h; w] -> moved (Advance (place p, number h, way w))
      | ["f"; c; h; w] -> moved (Follow (number c, number h, way w))
      | ["i"; v; c; h] -> moved (Enter (number v, number c, number h))
      | ["t"; v; c; h] -> moved (Finish (number v, number c, number h))
      | ["c"; v] -> moved (Consume (number v))
      | words -> failwith ("invalid line " ^ String.concat " " words)
    done
  with End_of_file -> ()
