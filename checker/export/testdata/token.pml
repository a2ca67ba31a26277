/* written by unknot */
/* token ring of 3 */
/* not written: 'place 0 lets go' is always answered */
bit token_0 = 1; /* 0..1, token 0: 0 no, 1 yes */
bit token_1 = 0; /* 0..1, token 1: 0 no, 1 yes */
bit token_2 = 0; /* 0..1, token 2: 0 no, 1 yes */

active proctype machine() {
  do
  /* pass from 0 */
  :: d_step { (token_0 == 1) ->
      token_0 = 0;
      token_1 = 1;
  }
  /* pass from 1 */
  :: d_step { (token_1 == 1) ->
      token_1 = 0;
      token_2 = 1;
  }
  /* pass from 2 */
  :: d_step { (token_2 == 1) ->
      token_2 = 0;
      token_0 = 1;
  }
  /* invariant: some place has the token */
  :: d_step { !(((token_0 == 1) || (token_1 == 1) || (token_2 == 1))) ->
      assert(false);
  }
  od
}
