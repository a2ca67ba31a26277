package orbit

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Blocks, compared by keys.
//
// Of n like parts, the block of each position may take in any of the parts: n²/2 images, and yet there are only n parts.
// So the fields that a class brings into a block are read once, as a key, the most significant first, and blocks compare
// keys: the order of keys is that of images. Only the image of the class that wins is made. A block whose classes bring in
// too many different things, such as fields that name parts, has no keys, and its images are made one by one.
//
// Reading two keys costs about as much as making one image. So there are none if, in a state without equal parts, they
// would save fewer images than half their number, as in a tree of few leaves.
//
// TestLeast compares Replace, which uses keys, with ReplaceBy, which makes all images.

// mostKeys bounds the keys of a state: all are read, whether a block needs them or not.
const mostKeys = 64

// key is what a class brings into a block.
type key []source

// source is a field that is read: its value, through a table unless that is nil, after those already in the key.
type source struct {
	word        int
	shift, bits uint // bits of the field that it becomes
	mask        uint64
	to          []uint64
}

func (k key) of(s []uint64) (x uint64) {
	for i := range k {
		f := &k[i]
		v := s[f.word] >> (f.shift & 63) & f.mask
		if f.to != nil {
			v = f.to[v]
		}
		x = x<<(f.bits&63) | v
	}
	return x
}

// read reads all keys of a state.
func (l *Least) read(keys []uint64, s []uint64) {
	for i := range l.keys {
		keys[i] = l.keys[i].of(s)
	}
}

// key finds the keys of a level, unless these would be too many, or too long. some is a renaming of each class.
func (b *builder) key(l *Least, v *level, block []int, some []int) {
	block = slices.DeleteFunc(slices.Clone(block), func(i int) bool { _, _, mask := b.fields[i].Place(); return mask == 0 })
	slices.SortFunc(block, func(x, y int) int { // as words compare
		xWord, xShift, _ := b.fields[x].Place()
		yWord, yShift, _ := b.fields[y].Place()
		return cmp.Or(cmp.Compare(xWord, yWord), cmp.Compare(yShift, xShift))
	})
	bits := uint(0)
	for _, i := range block {
		_, _, mask := b.fields[i].Place()
		bits += width(mask)
	}
	if bits > 64 {
		return
	}
	numbers, fresh := make([]int32, len(some)), map[string]int32{}
	var keys []key
	for c, g := range some {
		var name []byte
		k := make(key, len(block))
		for j, i := range block {
			im := b.images[i][g]
			_, _, mask := b.fields[i].Place()
			k[j] = source{bits: width(mask), to: im.values}
			k[j].word, k[j].shift, k[j].mask = b.fields[im.from].Place()
			name = binary.AppendUvarint(binary.AppendUvarint(name, uint64(im.from)), uint64(k[j].bits))
			name = binary.AppendUvarint(name, uint64(len(im.values)))
			for _, x := range im.values {
				name = binary.AppendUvarint(name, x)
			}
		}
		n, known := b.keys[string(name)]
		if !known {
			if n, known = fresh[string(name)]; !known {
				n = int32(len(l.keys) + len(keys))
				fresh[string(name)], keys = n, append(keys, k)
			}
		}
		if numbers[c] = n; len(l.keys)+len(keys) > mostKeys {
			return
		}
	}
	for name, n := range fresh {
		b.keys[name] = n
	}
	l.keys, v.keys = append(l.keys, keys...), numbers
}

// pay drops the keys if they do not pay.
func (l *Least) pay() {
	images, before := 0, 1
	for i := range l.levels {
		v := &l.levels[i]
		if v.keys != nil {
			images += len(v.classes)/before - 1 // one is made all the same
		}
		before = len(v.classes)
	}
	if 2*images > len(l.keys) {
		return
	}
	l.keys = nil
	for i := range l.levels {
		l.levels[i].keys = nil
	}
}
