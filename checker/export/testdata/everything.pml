/* written by unknot */
/* 'every* )* /thing' / * of 1 */
/* not written: 'FairSpec' is always answered */
/* not written: which states without steps are an intended end */
/* '* / nothing' holds if the invariant 'true' is violated */
byte int_2 = 0; /* 0..8, int */
byte int_3 = 8; /* 0..8, int  */
bit v_0_0 = 0; /* 0..0, 0..0 */
byte Seen = 0; /* 0..3, Seen */
byte v_VARIABLE = 2; /* 0..2, VARIABLE: 0 red, 1 gre* /en, 2 'blue' */

active proctype machine() {
  do
  /* up */
  :: d_step { (int_2 < 5) ->
      assert((0 <= (int_2 + 1)) && ((int_2 + 1) <= 8));
      int_2 = (int_2 + 1);
      assert((0 <= (int_3 - int_2)) && ((int_3 - int_2) <= 8));
      int_3 = (int_3 - int_2);
      if :: (v_VARIABLE != 0) ->
        assert((0 <= (v_VARIABLE - 1)) && ((v_VARIABLE - 1) <= 2));
        v_VARIABLE = (v_VARIABLE - 1);
      :: else ->
        v_VARIABLE = 2;
        Seen = 3;
      fi;
  }
  /* up */
  :: d_step { ((int_3 <= int_2) && !((int_2 == 8)) && ((int_2 < int_3) || (v_VARIABLE == ((int_2 < 4) -> 1 : v_VARIABLE)))) ->
      assert((0 <= (((int_2 * int_3) < 9) -> (int_2 * int_3) : 0)) && ((((int_2 * int_3) < 9) -> (int_2 * int_3) : 0) <= 8));
      int_3 = (((int_2 * int_3) < 9) -> (int_2 * int_3) : 0);
  }
  /* nothing */
  :: d_step { true ->
      if :: false ->
        skip;
      :: else ->
        skip;
      fi;
      v_0_0 = 0;
  }
  /* * ) ( * 'end' */
  :: d_step { (((int_2 + (-8)) == 0) ||
        (8 < int_2) ||
        (8 < int_3) ||
        false ||
        (int_2 < int_3)) ->
      int_2 = 0;
  }
  /* stop */
  :: d_step { false ->
      skip;
  }
  /* again */
  :: d_step { (int_2 == 0) ->
      int_2 = 1;
  }
  /* invariant: Next */
  :: d_step { !(((int_2 + int_3) <= 13)) ->
      assert(false);
  }
  /* invariant: true */
  :: d_step { !(true) ->
      assert(false);
  }
  /* never; keeps SPIN from leaving out what is only written */
  :: d_step { (v_0_0 < 0 || Seen < 0 || false) -> skip; }
  od
}
