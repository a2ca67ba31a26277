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
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
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
	Kind    proofs.Kind // of the certificates: Rank or ExtendedEscape; 0: bubbles, see [Family.Bubbles]
	Escape  int         // with ExtendedEscape: the VCs below it are the escape; with bubbles: those in rings
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
	Flags string // of unknot check: how the network is run
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

// Covering lists the families whose theorem is about a model of the catalogue with these values of all its parameters.
// Parameters that a family does not name must have their defaults, and sizes be at least the smallest that tests sample.
// Networks that need flags are left out, since those are not among the parameters.
func Covering(model string, values, defaults map[string]string) (families []Family) {
	for _, f := range All() {
		if coveredBy(f.Members, model, values, defaults) {
			families = append(families, f)
		}
	}
	return families
}

// Covers reports whether the theorem holds however sc runs the network (FamilyStates.v in proofs/coq): always, if every
// hop lowers the rank; unless packets share channels, if hops offer an escape. Those about bubbles assume sinks that drain.
func (f Family) Covers(sc spec.Scenario) bool {
	switch f.Kind {
	case proofs.Rank:
		return true
	case proofs.ExtendedEscape:
		return !sc.Shared
	}
	return sc.Sink == 0 && !sc.Shared
}

func coveredBy(members []Network, model string, values, defaults map[string]string) bool {
	return slices.ContainsFunc(members, func(m Network) bool {
		return m.Flags == "" && m.Model == model && m.has(values, defaults)
	})
}

// has reports whether the network with these parameters is one that n stands for, or a larger one.
func (n Network) has(values, defaults map[string]string) bool {
	for name, value := range values {
		sizes, sized := n.Sizes[name]
		vary, varied := n.Vary[name]
		size, err := strconv.Atoi(value)
		switch {
		case sized && (err != nil || size < slices.Min(sizes)), varied && !slices.Contains(vary, value):
			return false
		case !sized && !varied && value != defaults[name] && !slices.Contains(n.Set, name+"="+value):
			return false
		}
	}
	return !slices.ContainsFunc(n.Set, func(set string) bool {
		name, value, _ := strings.Cut(set, "=")
		return values[name] != value
	})
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
	c := &proofs.Certificate{
		Network: n.Digest(), Property: spec.DeadlockFreedom, Switching: n.Switching(), Kind: f.Kind,
	}
	if c.Rank, err = f.ranks(t, script, formula); err == nil && f.Kind == proofs.ExtendedEscape {
		c.Held = f.held(n, c.Rank)
	}
	return c, err
}

// Bubbles returns the certificate of a network of bubbles, run with the given bubble, whose levels are the ranks that a
// formula gives; it is right if the formula is. In each ring, the channels of the VCs below Escape of one dimension and
// direction whose nodes agree in all other dimensions, a place stays free.
func (f Family) Bubbles(n *spec.Network, formula string, bubble int) (*bubbles.Certificate, error) {
	script, err := smt.Open(f.SMT)
	if err != nil {
		return nil, err
	}
	t := n.Topology()
	c := &bubbles.Certificate{Network: n.Digest(), Bubble: bubble}
	if c.Levels, err = f.ranks(t, script, formula); err != nil {
		return nil, err
	}
	rings := map[string]int{}
	for channel := range spec.ChannelID(t.Channels()) {
		if t.VC(channel) >= f.Escape {
			continue
		}
		l := t.Link(t.LinkOf(channel))
		at := slices.Clone(t.Node(l.From).At)
		at[l.Dim-1] = 0
		ring := fmt.Sprint(l.Out, at)
		i, met := rings[ring]
		if !met {
			i = len(c.Sets)
			rings[ring], c.Sets = i, append(c.Sets, bubbles.Set{Free: 1})
		}
		c.Sets[i].Channels = append(c.Sets[i].Channels, channel)
	}
	return c, nil
}

// ranks evaluates a formula on all channels.
func (f Family) ranks(t *spec.Topology, script *smt.Script, formula string) ([]int32, error) {
	tuples := make([][]int, t.Channels())
	values := f.variables(t)
	for c := range spec.ChannelID(t.Channels()) {
		tuple, err := script.Tuple(formula, values(c))
		if err != nil {
			return nil, err
		}
		tuples[c] = tuple
	}
	return Places(tuples), nil
}

// Places numbers tuples in lexicographic order, from 1 on; equal ones have the same number.
func Places(tuples [][]int) []int32 {
	sorted := slices.Clone(tuples)
	slices.SortFunc(sorted, slices.Compare)
	sorted = slices.CompactFunc(sorted, slices.Equal)
	rank := make([]int32, len(tuples))
	for i, tuple := range tuples {
		place, _ := slices.BinarySearchFunc(sorted, tuple, slices.Compare)
		rank[i] = int32(place + 1)
	}
	return rank
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
	if n.Flags != "" {
		command += " " + n.Flags
	}
	return command
}
