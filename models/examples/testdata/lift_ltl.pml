/* A lift of three floors, written by hand. */
byte at = 0;
bit up = 0;
bit c0 = 0, c1 = 0, c2 = 0;
#define here ((at == 0 && c0) || (at == 1 && c1) || (at == 2 && c2))
#define above ((at == 0 && (c1 || c2)) || (at == 1 && c2))
#define below ((at == 2 && (c1 || c0)) || (at == 1 && c0))
#define ahead ((up && above) || (!up && below))

active proctype lift() {
  do
  :: d_step { at != 0 && !c0 -> c0 = 1 }
  :: d_step { at != 1 && !c1 -> c1 = 1 }
  :: d_step { at != 2 && !c2 -> c2 = 1 }
  :: d_step { here -> if :: at == 0 -> c0 = 0 :: at == 1 -> c1 = 0 :: else -> c2 = 0 fi }
  :: d_step { !here && ahead -> if :: up -> at = at + 1 :: else -> at = at - 1 fi }
  :: d_step { !here && !ahead && (c0 || c1 || c2) -> up = 1 - up }
  od
}

ltl served_0 { [] (c0 -> <> (at == 0)) }
ltl served_1 { [] (c1 -> <> (at == 1)) }
ltl served_2 { [] (c2 -> <> (at == 2)) }
ltl passes { [] ((at == 0) -> ((at != 2) W (at == 1))) }
ltl parked { [] ((at == 1) -> ((at == 1) W (c0 || c2))) }
ltl somewhere { (<> [] (at == 0)) || (<> [] (at != 0)) }
