package checker_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestClosedFormRoundTrip: a random network, written and read again, has the
// same digest and the same verdicts.
func TestClosedFormRoundTrip(t *testing.T) {
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 3, MayFail: true})
		def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
		def.Buffer = rapid.IntRange(1, 3).Draw(rt, "buffer")
		before, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 2})
		if err != nil {
			rt.Fatal(err)
		}
		var text bytes.Buffer
		if err := spec.WriteClosed(&text, before); err != nil {
			rt.Fatal(err)
		}
		after, err := routing.ReadClosed(context.Background(), "net.json", text.Bytes(), routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatalf("%v\n%s", err, text.String())
		}
		if before.Digest() != after.Digest() {
			rt.Fatalf("the digest changed\n%s", text.String())
		}
		for _, p := range []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery} {
			if a, b := decide(rt, before, p).Verdict, decide(rt, after, p).Verdict; a != b {
				rt.Fatalf("%s: %s before, %s after", p, a, b)
			}
		}
	})
}
