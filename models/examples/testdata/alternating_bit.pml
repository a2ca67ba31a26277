/* The alternating bit protocol over lossy channels, by hand. */
chan there = [2] of { bit, byte };
chan back = [2] of { bit };
bit sending, expected;
byte data, last = 2;

init {
	bit b; byte d;
	do
	:: atomic { nfull(there) -> there!sending,data }
	:: atomic { nfull(there) -> skip }
	:: atomic { nempty(there) && nfull(back) -> there?b,d;
		if :: b == expected -> last = d; expected = 1 - expected :: else fi;
		if :: back!b :: skip fi; b = 0; d = 0 }
	:: atomic { nempty(back) -> back?b;
		if :: b == sending -> sending = 1 - sending; data = (data + 1) % 3 :: else fi; b = 0 }
	od
}
