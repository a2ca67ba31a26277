/* Dekker's mutual exclusion, by hand: 0 outside, 1 looking, 2 waiting, 3 critical, 4 leaving. */
byte at[2];
bool wants[2];
byte turn;

#define step(i) \
	:: atomic { at[i] == 0 -> wants[i] = true; at[i] = 1 } \
	:: atomic { at[i] == 1 && !wants[1 - i] -> at[i] = 3 } \
	:: atomic { at[i] == 1 && wants[1 - i] && turn != i -> wants[i] = false; at[i] = 2 } \
	:: atomic { at[i] == 2 && turn == i -> wants[i] = true; at[i] = 1 } \
	:: atomic { at[i] == 3 -> turn = 1 - i; at[i] = 4 } \
	:: atomic { at[i] == 4 -> wants[i] = false; at[i] = 0 }

init {
	do
	step(0)
	step(1)
	od
}
