/* The lights of two roads, by hand: 0 red, 1 green, 2 yellow. */
byte north = 1;
byte east;

init {
	do
	:: atomic { north == 1 -> north = 2 }
	:: atomic { north == 2 -> north = 0; east = 1 }
	:: atomic { east == 1 -> east = 2 }
	:: atomic { east == 2 -> east = 0; north = 1 }
	od
}
