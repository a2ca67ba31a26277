/* Peterson's mutual exclusion of N processes (1981), 2 to 8, written by hand: the steps of 09_peterson.star.
   A process that waits takes no step, where unknot's rule leaves the state as it is. */
byte claimed[N], turn[N];	/* turn[stage]: the process that came last, counted from 1; 0: none */

#define passes(k) (k >= N || k == _pid || claimed[k % N] < stage)
#define first (passes(0) && passes(1) && passes(2) && passes(3) && passes(4) && passes(5) && passes(6) && passes(7))
#define may (turn[stage] != _pid + 1 || first)

active [N] proctype process() {
	byte stage;
outside:
	stage = 1;
claim:
	claimed[_pid] = stage;
yield:
	turn[stage] = _pid + 1;
	if
	:: d_step { stage < N - 1 && may -> stage = stage + 1 }; goto claim
	:: d_step { stage == N - 1 && may -> stage = stage + 1 }
	fi;
critical:
	claimed[_pid] = 1;
	goto outside
}
