// Package families, internal to unknot, is the table of what is proved about networks of every size. A family names its
// theorem in words, the files that prove it, and the formula of its rank. [Family.Certificate] evaluates the formula on
// a compiled network, so [proofs.Verify] shows that the theorem is about the network that unknot checks.
//
// Each family also names networks that the theorem must not cover (one VC fewer, a condition missing), and its file
// has a wrong rank: for both the certificate is refused.
package families

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
)

// Family is a theorem about networks of every size.
type Family struct {
	Name    string
	Theorem string // a sentence, with the sizes for which it holds
	Reading string // what the relation is, and what the proof rests on
	Sizes   string // for which it holds, in short
	Source  string // author and year
	SMT     string // the file in proofs/smt
	Coq     []Statement
	Kind    proofs.Kind // of the certificates: Rank or ExtendedEscape
	Escape  int         // with ExtendedEscape: the VCs below it are the escape
	Members []Network   // for which tests verify the rank
	Refuted []Network   // with one VC fewer or without a condition: the rank is refused

	variables func(t *spec.Topology) variables
}

// Statement is a theorem of a file in proofs/coq.
type Statement struct{ File, Theorem string }

// Network is a model of the catalogue with some values of its parameters.
type Network struct {
	Model string
	Set   []string         // NAME=VALUE, of the parameters that all have
	Sizes map[string][]int // values of other parameters
	Vary  map[string][]string
	Why   string // with Refuted: what is missing
}

// Settings lists the parameters of each network that n stands for.
func (n Network) Settings() []map[string]string {
	all := []map[string]string{{}}
	for _, set := range n.Set {
		name, value, _ := strings.Cut(set, "=")
		all[0][name] = value
	}
	multiply := func(name string, values []string) {
		var more []map[string]string
		for _, set := range all {
			for _, v := range values {
				one := maps.Clone(set)
				one[name] = v
				more = append(more, one)
			}
		}
		all = more
	}
	for _, name := range slices.Sorted(maps.Keys(n.Sizes)) {
		var values []string
		for _, v := range n.Sizes[name] {
			values = append(values, fmt.Sprint(v))
		}
		multiply(name, values)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Vary)) {
		multiply(name, n.Vary[name])
	}
	return all
}

// Find returns the family with a name.
func Find(name string) (Family, bool) {
	all := All()
	i := slices.IndexFunc(all, func(f Family) bool { return f.Name == name })
	if i < 0 {
		return Family{}, false
	}
	return all[i], true
}

// Certificate evaluates a formula of the family's file, "rank" or "wrong", on a network and returns the certificate of
// deadlock freedom, which is right if the formula is: nothing here decides. Its ranks are the places of the tuples in
// lexicographic order, from 1 on. Where a packet waits it may hold what ranks above all escape channels that it is
// offered; for each link, that is the lower of its escape VCs that are permitted.
func (f Family) Certificate(n *spec.Network, formula string) (*proofs.Certificate, error) {
	script, err := smt.Open(f.SMT)
	if err != nil {
		return nil, err
	}
	t := n.Topology()
	tuples := make([][]int, t.Channels())
	values := f.variables(t)
	for c := range spec.ChannelID(t.Channels()) {
		if tuples[c], err = script.Tuple(formula, values(c)); err != nil {
			return nil, err
		}
	}
	sorted := slices.Clone(tuples)
	slices.SortFunc(sorted, slices.Compare)
	sorted = slices.CompactFunc(sorted, slices.Equal)
	c := &proofs.Certificate{
		Network: n.Digest(), Property: spec.DeadlockFreedom, Switching: n.Switching(), Kind: f.Kind,
		Rank: make([]int32, len(tuples)),
	}
	for i, tuple := range tuples {
		place, _ := slices.BinarySearchFunc(sorted, tuple, slices.Compare)
		c.Rank[i] = int32(place + 1)
	}
	if f.Kind == proofs.ExtendedEscape {
		c.Held = f.held(n, c.Rank)
	}
	return c, nil
}

// held returns, by site, the lowest rank that a packet may hold there.
func (f Family) held(n *spec.Network, rank []int32) []int32 {
	t := n.Topology()
	var all []int32
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			least := map[spec.LinkID]int32{}
			for _, h := range n.Row(row) {
				if h.Channel >= 0 && t.VC(h.Channel) < f.Escape {
					l, r := t.LinkOf(h.Channel), rank[h.Channel]
					if least[l] == 0 || r < least[l] {
						least[l] = r
					}
				}
			}
			most := int32(0)
			for _, r := range least {
				most = max(most, r)
			}
			if most > 0 {
				most++
			}
			all = append(all, most)
		}
	}
	return all
}

// Files lists the files of the proofs, from the top of the repository.
func (f Family) Files() []string {
	files := []string{"proofs/smt/" + f.SMT}
	for _, s := range f.Coq {
		files = append(files, "proofs/coq/"+s.File)
	}
	slices.SortStableFunc(files[1:], cmp.Compare[string])
	return slices.Compact(files)
}

// Proves says what a file of [Family.Files] proves.
func (f Family) Proves(file string) string {
	var theorems []string
	for _, s := range f.Coq {
		if file == "proofs/coq/"+s.File {
			theorems = append(theorems, s.Theorem)
		}
	}
	if len(theorems) == 0 {
		return "the conditions for every size, in SMT-LIB 2"
	}
	return "Coq: " + strings.Join(theorems, ", ")
}

// Command returns the arguments that check one of the networks.
func (n Network) Command() string {
	command := "unknot check " + n.Model
	for _, set := range n.Set {
		command += " --set " + set
	}
	for _, name := range slices.Sorted(maps.Keys(n.Sizes)) {
		command += fmt.Sprintf(" --set %s=%d", name, n.Sizes[name][len(n.Sizes[name])-1])
	}
	return command
}
