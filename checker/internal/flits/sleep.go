package flits

import "github.com/seed-105a2da2/unknot/checker/internal/walk"

// Injections that need not be taken (see walk.Sleep). They are most steps of most states.
//
// An injection a into a channel x changes x, behind what it holds, and a counter. Let some step c
// lead from p to t, let x accept heads both in p and in t, and let c put no head into x. Claim: if
// a can step in t, it can in p, c can where a leads, and both orders lead to the same state. As x
// accepts heads in p, all packets in it are all in, and none feeds it: so c adds nothing to x. If c
// takes something out, that is at the other end of x. Only injections look at counters, and these
// only grow: what is left for a in t was left in p; and what was left for c in p is left after a,
// since one more is left in t if both use one counter.
//
// So a set of injections, those before a given one into some channels, is given by a number and a
// bit for each channel. After c, all injections before c sleep whose channel accepts heads in p; or
// those that slept in p, whichever are more.

// dozing is a sleep set: how many injections come before, and one bit for each channel that they
// lead into.
type dozing []uint64

func (d dozing) channels() []uint64 { return d[1:] }

// noted is what Steps notes: the injections that sleep, and one bit for each channel that accepts heads.
type noted []uint64

func (n noted) dozing() dozing { return dozing(n[:1+len(n)/2]) }
func (n noted) open() []uint64 { return n[1+len(n)/2:] }

// MayPay reports whether steps to known states cost more time than finding out that they sleep: if
// there are many injections, or states are large. The bound was measured: gadgets and small rings
// lose a tenth, rings of 6 and 4x4 tori gain a fifth to a half.
func (m *Machine) MayPay() bool { return len(m.inject)*m.t.Layout().Words() >= 32 }

// Sleep returns which injections sleep after other steps; nil if there are too many.
func (m *Machine) Sleep() *walk.Sleep {
	if m.heads+len(m.channels) > walk.MostKinds {
		return nil
	}
	words := (len(m.channels) + 63) / 64
	return &walk.Sleep{
		Words: 1 + words,
		Notes: 1 + 2*words,
		Kinds: m.heads + len(m.channels) + 1,
		Steps: func(
			dst []uint64, kinds []uint32, taken []bool, notes, s, asleep []uint64,
		) ([]uint64, []uint32, int, error) {
			x := m.look(s)
			copy(notes, asleep)
			injections, sleeping := m.awake(x, notes)
			own := x.kinds
			x.kinds = kinds
			dst = m.step(dst, s, x, injections)
			kinds, x.kinds = x.kinds, own
			m.scratch.Put(x)
			return dst, kinds, sleeping, nil
		},
		After: func(dst, notes []uint64, kind uint32) {
			before, into := notes[0], noted(notes).dozing().channels()
			injection, to := uint64(len(m.inject)), int(kind)-m.heads-1
			if int(kind) <= len(m.inject) {
				injection, to = uint64(kind-1), int(m.inject[kind-1].to)
			}
			if injection >= before {
				before, into = injection, noted(notes).open()
			}
			dst[0] = before
			copy(dozing(dst).channels(), into)
			if to >= 0 {
				dst[1+to/64] &^= 1 << (to % 64)
			}
		},
	}
}

// awake lists the possible injections without those that sleep, and counts these. It completes the
// notes, which begin with what sleeps.
func (m *Machine) awake(x *scratch, notes noted) (list []int32, sleeping int) {
	asleep, open := notes.dozing(), notes.open()
	into := asleep.channels()
	for c := range m.channels {
		open[c/64] |= uint64(x.open[c]) << (c % 64)
	}
	for i, bits := range open {
		into[i] &= bits
	}
	for c := range m.channels {
		x.asleep[c] = uint8(into[c/64]>>(c%64)) & 1
	}
	if m.spent(x) {
		return nil, 0
	}
	n, all := 0, 0
	for i, g := range m.gates[:asleep[0]] {
		x.list[n] = int32(i)
		open := x.open[g[0]] & x.open[g[1]]
		all += int(open)
		n += int(open &^ x.asleep[g[0]])
	}
	sleeping = all - n
	for i, g := range m.gates[asleep[0]:] {
		x.list[n] = int32(asleep[0]) + int32(i)
		n += int(x.open[g[0]] & x.open[g[1]])
	}
	return x.list[:n], sleeping
}
