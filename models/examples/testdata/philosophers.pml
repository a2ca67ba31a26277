/* Four dining philosophers, each left fork first, by hand: held[f] is 1 more than who holds fork f. */
byte held[4];

#define philosopher(i) \
	:: atomic { held[i] == 0 -> held[i] = i + 1 } \
	:: atomic { held[i] == i + 1 && held[(i + 1) % 4] == 0 -> held[(i + 1) % 4] = i + 1 } \
	:: atomic { held[i] == i + 1 && held[(i + 1) % 4] == i + 1 -> held[i] = 0; held[(i + 1) % 4] = 0 }

init {
	do
	philosopher(0)
	philosopher(1)
	philosopher(2)
	philosopher(3)
	od
}
