/* MESI with a blocking directory, transfers of three hops and three caches, by hand. Cache
   states: 0 I, 1 S, 2 E, 3 M, 4 waits for S, 5 waits for M, 6 waits for Acks. Messages:
   1 S, 2 E, 3 M (with how many Acks will come), 4 send it on to be shared, 5 to be written,
   6 invalidate, 7 Ack. There is no owner, and nobody is served, while these are 3. */
byte state[3];
byte missing[3];
bool shares[3];
byte owner = 3;
byte serving = 3;
bool done;
chan asks = [3] of { byte, byte };
chan to[3] = [3] of { byte, byte, byte };

#define has(c, s) assert(!done); state[c] = s; done = true
#define invalidate(x) if :: x != serving && shares[x] -> to[x]!6,serving,0 :: else fi; shares[x] = false
#define others ((shares[0] && serving != 0) + (shares[1] && serving != 1) + (shares[2] && serving != 2))

#define cache(c) \
	:: atomic { state[c] == 0 -> asks!c,1; state[c] = 4 } \
	:: atomic { state[c] == 0 || state[c] == 1 -> asks!c,2; state[c] = 5 } \
	:: atomic { state[c] == 1 -> state[c] = 0 } \
	:: atomic { state[c] == 2 -> state[c] = 3 } \
	:: atomic { nempty(to[c]) -> to[c]?k,w,a; \
		if :: k == 1 || k == 2 -> has(c, k) \
		   :: k == 3 && a == 0 -> has(c, 3) \
		   :: k == 3 && a > 0 -> state[c] = 6; missing[c] = a \
		   :: k == 4 -> to[w]!1,0,0; state[c] = 1 \
		   :: k == 5 -> to[w]!3,0,0; state[c] = 0 \
		   :: k == 6 -> to[w]!7,0,0; if :: state[c] == 1 -> state[c] = 0 :: else fi \
		   :: k == 7 -> missing[c] = missing[c] - 1; if :: missing[c] == 0 -> has(c, 3) :: else fi \
		fi; k = 0; w = 0; a = 0 }

init {
	byte k, w, a;
	do
	cache(0)
	cache(1)
	cache(2)
	:: atomic { serving == 3 && nempty(asks) -> asks?serving,k; a = others;
		if :: owner != 3 -> to[owner]!k + 3,serving,0; shares[owner] = (k == 1); shares[serving] = (k == 1);
			if :: k == 2 -> owner = serving :: else -> owner = 3 fi
		   :: owner == 3 && k == 2 -> to[serving]!3,0,a; invalidate(0); invalidate(1); invalidate(2); owner = serving
		   :: owner == 3 && k == 1 && a > 0 -> to[serving]!1,0,0; shares[serving] = true
		   :: owner == 3 && k == 1 && a == 0 -> to[serving]!2,0,0; shares[serving] = false; owner = serving
		fi; k = 0; a = 0 }
	:: atomic { done -> done = false; serving = 3 }
	od
}
