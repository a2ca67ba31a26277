package fabric

import (
	"cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// engineLog is what OpenSM's log says about the last time that tables were made.
type engineLog struct {
	failed string // the first engine that has given up since tables were made
	asked  string // the first one that was tried
	used   string // the one that made them; "" if none did
	none   bool   // no engine could
	name   string // of the file
	wrong  error  // why it was not read to its end
}

// read reads a line: which engine gave up, and which made the tables. OpenSM tries one
// after the other.
func (g *engineLog) read(l *line) error {
	switch {
	case l.skipPast("-> ucast_mgr_route: "):
		if name, ok := l.readUntil(": cannot build"); ok {
			g.failed = cmp.Or(g.failed, spec.Printable(name))
		}
	case l.skipPast("-> osm_ucast_mgr_process: "):
		name, made := l.readUntil(" tables configured on all switches")
		if g.none = !made && l.take("No routing engine able"); made || g.none {
			g.used = spec.Printable(name)
			g.asked, g.failed = cmp.Or(g.failed, g.used), ""
		}
	}
	return nil
}
