/* Go-back-N over lossy channels, by hand: window 2, numbers modulo 3. */
chan there = [3] of { byte };
chan back = [3] of { byte };
byte base, out, expected, taken;

init {
	byte x;
	do
	:: atomic { nfull(there) && out < 2 ->
		if :: there!(base + out) % 3 :: skip fi; out++ }
	:: atomic { nfull(there) && out > 0 -> if :: there!base :: skip fi }
	:: atomic { nfull(there) && out > 1 -> if :: there!(base + 1) % 3 :: skip fi }
	:: atomic { nempty(there) && nfull(back) -> there?x;
		if :: x == expected -> assert(taken < out); taken++; expected = (expected + 1) % 3 :: else fi;
		if :: back!expected :: skip fi; x = 0 }
	:: atomic { nempty(back) -> back?x; x = (x + 3 - base) % 3;
		if :: x <= out -> assert(x <= taken); base = (base + x) % 3; out = out - x; taken = taken - x :: else fi; x = 0 }
	od
}
