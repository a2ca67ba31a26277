/* A sender and a receiver who count modulo 3, by hand. */
chan line = [3] of { byte };
byte next;
byte expected;

init {
	do
	:: atomic { nfull(line) -> line!next; next = (next + 1) % 3 }
	:: atomic { line?eval(expected) -> expected = (expected + 1) % 3 }
	od
}
