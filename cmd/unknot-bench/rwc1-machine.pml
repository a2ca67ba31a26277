/* A ring of N RWC-1 routers, 2 to 4, written by hand: the steps of rwc1-machine.star where all send to all at one level
   and nothing is answered. A packet is 4 * source + destination. What the file counts by stream is left out, as it
   follows from the buffers. So do the packets of a processor under way, but the window needs their number. */
#ifndef WINDOW
#define WINDOW 3
#endif
byte sent[N], vc0[N], vc1[N], pib[N];	/* buffers of a router: from its processor, from its link, to its processor */
byte open[N];	/* packets under way, by source */
byte port[N] = 2, exit[N] = 1;	/* who won last: 0 vc0, 1 vc1, 2 the processor */

#define to(p) ((p) & 3)
#define after(v) ((v + 1) % N)
#define last(v) (v == N - 1)	/* on the link from here to router 0 the VC goes up */
#define room(v) (last(v) -> !vc1[0] : !vc0[after(v)])
#define on0(v) (vc0[v] && to(vc0[v]) != v && room(v))
#define on1(v) (!last(v) && vc1[v] && to(vc1[v]) != v && !vc1[after(v)])
#define on2(v) (sent[v] && room(v))
#define off0(v) (vc0[v] && to(vc0[v]) == v)
#define off1(v) (vc1[v] && to(vc1[v]) == v)
#define pass(v, p) if :: last(v) -> vc1[0] = p :: else -> vc0[after(v)] = p fi; p = 0

#define sends(v, w) \
	:: d_step { v != w && w < N && !sent[v] && open[v] < WINDOW -> sent[v] = 4 * v + w; open[v]++ }
#define router(v) \
	sends(v, 0) sends(v, 1) sends(v, 2) sends(v, 3) \
	:: d_step { pib[v] -> open[pib[v] >> 2]--; pib[v] = 0 } \
	:: d_step { off0(v) && !pib[v] && (exit[v] == 1 || !off1(v)) -> pib[v] = vc0[v]; vc0[v] = 0; exit[v] = last(v) } \
	:: d_step { off1(v) && !pib[v] && (exit[v] == 0 || !off0(v)) -> pib[v] = vc1[v]; vc1[v] = 0; exit[v] = 1 } \
	:: d_step { on0(v) && (port[v] == 2 || !on2(v) && (port[v] == 1 || !on1(v))) -> pass(v, vc0[v]); port[v] = 0 } \
	:: d_step { on1(v) && (port[v] == 0 || !on0(v) && (port[v] == 2 || !on2(v))) -> \
		vc1[after(v)] = vc1[v]; vc1[v] = 0; port[v] = 1 } \
	:: d_step { on2(v) && (port[v] == 1 || !on1(v) && (port[v] == 0 || !on0(v))) -> pass(v, sent[v]); port[v] = 2 }

active proctype machine() {
	do
	router(0) router(1)
#if N > 2
	router(2)
#endif
#if N > 3
	router(3)
#endif
	od
}
