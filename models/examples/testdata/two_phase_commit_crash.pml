/* Two-phase commit of three managers, by hand; the transaction manager may crash once.
   States: 0 working, 1 prepared, 2 committed, 3 aborted. Decision: 0 none, 2, 3. */
byte state[3];
bool sent[3];
bool received[3];
byte decision;
byte tm; /* 0 up, 1 down, 2 back */

#define manager(i) \
	:: atomic { state[i] == 0 -> state[i] = 1; sent[i] = true } \
	:: atomic { state[i] == 0 -> state[i] = 3 } \
	:: atomic { tm != 1 && decision == 0 && sent[i] && !received[i] -> received[i] = true } \
	:: atomic { tm != 1 && decision != 0 && state[i] <= 1 -> state[i] = decision }

init {
	do
	manager(0)
	manager(1)
	manager(2)
	:: atomic { tm != 1 && decision == 0 && received[0] && received[1] && received[2] -> decision = 2 }
	:: atomic { tm != 1 && decision == 0 -> decision = 3 }
	:: atomic { tm == 0 -> tm = 1; received[0] = false; received[1] = false; received[2] = false }
	:: atomic { tm == 1 -> tm = 2; if :: decision == 0 -> decision = 3 :: else fi }
	od
}
