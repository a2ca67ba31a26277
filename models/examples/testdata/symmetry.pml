/* Four readers who may write, by hand: how many read, and who; writer is 4 while there is none. */
bool reads[4];
byte count;
byte writer = 4;

#define reader(i) \
	:: atomic { writer == 4 && !reads[i] -> reads[i] = true; count++ } \
	:: atomic { writer == 4 && count == 0 -> writer = i } \
	:: atomic { reads[i] -> reads[i] = false; count-- } \
	:: atomic { writer == i -> writer = 4 }

init {
	do
	reader(0)
	reader(1)
	reader(2)
	reader(3)
	od
}
