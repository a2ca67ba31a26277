package combining_test

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// InvalidateOptions are the parameters of invalidate-ack as tests draw them.
type InvalidateOptions struct {
	FanOut, Depth                                      int
	Homes, Writers                                     []int
	Link, Entries, Keys                                int
	Overflow, Variant, Arbiter, Unit                   string // "" is the default of the first three, and merged
	Resharing, Owed, Reopened, Copies, Travel, Merging bool
}

// The variants up to defer, which repair the protocol step by step.
var mended = []string{"literal", "parts", "repeat", "return", "defer"}

var units = []string{"merged", "one-place", "place-each"}

func list(all []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", ",") }

func (o InvalidateOptions) set() catalogue.Set {
	either := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	s := catalogue.Set{
		"fanout": fmt.Sprint(o.FanOut), "depth": fmt.Sprint(o.Depth), "homes": list(o.Homes), "writers": list(o.Writers),
		"link": fmt.Sprint(o.Link), "entries": fmt.Sprint(max(o.Entries, 1)), "keys": fmt.Sprint(max(o.Keys, 1)),
		"resharing": either(o.Resharing, "yes", "no"), "acks": either(o.Owed, "owed", "at-once"),
		"reopen": either(o.Reopened, "when-replied", "when-written"), "multicast": either(o.Copies, "copies", "at-once"),
		"interrupts": either(o.Travel, "travel", "at-once"), "queue": either(o.Merging, "merged", "all"),
	}
	for name, value := range map[string]string{"overflow": o.Overflow, "variant": o.Variant, "arbiter": o.Arbiter, "unit": o.Unit} {
		if value != "" {
			s[name] = value
		}
	}
	return s
}

// complete fills in defaults.
func (o InvalidateOptions) complete() InvalidateOptions {
	o.Unit, o.Variant = cmp.Or(o.Unit, "merged"), cmp.Or(o.Variant, "literal")
	return o
}

var invalidateAck = combining.InvalidateAckEntry()

// invalidation is the machine of the catalogue's file.
func invalidation(o InvalidateOptions) (*program.Program, error) {
	return programtest.Of(invalidateAck.Machine(o.set()))
}
