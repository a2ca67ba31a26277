package figure

import (
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
)

// Overlay is what one figure draws over a drawing of a topology.
type Overlay struct {
	Topology *Topology
	Slots    []Slot
	Strong   []string // paths of links drawn in bold
	Badges   []Badge  // numbers
	Doors    []Door
}

// Door is a node that links to another page. The page must offer the same link outside
// the drawing, too: to a screen reader a drawing is one image.
type Door struct {
	Node
	To string
}

// Open makes a node of the drawing a link. A node that is not drawn gets none.
func (o *Overlay) Open(v spec.NodeID, to string) {
	if i := slices.IndexFunc(o.Topology.Nodes, func(n Node) bool { return n.ID == v }); i >= 0 {
		o.Doors = append(o.Doors, Door{o.Topology.Nodes[i], to})
	}
}

// Slot is a small box on a link that represents a channel.
type Slot struct {
	Channel spec.ChannelID
	Field   int // the field of the player's state that it shows
	Frame
	Title   string
	Text    string // what is in it; "" if nothing
	Body    bool   // of a message whose head is further on
	Changed bool   // by the last step
}

// Badge is a number in a circle.
type Badge struct {
	Frame
	Number int
	Title  string
}

// Slots returns the slots of channels in their order, leaving out links that are not drawn.
// Several slots on one link are side by side, VCs ascending in the direction of the
// link.
func (d *Topology) Slots(channels []spec.ChannelID) []Slot {
	on := map[spec.LinkID][]spec.ChannelID{}
	for _, c := range channels {
		if c >= 0 {
			l := d.t.LinkOf(c)
			on[l] = append(on[l], c)
		}
	}
	for _, cs := range on {
		slices.Sort(cs)
	}
	var slots []Slot
	for _, c := range channels {
		if c < 0 {
			continue
		}
		l := d.t.LinkOf(c)
		line, drawn := d.lines[l]
		if !drawn {
			continue
		}
		i, _ := slices.BinarySearch(on[l], c)
		p := alongside(line, i, len(on[l]))
		if link := d.t.Link(l); link.From == link.To { // slots of a request buffer are in a row
			p = line.point(0.5).Plus(draw.Point{X: float64(i) * (slotWidth + 2)})
		}
		slots = append(slots, Slot{Channel: c, Frame: box{p, slotWidth, slotHeight}.frame(), Title: d.t.ChannelName(c)})
	}
	return slots
}

// alongside returns the place of slot i of n on a line: next to its middle, as far apart as
// the slots need, closer if the line is too short.
func alongside(c curve, i, n int) draw.Point {
	d, length := way(c.from, c.to)
	// How far apart two slots must be depends on the slope: a slot is wider than high.
	step := min((slotWidth+2)*length/max(1, math.Abs(d.X)), (slotHeight+2)*length/max(1, math.Abs(d.Y)))
	if n > 1 {
		step = min(step, (length-slotHeight)/float64(n-1))
	}
	by := (float64(i) - float64(n-1)/2) * step / length
	return c.point(0.5).Plus(d.Times(by))
}

// Strong returns the paths of the links of channels, each once.
func (d *Topology) Strong(channels []spec.ChannelID) []string {
	seen := map[spec.LinkID]bool{}
	var paths []string
	for _, c := range channels {
		if c < 0 || seen[d.t.LinkOf(c)] {
			continue
		}
		seen[d.t.LinkOf(c)] = true
		if p, drawn := d.paths[d.t.LinkOf(c)]; drawn {
			paths = append(paths, p)
		}
	}
	return paths
}

// Badge returns a number next to a slot, where it covers no other of the slots that are shown and no node, if there is
// such a place. Time is linear in both.
func (d *Topology) Badge(s Slot, number int, title string, shown []Slot) Badge {
	line := d.lines[d.t.LinkOf(s.Channel)]
	to, length := way(line.from, line.to)
	// To the right of the way, beyond the slot; if there is no link back on the left, away from
	// the middle of the picture.
	x, y := -to.Y/length, to.X/length
	link := d.t.Link(d.t.LinkOf(s.Channel))
	if link.From == link.To {
		x, y = 0, -1
	} else if len(d.t.LinksBetween(link.To, link.From)) == 0 &&
		x*(float64(s.X)-d.middle.X)+y*(float64(s.Y)-d.middle.Y) < 0 {
		x, y = -x, -y
	}
	var first Badge
	for i, side := range []draw.Point{{X: x, Y: y}, {X: -x, Y: -y}, {X: y, Y: -x}, {X: -y, Y: x}} {
		by := math.Abs(side.X)*(slotWidth/2+11) + math.Abs(side.Y)*(slotHeight/2+11)
		b := Badge{Frame{X: s.X + px(side.X*by), Y: s.Y + px(side.Y*by)}, number, title}
		if i == 0 {
			first = b
		}
		if (i == 0 || d.View.has(b.Frame)) && d.free(b, s, shown) {
			return b
		}
	}
	return first
}

// has reports whether a number at a place is inside.
func (b Box) has(f Frame) bool {
	const half = int(badgeSize / 2)
	return f.X-half >= b.X && f.X+half <= b.X+b.Width && f.Y-half >= b.Y && f.Y+half <= b.Y+b.Height
}

// free reports whether the number of a slot covers no other slot and no node.
func (d *Topology) free(b Badge, of Slot, shown []Slot) bool {
	covers := func(x, y int, width, height float64) bool {
		return math.Abs(float64(b.X-x)) < (width+badgeSize)/2-1 && math.Abs(float64(b.Y-y)) < (height+badgeSize)/2-1
	}
	return !slices.ContainsFunc(shown, func(s Slot) bool {
		return s.Channel != of.Channel && covers(s.X, s.Y, slotWidth, slotHeight)
	}) && !slices.ContainsFunc(d.Nodes, func(n Node) bool {
		return covers(n.X, n.Y, float64(n.Width), float64(n.Height))
	})
}
