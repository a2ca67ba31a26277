/* MSI with a blocking directory and three caches, by hand. Cache states: 0 I, 1 S, 2 M,
   3 waits for S, 4 waits for M. Messages of the directory: 1 S, 2 M (granted),
   3 invalidate, 4 share. serving is 3 while nobody is served. */
byte state[3];
bool listed[3];
bool owned;
byte serving = 3;
byte right = 1;
chan asks = [3] of { byte, byte };
chan tells[3] = [2] of { byte };
bool acks[3];

#define give_up(x, c) if :: x != c && listed[x] && (right == 2 || owned) -> if :: right == 2 -> tells[x]!3 :: else -> tells[x]!4 fi :: else fi

#define cache(c) \
	:: atomic { state[c] == 0 -> asks!c,1; state[c] = 3 } \
	:: atomic { state[c] == 0 || state[c] == 1 -> asks!c,2; state[c] = 4 } \
	:: atomic { state[c] == 1 -> state[c] = 0 } \
	:: atomic { nempty(tells[c]) -> tells[c]?m; \
		if :: m <= 2 -> state[c] = m \
		   :: m == 3 -> acks[c] = true; if :: state[c] == 1 || state[c] == 2 -> state[c] = 0 :: else fi \
		   :: m == 4 -> acks[c] = true; if :: state[c] == 1 || state[c] == 2 -> state[c] = 1 :: else fi \
		fi; m = 0 } \
	:: atomic { acks[c] -> acks[c] = false; listed[c] = (right == 1); owned = false } \
	:: atomic { serving == c && !owned && (right == 1 || (!listed[(c + 1) % 3] && !listed[(c + 2) % 3])) -> \
		tells[c]!right; listed[c] = true; owned = (right == 2); serving = 3; right = 1 }

init {
	byte m;
	do
	cache(0)
	cache(1)
	cache(2)
	:: atomic { serving == 3 && nempty(asks) -> asks?serving,right; give_up(0, serving); give_up(1, serving); give_up(2, serving) }
	od
}
