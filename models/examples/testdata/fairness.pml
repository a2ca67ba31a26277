/* A server that turns to two clients one after the other, by hand. */
bool asks[2];
byte turn;

#define client(i) \
	:: atomic { !asks[i] -> asks[i] = true } \
	:: atomic { turn == i -> asks[i] = false; turn = 1 - i }

init {
	do
	client(0)
	client(1)
	od
}
