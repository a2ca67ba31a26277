/* written by unknot */
/* 41d2f743f8980c89d1f498425094b3ced4de6e7bc2611c7ceaf45f5a32804aed under bubble 2 */
byte v_0_1_vc0_0 = 0; /* 0..2, 0->1 vc0[0]: 0 empty, 1 for 1, 2 for 2 */
byte v_0_1_vc0_1 = 0; /* 0..2, 0->1 vc0[1]: 0 empty, 1 for 1, 2 for 2 */
byte v_1_2_vc0_0 = 0; /* 0..2, 1->2 vc0[0]: 0 empty, 1 for 0, 2 for 2 */
byte v_1_2_vc0_1 = 0; /* 0..2, 1->2 vc0[1]: 0 empty, 1 for 0, 2 for 2 */
byte v_2_0_vc0_0 = 0; /* 0..2, 2->0 vc0[0]: 0 empty, 1 for 0, 2 for 1 */
byte v_2_0_vc0_1 = 0; /* 0..2, 2->0 vc0[1]: 0 empty, 1 for 0, 2 for 1 */

active proctype machine() {
  do
  /* packet for 0: inject 1 -> 1->2 vc0 */
  :: d_step { (v_1_2_vc0_0 == 0) ->
      v_1_2_vc0_0 = 1;
  }
  /* packet for 0: inject 2 -> 2->0 vc0 */
  :: d_step { (v_2_0_vc0_0 == 0) ->
      v_2_0_vc0_0 = 1;
  }
  /* packet for 1: inject 0 -> 0->1 vc0 */
  :: d_step { (v_0_1_vc0_0 == 0) ->
      v_0_1_vc0_0 = 1;
  }
  /* packet for 1: inject 2 -> 2->0 vc0 */
  :: d_step { (v_2_0_vc0_0 == 0) ->
      v_2_0_vc0_0 = 2;
  }
  /* packet for 2: inject 0 -> 0->1 vc0 */
  :: d_step { (v_0_1_vc0_0 == 0) ->
      v_0_1_vc0_0 = 2;
  }
  /* packet for 2: inject 1 -> 1->2 vc0 */
  :: d_step { (v_1_2_vc0_0 == 0) ->
      v_1_2_vc0_0 = 2;
  }
  /* packet for 1: 0->1 vc0 -> eject */
  :: d_step { (v_0_1_vc0_0 == 1) ->
      v_0_1_vc0_0 = v_0_1_vc0_1;
      v_0_1_vc0_1 = 0;
  }
  /* packet for 2: 0->1 vc0 -> 1->2 vc0 */
  :: d_step { ((v_0_1_vc0_0 == 2) && (v_1_2_vc0_1 == 0)) ->
      v_0_1_vc0_0 = v_0_1_vc0_1;
      v_0_1_vc0_1 = 0;
      if :: (v_1_2_vc0_0 == 0) ->
        v_1_2_vc0_0 = 2;
      :: else ->
        v_1_2_vc0_1 = 2;
      fi;
  }
  /* packet for 0: 1->2 vc0 -> 2->0 vc0 */
  :: d_step { ((v_1_2_vc0_0 == 1) && (v_2_0_vc0_1 == 0)) ->
      v_1_2_vc0_0 = v_1_2_vc0_1;
      v_1_2_vc0_1 = 0;
      if :: (v_2_0_vc0_0 == 0) ->
        v_2_0_vc0_0 = 1;
      :: else ->
        v_2_0_vc0_1 = 1;
      fi;
  }
  /* packet for 2: 1->2 vc0 -> eject */
  :: d_step { (v_1_2_vc0_0 == 2) ->
      v_1_2_vc0_0 = v_1_2_vc0_1;
      v_1_2_vc0_1 = 0;
  }
  /* packet for 0: 2->0 vc0 -> eject */
  :: d_step { (v_2_0_vc0_0 == 1) ->
      v_2_0_vc0_0 = v_2_0_vc0_1;
      v_2_0_vc0_1 = 0;
  }
  /* packet for 1: 2->0 vc0 -> 0->1 vc0 */
  :: d_step { ((v_2_0_vc0_0 == 2) && (v_0_1_vc0_1 == 0)) ->
      v_2_0_vc0_0 = v_2_0_vc0_1;
      v_2_0_vc0_1 = 0;
      if :: (v_0_1_vc0_0 == 0) ->
        v_0_1_vc0_0 = 1;
      :: else ->
        v_0_1_vc0_1 = 1;
      fi;
  }
  /* invariant: weak */
  :: d_step { !((!(((v_0_1_vc0_0 != 0) || (v_1_2_vc0_0 != 0) || (v_2_0_vc0_0 != 0))) || ((v_0_1_vc0_0 == 1) ||
        ((v_0_1_vc0_0 == 2) && (v_1_2_vc0_1 == 0)) ||
        ((v_1_2_vc0_0 == 1) && (v_2_0_vc0_1 == 0)) ||
        (v_1_2_vc0_0 == 2) ||
        (v_2_0_vc0_0 == 1) ||
        ((v_2_0_vc0_0 == 2) && (v_0_1_vc0_1 == 0))))) ->
      assert(false);
  }
  od
}
