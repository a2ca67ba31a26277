package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

type showFlags struct {
	networkFlags
	closed bool
	sites  bool
}

func showCommand(std streams) *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "show NETWORK",
		Short: "Show how a network or protocol was read",
		Long: `Show prints the parameters, nodes, links and VCs of a network, or the variables and
rules of a protocol, as unknot has read them. It decides nothing. Look here first if a
verdict surprises you, since --sites lists every hop that the routing permits, and the line of the
file that permits it.

With --closed it writes the closed form, which programs in any language can read. See
"unknot help formats".

Exit codes: 0 shown, 2 usage or input, 3 a limit was reached, 130 interrupted.`,
		Example: `  unknot show ring --set n=4
  unknot show my.star --sites
  unknot show my.star --closed > my.json
  unknot show peterson --closed > peterson.json`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			return f.show(c.Context(), args[0], std)
		},
	}
	f.register(c)
	f.budget.register(c, std)
	f.fragments, f.acyclic = 512<<20, 64<<20 // as check does
	c.Flags().BoolVar(&f.closed, "closed", false, "write the closed form (JSON)")
	c.Flags().BoolVar(&f.sites, "sites", false,
		"list every site with its permitted hops and the rules that permit them")
	c.MarkFlagsMutuallyExclusive("closed", "sites")
	return c
}

func (f *showFlags) show(ctx context.Context, name string, std streams) error {
	m := newMeter(std)
	defer m.clear()
	if g, err := f.bare(ctx, name); g != nil || err != nil {
		if err == nil && (f.closed || f.sites) {
			err = f.noRouting(name, g.Format)
		}
		if err != nil {
			return err
		}
		b := bufio.NewWriter(std.out)
		describeTopology(b, name, g)
		return b.Flush()
	}
	machine, n, err := f.loadMachine(ctx, name, m.show)
	if err != nil {
		return err
	}
	m.clear()
	if n == nil {
		return f.showMachine(std.out, name, machine)
	}
	if f.closed {
		return spec.WriteClosed(std.out, n)
	}
	b := bufio.NewWriter(std.out)
	describe(b, n)
	if err := describeFile(b, f.loaded, n); err != nil {
		return err
	}
	if f.sites {
		if err := listSites(b, n); err != nil {
			return err
		}
	}
	return b.Flush()
}

// showMachine describes a machine.
func (f *showFlags) showMachine(w io.Writer, name string, m states.Machine) error {
	p := programOf(m)
	switch {
	case f.sites:
		return fmt.Errorf("%s is a protocol: it has no sites", name)
	case p == nil:
		return fmt.Errorf("%s is not written as guarded commands, so it cannot be shown", name)
	case f.closed:
		return program.WriteClosed(w, p)
	}
	digest, err := p.Digest()
	if err != nil {
		return err
	}
	variables := 0
	for _, v := range p.Variables {
		if v.Values > 1 { // one of a single value stands for a fault of a rule
			variables++
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%s, %s of state\n%s\n", p.Name, words.Plural(variables, "variable"),
		words.Plural(m.Layout().Bits(), "bit"), words.Plural(len(p.Rules), "rule"))
	explain.WriteRules(b, p, described)
	for _, v := range p.Invariants {
		fmt.Fprintf(b, "invariant: %s\n", v.Name)
	}
	for _, v := range p.Responses {
		fmt.Fprintf(b, "response:  %s\n", v.Name)
	}
	for _, f := range p.Formulas {
		kind := "formula: "
		if f.Possible {
			kind = "always possible:"
		}
		fmt.Fprintf(b, "%s  %s\n", kind, f.Name)
	}
	fmt.Fprintf(b, "sha256:    %s\n", digest)
	if err := describeFile(b, f.loaded, nil); err != nil {
		return err
	}
	return b.Flush()
}

func describe(w io.Writer, n *spec.Network) {
	t := n.Topology()
	fmt.Fprintf(w, "%s\n", n.Name())
	fmt.Fprintf(w, "origin:    %s\n", cmp.Or(n.Origin(), "none given"))
	fmt.Fprintf(w, "switching: %s, buffer %d\n", n.Switching(), n.Buffer())
	fmt.Fprintf(w, "tags:      %d\n", n.OwnTags())
	switch n.Alternatives() {
	case 0:
	case 1:
		fmt.Fprintln(w, "alternatives: at sources alone; a packet is committed to one as it begins")
	default:
		fmt.Fprintf(w, "alternatives: up to %d in a channel, to one of which a packet is committed; each is a site\n", n.Alternatives())
	}
	if n.Discards() {
		fmt.Fprintln(w, "discards:  routers may end packets on purpose; check tells where")
	}
	if len(n.Classes()) > 1 {
		fmt.Fprintf(w, "classes:   %q\n", n.Classes())
	}
	fmt.Fprintf(w, "flows:     %d\n", n.FlowCount())
	fmt.Fprintf(w, "sites:     %d, %d distinct routing-table rows\n", n.SiteCount(), n.RowCount())
	fmt.Fprintf(w, "sha256:    %s\n", n.Digest())
	describeNodes(w, t, func(spec.NodeID) string { return "" })
	describeLinks(w, t, func(l spec.LinkID) string {
		text := ""
		for vc := range t.Link(l).VCs {
			text += " " + t.VCName(vc)
		}
		return text
	})
}

func describeNodes(w io.Writer, t *spec.Topology, say func(spec.NodeID) string) {
	fmt.Fprintf(w, "\n%s\n", words.Plural(t.Nodes(), "node"))
	for v := range spec.NodeID(min(t.Nodes(), described)) {
		fmt.Fprintf(w, "  %s%s\n", t.Node(v).Name, say(v))
	}
	others(w, t.Nodes()-described)
}

func describeLinks(w io.Writer, t *spec.Topology, say func(spec.LinkID) string) {
	fmt.Fprintf(w, "\n%s, %s\n", words.Plural(t.Links(), "link"), words.Plural(t.Channels(), "channel"))
	for l := range spec.LinkID(min(t.Links(), described)) {
		fmt.Fprintf(w, "  %s%s\n", t.LinkName(l), say(l))
	}
	others(w, t.Links()-described)
}

// describeFile describes what the file of a network or machine says beyond the network
// itself: nothing unless it is a .star file.
func describeFile(w io.Writer, file *star.File, n *spec.Network) error {
	if file == nil {
		return nil
	}
	if len(file.Inputs) > 0 {
		fmt.Fprintf(w, "\ndata: %s\n", strings.Join(file.Inputs, ", "))
	}
	if file.OwnTags > 0 {
		apart, without := file.SourcesCost(n)
		fmt.Fprintf(w,
			"\nsources: route sees where a packet comes from, in the tag: %d sites, %d without, %.1f times as many\n",
			apart, without, float64(apart)/float64(max(1, without)))
	}
	return describeParams(w, file.Params)
}

// describeParams lists the parameters of a file, with their values.
func describeParams(w io.Writer, params []star.Param) error {
	if len(params) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nparameters, set with --set NAME=VALUE")
	var items []item
	for _, p := range params {
		text := p.Range() + "  " + p.Doc
		if p.Value != p.Default {
			text += " (default " + p.Default + ")"
		}
		items = append(items, item{p.Name + "=" + p.Value, text})
	}
	return writeItems(w, items)
}

func listSites(w io.Writer, n *spec.Network) error {
	t := n.Topology()
	fmt.Fprintln(w, "\nsites")
	return routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		fmt.Fprintf(w, "  %s for %s", t.ChannelName(s.Channel), t.Node(s.Header.Dest).Name)
		if len(n.Classes()) > 1 {
			fmt.Fprintf(w, " class %s", n.Classes()[s.Header.Class])
		}
		if n.OwnTags() > 1 {
			fmt.Fprintf(w, " tag %d", n.OwnTag(s.Header.Tag))
		}
		fmt.Fprint(w, n.CommitmentText(s))
		if len(hops) == 0 {
			fmt.Fprint(w, ": dead end")
		}
		fmt.Fprintln(w)
		for _, h := range n.OwnHops(hops) {
			fmt.Fprintf(w, "    %s", t.ChannelName(h.Channel))
			if h.Tag > 0 {
				fmt.Fprintf(w, " tag %d", h.Tag)
			}
			if _, err := fmt.Fprintln(w, n.Reason(s, h).Clause()); err != nil {
				return err
			}
		}
		return nil
	})
}

// describeTopology says how the file of a topology was read.
func describeTopology(w io.Writer, name string, g *topology.Graph) {
	t := g.Topology
	fmt.Fprintf(w,
		"%s\nformat:    %s\nrouting:   none; --route %s makes one\nterminals: %d of %d nodes send and receive\n",
		titleOf(name, g), g.Format, words.OneOf(engines()), len(g.Terminals), t.Nodes())
	if g.OneWay {
		fmt.Fprintln(w, "links:     some lead one way")
	}
	sends := make([]bool, t.Nodes())
	for _, v := range g.Terminals {
		sends[v] = true
	}
	describeNodes(w, t, func(v spec.NodeID) string {
		text := attributes(g.Nodes[v])
		if !sends[v] {
			text = " (passes packets on)" + text
		}
		return text
	})
	describeLinks(w, t, func(l spec.LinkID) string { return attributes(g.Links[l]) })
}

// attributes writes a file's attributes of a node or a link.
func attributes(all []topology.Attribute) string {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, " %s=%s", spec.Printable(a.Name), spec.Printable(fmt.Sprint(a.Value)))
	}
	return b.String()
}

// described is the number of nodes, of links and of instances of a rule up to which each is listed.
const described = 64
