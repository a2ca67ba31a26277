package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// composeFlags say which protocol runs over the network, and where its agents are.
type composeFlags struct {
	protocol string
	set      []string
	place    []string
}

// register adds the flags to a command.
func (f *composeFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.protocol, "protocol", "",
		"protocol file: asks which VC sets its message classes need in the network, by exploring both together")
	c.Flags().StringArrayVar(&f.set, "protocol-set", nil,
		"set a parameter of the protocol, as in --protocol-set n=2 (repeatable)")
	c.Flags().StringArrayVar(&f.place, "place", nil,
		"node of an agent of the protocol, as in --place directory=1,1 (repeatable; default: in turn)")
	reads(c.Flags(), "protocol")
}

// given reports whether a protocol is given, and refuses flags that do not go with one, or not without.
func (f *composeFlags) given(schemes []string) (bool, error) {
	for _, s := range schemes {
		if f.protocol != "" && s != string(repair.Classes) {
			return false, invalid("scheme", s, "classes, or nothing, with --protocol")
		}
	}
	if f.protocol == "" && len(f.set)+len(f.place) > 0 {
		return false, errors.New("--protocol-set and --place are about a protocol: want --protocol FILE, too")
	}
	return f.protocol != "", nil
}

// compose answers which sets of VCs the message classes of a protocol need in a network.
func (f *untieFlags) compose(ctx context.Context, n *spec.Network, opt repair.Options, m *meter, std streams) error {
	p, err := f.composition.load(ctx, f, n)
	if err != nil {
		return err
	}
	c, err := repair.Compose(ctx, n, *p, opt)
	if err != nil {
		return err
	}
	m.clear()
	if f.out != "" {
		err := f.budget.fill(ctx, f.out, func(ctx context.Context) error { return keepWays(ctx, f.out, c) })
		if err != nil {
			return err
		}
	}
	if err := printComposition(std.out, n, p, c, f.out); err != nil {
		return err
	}
	return exitError(ctx, c.Verdict())
}

// load reads the protocol and finds the nodes of its agents.
func (f *composeFlags) load(ctx context.Context, from *untieFlags, n *spec.Network) (*repair.Protocol, error) {
	text, err := readNetworkFile(ctx, f.protocol)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(f.protocol, ".star") || !star.IsMachine(text) {
		return nil, invalid("protocol", f.protocol, "a protocol in a .star file, which calls machine(...)")
	}
	set, err := settingsOf("protocol-set", f.set)
	if err != nil {
		return nil, err
	}
	loaded := func(ctx context.Context, routes *star.Routes) (*program.Program, error) {
		file, err := star.Load(ctx, f.protocol, text, star.Options{
			Set: set, MaxSteps: from.maxSteps, Open: beside(ctx, f.protocol), List: filesBeside(f.protocol), Routes: routes,
		})
		if err != nil {
			return nil, err
		}
		return file.Program, nil
	}
	alone, err := loaded(ctx, nil)
	if err != nil {
		return nil, err
	}
	messages, err := star.SourceOf(alone).Messages(ctx)
	if err != nil {
		return nil, err
	}
	home, err := f.homes(n, messages)
	return &repair.Protocol{Name: alone.Name, Messages: messages, Over: loaded, Home: home}, err
}

// homes places the agents that send or receive: where --place says, and the others in turn at the nodes that send.
func (f *composeFlags) homes(n *spec.Network, messages *star.Messages) (map[string]spec.NodeID, error) {
	placed, err := settingsOf("place", f.place)
	if err != nil {
		return nil, err
	}
	var agents []string
	for _, a := range messages.Agents {
		if slices.ContainsFunc(messages.Sent, func(x star.Sent) bool { return x.Agent == a || x.Receiver == a }) {
			agents = append(agents, a)
		}
	}
	home, used := map[string]spec.NodeID{}, map[spec.NodeID]bool{}
	for _, a := range slices.Sorted(maps.Keys(placed)) {
		if !slices.Contains(agents, a) {
			return nil, invalid("place", a+"="+placed[a], "AGENT=NODE with %s", words.OneOf(agents))
		}
		v, err := nodeNamed(n.Name(), n.Topology(), "place", placed[a])
		if err != nil {
			return nil, err
		}
		home[a], used[v] = v, true
	}
	var free []spec.NodeID
	for v := range spec.NodeID(n.Topology().Nodes()) {
		if sends(n, v) && !used[v] {
			free = append(free, v)
		}
	}
	for _, a := range agents {
		if _, is := home[a]; is {
			continue
		}
		if len(free) == 0 {
			return nil, fmt.Errorf("%s has no node for %s: give a larger network, or share a node by --place %q",
				n.Name(), a, a+"=NODE")
		}
		home[a], free = free[0], free[1:]
	}
	return home, nil
}

// sends reports whether a node is the source of a flow.
func sends(n *spec.Network, v spec.NodeID) bool {
	for i := range n.Tables() {
		if slices.ContainsFunc(n.Table(i).Sources, func(x spec.Source) bool { return x.Node == v }) {
			return true
		}
	}
	return false
}

// wayFolder is the folder of a way below --out: the sets of the classes, such as 0-1-1.
func wayFolder(out string, w repair.Way) string {
	return filepath.Join(out, "sets-"+strings.ReplaceAll(strings.Trim(fmt.Sprint(w.Sets), "[]"), " ", "-"))
}

// keepWays writes the evidence about the protocol by itself, and about every way that was explored.
func keepWays(ctx context.Context, out string, c *repair.Composition) error {
	if c.Alone != nil {
		if err := writeEvidence(ctx, filepath.Join(out, aloneFolder), c.Alone); err != nil {
			return err
		}
	}
	if c.Roomy != nil {
		if err := writeEvidence(ctx, filepath.Join(out, roomyFolder), c.Roomy); err != nil {
			return err
		}
	}
	for _, w := range c.Ways {
		if w.Check == nil {
			continue
		}
		if err := writeEvidence(ctx, wayFolder(out, w), w.Check); err != nil {
			return err
		}
	}
	return nil
}

// printComposition writes the agents, the chains, what these alone would need, and what exploring found.
func printComposition(w io.Writer, n *spec.Network, p *repair.Protocol, c *repair.Composition, out string) error {
	var b strings.Builder
	topo := n.Topology()
	fmt.Fprintf(&b, "%s: a channel holds %s\n", spec.Printable(c.Network.Name()),
		words.Plural(c.Network.Buffer(), "packet"))
	for _, a := range p.Messages.Agents {
		if v, sends := p.Home[a]; sends {
			fmt.Fprintf(&b, "    %s is at %s\n", a, spec.Printable(topo.Node(v).Name))
		}
	}
	b.WriteString("\nchains: a step takes a message of one class and puts one of the next\n")
	told := map[[2]string]bool{}
	for _, x := range p.Messages.Chains {
		if key := [2]string{x.Takes, x.Puts}; !told[key] {
			told[key] = true
			fmt.Fprintf(&b, "    %s, then %s: %s (%s)\n", x.Takes, x.Puts, x.Where.Text, x.Rule)
		}
	}
	if c.Alone != nil && c.Alone.Verdict() == spec.Violated {
		printAlone(&b, p, c, out)
		_, err := io.WriteString(w, b.String())
		return err
	}
	printCandidate(&b, c)
	switch c.Verdict() {
	case spec.Holds:
		printFree(&b, p, c, c.Ways[len(c.Ways)-1], out)
	case spec.Violated:
		if c.Roomy != nil {
			printRoomy(&b, p, c, out)
			break
		}
		b.WriteString("\nclasses: none: however the classes share VC sets, even with one each, the protocol over the network fails\n")
	default:
		b.WriteString("\nclasses: unknown: some ways in which the classes share VC sets were not decided\n")
	}
	var failed []repair.Way
	for _, x := range c.Ways {
		if x.Verdict() != spec.Holds {
			failed = append(failed, x)
		}
	}
	for _, x := range failed[:min(mostChanges, len(failed))] {
		printWay(&b, c, x, out)
	}
	if more := len(failed) - mostChanges; more > 0 {
		fmt.Fprintf(&b, "  and %s more\n", words.Plural(more, "way"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printAlone writes what fails without a network.
func printAlone(b *strings.Builder, p *repair.Protocol, c *repair.Composition, out string) {
	fmt.Fprintf(b, "\n%s fails by itself, without a network, so VC sets do not help: repair it first\n", spec.Printable(p.Name))
	for _, x := range c.Alone.Findings {
		if x.Verdict == spec.Violated {
			fmt.Fprintf(b, "  %s violated: %s\n", evidence.Freedom(x.Property), explain.Text(x.Evidence))
		}
	}
	if out != "" {
		fmt.Fprintf(b, "  written to %s\n", spec.Printable(filepath.Join(out, aloneFolder)))
	}
}

// printRoomy writes what fails with more messages under way.
func printRoomy(b *strings.Builder, p *repair.Protocol, c *repair.Composition, out string) {
	fmt.Fprintf(b, "\nclasses: none: %s fails with more messages under way than its FIFOs hold, so VC sets do not "+
		"help\n  by itself, in FIFOs for %d messages:\n", spec.Printable(p.Name), c.Room)
	for _, x := range c.Roomy.Findings {
		if x.Verdict == spec.Violated {
			fmt.Fprintf(b, "  %s violated: %s\n", evidence.Freedom(x.Property), explain.Text(x.Evidence))
		}
	}
	if out != "" {
		fmt.Fprintf(b, "  written to %s\n", spec.Printable(filepath.Join(out, roomyFolder)))
	}
	b.WriteString("over the network:\n")
}

// roomyFolder is the folder below --out of the protocol by itself in larger FIFOs.
const roomyFolder = "alone-roomy"

// aloneFolder is the folder of the protocol by itself below --out.
const aloneFolder = "alone"

// printFree writes the sets with which the protocol runs, and why fewer do not do.
func printFree(b *strings.Builder, p *repair.Protocol, c *repair.Composition, w repair.Way, out string) {
	fmt.Fprintf(b, "\nclasses: %s for %s of %s", words.Plural(w.Count(), "VC set"),
		words.Plural(len(w.Sets), "message class"), spec.Printable(p.Name))
	switch {
	case w.Count() > 1 && c.IsLeast():
		fmt.Fprintf(b, "; however the classes share %s, it fails", words.Plural(w.Count()-1, "VC set"))
	case w.Count() > 1:
		b.WriteString("; fewer may do")
	}
	b.WriteString("\n")
	for set := range w.Count() {
		fmt.Fprintf(b, "    VC set %d is for %s\n", set+1, strings.Join(classesOf(c, w, set), ", "))
	}
	emptied, ranked := 0, true
	for _, x := range w.Check.Findings {
		if strings.HasPrefix(x.Property, star.MessagesLeave) {
			emptied, ranked = emptied+1, ranked && x.Evidence != nil
			continue
		}
		shown := ""
		if x.Evidence != nil {
			shown = ": " + explain.Text(x.Evidence)
		}
		fmt.Fprintf(b, "  %s holds%s\n", evidence.Freedom(x.Property), shown)
	}
	how := "by a ranking each"
	if !ranked {
		how = "without evidence, as there are too many states for rankings"
	}
	fmt.Fprintf(b, "  messages leave: from every state, each of %s can be emptied, %s\n", words.Plural(emptied, "buffer"), how)
	if out != "" {
		fmt.Fprintf(b, "  written to %s\n", spec.Printable(wayFolder(out, w)))
	}
}

// printCandidate writes what the chains alone need, as if every chain could fill the network.
func printCandidate(b *strings.Builder, c *repair.Composition) {
	switch {
	case c.Replies == nil:
		fmt.Fprintf(b, "candidate: none from the chains: %s\n", spec.Printable(c.NoChain.String()))
	case len(c.Replies.Proposals) == 0:
		b.WriteString("candidate: by the chains alone, one VC set is enough\n")
	default:
		for _, p := range c.Replies.Proposals {
			fmt.Fprintf(b, "candidate, by the chains alone: %s\n", spec.Printable(p.Because.String()))
			report.Indent(b, words.Written(p.Patch), mostChanges)
		}
	}
}

func classesOf(c *repair.Composition, w repair.Way, set int) (names []string) {
	for k, name := range c.Network.Classes() {
		if w.Sets[k] == set {
			names = append(names, name)
		}
	}
	return names
}

// printWay writes a way that is not free, with the evidence.
func printWay(b *strings.Builder, c *repair.Composition, w repair.Way, out string) {
	var sets []string
	for set := range w.Count() {
		sets = append(sets, strings.Join(classesOf(c, w, set), ", "))
	}
	fmt.Fprintf(b, "  %s", strings.Join(sets, " | "))
	for i := 0; w.Check != nil && i < len(w.Check.Findings); i++ {
		if x := w.Check.Findings[i]; x.Verdict == spec.Violated {
			fmt.Fprintf(b, ": %s violated: %s", evidence.Freedom(x.Property), explain.Text(x.Evidence))
			break
		}
	}
	if w.Verdict() == spec.Unknown {
		b.WriteString(": unknown")
	}
	b.WriteString("\n")
	if out != "" && w.Check != nil {
		fmt.Fprintf(b, "    written to %s\n", spec.Printable(wayFolder(out, w)))
	}
}
