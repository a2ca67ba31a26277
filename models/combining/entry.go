package combining

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func ClassesEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "combining-classes"), catalogue.File(files, "classes.star"))
}

func InvalidateAckEntry() catalogue.Entry { return protocol("invalidate-ack", "invalidate-ack.star") }

func NineStepsEntry() catalogue.Entry { return protocol("nine-steps", "nine-steps.star") }

func FetchAddEntry() catalogue.Entry { return protocol("fetch-add", "memory.star") }

func TestAndSetEntry() catalogue.Entry { return protocol("test-and-set", "memory.star") }

func ReadCombiningEntry() catalogue.Entry { return protocol("read-combining", "memory.star") }

func ReductionEntry() catalogue.Entry { return protocol("reduction", "reduction.star") }

func BarrierEntry() catalogue.Entry { return protocol("barrier", "barrier.star") }

func MemoryBarrierEntry() catalogue.Entry { return protocol("memory-barrier", "memory_barrier.star") }

func protocol(name, file string) catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, name), catalogue.File(files, file))
}
