/* Two-phase commit of MANAGERS (Gray 1978), 1 to 8, written by hand: the steps of 12_two_phase_commit.star.
   What was received, or obeyed, is not again, where unknot's rules leave the state as it is. */
#define working 0
#define prepared 1
#define committed 2
#define aborted 3
byte state[MANAGERS];
byte sent, received;	/* a bit for each manager */
byte decision;	/* working: none yet */

#define manager(i) \
	:: d_step { state[i] == working -> state[i] = prepared; sent = sent | 1 << i } \
	:: d_step { state[i] == working -> state[i] = aborted } \
	:: d_step { decision == working && sent >> i & 1 && !(received >> i & 1) -> received = received | 1 << i } \
	:: d_step { decision != working && state[i] != decision -> state[i] = decision }

active proctype machine() {
	do
	manager(0)
#if MANAGERS > 1
	manager(1)
#endif
#if MANAGERS > 2
	manager(2)
#endif
#if MANAGERS > 3
	manager(3)
#endif
#if MANAGERS > 4
	manager(4)
#endif
#if MANAGERS > 5
	manager(5)
#endif
#if MANAGERS > 6
	manager(6)
#endif
#if MANAGERS > 7
	manager(7)
#endif
	:: d_step { decision == working -> decision = aborted }
	:: d_step { decision == working && received == (1 << MANAGERS) - 1 -> decision = committed }
	od
}
