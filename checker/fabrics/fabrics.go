// Package fabrics, internal to unknot, judges the routing of a fabric in every scope that its dumps
// allow: host to host, or with the LIDs of switches; with one VL, or with VLs. Each verdict has the
// evidence that [checker.Check] gives; cycles are described by ports and LIDs, and by routes that
// make each of their dependencies.
package fabrics

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Options says how to judge.
type Options struct {
	Check    func(*spec.Network) (checker.Question, error) // how a network is judged
	MaxSites int                                           // of the network of a scope; 0 means no bound
	Faults   *fabric.Faults                                // of the fabric; nil: they are searched for
}

// Judgement is what was found in one scope.
type Judgement struct {
	Scope  fabric.Scope
	Counts bool // whether traffic is as the fabric runs it: see [Counts]
	Result *checker.Result
	Why    error  // why the scope is not checked and has no result: its network exceeds a bound
	Parts  []Part // strongly connected parts of the dependencies between channels
	Cycle  []Turn // a shortest one, or nil
	Exact  bool   // no cycle is shorter
}

// Part is a strongly connected part: how many channels, the first of them by name.
type Part struct {
	Channels int    `json:"channels"`
	First    string `json:"first"`
}

// Turn is a dependency in a cycle: a packet that holds one channel asks for the next.
type Turn struct {
	Holds string `json:"holds"` // "S0 port 1 -> S1 port 2, VL 0"
	Asks  string `json:"asks"`
	Why   string `json:"route"` // "H0 -> H3 (LID 10), SL 2"
}

// Scopes lists the scopes for which the dumps have enough information.
func Scopes(f *fabric.Fabric) (scopes []fabric.Scope) {
	for i := range 4 {
		if s := (fabric.Scope{Switches: i >= 2, VLs: i%2 == 1, Direct: true}); f.Judges(s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// Counts reports whether a verdict in a scope is one about the fabric: the traffic is that
// of hosts, on the VLs in the dumps. A scope with one VL where there are more, or with the
// LIDs of switches, which only management uses, is for comparison.
func Counts(f *fabric.Fabric, s fabric.Scope) bool { return !s.Switches && s.VLs == f.HasVLs() }

// Check judges one scope after the other and hands over each judgement, which is not kept
// as networks are large. In scopes that do not count only deadlock is checked. A scope that
// exceeds a bound, or for which no time or memory is left, does not affect the
// others.
func Check(ctx context.Context, f *fabric.Fabric, opt Options, each func(*Judgement) error) error {
	if opt.Faults == nil {
		var err error
		if opt.Faults, err = f.Faults(ctx); err != nil {
			return err
		}
	}
	for _, scope := range Scopes(f) {
		j, err := judge(ctx, f, scope, opt)
		if err != nil {
			return err
		}
		if j == nil {
			continue
		}
		if err := each(j); err != nil {
			return err
		}
		runtime.GC() // before the next network takes as much again
	}
	return nil
}

// judge judges one scope; nil if there is nothing to check in it.
func judge(ctx context.Context, f *fabric.Fabric, scope fabric.Scope, opt Options) (*Judgement, error) {
	j := &Judgement{Scope: scope, Counts: Counts(f, scope)}
	n, err := f.Network(ctx, scope, opt.MaxSites)
	if bound := (*spec.BoundError)(nil); errors.As(err, &bound) || err != nil && ctx.Err() != nil {
		j.Why = err
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	how, err := opt.Check(n)
	if err != nil {
		return nil, err
	}
	if !j.Counts { // where packets go is the same with any lanes, and faults of switches are listed
		deadlock := spec.DeadlockFreedom.String()
		if len(how.Properties) > 0 && !slices.Contains(how.Properties, deadlock) {
			return nil, nil
		}
		how.Properties = []string{deadlock}
	}
	if j.Result, err = checker.Check(ctx, n, how); err != nil {
		return nil, err
	}
	d := j.Result.Of(spec.DeadlockFreedom.String())
	free := d == nil || d.Verdict == spec.Holds
	j.doubt(opt.Faults)
	if free {
		return j, nil
	}
	g, err := dependency.Of(ctx, n)
	if err != nil && ctx.Err() != nil {
		return j, nil // the verdict stands
	}
	if err != nil {
		return nil, err
	}
	for _, part := range g.Cyclic() {
		j.Parts = append(j.Parts, Part{len(part), channelText(f, n, scope, part[0])})
	}
	var cycle []spec.ChannelID
	cycle, j.Exact = g.ShortestCycle()
	for _, d := range dependency.Explain(n, dependency.Around(cycle)) {
		j.Cycle = append(j.Cycle, turn(f, n, scope, d))
	}
	return j, nil
}

// doubt withdraws verdicts that rest on switches that packets reach but whose tables are
// missing from the dumps, or incomplete there: the network discards packets there, but the fabric may deliver
// them or close a cycle. A trace is valid whatever these switches do with other packets.
func (j *Judgement) doubt(x *fabric.Faults) {
	lost, open := x.Unreached(j.Scope)
	if open == 0 {
		return
	}
	for i := range j.Result.Findings {
		a := &j.Result.Findings[i]
		if a.Verdict == spec.Holds ||
			a.Property == spec.Delivery.String() && a.Verdict == spec.Violated && lost == open {
			*a = checker.Finding{Property: a.Property, Assumptions: a.Assumptions,
				Because: findings.Say(findings.TablesMissing{Pairs: open})}
		}
	}
}

// step returns the cable and lane of a channel.
func step(n *spec.Network, c spec.ChannelID) fabric.Step {
	t := n.Topology()
	l := t.Link(t.LinkOf(c))
	port := func(name string) (p int) {
		fmt.Sscanf(name, "P%d", &p)
		return p
	}
	return fabric.Step{
		From: fabric.Peer{Node: int(l.From), Port: port(l.Out)},
		To:   fabric.Peer{Node: int(l.To), Port: port(l.In)},
		VL:   t.VC(c),
	}
}

// channelText names a channel by its ports.
func channelText(f *fabric.Fabric, n *spec.Network, scope fabric.Scope, c spec.ChannelID) string {
	s := step(n, c)
	text := fmt.Sprintf("%s -> %s", f.End(s.From), f.End(s.To))
	if scope.VLs {
		text += fmt.Sprintf(", VL %d", s.VL)
	}
	return text
}

// turn describes a dependency, with a route that makes it.
func turn(f *fabric.Fabric, n *spec.Network, scope fabric.Scope, d dependency.Dependency) Turn {
	to := Turn{Holds: channelText(f, n, scope, d.From), Asks: channelText(f, n, scope, d.To)}
	dest := &f.Nodes[d.Held.Header.Dest]
	lid, sl := dest.LID+int(d.Held.Header.Class), int(d.Held.Header.Tag)
	if p, ok := f.FindPassage(scope, lid, sl, step(n, d.From), step(n, d.To)); ok {
		to.Why = f.Nodes[p.Src].Name + " -> " + dest.Name
		// repeated descriptions already have it
		if of := fmt.Sprintf(" (LID %d)", p.LID); !strings.HasSuffix(dest.Name, of) {
			to.Why += of
		}
		if scope.VLs {
			to.Why += fmt.Sprintf(", SL %d", p.SL)
		}
	}
	return to
}

// Management reports whether some credit loop needs the LIDs of switches: there is a
// deadlock in a scope with them, and none without them.
func Management(verdicts map[fabric.Scope]spec.Verdict) bool {
	for s, v := range verdicts {
		hosts := s
		hosts.Switches = false
		if s.Switches && v == spec.Violated && verdicts[hosts] == spec.Holds {
			return true
		}
	}
	return false
}

// FaultText describes a forwarding fault in a sentence.
func FaultText(f *fabric.Fabric, x fabric.Fault) string {
	dest := fmt.Sprintf("LID %d (%s)", x.LID, f.Nodes[f.Owner(x.LID)].Name)
	var what string
	switch x.Kind {
	case fabric.Loop:
		var names []string
		for _, s := range append(x.Cycle, x.Cycle[0]) {
			names = append(names, f.Nodes[s].Name)
		}
		what = fmt.Sprintf("%s go around %s", dest, strings.Join(names, " -> "))
	case fabric.NoEntry:
		what = fmt.Sprintf("%s are discarded at %s, which has no entry for it", dest, f.Nodes[x.At.Node].Name)
	case fabric.NoCable:
		what = fmt.Sprintf("%s are discarded at %s, which has no cable there", dest, f.End(x.At))
	case fabric.NoTable:
		what = fmt.Sprintf("%s reach %s, whose forwarding table is missing from the dumps",
			dest, f.Nodes[x.At.Node].Name)
	case fabric.CutTable:
		what = fmt.Sprintf("%s reach %s, whose forwarding table is incomplete in the dumps and has no line for this LID",
			dest, f.Nodes[x.At.Node].Name)
	case fabric.Stranger:
		what = fmt.Sprintf("%s reach %s", dest, f.Nodes[x.At.Node].Name)
	}
	return fmt.Sprintf("packets for %s; senders: %s, %s, as %s",
		what, words.Plural(x.Hosts, "host"), words.Plural(x.Switches, "switch"), f.Nodes[x.Src].Name)
}
