/* Fetch&Add of the last REQUESTERS, 1 to 5, of the clusters below a tree of fan-out 2 or 3 and depth 2, written by
   hand: the steps of memory.star with one cell at cluster 0, where a request waits for a partner for some time.
   Requester r is the cluster r before the last, and adds 1 << r. A message is 32 * (requester + 1) + a sum. An entry is
   the message of the first, whose sum is 0 once its partner is answered, and the second: its state follows. */
#ifndef FAN_OUT
#define FAN_OUT 2
#endif
#define F FAN_OUT
/* Links towards cluster 0, and back: those of requesters, then of switches. Switch F is the root. */
byte request[REQUESTERS + F + 1], reply[REQUESTERS + F + 1];
byte at[REQUESTERS];	/* 0: has not asked; 1: waits; else its reply + 2 */
byte first[F + 1], second[F + 1];	/* entries, by switch: a message, and a requester + 1 */
byte cell;

#define who(m) (((m) >> 5) - 1)
#define sum(m) ((m) & 31)
#define above(r) ((F * F - 1 - (r)) / F)
#define out(s) (REQUESTERS + (s))
#define in(s, r) (above(r) == s -> r : (s == F -> out(above(r)) : out(F)))	/* where r's messages enter a switch */
#define waits(s) (sum(first[s]) && !second[s])
#define splits(s) (second[s] && reply[out(s)] >> 5 == first[s] >> 5)

#define arrives(s, x) \
	:: d_step { request[x] && (!first[s] || !request[out(s)]) -> \
		if \
		:: !first[s] -> first[s] = request[x] \
		:: first[s] && waits(s) -> request[out(s)] = first[s] + sum(request[x]); second[s] = request[x] >> 5 \
		:: else -> request[out(s)] = request[x] \
		fi; request[x] = 0 }
#define requester(r) \
	:: d_step { !at[r] && !request[r] -> request[r] = (r + 1) << 5 | 1 << r; at[r] = 1 } \
	:: d_step { reply[r] -> at[r] = 2 + sum(reply[r]); reply[r] = 0 } \
	arrives(above(r), r)
#define combines(s) \
	:: d_step { waits(s) && !request[out(s)] -> request[out(s)] = first[s]; first[s] = 0 } \
	:: d_step { splits(s) && !reply[in(s, second[s] - 1)] -> \
		reply[in(s, second[s] - 1)] = second[s] << 5 | sum(reply[out(s)]) + sum(first[s]); \
		second[s] = 0; first[s] = first[s] & 224 } \
	:: d_step { reply[out(s)] && !splits(s) && !reply[in(s, who(reply[out(s)]))] -> \
		reply[in(s, who(reply[out(s)]))] = reply[out(s)]; \
		if :: reply[out(s)] >> 5 == first[s] >> 5 -> first[s] = 0 :: else fi; \
		reply[out(s)] = 0 }

active proctype machine() {
	do
	requester(0)
#if REQUESTERS > 1
	requester(1)
#endif
#if REQUESTERS > 2
	requester(2)
#endif
#if REQUESTERS > 3
	requester(3)
#endif
#if REQUESTERS > 4
	requester(4)
#endif
	combines(0) combines(1) combines(2) arrives(F, out(1)) arrives(0, out(F))
#if F > 2
	combines(3) arrives(F, out(2))
#endif
	:: d_step { request[out(0)] && !reply[out(0)] ->
		reply[out(0)] = request[out(0)] & 224 | cell; cell = cell + sum(request[out(0)]); request[out(0)] = 0 }
	od
}
