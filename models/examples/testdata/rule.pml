/* A lock of three processes, by hand: 0 idle, 1 wants it; owner is 3 while it is free. */
bool wants[3];
byte owner = 3;

#define process(i) \
	:: atomic { owner != i && !wants[i] -> wants[i] = true } \
	:: atomic { owner == 3 && wants[i] -> wants[i] = false; owner = i } \
	:: atomic { owner == i -> owner = 3 }

init {
	do
	process(0)
	process(1)
	process(2)
	od
}
