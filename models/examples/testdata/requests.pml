/* Requests and replies over a ring of three, by hand. Channel 4*i + 2*class + VC leads
   from i to i + 1 and holds one packet: to whom, plus 1, and from whom. A packet for d
   leaves i by VC 0 if i > d, else by VC 1. */
byte to[12], from[12], waits[3], held[3];

#define out(i, class, d) (4 * (i) + 2 * (class) + ((i) > (d) -> 0 : 1))
#define in(i, class, vc) (4 * (((i) + 2) % 3) + 2 * (class) + (vc))

#define put(c, d, s) to[c] = (d) + 1; from[c] = (s)
#define drop(c) to[c] = 0; from[c] = 0

#define ask(i, j) \
	:: d_step { waits[i] < 2 && to[out(i, 0, j)] == 0 -> put(out(i, 0, j), j, i); waits[i]++ }
#define pass(i, class, vc) \
	:: d_step { to[in(i, class, vc)] != 0 && to[in(i, class, vc)] != i + 1 && to[out(i, class, to[in(i, class, vc)] - 1)] == 0 -> \
		put(out(i, class, to[in(i, class, vc)] - 1), to[in(i, class, vc)] - 1, from[in(i, class, vc)]); drop(in(i, class, vc)) }
#define arrive(i, vc) \
	:: d_step { held[i] == 0 && to[in(i, 0, vc)] == i + 1 -> held[i] = from[in(i, 0, vc)] + 1; drop(in(i, 0, vc)) } \
	:: d_step { to[in(i, 1, vc)] == i + 1 -> waits[i]--; drop(in(i, 1, vc)) }
#define node(i) \
	ask(i, (i + 1) % 3) ask(i, (i + 2) % 3) \
	:: d_step { held[i] != 0 && to[out(i, 1, held[i] - 1)] == 0 -> put(out(i, 1, held[i] - 1), held[i] - 1, i); held[i] = 0 } \
	arrive(i, 0) arrive(i, 1) pass(i, 0, 0) pass(i, 0, 1) pass(i, 1, 0) pass(i, 1, 1)

init {
	do
	node(0)
	node(1)
	node(2)
	od
}
