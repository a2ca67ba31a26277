package selection

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

//go:embed *.entries *.claims *.star
var files embed.FS

// The invariants that machines claim.
const (
	Within = "within the relation"
	Moves  = "something in flight can move"
	Spares = "CF of the lowest dimension is spared"         // chosen only if no higher one has a free VC
	Beside = "CF of the lowest dimension shares its link"   // chosen only if CH or CA of that link is taken
	Alone  = "CF of the only dimension left is the last VC" // chosen only if both are taken
)

// Entry is the network of packets that have committed, see selection.New.
func Entry() catalogue.Entry {
	return catalogue.Read(files, "selection").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return New(optionsOf(a))
	})
}

// RouterEntry is the machine of a router by itself, see NewRouter.
func RouterEntry() catalogue.Entry {
	e := catalogue.Read(files, "selection-router")
	e.BuildMachine = func(a catalogue.Args) (states.Machine, error) {
		return catalogue.Compiled(NewRouter(routerOf(a)))
	}
	return e.WithFile(catalogue.File(files, "router.star"))
}

// ClockEntry is the machine of packets that are sent once.
func ClockEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "selection-clock"), catalogue.File(files, "packets.star"))
}

// TrafficEntry is the machine of packets that are sent again and again.
func TrafficEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "selection-traffic"), catalogue.File(files, "packets.star"))
}

// optionsOf reads a function, with the form in which routers keep to it.
func optionsOf(a catalogue.Args) Options {
	o := routerOf(a)
	o.Form = catalogue.Chosen[Form](a, "form", FormNames)
	return o
}

// routerOf reads the function of a router that chooses again.
func routerOf(a catalogue.Args) Options {
	o := Options{
		K: a.Int("k"), N: a.Int("n"), OneWay: a.Text("way") == "one",
		Function: catalogue.Chosen[Function](a, "function", Names),
		Reading:  FreeHere,
	}
	if !o.OneWay {
		o.Tie = grid.TieOf(a)
	}
	if o.Function == CCB || o.Function == Zigzag {
		o.Reading = catalogue.Chosen[Reading](a, "reading", ReadingNames)
	}
	return o
}
