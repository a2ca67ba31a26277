/* Invalidate/Ack of Tanaka et al., written by hand: the steps of invalidate-ack.star with later requests kept (defer)
   and no resharing, in a binary tree of DEPTH 1 to 3 with 1 to 3 WRITERS, and one or two HOMES that do not write. A
   wait buffer has an entry for each block; with OVERFLOW, one, and those beyond are with the processor (marked). */
#define none 0
#define marked 1
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef WRITERS
#define WRITERS 1,3
#endif
#ifndef HOMES
#define HOMES 0
#endif
#ifndef LINK
#define LINK 2
#endif
#ifndef OVERFLOW
#define OVERFLOW none
#endif
#define item(i, ...) item ## i(__VA_ARGS__, 99, 99, 99)	/* of a list, from 1 */
#define item1(a, ...) (a)
#define item2(a, b, ...) (b)
#define item3(a, b, c, ...) (c)
#define is(i, ...) (item(i, __VA_ARGS__) != 99)

/* Nodes are numbered from the root, 1; above n is n / 2. Cluster c is node M + c. */
#if DEPTH == 1
#define M 2
#elif DEPTH == 2
#define M 4
#else
#define M 8
#endif
#define up(n) ((n) - 2)
#define down(n) (2 * M - 4 + (n))
#define next(n, h, x) ((x) >> (h) == (n) -> down((x) >> ((h) - 1)) : up(n))	/* from a switch of height h towards x */
#define height(a, b) ((a) >> 1 == (b) >> 1 -> 1 : ((a) >> 2 == (b) >> 2 -> 2 : 3))	/* of the tree with two clusters */
#define writer(w) (M + ((w) == 1 -> item(1, WRITERS) : ((w) == 2 -> item(2, WRITERS) : item(3, WRITERS))))
#if is(2, HOMES)
#define BLOCKS 2
#define block(m) ((m) >> 2 & 1)
#define home_of(b) (M + ((b) -> item(2, HOMES) : item(1, HOMES)))
#else
#define BLOCKS 1
#define block(m) 0
#define home_of(b) (M + item(1, HOMES))
#endif

/* Messages: type, block, and writer from 1, or 0. An invalidate on its way up has its distance, 1 to 3, as its type. */
#define request 4
#define Ack 5
#define done 6
#define reply 7
#define message(type, b, w) ((type) << 3 | (b) << 2 | (w))
#define type(m) ((m) >> 3)
#define of(m) ((m) & 3)
#define invalidates(m) ((m) < 32)
#define target(m) (type(m) == reply -> writer(of(m)) : home_of(block(m)))

/* A link holds its messages from the first, in 6 bits each. */
#if LINK == 1
byte link[4 * M - 4];
#define head(x) link[x]
#define room(x) (!link[x])
#define push(x, m) link[x] = m
#define take(x) m = link[x]; link[x] = 0
#else
int link[4 * M - 4];
#define head(x) (link[x] & 63)
#define room(x) (link[x] < 1 << 6 * (LINK - 1))
#define push(x, m) link[x] = link[x] | (m) << (link[x] == 0 -> 0 : (link[x] < 64 -> 6 : 12))
#define take(x) m = link[x] & 63; link[x] = link[x] >> 6
#endif
byte m;	/* the message of a step */

byte copies[BLOCKS] = 255 >> (8 - M);	/* clusters that have a copy */
byte home[BLOCKS] = DEPTH;	/* the distance at which it is shared; or 4 collects, 8 answers, 12 owned, + writer */
byte queue[BLOCKS];	/* writers, in 2 bits each, the first lowest */
byte phase[3];	/* of writers: 0 idle, 1 + block waits, 3 + block writes */
/* Entries: writers as in a queue, + 64 if the first was sent, + 128 if there is an Ack. */
byte entry[(M - 1) * BLOCKS * (1 + OVERFLOW)];
#define own(n, b) ((n) - 1 + (M - 1) * (b))
#define beyond(n, b) (own(n, b) + (M - 1) * BLOCKS)
#if OVERFLOW
#define place(n, b) (entry[beyond(n, b)] || !entry[own(n, b)] && entry[own(n, 1 - (b))] -> beyond(n, b) : own(n, b))
#else
#define place(n, b) own(n, b)
#endif
#define acked(n, m) (entry[place(n, block(m))] > 127)
#define enqueue(q, w) q = q | (w) << (((q) & 63) == 0 -> 0 : (((q) & 63) < 4 -> 2 : 4))
#define clear(e, w) \
	if :: entry[e] & 64 && of(entry[e]) == w -> entry[e] = entry[e] & 128 | (entry[e] & 63) >> 2 :: else fi

/* A switch: all messages but invalidates are treated alike, wherever they come from. */
#define can_pass(n, h, m) (type(m) == request || type(m) == Ack && !acked(n, m) || room(next(n, h, target(m))))
inline pass(n, h) {
	if
	:: type(m) == request -> enqueue(entry[place(n, block(m))], of(m))
	:: type(m) == Ack && !acked(n, m) -> entry[place(n, block(m))] = entry[place(n, block(m))] | 128
	:: else ->
		if
		:: type(m) == Ack -> entry[place(n, block(m))] = entry[place(n, block(m))] & 127
		:: type(m) == reply ->
			clear(own(n, block(m)), of(m));
#if OVERFLOW
			clear(beyond(n, block(m)), of(m))
#endif
		:: else
		fi;
		push(next(n, h, target(m)), m)
	fi
}
#define can_spread(n, h, m, c) (room(down(c ^ 1)) && (n == 1 || type(m) == h || room(up(n))))
#define from_below(n, h, c) \
	:: d_step { link[up(c)] && \
		(invalidates(head(up(c))) -> can_spread(n, h, head(up(c)), c) : can_pass(n, h, head(up(c)))) -> \
		take(up(c)); \
		if \
		:: invalidates(m) -> \
			push(down(c ^ 1), m & 7); \
			if \
			:: n == 1 || type(m) == h -> entry[place(n, block(m))] = entry[place(n, block(m))] | 128 \
			:: else -> push(up(n), m) \
			fi \
		:: else -> pass(n, h) \
		fi; m = 0 }
#define can_fan(n) (room(down(2 * n)) && room(down(2 * n + 1)))
#define from_above(n, h) \
	:: d_step { link[down(n)] && (invalidates(head(down(n))) -> can_fan(n) : can_pass(n, h, head(down(n)))) -> \
		take(down(n)); \
		if \
		:: invalidates(m) -> push(down(2 * n), m); push(down(2 * n + 1), m) \
		:: else -> pass(n, h) \
		fi; m = 0 }
#define sends_kept(n, h, b, e) \
	:: d_step { entry[e] & 63 && !(entry[e] & 64) && room(next(n, h, home_of(b))) -> \
		push(next(n, h, home_of(b)), message(request, b, of(entry[e]))); entry[e] = entry[e] | 64 }
#if OVERFLOW
#define keeps(n, h, b) sends_kept(n, h, b, own(n, b)) sends_kept(n, h, b, beyond(n, b))
#else
#define keeps(n, h, b) sends_kept(n, h, b, own(n, b))
#endif
#if BLOCKS == 2
#define combines(n, h) from_below(n, h, (2 * n)) from_below(n, h, (2 * n + 1)) keeps(n, h, 0) keeps(n, h, 1)
#else
#define combines(n, h) from_below(n, h, (2 * n)) from_below(n, h, (2 * n + 1)) keeps(n, h, 0)
#endif

#define cluster(c) \
	:: d_step { link[down(M + c)] && (!invalidates(head(down(M + c))) || room(up(M + c))) -> \
		take(down(M + c)); \
		if \
		:: invalidates(m) -> \
			push(up(M + c), message(Ack, block(m), 0)); \
			if :: writer(of(m)) != M + c -> copies[block(m)] = copies[block(m)] & ~(1 << c) :: else fi \
		:: type(m) == reply -> phase[of(m) - 1] = 3 + block(m); copies[block(m)] = copies[block(m)] | 1 << c \
		:: type(m) == request -> enqueue(queue[block(m)], of(m)) \
		:: type(m) == Ack -> if :: home[block(m)] >> 2 == 1 -> home[block(m)] = home[block(m)] + 4 :: else fi \
		:: type(m) == done -> home[block(m)] = height(home_of(block(m)), writer(of(home[block(m)]))) \
		fi; m = 0 }
#define serves(b) \
	:: d_step { home[b] < 4 && queue[b] && room(up(home_of(b))) -> \
		push(up(home_of(b)), message(home[b], b, of(queue[b]))); \
		home[b] = 4 + of(queue[b]); copies[b] = copies[b] & ~(1 << home_of(b) - M); queue[b] = queue[b] >> 2 } \
	:: d_step { home[b] >> 2 == 2 && room(up(home_of(b))) -> \
		push(up(home_of(b)), message(reply, b, of(home[b]))); home[b] = home[b] + 4 }
#define wants(w, b) \
	:: d_step { !phase[w - 1] && copies[b] >> writer(w) - M & 1 && room(up(writer(w))) -> \
		push(up(writer(w)), message(request, b, w)); phase[w - 1] = 1 + b }
#define wrote(w) \
	:: d_step { phase[w - 1] > 2 && room(up(writer(w))) -> \
		push(up(writer(w)), message(done, phase[w - 1] - 3, 0)); phase[w - 1] = 0 }
#if BLOCKS == 2
#define writes(w) wants(w, 0) wants(w, 1) wrote(w)
#else
#define writes(w) wants(w, 0) wrote(w)
#endif

active proctype machine() {
	do
	serves(0)
#if BLOCKS == 2
	serves(1)
#endif
	writes(1)
#if is(2, WRITERS)
	writes(2)
#endif
#if is(3, WRITERS)
	writes(3)
#endif
	cluster(0) cluster(1) combines(1, DEPTH)
#if DEPTH > 1
	cluster(2) cluster(3) combines(2, DEPTH - 1) combines(3, DEPTH - 1) from_above(2, DEPTH - 1) from_above(3, DEPTH - 1)
#endif
#if DEPTH > 2
	cluster(4) cluster(5) cluster(6) cluster(7) combines(4, 1) combines(5, 1) combines(6, 1) combines(7, 1)
	from_above(4, 1) from_above(5, 1) from_above(6, 1) from_above(7, 1)
#endif
	od
}
