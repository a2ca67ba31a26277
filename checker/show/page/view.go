package page

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// view is what the template writes.
type view struct {
	Title        string
	Links        []Link
	Command      string
	About        string
	Style        template.CSS
	Script       template.JS
	Assumed      []checker.Assumed
	Facts        []fact
	Timed        bool // some of the facts are times
	Symbols      []*figure.Topology
	Sections     []*section
	Topology     *figure.Topology
	Flows        *flows
	Dependencies *dependencies
	Source       *source
}

// fact is a number or name, such as a size, a time or a digest.
type fact struct{ Name, Value string }

// section is about one property.
type section struct {
	ID       string
	Property string
	Verdict  string
	Sign     string // next to the word, so that neither colour nor word is the only sign
	Because  string
	Notes    []string
	Vacuous  bool
	Evidence string

	Waits       *waits
	Player      *player
	Sequence    template.HTML // who sends what to whom in a run; "" if there are no messages
	Certificate *certificate
	Candidate   *candidate
}

// candidate is what an unknown verdict could not clear.
type candidate struct {
	Overlay  *figure.Overlay
	Channels []string
	More     int
}

// subject is the result that a page is about.
type subject struct{ *checker.Result }

// deadlockCertificate returns the certificate of the verdict on deadlock, or nil.
func (s subject) deadlockCertificate() *proofs.Certificate {
	if f := s.Of(spec.DeadlockFreedom.String()); f != nil {
		return f.Certificate()
	}
	return nil
}

// view makes the whole page.
func (s subject) view(ctx context.Context, o Options, l limits) (*view, error) {
	v := &view{
		Title: s.Name, Links: o.Links, Command: o.Command, About: o.About,
		Style: template.CSS(figure.Style + pageStyle), Script: template.JS(pageScript),
		Facts: s.facts(o), Timed: len(o.Times) > 0, Assumed: s.Assumed(), Source: s.source(),
	}
	if n := s.Network; n != nil {
		var err error
		if v.Flows, err = countFlows(ctx, n, min(20, l.rows)); err != nil {
			return nil, err
		}
		if v.Dependencies, err = dependenciesOf(ctx, n, s.deadlockCertificate(), l); err != nil {
			return nil, err
		}
	}
	for i, p := range report.Tell(s.Result) {
		sec, err := s.section(ctx, v, fmt.Sprintf("property-%d", i+1), &p, &s.Findings[i], l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		v.Sections = append(v.Sections, sec)
	}
	if s.Network != nil {
		v.Topology = v.drawing(s.Network, nil, l)
	}
	return v, nil
}

func (s subject) section(
	ctx context.Context, v *view, id string, p *report.Property, f *checker.Finding, l limits,
) (*section, error) {
	sec := &section{
		ID: id, Property: evidence.Freedom(p.Name), Verdict: p.Verdict.String(),
		Because: p.Because.String(), Notes: words.Written(p.Notes), Vacuous: p.Vacuous,
		Sign:     map[spec.Verdict]string{spec.Holds: "✓", spec.Violated: "✗", spec.Unknown: "?"}[p.Verdict],
		Evidence: p.RestsOn("the counts"),
	}
	if len(f.Candidate) > 0 {
		sec.Candidate = v.candidate(s.Network, f.Candidate, l)
	}
	x, err := explain.Follow(f.Evidence)
	if err != nil {
		return nil, err
	}
	if x != nil {
		return sec, sec.follow(v, f.Evidence, x, l)
	}
	sec.Certificate, err = certificateOf(ctx, f.Evidence, l)
	return sec, err
}

// follow shows a trace or run: a player, which for a network is in a drawing of it, and who
// waits for whom at the end.
func (sec *section) follow(v *view, e evidence.Evidence, x *explain.Execution, l limits) (err error) {
	traffic, ok := x.Machine.(*states.Traffic)
	if !ok {
		if sec.Player, err = machinePlayer(sec.ID+"-player", x, l.steps); err != nil {
			return err
		}
		var b strings.Builder
		if err := report.WriteSequenceSVG(&b, e); err != nil && !errors.Is(err, report.ErrNoMessages) {
			return err
		}
		sec.Sequence = template.HTML(b.String()) // its texts are escaped
		return nil
	}
	t, ok := e.(evidence.Trace)
	if !ok {
		_, _, err = sec.play(v, traffic, x, nil, l)
		return err
	}
	matter := slices.Clone(t.Stuck)
	if t.Site != (spec.Site{}) {
		matter = append(matter, t.Site.Channel)
	}
	drawing, tracker, err := sec.play(v, traffic, x, matter, l)
	if err != nil {
		return err
	}
	if t.Fault == counterexamples.Deadlock {
		p := sec.Player
		sec.Waits = waitsOf(t.Network, drawing, tracker, t.Stuck, l)
		p.Overlay.Strong, p.Overlay.Badges = sec.Waits.Overlay.Strong, sec.Waits.Overlay.Badges
		p.End = sec.Waits.Text
	}
	return nil
}

// play makes the player of moves, in a drawing that also has the channels that matter.
func (sec *section) play(
	v *view, t *states.Traffic, x *explain.Execution, matter []spec.ChannelID, l limits,
) (*figure.Topology, *explain.Tracker, error) {
	p, tracker, err := trafficPlayer(sec.ID+"-player", t, x, l.steps)
	if err != nil {
		return nil, nil, err
	}
	sec.Player = p
	drawing := v.drawing(t.Network(), slices.Concat(p.channels, matter), l)
	p.Overlay = &figure.Overlay{Topology: drawing, Slots: drawing.Slots(p.channels)}
	for i := range p.Overlay.Slots {
		s := &p.Overlay.Slots[i]
		s.Field = p.numbers[fmt.Sprint(s.Channel)]
		s.Text, s.Body = tracker.Short(s.Channel)
	}
	return drawing, tracker, nil
}

func (v *view) candidate(n *spec.Network, channels []spec.ChannelID, l limits) *candidate {
	d := v.drawing(n, channels, l)
	c := &candidate{Overlay: &figure.Overlay{Topology: d, Strong: d.Strong(channels), Slots: d.Slots(channels)}}
	for i, ch := range channels {
		if i == l.rows {
			c.More = len(channels) - i
			break
		}
		c.Channels = append(c.Channels, n.Topology().ChannelName(ch))
	}
	return c
}

// drawing returns a drawing of the topology in which the given channels can be marked. As
// long as all of it is drawn and slots need no more room, the whole page shares
// one.
func (v *view) drawing(n *spec.Network, matter []spec.ChannelID, l limits) *figure.Topology {
	d := figure.Draw(n.Topology(), figure.Options{
		ID: fmt.Sprintf("topology-%d", len(v.Symbols)+1), Limits: l.figure, Matter: matter,
		Weigh: v.Flows.weigh,
		Title: func(link spec.LinkID) string {
			return fmt.Sprintf("%s: %d %s", n.Topology().LinkName(link), v.Flows.Of[link], v.Flows.What)
		},
	})
	for _, old := range v.Symbols {
		if d.Same(old) {
			return old
		}
	}
	v.Symbols = append(v.Symbols, d)
	return d
}

// facts are sizes, digests and times.
func (s subject) facts(o Options) []fact {
	var out []fact
	number := func(name string, x int64) { out = append(out, fact{name, fmt.Sprint(x)}) }
	if n := s.Network; n != nil {
		out = append(out, fact{"switching", n.Switching().String()})
	}
	if c := s.Census; c != nil {
		number("nodes", int64(c.Nodes))
		number("links", int64(c.Links))
		number("channels in use", int64(c.Channels))
		number("channels never used", int64(c.Unused))
		number("flows", int64(c.Flows))
		number("sites", int64(c.Sites))
		number("dependencies", int64(c.Edges))
	}
	if x := s.Space; x != nil {
		out = append(out, fact{"states", explored(x)})
		number("transitions", x.Transitions)
		number("levels", int64(x.Levels))
		number("states of the widest level", x.Widest)
		number("bits of a state", int64(x.Bits))
		if s.Network != nil {
			out = append(out, fact{"deadlocks", fmt.Sprintf("%d local, %d weak, %d global", x.Local, x.Weak, x.Global)})
			// an exploration of only some states does not count them, unless deadlock is checked
		} else if x.Reduced == nil || x.Halts > 0 {
			number("states without successors that are not an intended end", x.Halts)
		}
		for _, left := range x.Reduced {
			out = append(out, fact{"a part of the state graph", left.String()})
		}
		if x.Digest != "" {
			out = append(out, fact{"set of states, digest", x.Digest})
		}
	}
	if s.Network != nil {
		out = append(out, fact{"network, SHA-256", s.Network.Digest().String()})
		if origin := s.Network.Origin(); origin != "" {
			out = append(out, fact{"origin", origin})
		}
	}
	for _, t := range o.Times {
		out = append(out, fact{"time: " + t.What, t.Took.String()})
	}
	return out
}

func explored(x *checker.Space) string {
	switch {
	case x.Complete && x.Reduced != nil:
		return fmt.Sprintf("%d, all of the reduced state graph", x.States)
	case x.Complete:
		return fmt.Sprintf("%d, all that can be reached", x.States)
	}
	return fmt.Sprintf("%d found, %d expanded: %s", x.States, x.Expanded, x.Ended)
}
