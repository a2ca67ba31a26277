/* Three processes and a lock, written by hand. The formulas speak of steps by what the
   last one was. */
mtype = { idle, waits, critical };
mtype at[3] = idle;
bool taken = false;
byte last = 3; /* who entered by the last step; 3: nobody */

active proctype machine() {
  do
  :: d_step { at[0] == idle -> at[0] = waits; last = 3 }
  :: d_step { at[1] == idle -> at[1] = waits; last = 3 }
  :: d_step { at[2] == idle -> at[2] = waits; last = 3 }
  :: d_step { at[0] == waits && !taken -> at[0] = critical; taken = true; last = 0 }
  :: d_step { at[1] == waits && !taken -> at[1] = critical; taken = true; last = 1 }
  :: d_step { at[2] == waits && !taken -> at[2] = critical; taken = true; last = 2 }
  :: d_step { at[0] == critical -> at[0] = idle; taken = false; last = 3 }
  :: d_step { at[1] == critical -> at[1] = idle; taken = false; last = 3 }
  :: d_step { at[2] == critical -> at[2] = idle; taken = false; last = 3 }
  od
}

/* Leaving is weakly fair in both: nobody is critical forever. */
#define leaves ([]<> !taken)
#define can (at[0] == waits && !taken)

ltl strong { (leaves && (([]<> can) -> ([]<> (last == 0)))) -> [] (at[0] == waits -> <> (at[0] == critical)) }
ltl weak { (leaves && ((<>[] can) -> ([]<> (last == 0)))) -> [] (at[0] == waits -> <> (at[0] == critical)) }
