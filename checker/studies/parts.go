package studies

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// networkPart is a verdict on deadlock, livelock or delivery, or a cycle of
// dependencies, of a network that is built when it is asked for.
func networkPart(shows, property string, v spec.Verdict, build func(context.Context) (routing.Definition, error)) Part {
	return Part{Shows: shows, Network: build, Property: property, Verdict: v}
}
