package spec_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// A fault of a file is reported with its place.
func ExampleReadClosed() {
	_, err := spec.ReadClosed(context.Background(), "ring.json", []byte(`{
  "format": "unknot-network-1",
  "name": "ring",
  "name": "again"
}`))
	fmt.Println(err)
	// Output: ring.json:4:3: key "name" stands here twice
}

// A topology knows its channels by link and VC.
func ExampleTopology() {
	t := spec.NewTopology("low", "high")
	a, b := t.AddNode("a"), t.AddNode("b")
	there, back := t.AddPair(a, b, 2)
	fmt.Println(t.ChannelName(t.Channel(there, 1)), "and", t.ChannelName(t.Channel(back, 0)))
	fmt.Println(t.Channels(), "channels")
	// Output:
	// a->b high and b->a low
	// 4 channels
}
