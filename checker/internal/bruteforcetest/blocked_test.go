package bruteforcetest

import "slices"

// Configurations that block for good, whether or not they can be reached.

// waits returns the places for which a packet at a site waits: nil if it can leave the network or be kept by a request buffer, or is at a
// dead end, where it counts as discarded.
func (x *packets) waits(i int) (places []int) {
	for _, to := range x.steps[i] {
		if to < 0 || x.sites[to].kept() {
			return nil
		}
		places = append(places, x.sites[to].place)
	}
	return places
}

// packetsCanBlock reports whether packets, one in each place of some set, can all wait for places of that
// set. The largest such set is what remains when places without such a packet are taken away, over and over.
func (x *packets) packetsCanBlock() bool {
	within := slices.Repeat([]bool{true}, x.spaces())
	for again := true; again; {
		again = false
		for place := range within {
			if !within[place] {
				continue
			}
			within[place] = slices.ContainsFunc(x.sites, func(s site) bool {
				if s.place != place {
					return false
				}
				wants := x.waits(int(x.number[s]))
				return wants != nil && !slices.ContainsFunc(wants, func(p int) bool { return !within[p] })
			})
			again = again || !within[place]
		}
	}
	return slices.Contains(within, true)
}

// worm is a message whose head waits: the places that it holds, tail first, and those that it waits for.
type worm struct{ holds, wants []int }

// worms lists the paths of packets, without a place twice, at whose end the packet waits.
func (x *packets) worms() (all []worm) {
	var extend func(path []int, i int)
	extend = func(path []int, i int) {
		if wants := x.waits(i); wants != nil {
			all = append(all, worm{slices.Clone(path), wants})
		}
		for _, to := range x.steps[i] {
			if to >= 0 && !x.sites[to].kept() && !slices.Contains(path, x.sites[to].place) {
				extend(append(path, x.sites[to].place), int(to))
			}
		}
	}
	for i, s := range x.sites {
		if !s.kept() {
			extend([]int{s.place}, i)
		}
	}
	return all
}

// wormsCanBlock reports whether worms, no two of them in one place, can all wait for places that they hold.
// For a place that is waited for and not held yet, it tries every worm that holds it.
func (x *packets) wormsCanBlock() bool {
	all := x.worms()
	held := make([]bool, x.spaces())
	var add func(w worm, wanted []int) bool
	add = func(w worm, wanted []int) bool {
		if slices.ContainsFunc(w.holds, func(p int) bool { return held[p] }) {
			return false
		}
		for _, p := range w.holds {
			held[p] = true
		}
		wanted = slices.Concat(wanted, w.wants)
		i := slices.IndexFunc(wanted, func(p int) bool { return !held[p] })
		if i < 0 || slices.ContainsFunc(all, func(v worm) bool { return slices.Contains(v.holds, wanted[i]) && add(v, wanted) }) {
			return true
		}
		for _, p := range w.holds {
			held[p] = false
		}
		return false
	}
	return slices.ContainsFunc(all, func(w worm) bool { return add(w, nil) })
}
