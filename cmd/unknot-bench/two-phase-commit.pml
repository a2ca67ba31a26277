/* Two-phase commit of N managers (Gray 1978), 1 to 8, written by hand: the steps of 12_two_phase_commit.star.
   What was received, or obeyed, is not again, where unknot's rules leave the state as it is. */
#define working 0
#define prepared 1
#define committed 2
#define aborted 3
byte state[N];
bool sent[N], received[N];
byte decision;	/* working: none yet */

#define has(k) (k >= N || received[k % N])
#define ready (has(0) && has(1) && has(2) && has(3) && has(4) && has(5) && has(6) && has(7))

active [N] proctype manager() {
	do
	:: d_step { state[_pid] == working -> state[_pid] = prepared; sent[_pid] = true }
	:: d_step { state[_pid] == working -> state[_pid] = aborted }
	:: d_step { decision == working && sent[_pid] && !received[_pid] -> received[_pid] = true }
	:: d_step { decision != working && state[_pid] != decision -> state[_pid] = decision }
	od
}

active proctype decides() {
	do
	:: d_step { decision == working -> decision = aborted }
	:: d_step { decision == working && ready -> decision = committed }
	od
}
