/* Four jobs for three servers, by hand. */
byte waiting = 4;
bool busy[3];

#define server(i) \
	:: atomic { waiting > 0 && !busy[i] -> busy[i] = true; waiting-- } \
	:: atomic { busy[i] -> busy[i] = false }

init {
	do
	server(0)
	server(1)
	server(2)
	od
}
