package peach2

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "peach2").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		c, err := ClusterOf(a)
		if err != nil {
			return routing.Definition{}, err
		}
		ordering := catalogue.Chosen[Ordering](a, "ordering", OrderingNames)
		def, err := New(c, NetworkOptions{Reads: ReadsOf(a), Ordering: ordering, Buffer: a.Int("buffer")})
		var order *OrderError
		if errors.As(err, &order) {
			err = fmt.Errorf("%w; \"unknot check peach2-reads\" explores rings of 2 to 4 boards", err)
		}
		return def, err
	}).WithFile(catalogue.File(files, "peach2.star"))
}

func ReadsEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "peach2-reads"), catalogue.File(files, "peach2-reads.star"))
}

func DMAEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "peach2-dma"), catalogue.File(files, "peach2-dma.star"))
}

func HostsEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "peach2-hosts"), catalogue.File(files, "peach2-hosts.star"))
}

func ReadsOf(a catalogue.Args) Reads {
	return catalogue.Chosen[Reads](a, "reads", ReadsNames)
}

// ClusterOf reads the register file or generates a cluster.
func ClusterOf(a catalogue.Args) (*Cluster, error) {
	if name := a.Text("registers"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return Read(name, f)
	}
	o, err := optionsOf(a)
	if err != nil {
		return nil, err
	}
	return Generate(o)
}

func optionsOf(a catalogue.Args) (Options, error) {
	o, err := RingsOf(a)
	if err != nil {
		return o, err
	}
	o.Variant = catalogue.Chosen[Variant](a, "variant", VariantNames)
	o.Ties, err = ParseTies(a.Text("tie"), o.Boards*o.Rings)
	return o, err
}

// RingsOf returns the options of the boards, with the routing between rings.
func RingsOf(a catalogue.Args) (Options, error) {
	o, err := BoardsOf(a)
	if err == nil && o.Rings == 2 {
		o.Order = catalogue.Chosen[Order](a, "order", OrderNames)
	}
	return o, err
}

// BoardsOf returns the options of the boards and their cables.
func BoardsOf(a catalogue.Args) (Options, error) {
	o := Options{Boards: a.Int("n"), Rings: a.Int("rings")}
	var err error
	if o.Ties, err = ParseTies("east", o.Boards*o.Rings); err != nil || o.Rings == 1 {
		return o, err
	}
	for i, name := range strings.Split(a.Text("south"), "-") {
		o.South[i], _ = ParseRole(name)
	}
	if text := a.Text("coupled"); text != "all" {
		for _, s := range strings.Split(text, ",") {
			i, err := strconv.Atoi(s)
			if err != nil {
				return o, fmt.Errorf("invalid coupled %.40q: want all, or numbers of boards such as 0,2", text)
			}
			o.Coupled = append(o.Coupled, i)
		}
	}
	return o, nil
}
