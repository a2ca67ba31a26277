/* A token in a ring of four, by hand: the token is at node here, or held by its owner in the critical section. */
byte here;
bool inside;
bool wants[4];

#define node(i) \
	:: atomic { !wants[i] && !(inside && here == i) -> wants[i] = true } \
	:: atomic { here == i && !inside && wants[i] -> wants[i] = false; inside = true } \
	:: atomic { here == i && !inside && !wants[i] -> here = (i + 1) % 4 } \
	:: atomic { here == i && inside -> inside = false; here = (i + 1) % 4 }

init {
	do
	node(0)
	node(1)
	node(2)
	node(3)
	od
}
